"""When the user did what: the occasions of each prototype as arrays, and the statistics over them.

The arrays are made when the memory has changed; judging a state then takes a few passes over them. There are
three statistics: since when a habit has had its time of day, whether it has one at all, and on which kinds of
day it comes up. The last is a Bayesian mixture: a habit belongs to every day, to working days, to days off,
or to some weekdays. On its days it comes up with one rate, on the others hardly ever. There are eight kinds
of day: the seven weekdays, and holidays that fall on working days.

`group_variants` finds which prototypes are one routine in other words; `find_usage_habits` finds first habits
in the phone's usage statistics, before there are records of turns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from itertools import combinations
from statistics import median
from typing import TypeVar, cast

import holidays
import numpy as np
from numpy.typing import NDArray

from assistant.i18n import _
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.terms import oppose
from assistant.phone.apps import telling_parts
from assistant.phone.monitor import AppOpened
from assistant.records import Click, Finished, LongClick, OpenApp, Outcome, Record, Target, TypeText

_SATURDAY = 5


T = TypeVar("T")


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
_KEPT = 40
"""Results that a table keeps: those of a few days, and of the answers to suggestions meanwhile."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Occasion:
    """One time the user did something. `time` is local, with its zone."""

    time: datetime
    scenario: str = UNKNOWN


@dataclass(frozen=True, slots=True)
class HabitOccasions:
    """The occasions of a routine: the id of its offered prototype, and the ids of its other variants.

    `certainty`, 0..1, is the chance that they are of one habit at all, as of the last of them.
    """

    id: str
    occasions: tuple[Occasion, ...]
    variants: frozenset[str] = frozenset()
    certainty: float = 1.0


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
    into `scenarios` or -1 when unknown. `places` finds a habit by its id or by that of a variant, `variants`
    has the variants of those that have some, `certainty` is of each habit. `group_start` begins each run of
    one habit on one day. `instant` has all occasions in the order in which they came, in minutes;
    `instant_owner` and `instant_place` are theirs.

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
        self.instant_place: Ints = self.place[order]
        self.places = {habit: place for place, habit in enumerate(self.ids)}
        self.places |= {name: place for place, habit in enumerate(habits) for name in habit.variants}
        self.variants = {habit.id: habit.variants for habit in habits if habit.variants}
        self.certainty: Floats = np.array([habit.certainty for habit in habits], dtype=np.float64)
        self._fitted: dict[object, object] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def place_of(self, scenario: str) -> int:
        """The index of a scenario, -1 for unknown and -2 for a scenario in which nothing was ever done."""
        if scenario == UNKNOWN:
            return -1
        return self.scenarios.index(scenario) if scenario in self.scenarios else -2

    def per_habit(self, values: Floats) -> Floats:
        """Sums of values given for each run of one habit on one day, by habit."""
        return np.bincount(self.group_owner, weights=values, minlength=len(self)).astype(np.float64)

    def days_with(self, before: int) -> Floats:
        """On how many days before a day each habit came up."""
        return self.fitted(("days", before), lambda: self.per_habit((self.group_day < before).astype(float)))

    def on_day(self, day: int) -> list[tuple[int, float]]:
        """What was done on a day: the place of each habit, and the minute."""
        if day - self.days.first >= len(self.days.presence):
            return []
        rows = np.flatnonzero(self.day == day)
        return [(int(self.owner[row]), float(self.minute[row])) for row in rows]

    def fitted(self, key: object, fit: Callable[[], T]) -> T:
        """What was computed from the table for a key, computed when it is first asked for."""
        if key not in self._fitted:
            if len(self._fitted) > _KEPT:
                self._fitted.clear()
            self._fitted[key] = fit()
        return cast(T, self._fitted[key])


def minute_of(time: datetime) -> float:
    """Minutes since local midnight."""
    return time.hour * 60 + time.minute + time.second / 60


def at_wall_clock(day: date, minute: int, like: datetime) -> datetime:
    """A time of day in the user's zone; a time that a change of clocks skips moves on by an hour."""
    wall = datetime.combine(day, time(minute // 60, minute % 60), like.tzinfo)
    return wall.astimezone(UTC).astimezone(like.tzinfo)


def on_user_clock(time: datetime, done: Iterable[datetime]) -> datetime:
    """A moment on the wall clock that the user lives by, for one that is given in some zone.

    A zone in which something was done is one where the user was, so that its wall clock holds. Any other, as
    the UTC of a machine, only names the moment: it is told by this machine's zone, if the newest deed was
    told so, else by the zone of that deed. An hour's difference from a deed of another season is one of
    summer and winter.

    Args:
        time: the moment, with its zone.
        done: when things were done, each with the zone where the user was.
    """
    by_offset = {each.utcoffset() or timedelta(): each for each in sorted(done)}
    given, newest = time.utcoffset() or timedelta(), max(by_offset.values(), default=None)
    if newest is None or given in by_offset:
        return time
    if newest.astimezone().utcoffset() == newest.utcoffset():
        return time.astimezone()
    is_hour = min(abs(given - offset) for offset in by_offset) <= timedelta(hours=1)
    is_season = (time.month in _SUMMER) != (newest.month in _SUMMER)
    return time if is_hour and is_season else time.astimezone(newest.tzinfo)


_SUMMER = range(4, 11)
"""Months between the changes of clocks, wherever there are any; south of the equator they are the winter."""


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


KINDS = 8
_HOLIDAY = 7
_RATES = np.array([0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.97])
_SELDOM = np.array([0.005, 0.04])
_RATE_PRIOR = _RATES**1.5 / (_RATES**1.5).sum()
_PRIOR_WEIGHT, _PRIOR_DAYS, _PRIOR_ROUNDS = 10.0, 3.0, 3
"""The prior weighs as much as so many habits, against those that came up on so many days."""
_RULE_TIMES = 3
"""So many occasions on the days of a rule of the month are needed to believe in it."""
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


def daily_rate(kind: int, came: Floats, lived: Floats) -> tuple[Floats, Floats]:
    """The chance that each habit comes up on a day of a kind, and the likelihood of its days so far.

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
    likelihood = np.stack(likely)
    weights = likelihood * _learn_rate_prior(likelihood, came)[:, None]
    evidence: Floats = weights.sum(axis=(0, 2, 3))
    return (weights * np.stack(rates)).sum(axis=(0, 2, 3)) / evidence, evidence


def _learn_rate_prior(likelihood: Floats, came: Floats) -> Floats:
    """The prior of a person's rates: somebody keeps to nearly all of their habits, somebody else to few.

    It is `_RATE_PRIOR`, moved towards the rates of the habits with enough days (empirical Bayes).

    Args:
        likelihood: of the days so far: which days are a habit's own, habits, rates, rates on other days.
        came: habits by kinds, see `daily_rate`.
    """
    seen = likelihood[:, came.sum(axis=1) >= _PRIOR_DAYS]
    prior: Floats = _RATE_PRIOR
    for _round in range(_PRIOR_ROUNDS):
        share = (seen * prior[:, None]).sum(axis=(0, 3))
        share /= share.sum(axis=1, keepdims=True)
        prior = (_PRIOR_WEIGHT * _RATE_PRIOR + share.sum(axis=0)) / (_PRIOR_WEIGHT + len(share))
    return prior


_MONTHLY = 0.1
"""Prior probability that a habit follows days of the month, or every second week."""


def calendar_days(days: Ints) -> Floats:
    """Which days belong to each rule of the month: rules by days, 0 or 1.

    The rules are the first to fourth and the last of each weekday, each day of the month, its last day, and
    every other week on each weekday.
    """
    dates = [date.fromordinal(int(day)) for day in days]
    weekday = np.array([day.weekday() for day in dates])
    month_day = np.array([day.day for day in dates])
    days_left = (
        np.array([(day.replace(day=28) + timedelta(days=4)).replace(day=1).toordinal() for day in dates])
        - days
    )
    rules = [(weekday == which) & ((month_day - 1) // 7 == nth) for which in range(7) for nth in range(4)]
    rules += [(weekday == which) & (days_left <= 7) for which in range(7)]
    rules += [month_day == which for which in range(1, 32)]
    rules += [days_left == 1]
    rules += [days % 14 == which for which in range(14)]
    return np.array(rules, dtype=np.float64)


def calendar_rate(
    came: Floats, lived: Floats, days: Ints, today: int, weekly: Floats, evidence: Floats
) -> Floats:
    """The chance for today where a habit may also keep to a rule of the month.

    Args:
        came: habits by days; 1 where it came up.
        lived: of the same shape; the weight of each day.
        days: the ordinals of the days.
        today: the ordinal of today.
        weekly: the chance by the weekday, of each habit.
        evidence: the likelihood of the days by the weekday.
    """
    rules, now = calendar_days(days), calendar_days(np.array([today]))[:, 0]
    inside, all_inside = came @ rules.T, lived @ rules.T
    outside = came.sum(axis=1, keepdims=True) - inside
    missed_outside = np.maximum(0.0, lived.sum(axis=1, keepdims=True) - all_inside - outside)
    missed_inside = np.maximum(0.0, all_inside - inside)
    on = inside[..., None] * np.log(_RATES) + missed_inside[..., None] * np.log1p(-_RATES)
    on = np.exp(on) * _RATE_PRIOR
    off = np.exp(outside * np.log(_SELDOM[0]) + missed_outside * np.log1p(-_SELDOM[0]))
    likely = on.sum(axis=2) * off * (inside >= _RULE_TIMES) * (_MONTHLY / len(rules))
    often = (on * _RATES).sum(axis=2) / np.maximum(1e-300, on.sum(axis=2))
    rate = np.where(now > 0, often, _SELDOM[0])
    rest = evidence * (1 - _MONTHLY)
    total: Floats = (weekly * rest + (likely * rate).sum(axis=1)) / (rest + likely.sum(axis=1))
    return total


_SHARED_ELEMENTS = 0.75
"""Minimum share of touched elements that two variants of a routine have in common."""
_SAME_DAY = 0.1
"""Two prototypes that are done on the same day on more than this share of their days are not variants."""
_TIME_TOLERANCE = 90.0
"""Maximum difference of the usual times of day of two variants, in minutes."""
_WEEKDAYS = 0.4
"""Minimum overlap of two variants' weekdays: the sum over weekdays of the smaller share of occasions."""
_LEAST_OCCASIONS = 3
_PAUSE = timedelta(days=21)
"""A prototype that begins later than this after another ended did not replace it."""
_CHANCE_DAYS = 1.5
"""What is alike in words and hours is as likely as not one habit when it just came again on so many days."""
_NEWEST = timedelta(days=5)
"""Half-life of an occasion's weight in the choice of the variant that is offered."""


@dataclass(frozen=True, slots=True)
class _Trace:
    """What two prototypes are compared by to find variants of one routine.

    Attributes:
        prototype: the prototype.
        targets: what its actions touch.
        elements: the ids or classes of these.
        figures: the typed texts that contain digits.
        times: when it was done, oldest first.
        days: the dates of these.
        minute: the median minute of the day; wrong for what is done around midnight.
        weekdays: the share of occasions on each weekday, Monday first.
    """

    prototype: Prototype
    targets: tuple[Target, ...]
    elements: frozenset[str]
    figures: frozenset[str]
    times: tuple[datetime, ...]
    days: frozenset[date]
    minute: float
    weekdays: tuple[float, ...]


def group_variants(
    prototypes: Iterable[Prototype], wordings: Iterable[Sequence[str]] = ()
) -> list[HabitOccasions]:
    """Group the variants of each routine, under the id of the most recently used one.

    Variants are the same routine in other words, or with another value from some day on. "Tell Anna I just
    left work" and "let Anna know I am on my way back" touch the same elements and differ in what is typed.
    Somebody who has ordered tea since March, and coffee before, orders at the same hour on the same days. The
    times of a routine are learnt from the occasions of all its variants; the variant that is offered is the
    one that was used most recently.

    Args:
        prototypes: what is grouped.
        wordings: the ids of those that are one habit in other words, see `group_wordings`; the first of each
            is offered.
    """
    by_id = {prototype.id: prototype for prototype in prototypes}
    in_words = [[by_id[name] for name in names if name in by_id] for names in wordings]
    reworded = {prototype.id for group in in_words for prototype in group}
    traces = [_trace(prototype) for name, prototype in by_id.items() if name not in reworded]
    parent = list(range(len(traces)))

    def root(place: int) -> int:
        while parent[place] != place:
            place = parent[place]
        return place

    by_package: dict[str, list[int]] = defaultdict(list)
    for place, trace in enumerate(traces):
        if trace.elements and len(trace.times) >= _LEAST_OCCASIONS and not trace.prototype.is_customized:
            by_package[trace.prototype.package].append(place)
    for places in by_package.values():
        for first, second in combinations(places, 2):
            if root(first) != root(second) and _replaces(traces[first], traces[second]):
                parent[root(second)] = root(first)
    groups: dict[int, list[_Trace]] = defaultdict(list)
    for place, trace in enumerate(traces):
        groups[root(place)].append(trace)
    habits = [_habit(group) for group in groups.values()]
    reworded_habits = [_as_habit(group[0], group) for group in in_words if group]
    return habits + [replace(habit, certainty=_certainty(habit)) for habit in reworded_habits]


def is_same_wish(first: Prototype, second: Prototype) -> bool:
    """Whether two variants differ in wording only.

    They touch the same elements and type the same numbers; of those without actions only words are known.
    """
    if not first.actions and not second.actions:
        return True
    traces = _trace(first), _trace(second)
    return _same_elements(*traces) and _same_values(*traces)


def _habit(group: Sequence[_Trace]) -> HabitOccasions:
    newest = max((time for trace in group for time in trace.times), default=None)

    def use(trace: _Trace) -> tuple[float, str]:
        ages = (((newest or time) - time) / _NEWEST for time in trace.times)
        return sum(0.5**age for age in ages), trace.prototype.id

    return _as_habit(max(group, key=use).prototype, [trace.prototype for trace in group])


def _certainty(habit: HabitOccasions) -> float:
    """How certain it is that what is alike in words and hours alone is one habit.

    Few commands that were given once at about one hour look like one by chance; what came again on many days
    does not.
    """
    again = len({occasion.time.date() for occasion in habit.occasions}) - 1
    return again / (again + _CHANCE_DAYS)


def _as_habit(offered: Prototype, group: Sequence[Prototype]) -> HabitOccasions:
    return HabitOccasions(
        offered.id,
        tuple(occasion for prototype in group for occasion in habit_occasions(prototype).occasions),
        frozenset(prototype.id for prototype in group) - {offered.id},
    )


def _trace(prototype: Prototype) -> _Trace:
    targets = tuple(
        action.target
        for action in prototype.actions
        if isinstance(action, Click | LongClick) and action.target is not None
    )
    typed = (action.text for action in prototype.actions if isinstance(action, TypeText))
    times = tuple(sorted(member.time for member in prototype.members))
    weekdays = [time.weekday() for time in times]
    return _Trace(
        prototype,
        targets,
        frozenset(map(_element_of, targets)),
        frozenset(text for text in typed if any(letter.isdigit() for letter in text)),
        times,
        frozenset(time.date() for time in times),
        median(minute_of(time) for time in times) if times else 0.0,
        tuple(weekdays.count(weekday) / max(1, len(times)) for weekday in range(7)),
    )


def _element_of(target: Target) -> str:
    return target.resource_id or target.class_name


def _same_elements(first: _Trace, second: _Trace) -> bool:
    common = first.elements & second.elements
    if not common or len(common) < _SHARED_ELEMENTS * len(first.elements | second.elements):
        return False
    return not oppose(first.prototype.instruction, second.prototype.instruction)


def _same_values(first: _Trace, second: _Trace) -> bool:
    """Whether the elements that both touch have the same texts, and the same numbers are typed."""
    common = first.elements & second.elements
    texts = [
        {(element, target.label) for target in trace.targets if (element := _element_of(target)) in common}
        for trace in (first, second)
    ]
    return first.figures == second.figures and texts[0] == texts[1]


def _replaces(first: _Trace, second: _Trace) -> bool:
    """Whether one is done instead of the other: at its time, on its weekdays, and rarely on the same day.

    If their values differ, one must have ended before the other began.
    """
    if not _same_elements(first, second) or minutes_apart(first.minute, second.minute) > _TIME_TOLERANCE:
        return False
    if len(first.days & second.days) > _SAME_DAY * min(len(first.days), len(second.days)):
        return False
    if sum(map(min, first.weekdays, second.weekdays)) < _WEEKDAYS:
        return False
    earlier, later = sorted((first, second), key=lambda trace: trace.times[0])
    follows = timedelta() < later.times[0] - earlier.times[-1] < _PAUSE
    return follows or _same_values(first, second)


SOURCE = "usage"
_AGAIN = timedelta(minutes=30)
"""An app that is opened again within this time is taken as in use all the time."""
_BESIDE = 45.0
_LEAST_DAYS = 3
_REGULAR = 0.5
_LEAST_SHARE = 0.25
_DAY, _TOGETHER = 1440.0, 60.0
_LEAST_GROUP = 0.2


def find_usage_habits(
    opened: Sequence[AppOpened],
    user_id: str,
    label: Callable[[str], str],
    word: str = "Open {app}",
    recorded: Iterable[Record] = (),
) -> list[Record]:
    """Records of apps that are opened at about the same time on several days, oldest first.

    Apps without a usual time are left out: "Open Chat" thirty times a day says nothing about a moment. The
    ids follow from package and time, so that importing twice adds nothing.

    Args:
        opened: which app came to the front when, oldest first.
        user_id: whose records.
        label: the name of a package's app; empty where it was never seen.
        word: the instruction, with a place for the app.
        recorded: records of turns: an app that a turn opened is not a habit of its own.
    """
    records: list[Record] = []
    explained = _times_by_package(recorded)
    for package, begun in _find_openings(opened).items():
        times = [opening for opening in begun if not _is_near_any(opening.time, explained.get(package, ()))]
        name = label(package) or _guess_name(package)
        records += [
            Record(
                id=f"usage-{user_id}-{package}-{opening.time:%Y%m%d_%H%M%S}",
                user_id=user_id,
                time=opening.time,
                instruction=word.format(app=name),
                app=name,
                package=package,
                actions=(OpenApp(name=name), Finished()),
                outcome=Outcome.SUCCESS,
                source=SOURCE,
            )
            for opening in _keep_regular(times)
        ]
    return sorted(records, key=lambda record: (record.time, record.id))


def _times_by_package(records: Iterable[Record]) -> dict[str, list[datetime]]:
    times: dict[str, list[datetime]] = defaultdict(list)
    for record in records:
        if record.source != SOURCE:
            times[record.package].append(record.time)
    return times


def _is_near_any(time: datetime, times: Iterable[datetime]) -> bool:
    return any(abs(time - other) < _AGAIN for other in times)


def _find_openings(opened: Iterable[AppOpened]) -> dict[str, list[AppOpened]]:
    """When each app was opened; without changes of its pages, and returns after a short while."""
    openings: dict[str, list[AppOpened]] = defaultdict(list)
    latest: dict[str, AppOpened] = {}
    for opening in opened:
        previous = latest.get(opening.package)
        if previous is None or opening.time - previous.time >= _AGAIN:
            openings[opening.package].append(opening)
        latest[opening.package] = opening
    return openings


def _keep_regular(openings: Sequence[AppOpened]) -> list[AppOpened]:
    """The openings near a usual time that half of the app's days have, and at least three days.

    An app that is opened at all hours has none.
    """
    days = len({opening.time.date() for opening in openings})
    minutes = np.array([minute_of(opening.time) for opening in openings])
    regular: dict[AppOpened, None] = {}
    for usual in usual_minutes(minutes):
        nearby = [
            opening
            for opening, apart in zip(openings, circular_distance(minutes - usual), strict=True)
            if apart <= _BESIDE
        ]
        nearby_days = len({opening.time.date() for opening in nearby})
        if nearby_days >= max(_LEAST_DAYS, _REGULAR * days) and len(nearby) <= 2 * nearby_days:
            regular.update(dict.fromkeys(nearby))
    return list(regular) if len(regular) >= _LEAST_SHARE * len(openings) else []


def usual_minutes(minutes: Floats) -> list[float]:
    """The times of day that something usually happens at, in minutes since midnight, most usual first.

    Times less than an hour apart form a group, also across midnight; a single time is not usual.
    """
    if len(minutes) < 2:
        return []
    ordered = np.sort(np.asarray(minutes, dtype=np.float64) % _DAY)
    gaps = np.append(np.diff(ordered), ordered[0] + _DAY - ordered[-1])
    start = int(np.argmax(gaps)) + 1
    turned = np.concatenate((ordered[start:], ordered[:start] + _DAY))
    groups = np.split(turned, np.flatnonzero(np.diff(turned) > _TOGETHER) + 1)
    groups = [group for group in groups if len(group) > 1 and len(group) >= _LEAST_GROUP * len(turned)]
    return [float(np.median(group)) % _DAY for group in sorted(groups, key=len, reverse=True)]


def _guess_name(package: str) -> str:
    """A name for an app whose label is unknown: the last telling part of its package."""
    parts = telling_parts(package)
    return (parts[-1] if parts else package.rpartition(".")[2]).capitalize()
