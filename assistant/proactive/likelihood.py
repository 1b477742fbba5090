"""How likely the user wants each habit now.

Where the day so far is known, the chance is that of the habit's coming up within the next hour, given that it
has not come up yet; a habit that follows another waits for that one. Where nothing is known of the day, the
chance is that of its coming up about now (in place of the paper's Φ, PersonalAlign 5.3). Both rest on when
each habit comes up, and are adjusted for the scenario and the user's answers.

`fit_timing` finds when each habit comes up on a day: up to three times of day, as a mixture of normal
distributions over an even background. Each time has a mean that follows the newest occasions where that
predicted them better, a spread that is the error of those predictions, and a chance for the day in question.
A habit that comes up a steady while after another waits for that one instead of the clock. All habits are
fitted at once, for one day. Judging a moment of it then takes a few passes over the times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

import numpy as np
from numpy.typing import NDArray

from assistant.proactive.habit_table import (
    KINDS,
    Floats,
    HabitTable,
    Ints,
    at_wall_clock,
    calendar_rate,
    circular_distance,
    daily_rate,
    day_kind,
    day_kinds,
    minute_of,
)
from assistant.records import State

Bools = NDArray[np.bool_]
Prompted = frozenset[tuple[str, int, float]]
"""When suggestions were made that were accepted: habit, the day's ordinal, the minute of the day."""

_DAY = 1440.0
_LATEST = 60
"""So many of a habit's newest occasions are read for its times of day."""
_SAME = 45.0
"""Minutes within which a second occasion of a day is the same one again."""
_PROMPTED = 10.0
"""Minutes from a suggestion that was accepted within which what was done is due to it."""
_TIMES = 3
"""The most times of day of a habit. What comes up more often on a day has no hour."""
_PENALTY = 6.0
_ROUNDS = 12
_NARROW = 15.0
"""The spread in minutes expected of a time of day, with the weight of `_NARROW_WEIGHT` occasions."""
_NARROW_WEIGHT = 2.0
_BACKGROUND = 0.04
_FOLLOWING = (0.12, 0.3)
"""The share of the newest occasion in a mean that follows a habit which drifts."""
_FOLLOWS_IF = 0.9
"""A mean follows if its squared error is at most this share of the plain mean's."""
_TAIL, _TAIL_SPREAD = 0.06, 3.0
"""The share of occasions of a wider distribution, and how much wider that is."""
_DAYS_BEFORE = 0.1
"""The weight of a day before the first one of a time of day; a day since then has weight 1."""
_LONGEST = 400
"""So many days back are looked at for how often a habit comes up."""
_GIVING_UP = 0.01
_SUREST = 0.9
"""The highest rate assumed for a habit, so that a single missed day never means that it ended."""
_PLACE_PRIOR = 2.0
_MOST_ODDS, _LEAST_ODDS = 2.0, 0.1
_AFTER_LEADER = 45.0
_FOLLOWER_SHARE = 0.6
_STEADIER = 0.75
"""A follower keeps to its leader if the gap spreads at most this much of what its time of day does."""
_LEAST_PAIRS = 3
_GAP_SPREAD = 3.0
_LOSS = 0.38
_EARLY = 0.01
AHEAD = 60.0
"""Minutes: a suggestion is wanted if the deed comes within this time."""


@dataclass(frozen=True, slots=True)
class HabitTiming:
    """The times of day of all habits, as fitted for one day.

    One row for each time: `owner` is the habit's place in the table, `mean` and `spread` are minutes, `rate`
    is the chance that it comes up on this day, `opens` the minute from which it may be offered, `place` the
    odds for each scenario (the last column for one never seen). One entry for each habit: `leader`
    is the habit that it follows or -1, `gap` and `gap_spread` after how many minutes, `follows` how often.
    """

    owner: Ints
    mean: Floats
    spread: Floats
    rate: Floats
    opens: Floats
    place: Floats
    leader: Ints
    gap: Floats
    gap_spread: Floats
    follows: Floats


def normal_share(values: Floats) -> Floats:
    """The normal distribution's share below a value, within 0.0002 (Page's approximation)."""
    bounded = np.clip(values, -6.0, 6.0)
    share: Floats = 1 / (1 + np.exp(-1.5976 * bounded - 0.07056 * bounded**3))
    return share


def share_before(offset: Floats, spread: Floats) -> Floats:
    """The share of occasions up to so many minutes after the mean; its tails are longer than a normal's."""
    normal = normal_share(offset / spread)
    return (1 - _TAIL) * normal + _TAIL * normal_share(offset / (_TAIL_SPREAD * spread))


def fit_timing(table: HabitTable, today: date, half_life: float, prompted: Prompted) -> HabitTiming:
    """Fit the times of all habits for a day, from what lies before it.

    Args:
        table: the habits.
        today: the day; whether it is free counts, by the table's calendar.
        half_life: days after which a day counts half for how often a habit comes up.
        prompted: when suggestions were accepted: what was done on one says nothing of its hour.
    """
    rows = _Rows(table, today.toordinal(), prompted)
    slot, time_of = _find_times(rows, len(table))
    owner = slot // _TIMES
    mean, spread = _predict(rows, time_of, slot)
    rate = _rate_on(table, rows, time_of, slot, today, half_life)
    leader, gap, gap_spread, follows = _find_leaders(table, today.toordinal(), slot, spread)
    fitted = HabitTiming(
        owner,
        mean,
        spread,
        rate,
        _opening(mean, spread, rate),
        np.zeros((0, 0)),
        leader,
        gap,
        gap_spread,
        follows,
    )
    place = _place_odds(table, rows, time_of, slot, fitted, half_life, today.toordinal())
    return HabitTiming(owner, mean, spread, rate, fitted.opens, place, leader, gap, gap_spread, follows)


class _Rows:
    """The occasions before a day, without repetitions; `turned` are minutes from a habit's longest gap."""

    def __init__(self, table: HabitTable, today: int, prompted: Prompted) -> None:
        before = np.flatnonzero(table.day < today)
        owner, day, minute = table.owner[before], table.day[before], table.minute[before]
        again = (np.diff(owner) == 0) & (np.diff(day) == 0) & (np.diff(minute) < _SAME)
        kept = before[np.concatenate(([True], ~again))] if len(before) else before
        self.owner, self.day, self.minute = table.owner[kept], table.day[kept], table.minute[kept]
        self.place = table.place[kept]
        count = np.bincount(self.owner, minlength=len(table))
        end = np.cumsum(count)[self.owner]
        self.newest = end - np.arange(len(kept)) <= _LATEST
        days = np.bincount(table.group_owner[table.group_day < today], minlength=len(table))
        self.often = count > _TIMES * 1.34 * np.maximum(1, days)
        self.turned, self.origin = _turn(self.owner, self.minute, len(table))
        self.own_time = np.ones(len(kept), dtype=bool)
        for habit, on, at in prompted:
            if habit in table.places:
                same_day = (self.owner == table.places[habit]) & (self.day == on)
                self.own_time &= ~(same_day & (np.abs(self.minute - at) <= _PROMPTED))


def _turn(owner: Ints, minute: Floats, habits: int) -> tuple[Floats, Floats]:
    """Minutes since the end of each habit's longest time of day without an occasion, and that end."""
    order = np.lexsort((minute, owner))
    by_owner, by_minute = owner[order], minute[order]
    begins = np.flatnonzero(np.concatenate(([True], np.diff(by_owner) != 0))) if len(order) else order
    gap = np.empty(len(order))
    if len(order):
        gap[1:] = np.diff(by_minute)
        ends = np.append(begins[1:], len(order)) - 1
        gap[begins] = by_minute[begins] + _DAY - by_minute[ends]
    longest = np.zeros(habits)
    np.maximum.at(longest, by_owner, gap)
    origin = np.zeros(habits)
    at_longest = gap == longest[by_owner]
    origin[by_owner[at_longest]] = by_minute[at_longest]
    return (minute - origin[owner]) % _DAY, origin


def _padded(owner: Ints, values: Floats, habits: int, chosen: Bools) -> tuple[Floats, Bools]:
    """The chosen values as a row for each owner, and which entries are values."""
    rows, of = values[chosen], owner[chosen]
    count = np.bincount(of, minlength=habits)
    column = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
    filled = np.zeros((habits, max(1, int(count.max(initial=0)))))
    valid = np.zeros(filled.shape, dtype=bool)
    filled[of, column], valid[of, column] = rows, True
    return filled, valid


def _find_times(rows: _Rows, habits: int) -> tuple[Ints, Ints]:
    """The times of day, as habit times `_TIMES` plus a number, and the one of each row (-1 for none)."""
    values, valid = _padded(rows.owner, rows.turned, habits, rows.newest)
    best_score = np.full(habits, np.inf)
    best = [np.zeros((habits, 1)), np.ones((habits, 1)), np.ones((habits, 1))]
    means, spreads, shares = (np.full((habits, _TIMES), fill) for fill in (0.0, _NARROW, 0.0))
    number = valid.sum(axis=1)
    for times in range(1, _TIMES + 1):
        mean, spread, share, likelihood = _mixture(values, valid, times)
        score = -2 * likelihood + _PENALTY * times * np.log(np.maximum(2, number))
        better = (score < best_score) & ((times == 1) | (number >= 4 * times - 2))
        best_score = np.where(better, score, best_score)
        for held, fresh in ((means, mean), (spreads, spread), (shares, share)):
            held[better] = 0.0
            held[better, :times] = fresh[better]
        spreads[better, times:] = _NARROW
    del best
    apart = (rows.turned[:, None] - means[rows.owner]) / spreads[rows.owner]
    density = shares[rows.owner] * np.exp(-0.5 * apart**2) / (spreads[rows.owner] * np.sqrt(2 * np.pi))
    nearest = density.argmax(axis=1) if len(rows.owner) else np.zeros(0, dtype=np.int64)
    is_near = density.max(axis=1, initial=0.0) > _BACKGROUND / _DAY
    time_of = np.where(is_near & ~rows.often[rows.owner], rows.owner * _TIMES + nearest, -1)
    slot = np.unique(time_of[time_of >= 0])
    return slot, time_of


def _mixture(values: Floats, valid: Bools, times: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Means, spreads and shares of so many normal distributions for each row, and the log likelihood."""
    weight = valid.astype(float)
    ordered = np.sort(np.where(valid, values, np.inf), axis=1)
    with np.errstate(invalid="ignore"):
        gaps = np.where(np.isfinite(ordered[:, 1:]), ordered[:, 1:] - ordered[:, :-1], -1.0)
    cuts = np.full((len(values), times - 1), np.inf)
    for cut in range(min(times - 1, gaps.shape[1])):
        widest = gaps.argmax(axis=1)
        line = np.arange(len(values))
        cuts[:, cut] = ordered[line, widest] + gaps[line, widest] / 2
        gaps[line, widest] = -1.0
    part = (values[:, :, None] > cuts[:, None, :]).sum(axis=2)
    member = (part[:, :, None] == np.arange(times)) * weight[:, :, None]
    for _round in range(_ROUNDS):
        count = member.sum(axis=1)
        mean = (member * values[:, :, None]).sum(axis=1) / np.maximum(1e-9, count)
        off = values[:, :, None] - mean[:, None, :]
        variance = ((member * off**2).sum(axis=1) + _NARROW_WEIGHT * _NARROW**2) / (count + _NARROW_WEIGHT)
        share = (count + 0.1) / (count.sum(axis=1, keepdims=True) + 0.1 * times) * (1 - _BACKGROUND)
        density = share[:, None, :] * np.exp(-0.5 * off**2 / variance[:, None, :])
        density /= np.sqrt(2 * np.pi * variance)[:, None, :]
        total = density.sum(axis=2) + _BACKGROUND / _DAY
        member = density / total[:, :, None] * weight[:, :, None]
    return mean, np.sqrt(variance), share, (np.log(total) * weight).sum(axis=1)


def _predict(rows: _Rows, time_of: Ints, slot: Ints) -> tuple[Floats, Floats]:
    """The mean, in minutes of the day, and the spread of each time of day on the next day."""
    chosen = (time_of >= 0) & rows.newest & rows.own_time
    some = np.isin(slot, time_of[chosen])
    chosen |= np.isin(time_of, slot[~some])
    place = np.searchsorted(slot, time_of)
    order = np.argsort(place[chosen], kind="stable")
    values, valid = _padded(
        place[chosen][order], rows.turned[chosen][order], len(slot), np.ones(len(order), bool)
    )
    count = np.cumsum(valid, axis=1)
    best_error = np.full(len(slot), np.inf)
    mean, spread = np.zeros(len(slot)), np.zeros(len(slot))
    for following in (0.0, *_FOLLOWING):
        held, error = values[:, 0].copy(), np.zeros(values.shape)
        for column in range(1, values.shape[1]):
            off = np.where(valid[:, column], values[:, column] - held, 0.0)
            # The first predictions rest on few occasions: their errors are larger than those to come.
            error[:, column] = off**2 * (column / (column + 1))
            held += np.maximum(following, 1 / (column + 1)) * off
        squares = np.clip(error, 0.0, 150.0**2).sum(axis=1)
        better = squares < best_error * (_FOLLOWS_IF if following else 1.0)
        best_error = np.where(better, squares, best_error)
        mean = np.where(better, held, mean)
    number = np.maximum(0, count[:, -1] - 1) if values.shape[1] else np.zeros(len(slot))
    spread = np.sqrt((best_error + _NARROW_WEIGHT * _NARROW**2) / (number + _NARROW_WEIGHT))
    spread = spread * np.sqrt(1 + 1 / np.maximum(1, number + 1))
    return (mean + rows.origin[slot // _TIMES]) % _DAY, spread


def _rate_on(
    table: HabitTable, rows: _Rows, time_of: Ints, slot: Ints, today: date, half_life: float
) -> Floats:
    """The chance that each time of day comes up on a day, from the days on which it did."""
    if not len(slot):
        return np.zeros(0)
    ordinal, first = today.toordinal(), table.days.first
    all_days = np.arange(len(table.days.presence)) + first
    before = (all_days < ordinal) & (all_days >= ordinal - _LONGEST)
    days = all_days[before]
    fading = np.power(0.5, (ordinal - days) / half_life) * table.days.presence[before]
    came = np.zeros((len(slot), len(days)))
    used = (time_of >= 0) & (rows.day >= ordinal - _LONGEST)
    came[np.searchsorted(slot, time_of[used]), rows.day[used] - days[0]] = 1.0
    begun = np.arange(len(days)) >= came.argmax(axis=1)[:, None]
    weight = np.where(begun, fading, _DAYS_BEFORE * fading)
    kind = np.eye(KINDS)[day_kinds(table)[before]]
    kind_today = day_kind(today.weekday(), free=table.calendar.is_free(today))
    rate, _ = daily_rate(kind_today, (came * fading) @ kind, weight @ kind)
    # Rules of the month need more days than those that count for the rate, so all days count in full there.
    lived = begun * table.days.presence[before]
    _, evidence = daily_rate(kind_today, came @ kind, lived @ kind)
    rate = calendar_rate(came, lived, days, ordinal, rate, evidence)
    return rate * _alive(table.days.weekday[before], table.days.presence[before], came, begun)


def _alive(weekdays: Ints, presence: Floats, came: Floats, begun: Bools) -> Floats:
    """The chance that a time of day was not given up, from the days since its last on which it was missed."""
    weekday = np.eye(7)[weekdays] * presence[:, None]
    since = np.cumsum(came[:, ::-1], axis=1)[:, ::-1] == 0
    here = came @ weekday
    lived = (begun & ~since) @ weekday
    share = np.clip((here + 0.1) / (lived + 0.5), 0.0, _SUREST)
    missed = np.exp(((since @ weekday) * np.log1p(-share)).sum(axis=1))
    alive: Floats = missed / (missed + _GIVING_UP * (1 - missed))
    return alive


def _opening(mean: Floats, spread: Floats, rate: Floats) -> Floats:
    """The minute, before or after the mean, from which offering is worth as much as it ever will be.

    Offering earlier meets fewer deeds within the hour, offering later finds more of them done already. Of
    moments that are worth about the same the latest is taken: a suggestion should come shortly before.
    """
    minutes = np.arange(-90.0, 31.0, 2.0)
    begin = share_before(minutes, spread[:, None])
    end = share_before(minutes + AHEAD, spread[:, None])
    gain = rate[:, None] * (end - begin) - _LOSS * (1 - rate[:, None] * end)
    good = gain >= gain.max(axis=1, keepdims=True, initial=-9.0) - _EARLY * rate[:, None]
    latest = len(minutes) - 1 - good[:, ::-1].argmax(axis=1)
    opens: Floats = minutes[latest]
    return opens


def _place_odds(
    table: HabitTable,
    rows: _Rows,
    time_of: Ints,
    slot: Ints,
    fitted: HabitTiming,
    half_life: float,
    today: int,
) -> Floats:
    """How much more often each time of day has a scenario than what else is done about then.

    With few occasions the share at any time weighs more.
    """
    places = len(table.scenarios)
    odds = np.ones((len(slot), places + 2))
    has_place = rows.place >= 0
    if not len(slot) or not has_place.any():
        return odds
    fading = np.power(0.5, (today - rows.day) / half_life)
    here = np.eye(places + 1)[np.where(has_place, rows.place, places)] * (fading * has_place)[:, None]
    usual = (here.sum(axis=0) + 1) / (here.sum() + places + 1)
    used = time_of >= 0
    own = np.zeros((len(slot), places + 1))
    np.add.at(own, np.searchsorted(slot, time_of[used]), here[used])
    # By quarter of an hour, so that the cost does not grow with times of day by occasions.
    quarter = np.zeros((96, places + 1))
    np.add.at(quarter, (rows.minute // 15).astype(int) % 96, here)
    reach = np.clip(2.0 - circular_distance(np.arange(96) * 15.0 - fitted.mean[:, None]) / AHEAD, 0.0, 1.0)
    about = np.maximum(0.0, reach @ quarter - own)
    own_share = (own + _PLACE_PRIOR * usual) / (own.sum(axis=1, keepdims=True) + _PLACE_PRIOR)
    others = (about + _PLACE_PRIOR * usual) / (about.sum(axis=1, keepdims=True) + _PLACE_PRIOR)
    odds[:, : places + 1] = np.clip(own_share / others, _LEAST_ODDS, _MOST_ODDS)
    return odds


def _find_leaders(
    table: HabitTable, today: int, slot: Ints, spread: Floats
) -> tuple[Ints, Floats, Floats, Floats]:
    """The habit that each habit follows, after how many minutes, with what spread, and how often."""
    habits = len(table)
    leader, gap, gap_spread, follows = (
        np.full(habits, -1, dtype=np.int64),
        np.zeros(habits),
        np.full(habits, _NARROW),
        np.zeros(habits),
    )
    until = int(np.searchsorted(table.instant, today * _DAY))
    instant, owner = table.instant[:until], table.instant_owner[:until]
    if not len(instant) or habits < 2:
        return leader, gap, gap_spread, follows
    first = np.searchsorted(instant, instant - _AFTER_LEADER, side="left")
    count = np.arange(len(instant)) - first
    later = np.repeat(np.arange(len(instant)), count)
    earlier = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    other = owner[later] != owner[earlier]
    later, earlier = later[other], earlier[other]
    # The last occasion of a leader before each occasion counts.
    pair = owner[earlier] * habits + owner[later]
    last = (
        np.flatnonzero(np.diff(np.append(later * habits + owner[earlier], -1)) != 0) if len(later) else later
    )
    order = np.lexsort((instant[earlier], owner[earlier], later))
    later, earlier, pair = later[order], earlier[order], pair[order]
    key = later * habits + owner[earlier]
    last = np.flatnonzero(np.append(np.diff(key) != 0, True)) if len(key) else key
    later, earlier, pair = later[last], earlier[last], pair[last]
    times = np.bincount(owner, minlength=habits).astype(float)
    apart = instant[later] - instant[earlier]
    names, place, number = np.unique(pair, return_inverse=True, return_counts=True)
    if not len(names):
        return leader, gap, gap_spread, follows
    mean = np.bincount(place, weights=apart) / number
    off = np.bincount(place, weights=(apart - mean[place]) ** 2)
    steady = np.sqrt((off + _NARROW_WEIGHT * _GAP_SPREAD**2) / (number - 1 + _NARROW_WEIGHT))
    lead, follow = names // habits, names % habits
    by_clock = np.full(habits, np.inf)
    owners = slot // _TIMES
    by_clock[owners] = -np.inf
    np.maximum.at(by_clock, owners, spread)
    share, often = number / times[follow], (number + 0.5) / (times[lead] + 1.0)
    good = (number >= _LEAST_PAIRS) & (share >= _FOLLOWER_SHARE) & (steady <= _STEADIER * by_clock[follow])
    rank = np.where(good, share * np.minimum(1.0, often) / steady, 0.0)
    for index in np.argsort(rank):
        if rank[index] > 0:
            leader[follow[index]], gap[follow[index]] = lead[index], mean[index]
            gap_spread[follow[index]], follows[follow[index]] = steady[index], min(0.97, often[index])
    return leader, gap, gap_spread, follows


_REACH = 2.5
"""Spreads from the mean within which a time of day is about now, where nothing is known of the day."""
_LEAST_REACH, _MOST_REACH = 12.0, 60.0
_LAST_SPREADS = 4.0
"""Spreads after its mean at which a time of day is over."""
_EARLIEST = 0.5
"""Minutes: who is woken for an opening is woken at a full minute."""
_DONE_SPREADS, _DONE_WITHIN = 3.0, 60.0
"""What was done this near a time of day, in spreads or at least in minutes, was done for this day."""
_PATIENCE = 3.0
"""So many surprising refusals halve a chance."""
_UNLED = 0.1
"""What is left of the chance by the clock of a habit that follows another, while that one was not done."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """How the user answered suggestions of one habit; old answers count as fractions.

    `accepted` and `rejected` count each answer by how little it was expected: see `summarize_feedback`.
    """

    accepted: float = 0.0
    rejected: float = 0.0

    @property
    def factor(self) -> float:
        """The factor for the chance, at most 1. Answers as often as the chances said leave it at 1."""
        return min(1.0, (_PATIENCE + self.accepted) / (_PATIENCE + self.rejected))


@dataclass(frozen=True, slots=True)
class LikelihoodWeights:
    """How much each signal counts; an ablation switches signals off (PersonalAlign Figure 6)."""

    half_life: float = 45.0
    least_days: int = 3
    time: bool = True
    scenario: bool = True
    feedback: bool = True
    sequence: bool = True


@dataclass(frozen=True, slots=True)
class RecentHabits:
    """What was done lately, oldest first: habit ids with their local times.

    `day_known` tells that these and the table have all that was done today; else a moment is judged alone.
    """

    done: tuple[tuple[str, datetime], ...] = ()
    day_known: bool = False


USUAL = LikelihoodWeights()
NOTHING_DONE = RecentHabits()
DAY_SO_FAR = RecentHabits(day_known=True)
"""The table has all that was done today."""


@dataclass(frozen=True, slots=True)
class HabitChances:
    """The chance of each habit, 0..1, in the table's order, and the factors it was made of.

    `rank` orders habits that are likely at once. `occasion` is the minute of the day of the time that each
    habit is likely for, -1 where it follows another or has none.
    """

    chance: Floats
    rank: Floats
    occasion: Floats
    parts: Mapping[str, Floats] = field(default_factory=dict)


def estimate_chances(
    table: HabitTable,
    state: State,
    weighing: LikelihoodWeights = USUAL,
    feedback: Mapping[str, Feedback] | None = None,
    recent: RecentHabits = NOTHING_DONE,
    prompted: Prompted = frozenset(),
) -> HabitChances:
    """How likely each habit is wanted in a state. Only what lies before the state is looked at.

    Args:
        table: the habits.
        state: local time with zone, and the scenario.
        weighing: how much each signal counts.
        feedback: the answers to suggestions, by habit id.
        recent: what was done today, or in the last hours, that is not part of the table yet.
        prompted: when accepted suggestions were made, see `fit_timing`.
    """
    if not len(table):
        return HabitChances(np.zeros(0), np.zeros(0), np.zeros(0))
    timing = _fitted(table, state.time.date(), weighing, prompted)
    mean = _on_the_clock(timing.mean, state.time)
    offset = (minute_of(state.time) - mean + _DAY / 2) % _DAY - _DAY / 2
    done = _minutes_since(table, state.time, recent)
    rows = np.arange(len(offset)) if not weighing.time else _due_rows(timing, offset, recent.day_known)
    chance, occasion = np.zeros(len(table)), np.full(len(table), -1.0)
    if len(rows):
        rate = timing.rate[rows]
        if weighing.scenario:
            odds = timing.place[rows, _place(table, state.scenario)]
            rate = rate * odds / (1 - rate + rate * odds)
        judge = _in_the_next_hour if recent.day_known else _about_now
        by_time = judge(rate, offset[rows], timing.spread[rows]) if weighing.time else rate
        by_time = np.where(_is_done(timing, offset, done)[rows], 0.0, by_time)
        owner = timing.owner[rows]
        np.maximum.at(chance, owner, by_time)
        best = by_time == chance[owner]
        occasion[owner[best]] = timing.mean[rows[best]]
    parts = {"time": chance}
    if weighing.sequence and (recent.day_known or recent.done):
        parts["sequence"] = _after_leader(timing, done)
        chance = np.where(timing.leader >= 0, np.maximum(parts["sequence"], _UNLED * chance), chance)
        occasion = np.where((timing.leader >= 0) & (parts["sequence"] > 0), -1.0, occasion)
    if weighing.feedback and feedback:
        parts["feedback"] = np.array([feedback.get(habit, Feedback()).factor for habit in table.ids])
        chance = chance * parts["feedback"]
    chance = np.where(table.days_with(state.time.toordinal()) >= weighing.least_days, chance, 0.0)
    return HabitChances(chance, chance, occasion, parts)


def opening_times(
    table: HabitTable,
    day: date,
    weighing: LikelihoodWeights = USUAL,
    feedback: Mapping[str, Feedback] | None = None,
    prompted: Prompted = frozenset(),
) -> Iterator[tuple[str, int, float, float]]:
    """The times of a day: habit, minute, minutes from it to when it may be offered, and the chance then."""
    if not len(table):
        return
    timing = _fitted(table, day, weighing, prompted)
    chance = _in_the_next_hour(timing.rate, timing.opens, timing.spread)
    enough = table.days_with(day.toordinal()) >= weighing.least_days
    for row in np.flatnonzero(enough[timing.owner]):
        habit = table.ids[timing.owner[row]]
        factor = (feedback or {}).get(habit, Feedback()).factor
        yield (
            habit,
            round(float(timing.mean[row])) % int(_DAY),
            float(timing.opens[row]),
            float(chance[row]) * factor,
        )


def _fitted(table: HabitTable, day: date, weighing: LikelihoodWeights, prompted: Prompted) -> HabitTiming:
    return table.fitted(
        (day, weighing.half_life, prompted), lambda: fit_timing(table, day, weighing.half_life, prompted)
    )


def _on_the_clock(minutes: Floats, now: datetime) -> Floats:
    """Times of day on the day of now: those that a change of clocks skips move on by an hour."""
    midnight = datetime.combine(now.date(), time(), now.tzinfo)
    if (now.utcoffset() or timedelta()) <= (midnight.utcoffset() or timedelta()):
        return minutes
    moved = [minute_of(at_wall_clock(now.date(), int(minute), now)) for minute in minutes]
    return np.array(moved)


def _due_rows(timing: HabitTiming, offset: Floats, day_known: bool) -> Ints:
    """The times of day that may be meant now: those that are open already, else those that are near."""
    latest = np.maximum(_LAST_SPREADS * timing.spread, _MOST_REACH)
    return np.flatnonzero(
        (offset <= latest) & (offset >= (timing.opens - _EARLIEST if day_known else -latest))
    )


def _in_the_next_hour(rate: Floats, offset: Floats, spread: Floats) -> Floats:
    """The chance within the next hour, given that it has not come up today."""
    passed = rate * share_before(offset, spread)
    soon = rate * share_before(offset + AHEAD, spread)
    chance: Floats = (soon - passed) / (1 - passed)
    return chance


def _about_now(rate: Floats, offset: Floats, spread: Floats) -> Floats:
    """The chance that now is about when it comes up, with nothing known of the day."""
    reach = np.clip(_REACH * spread, _LEAST_REACH, _MOST_REACH)
    return rate * (share_before(offset + reach, spread) - share_before(offset - reach, spread))


def _minutes_since(table: HabitTable, now: datetime, recent: RecentHabits) -> list[tuple[int, float]]:
    """What was done today before now: the place of each habit, and how many minutes ago."""
    done = [(int(owner), minute_of(now) - minute) for owner, minute in table.on_day(now.toordinal())]
    places = table.places
    done += [
        (places[habit], (now - time).total_seconds() / 60) for habit, time in recent.done if habit in places
    ]
    return [(owner, ago) for owner, ago in done if ago >= 0]


def _is_done(timing: HabitTiming, offset: Floats, done: list[tuple[int, float]]) -> Floats:
    """Which times of day were done already, at the habit's time that was nearest to it."""
    over = np.zeros(len(timing.owner), dtype=bool)
    for owner, ago in done:
        own = np.flatnonzero(timing.owner == owner)
        if len(own):
            apart = np.abs(offset[own] - ago)
            limit = np.maximum(_DONE_SPREADS * timing.spread[own], _DONE_WITHIN)
            nearest = int(np.argmin(apart))
            over[own[(apart <= limit) & (np.arange(len(own)) == nearest)]] = True
    return over


def _after_leader(timing: HabitTiming, done: list[tuple[int, float]]) -> Floats:
    """The chance within the next hour of what follows a habit that was done, if it was not done since."""
    chance = np.zeros(len(timing.leader))
    latest: dict[int, float] = {}
    for owner, ago in done:
        latest[owner] = min(ago, latest.get(owner, ago))
    for leader, ago in latest.items():
        for follower in np.flatnonzero(timing.leader == leader):
            if latest.get(int(follower), np.inf) <= ago:
                continue
            gap, spread = timing.gap[follower], timing.gap_spread[follower]
            often = timing.follows[follower]
            passed = often * share_before(ago - gap, spread)
            soon = often * share_before(ago + AHEAD - gap, spread)
            chance[follower] = (soon - passed) / (1 - passed)
    return chance


def _place(table: HabitTable, scenario: str) -> int:
    """The column of a scenario in the odds; the last for unknown, the last but one for a new one."""
    place = table.place_of(scenario)
    return {-1: len(table.scenarios) + 1, -2: len(table.scenarios)}.get(place, place)
