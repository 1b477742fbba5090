"""What is known of when the user did things: the occasions of each prototype as flat arrays.

The arrays are made when the memory has changed; judging a state then takes a few passes over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from assistant.memory.prototypes.model import Prototype
from assistant.proactive.days import Calendar

UNKNOWN = "unknown"
_MINUTES = 1440
_NARROWEST = 15.0
_WIDEST = 60.0
_SPREADS = 1.8
_USUAL_SPREAD = 20.0
_TRUSTED_WITH = 4.0
_LATEST = 60
"""So many of the newest occasions tell the spread: it costs their square."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Occasion:
    """One time the user did something. `time` is local, with its zone."""

    time: datetime
    scenario: str = UNKNOWN


@dataclass(frozen=True, slots=True)
class Habit:
    """Everything one prototype was done for, by its id."""

    id: str
    occasions: tuple[Occasion, ...]


def habit_of(prototype: Prototype) -> Habit:
    """The occasions of a prototype's records."""
    return Habit(prototype.id, tuple(Occasion(one.time, one.scenario) for one in prototype.members))


@dataclass(frozen=True, slots=True)
class DayTable:
    """The days from the first occasion to the last: how sure the user was there, which are free, weekdays.

    `presence` is 0..1: a day without a single record of somebody who has many every day was spent away.
    """

    first: int
    presence: Floats
    free: NDArray[np.bool_]
    weekday: Ints


class HabitTable:
    """The occasions of all habits, sorted by habit and day.

    `owner` is the habit's place, `day` the proleptic ordinal, `minute` of the local day, `place` an index
    into `scenarios` or -1 when unknown. `group_start` begins each run of one habit on one day. `instant` has
    all occasions in the order in which they came, in minutes, with `instant_owner` beside.

    Args:
        habits: the habits.
        calendar: tells free days from others.
        until: the last day that is known of, when that is later than the last occasion: what did not come up
            since counts too.
    """

    def __init__(self, habits: Sequence[Habit], calendar: Calendar, until: date | None = None) -> None:
        self.ids = tuple(habit.id for habit in habits)
        self.calendar = calendar
        rows = sorted(
            (owner, one.time.toordinal(), minute_of(one.time), one.scenario)
            for owner, habit in enumerate(habits)
            for one in habit.occasions
        )
        self.scenarios = tuple(sorted({row[3] for row in rows} - {UNKNOWN}))
        places = {name: number for number, name in enumerate(self.scenarios)}
        self.owner: Ints = np.array([row[0] for row in rows], dtype=np.int64)
        self.day: Ints = np.array([row[1] for row in rows], dtype=np.int64)
        self.minute: Floats = np.array([row[2] for row in rows], dtype=np.float64)
        self.place: Ints = np.array([places.get(row[3], -1) for row in rows], dtype=np.int64)
        changes = (np.diff(self.owner) != 0) | (np.diff(self.day) != 0)
        self.group_start: Ints = np.flatnonzero(np.concatenate(([True], changes))) if rows else self.owner
        self.group_owner: Ints = self.owner[self.group_start]
        self.group_day: Ints = self.day[self.group_start]
        self.days = _days(self.day, calendar, until)
        order = np.argsort(self.day * float(_MINUTES) + self.minute, kind="stable")
        self.instant: Floats = (self.day * float(_MINUTES) + self.minute)[order]
        self.instant_owner: Ints = self.owner[order]
        self.spread = self._spread()
        self.first_day = self._extreme(np.minimum, np.iinfo(np.int64).max)
        self.last_day = self._extreme(np.maximum, 0)

    def __len__(self) -> int:
        return len(self.ids)

    def place_of(self, scenario: str) -> int:
        """The index of a scenario, -1 for unknown and -2 for one in which nothing was ever done."""
        if scenario == UNKNOWN:
            return -1
        return self.scenarios.index(scenario) if scenario in self.scenarios else -2

    def per_habit(self, values: Floats) -> Floats:
        """Sums of values given for each run of one habit on one day, by habit."""
        return np.bincount(self.group_owner, weights=values, minlength=len(self)).astype(np.float64)

    def _spread(self) -> Floats:
        """How far each habit's occasions lie from one another by time of day, in minutes.

        Each occasion looks at the nearer half of those on other days, so that a habit of two times a day is
        narrow. Few occasions are trusted little.
        """
        found = np.full(len(self), _USUAL_SPREAD)
        for place in range(len(self)):
            mine = self.owner == place
            minutes, days = self.minute[mine][-_LATEST:], self.day[mine][-_LATEST:]
            if len(minutes) < 2:
                continue
            apart = circular(minutes[:, None] - minutes[None, :])
            apart[days[:, None] == days[None, :]] = _MINUTES
            near = np.sort(apart, axis=1)[:, : max(1, len(minutes) // 2)]
            trust = len(minutes) / (len(minutes) + _TRUSTED_WITH)
            found[place] = trust * float(np.median(near.mean(axis=1))) + (1 - trust) * _USUAL_SPREAD
        return np.clip(found * _SPREADS, _NARROWEST, _WIDEST)

    def _extreme(self, reduce: np.ufunc, start: int) -> Ints:
        found = np.full(len(self), start, dtype=np.int64)
        reduce.at(found, self.owner, self.day)
        return found


def minute_of(time: datetime) -> float:
    """Minutes since local midnight."""
    return time.hour * 60 + time.minute + time.second / 60


def circular_minutes(one: float, other: float) -> float:
    """How far apart two times of day are, in minutes, across midnight if nearer."""
    apart = abs(one - other) % _MINUTES
    return min(apart, _MINUTES - apart)


def circular(minutes: Floats) -> Floats:
    """How far apart two times of day are, given their difference in minutes, across midnight if nearer."""
    apart: Floats = np.abs(minutes) % _MINUTES
    return np.minimum(apart, _MINUTES - apart)


def _days(days: Ints, calendar: Calendar, until: date | None) -> DayTable:
    if not len(days):
        empty = np.zeros(0)
        return DayTable(0, empty, empty.astype(bool), empty.astype(np.int64))
    first, last = int(days.min()), int(days.max())
    lived = last - first + 1
    last = max(last, until.toordinal()) if until else last
    count = np.bincount(days - first, minlength=last - first + 1)
    rate = float(count[:lived].mean())
    away_before, silence = 0.05, float(np.exp(-rate))
    there = 1.0 - away_before / (away_before + (1 - away_before) * silence)
    presence = np.where(count > 0, 1.0, there)
    dates = [datetime.fromordinal(first + number).date() for number in range(len(count))]
    free = np.array([calendar.is_free(day) for day in dates])
    weekday = np.array([day.weekday() for day in dates], dtype=np.int64)
    return DayTable(first, presence, free, weekday)
