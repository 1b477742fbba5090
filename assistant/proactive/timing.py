"""When each habit comes up on a day.

`fit_timing` finds when each habit comes up on a day: up to four times of day, as a mixture of normal
distributions over an even background. Each time has a mean, a spread and a chance for the day in question.
The mean follows the newest occasions if that predicted them better; the spread is the error of these
predictions.
A habit that comes up a steady while after another waits for that one instead of the clock. All habits are
fitted at once, for one day. Judging a moment of it then takes a few passes over the times.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from math import comb

import numpy as np
from numpy.typing import NDArray

from assistant.proactive.habit_table import (
    KINDS,
    Floats,
    HabitTable,
    Ints,
    calendar_rate,
    circular_distance,
    daily_rate,
    day_kind,
    day_kinds,
)

Bools = NDArray[np.bool_]
Prompted = frozenset[tuple[str, int, float]]
"""When suggestions were made that were accepted: habit, the day's ordinal, the minute of the day."""

DAY = 1440.0
_LATEST = 60
"""So many of a habit's newest occasions are read for its times of day."""
_SAME = 45.0
"""Minutes within which a second occasion of a day is the same one again."""
_PROMPTED = 10.0
"""Minutes from a suggestion that was accepted within which what was done is due to it."""
_TIMES = 4
"""The most times of day of a habit, one for each shift. What comes up more often on a day has no hour."""
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
"""The chance that a habit ends at an occasion: the dropout of models of buying till one dies (BG/BB: Fader,
Hardie and Shang, Marketing Science 2010). No habit of an invented life ends in its last weeks, so that lower
chances always do better there; on logs they do not."""
_LEAVING = (0.01, 0.2)
"""The chances of a day that a stretch of unusual days begins, and that it ends."""
_SELDOM_AWAY = 0.15
"""The share of its rate at which a habit comes up on unusual days."""
_RATE_EVIDENCE = (0.3, 0.7)
"""Days with and without a habit that are added to those seen, so that few days make no sure rate."""
_USUAL_ROUNDS = 2
_SUREST = 0.9
"""The highest rate assumed for a habit, so that a single missed day never means that it ended."""
_COULD, _USUAL_DAY = 0.15, 0.5
"""The least rate of a kind of day, and how usual a day must be, for a miss on it to tell something."""
_CHAINED = 0.05
"""The prior chance that a time of day carries on from one day to the next."""
_PLACE_PRIOR = 2.0
_MOST_ODDS, _LEAST_ODDS = 2.0, 0.1
_AFTER_LEADER = 45.0
_FOLLOWER_SHARE = 0.6
_STILL, _STILL_LED = 4.0, 0.3
"""Occasions after which one counts half for whether a leader is still followed, and the least share for it.
Who gives up the leader goes on with what followed it, by the clock."""
_STEADIER = 0.75
"""A follower keeps to its leader if the gap spreads at most this much of what its time of day does."""
_LEAST_PAIRS = 3
_LEAST_ARRIVALS, _ARRIVES, _NOT_THERE = 5, 0.8, 0.1
"""A habit leads to a place if, of so many occasions, at least this share is followed by something done there,
and at most this one is itself there or comes after something that is."""
_GAP_SPREAD = 3.0
_SAME_HOUR = 60.0
"""Minutes between the times of day of two habits of which one may be done instead of the other."""
_LEAST_ALTERNATIVES, _SHARED_DAYS, _BY_CHANCE = 4, 0.1, 0.005
"""Such habits came up on so many days, share at most this part of them, and are rarer by chance than this."""
_LOSS = 0.38
_EARLY = 0.01
AHEAD = 60.0
"""Minutes: a suggestion is wanted if the deed comes within this time."""


@dataclass(frozen=True, slots=True)
class HabitTiming:
    """The times of day of all habits, as fitted for one day.

    The first six have one row for each time, those from `leader` to `arrives` one entry for each habit.

    Attributes:
        owner: the habit's place in the table.
        mean: the minute of the day at which it comes up; `spread` is the deviation from it in minutes.
        rate: the chance that it comes up on this day.
        opens: the minute from which it may be offered.
        place: the odds for each scenario; the last column is for one never seen.
        leader: the habit that it follows, or -1.
        gap: after how many minutes it follows; `gap_spread` is the deviation from that.
        follows: how often it follows.
        led: the share of its occasions that came after that one.
        arrives: the scenario that the user comes to by it, such as home, or -1.
        instead: of two habits, by rows and columns, whether either is done instead of the other.
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
    led: Floats
    arrives: Ints
    instead: Bools


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
    mean, spread, so_far = _predict(rows, time_of, slot)
    rate = _rate_on(table, rows, time_of, slot, today, half_life)
    leaders = _find_leaders(table, today.toordinal(), slot, so_far, rate)
    fitted = HabitTiming(
        owner,
        mean,
        spread,
        rate,
        _opening(spread, rate),
        np.zeros((0, 0)),
        *leaders,
        _find_arrivals(table, today.toordinal()),
        _find_alternatives(table, today.toordinal(), owner, mean),
    )
    place = _place_odds(table, rows, time_of, slot, fitted, half_life, today.toordinal())
    return replace(fitted, place=place)


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
        gap[begins] = by_minute[begins] + DAY - by_minute[ends]
    longest = np.zeros(habits)
    np.maximum.at(longest, by_owner, gap)
    origin = np.zeros(habits)
    at_longest = gap == longest[by_owner]
    origin[by_owner[at_longest]] = by_minute[at_longest]
    return (minute - origin[owner]) % DAY, origin


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
    is_near = density.max(axis=1, initial=0.0) > _BACKGROUND / DAY
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
        total = density.sum(axis=2) + _BACKGROUND / DAY
        member = density / total[:, :, None] * weight[:, :, None]
    return mean, np.sqrt(variance), share, (np.log(total) * weight).sum(axis=1)


def _predict(rows: _Rows, time_of: Ints, slot: Ints) -> tuple[Floats, Floats, Floats]:
    """The mean, in minutes of the day, and the spread of each time of day on the next day.

    The third is the spread so far, with no more expected of it than of the gap between two habits.
    """
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
    so_far = np.sqrt((best_error + _NARROW_WEIGHT * _GAP_SPREAD**2) / (number + _NARROW_WEIGHT))
    return (mean + rows.origin[slot // _TIMES]) % DAY, spread, so_far


def _rate_on(
    table: HabitTable, rows: _Rows, time_of: Ints, slot: Ints, today: date, half_life: float
) -> Floats:
    """The chance that each time of day comes up on a usual day, from the days on which it did."""
    if not len(slot):
        return np.zeros(0)
    ordinal, first = today.toordinal(), table.days.first
    all_days = np.arange(len(table.days.presence)) + first
    before = (all_days < ordinal) & (all_days >= ordinal - _LONGEST)
    days = all_days[before]
    if not len(days):
        return np.zeros(len(slot))
    fading = np.power(0.5, (ordinal - days) / half_life) * table.days.presence[before]
    came = np.zeros((len(slot), len(days)))
    used = (time_of >= 0) & (rows.day >= ordinal - _LONGEST)
    came[np.searchsorted(slot, time_of[used]), rows.day[used] - days[0]] = 1.0
    begun = np.arange(len(days)) >= came.argmax(axis=1)[:, None]
    kind = np.eye(KINDS)[day_kinds(table)[before]]
    usual = _usual_days(came, begun, table.days.presence[before], kind)
    presence = table.days.presence[before] * usual
    fading = fading * usual
    weight = np.where(begun, fading, _DAYS_BEFORE * fading)
    kind_today = day_kind(today.weekday(), free=table.calendar.is_free(today))
    rate, _ = daily_rate(kind_today, (came * fading) @ kind, weight @ kind)
    # Rules of the month need more days than those that count for the rate, so all days count in full there.
    lived = begun * presence
    _, evidence = daily_rate(kind_today, came @ kind, lived @ kind)
    rate = calendar_rate(came, lived, days, ordinal, rate, evidence)
    rate = _carry_on(came, lived, kind, days, rate, ordinal, kind_today)
    sure = table.certainty[slot // _TIMES]
    return rate * _alive(table.days.weekday[before], presence, came, begun, sure)


def _carry_on(
    came: Floats, lived: Floats, kind: Floats, days: Ints, rate: Floats, today: int, kind_today: int
) -> Floats:
    """The rates where whether a time of day came up tells whether it comes up the next time, as with shifts.

    Who works early one week and late the next does each thing at its early time for days on end and then
    not at all: at a rate of a half, both times would be offered every day. A chain of two states is weighed
    against days that do not depend on one another, for the next day and after a longer gap apart.

    Args:
        came: times of day by days, 1 where it came up.
        lived: of the same shape; the weight of each day.
        kind: days by kinds of day, one 1 in each row.
        days: the ordinals of the days.
        rate: the chance for today by the kind of day.
        today: the ordinal of today.
        kind_today: its kind.
    """
    share = (came @ kind + _RATE_EVIDENCE[0]) / (lived @ kind + sum(_RATE_EVIDENCE))
    could = (lived >= _USUAL_DAY) & (share @ kind.T >= _COULD)
    place = np.maximum.accumulate(np.where(could, np.arange(len(days)), -1), axis=1)
    before = np.concatenate((np.full((len(came), 1), -1), place[:, :-1]), axis=1)
    row = np.arange(len(came))[:, None]
    paired, then = could & (before >= 0), came[row, before] > 0
    apart = days - days[before]
    last = place[:, -1]
    was, gap = came[row[:, 0], last] > 0, today - days[last]
    carried = rate
    for next_day in (True, False):
        of_gap = paired & ((apart == 1) == next_day)
        counts = np.stack(
            [
                [
                    (of_gap & (then == state) & (came > 0)).sum(axis=1),
                    (of_gap & (then == state) & (came == 0)).sum(axis=1),
                ]
                for state in (False, True)
            ]
        ).astype(float)
        pooled = counts.sum(axis=0)
        chain, alone = _log_evidence(counts).sum(axis=0), _log_evidence(pooled)
        weight = _CHAINED / (_CHAINED + (1 - _CHAINED) * np.exp(np.clip(alone - chain, -30.0, 30.0)))
        each = np.where(was, counts[1], counts[0])
        usual = (pooled[0] + 0.5) / (pooled.sum(axis=0) + 1)
        after = (each[0] + usual) / (each.sum(axis=0) + 1)
        odds = rate / (1 - rate) * (after / (1 - after)) / (usual / (1 - usual))
        holds = (last >= 0) & ((gap == 1) == next_day) & (share[:, kind_today] >= _COULD)
        carried = np.where(holds, (1 - weight) * rate + weight * odds / (1 + odds), carried)
    raised = np.maximum(rate, np.minimum(carried, _SUREST))
    return np.where(carried > rate, raised, carried)


def _log_evidence(counts: Floats) -> Floats:
    """The logarithm of how likely days are of which some have it and others not, whatever the rate."""
    came, missed = (counts[..., place, :].astype(np.int64) for place in (0, 1))
    factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, _LONGEST + 2)))))
    evidence: Floats = factorial[came] + factorial[missed] - factorial[came + missed + 1]
    return evidence


def _usual_days(came: Floats, begun: Bools, presence: Floats, kind: Floats) -> Floats:
    """How likely each day was a usual one, not one of a journey or an illness.

    A chain of two states: on usual days each time of day comes up at its own rate, on others seldom. Else a
    week away would count as missed for all habits at once.

    Args:
        came: times of day by days, 1 where it came up.
        begun: whether the time of day had begun.
        presence: how sure the user was there, by day.
        kind: days by kinds of day, one 1 in each row.
    """
    last = came.shape[1] - 1 - came[:, ::-1].argmax(axis=1)
    live = begun & (np.arange(came.shape[1]) <= last[:, None])
    usual = np.ones(came.shape[1])
    for _round in range(_USUAL_ROUNDS):
        weight = live * presence * usual
        rate = ((came * weight) @ kind + _RATE_EVIDENCE[0]) / (weight @ kind + sum(_RATE_EVIDENCE))
        rate = np.clip(rate @ kind.T, 0.02, _SUREST)
        seldom = _SELDOM_AWAY * rate
        favour = np.where(came > 0, np.log(_SELDOM_AWAY), np.log1p(-seldom) - np.log1p(-rate))
        away = np.exp(np.clip((favour * live).sum(axis=0), -30.0, 30.0))
        usual = _smooth(away)
    return usual


def _smooth(away: Floats) -> Floats:
    """The chance of each day's being usual, forward and backward, given how much likelier it is if not."""
    leaving, returning = _LEAVING
    change = np.array([[1 - leaving, leaving], [returning, 1 - returning]])
    forward = np.empty((len(away), 2))
    state = np.array([1.0, leaving / returning])
    for day, ratio in enumerate(away):
        state = state * (1.0, ratio)
        state /= state.sum()
        forward[day] = state
        state = state @ change
    backward = np.ones(2)
    usual = np.empty(len(away))
    for day in range(len(away) - 1, -1, -1):
        both = forward[day] * backward
        usual[day] = both[0] / both.sum()
        backward = change @ (backward * (1.0, away[day]))
        backward /= backward.sum()
    return usual


def _alive(weekdays: Ints, presence: Floats, came: Floats, begun: Bools, sure: Floats) -> Floats:
    """The chance that a time of day is of a habit, and that it was not given up.

    The days since its last on which it was missed tell of both: what only looked like a habit stays away.

    Args:
        weekdays: of the days.
        presence: how sure the user was there, by day.
        came: times of day by days, 1 where it came up.
        begun: whether the time of day had begun.
        sure: how certain its habit was one when it last came up, see `HabitOccasions`.
    """
    weekday = np.eye(7)[weekdays] * presence[:, None]
    since = np.cumsum(came[:, ::-1], axis=1)[:, ::-1] == 0
    here = came @ weekday
    lived = (begun & ~since) @ weekday
    share = np.clip((here + 0.1) / (lived + 0.5), 0.0, _SUREST)
    missed = np.exp(((since @ weekday) * np.log1p(-share)).sum(axis=1))
    alive: Floats = sure * missed / (sure * (missed + _GIVING_UP * (1 - missed)) + 1 - sure)
    return alive


def _opening(spread: Floats, rate: Floats) -> Floats:
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
    table: HabitTable, today: int, slot: Ints, spread: Floats, rate: Floats
) -> tuple[Ints, Floats, Floats, Floats, Floats]:
    """What each habit follows, after how many minutes, with what spread, how often, and what share does."""
    habits = len(table)
    leader, gap, gap_spread, follows, led = (
        np.full(habits, -1, dtype=np.int64),
        np.zeros(habits),
        np.full(habits, _NARROW),
        np.zeros(habits),
        np.zeros(habits),
    )
    until = int(np.searchsorted(table.instant, today * DAY))
    instant, owner = table.instant[:until], table.instant_owner[:until]
    if not len(instant) or habits < 2:
        return leader, gap, gap_spread, follows, led
    later, earlier = _followed_occasions(instant, owner, habits)
    pair = owner[earlier] * habits + owner[later]
    times = np.bincount(owner, minlength=habits).astype(float)
    apart = instant[later] - instant[earlier]
    names, place, number = np.unique(pair, return_inverse=True, return_counts=True)
    if not len(names):
        return leader, gap, gap_spread, follows, led
    mean = np.bincount(place, weights=apart) / number
    off = np.bincount(place, weights=(apart - mean[place]) ** 2)
    steady = np.sqrt((off + _NARROW_WEIGHT * _GAP_SPREAD**2) / (number - 1 + _NARROW_WEIGHT))
    lead, follow = names // habits, names % habits
    by_clock = np.full(habits, np.inf)
    owners = slot // _TIMES
    by_clock[owners] = -np.inf
    np.maximum.at(by_clock, owners, spread)
    share, often = number / times[follow], (number + 0.5) / (times[lead] + 1.0)
    by_day = np.zeros(habits)
    np.maximum.at(by_day, owners, rate)
    # Both have their days of the week and may have ended: how often one followed the other on all days tells
    # less of today than how often each comes up today.
    has_days = (by_day[lead] > 0) & (by_day[follow] > 0)
    often = np.where(has_days, share * by_day[follow] / np.maximum(1e-9, by_day[lead]), often)
    newest = np.power(0.5, _later_of_owner(owner) / _STILL)
    still = np.bincount(place, weights=newest[later]) / np.bincount(owner, newest, habits)[follow]
    good = (number >= _LEAST_PAIRS) & (share >= _FOLLOWER_SHARE) & (steady <= _STEADIER * by_clock[follow])
    good &= still >= _STILL_LED
    rank = np.where(good, share * np.minimum(1.0, often) / steady, 0.0)
    for index in np.argsort(rank):
        if rank[index] > 0:
            leader[follow[index]], gap[follow[index]] = lead[index], mean[index]
            gap_spread[follow[index]], follows[follow[index]] = steady[index], min(0.97, often[index])
            led[follow[index]] = min(share[index], still[index])
    return leader, gap, gap_spread, follows, led


def _followed_occasions(instant: Floats, owner: Ints, habits: int) -> tuple[Ints, Ints]:
    """Each occasion and the last one before it of every other habit, not long before, by their indexes."""
    first = np.searchsorted(instant, instant - _AFTER_LEADER, side="left")
    count = np.arange(len(instant)) - first
    later = np.repeat(np.arange(len(instant)), count)
    earlier = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    other = owner[later] != owner[earlier]
    later, earlier = later[other], earlier[other]
    order = np.lexsort((instant[earlier], owner[earlier], later))
    later, earlier = later[order], earlier[order]
    key = later * habits + owner[earlier]
    last = np.flatnonzero(np.append(np.diff(key) != 0, True)) if len(key) else key
    return later[last], earlier[last]


def _find_arrivals(table: HabitTable, today: int) -> Ints:
    """The scenario that the user comes to by each habit, -1 for none.

    Who navigates home does so in the office, was there before, and is at home when something is done next.
    Who plays music for a run outdoors was at home before it too, so that it leads nowhere.
    """
    until = int(np.searchsorted(table.instant, today * DAY))
    place, owner, places = table.instant_place[:until], table.instant_owner[:until], len(table.scenarios)
    arrives = np.full(len(table), -1, dtype=np.int64)
    if not places or not until:
        return arrives
    number = np.arange(until)
    latest = np.maximum.accumulate(np.where(place >= 0, number, -1))
    soonest = np.minimum.accumulate(np.where(place >= 0, number, until)[::-1])[::-1]
    before, after = np.append(-1, latest[:-1]), np.append(soonest[1:], until)
    used = (place >= 0) & (before >= 0) & (after < until)
    counts = np.zeros((3, len(table), places))
    for part, of in enumerate((before, number, after)):
        np.add.at(counts[part], (owner[used], place[of[used]]), 1.0)
    earlier, here, later = counts / np.maximum(1.0, counts.sum(axis=2, keepdims=True))
    comes = (later >= _ARRIVES) & (np.maximum(earlier, here) <= _NOT_THERE)
    enough = counts[1].sum(axis=1) >= _LEAST_ARRIVALS
    return np.where(comes.any(axis=1) & enough, comes.argmax(axis=1), arrives)


def _find_alternatives(table: HabitTable, today: int, owner: Ints, mean: Floats) -> Bools:
    """Which habits are done instead of one another: at about the same hour, and hardly ever on one day.

    Two dishes for lunch serve the same end, whatever they are called. What counts are the days from the first
    to the last on which both were alive, on weekdays on which both come up; that they share so few of these
    must be unlikely by chance (the hypergeometric distribution).

    Args:
        table: the habits.
        today: the ordinal of the day; only what lies before it is looked at.
        owner: the habit of each time of day.
        mean: those times, in minutes.
    """
    habits = len(table)
    instead = np.zeros((habits, habits), dtype=bool)
    before = table.group_day < today
    if habits < 2 or not before.any():
        return instead
    first_day = table.days.first
    came = np.zeros((habits, today - first_day), dtype=np.float32)
    came[table.group_owner[before], table.group_day[before] - first_day] = 1
    times, together = came.sum(axis=1), came @ came.T
    near = np.zeros((habits, habits), dtype=bool)
    rows, columns = np.nonzero(circular_distance(mean[:, None] - mean[None, :]) <= _SAME_HOUR)
    near[owner[rows], owner[columns]] = True
    fewest = np.minimum(times[:, None], times[None, :])
    possible = near & (fewest >= _LEAST_ALTERNATIVES) & (together <= _SHARED_DAYS * fewest)
    weekday = (np.arange(today - first_day) + date.fromordinal(first_day).weekday()) % 7
    for first, second in np.argwhere(np.triu(possible, 1)):
        days = [np.flatnonzero(came[habit]) for habit in (first, second)]
        alive = np.arange(max(days[0][0], days[1][0]), min(days[0][-1], days[1][-1]) + 1)
        alive = alive[np.isin(weekday[alive], np.intersect1d(weekday[days[0]], weekday[days[1]]))]
        chance = _chance_of_so_few(
            len(alive),
            int(came[first, alive].sum()),
            int(came[second, alive].sum()),
            int(together[first, second]),
        )
        instead[first, second] = instead[second, first] = chance < _BY_CHANCE
    return instead


def _chance_of_so_few(days: int, first: int, second: int, together: int) -> float:
    """The chance that two habits share at most so many days if each had chosen its days at random.

    Args:
        days: all days.
        first: on how many of them the first came up.
        second: the same of the second.
        together: on how many both did.
    """
    most = min(together, second)
    ways = sum(comb(first, shared) * comb(days - first, second - shared) for shared in range(most + 1))
    return ways / comb(days, second)


def _later_of_owner(owner: Ints) -> Ints:
    """How many later occasions the same habit has, for each occasion; the occasions are in order."""
    order = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner))
    later = np.empty(len(owner), dtype=np.int64)
    later[order] = ends[owner[order]] - 1 - np.arange(len(owner))
    return later
