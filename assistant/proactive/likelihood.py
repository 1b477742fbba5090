"""How likely the user wants each habit now.

Where the day so far is known, the chance is that of the habit's coming up within the next hour, given that it
has not come up yet; a habit that follows another waits for that one. Where nothing is known of the day, the
chance is that of its coming up about now (in place of the paper's Φ, PersonalAlign 5.3). Both rest on when
each habit comes up, see `timing`, and are adjusted for the scenario and the user's answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

import numpy as np

from assistant.proactive.habit_table import Floats, HabitTable, Ints, at_wall_clock, minute_of
from assistant.proactive.timing import AHEAD, DAY, HabitTiming, Prompted, fit_timing, share_before
from assistant.records import State

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
_LEAST_UNLED = 0.1
"""The least that is left of the chance by the clock of a habit that follows another."""


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
    """How much each signal counts; an ablation switches signals off (PersonalAlign Figure 6).

    The scenario counts for a moment by itself, at which something is done there. Ahead of a deed people are
    often still elsewhere, so that it misled on lives of strangers and told nothing on invented ones: while a
    day is followed it counts only with `place_ahead`. Who offers once waits for the best minute before a
    deed; without `waits` a moment is judged that somebody asks about.
    """

    half_life: float = 45.0
    least_days: int = 3
    time: bool = True
    scenario: bool = True
    feedback: bool = True
    sequence: bool = True
    place_ahead: bool = False
    waits: bool = True


@dataclass(frozen=True, slots=True)
class RecentHabits:
    """What was done lately, oldest first: habit ids with their local times.

    `day_known` tells that these and the table have all that was done today; else a moment is judged alone.
    """

    done: tuple[tuple[str, datetime], ...] = ()
    day_known: bool = False


USUAL = LikelihoodWeights()
AT_ONCE = LikelihoodWeights(waits=False)
"""For a moment that somebody asks about."""
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
    offset = (minute_of(state.time) - mean + DAY / 2) % DAY - DAY / 2
    done = _minutes_since(table, state.time, recent)
    rows = (
        np.arange(len(offset))
        if not weighing.time
        else _due_rows(timing, offset, waits=weighing.waits and recent.day_known)
    )
    chance, occasion = np.zeros(len(table)), np.full(len(table), -1.0)
    if len(rows):
        rate = timing.rate[rows]
        if weighing.scenario and (weighing.place_ahead or not recent.day_known):
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
        unled = np.maximum(_LEAST_UNLED, 1 - timing.led) * chance
        chance = np.where(timing.leader >= 0, np.maximum(parts["sequence"], unled), chance)
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
            round(float(timing.mean[row])) % int(DAY),
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


def _due_rows(timing: HabitTiming, offset: Floats, *, waits: bool) -> Ints:
    """The times of day that may be meant now: those that are open already, else those that are near."""
    latest = np.maximum(_LAST_SPREADS * timing.spread, _MOST_REACH)
    return np.flatnonzero((offset <= latest) & (offset >= (timing.opens - _EARLIEST if waits else -latest)))


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
