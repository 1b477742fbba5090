"""How likely the user wants each prototype now: our answer to the paper's Φ (PersonalAlign 5.3).

The chance is the share of days like today on which the habit came up at about this time, from what all days
say to what days of its kind and this very weekday say; old days count less. It is moved by the scenario, by
how long the habit has not come up when it should have, by what was done already today, by what usually
follows what was just done, and by what the user made of earlier suggestions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from assistant.proactive.habits import Floats, HabitTable, Ints, circular, minute_of
from assistant.records import State

_EVERY_DAY_PRIOR = 0.02
_EVERY_DAY_WEIGHT = 2.0
_KIND_WEIGHT = 0.5
_LEAST_WEEKDAY_WEIGHT = 1.0
"""What days of the same kind count beside those of this very weekday: as much as these, but at least this."""
_DAYS_BEFORE = 0.1
"""What a day before the habit's first counts of a day since then."""
_REACH = 60.0
"""Minutes to either side of now in which an occasion counts in full; it counts for nothing at twice that."""
_REGULAR = 0.5
"""The share of a habit's occasions at about this time from which its time of day counts as its own."""
_MOST_ODDS = 1.0
_LEAST_ODDS = 0.5
_PLACE_PRIOR = 2.0
_GIVING_UP = 0.01
_SUREST = 0.9
"""However regular a habit was, one day without it is not taken for its end."""
_AGAIN_TODAY = 0.1
_DONE_WITHIN = 180.0
_FOLLOWS_WITHIN = 45.0
_FOLLOWS_PRIOR = 2.0


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the user made of suggestions of one habit; old answers may count as fractions."""

    accepted: float = 0.0
    rejected: float = 0.0

    @property
    def factor(self) -> float:
        """What it does to the chance: the mean of a Beta posterior over that of its prior, at most 1."""
        return min(1.0, 3 * (1.5 + self.accepted) / (4.5 + self.accepted * 3 + self.rejected * 9))


@dataclass(frozen=True, slots=True)
class Weighing:
    """What counts how much. Switches off what an ablation leaves out (PersonalAlign Figure 6)."""

    half_life: float = 28.0
    least_days: int = 3
    time: bool = True
    scenario: bool = True
    feedback: bool = True
    sequence: bool = True


@dataclass(frozen=True, slots=True)
class Recent:
    """What was done lately, newest last: habit ids with their local times."""

    done: tuple[tuple[str, datetime], ...] = ()


USUAL = Weighing()
NOTHING_DONE = Recent()


@dataclass(frozen=True, slots=True)
class Chances:
    """The chance of each habit, 0..1, in the table's order, and the parts that made it, for `why`.

    `rank` orders habits that are likely at once: it asks in addition how closely now lies to the usual time.
    """

    chance: Floats
    rank: Floats
    parts: Mapping[str, Floats] = field(default_factory=dict)


def chances(
    table: HabitTable,
    state: State,
    weighing: Weighing = USUAL,
    feedback: Mapping[str, Feedback] | None = None,
    recent: Recent = NOTHING_DONE,
) -> Chances:
    """How likely each habit is wanted in a state. Only what lies before the state is looked at.

    Args:
        table: the habits.
        state: local time with zone, and the scenario.
        weighing: what counts how much.
        feedback: what the user made of suggestions, by habit id.
        recent: what was done lately and is not yet part of the table.
    """
    if not len(table):
        return Chances(np.zeros(0), np.zeros(0))
    wide, near = _by_time(table, state.time, weighing, np.full(len(table), _REACH))
    close, _ = _by_time(table, state.time, weighing, table.spread)
    parts = {"time": wide}
    if weighing.scenario:
        parts["scenario"] = _scenario_odds(table, state.scenario, near)
        wide, close = _moved(wide, parts["scenario"]), _moved(close, parts["scenario"])
    chance = wide
    parts["regular"] = _regular(table, state.time.toordinal(), near, weighing)
    parts["alive"] = _alive(table, state.time.toordinal(), weighing)
    parts["again"] = _again(table, state.time, recent)
    chance = chance * parts["regular"] * parts["alive"] * parts["again"]
    if weighing.sequence:
        parts["sequence"] = _following(table, state.time, recent)
        chance = 1 - (1 - chance) * (1 - parts["sequence"])
    if weighing.feedback and feedback:
        parts["feedback"] = np.array([feedback.get(one, Feedback()).factor for one in table.ids])
        chance = chance * parts["feedback"]
    enough = _days_seen(table, state.time.toordinal()) >= weighing.least_days
    chance = np.where(enough, chance, 0.0)
    return Chances(
        chance, chance * np.sqrt(np.divide(close, wide, out=np.ones_like(wide), where=wide > 0)), parts
    )


def _moved(chance: Floats, odds: Floats) -> Floats:
    """A chance whose odds are multiplied."""
    moved: Floats = chance * odds / (1 - chance + chance * odds)
    return moved


def _fading(table: HabitTable, today: int, weighing: Weighing) -> Floats:
    """The weight of each day of the table, seen from today; days from today on have none."""
    days = np.arange(len(table.days.presence)) + table.days.first
    weight = np.power(0.5, (today - days) / weighing.half_life) * table.days.presence
    return np.where(days < today, weight, 0.0)


def _by_time(table: HabitTable, now: datetime, weighing: Weighing, reach: Floats) -> tuple[Floats, Floats]:
    """The chance by time alone; and how near each occasion lies to now, faded, for what else is asked of it.

    `reach` is for each habit half the width of what counts as this time of day, in minutes.
    """
    today = now.toordinal()
    fading = _fading(table, today, weighing)
    apart = circular(table.minute - minute_of(now))
    near = np.clip(2.0 - apart / reach[table.owner], 0.0, 1.0) if weighing.time else np.ones_like(apart)
    near = np.where(table.day < today, near, 0.0)
    came = np.maximum.reduceat(near, table.group_start)
    index = table.group_day - table.days.first
    came_weight = came * fading[index]
    free = table.calendar.is_free(now.date())
    same_kind, same_weekday = table.days.free == free, table.days.weekday == now.weekday()
    chance = np.full(len(table), _EVERY_DAY_PRIOR)
    levels = (
        (np.ones_like(same_kind), _EVERY_DAY_WEIGHT),
        (same_kind, _KIND_WEIGHT),
        (same_kind & same_weekday, None),
    )
    for days, fixed in levels:
        came_then, lived = table.per_habit(came_weight * days[index]), _exposure(table, fading * days)
        weight = np.maximum(_LEAST_WEEKDAY_WEIGHT, lived) if fixed is None else fixed
        chance = (came_then + weight * chance) / (lived + weight)
        if not weighing.time:
            break
    return chance, near * fading[table.day - table.days.first]


def _regular(table: HabitTable, today: int, near: Floats, weighing: Weighing) -> Floats:
    """Less for what is done at any time of day, however often: little of it lies at about this time."""
    if not weighing.time:
        return np.ones(len(table))
    faded = _fading(table, today, weighing)[table.day - table.days.first]
    here = np.bincount(table.owner, weights=near, minlength=len(table))
    share = here / np.maximum(1e-9, np.bincount(table.owner, weights=faded, minlength=len(table)))
    return np.minimum(1.0, share / _REGULAR).astype(np.float64)


def _exposure(table: HabitTable, weights: Floats) -> Floats:
    """The weight of the days since each habit first came up, and a little of those before."""
    total = np.concatenate(([0.0], np.cumsum(weights)))
    before = total[table.first_day - table.days.first]
    exposure: Floats = total[-1] - (1 - _DAYS_BEFORE) * before
    return exposure


def _scenario_odds(table: HabitTable, scenario: str, near: Floats) -> Floats:
    """How much more likely the habit's occasions at this time had this scenario than the user's others."""
    place = table.place_of(scenario)
    count = len(table)
    if place == -1:
        return np.ones(count)
    known = table.place >= 0
    kinds = max(1, len(table.scenarios)) + 1
    here = known & (table.place == place)
    always_known = np.bincount(table.owner, weights=known.astype(float), minlength=count)
    always_here = np.bincount(table.owner, weights=here.astype(float), minlength=count)
    usual = (always_here.sum() + 1) / (always_known.sum() + kinds)
    share_always = (always_here + _PLACE_PRIOR * usual) / (always_known + _PLACE_PRIOR)
    then_known = np.bincount(table.owner, weights=near * known, minlength=count)
    then_here = np.bincount(table.owner, weights=near * here, minlength=count)
    share_then = (then_here + _PLACE_PRIOR * share_always) / (then_known + _PLACE_PRIOR)
    odds: Floats = np.clip(share_then / usual, _LEAST_ODDS, _MOST_ODDS)
    return odds


def _alive(table: HabitTable, today: int, weighing: Weighing) -> Floats:
    """The chance that the habit has not been given up, from the days on which it should have come up since.

    On each such day it is missed with one minus its share of such days, or given up with a small chance.
    """
    fading = _fading(table, today, weighing)
    came = np.where(table.group_day < today, 1.0, 0.0)
    index = table.group_day - table.days.first
    count = len(table)
    log_missed = np.zeros(count)
    days = np.arange(len(fading)) + table.days.first
    for weekday in range(7):
        chosen = table.days.weekday == weekday
        came_then = np.bincount(table.group_owner, weights=came * chosen[index], minlength=count)
        usable = chosen & (days < today)
        lived = _between(usable * table.days.presence, table.first_day, table.last_day + 1, table.days.first)
        share = np.clip((came_then + 0.1) / (lived + 0.5), 0.0, _SUREST)
        since = _between(
            usable * table.days.presence, np.minimum(table.last_day + 1, today), today, table.days.first
        )
        log_missed += since * np.log1p(-share)
    missed = np.exp(log_missed)
    alive: Floats = missed / (missed + 5 * _GIVING_UP * (1 - missed))
    return alive


def _between(weights: Floats, start: Ints, end: Ints | int, first: int) -> Floats:
    """Sums of day weights from `start` to before `end`, by habit."""
    total = np.concatenate(([0.0], np.cumsum(weights)))
    low = np.clip(np.asarray(start) - first, 0, len(weights)).astype(int)
    high = np.clip(np.asarray(end) - first, 0, len(weights)).astype(int)
    found: Floats = np.maximum(0.0, total[high] - total[low])
    return found


def _again(table: HabitTable, now: datetime, recent: Recent) -> Floats:
    """Less for what was done already today at about this time."""
    factor = np.ones(len(table))
    minute = minute_of(now)
    today = (table.day == now.toordinal()) & (table.minute <= minute) & (minute - table.minute < _DONE_WITHIN)
    factor[table.owner[today]] = _AGAIN_TODAY
    places = {one: place for place, one in enumerate(table.ids)}
    for habit, time in recent.done:
        if habit in places and 0 <= (now - time).total_seconds() / 60 < _DONE_WITHIN:
            factor[places[habit]] = _AGAIN_TODAY
    return factor


def _following(table: HabitTable, now: datetime, recent: Recent) -> Floats:
    """The chance that a habit follows what was done last, from how often it did."""
    found = np.zeros(len(table))
    places = {one: place for place, one in enumerate(table.ids)}
    just = [
        (places[habit], time)
        for habit, time in recent.done
        if habit in places and 0 <= (now - time).total_seconds() / 60 <= _FOLLOWS_WITHIN
    ]
    if not just:
        return found
    last, _ = max(just, key=lambda one: one[1])
    instant = table.day * 1440.0 + table.minute
    firsts = instant[table.owner == last]
    if len(firsts) < 2:
        return found
    for place in range(len(table)):
        if any(place == done for done, _ in just):
            continue
        own = np.sort(instant[table.owner == place])
        after = np.searchsorted(own, firsts, side="right")
        gap = np.where(after < len(own), own[np.minimum(after, len(own) - 1)] - firsts, np.inf)
        found[place] = (gap <= _FOLLOWS_WITHIN).sum() / (len(firsts) + _FOLLOWS_PRIOR)
    return found


def _days_seen(table: HabitTable, today: int) -> Floats:
    return table.per_habit((table.group_day < today).astype(float))
