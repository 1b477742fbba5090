"""What usage statistics have kept of the days before: the owner's errands, and apps opened by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from assistant.simulator.android.software import UsageEvent
from assistant.simulator.chance import Chance, share, whole
from assistant.simulator.lived_in import lived_in

KEPT = 10
"""Days of which Android keeps single events."""
_HABITS = (("com.example.mail", 8 * 60 + 5, range(5)), ("com.example.weather", 7 * 60 + 20, range(7)))
"""Apps that are opened by hand at a time of day, in minutes, on some weekdays."""
_OFTEN = "com.example.chat"
_LATE, _AWAY = 12, 9.0


def lived_usage(now: datetime) -> list[UsageEvent]:
    """Which apps came to the front on the days before `now` and left it again, oldest first."""
    events = [
        UsageEvent(moment + timedelta(seconds=apart), package, ".MainActivity", kind)
        for moment, package in sorted(_openings(now))
        for apart, kind in ((0, "ACTIVITY_RESUMED"), (_AWAY, "ACTIVITY_PAUSED"))
    ]
    return sorted((event for event in events if event.time < now), key=lambda event: event.time)


def _openings(now: datetime) -> Iterator[tuple[datetime, str]]:
    begin = now - timedelta(days=KEPT)
    for record in lived_in("owner", now):
        if record.time >= begin and record.package:
            yield record.time.replace(microsecond=0), record.package
    for ago in range(KEPT + 1):
        day = (now - timedelta(days=ago)).replace(hour=0, minute=0, second=0, microsecond=0)
        for package, minute, weekdays in _HABITS:
            if day.weekday() in weekdays and share(day.date(), package) > 0.1:
                yield day + timedelta(minutes=minute + whole(-_LATE, _LATE, day.date(), package)), package
        chance = Chance(day.toordinal())
        for _ in range(chance.randint(4, 9)):
            yield day + timedelta(minutes=chance.randint(7 * 60, 23 * 60)), _OFTEN
