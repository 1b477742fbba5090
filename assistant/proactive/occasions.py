"""When each routine is likely next: the trigger form of proactivity (PersonalAlign C.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np

from assistant.proactive.choosing import threshold
from assistant.proactive.forecast import Habits
from assistant.proactive.habits import Floats
from assistant.proactive.likelihood import USUAL, Feedback, Weighing, chances
from assistant.records import State

DAYS = 7
_DAY = 1440.0
_SLOT = 15
"""Usual times are judged to a quarter of an hour, so that many habits share a judgement."""
_TOGETHER = 60.0
_LATEST = 60
_LEAST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Expected:
    """A moment at which a routine will be worth suggesting, and its chance then, 0..1."""

    routine: str
    time: datetime
    chance: float


def expected(
    habits: Habits,
    now: datetime,
    cost_of_being_wrong: float,
    weighing: Weighing = USUAL,
    feedback: Mapping[str, Feedback] | None = None,
    days: int = DAYS,
) -> list[Expected]:
    """The next likely occasions of each routine, by time.

    The chances are those of a day on which nothing has come up yet and the scenario is not known.

    Args:
        habits: the routines.
        now: the user's local time; its zone is that of the days to come.
        cost_of_being_wrong: see `threshold`.
        weighing: what counts how much.
        feedback: what the user made of suggestions, by routine.
        days: how far to look.
    """
    least = threshold(cost_of_being_wrong)
    found = []
    slots = list(_slots(habits))
    for day in (now.date() + timedelta(days=number) for number in range(days + 1)):
        for minute in sorted({slot for slot, _ in slots}):
            moment = at_wall_clock(day, minute, now)
            if not now < moment <= now + timedelta(days=days):
                continue
            judged = chances(habits.table, State(time=moment), weighing, feedback)
            found += [
                Expected(habits.table.ids[place], moment, round(float(judged.chance[place]), 4))
                for slot, place in slots
                if slot == minute and judged.chance[place] >= least
            ]
    return found


def at_wall_clock(day: date, minute: int, like: datetime) -> datetime:
    """A time of day where the user is; one that the change of clocks leaves out moves on by an hour."""
    wall = datetime.combine(day, time(minute // 60, minute % 60), like.tzinfo)
    return wall.astimezone(UTC).astimezone(like.tzinfo)


def usual_minutes(minutes: Floats) -> list[float]:
    """The times of day that something usually happens at, in minutes since midnight, most usual first.

    Times less than an hour from the next belong together, also across midnight; single ones are not usual.
    """
    if len(minutes) < 2:
        return []
    ordered = np.sort(np.asarray(minutes, dtype=np.float64) % _DAY)
    gaps = np.append(np.diff(ordered), ordered[0] + _DAY - ordered[-1])
    start = int(np.argmax(gaps)) + 1
    turned = np.concatenate((ordered[start:], ordered[:start] + _DAY))
    groups = np.split(turned, np.flatnonzero(np.diff(turned) > _TOGETHER) + 1)
    groups = [one for one in groups if len(one) > 1 and len(one) >= _LEAST_SHARE * len(turned)]
    return [float(np.median(one)) % _DAY for one in sorted(groups, key=len, reverse=True)]


def _slots(habits: Habits) -> Iterator[tuple[int, int]]:
    """Minutes of the day at which a habit is to be judged, with the habit's place."""
    table = habits.table
    for place in range(len(table)):
        own = table.minute[table.owner == place][-_LATEST:]
        for minute in usual_minutes(own):
            yield round(minute / _SLOT) * _SLOT % int(_DAY), place
