"""A phone that shows a recording: the real adb server connects to it, and the rest is the same code."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from assistant.records import Bounds, Point
from assistant.simulator.adbd.auth import Authenticator, AuthMode
from assistant.simulator.adbd.daemon import AdbDaemon
from assistant.simulator.adbd.features import Identity, features_of
from assistant.simulator.android.clock import Clock, RealClock
from assistant.simulator.android.hardware import Display
from assistant.simulator.android.profiles import Delays, Profile, Quirks
from assistant.simulator.android.services import Services
from assistant.simulator.android.shell import Shell
from assistant.simulator.android.software import Package
from assistant.simulator.apps.host import Locale
from assistant.simulator.recording.folders import KEYS, direction_of
from assistant.simulator.recording.screens import (
    InputKind,
    RecordedInput,
    RecordedScreen,
    Recording,
)
from assistant.simulator.surface import FocusedWindow, UnknownComponent, UnknownDisplay

_HOLD_MILLISECONDS = 500
_SLOP = 0.02
"""A touch that moves less than this share of the screen is a tap."""

_WAIT_SECONDS = 1.0
"""How long a screen stays that nothing but waiting was recorded on."""

_HOME = "com.android.launcher3"

InputLog = Callable[[RecordedInput, RecordedScreen, bool], None]
"""Hears of each input, the screen that shows after it, and whether the input was recorded."""


def no_log(happened: RecordedInput, screen: RecordedScreen, recorded: bool) -> None:
    """Nobody listens."""


class RecordedSurface:
    """Implements `Surface` with a recording.

    What was not recorded changes nothing, with two exceptions, since every phone does them: Back goes to the
    screen shown before, and starting an app or Home shows the first screen that was recorded of it.
    """

    def __init__(self, recording: Recording, services: Services, log: InputLog = no_log) -> None:
        self._recording = recording
        self._services = services
        self._log = log
        self._shown = 0
        self._past: list[int] = []
        self._typed = ""
        self._field: Bounds | None = None
        self._since = 0.0
        self._show(0)

    @property
    def screen(self) -> RecordedScreen:
        """The screen that shows now; one that only waiting was recorded on goes by itself."""
        following = self._recording.follows_by_itself(self._shown)
        if following is not None and self._services.clock.uptime() - self._since >= _WAIT_SECONDS:
            self._go(following)
        return self._recording.screens[self._shown]

    def on(self, display: int) -> AbstractContextManager[None]:
        """There is no other display than the phone's own."""
        if display:
            raise UnknownDisplay(display)
        return nullcontext()

    def tap(self, x: float, y: float) -> None:
        """A short touch."""
        point = self._point(x, y)
        self._focus(point)
        self._happen(RecordedInput(InputKind.TAP, point))

    def hold(self, x: float, y: float, milliseconds: int) -> None:
        """A touch that stays; a short one is a tap."""
        if milliseconds < _HOLD_MILLISECONDS:
            self.tap(x, y)
        else:
            self._happen(RecordedInput(InputKind.HOLD, self._point(x, y)))

    def swipe(self, x1: float, y1: float, x2: float, y2: float, milliseconds: int) -> None:
        """A touch that moves; hardly moved, it is a hold or a tap."""
        start, end = self._point(x1, y1), self._point(x2, y2)
        if max(abs(end.x - start.x), abs(end.y - start.y)) < _SLOP:
            self.hold(x1, y1, milliseconds)
        else:
            self._happen(RecordedInput(InputKind.SWIPE, start, direction_of(start, end)))

    def key(self, code: int, *, long: bool = False) -> None:
        """An Android key; Back and Home work as on every phone where they were not recorded."""
        del long
        pressed = RecordedInput(InputKind.KEY, key=code)
        if self._happen(pressed, quiet=code in (KEYS["BACK"], KEYS["HOME"])):
            return
        if code == KEYS["BACK"] and self._past:
            self._show(self._past.pop())
            self._log(pressed, self.screen, False)
        elif code == KEYS["HOME"] and (home := self._home()) is not None:
            self._go(home)
            self._log(pressed, self.screen, False)

    def type_text(self, text: str, *, by_keys: bool = False) -> bool:
        """Text for the focused field: the move is made once what was recorded has been typed whole."""
        if not self.field_focused():
            return False
        self._typed += text
        self._happen(RecordedInput(InputKind.TEXT, text=self._typed))
        return True

    def clear_text(self) -> bool:
        """Forget what was typed on this screen."""
        self._typed = ""
        return self.field_focused()

    def start(self, package: str, activity: str = "", address: str = "") -> bool:
        """Bring an app to the front; false when it was already there. Raises `UnknownComponent`."""
        del activity, address
        before = self.screen.package
        started = RecordedInput(InputKind.START, text=package)
        if not self._happen(started, quiet=True):
            first = self._home() if package == _HOME else self._recording.first_of(package)
            if first is None:
                raise UnknownComponent(package)
            if before != package:
                self._go(first)
            self._log(started, self.screen, False)
        return before != package

    def stop(self, package: str) -> None:
        """End an app: what was shown before can be gone back to no more."""
        self._past = [number for number in self._past if self._recording.screens[number].package != package]

    def clear(self, package: str) -> None:
        """As `stop`: a recording has no data."""
        self.stop(package)

    def focused(self) -> FocusedWindow:
        """The window with focus."""
        return FocusedWindow(self.screen.package or "unknown", self.screen.activity)

    def resumed(self) -> FocusedWindow:
        """The same: system windows are not recorded apart."""
        return self.focused()

    def halves(self) -> dict[str, Bounds]:
        """None: one app has the screen."""
        return {}

    def keyboard_shown(self) -> bool:
        """Whether a field has focus: recordings do not say whether the keyboard was up."""
        return self.field_focused()

    def field_focused(self) -> bool:
        """Whether the tree says so of a field, or one was tapped on this screen."""
        return self._field is not None or any(
            element.focused and element.editable for element in self.screen.elements
        )

    def secure(self) -> bool:
        """No: what forbids screenshots has no picture, which is black."""
        return False

    def render(self) -> Image.Image:
        """The picture in the phone's size; black where none was recorded."""
        size = self._services.display.size
        return _picture(self.screen.picture, size).copy()

    def dump(self, *, every: bool = False, resting: bool = True) -> bytes:
        """The recorded tree; without one, a single view without words, as a game has."""
        del every, resting
        return self.screen.tree or _blank_tree(self.screen)

    def contacts(self) -> list[tuple[str, str]]:
        """Nobody: a recording has no address book."""
        return []

    def expand(self, panel: str) -> None:
        """Nothing: no panel is recorded apart."""
        del panel

    def _point(self, x: float, y: float) -> Point:
        width, height = self._services.display.size
        return Point(min(1.0, max(0.0, x / width)), min(1.0, max(0.0, y / height)))

    def _focus(self, point: Point) -> None:
        screen = self.screen
        x, y = point.x * screen.width, point.y * screen.height
        fields = [
            element.bounds
            for element in screen.elements
            if element.editable and element.bounds.contains(x, y)
        ]
        self._field = fields[-1] if fields else None

    def _happen(self, happened: RecordedInput, *, quiet: bool = False) -> bool:
        """Follow an input where it was recorded; whether it was."""
        target = self._recording.next_screen(self._shown, happened)
        if target is not None:
            self._go(target)
        if target is not None or not quiet:
            self._log(happened, self.screen, target is not None)
        return target is not None

    def _go(self, number: int) -> None:
        if number != self._shown:
            self._past.append(self._shown)
        self._show(number)

    def _show(self, number: int) -> None:
        before, self._shown = self._recording.screens[self._shown], number
        screen = self._recording.screens[number]
        if not any(element.editable and element.bounds == self._field for element in screen.elements) or (
            screen.package != before.package
        ):
            self._field = None
        self._typed = ""
        self._since = self._services.clock.uptime()
        display = self._services.display
        upright = display.natural_size[0] <= display.natural_size[1]
        display.rotation = int((screen.width <= screen.height) != upright)

    def _home(self) -> int | None:
        """The first screen of a launcher, if one was recorded."""
        launchers = (screen.package for screen in self._recording.screens if _is_launcher(screen.package))
        return next((self._recording.first_of(package) for package in launchers), None)


def _is_launcher(package: str) -> bool:
    return any(word in package.lower() for word in ("launcher", ".home", "trebuchet"))


@lru_cache(maxsize=8)
def _picture(file: Path | None, size: tuple[int, int]) -> Image.Image:
    if file is not None:
        unreadable = (OSError, UnidentifiedImageError, Image.DecompressionBombError)
        with contextlib.suppress(*unreadable), Image.open(file) as image:
            return image.convert("RGBA").resize(size)
    return Image.new("RGBA", size, "black")


def _blank_tree(screen: RecordedScreen) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><hierarchy rotation="0"><node index="0" text="" '
        'resource-id="" class="android.view.View" content-desc="" enabled="true" '
        f'package="{screen.package or "unknown"}" '
        f'bounds="[0,0][{screen.width},{screen.height}]" /></hierarchy>'
    ).encode()


@dataclass(frozen=True, slots=True)
class RecordedPhoneOptions:
    """What the phone is like besides its recording. `port` is on 127.0.0.1, 0 for any free one."""

    port: int = 0
    profile: Profile = field(default_factory=Profile)
    locale: Locale = "en"
    delays: float = 0.0
    auth: AuthMode = AuthMode.OPEN
    clock: Clock | None = None


class RecordedPhone:
    """A recording behind an adb daemon, on one event loop; its screen is as large as the first recorded."""

    def __init__(
        self, recording: Recording, options: RecordedPhoneOptions | None = None, log: InputLog = no_log
    ) -> None:
        options = options or RecordedPhoneOptions()
        profile = options.profile
        self.recording = recording
        self.services = Services(
            profile=profile,
            first_locale=options.locale,
            clock=options.clock or RealClock(),
            display=_display(recording.screens[0], profile),
            quirks=Quirks(**profile.quirks),
            delays=Delays(factor=options.delays),
        )
        for package in dict.fromkeys(screen.package for screen in recording.screens if screen.package):
            if package not in self.services.packages.installed:
                self.services.packages.add(_package(recording, package))
        self.surface = RecordedSurface(recording, self.services, log)
        self.daemon = AdbDaemon(
            Shell(self.services, self.surface),
            self.services.files,
            sockets=self.services,
            identity=Identity(
                profile.product, profile.model, profile.device, features=features_of(profile.release)
            ),
            authenticator=Authenticator(options.auth),
            port=options.port,
        )

    @property
    def serial(self) -> str:
        """What `adb connect` and `adb -s` take."""
        return self.daemon.serial

    async def __aenter__(self) -> RecordedPhone:
        await self.daemon.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.daemon.stop()

    def ready(self) -> dict[str, Any]:
        """What a program that starts the phone needs to know."""
        return {
            "serial": self.serial,
            "port": self.daemon.port,
            "screens": len(self.recording.screens),
            "moves": self.recording.move_count,
        }


def _display(screen: RecordedScreen, profile: Profile) -> Display:
    size = sorted((screen.width, screen.height))
    return Display(
        physical=(size[0], size[1]), physical_density=round(profile.density * size[0] / profile.size[0])
    )


def _package(recording: Recording, package: str) -> Package:
    label = recording.labels.get(package, "")
    screen = recording.screens[recording.first_of(package) or 0]
    activity = screen.activity if screen.package == package else ".MainActivity"
    return Package(package, {"en": label, "zh": label} if label else {}, activity)


async def serve_recording(
    recording: Recording,
    options: RecordedPhoneOptions,
    ready: Callable[[dict[str, Any]], None],
    log: InputLog = no_log,
) -> None:
    """Run such a phone until cancelled; `ready` is told where. Raises `OSError` when a port is taken."""
    async with RecordedPhone(recording, options, log) as phone:
        ready(phone.ready())
        await asyncio.Event().wait()
