"""The user's habits as the memory knows them now, judged for one state after another.

The habits as the memory has them, read anew only when it has changed or a day has begun.

When each routine is likely next: the trigger form of proactivity (PersonalAlign C.2).

From the user's answers to what counts when a routine is judged again.
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
from assistant.proactive.habit_table import Calendar, Floats, HabitTable, circular, habit_of
from assistant.proactive.likelihood import (
    NOTHING_DONE,
    USUAL,
    Feedback,
    LikelihoodWeights,
    RecentHabits,
    chances,
)
from assistant.proactive.suggestions import RoutineCandidate, Suggestion, choose, threshold
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
        judged = chances(self.table, state, weighing, feedback, recent)
        return choose(self.table, judged, self.prototypes, state, threshold(cost_of_being_wrong))


def habits_of(
    memory: HierarchicalMemory,
    user_id: str,
    calendar: Calendar,
    today: date | None = None,
    least_days: int = 3,
) -> Habits:
    """What a user's memory holds; prototypes of fewer records than `least_days` can never be suggested.

    Archived ones take part: whether a habit was given up is judged from its days, as seen from the state.

    Args:
        memory: the prototypes.
        user_id: whose.
        calendar: tells free days from others.
        today: the day up to which nothing having happened counts.
        least_days: the days of evidence that a routine needs.
    """
    known = {one.id: one for one in memory.prototypes(user_id, at_least=least_days) if not one.hidden}
    return Habits(known, HabitTable([habit_of(one) for one in known.values()], calendar, today))


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
        """Place what is new, and let evidence fade.

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
        return habits_of(self._opened(), self._user_id, self._calendar, today)

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
"""Usual times are judged to a quarter of an hour, so that many habits share a judgement."""
_TOGETHER = 60.0
_LATEST, _FRESH, _ENOUGH = 10, 5, 3
_LEAST_SHARE = 0.2
_LEAST_LEAD, _MOST_LEAD = 10.0, 20.0


@dataclass(frozen=True, slots=True)
class ExpectedOccasion:
    """When a routine will probably be wanted, its chance then, 0..1, and from when on it may be offered."""

    routine: str
    time: datetime
    chance: float
    opens: datetime


def expected(
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
    found = []
    prompted = prompted or {}
    for day in (now.date() + timedelta(days=number) for number in range(days + 1)):
        slots = list(_slots(habits, day, prompted))
        for slot in sorted({slot for slot, _, _ in slots}):
            judged = chances(habits.table, State(time=at_wall_clock(day, slot, now)), weighing, feedback)
            for _, minute, place in (one for one in slots if one[0] == slot):
                moment = at_wall_clock(day, minute, now)
                if now < moment <= now + timedelta(days=days) and judged.chance[place] >= least:
                    found.append(
                        ExpectedOccasion(
                            habits.table.ids[place],
                            moment,
                            round(float(judged.chance[place]), 4),
                            moment - lead(habits.table, place),
                        )
                    )
    found.sort(key=lambda one: one.time)
    return found


def at_wall_clock(day: date, minute: int, like: datetime) -> datetime:
    """A time of day where the user is; one that the change of clocks leaves out moves on by an hour."""
    wall = datetime.combine(day, time(minute // 60, minute % 60), like.tzinfo)
    return wall.astimezone(UTC).astimezone(like.tzinfo)


def usual_minutes(minutes: Floats) -> list[float]:
    """The times of day that something usually happens at, in minutes since midnight, most usual first.

    Times less than an hour from the next belong together, also across midnight; single ones are not usual.
    """
    if len(minutes) < 2:
        return []
    ordered = np.sort(np.asarray(minutes, dtype=np.float64) % _DAY)
    gaps = np.append(np.diff(ordered), ordered[0] + _DAY - ordered[-1])
    start = int(np.argmax(gaps)) + 1
    turned = np.concatenate((ordered[start:], ordered[:start] + _DAY))
    groups = np.split(turned, np.flatnonzero(np.diff(turned) > _TOGETHER) + 1)
    groups = [one for one in groups if len(one) > 1 and len(one) >= _LEAST_SHARE * len(turned)]
    return [float(np.median(one)) % _DAY for one in sorted(groups, key=len, reverse=True)]


def usual_times(table: HabitTable, place: int, day: date, prompted: Prompted = _NOT_PROMPTED) -> list[float]:
    """The times of day at which one habit usually comes up on days such as this, see `usual_minutes`.

    Only the newest occasions tell, and a time that none of the very last ones had is usual no more: so a
    habit that moved is followed. One that came up because it was suggested counts for the time that the
    suggestion was early for: each suggestion would else pull the next one forward.

    Args:
        table: the habits.
        place: which.
        day: the day; free days and others differ.
        prompted: when suggestions of it were made that were accepted.
    """
    own = table.owner == place
    days, minutes = table.day[own], table.minute[own].copy()
    early = lead(table, place).total_seconds() / 60
    for ordinal, minute in prompted.items():
        answered = (days == ordinal) & (circular(minutes - minute) <= _TOGETHER)
        minutes[answered] = (minute + early) % _DAY
    alike = table.days.free[days - table.days.first] == table.calendar.is_free(day)
    latest = minutes[alike if alike.sum() >= _ENOUGH else np.ones_like(alike)][-_LATEST:]
    fresh = latest[-_FRESH:]
    return [one for one in usual_minutes(latest) if (circular(fresh - one) <= _TOGETHER).any()]


def lead(table: HabitTable, place: int) -> timedelta:
    """How long before its usual time a habit may be offered: the less regular it is, the earlier."""
    return timedelta(minutes=min(_MOST_LEAD, max(_LEAST_LEAD, float(table.spread[place]))))


def _slots(habits: Habits, day: date, prompted: Mapping[str, Prompted]) -> Iterator[tuple[int, int, int]]:
    """Minutes of a day at which a habit is to be judged, its usual time, and the habit's place."""
    for place, routine in enumerate(habits.table.ids):
        for minute in usual_times(habits.table, place, day, prompted.get(routine, _NOT_PROMPTED)):
            yield round(minute / _SLOT) * _SLOT % int(_DAY), int(minute), place


HALF_LIFE = timedelta(days=28)
"""How long an answer takes to lose half of what it counts."""
_ACCEPTED = {Answer.ACCEPTED: 1.0, Answer.EDITED: 0.5, Answer.DONE: 0.5}
_REJECTED = {Answer.NOT_NOW: 0.6, Answer.LAPSED: 0.1}
_QUIET_AFTER = 2


@dataclass(frozen=True, slots=True)
class RoutineFeedback:
    """What the answers so far say, by routine; those that were refused twice on end are `quiet`."""

    feedback: Mapping[str, Feedback]
    quiet: frozenset[str] = frozenset()


NO_ANSWERS = RoutineFeedback({})


def standing(
    past: Iterable[Suggestion],
    routines: Mapping[str, Prototype],
    now: datetime,
    half_life: timedelta = HALF_LIFE,
) -> RoutineFeedback:
    """What the user's answers mean for the routines there are now.

    An answer belongs to the routine that holds the suggestion's anchor today, whatever it was called then.
    "Never" is no feedback: it hides the routine (see `Decisions.hide`), until the user shows it again. One
    that was never on the screen and lapsed says nothing. Two refusals one after the other silence a routine
    for one half-life, however likely it is.

    Args:
        past: suggestions in any order; open ones do not count.
        routines: the prototypes there are now, by id.
        now: the present time.
        half_life: how fast answers fade.
    """
    home = {member.record_id: one.id for one in routines.values() for member in one.members}
    answers: dict[str, list[Suggestion]] = defaultdict(list)
    for one in past:
        if one.answered is None or one.answered > now or (one.answer is Answer.LAPSED and one.shown is None):
            continue
        routine = home.get(one.anchor, one.routine)
        if routine in routines:
            answers[routine].append(one)
    return RoutineFeedback(
        {routine: _feedback(given, now, half_life) for routine, given in answers.items()},
        frozenset(routine for routine, given in answers.items() if _is_quiet(given, now, half_life)),
    )


def _feedback(given: Iterable[Suggestion], now: datetime, half_life: timedelta) -> Feedback:
    accepted = rejected = 0.0
    for one in given:
        weight = 0.5 ** ((now - (one.answered or now)) / half_life)
        accepted += weight * _ACCEPTED.get(one.answer, 0.0)
        rejected += weight * _REJECTED.get(one.answer, 0.0)
    return Feedback(accepted, rejected)


def _is_quiet(given: Iterable[Suggestion], now: datetime, half_life: timedelta) -> bool:
    told = [one for one in given if one.answer in (Answer.NOT_NOW, *_ACCEPTED)]
    last = sorted(told, key=lambda one: one.answered or now)[-_QUIET_AFTER:]
    refused = [one for one in last if one.answer is Answer.NOT_NOW]
    recent = all(one.answered is not None and now - one.answered < half_life for one in refused)
    return len(refused) == _QUIET_AFTER and recent
