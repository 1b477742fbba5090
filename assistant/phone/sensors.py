"""Reads the phone's surroundings and the history of its apps, without changing anything.

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

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.i18n import _
from assistant.phone.adb import Shell

COMMAND = "; ".join(
    (
        # A dump of the Wi-Fi service is long: only phones without the short command are asked for it.
        "(cmd wifi status 2>/dev/null | grep -m1 BSSID || dumpsys wifi | grep -m1 mWifiInfo)",
        "dumpsys audio | grep -m1 mBluetoothName",
        "dumpsys location | grep -m4 'Location\\['",
        "dumpsys battery | grep -E 'powered|level'",
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
_POWERED = re.compile(r"(?:AC|Wireless|Dock) powered: true")
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
    `position` is at most 15 minutes old and accurate to 200 metres. `charging` ignores USB, which may be
    adb's own cable.
    """

    ssid: str = ""
    bssid: str = ""
    device: str = ""
    position: Position | None = None
    charging: bool = False
    battery: int | None = None


async def read_sensors(shell: Shell) -> SensorReadings:
    """Read a phone's surroundings.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    return parse_sensors((await shell.run(COMMAND)).text)


def parse_sensors(text: str) -> SensorReadings:
    """Parse the output of `COMMAND`; unknown lines are skipped."""
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
        charging=bool(_POWERED.search(text)),
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
_COMMAND = (
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
    printed = (await shell.run(_COMMAND, _DEADLINE)).text
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
