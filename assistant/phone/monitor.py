"""Follows which phones are connected and which is used, and reads what is around them, changing nothing.

A phone that is reached over Wi-Fi has another port after each restart. It is found again by the name under
which it announces itself, and keeps its serial, so that a turn on it goes on.

`read_sensors` gives access point, Bluetooth audio, position and charger. One command reads it all; it starts
no scan, asks for no position and does not wake the screen, so that it can be repeated every minute. Source of
the texts: what Android 8 to 16 print, see AOSP WifiInfo, Location, AudioService and BatteryService.

`read_notifications` gives who wrote, or which app has news: names and packages, never a text. Source of the
lines: AOSP NotificationRecord.dump; without --noredact, and on phones that cut texts anyway, names are only
lengths.

`read_usage` gives which app came to the front when, from the phone's usage statistics. `dumpsys usagestats`
covers the last 24 hours; with `--checkin` Android prints the days before as well, as far as it keeps them
(about ten) and has not yet printed them that way. Source of the lines: AOSP UserUsageStatsService,
`printEvent`; Android 9 and before say MOVE_TO_FOREGROUND.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.events import Event, PhoneState, PhoneStateChanged
from assistant.files import JsonFile
from assistant.i18n import _, later
from assistant.phone.adb import ADDRESS, CONNECT_SERVICE, AdbDevice, AdbServer, PhoneLink, Shell
from assistant.phone.device import Phone
from assistant.phone.displays import Displays, end_left_displays
from assistant.phone.errors import PhoneError, PhoneStatus, absent_error
from assistant.settings.schema import OtherDisplays, PhoneSettings

CHOICE_FILE = "phone.json"
"""The file in the store's folder that remembers the phone chosen among several."""

_ADB_RETRY_SECONDS = 5.0
_SEVERAL = later("Several phones are connected. Choose one: type /phones, or name it with --serial.")
_USABLE = (PhoneState.READY, PhoneState.LOCKED, PhoneState.SCREEN_OFF)


class PhoneMonitor:
    """The phone in use, as the adb server lists it. All methods belong to the event loop's thread.

    `phone` is None until one was seen. `problem` says why it cannot be used, and what to do; empty if it can.

    Args:
        settings: which phone to use, and deadlines.
        notes: the folder for the choice of a phone, labels and keyboards.
        now: returns the local time with its zone.
        emit: called with events about the phone.
    """

    def __init__(
        self,
        settings: PhoneSettings,
        notes: Path,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
    ) -> None:
        self._settings = settings
        self._notes = notes
        self._now = now
        self._emit = emit
        self._adb = AdbServer(settings.adb_host, settings.adb_port)
        self._looked_once = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._is_missing = asyncio.Event()
        self._switching: asyncio.Task[None] | None = None
        self._identifying: dict[str, asyncio.Task[None]] = {}
        self._looks = asyncio.Lock()
        self._listed: Sequence[AdbDevice] = ()
        self._chosen = ""
        self._phones: dict[str, Phone] = {}
        self._cleared: set[str] = set()
        self._choice = JsonFile(notes / CHOICE_FILE)
        self.phone: Phone | None = None
        self.problem = absent_error(settings.serial).sentence

    def start(self) -> None:
        """Begin to follow."""
        self._following = asyncio.create_task(self._follow())
        self._connecting = asyncio.create_task(self._connect_while_missing())

    async def close(self) -> None:
        """Follow no more."""
        started = (self._following, self._connecting, self._switching, *self._identifying.values())
        tasks: list[asyncio.Future[Any]] = [task for task in started if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    @property
    def looking(self) -> bool:
        """Whether the device list has not been read yet, so that `problem` is only a guess."""
        return not self._looked_once.is_set()

    async def first_look(self) -> None:
        """Wait until the device list was read once."""
        await self._looked_once.wait()

    async def phones(self) -> list[PhoneStatus]:
        """All phones that are connected, in any state, each with what it can do now."""
        listed = list(self._listed)
        requests = (
            Phone(self._adb, device.serial, self._settings, self._notes).status() for device in listed
        )
        statuses = await asyncio.gather(*requests)
        return [
            replace(status, serial=device.serial, model=status.model or device.model)
            for device, status in zip(listed, statuses, strict=True)
        ]

    def others(self, also: str) -> list[Phone]:
        """The other phones that can be used now.

        Args:
            also: their serials with commas between, or `all`.
        """
        own = self.phone.serial if self.phone is not None else ""
        ready = [
            device.serial for device in self._listed if device.state == "device" and device.serial != own
        ]
        serials = [serial.strip() for serial in also.split(",")]
        chosen = ready if also.strip() == "all" else [serial for serial in ready if serial in serials]
        return [self._phone_of(serial) for serial in chosen]

    def helpers(self) -> list[Phone]:
        """The other phones that the settings allow to be used, of those that can be used now."""
        return self.others(self._settings.also)

    def displays_of(self, phone: Phone) -> Displays | None:
        """What makes other displays of a phone; None where they are switched off."""
        if self._settings.displays is OtherDisplays.OFF:
            return None
        return Displays(self._adb, phone.serial, self._settings, self._notes)

    def connected(self, serial: str) -> Phone | None:
        """The phone of this serial, wherever it is reached; None while it is not connected.

        The same object each time, so that what works with a phone goes on when another one is used.
        """
        ready = (device.serial for device in self._listed if device.state == "device")
        return self._phone_of(serial) if serial in ready else None

    @property
    def names(self) -> list[tuple[str, str]]:
        """Serial and model of each connected phone."""
        return [(device.serial, _model(device)) for device in self._listed if device.state == "device"]

    def _phone_of(self, serial: str) -> Phone:
        if serial not in self._phones:
            self._phones[serial] = Phone(self._adb, serial, self._settings, self._notes)
        return self._phones[serial]

    def use(self, serial: str) -> None:
        """Use another phone, and remember the choice for when several are connected.

        `phone` is the other one at once, and `looking` holds until it was looked at.

        Raises:
            OSError: the choice cannot be remembered; it holds for now all the same.
        """
        self._chosen = serial
        before = self._switching
        if before is not None:
            before.cancel()
        self.phone = self.connected(serial)
        self.problem = "" if self.phone is not None else absent_error(serial).sentence
        self._looked_once.clear()
        self._switching = asyncio.create_task(self._switch())
        self._choice.change(lambda choice: choice | {"serial": serial})

    @property
    def shell(self) -> Shell | None:
        """A shell of its own on the phone, for questions beside a turn; None while it cannot be used."""
        if self.phone is None or self.problem:
            return None
        return Shell(self._adb, self.phone.serial, self._settings.command_deadline)

    async def _follow(self) -> None:
        """Follow the adb server's list; a server that is gone is asked again after a while."""
        while True:
            try:
                # Before the first look, which would tell that the phone is absent.
                await self._connect()
                async with aclosing(self._adb.watch()) as listings:
                    async for devices in listings:
                        await self._look_at(devices)
            except PhoneError as error:
                self._tell_problem(error)
            await asyncio.sleep(_ADB_RETRY_SECONDS)

    async def _connect_while_missing(self) -> None:
        """Try to connect to the phones on the network that are needed, as long as they are not there.

        Of a phone on the network that went away the server's list tells only after a minute, when it gave up
        on it (seen with adb 36); asked, it says so at once. So it is asked about such a phone now and then.
        """
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_ADB_RETRY_SECONDS):
                    await self._is_missing.wait()
            # `_follow` reports what is wrong with the server.
            with suppress(PhoneError):
                await self._notice_loss()
                await self._connect()
            if self._is_missing.is_set():
                await asyncio.sleep(_ADB_RETRY_SECONDS)

    async def _notice_loss(self) -> None:
        if self.looking or not self._needed_on_network:
            return
        devices = await self._adb.devices()
        states = [{(each.serial, each.state) for each in listing} for listing in (devices, self._listed)]
        if states[0] != states[1]:
            await self._look_at(devices)

    @property
    def _needed_on_network(self) -> list[str]:
        """The phones at addresses that must be there: the one required or in use, and those of turns."""
        serials = {self._required_serial or (self.phone.serial if self.phone is not None else "")}
        serials |= {serial for serial, phone in self._phones.items() if phone.link.identities is not None}
        return sorted(serial for serial in serials if ADDRESS.fullmatch(serial))

    async def _connect(self) -> None:
        """Connect to the phones that are needed.

        Raises:
            PhoneError: there is no adb server.
        """
        for serial in self._needed_on_network:
            await self._connect_to(serial, self._adb.link(serial))

    async def _connect_to(self, serial: str, link: PhoneLink) -> None:
        """Connect to a phone at its address, or where it announces itself now; remember its name."""
        host = link.address.rpartition(":")[0]
        name = link.service = link.service or _service_names(self._choice.load()).get(serial, "")
        is_listed = any(
            device.serial == serial and device.state == "device" for device in await self._adb.devices()
        )
        announced = [
            service
            for service in await self._adb.mdns_services()
            if service.kind == CONNECT_SERVICE
            and (service.name == name if name else service.address.rpartition(":")[0] == host)
        ]
        address = announced[0].address if len(announced) == 1 else ""
        has_moved = address not in ("", link.address) and not (is_listed and not link.is_broken)
        # By its name first: an address where nobody is any more may be tried for many seconds.
        if has_moved and name and await self._move(link, address):
            return
        is_listed = is_listed or "connected to" in await self._adb.connect(link.address)
        # By the host alone a phone is only found where it can show then that it is the one of the turn.
        if has_moved and not is_listed and not name and link.identities != frozenset():
            await self._move(link, address)
        elif not is_listed and not announced and link.address != serial:
            await self._move(link, serial)
        elif is_listed and not link.is_broken and address and not name:
            # Without the note, another phone that gets this host's address would be taken for this one.
            name = link.service = announced[0].name
            with suppress(OSError):
                self._choice.change(
                    lambda choice: choice | {"services": _service_names(choice) | {serial: name}}
                )

    async def _move(self, link: PhoneLink, address: str) -> bool:
        """Reach a phone at another address, if somebody answers there; a turn asks first who that is."""
        if "connected to" not in await self._adb.connect(address):
            return False
        link.note_break()
        link.address = address
        await self._look_at(await self._adb.devices())
        return True

    async def _switch(self) -> None:
        try:
            await self._look_at(self._listed)
        except PhoneError as error:
            self._tell_problem(error)

    async def _look_at(self, devices: Sequence[AdbDevice]) -> None:
        self._listed = devices
        for serial, phone in self._phones.items():
            if all((device.serial, device.state) != (serial, "device") for device in devices):
                phone.link.note_break()
        for phone in self.others("all"):
            reading = self._identifying.get(phone.serial)
            if not phone.identity and (reading is None or reading.done()):
                self._identifying[phone.serial] = asyncio.create_task(phone.read_identity())
        async with self._looks:
            await self._turn_to(self._choose(devices))

    async def _turn_to(self, serial: str) -> None:
        if any(device.serial == serial and device.state == "device" for device in self._listed):
            self._is_missing.clear()
        else:
            self._is_missing.set()
        if not serial:
            missing = absent_error(self._required_serial)
            several = len(self._listed) > 1 and not self._required_serial
            self._tell_problem(PhoneError(missing.state, _(_SEVERAL) if several else missing.sentence))
            return
        if self.phone is None or self.phone.serial != serial:
            self.phone = self._phone_of(serial)
        phone = self.phone
        await phone.restore_after_crash()
        await self._end_left_displays(serial)
        # The first command may name apps: whether it is over several is told by their labels.
        status, *_read = await asyncio.gather(phone.status(), phone.read_identity(), phone.learn_apps())
        if phone is not self.phone:
            return
        self.problem = "" if status.state in _USABLE else status.sentence
        self._emit(phone_event(status, self._now()))
        self._looked_once.set()

    async def _end_left_displays(self, serial: str) -> None:
        """End what a killed program left on a phone, once: later they may be those of a turn that runs."""
        if serial not in self._cleared:
            # A note that cannot be changed is read again at the next start.
            with suppress(OSError):
                shell = Shell(self._adb, serial, self._settings.command_deadline)
                await end_left_displays(shell, self._notes)
            self._cleared.add(serial)

    @property
    def _required_serial(self) -> str:
        """The phone that must be used: the one chosen by hand, else the configured one."""
        return self._chosen or self._settings.serial

    def _choose(self, devices: Sequence[AdbDevice]) -> str:
        """The required phone, else the only one that is ready, else the only one, else the remembered one."""
        listed = [device.serial for device in devices]
        if self._required_serial:
            return self._required_serial if self._required_serial in listed else ""
        ready = [device.serial for device in devices if device.state == "device"]
        remembered = self._choice.load().get("serial", "")
        choices = (ready, listed, [serial for serial in listed if serial == remembered])
        return next((serials[0] for serials in choices if len(serials) == 1), "")

    def _tell_problem(self, error: PhoneError) -> None:
        self.problem = error.sentence
        self._emit(PhoneStateChanged(time=self._now(), state=error.state, sentence=error.sentence))
        self._looked_once.set()


def _service_names(choice: Mapping[str, Any]) -> dict[str, str]:
    """The names by which phones announce themselves, by their addresses."""
    names = choice.get("services")
    return names if isinstance(names, dict) else {}


def phones_named(line: str, names: Sequence[tuple[str, str]]) -> tuple[list[str], str]:
    """The serials of the phones that a line such as `@Pixel 8 order lunch` begins with, and what follows.

    A phone goes by its serial, by its model, or by a word of its model; the longest name counts. There are
    several serials where several phones go by it, and none where the line names no such phone.

    Args:
        line: begins with @.
        names: serial and model of each connected phone.
    """
    named: dict[int, set[str]] = {}
    for serial, model in names:
        for name in {serial, model, *model.split()} - {""}:
            match = re.match(rf"@{re.escape(name)}(?:[\s,:，：]+|$)", line, re.IGNORECASE)
            if match is not None:
                named.setdefault(match.end(), set()).add(serial)
    end = max(named, default=0)
    return sorted(named.get(end, ())), line[end:].strip()


def _model(device: AdbDevice) -> str:
    """The model of a phone in words; adb puts an underscore for a space."""
    return device.model.replace("_", " ").strip()


def phone_event(status: PhoneStatus, now: datetime) -> PhoneStateChanged:
    """The event that reports a phone's status."""
    return PhoneStateChanged(
        time=now,
        state=status.state,
        sentence=status.sentence,
        serial=status.serial,
        model=status.model,
        battery=status.battery,
    )


_SENSORS_COMMAND = "; ".join(
    (
        # A dump of the Wi-Fi service is long: only phones without the short command are asked for it.
        "(cmd wifi status 2>/dev/null | grep -m1 BSSID || dumpsys wifi | grep -m1 mWifiInfo)",
        "dumpsys audio | grep -m1 mBluetoothName",
        "dumpsys location | grep -m4 'Location\\['",
        "dumpsys battery | grep level",
        "echo uptime $(cat /proc/uptime)",
    )
)
_ACCESS_POINT = re.compile(r'SSID: "?(?P<ssid>.*?)"?, BSSID: (?P<bssid>(?:[0-9a-f]{2}:){5}[0-9a-f]{2})', re.I)
_NOWHERE = frozenset({"02:00:00:00:00:00", "00:00:00:00:00:00"})
_DEVICE = re.compile(r"mBluetoothName=(?P<name>.+)")
_NUMBER = r"-?\d{1,3}[.,]\d+"
_FIX = re.compile(
    rf"Location\[\S+ (?P<latitude>{_NUMBER}),(?P<longitude>{_NUMBER}) hAcc=(?P<accuracy>\d+(?:[.,]\d+)?) "
    r"et=(?P<since>\S+)"
)
_ELAPSED = re.compile(r"\+?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?")
_UPTIME = re.compile(r"^uptime (\d+(?:\.\d+)?)", re.M)
_LEVEL = re.compile(r"^\s*level: (\d{1,3})", re.M)
_OLDEST = 900.0
_COARSEST = 200.0


@dataclass(frozen=True, slots=True)
class Position:
    """Latitude and longitude in degrees, accuracy in metres."""

    latitude: float
    longitude: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class SensorReadings:
    """The phone's surroundings; empty or None if unknown.

    `bssid` is the access point in use, `device` the Bluetooth audio device, `battery` a percentage.
    `position` is at most 15 minutes old and accurate to 200 metres.
    """

    ssid: str = ""
    bssid: str = ""
    device: str = ""
    position: Position | None = None
    battery: int | None = None


async def read_sensors(shell: Shell) -> SensorReadings:
    """Read a phone's surroundings.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    return parse_sensors((await shell.run(_SENSORS_COMMAND)).text)


def parse_sensors(text: str) -> SensorReadings:
    """Parse the output of `_SENSORS_COMMAND`; unknown lines are skipped."""
    point = _ACCESS_POINT.search(text)
    bssid = point["bssid"].lower() if point else ""
    connected = point is not None and bssid not in _NOWHERE
    device = _DEVICE.search(text)
    name = device["name"].strip() if device else ""
    level = _LEVEL.search(text)
    return SensorReadings(
        ssid=point["ssid"] if point and connected else "",
        bssid=bssid if connected else "",
        device="" if name == "null" else name,
        position=_position(text),
        battery=int(level[1]) if level else None,
    )


def _position(text: str) -> Position | None:
    """The newest fix that is recent and accurate enough; fix times count from the phone's start."""
    uptime = _UPTIME.search(text)
    if uptime is None:
        return None
    best: tuple[float, Position] | None = None
    for fix in _FIX.finditer(text):
        age = float(uptime[1]) - _seconds(fix["since"])
        position = Position(_number(fix["latitude"]), _number(fix["longitude"]), _number(fix["accuracy"]))
        possible = abs(position.latitude) <= 90 and abs(position.longitude) <= 180
        if possible and age <= _OLDEST and position.accuracy <= _COARSEST and (best is None or age < best[0]):
            best = age, position
    return best[1] if best else None


def _seconds(elapsed: str) -> float:
    """A duration such as `+2d11h54m48s258ms`."""
    match = _ELAPSED.match(elapsed)
    parts = [int(part or 0) for part in match.groups()] if match else [0] * 5
    days, hours, minutes, seconds, milliseconds = parts
    return days * 86_400 + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000


def _number(text: str) -> float:
    """A number with a decimal point or, in some languages of the phone, a comma."""
    return float(text.replace(",", "."))


_WANTED = "grep -E 'type=(ACTIVITY_RESUMED|MOVE_TO_FOREGROUND)'"
_USAGE_COMMAND = (
    "echo zone $(getprop persist.sys.timezone); "
    f"dumpsys usagestats | {_WANTED}; dumpsys usagestats --checkin | {_WANTED}"
)
_LAUNCHABLE = (
    "cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
)
_DEADLINE = 60.0
"""Seconds; a phone with months of statistics takes a while."""
_LINE = re.compile(
    r'\btime="?(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\d{10,14})"?\s+'
    r"type=(?:ACTIVITY_RESUMED|MOVE_TO_FOREGROUND)\s+package=(?P<package>[A-Za-z][\w.]*)"
)
_ZONE = re.compile(r"^zone (\S+)", re.M)
_PACKAGE = re.compile(r"^\s*([A-Za-z][\w.]*)/", re.M)
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class AppOpened:
    """An app came to the front. The time is the phone's local one, with its zone."""

    time: datetime
    package: str


class UsageUnknown(Exception):
    """The phone's usage statistics cannot be read; the message says why and what can be done."""


async def read_usage(shell: Shell, local: tzinfo) -> list[AppOpened]:
    """When apps with an icon came to the front, oldest first.

    Args:
        shell: a shell on the phone.
        local: the time zone if the phone does not tell its own.

    Raises:
        UsageUnknown: the phone has no statistics, or prints them in an unknown form.
        PhoneError: the phone cannot be reached.
    """
    printed = (await shell.run(_USAGE_COMMAND, _DEADLINE)).text
    opened_apps = parse_usage(printed, zone_of(printed, local))
    if not opened_apps:
        raise UsageUnknown(_why((await shell.run("dumpsys usagestats | head -n 40")).everything))
    launchable = set(_PACKAGE.findall((await shell.run(_LAUNCHABLE)).text))
    return [opened for opened in opened_apps if not launchable or opened.package in launchable]


def parse_usage(printed: str, zone: tzinfo) -> list[AppOpened]:
    """Parse usage statistics, oldest first, without repeats; unknown lines are skipped."""
    opened_apps = set()
    for line in _LINE.finditer(printed):
        try:
            opened_apps.add(AppOpened(_time(line["time"], zone), line["package"]))
        except (ValueError, OverflowError, OSError):
            continue
    return sorted(opened_apps, key=lambda opened: (opened.time, opened.package))


def zone_of(printed: str, local: tzinfo) -> tzinfo:
    """The time zone that the phone printed, else `local`."""
    match = _ZONE.search(printed)
    try:
        return ZoneInfo(match[1]) if match else local
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return local


def _time(printed_time: str, zone: tzinfo) -> datetime:
    """Parse a printed local time, or milliseconds since 1970."""
    if "-" in printed_time:
        return datetime.fromisoformat(printed_time).replace(tzinfo=zone)
    return datetime.fromtimestamp(int(printed_time) / 1000, UTC).astimezone(zone).replace(microsecond=0)


def _why(printed: str) -> str:
    lines: Sequence[str] = [line.strip() for line in printed.splitlines() if line.strip()]
    if not lines or "Can't find service" in lines[0]:
        return _("The phone keeps no usage statistics. Habits are learnt from what you do from now on.")
    if "Permission Denial" in printed or "not allowed" in printed:
        return _("The phone does not let adb read its usage statistics. Habits are learnt from now on.")
    if any("Last 24 hour events" in line for line in lines):
        return _("The phone's usage statistics show no app in the last day. Try again tomorrow.")
    return _("The phone tells its usage in a form that is not known, such as “{line}”.").format(
        line=lines[0][:_SHOWN]
    )


_POSTED = (
    "dumpsys notification --noredact"
    " | grep -E 'NotificationRecord\\(|android.(title|template)=|mUpdateTimeMs=|denied|Denial|find service'; "
    "echo sms $(settings get secure sms_default_application)"
)
_POSTED_LINE = re.compile(
    r"NotificationRecord\(.*?pkg=(?P<package>[A-Za-z][\w.]*) .*?key=(?P<key>\S+?): Notification\((?P<rest>.*)"
)
_TITLE = re.compile(r"android\.title=(?:(?:\w+ \((?P<typed>.*)\))|(?P<cut>\w+ \[length=\d+\])|(?P<bare>.*))$")
_UPDATED = re.compile(r"mUpdateTimeMs=(\d+)")
_SMS = re.compile(r"^sms ([A-Za-z][\w.]*)", re.M)
_FLAGS = re.compile(r"flags=(0x[0-9a-f]+|[A-Z_|]+)", re.I)
_NO_NEWS = 0x202
"""FLAG_ONGOING_EVENT and FLAG_GROUP_SUMMARY: notifications of something running, and summaries of others."""
_NO_NEWS_NAMES = frozenset({"ONGOING_EVENT", "GROUP_SUMMARY"})
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class PostedNotification:
    """A notification that the phone shows. The `title` of a message is its sender.

    `key` identifies it and its last change. `is_message`: the app says so, or is the app for text messages.
    """

    key: str
    package: str
    title: str
    is_message: bool


class NotificationsUnreadable(Exception):
    """The phone does not tell the senders of its notifications; the message says why."""


async def read_notifications(shell: Shell) -> list[PostedNotification]:
    """The notifications that the phone shows, without their texts.

    Raises:
        NotificationsUnreadable: the phone hides the senders from adb.
        PhoneError: the phone cannot be reached.
    """
    return parse_notifications((await shell.run(_POSTED)).everything)


def parse_notifications(printed: str) -> list[PostedNotification]:
    """Parse notifications, without repeats, those without a title, ongoing ones and group summaries.

    Raises:
        NotificationsUnreadable: the phone does not let adb read them, or prints lengths instead of names.
    """
    if (
        "Permission Denial" in printed
        or "Can't find service" in printed
        or "denied" in printed.split("\n")[0]
    ):
        raise NotificationsUnreadable(_("The phone does not let adb read its notifications."))
    sms = _SMS.search(printed)
    posted: dict[str, PostedNotification] = {}
    is_cut = False
    for part in re.split(r"(?=NotificationRecord\()", printed)[1:]:
        head = _POSTED_LINE.match(part)
        title = next(filter(None, map(_TITLE.search, map(str.strip, part.splitlines()))), None)
        if head is None or title is None or _is_no_news(head["rest"]):
            continue
        is_cut = is_cut or title["cut"] is not None
        name = " ".join((title["typed"] or title["bare"] or "").split())[:_LONGEST_NAME]
        if title["cut"] or name in ("", "null"):
            continue
        updated = _UPDATED.search(part)
        key = f"{head['key']} {updated[1] if updated else ''}"
        is_message = (
            "category=msg" in head["rest"]
            or "$MessagingStyle" in part
            or (sms is not None and head["package"] == sms[1])
        )
        posted[key] = PostedNotification(key, head["package"], name, is_message)
    if is_cut and not posted:
        raise NotificationsUnreadable(_("The phone does not tell adb who its notifications are from."))
    return list(posted.values())


def _is_no_news(record: str) -> bool:
    flags = _FLAGS.search(record)
    if flags is None:
        return False
    if flags[1].startswith("0x"):
        return bool(int(flags[1], 16) & _NO_NEWS)
    return bool(_NO_NEWS_NAMES & set(flags[1].split("|")))
