"""What is known of when the user did things: the occasions of each prototype as flat arrays.

The arrays are made when the memory has changed; judging a state then takes a few passes over them.

Whether a habit belongs to a time of day, and since when: it may have moved.

On which kinds of day a habit comes up, told from few weeks: a Bayesian mixture over sets of days.

A habit belongs to every day, to working days, to free ones, or to some weekdays of its own. On its days it
comes up with one rate, on the others next to never. Eight kinds of day are told apart: the seven weekdays,
and holidays on days that would be worked on.

Which days are free: weekends, and the holidays of a country where one is set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

import holidays
import numpy as np
from numpy.typing import NDArray

from assistant.i18n import _
from assistant.memory.prototypes.model import Prototype

_SATURDAY = 5


class UnknownCountry(Exception):
    """No holidays are known for a country; the message says what to do."""


class Calendar:
    """Tells working days from free ones.

    Args:
        country: ISO 3166 code such as `CN`; empty counts weekends only.

    Raises:
        UnknownCountry: there is no such country in the list of holidays.
    """

    def __init__(self, country: str = "") -> None:
        self._country = country.strip().upper()
        if self._country and self._country not in holidays.list_supported_countries():
            raise UnknownCountry(
                _("No holidays are known for “{country}”. Use a code such as DE, US or CN.").format(
                    country=country
                )
            )

    def is_free(self, day: date) -> bool:
        """Whether people do not work that day. Some countries work on single Saturdays and Sundays."""
        if not self._country:
            return day.weekday() >= _SATURDAY
        return not self._holidays.is_working_day(day)

    @cached_property
    def _holidays(self) -> holidays.HolidayBase:
        return holidays.country_holidays(self._country)


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
class HabitOccasions:
    """Everything one prototype was done for, by its id."""

    id: str
    occasions: tuple[Occasion, ...]


def habit_of(prototype: Prototype) -> HabitOccasions:
    """The occasions of a prototype's records."""
    return HabitOccasions(prototype.id, tuple(Occasion(one.time, one.scenario) for one in prototype.members))


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

    def __init__(
        self, habits: Sequence[HabitOccasions], calendar: Calendar, until: date | None = None
    ) -> None:
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


_SHARES = np.linspace(0.04, 0.96, 16)
_TIMED_PRIOR = 0.75
"""How likely a prototype of several days has a time of day, before its times are looked at."""
_TIMED_SHAPE = (6.0, 1.0)
_BROAD_SHARE = 0.3
"""What of the occasions of a habit without a time of day lies about now: three hours of ten."""
_BROAD_WEIGHT = 10.0
_LAST = (5, 7, 10, 14)
"""So many of the newest days with the habit are looked at for a change."""
_CHANGED_PRIOR = 0.02


@dataclass(frozen=True, slots=True)
class HabitOnset:
    """From which day on a habit is as it is now: possible days with their chances.

    `first` holds ordinals, habits by possibilities; `chance` is of the same shape, its rows sum to one. The
    first possibility is the habit's first day.
    """

    first: Ints
    chance: Floats


def since(table: HabitTable, came: Floats, chosen: Ints, today: int) -> HabitOnset:
    """Whether and when a habit came to this time of day, or left it.

    The days on which it came up, whenever in the day, are parted in an older and a newer stretch; parts that
    differ in how often they lie about now speak for a change, by as much as they are likelier apart.

    Args:
        table: the habits.
        came: how near the occasions of each run of one habit on one day lie to now, 0..1.
        chosen: the habits asked about.
        today: only days before it are looked at.
    """
    begin = np.searchsorted(table.group_owner, chosen)
    lived = np.bincount(table.group_owner[table.group_day < today], minlength=len(table))[chosen]
    end = begin + lived
    total = np.concatenate(([0.0], np.cumsum(came)))
    near = total[end] - total[begin]
    flat = np.full(len(_SHARES), 1 / len(_SHARES))
    whole = _marginal(flat, near, lived)
    firsts, likely = [table.first_day[chosen]], [np.full(len(chosen), np.log1p(-len(_LAST) * _CHANGED_PRIOR))]
    for last in _LAST:
        place = np.maximum(begin, end - last)
        newer = total[end] - total[place]
        apart = _marginal(flat, newer, end - place) + _marginal(flat, near - newer, place - begin)
        enough = lived >= last + 2
        firsts.append(np.where(enough, table.group_day[place], firsts[0]))
        likely.append(np.where(enough, np.log(_CHANGED_PRIOR) + apart - whole, -np.inf))
    weights = np.exp(np.stack(likely, axis=1) - np.max(likely, axis=0)[:, None])
    return HabitOnset(np.stack(firsts, axis=1), weights / weights.sum(axis=1, keepdims=True))


def timed(near: Floats, lived: Floats, often: Floats) -> Floats:
    """The chance that a habit belongs to this time of day, rather than being done at any.

    Args:
        near: the weight of its days on which it came up about now.
        lived: the weight of its days on which it came up at all.
        often: how often it came up on such a day, on average: done often, it is near now by accident too.
    """
    broad = (1 - (1 - _BROAD_SHARE) ** np.maximum(1.0, often))[:, None]
    beside = _marginal(_beta(broad * _BROAD_WEIGHT, (1 - broad) * _BROAD_WEIGHT), near, lived)
    first, second = (np.array([one]) for one in _TIMED_SHAPE)
    odds = np.log(_TIMED_PRIOR / (1 - _TIMED_PRIOR)) + _marginal(_beta(first, second), near, lived) - beside
    found: Floats = 1 / (1 + np.exp(-np.clip(odds, -60, 60)))
    return found


def _marginal(prior: Floats, came: Floats, lived: Floats | Ints) -> Floats:
    """The logarithm of how likely so many of so many are, over all shares."""
    came = np.minimum(came, lived)
    log = came[:, None] * np.log(_SHARES) + (lived - came)[:, None] * np.log1p(-_SHARES)
    top = log.max(axis=1, keepdims=True)
    found: Floats = top[:, 0] + np.log((np.exp(log - top) * prior).sum(axis=1))
    return found


def _beta(first: Floats, second: Floats) -> Floats:
    """A Beta distribution over the shares."""
    weight = _SHARES ** (first - 1) * (1 - _SHARES) ** (second - 1)
    found: Floats = weight / weight.sum(axis=-1, keepdims=True)
    return found


KINDS = 8
_HOLIDAY = 7
_RATES = np.array([0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.97])
_SELDOM = np.array([0.005, 0.04])
_RATE_PRIOR = _RATES**1.5 / (_RATES**1.5).sum()
_WORKED = np.array([True] * 5 + [False] * 3)
_EVERY_DAY, _WORKING_DAYS, _FREE_DAYS, _OWN_DAYS = 0.2, 0.15, 0.05, 0.6
_OWN = 0.4
"""How likely each kind of day is one of a habit's own, before anything is known."""


def kinds_of(table: HabitTable) -> Ints:
    """The kind of each day of a table, 0..7."""
    holiday = table.days.free & (table.days.weekday < _HOLIDAY - 2)
    return np.where(holiday, _HOLIDAY, table.days.weekday)


def kind_of(weekday: int, *, free: bool) -> int:
    """The kind of one day."""
    return _HOLIDAY if free and weekday < _HOLIDAY - 2 else weekday


def rate_on(kind: int, came: Floats, lived: Floats) -> Floats:
    """The chance that each habit comes up on a day of a kind.

    Args:
        kind: which.
        came: habits by kinds; the weight of the days on which it came up.
        lived: of the same shape; the weight of the days on which it could have. Weights fade, so they stay
            far below what would make a likelihood too small to be told from nothing.
    """
    came = np.minimum(came, lived)
    missed = lived - came
    on = np.exp(came[:, None, :] * np.log(_RATES)[:, None] + missed[:, None, :] * np.log1p(-_RATES)[:, None])
    off = np.exp(
        came[:, None, :] * np.log(_SELDOM)[:, None] + missed[:, None, :] * np.log1p(-_SELDOM)[:, None]
    )
    likely, rates = [], []
    for share, days in ((_EVERY_DAY, _WORKED | True), (_WORKING_DAYS, _WORKED), (_FREE_DAYS, ~_WORKED)):
        seldom = off[..., ~days].prod(axis=2)[:, None, :]
        likely.append(share * on[..., days].prod(axis=2)[:, :, None] * seldom)
        rates.append(np.broadcast_to(_RATES[:, None] if days[kind] else _SELDOM, likely[-1].shape))
    on, off = _OWN * on, (1 - _OWN) * off
    either = [on[:, :, None, one] + off[:, None, :, one] for one in range(KINDS)]
    likely.append(_OWN_DAYS * np.multiply.reduce(either))
    today = on[:, :, None, kind] / either[kind]
    rates.append(today * _RATES[:, None] + (1 - today) * _SELDOM)
    weights = np.stack(likely) * _RATE_PRIOR[:, None]
    found: Floats = (weights * np.stack(rates)).sum(axis=(0, 2, 3)) / weights.sum(axis=(0, 2, 3))
    return found
