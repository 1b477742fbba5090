"""When routines are likely: the user's habits as of a day, and what earlier answers say about each routine.

The forecast is the trigger form of proactivity (PersonalAlign C.2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np
from sqlalchemy import select

from assistant.events import Answer
from assistant.memory import schema
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import RevisionCache, Store
from assistant.proactive.habit_table import Calendar, Floats, HabitTable, circular_distance, habit_occasions
from assistant.proactive.likelihood import (
    NOTHING_DONE,
    USUAL,
    Feedback,
    LikelihoodWeights,
    RecentHabits,
    estimate_chances,
)
from assistant.proactive.suggestions import RoutineCandidate, Suggestion, choose_candidates, threshold
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
    ) -> list[RoutineCandidate]:
        """What is worth suggesting in a state, best first; see `chances` and `choose`."""
        judged = estimate_chances(self.table, state, weighing, feedback, recent)
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
        HabitTable([habit_occasions(prototype) for prototype in prototypes.values()], calendar, today),
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
Prompted = Mapping[int, float]
"""The minute of the day at which an accepted suggestion was made, by the day's ordinal."""
_NOT_PROMPTED: Prompted = {}
_DAY = 1440.0
_SLOT = 15
"""Minutes: usual times are rounded to it, so that several habits share one estimate."""
_TOGETHER = 60.0
_LATEST, _FRESH, _ENOUGH = 10, 5, 3
_LEAST_SHARE = 0.2
_LEAST_LEAD, _MOST_LEAD = 10.0, 20.0


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
    prompted: Mapping[str, Prompted] | None = None,
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
        prompted: see `usual_times`, by routine.
    """
    least = threshold(cost_of_being_wrong)
    occasions = []
    prompted = prompted or {}
    for day in (now.date() + timedelta(days=number) for number in range(days + 1)):
        slots = list(_slots(habits, day, prompted))
        for slot in sorted({slot for slot, _, _ in slots}):
            judged = estimate_chances(
                habits.table, State(time=at_wall_clock(day, slot, now)), weighing, feedback
            )
            for _, minute, place in (candidate for candidate in slots if candidate[0] == slot):
                moment = at_wall_clock(day, minute, now)
                if now < moment <= now + timedelta(days=days) and judged.chance[place] >= least:
                    occasions.append(
                        ExpectedOccasion(
                            habits.table.ids[place],
                            moment,
                            round(float(judged.chance[place]), 4),
                            moment - lead_time(habits.table, place),
                        )
                    )
    occasions.sort(key=lambda occasion: occasion.time)
    return occasions


def at_wall_clock(day: date, minute: int, like: datetime) -> datetime:
    """A time of day in the user's zone; a time that a change of clocks skips moves on by an hour."""
    wall = datetime.combine(day, time(minute // 60, minute % 60), like.tzinfo)
    return wall.astimezone(UTC).astimezone(like.tzinfo)


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
    groups = [group for group in groups if len(group) > 1 and len(group) >= _LEAST_SHARE * len(turned)]
    return [float(np.median(group)) % _DAY for group in sorted(groups, key=len, reverse=True)]


def usual_times_on(
    table: HabitTable, place: int, day: date, prompted: Prompted = _NOT_PROMPTED
) -> list[float]:
    """The times of day at which one habit usually comes up on days such as this, see `usual_minutes`.

    Only the newest occasions count, and a time that none of the last few had is dropped, so that a habit that
    moved is followed. An occasion that a suggestion prompted counts for the time that the suggestion was
    early for: otherwise each suggestion would pull the next one forward.

    Args:
        table: the habits.
        place: which.
        day: the day; working days and days off differ.
        prompted: when suggestions of it were made that were accepted.
    """
    is_own = table.owner == place
    days, minutes = table.day[is_own], table.minute[is_own].copy()
    early = lead_time(table, place).total_seconds() / 60
    for ordinal, minute in prompted.items():
        answered = (days == ordinal) & (circular_distance(minutes - minute) <= _TOGETHER)
        minutes[answered] = (minute + early) % _DAY
    is_same_kind = table.days.free[days - table.days.first] == table.calendar.is_free(day)
    latest = minutes[is_same_kind if is_same_kind.sum() >= _ENOUGH else np.ones_like(is_same_kind)][-_LATEST:]
    fresh = latest[-_FRESH:]
    return [
        minute for minute in usual_minutes(latest) if (circular_distance(fresh - minute) <= _TOGETHER).any()
    ]


def lead_time(table: HabitTable, place: int) -> timedelta:
    """How long before its usual time a habit may be offered: the less regular it is, the earlier."""
    return timedelta(minutes=min(_MOST_LEAD, max(_LEAST_LEAD, float(table.spread[place]))))


def _slots(habits: Habits, day: date, prompted: Mapping[str, Prompted]) -> Iterator[tuple[int, int, int]]:
    """Minutes of a day at which to judge a habit, its usual time, and the habit's index in the table."""
    for place, routine in enumerate(habits.table.ids):
        for minute in usual_times_on(habits.table, place, day, prompted.get(routine, _NOT_PROMPTED)):
            yield round(minute / _SLOT) * _SLOT % int(_DAY), int(minute), place


HALF_LIFE = timedelta(days=28)
"""After this time an answer counts half."""
_ACCEPTED = {Answer.ACCEPTED: 1.0, Answer.EDITED: 0.5, Answer.DONE: 0.5}
_REJECTED = {Answer.NOT_NOW: 0.6, Answer.LAPSED: 0.1}
_QUIET_AFTER = 2


@dataclass(frozen=True, slots=True)
class RoutineFeedback:
    """The answers so far, by routine; one refused twice in a row is `quiet`: not offered for a while."""

    feedback: Mapping[str, Feedback]
    quiet: frozenset[str] = frozenset()


def summarize_feedback(
    past: Iterable[Suggestion],
    routines: Mapping[str, Prototype],
    now: datetime,
    half_life: timedelta = HALF_LIFE,
) -> RoutineFeedback:
    """Sum up the user's answers for the current routines.

    An answer counts for the routine that has the suggestion's anchor record now, whatever its name was.
    "Never" is not feedback: it hides the routine until the user shows it again. A suggestion that lapsed
    without having been shown says nothing. Two refusals in a row keep a routine from being offered for one
    half-life, however likely it is.

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
        frozenset(routine for routine, given in answers.items() if _is_quiet(given, now, half_life)),
    )


def _feedback(suggestions: Iterable[Suggestion], now: datetime, half_life: timedelta) -> Feedback:
    accepted = rejected = 0.0
    for suggestion in suggestions:
        weight = 0.5 ** ((now - (suggestion.answered or now)) / half_life)
        accepted += weight * _ACCEPTED.get(suggestion.answer, 0.0)
        rejected += weight * _REJECTED.get(suggestion.answer, 0.0)
    return Feedback(accepted, rejected)


def _is_quiet(suggestions: Iterable[Suggestion], now: datetime, half_life: timedelta) -> bool:
    answers = [suggestion for suggestion in suggestions if suggestion.answer in (Answer.NOT_NOW, *_ACCEPTED)]
    last = sorted(answers, key=lambda suggestion: suggestion.answered or now)[-_QUIET_AFTER:]
    refusals = [suggestion for suggestion in last if suggestion.answer is Answer.NOT_NOW]
    are_recent = all(
        suggestion.answered is not None and now - suggestion.answered < half_life for suggestion in refusals
    )
    return len(refusals) == _QUIET_AFTER and are_recent
