"""The state of everything in the phone that has no window: plain data that can be read as JSON and reset."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import InitVar, dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from assistant.simulator.adbd.backend import Listener
from assistant.simulator.android.clock import Clock, RealClock, zone_id
from assistant.simulator.android.displays import Displays
from assistant.simulator.android.files import Files
from assistant.simulator.android.hardware import (
    Audio,
    Battery,
    Bluetooth,
    Cell,
    Display,
    Keyguard,
    Location,
    Power,
    Radio,
    Wifi,
)
from assistant.simulator.android.profiles import LANGUAGE_TAGS, Delays, Locale, Profile, Quirks
from assistant.simulator.android.settings import SystemSettings
from assistant.simulator.android.software import (
    InputMethods,
    LogLine,
    Notification,
    Notifications,
    Packages,
    UsageEvent,
    UsageStatistics,
)
from assistant.simulator.android.touches import Touches

_DATA = (
    "display",
    "power",
    "keyguard",
    "battery",
    "wifi",
    "bluetooth",
    "location",
    "cell",
    "audio",
    "settings",
    "packages",
    "notifications",
    "usage",
    "input_methods",
    "files",
    "delays",
    "quirks",
    "properties",
    "log",
)

_LANGUAGE = "persist.sys.locale"


def _no_history() -> list[UsageEvent]:
    return []


@dataclass(slots=True, eq=False)
class Services:
    """All services of one phone.

    `first_locale` is the language of the fresh phone; the settings can change it. `usage_history`
    tells what was in front before the phone was started. `sockets` holds who listens at `tcp:PORT` and
    the like, `automation` who has the phone's one UiAutomation connection, empty for nobody, `clipboard`
    what was copied last, `displays` those beside the phone's own.
    """

    profile: Profile = field(default_factory=Profile)
    first_locale: InitVar[Locale] = "en"
    clock: Clock = field(default_factory=RealClock)
    display: Display = field(default_factory=Display)
    power: Power = field(default_factory=Power)
    keyguard: Keyguard = field(default_factory=Keyguard)
    battery: Battery = field(default_factory=Battery)
    wifi: Wifi = field(default_factory=Wifi)
    bluetooth: Bluetooth = field(default_factory=Bluetooth)
    location: Location = field(default_factory=Location)
    cell: Cell = field(default_factory=Cell)
    audio: Audio = field(default_factory=Audio)
    settings: SystemSettings = field(default_factory=SystemSettings)
    packages: Packages = field(default_factory=Packages)
    notifications: Notifications = field(default_factory=Notifications)
    usage: UsageStatistics = field(default_factory=UsageStatistics)
    input_methods: InputMethods = field(default_factory=InputMethods)
    delays: Delays = field(default_factory=Delays)
    quirks: Quirks = field(default_factory=Quirks)
    properties: dict[str, str] = field(default_factory=dict)
    log: list[LogLine] = field(default_factory=list)
    usage_history: Callable[[], list[UsageEvent]] = _no_history
    log_readers: list[asyncio.Queue[LogLine]] = field(default_factory=list)
    sockets: dict[str, Listener] = field(default_factory=dict)
    automation: str = ""
    clipboard: str = ""
    displays: Displays = field(default_factory=Displays)
    files: Files = field(init=False)
    touches: Touches = field(init=False)
    _marked: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self, first_locale: Locale) -> None:
        self.properties = {
            **self.profile.properties(first_locale, zone_id(self.clock.now())),
            **self.properties,
        }
        self.files = Files(now=lambda: self.clock.now().timestamp(), made_up=self._kernel_files())
        self.touches = Touches(self.display)
        self.mark()

    def listener(self, address: str) -> Listener | None:
        """Who listens at `tcp:PORT` or `localabstract:NAME`."""
        return self.sockets.get(address)

    def listen(self, address: str, listener: Listener) -> bool:
        """Let somebody listen at an address; false where another one does."""
        return self.sockets.setdefault(address, listener) is listener

    def leave(self, address: str) -> None:
        """Let nobody listen at an address."""
        self.sockets.pop(address, None)

    @property
    def locale(self) -> Locale:
        """The language that the phone speaks now."""
        return "zh" if self.properties[_LANGUAGE].startswith("zh") else "en"

    def _kernel_files(self) -> dict[str, Callable[[], bytes]]:
        return {
            "/dev/null": bytes,
            "/proc/meminfo": lambda: b"MemTotal:        7786936 kB\nMemFree:          312440 kB\n",
            "/proc/uptime": lambda: f"{self.clock.uptime():.2f} {self.clock.uptime() * 6.4:.2f}\n".encode(),
            "/proc/version": lambda: b"Linux version 5.10.149-android13-4 (build-user@build-host)\n",
        }

    def mark(self) -> None:
        """Make the present state the one that `reset` returns to: call it when all apps are installed."""
        self._marked = {name: copy.deepcopy(self._part(name)) for name in _DATA}

    def reset(self) -> None:
        """Return to the marked state. Each service stays the same object."""
        for name, marked in self._marked.items():
            _restore(self._part(name), copy.deepcopy(marked))

    def _part(self, name: str) -> Any:
        return self.files.entries if name == "files" else getattr(self, name)

    def state(self) -> dict[str, Any]:
        """Everything as plain JSON values; file contents as text where they are, else as a size."""
        return {name: plain(self._part(name)) for name in _DATA if name not in ("delays", "properties")}

    def setting(self, name: str, namespace: str = "") -> str | None:
        """A setting's value, radios and keyboards included; None for an unknown one."""
        match name:
            case "wifi_on":
                return str(int(self.wifi.enabled))
            case "bluetooth_on":
                return str(int(self.bluetooth.enabled))
            case "location_mode":
                return "3" if self.location.enabled else "0"
            case "default_input_method":
                return self.input_methods.current
            case "enabled_input_methods":
                return ":".join(self.input_methods.enabled)
            case "user_rotation":
                return str(self.display.rotation)
            case "system_locales":
                return self.properties[_LANGUAGE]
        return self.settings.table(namespace or self.settings.namespace_of(name)).get(name)

    def set_setting(self, name: str, value: str, namespace: str = "") -> None:
        """Change a setting; the radios, the keyboards, the display and the language follow."""
        self.settings.table(namespace or self.settings.namespace_of(name))[name] = value
        match name:
            case "wifi_on":
                self.wifi.enabled = value != "0"
            case "bluetooth_on":
                self.bluetooth.enabled = value != "0"
            case "location_mode":
                self.location.enabled = value != "0"
            case "default_input_method":
                self.input_methods.current = value
            case "enabled_input_methods":
                self.input_methods.enabled = [part for part in value.split(":") if part]
            case "user_rotation" if value in ("0", "1", "2", "3"):
                self.display.rotation = int(value)
            case "system_locales" if value.startswith(tuple(LANGUAGE_TAGS)):
                self.properties[_LANGUAGE] = value
            case "overlay_display_devices":
                self.displays.set_overlays(value)
            case "airplane_mode_on":
                self.wifi.enabled = self.bluetooth.enabled = value == "0"

    def connected(self, radio: Radio) -> str:
        """The Wi-Fi network or Bluetooth device in use; empty for none."""
        if radio == "bluetooth":
            return self.bluetooth.active
        return self.wifi.active.ssid if self.wifi.active else ""

    def connect(self, radio: Radio, name: str) -> None:
        """Join a Wi-Fi network, or pair with a Bluetooth device and use it; an empty name disconnects."""
        if radio == "wifi":
            self.wifi.connect(name)
        else:
            self.bluetooth.connect(name)

    def notify(
        self,
        package: str,
        title: str,
        text: str,
        *,
        number: int = 1,
        tag: str = "",
        actions: Sequence[tuple[str, Callable[[], None]]] = (),
        category: str = "",
    ) -> None:
        """Post a notification in a package's name, with buttons that do something at once."""
        installed = self.packages.installed.get(package)
        self.notifications.post(
            Notification(
                package,
                title,
                text,
                self.clock.now(),
                number,
                tag,
                uid=installed.uid if installed else 2000,
                actions=tuple(actions),
                category=category,
            )
        )

    def note(self, tag: str, message: str, priority: str = "I") -> None:
        """Add a line to the log; only the last two thousand are kept."""
        line = LogLine(self.clock.now(), priority, tag, message)
        self.log.append(line)
        del self.log[:-2000]
        for queue in self.log_readers:
            queue.put_nowait(line)

    @contextmanager
    def follow_log(self) -> Iterator[asyncio.Queue[LogLine]]:
        """A queue that gets each line of the log from now on."""
        queue: asyncio.Queue[LogLine] = asyncio.Queue()
        self.log_readers.append(queue)
        try:
            yield queue
        finally:
            self.log_readers.remove(queue)


def _restore(target: Any, marked: Any) -> None:
    match target:
        case dict():
            target.clear()
            target.update(marked)
        case list():
            target[:] = marked
        case _:
            for field in dataclasses.fields(target):
                setattr(target, field.name, getattr(marked, field.name))


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case bytes():
            return _plain_bytes(value)
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _ if dataclasses.is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


def _plain_bytes(value: bytes) -> Any:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return {"bytes": len(value)}
    return text if len(text) <= 4096 else {"bytes": len(value)}
