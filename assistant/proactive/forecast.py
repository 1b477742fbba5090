"""How likely the user wants each habit, now and in the days to come, and which of them are worth suggesting.

Where the day so far is known, the chance is that of the habit's coming up within the next hour, given that it
has not come up yet; a habit that follows another waits for that one. Where nothing is known of the day, the
chance is that of its coming up about now (in place of the paper's Φ, PersonalAlign 5.3). Both rest on when
each habit comes up, see `timing`, and are adjusted for the scenario and the user's answers.

The forecast of the days to come is the trigger form of proactivity (PersonalAlign C.2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import takewhile
from math import prod

import numpy as np
from sqlalchemy import select

from assistant.events import Answer
from assistant.memory import schema
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import RevisionCache, Store
from assistant.proactive.habit_table import (
    Calendar,
    Floats,
    HabitOccasions,
    HabitTable,
    Ints,
    at_wall_clock,
    group_variants,
    is_same_wish,
    minute_of,
)
from assistant.proactive.suggestions import RoutineCandidate, Suggestion, find_reasons
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
    if weighing.scenario:
        has_arrived = (timing.arrives >= 0) & (timing.arrives == table.place_of(state.scenario))
        chance = np.where(has_arrived, 0.0, chance)
    if weighing.feedback and feedback:
        parts["feedback"] = np.array([feedback.get(habit, Feedback()).factor for habit in table.ids])
        chance = chance * parts["feedback"]
    is_enough = table.days_with(state.time.toordinal()) >= weighing.least_days
    chance = np.where(is_enough, chance, 0.0)
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


def find_done_instead(table: HabitTable, habit: str, day: date, prompted: Prompted = frozenset()) -> set[str]:
    """The habits that are done instead of one: at about its hour, and hardly ever on the same day."""
    if habit not in table.places:
        return set()
    timing = _fitted(table, day, USUAL, prompted)
    return {table.ids[other] for other in np.flatnonzero(timing.instead[table.places[habit]])}


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
    """Which times of day were done already, by the habit or one done instead, at its time nearest to that."""
    over = np.zeros(len(timing.owner), dtype=bool)
    for owner, ago in done:
        for habit in (owner, *np.flatnonzero(timing.instead[owner])):
            own = np.flatnonzero(timing.owner == habit)
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


MOST_AT_ONCE = 3
"""The most routines returned for one moment; the first of them is the one to offer."""
_BESIDE = 0.6
"""A further routine must rank at least this share of the first."""
EVIDENCE = 20
"""The most records named as evidence."""


def threshold(cost_of_being_wrong: float) -> float:
    """The chance from which a suggestion is worth it.

    Args:
        cost_of_being_wrong: the cost of a needless suggestion, relative to the value of a wanted one.
    """
    return cost_of_being_wrong / (1 + cost_of_being_wrong)


def choose_candidates(
    table: HabitTable,
    judged: HabitChances,
    prototypes: Mapping[str, Prototype],
    state: State,
    least: float,
) -> list[RoutineCandidate]:
    """What is worth suggesting, best first.

    Args:
        table: the habits.
        judged: their chances.
        prototypes: the routines, by id; hidden ones are never suggested, and none outside of the hours and
            the place that the user set for it.
        state: the state that was judged, for the reasons.
        least: the chance from which a suggestion is worth it.
    """
    likely = sorted(
        (index for index in range(len(table)) if judged.chance[index] >= least),
        key=lambda place: (-judged.rank[place], table.ids[place]),
    )
    prototypes_by_rank = [prototypes[table.ids[place]] for place in likely]
    ranks = {table.ids[place]: float(judged.rank[place]) for place in likely}
    chances = {table.ids[place]: float(judged.chance[place]) for place in likely}
    allowed = [
        prototype
        for prototype in prototypes_by_rank
        if not prototype.hidden and fits_user_limits(prototype, state)
    ]
    best = ranks[allowed[0].id] if allowed else 0.0
    return [
        RoutineCandidate(
            routine=prototype.id,
            instruction=prototype.instruction,
            score=round(chances[prototype.id], 4),
            evidence=prototype.evidence[:EVIDENCE],
            why=find_reasons(prototype.members, state),
        )
        for prototype in allowed[:MOST_AT_ONCE]
        if ranks[prototype.id] >= _BESIDE * best
    ]


def fits_user_limits(prototype: Prototype, state: State) -> bool:
    """Whether the hours and the place that the user set for a routine, if any, match the state."""
    is_right_place = not prototype.place or prototype.place == state.scenario
    return is_right_place and (prototype.window is None or prototype.window.contains(state.time))


@dataclass(frozen=True, slots=True)
class Habits:
    """The prototypes that may be suggested, and when they came up, as of a day."""

    prototypes: Mapping[str, Prototype]
    table: HabitTable

    @property
    def wordings(self) -> Mapping[str, frozenset[str]]:
        """The variants of each routine that ask for the same in other words, not for something else since."""
        return self.table.fitted(
            "wordings",
            lambda: {
                routine: frozenset(
                    other
                    for other in others
                    if is_same_wish(self.prototypes[routine], self.prototypes[other])
                )
                for routine, others in self.table.variants.items()
            },
        )

    def judge(
        self,
        state: State,
        cost_of_being_wrong: float,
        weighing: LikelihoodWeights = USUAL,
        feedback: Mapping[str, Feedback] | None = None,
        recent: RecentHabits = NOTHING_DONE,
        prompted: Prompted = frozenset(),
    ) -> list[RoutineCandidate]:
        """What is worth suggesting in a state, best first; see `estimate_chances`, `choose_candidates`."""
        judged = estimate_chances(self.table, state, weighing, feedback, recent, prompted)
        return choose_candidates(self.table, judged, self.prototypes, state, threshold(cost_of_being_wrong))


def load_habits(
    memory: HierarchicalMemory,
    user_id: str,
    calendar: Calendar,
    today: date | None = None,
    least_days: int = 3,
) -> Habits:
    """The habits in a user's memory; what has fewer than `least_days` records in all is never suggested.

    Archived prototypes are included: whether a habit was given up is judged from its days.

    Args:
        memory: the prototypes.
        user_id: whose.
        calendar: tells free days from others.
        today: the day up to which nothing having happened counts.
        least_days: the days of evidence that a routine needs.
    """
    every = [prototype for prototype in memory.prototypes(user_id) if not prototype.hidden]
    prototypes, variants = select_habits(every, memory.wordings(every), least_days)
    return Habits(prototypes, HabitTable(variants, calendar, today))


def select_habits(
    prototypes: Sequence[Prototype], wordings: Sequence[Sequence[str]], least_records: int
) -> tuple[dict[str, Prototype], list[HabitOccasions]]:
    """The prototypes that may be suggested, by id, and the habits that they are.

    Args:
        prototypes: all of a user.
        wordings: which of them are one habit in other words.
        least_records: how many records a habit needs, in whatever words.
    """
    count = {prototype.id: len(prototype.members) for prototype in prototypes}
    habits = [names for names in wordings if sum(count.get(name, 0) for name in names) >= least_records]
    kept = {name for names in habits for name in names}
    enough = {each.id: each for each in prototypes if count[each.id] >= least_records or each.id in kept}
    return enough, group_variants(enough.values(), habits)


class HabitCache:
    """A user's habits by day.

    Args:
        store: the memory, to see whether it has changed.
        memory: opens the prototypes; called when they are first needed, as this may take long.
        user_id: whose.
        calendar: tells free days from others.
    """

    def __init__(
        self, store: Store, memory: Callable[[], HierarchicalMemory], user_id: str, calendar: Calendar
    ) -> None:
        self._store = store
        self._open = memory
        self._memory: HierarchicalMemory | None = None
        self._user_id = user_id
        self._calendar = calendar
        tables = (*schema.PROTOTYPE_TABLES, schema.learning_switches)
        self._habits = RevisionCache(store, self._load, tables, self._bring_up)

    def __call__(self, today: date) -> Habits:
        """The habits as of a day.

        Raises:
            EmbeddingError: new records cannot be placed.
            StoreError: the store cannot be written.
        """
        return self._habits.get(today)

    def aggregate(self) -> None:
        """Add new records to the prototypes, and let old evidence fade.

        Raises:
            EmbeddingError: new records cannot be placed.
            StoreError: the store cannot be written.
        """
        if self._has_records():
            self._opened().aggregate(user_id=self._user_id)

    def _bring_up(self, today: date) -> None:
        if self._has_records():
            self._opened().bring_up(self._user_id)

    def _load(self, today: date) -> Habits:
        if not self._has_records():
            return Habits({}, HabitTable([], self._calendar))
        return load_habits(self._opened(), self._user_id, self._calendar, today)

    def _opened(self) -> HierarchicalMemory:
        self._memory = self._memory or self._open()
        return self._memory

    def _has_records(self) -> bool:
        query = select(schema.records.c.id).where(schema.records.c.user_id == self._user_id).limit(1)
        with self._store.reader() as connection:
            return connection.execute(query).first() is not None


DAYS = 7


@dataclass(frozen=True, slots=True)
class ExpectedOccasion:
    """When a routine is likely, its chance then, 0..1, and `opens`: from when on it may be offered."""

    routine: str
    time: datetime
    chance: float
    opens: datetime


def find_expected_occasions(
    habits: Habits,
    now: datetime,
    cost_of_being_wrong: float,
    weighing: LikelihoodWeights = USUAL,
    feedback: Mapping[str, Feedback] | None = None,
    days: int = DAYS,
    prompted: Prompted = frozenset(),
) -> list[ExpectedOccasion]:
    """The next likely occasions of each routine, by time.

    The chances are those of a day on which nothing has come up yet and the scenario is not known.

    Args:
        habits: the routines.
        now: the user's local time; its zone is that of the days to come.
        cost_of_being_wrong: see `threshold`.
        weighing: what counts how much.
        feedback: what the user made of suggestions, by routine.
        days: how far to look.
        prompted: see `estimate_chances`.
    """
    least, occasions = threshold(cost_of_being_wrong), []
    for day in (now.date() + timedelta(days=number) for number in range(days + 1)):
        for routine, minute, opens, chance in opening_times(habits.table, day, weighing, feedback, prompted):
            moment = at_wall_clock(day, minute, now)
            if now < moment <= now + timedelta(days=days) and chance >= least:
                early = timedelta(minutes=opens)
                occasions.append(ExpectedOccasion(routine, moment, round(chance, 4), moment + early))
    occasions.sort(key=lambda occasion: occasion.time)
    return occasions


HALF_LIFE = timedelta(days=28)
"""After this time an answer counts half."""
REMEMBERED = 3 * HALF_LIFE
"""Answers that are older do not count."""
_ACCEPTED = {Answer.ACCEPTED: 1.0, Answer.EDITED: 0.5, Answer.DONE: 0.5}
_REJECTED = {Answer.NOT_NOW: 1.0, Answer.LAPSED: 0.1}
_QUIET_AFTER = 2
_EXPECTED = 0.15
"""Refusals on end that were at least this likely by the chances say nothing: offers near the threshold are
refused more often than not."""
_ANYWAY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RoutineFeedback:
    """The answers so far, by routine.

    One refused twice in a row is `quiet`: not offered for a while. `prompted` are the times at which
    suggestions were accepted.
    """

    feedback: Mapping[str, Feedback]
    quiet: frozenset[str] = frozenset()
    prompted: Prompted = frozenset()

    def join(self, wordings: Mapping[str, frozenset[str]]) -> RoutineFeedback:
        """The answers where a routine's wordings share them: what was said about one holds for all.

        Who drinks tea since March refuses coffee, not tea.
        """
        feedback, quiet = dict(self.feedback), set(self.quiet)
        for routine, others in wordings.items():
            given = [self.feedback[name] for name in (routine, *others) if name in self.feedback]
            if given:
                feedback[routine] = Feedback(
                    sum(each.accepted for each in given), sum(each.rejected for each in given)
                )
            if others & self.quiet:
                quiet.add(routine)
        return RoutineFeedback(feedback, frozenset(quiet), self.prompted)


def summarize_feedback(
    past: Iterable[Suggestion],
    routines: Mapping[str, Prototype],
    now: datetime,
    half_life: timedelta = HALF_LIFE,
) -> RoutineFeedback:
    """Sum up the user's answers for the current routines.

    An answer counts for the routine that has the suggestion's anchor record now, whatever its name was.
    "Never" is not feedback: it hides the routine until the user shows it again. A suggestion that lapsed
    without having been shown says nothing. Two refusals in a row of what was likely keep a routine from being
    offered until the user does it again by themselves, for at most one half-life; the less likely it was, the
    more refusals it takes.

    Args:
        past: suggestions in any order; open ones do not count.
        routines: the prototypes there are now, by id.
        now: the present time.
        half_life: how fast answers fade.
    """
    routine_of_record = {
        member.record_id: routine.id for routine in routines.values() for member in routine.members
    }
    answers: dict[str, list[Suggestion]] = defaultdict(list)
    for suggestion in past:
        if (
            suggestion.answered is None
            or suggestion.answered > now
            or (suggestion.answer is Answer.LAPSED and suggestion.shown is None)
        ):
            continue
        routine = routine_of_record.get(suggestion.anchor, suggestion.routine)
        if routine in routines:
            answers[routine].append(suggestion)
    return RoutineFeedback(
        {routine: _feedback(given, now, half_life) for routine, given in answers.items()},
        frozenset(
            routine
            for routine, given in answers.items()
            if _is_quiet(given, routines[routine], now, half_life)
        ),
        _prompted(answers),
    )


def _prompted(answers: Mapping[str, Iterable[Suggestion]]) -> Prompted:
    return frozenset(
        (routine, suggestion.answered.toordinal(), minute_of(suggestion.answered))
        for routine, given in answers.items()
        for suggestion in given
        if suggestion.answer in (Answer.ACCEPTED, Answer.EDITED) and suggestion.answered
    )


def _feedback(suggestions: Iterable[Suggestion], now: datetime, half_life: timedelta) -> Feedback:
    """The answers, each by how much it surprises: refusing what was sure says more than refusing a guess.

    A refusal counts by the square of the chance. Most offers near the threshold are not wanted just then, and
    the days without the deed lower the chance already: counting them in full silenced good routines.
    """
    accepted = rejected = 0.0
    for suggestion in suggestions:
        weight = 0.5 ** ((now - (suggestion.answered or now)) / half_life)
        accepted += weight * (1 - suggestion.score) * _ACCEPTED.get(suggestion.answer, 0.0)
        rejected += weight * suggestion.score**2 * _REJECTED.get(suggestion.answer, 0.0)
    return Feedback(accepted, rejected)


def _is_quiet(
    suggestions: Iterable[Suggestion], routine: Prototype, now: datetime, half_life: timedelta
) -> bool:
    """Whether a routine was refused on end against what was likely, and was not done often enough since.

    Each further refusal doubles the days on which it must be done again. Who refuses and then does it within
    the hour wants no suggestion, however likely it was, so that doing it on other days does not count.
    """
    answers = [suggestion for suggestion in suggestions if suggestion.answer in (Answer.NOT_NOW, *_ACCEPTED)]
    answers.sort(key=lambda suggestion: suggestion.answered or now, reverse=True)
    refusals = list(takewhile(lambda suggestion: suggestion.answer is Answer.NOT_NOW, answers))
    does_anyway = any(
        timedelta() <= member.time - refusal.answered < _ANYWAY
        for refusal in refusals
        for member in routine.members
        if refusal.answered is not None
    )
    is_expected = not does_anyway and prod(1 - refusal.score for refusal in refusals) > _EXPECTED
    if len(refusals) < _QUIET_AFTER or is_expected:
        return False
    last = refusals[0].answered or now
    days_done = {member.time.date() for member in routine.members if last.date() < member.time.date()}
    is_back = len(days_done) >= 2 ** (len(refusals) - _QUIET_AFTER) and not does_anyway
    return now - last < half_life and not is_back


def forecast(
    habits: Habits, past: Iterable[Suggestion], now: datetime, cost_of_being_wrong: float
) -> list[ExpectedOccasion]:
    """When each routine is likely next, by time; those that the user wants no offers of are left out.

    Args:
        habits: the routines.
        past: the suggestions of the time that is `REMEMBERED`, whose answers count.
        now: the user's local time.
        cost_of_being_wrong: see `threshold`.
    """
    answers = summarize_feedback(past, habits.prototypes, now).join(habits.wordings)
    occasions = find_expected_occasions(
        habits, now, cost_of_being_wrong, feedback=answers.feedback, prompted=answers.prompted
    )
    return [occasion for occasion in occasions if occasion.routine not in answers.quiet]
