"""When the user did what: the occasions of each prototype as arrays, and the statistics over them.

The arrays are made when the memory has changed; judging a state then takes a few passes over them. There are
three statistics: since when a habit has had its time of day, whether it has one at all, and on which kinds of
day it comes up. The last is a Bayesian mixture: a habit belongs to every day, to working days, to days off,
or to some weekdays. On its days it comes up with one rate, on the others hardly ever. There are eight kinds
of day: the seven weekdays, and holidays that fall on working days.
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
    """There is no calendar of holidays for a country; the message says what to do."""


class Calendar:
    """Tells working days from days off: weekends, and the holidays of a country if one is set.

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
"""The spread is computed from this many of the newest occasions: the cost grows with their square."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Occasion:
    """One time the user did something. `time` is local, with its zone."""

    time: datetime
    scenario: str = UNKNOWN


@dataclass(frozen=True, slots=True)
class HabitOccasions:
    """The occasions of one prototype, with its id."""

    id: str
    occasions: tuple[Occasion, ...]


def habit_occasions(prototype: Prototype) -> HabitOccasions:
    """The occasions of a prototype's records."""
    return HabitOccasions(
        prototype.id, tuple(Occasion(member.time, member.scenario) for member in prototype.members)
    )


@dataclass(frozen=True, slots=True)
class DayTable:
    """The days from the first occasion to the last: how sure the user was there, days off, weekdays.

    `presence` is 0..1: a user with many records a day was probably away on a day without any.
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
        until: the last day to count, if it is later than the last occasion: days on which a habit did not
            come up count too.
    """

    def __init__(
        self, habits: Sequence[HabitOccasions], calendar: Calendar, until: date | None = None
    ) -> None:
        self.ids = tuple(habit.id for habit in habits)
        self.calendar = calendar
        rows = sorted(
            (owner, occasion.time.toordinal(), minute_of(occasion.time), occasion.scenario)
            for owner, habit in enumerate(habits)
            for occasion in habit.occasions
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
        """How far apart each habit's occasions are by time of day, in minutes.

        Each occasion is compared with the nearer half of those on other days, so that a habit with two times
        a day still has a small spread. With few occasions the usual spread weighs more.
        """
        spread = np.full(len(self), _USUAL_SPREAD)
        for place in range(len(self)):
            mine = self.owner == place
            minutes, days = self.minute[mine][-_LATEST:], self.day[mine][-_LATEST:]
            if len(minutes) < 2:
                continue
            apart = circular_distance(minutes[:, None] - minutes[None, :])
            apart[days[:, None] == days[None, :]] = _MINUTES
            nearest = np.sort(apart, axis=1)[:, : max(1, len(minutes) // 2)]
            trust = len(minutes) / (len(minutes) + _TRUSTED_WITH)
            spread[place] = trust * float(np.median(nearest.mean(axis=1))) + (1 - trust) * _USUAL_SPREAD
        return np.clip(spread * _SPREADS, _NARROWEST, _WIDEST)

    def _extreme(self, reduce: np.ufunc, start: int) -> Ints:
        extreme = np.full(len(self), start, dtype=np.int64)
        reduce.at(extreme, self.owner, self.day)
        return extreme


def minute_of(time: datetime) -> float:
    """Minutes since local midnight."""
    return time.hour * 60 + time.minute + time.second / 60


def minutes_apart(first: float, second: float) -> float:
    """How far apart two times of day are, in minutes, across midnight if nearer."""
    apart = abs(first - second) % _MINUTES
    return min(apart, _MINUTES - apart)


def circular_distance(minutes: Floats) -> Floats:
    """How far apart two times of day are, given their difference in minutes, across midnight if nearer."""
    difference: Floats = np.abs(minutes) % _MINUTES
    return np.minimum(difference, _MINUTES - difference)


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
"""The prior chance that a prototype of several days has a time of day."""
_TIMED_SHAPE = (6.0, 1.0)
_BROAD_SHARE = 0.3
"""The share of occasions near now for a habit without a time of day: three hours of ten."""
_BROAD_WEIGHT = 10.0
_LAST = (5, 7, 10, 14)
"""A change is looked for this many days with the habit ago."""
_CHANGED_PRIOR = 0.02


@dataclass(frozen=True, slots=True)
class HabitOnset:
    """Since which day a habit has been as it is: possible days with their chances.

    `first` holds ordinals, habits by possibilities; `chance` is of the same shape, its rows sum to one. The
    first possibility is the habit's first day.
    """

    first: Ints
    chance: Floats


def find_onset(table: HabitTable, came: Floats, chosen: Ints, today: int) -> HabitOnset:
    """Whether and when a habit moved to this time of day, or away from it.

    The days on which it came up, at any time, are split into an older and a newer part. If the parts differ
    in how often the habit was near now, that speaks for a change, by the ratio of the two likelihoods.

    Args:
        table: the habits.
        came: how near the occasions of a habit on each day are to now, 0..1.
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


def timed_probability(came_now: Floats, lived: Floats, often: Floats) -> Floats:
    """The chance that a habit belongs to this time of day, rather than to any time.

    Args:
        came_now: the weight of its days on which it came up about now.
        lived: the weight of its days on which it came up at all.
        often: how often it came up on such a day, on average: a frequent habit is near now by accident too.
    """
    broad = (1 - (1 - _BROAD_SHARE) ** np.maximum(1.0, often))[:, None]
    beside = _marginal(_beta(broad * _BROAD_WEIGHT, (1 - broad) * _BROAD_WEIGHT), came_now, lived)
    first, second = (np.array([shape]) for shape in _TIMED_SHAPE)
    odds = (
        np.log(_TIMED_PRIOR / (1 - _TIMED_PRIOR)) + _marginal(_beta(first, second), came_now, lived) - beside
    )
    probability: Floats = 1 / (1 + np.exp(-np.clip(odds, -60, 60)))
    return probability


def _marginal(prior: Floats, came: Floats, lived: Floats | Ints) -> Floats:
    """The log likelihood of `came` out of `lived`, averaged over all shares."""
    came = np.minimum(came, lived)
    log = came[:, None] * np.log(_SHARES) + (lived - came)[:, None] * np.log1p(-_SHARES)
    top = log.max(axis=1, keepdims=True)
    logarithm: Floats = top[:, 0] + np.log((np.exp(log - top) * prior).sum(axis=1))
    return logarithm


def _beta(first: Floats, second: Floats) -> Floats:
    """A Beta distribution over the shares."""
    weight = _SHARES ** (first - 1) * (1 - _SHARES) ** (second - 1)
    normalized: Floats = weight / weight.sum(axis=-1, keepdims=True)
    return normalized


KINDS = 8
_HOLIDAY = 7
_RATES = np.array([0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.97])
_SELDOM = np.array([0.005, 0.04])
_RATE_PRIOR = _RATES**1.5 / (_RATES**1.5).sum()
_WORKED = np.array([True] * 5 + [False] * 3)
_EVERY_DAY, _WORKING_DAYS, _FREE_DAYS, _OWN_DAYS = 0.2, 0.15, 0.05, 0.6
_OWN = 0.4
"""The prior chance that a kind of day is one of a habit's own."""


def day_kinds(table: HabitTable) -> Ints:
    """The kind of each day of a table, 0..7."""
    holiday = table.days.free & (table.days.weekday < _HOLIDAY - 2)
    return np.where(holiday, _HOLIDAY, table.days.weekday)


def day_kind(weekday: int, *, free: bool) -> int:
    """The kind of one day."""
    return _HOLIDAY if free and weekday < _HOLIDAY - 2 else weekday


def daily_rate(kind: int, came: Floats, lived: Floats) -> Floats:
    """The chance that each habit comes up on a day of a kind.

    Args:
        kind: which.
        came: habits by kinds; the weight of the days on which it came up.
        lived: of the same shape; the weight of the days on which it could have. Weights fade, so that the
            likelihoods do not underflow.
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
    either = [on[:, :, None, other_kind] + off[:, None, :, other_kind] for other_kind in range(KINDS)]
    likely.append(_OWN_DAYS * np.multiply.reduce(either))
    today = on[:, :, None, kind] / either[kind]
    rates.append(today * _RATES[:, None] + (1 - today) * _SELDOM)
    weights = np.stack(likely) * _RATE_PRIOR[:, None]
    rate: Floats = (weights * np.stack(rates)).sum(axis=(0, 2, 3)) / weights.sum(axis=(0, 2, 3))
    return rate
