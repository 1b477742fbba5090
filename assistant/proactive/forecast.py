"""When routines are likely: the user's habits as of a day, and what earlier answers say about each routine.

The forecast is the trigger form of proactivity (PersonalAlign C.2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import takewhile
from math import prod

from sqlalchemy import select

from assistant.events import Answer
from assistant.memory import schema
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import RevisionCache, Store
from assistant.proactive.habit_table import (
    Calendar,
    HabitTable,
    at_wall_clock,
    group_variants,
    minute_of,
)
from assistant.proactive.likelihood import (
    NOTHING_DONE,
    USUAL,
    Feedback,
    LikelihoodWeights,
    RecentHabits,
    estimate_chances,
    opening_times,
)
from assistant.proactive.suggestions import RoutineCandidate, Suggestion, choose_candidates, threshold
from assistant.proactive.timing import Prompted
from assistant.records import State


@dataclass(frozen=True, slots=True)
class Habits:
    """The prototypes that may be suggested, and when they came up, as of a day."""

    prototypes: Mapping[str, Prototype]
    table: HabitTable

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
    """The habits in a user's memory; prototypes of fewer than `least_days` records are never suggested.

    Archived prototypes are included: whether a habit was given up is judged from its days.

    Args:
        memory: the prototypes.
        user_id: whose.
        calendar: tells free days from others.
        today: the day up to which nothing having happened counts.
        least_days: the days of evidence that a routine needs.
    """
    prototypes = {
        prototype.id: prototype
        for prototype in memory.prototypes(user_id, at_least=least_days)
        if not prototype.hidden
    }
    return Habits(
        prototypes,
        HabitTable(group_variants(prototypes.values()), calendar, today),
    )


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

    def join(self, variants: Mapping[str, frozenset[str]]) -> RoutineFeedback:
        """The answers where a routine's variants share them: what was said about one holds for all."""
        feedback, quiet = dict(self.feedback), set(self.quiet)
        for routine, others in variants.items():
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
    the hour wants no suggestion, so that doing it on other days does not count.
    """
    answers = [suggestion for suggestion in suggestions if suggestion.answer in (Answer.NOT_NOW, *_ACCEPTED)]
    answers.sort(key=lambda suggestion: suggestion.answered or now, reverse=True)
    refusals = list(takewhile(lambda suggestion: suggestion.answer is Answer.NOT_NOW, answers))
    if len(refusals) < _QUIET_AFTER or prod(1 - refusal.score for refusal in refusals) > _EXPECTED:
        return False
    last = refusals[0].answered or now
    does_anyway = any(
        timedelta() <= member.time - refusal.answered < _ANYWAY
        for refusal in refusals
        for member in routine.members
        if refusal.answered is not None
    )
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
    answers = summarize_feedback(past, habits.prototypes, now).join(habits.table.variants)
    occasions = find_expected_occasions(
        habits, now, cost_of_being_wrong, feedback=answers.feedback, prompted=answers.prompted
    )
    return [occasion for occasion in occasions if occasion.routine not in answers.quiet]
