"""When each routine is likely next: the trigger form of proactivity (PersonalAlign C.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np

from assistant.proactive.choosing import threshold
from assistant.proactive.forecast import Habits
from assistant.proactive.habit_table import Floats, HabitTable, circular
from assistant.proactive.likelihood import USUAL, Feedback, Weighing, chances
from assistant.records import State

DAYS = 7
Prompted = Mapping[int, float]
"""The minute of the day at which an accepted suggestion was made, by the day's ordinal."""
_NOT_PROMPTED: Prompted = {}
_DAY = 1440.0
_SLOT = 15
"""Usual times are judged to a quarter of an hour, so that many habits share a judgement."""
_TOGETHER = 60.0
_LATEST, _FRESH, _ENOUGH = 10, 5, 3
_LEAST_SHARE = 0.2
_LEAST_LEAD, _MOST_LEAD = 10.0, 20.0


@dataclass(frozen=True, slots=True)
class Expected:
    """When a routine will probably be wanted, its chance then, 0..1, and from when on it may be offered."""

    routine: str
    time: datetime
    chance: float
    opens: datetime


def expected(
    habits: Habits,
    now: datetime,
    cost_of_being_wrong: float,
    weighing: Weighing = USUAL,
    feedback: Mapping[str, Feedback] | None = None,
    days: int = DAYS,
    prompted: Mapping[str, Prompted] | None = None,
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
        prompted: see `usual_times`, by routine.
    """
    least = threshold(cost_of_being_wrong)
    found = []
    prompted = prompted or {}
    for day in (now.date() + timedelta(days=number) for number in range(days + 1)):
        slots = list(_slots(habits, day, prompted))
        for slot in sorted({slot for slot, _, _ in slots}):
            judged = chances(habits.table, State(time=at_wall_clock(day, slot, now)), weighing, feedback)
            for _, minute, place in (one for one in slots if one[0] == slot):
                moment = at_wall_clock(day, minute, now)
                if now < moment <= now + timedelta(days=days) and judged.chance[place] >= least:
                    found.append(
                        Expected(
                            habits.table.ids[place],
                            moment,
                            round(float(judged.chance[place]), 4),
                            moment - lead(habits.table, place),
                        )
                    )
    found.sort(key=lambda one: one.time)
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


def usual_times(table: HabitTable, place: int, day: date, prompted: Prompted = _NOT_PROMPTED) -> list[float]:
    """The times of day at which one habit usually comes up on days such as this, see `usual_minutes`.

    Only the newest occasions tell, and a time that none of the very last ones had is usual no more: so a
    habit that moved is followed. One that came up because it was suggested counts for the time that the
    suggestion was early for: each suggestion would else pull the next one forward.

    Args:
        table: the habits.
        place: which.
        day: the day; free days and others differ.
        prompted: when suggestions of it were made that were accepted.
    """
    own = table.owner == place
    days, minutes = table.day[own], table.minute[own].copy()
    early = lead(table, place).total_seconds() / 60
    for ordinal, minute in prompted.items():
        answered = (days == ordinal) & (circular(minutes - minute) <= _TOGETHER)
        minutes[answered] = (minute + early) % _DAY
    alike = table.days.free[days - table.days.first] == table.calendar.is_free(day)
    latest = minutes[alike if alike.sum() >= _ENOUGH else np.ones_like(alike)][-_LATEST:]
    fresh = latest[-_FRESH:]
    return [one for one in usual_minutes(latest) if (circular(fresh - one) <= _TOGETHER).any()]


def lead(table: HabitTable, place: int) -> timedelta:
    """How long before its usual time a habit may be offered: the less regular it is, the earlier."""
    return timedelta(minutes=min(_MOST_LEAD, max(_LEAST_LEAD, float(table.spread[place]))))


def _slots(habits: Habits, day: date, prompted: Mapping[str, Prompted]) -> Iterator[tuple[int, int, int]]:
    """Minutes of a day at which a habit is to be judged, its usual time, and the habit's place."""
    for place, routine in enumerate(habits.table.ids):
        for minute in usual_times(habits.table, place, day, prompted.get(routine, _NOT_PROMPTED)):
            yield round(minute / _SLOT) * _SLOT % int(_DAY), int(minute), place
