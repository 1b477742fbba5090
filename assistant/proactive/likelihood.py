"""How likely the user wants each prototype now: the paper's Φ (PersonalAlign 5.3).

The chance is the rate at which the habit comes up at about this time on such days, since it last changed, and
if it has a time of day at all (see `habit_table`); old days count less. It is adjusted for the scenario, for
how long the habit has not come up when it should have, for what was done already today, for what usually
follows what was just done, and for the user's answers to earlier suggestions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from assistant.proactive.habit_table import (
    KINDS,
    Floats,
    HabitOnset,
    HabitTable,
    Ints,
    circular_distance,
    daily_rate,
    day_kind,
    day_kinds,
    find_onset,
    minute_of,
    timed_probability,
)
from assistant.records import State

_DAYS_BEFORE = 0.1
"""The weight of a day before the habit's first day; a day since then has weight 1."""
_REACH = 60.0
"""Minutes before and after now in which an occasion counts in full; at twice that it counts nothing."""
_MOST_ODDS = 2.0
_LEAST_ODDS = 0.1
_PLACE_PRIOR = 2.0
_GIVING_UP = 0.004
_SUREST = 0.9
"""The highest rate assumed for a habit, so that a single missed day never means that it ended."""
_LATE = 30.0
"""A habit may still come up this many minutes after its time, or its own spread if that is more."""
_AGAIN_TODAY = 0.1
_DONE_WITHIN = 180.0
_FOLLOWS_WITHIN = 45.0
_FOLLOWS_PRIOR = 2.0


@dataclass(frozen=True, slots=True)
class Feedback:
    """How the user answered suggestions of one habit; old answers count as fractions."""

    accepted: float = 0.0
    rejected: float = 0.0

    @property
    def factor(self) -> float:
        """The factor for the chance: the mean of a Beta posterior over that of its prior, at most 1."""
        return min(1.0, 3 * (1.5 + self.accepted) / (4.5 + self.accepted * 3 + self.rejected * 9))


@dataclass(frozen=True, slots=True)
class LikelihoodWeights:
    """How much each signal counts; an ablation switches signals off (PersonalAlign Figure 6)."""

    half_life: float = 28.0
    least_days: int = 3
    time: bool = True
    scenario: bool = True
    feedback: bool = True
    sequence: bool = True


@dataclass(frozen=True, slots=True)
class RecentHabits:
    """What was done in the last hours, newest last: habit ids with their local times."""

    done: tuple[tuple[str, datetime], ...] = ()


USUAL = LikelihoodWeights()
NOTHING_DONE = RecentHabits()


@dataclass(frozen=True, slots=True)
class HabitChances:
    """The chance of each habit, 0..1, in the table's order, and the factors it was made of.

    `rank` orders habits that are likely at once: it also counts how close now is to the usual time.
    """

    chance: Floats
    rank: Floats
    parts: Mapping[str, Floats] = field(default_factory=dict)


def estimate_chances(
    table: HabitTable,
    state: State,
    weighing: LikelihoodWeights = USUAL,
    feedback: Mapping[str, Feedback] | None = None,
    recent: RecentHabits = NOTHING_DONE,
) -> HabitChances:
    """How likely each habit is wanted in a state. Only what lies before the state is looked at.

    Args:
        table: the habits.
        state: local time with zone, and the scenario.
        weighing: how much each signal counts.
        feedback: the answers to suggestions, by habit id.
        recent: what was done in the last hours and is not part of the table yet.
    """
    if not len(table):
        return HabitChances(np.zeros(0), np.zeros(0))
    today = state.time.toordinal()
    fading = _day_weights(table, today, weighing)
    faded = fading[table.day - table.days.first]
    apart = circular_distance(table.minute - minute_of(state.time))
    past = table.day < today
    near = np.where(past, np.clip(2.0 - apart / _REACH, 0.0, 1.0) if weighing.time else 1.0, 0.0)
    close = np.where(past, np.clip(2.0 - apart / table.spread[table.owner], 0.0, 1.0), 0.0)
    parts = _rates_by_time(table, state.time, fading, near, weighing)
    chance = parts["time"] * parts["timed"]
    if weighing.scenario:
        parts["scenario"] = _scenario_odds(table, state.scenario, near * faded, faded)
        chance = _multiply_odds(chance, parts["scenario"])
    parts["alive"] = _alive_chance(table, today)
    parts["again"] = _repeat_factor(table, state.time, recent)
    chance = chance * parts["alive"] * parts["again"]
    if weighing.time:
        chance = _still_to_come(table, state.time, near * faded, chance)
    if weighing.sequence:
        parts["sequence"] = _following_chance(table, state.time, recent)
        chance = 1 - (1 - chance) * (1 - parts["sequence"])
    if weighing.feedback and feedback:
        parts["feedback"] = np.array([feedback.get(habit, Feedback()).factor for habit in table.ids])
        chance = chance * parts["feedback"]
    enough = _days_seen(table, today) >= weighing.least_days
    chance = np.where(enough, chance, 0.0)
    return HabitChances(chance, chance * _closeness(table, close * faded, near * faded), parts)


def _closeness(table: HabitTable, close: Floats, near: Floats) -> Floats:
    """How close now is to a habit's occasions around now, relative to their spread, 0..1."""
    about = np.bincount(table.owner, weights=near, minlength=len(table))
    closely = np.bincount(table.owner, weights=close, minlength=len(table))
    closeness: Floats = np.sqrt(np.divide(closely, about, out=np.ones_like(about), where=about > 0))
    return np.minimum(1.0, closeness)


def _multiply_odds(chance: Floats, odds: Floats) -> Floats:
    """The chance whose odds are the given chance's odds times a factor."""
    moved: Floats = chance * odds / (1 - chance + chance * odds)
    return moved


def _day_weights(table: HabitTable, today: int, weighing: LikelihoodWeights) -> Floats:
    """The weight of each day of the table, seen from today; days from today on have none."""
    days = np.arange(len(table.days.presence)) + table.days.first
    weight = np.power(0.5, (today - days) / weighing.half_life) * table.days.presence
    return np.where(days < today, weight, 0.0)


def _rates_by_time(
    table: HabitTable, now: datetime, fading: Floats, near: Floats, weighing: LikelihoodWeights
) -> dict[str, Floats]:
    """The rate of each habit on such a day at about this time, and the chance that it has a time of day.

    Habits that came up around now on too few days stay at zero.
    """
    came = np.maximum.reduceat(near, table.group_start)
    rate, sure = np.zeros(len(table)), np.ones(len(table))
    days = table.per_habit((came > 0).astype(float))
    chosen = np.flatnonzero(days >= weighing.least_days)
    if len(chosen):
        changed = find_onset(table, came, chosen, now.toordinal())
        today = day_kind(now.weekday(), free=table.calendar.is_free(now.date()))
        counted = _Counted(table, fading, changed, chosen)
        rate[chosen] = daily_rate(today, counted.came(came), counted.lived())
        if weighing.time:
            size = np.diff(np.append(table.group_start, len(table.owner))).astype(float)
            with_it, often = counted.came(np.ones_like(came)).sum(axis=1), counted.came(size).sum(axis=1)
            often = often / np.maximum(1e-9, with_it)
            sure[chosen] = timed_probability(counted.came(came).sum(axis=1), with_it, often)
    return {"time": rate, "timed": sure}


class _Counted:
    """Sums of day weights since a habit last changed, by habit and kind of day.

    Where the day of the change is uncertain, the sums for all possible days are averaged.
    """

    def __init__(self, table: HabitTable, fading: Floats, changed: HabitOnset, chosen: Ints) -> None:
        self._table, self._changed, self._chosen = table, changed, chosen
        self._fading, self._kinds = fading, day_kinds(table)
        row = np.full(len(table), -1)
        row[chosen] = np.arange(len(chosen))
        self._groups = np.flatnonzero(row[table.group_owner] >= 0)
        rows, day = row[table.group_owner[self._groups]], table.group_day[self._groups]
        index = day - table.days.first
        sure = (changed.chance[rows] * (day[:, None] >= changed.first[rows])).sum(axis=1)
        self._weight = sure * fading[index]
        self._cell = rows * KINDS + self._kinds[index]

    def came(self, values: Floats) -> Floats:
        """The weight of the days on which it came up, times a value for each run of one habit on one day."""
        weights = values[self._groups] * self._weight
        size = len(self._chosen) * KINDS
        counted = np.bincount(self._cell, weights=weights, minlength=size).astype(np.float64)
        return counted.reshape(-1, KINDS)

    def lived(self) -> Floats:
        """The weight of the days on which it could have come up, and a little of those before its first."""
        by_kind = np.where(self._kinds == np.arange(KINDS)[:, None], self._fading, 0.0)
        total = np.concatenate((np.zeros((KINDS, 1)), np.cumsum(by_kind, axis=1)), axis=1)
        before = total[:, self._changed.first - self._table.days.first]
        after = total[:, -1][:, None, None] - before
        after[:, :, 0] += _DAYS_BEFORE * before[:, :, 0]
        total_days: Floats = (after * self._changed.chance).sum(axis=2).T
        return total_days


def _scenario_odds(table: HabitTable, scenario: str, near: Floats, faded: Floats) -> Floats:
    """How much more often each habit's occasions at this time have this scenario than the user's others.

    With few occasions the habit's share at any time weighs more, and then the user's share.
    """
    place = table.place_of(scenario)
    count = len(table)
    if place == -1:
        return np.ones(count)
    is_known = table.place >= 0
    is_here = is_known & (table.place == place)

    def by_habit(weights: Floats) -> Floats:
        return np.bincount(table.owner, weights=weights, minlength=count).astype(np.float64)

    kinds = max(1, len(table.scenarios)) + 1
    usual = ((faded * is_here).sum() + 1) / ((faded * is_known).sum() + kinds)
    own_share = (by_habit(faded * is_here) + _PLACE_PRIOR * usual) / (
        by_habit(faded * is_known) + _PLACE_PRIOR
    )
    here_now, known_now = by_habit(near * is_here), by_habit(near * is_known)
    share_now = (here_now + _PLACE_PRIOR * own_share) / (known_now + _PLACE_PRIOR)
    others = (here_now.sum() - here_now + _PLACE_PRIOR * usual) / (known_now.sum() - known_now + _PLACE_PRIOR)
    odds: Floats = np.clip(share_now / others, _LEAST_ODDS, _MOST_ODDS)
    return odds


def _alive_chance(table: HabitTable, today: int) -> Floats:
    """The chance that the habit has not been given up, from the days on which it should have come up since.

    Each such day was missed by chance, with one minus its usual share, or because it was given up.
    """
    by_weekday = np.where(table.days.weekday == np.arange(7)[:, None], table.days.presence, 0.0)
    total = np.concatenate((np.zeros((7, 1)), np.cumsum(by_weekday, axis=1)), axis=1)
    origin, last = table.days.first, total.shape[1] - 1
    first, after = table.first_day - origin, np.minimum(table.last_day + 1 - origin, last)
    now = np.clip(today - origin, 0, last)
    weekday = table.days.weekday[table.group_day - origin]
    cell = (table.group_owner * 7 + weekday)[table.group_day < today]
    came = np.bincount(cell, minlength=7 * len(table)).reshape(-1, 7).T.astype(np.float64)
    lived = np.maximum(0.0, total[:, np.minimum(after, now)] - total[:, np.minimum(first, now)])
    share = np.clip((came + 0.1) / (lived + 0.5), 0.0, _SUREST)
    since_then = np.maximum(0.0, total[:, now][:, None] - total[:, np.minimum(after, now)])
    missed = np.exp((since_then * np.log1p(-share)).sum(axis=0))
    alive: Floats = missed / (missed + 5 * _GIVING_UP * (1 - missed))
    return alive


def _repeat_factor(table: HabitTable, now: datetime, recent: RecentHabits) -> Floats:
    """A factor below 1 for what was done already today at about this time."""
    factor = np.ones(len(table))
    minute = minute_of(now)
    today = (table.day == now.toordinal()) & (table.minute <= minute) & (minute - table.minute < _DONE_WITHIN)
    factor[table.owner[today]] = _AGAIN_TODAY
    places = {habit: place for place, habit in enumerate(table.ids)}
    for habit, time in recent.done:
        if habit in places and 0 <= (now - time).total_seconds() / 60 < _DONE_WITHIN:
            factor[places[habit]] = _AGAIN_TODAY
    return factor


def _following_chance(table: HabitTable, now: datetime, recent: RecentHabits) -> Floats:
    """The chance that a habit follows what was done last, from how often it did."""
    chance = np.zeros(len(table))
    places = {habit: place for place, habit in enumerate(table.ids)}
    just = [
        (places[habit], time)
        for habit, time in recent.done
        if habit in places and 0 <= (now - time).total_seconds() / 60 <= _FOLLOWS_WITHIN
    ]
    if not just:
        return chance
    last, _ = max(just, key=lambda entry: entry[1])
    instant = table.instant
    firsts = instant[table.instant_owner == last]
    if len(firsts) < 2:
        return chance
    begin = np.searchsorted(instant, firsts, side="right")
    count = np.searchsorted(instant, firsts + _FOLLOWS_WITHIN, side="right") - begin
    each = np.repeat(np.arange(len(firsts)), count)
    after = np.arange(count.sum()) + np.repeat(begin - np.cumsum(count) + count, count)
    pairs = np.unique(each * len(table) + table.instant_owner[after])
    chance = np.bincount(pairs % len(table), minlength=len(table)) / (len(firsts) + _FOLLOWS_PRIOR)
    chance[[place for place, _ in just]] = 0.0
    return chance


def _still_to_come(table: HabitTable, now: datetime, near: Floats, chance: Floats) -> Floats:
    """The chance that a habit still comes up today, if today's records are known and do not include it."""
    if now.toordinal() - table.days.first >= len(table.days.presence):
        return chance
    late = np.maximum(_LATE, table.spread)[table.owner]
    earlier = np.clip((minute_of(now) - table.minute) / late - 1.0, 0.0, 1.0)
    about = np.bincount(table.owner, weights=near, minlength=len(table))
    over = np.bincount(table.owner, weights=near * earlier, minlength=len(table))
    passed = np.divide(over, about, out=np.zeros_like(about), where=about > 0)
    still: Floats = chance * (1 - passed) / np.maximum(1e-9, 1 - chance * passed)
    return still


def _days_seen(table: HabitTable, today: int) -> Floats:
    return table.per_habit((table.group_day < today).astype(float))
