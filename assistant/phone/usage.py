"""When which app came to the front, from the phone's own usage statistics. They are read, nothing is changed.

`dumpsys usagestats` tells of the last 24 hours; with `--checkin` Android prints the days before as well, as
far as it keeps them (about ten) and has not told of them in that way yet. Source of the lines: AOSP
UserUsageStatsService, `printEvent`; Android 9 and before say MOVE_TO_FOREGROUND.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.i18n import _
from assistant.phone.shell import Shell

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
class Opened:
    """An app came to the front. The time is the phone's local one, with its zone."""

    time: datetime
    package: str


class UsageUnknown(Exception):
    """The phone's usage statistics cannot be read; the message says why and what can be done."""


async def read_usage(shell: Shell, local: tzinfo) -> list[Opened]:
    """Which apps with an icon came to the front when, oldest first.

    Args:
        shell: a shell on the phone.
        local: the zone that is taken where the phone does not tell its own.

    Raises:
        UsageUnknown: the phone keeps none, or tells them in a form that is not known.
        PhoneError: the phone cannot be reached.
    """
    printed = (await shell.run(_COMMAND, _DEADLINE)).text
    found = parse_usage(printed, zone_of(printed, local))
    if not found:
        raise UsageUnknown(_why((await shell.run("dumpsys usagestats | head -n 40")).everything))
    launchable = set(_PACKAGE.findall((await shell.run(_LAUNCHABLE)).text))
    return [one for one in found if not launchable or one.package in launchable]


def parse_usage(printed: str, zone: tzinfo) -> list[Opened]:
    """What the lines tell, oldest first and each once; lines that are not understood are left out."""
    found = set()
    for line in _LINE.finditer(printed):
        try:
            found.add(Opened(_time(line["time"], zone), line["package"]))
        except (ValueError, OverflowError, OSError):
            continue
    return sorted(found, key=lambda one: (one.time, one.package))


def zone_of(printed: str, local: tzinfo) -> tzinfo:
    """The zone that the phone tells, else the local one."""
    told = _ZONE.search(printed)
    try:
        return ZoneInfo(told[1]) if told else local
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return local


def _time(told: str, zone: tzinfo) -> datetime:
    """A local time in words, or milliseconds since 1970."""
    if "-" in told:
        return datetime.fromisoformat(told).replace(tzinfo=zone)
    return datetime.fromtimestamp(int(told) / 1000, UTC).astimezone(zone).replace(microsecond=0)


def _why(printed: str) -> str:
    lines: Sequence[str] = [line.strip() for line in printed.splitlines() if line.strip()]
    if not lines or "Can't find service" in lines[0]:
        return _("The phone keeps no usage statistics. Habits are learnt from what you do from now on.")
    if "Permission Denial" in printed or "not allowed" in printed:
        return _("The phone does not let adb read its usage statistics. Habits are learnt from now on.")
    if any("Last 24 hour events" in line for line in lines):
        return _("The phone's usage statistics tell of no app in the last day. Try again tomorrow.")
    return _("The phone tells its usage in a form that is not known, such as “{line}”.").format(
        line=lines[0][:_SHOWN]
    )
