"""What is offered when: one look at the state, and what the user answers. The time is passed in.

Whether now is the time to speak: a pure decision over what is known, with the time passed in.

All rules of the day follow the user's wall clock: `now` carries the zone that they are in.

What becomes of a suggestion that waits when the memory behind it has changed: a pure decision.

When a likely routine is offered: shortly before its usual time, not an hour ahead.

The routines as they stand: when each is likely next, and whether it begins by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import partial
from zoneinfo import ZoneInfo

from assistant.events import Answer, Snooze
from assistant.i18n import _
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.prototypes.user_edits import UserOverrides
from assistant.memory.store import Store
from assistant.proactive.forecast import (
    HALF_LIFE,
    ExpectedOccasion,
    Habits,
    Prompted,
    RoutineFeedback,
    expected,
    habits_of,
    lead,
    standing,
    usual_times,
)
from assistant.proactive.habit_table import UNKNOWN, Calendar, HabitTable, minute_of
from assistant.proactive.likelihood import RecentHabits
from assistant.proactive.suggestions import (
    EVIDENCE,
    NoSuchSuggestion,
    RoutineCandidate,
    Stage,
    Suggestion,
    Suggestions,
    later,
    may_be_now,
    reasons,
    suggestion_of,
)
from assistant.records import State
from assistant.settings.schema import ProactiveSettings, Settings

OCCASION = timedelta(hours=3)
"""A routine is offered once within this time."""
_LONGEST_TURN = timedelta(hours=1)
"""A turn under way when a suggestion was made began no longer ago than this."""


class SuppressionReason(StrEnum):
    """Why nothing new is said."""

    OFF = "off"
    QUIET_HOURS = "quiet hours"
    BUDGET = "budget"
    OPEN = "another one waits for an answer"


@dataclass(frozen=True, slots=True)
class OfferPlan:
    """What to do with the suggestions that are open: let some lapse, hold some back, show at most one."""

    lapse: tuple[Suggestion, ...] = ()
    show: Suggestion | None = None


def plan(
    found: Sequence[Suggestion], now: datetime, *, hush: SuppressionReason | None, busy: bool
) -> OfferPlan:
    """What becomes of the open suggestions.

    One whose time is over lapses: after a night's sleep of the machine, all of the night's do. Of those that
    are due, the one with the highest score is shown, unless one is on the screen already, a turn runs or the
    user types, or nothing may be said.

    Args:
        found: the suggestions that are not over.
        now: the present time.
        hush: why nothing may be said, if so; what the user put off to now is said in spite of the budget.
        busy: whether a turn runs or the user types.
    """
    lapse = tuple(one for one in found if one.until < now)
    fresh = [one for one in found if one.until >= now]
    held = busy or any(one.stage is Stage.SHOWN for one in fresh)
    due = [
        one
        for one in fresh
        if one.stage is not Stage.SHOWN
        and one.due <= now
        and (hush is None or (hush is SuppressionReason.BUDGET and one.stage is Stage.SNOOZED))
    ]
    best = max(due, key=lambda one: (one.stage is Stage.SNOOZED, one.score, one.id), default=None)
    return OfferPlan(lapse, None if held else best)


def hush_now(
    settings: ProactiveSettings, past: Sequence[Suggestion], now: datetime
) -> SuppressionReason | None:
    """Why nothing may be said now, None when something may.

    Args:
        settings: the user's rules.
        past: the suggestions of the last days, in any order.
        now: the user's local time.
    """
    if not settings.enabled:
        return SuppressionReason.OFF
    if in_quiet_hours(now, settings.quiet_from, settings.quiet_until):
        return SuppressionReason.QUIET_HOURS
    if shown_on(past, now) >= settings.a_day:
        return SuppressionReason.BUDGET
    return None


def in_quiet_hours(now: datetime, begin: time, end: time) -> bool:
    """Whether a local time lies in the hours from `begin` to before `end`, across midnight if it must."""
    clock = now.timetz().replace(tzinfo=None)
    return begin <= clock < end if begin <= end else clock >= begin or clock < end


def shown_on(past: Sequence[Suggestion], now: datetime) -> int:
    """How many suggestions were shown on the day it is where the user is."""
    return sum(
        one.shown is not None and one.shown.astimezone(now.tzinfo).date() == now.date() for one in past
    )


def is_same_occasion(
    candidate: RoutineCandidate,
    anchors: frozenset[str],
    past: Sequence[Suggestion],
    now: datetime,
    usual: Callable[[datetime], int | None] = lambda _: None,
) -> bool:
    """Whether a routine was offered on this occasion already, or has been put off to later.

    Args:
        candidate: what would be offered.
        anchors: the ids of the routine's records, since its name may have changed.
        past: the suggestions of the last days.
        now: the present time.
        usual: the usual time that a moment belongs to. One that nobody answered at the usual time before
            this one, such as that of a routine that has moved since, is of another occasion.
    """
    own = [one for one in past if one.routine == candidate.routine or one.anchor in anchors]
    return any(
        one.stage is not Stage.OVER
        or (
            _since(max(one.made, one.answered or one.made, one.due), now) < OCCASION
            and not (one.answer is Answer.LAPSED and usual(one.made) != usual(now))
        )
        for one in own
    )


def _since(then: datetime, now: datetime) -> timedelta:
    """The real time between, or that on the wall where an hour comes twice: whichever is less."""
    wall = now.replace(tzinfo=None) - then.astimezone(now.tzinfo).replace(tzinfo=None)
    return min(timedelta(seconds=now.timestamp() - then.timestamp()), wall)


def snoozed_until(now: datetime, snooze: Snooze) -> datetime:
    """When a suggestion comes back: tomorrow is the same wall-clock time, also across a change of clocks."""
    match snooze:
        case Snooze.TEN_MINUTES:
            return later(now, timedelta(minutes=10))
        case Snooze.AN_HOUR:
            return later(now, timedelta(hours=1))
        case Snooze.TOMORROW:
            wall = now + timedelta(days=1)
            return wall if isinstance(now.tzinfo, ZoneInfo) else wall.replace(tzinfo=None).astimezone()


def done_since(suggestion: Suggestion, done: Sequence[tuple[str, datetime]], anchors: frozenset[str]) -> bool:
    """Whether the user did the same without accepting it; `done` are record ids with their times.

    A record is as old as the begin of its turn: one that was not known when the suggestion was made may be of
    a turn that was under way then.
    """
    made, known = suggestion.made, suggestion.evidence
    return suggestion.answer is Answer.NONE and any(
        record in anchors and (time > made or (record not in known and made - time < _LONGEST_TURN))
        for record, time in done
    )


def behind(suggestion: Suggestion, prototypes: Iterable[Prototype]) -> Prototype | None:
    """The routine of a suggestion, by its anchor, else by its name; None where neither is known now."""
    named = None
    for one in prototypes:
        if suggestion.anchor in one.evidence:
            return one
        if one.id == suggestion.routine:
            named = one
    return named


def renewed(suggestion: Suggestion, said: str, prototypes: Iterable[Prototype]) -> Suggestion | None:
    """A suggestion as it would be made of the memory as it is now, at the time it was made.

    Args:
        suggestion: one that is not over.
        said: the routine's own words at that time; a model may have put them otherwise.
        prototypes: the routines that may be suggested now.

    Returns:
        None where it would not be made: its routine is gone or hidden, or has other hours or another place.
    """
    routine = behind(suggestion, prototypes)
    then = State(time=suggestion.made, scenario=suggestion.scenario)
    if routine is None or routine.hidden or not may_be_now(routine, then):
        return None
    return replace(
        suggestion,
        routine=routine.id,
        anchor=suggestion.anchor if suggestion.anchor in routine.evidence else routine.centre_id,
        instruction=suggestion.instruction if routine.instruction == said else routine.instruction,
        evidence=routine.evidence[:EVIDENCE],
        why=reasons(routine.members, then) or suggestion.why,
    )


_DAY = 1440.0
_AFTER = 60.0
"""Minutes after its usual time at which a routine may still be offered, as to somebody who comes late."""


@dataclass(frozen=True, slots=True)
class DayTiming:
    """When the routines of one day have their time.

    Args:
        table: the habits.
        prompted: when suggestions were made that were accepted, by routine.
    """

    table: HabitTable
    prompted: Mapping[str, Prompted] = field(default_factory=dict)

    def is_near(self, routine: str, now: datetime) -> bool:
        """Whether a likely habit's usual time is near; true for one that has no usual time."""
        usual = self._usual(routine, now)
        early = lead(self.table, self.table.ids.index(routine)).total_seconds() / 60
        return not usual or any(-_AFTER <= _ahead(minute, now) <= early for minute in usual)

    def occasion(self, routine: str, moment: datetime) -> int | None:
        """The usual time, in minutes of the day, that a moment belongs to; None where there is none."""
        usual = self._usual(routine, moment)
        return min(usual, key=lambda minute: abs(_ahead(minute, moment)), default=None)

    def _usual(self, routine: str, moment: datetime) -> list[int]:
        place = self.table.ids.index(routine)
        made = self.prompted.get(routine, {})
        return [int(minute) for minute in usual_times(self.table, place, moment.date(), made)]


def prompted_times(past: Iterable[Suggestion], home: Mapping[str, str]) -> dict[str, dict[int, float]]:
    """When suggestions were made that were accepted, by routine.

    Args:
        past: suggestions.
        home: the routine of each record.
    """
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for one in past:
        if one.answer in (Answer.ACCEPTED, Answer.EDITED):
            found[home.get(one.anchor, one.routine)][one.made.toordinal()] = minute_of(one.made)
    return found


def _ahead(minute: int, now: datetime) -> float:
    """Minutes from now until a time of day, -720..720."""
    return (minute - minute_of(now) + _DAY / 2) % _DAY - _DAY / 2


_REMEMBERED = 3 * HALF_LIFE
_LATELY = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class OfferDecision:
    """What a look led to: the suggestion to show now, if any, and those that are over.

    `waits` is the one that is on the screen from now on, shown now or before; `renewed` tells that it has its
    routine's own words, which nobody has seen yet, `alone` that the user lets it begin by itself.
    """

    shown: Suggestion | None = None
    waits: Suggestion | None = None
    renewed: bool = False
    alone: bool = False
    over: tuple[Suggestion, ...] = ()


class OfferPolicy:
    """Offers routines to one user.

    Args:
        store: where suggestions are kept.
        user_id: whose.
        settings: when something may be said.
        now: the user's local time with its zone.
        habits: what is known of the user's habits on a day.
        harmless: whether a routine may begin by itself if the user lets it; none may otherwise.
    """

    def __init__(
        self,
        store: Store,
        user_id: str,
        settings: ProactiveSettings,
        now: Callable[[], datetime],
        habits: Callable[[date], Habits],
        harmless: Callable[[Prototype], bool] = lambda _: False,
    ) -> None:
        self.suggestions = Suggestions(store, user_id)
        self._settings = settings
        self._now = now
        self._habits = habits
        self._harmless = harmless
        self._decisions = UserOverrides(store, user_id)
        self._said: dict[str, str] = {}

    def look(self, scenario: str = UNKNOWN, *, busy: bool = False) -> OfferDecision:
        """Let old suggestions lapse, and offer at most one: one that waits, or what is likely now.

        Args:
            scenario: where the user is.
            busy: whether a turn runs or the user types; what is due waits then.

        Raises:
            StoreError: the memory cannot be written.
        """
        now = self._now()
        if not self._settings.enabled:
            return OfferDecision()
        habits = self._habits(now.date())
        recent = _recent(habits, now)
        over, reworded = self._renew(habits, now)
        past = self.suggestions.since(now - _REMEMBERED)
        hush = hush_now(self._settings, past, now)
        found = [one for one in past if one.stage is not Stage.OVER]
        planned = plan(found, now, hush=hush, busy=busy)
        over += [self.suggestions.settle(one, Answer.LAPSED, now) for one in planned.lapse]
        lapsed = {one.id for one in planned.lapse}
        show = planned.show
        waits = any(one.stage is not Stage.SNOOZED for one in found if one.id not in lapsed)
        if show is None and hush is None and not waits:
            made = self._likely(habits, past, State(time=now, scenario=scenario), recent)
            show = made if not busy else None
        shown = self.suggestions.show(show, now) if show else None
        return self._looked(habits, over, reworded, shown)

    def refresh(self) -> OfferDecision:
        """Only keep what waits in step with the memory; nothing new is shown.

        Raises:
            StoreError: the memory cannot be written.
        """
        if not self._settings.enabled:
            return OfferDecision()
        now = self._now()
        habits = self._habits(now.date())
        over, reworded = self._renew(habits, now)
        return self._looked(habits, over, reworded)

    def reword(self, suggestion_id: str, instruction: str) -> Suggestion:
        """Show a suggestion in a model's words for as long as its routine says the same.

        Raises:
            NoSuchSuggestion: it is over already, or was put off meanwhile.
        """
        suggestion = self.suggestions.get(suggestion_id)
        if suggestion.stage is not Stage.SHOWN:
            raise NoSuchSuggestion(_("That suggestion is over."))
        if instruction == suggestion.instruction:
            return suggestion
        self._said[suggestion_id] = suggestion.instruction
        return self.suggestions.renew(replace(suggestion, instruction=instruction))

    def withdraw(self, suggestion_id: str) -> None:
        """End a suggestion that is not to be shown after all.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        self.suggestions.withdraw(self.suggestions.get(suggestion_id), self._now())

    def answer(self, suggestion_id: str, answer: Answer | Snooze) -> Suggestion:
        """Store the user's answer, or put the suggestion off; "never" hides its routine until it is unhidden.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        suggestion, now = self.suggestions.get(suggestion_id), self._now()
        if isinstance(answer, Snooze):
            return self.suggestions.snooze(suggestion, snoozed_until(now, answer))
        answered = self.suggestions.answer(suggestion, answer, now)
        if answer is Answer.NEVER:
            members = self._members(answered, self._habits(now.date()))
            self._decisions.hide(members or [answered.anchor])
        return answered

    def expected(self) -> list[ExpectedOccasion]:
        """When each routine is likely next."""
        now = self._now()
        habits = self._habits(now.date())
        past = self.suggestions.since(now - _REMEMBERED)
        known, cost = self._standing(habits, past), self._settings.cost_of_being_wrong
        prompted = _timing(habits, past).prompted
        found = expected(habits, now, cost, feedback=known.feedback, prompted=prompted)
        return [one for one in found if one.routine not in known.quiet]

    def _likely(
        self, habits: Habits, past: Sequence[Suggestion], state: State, recent: RecentHabits
    ) -> Suggestion | None:
        """Make a suggestion of what is likeliest, unless it was offered on this occasion."""
        known = self._standing(habits, past)
        cost = self._settings.cost_of_being_wrong
        judged = habits.judge(state, cost, feedback=known.feedback, recent=recent)
        timing = _timing(habits, past)
        for candidate in self._timely(judged, habits, timing, state, recent, known):
            prototype = habits.prototypes[candidate.routine]
            anchors, usual = frozenset(prototype.evidence), partial(timing.occasion, candidate.routine)
            if candidate.routine in known.quiet or is_same_occasion(
                candidate, anchors, past, state.time, usual
            ):
                continue
            made = suggestion_of(candidate, prototype.centre_id, state.scenario, state.time)
            self.suggestions.add(made)
            return made
        return None

    def _timely(
        self,
        judged: Sequence[RoutineCandidate],
        habits: Habits,
        timing: DayTiming,
        state: State,
        recent: RecentHabits,
        known: RoutineFeedback,
    ) -> list[RoutineCandidate]:
        """Those whose usual time is near, and those that follow what was just done at whatever time."""
        due = [one for one in judged if timing.is_near(one.routine, state.time)]
        if len(due) == len(judged) or not recent.done:
            return due
        alone = habits.judge(state, self._settings.cost_of_being_wrong, feedback=known.feedback)
        by_time = {one.routine for one in alone}
        return [one for one in judged if one in due or one.routine not in by_time]

    def _looked(
        self, habits: Habits, over: Sequence[Suggestion], reworded: set[str], shown: Suggestion | None = None
    ) -> OfferDecision:
        now = self._now()
        waiting = [one for one in self.suggestions.open() if one.stage is Stage.SHOWN and one.until >= now]
        waits = shown or (waiting[-1] if waiting else None)
        if waits is None:
            return OfferDecision(over=tuple(over))
        fresh = shown is not None or waits.id in reworded
        return OfferDecision(shown, waits, fresh, self._begins_alone(waits, habits), tuple(over))

    def _renew(self, habits: Habits, now: datetime) -> tuple[list[Suggestion], set[str]]:
        """Word what is open and not done as the memory is now.

        Returns what is over, and the ids of what has new words.
        """
        # New evidence would hide that the routine was done since.
        over, reworded = self._end_what_was_done(habits, now), set()
        for one in self.suggestions.open():
            fresh = renewed(one, self._said.get(one.id, one.instruction), habits.prototypes.values())
            if fresh is None:
                over.append(self.suggestions.withdraw(one, now))
            elif fresh != one:
                self.suggestions.renew(fresh)
                if fresh.instruction != one.instruction:
                    self._said.pop(one.id, None)
                    reworded.add(one.id)
        return over, reworded

    def _end_what_was_done(self, habits: Habits, now: datetime) -> list[Suggestion]:
        over = []
        for one in self.suggestions.open():
            members = frozenset(self._members(one, habits))
            own = [
                (member.record_id, member.time)
                for prototype in habits.prototypes.values()
                if prototype.centre_id in members
                for member in prototype.members
            ]
            if done_since(one, own, members):
                over.append(self.suggestions.settle(one, Answer.DONE, now))
        return over

    def _standing(self, habits: Habits, past: Sequence[Suggestion]) -> RoutineFeedback:
        return standing(past, habits.prototypes, self._now())

    def allow_auto_run(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion start by itself from its next time on; false if it must not.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        suggestion, habits = self.suggestions.get(suggestion_id), self._habits(self._now().date())
        routine = behind(suggestion, habits.prototypes.values())
        if routine is None or not self._harmless(routine):
            return False
        self._decisions.let_alone(self._members(suggestion, habits))
        return True

    def _begins_alone(self, suggestion: Suggestion, habits: Habits) -> bool:
        """Whether the user lets the routine begin by itself, and has not put this suggestion off."""
        routine = behind(suggestion, habits.prototypes.values())
        return not suggestion.snoozes and routine is not None and routine.alone and self._harmless(routine)

    def _members(self, suggestion: Suggestion, habits: Habits) -> list[str]:
        """The records of the routine that a suggestion is about, the centre first."""
        one = behind(suggestion, habits.prototypes.values())
        return list(dict.fromkeys((one.centre_id, *one.evidence))) if one is not None else []


def _timing(habits: Habits, past: Sequence[Suggestion]) -> DayTiming:
    home = {member.record_id: one.id for one in habits.prototypes.values() for member in one.members}
    return DayTiming(habits.table, prompted_times(past, home))


def _recent(habits: Habits, now: datetime) -> RecentHabits:
    """What was done in the last hours, oldest first."""
    done = [
        (one.id, member.time)
        for one in habits.prototypes.values()
        for member in one.members
        if timedelta() <= now - member.time < _LATELY
    ]
    return RecentHabits(tuple(sorted(done, key=lambda one: one[1])))


@dataclass(frozen=True, slots=True)
class NextOccurrence:
    """A routine with its next likely occasions within a week, soonest first; none while it is kept quiet."""

    routine: Prototype
    occasions: tuple[ExpectedOccasion, ...]


def upcoming(
    store: Store,
    memory: HierarchicalMemory,
    settings: Settings,
    now: Callable[[], datetime],
    user_id: str | None = None,
) -> list[NextOccurrence]:
    """The routines that are likely within a week, the soonest first, and those that begin by themselves.

    Args:
        store: the memory.
        memory: its prototypes.
        settings: the user's rules.
        now: the user's local time with its zone.
        user_id: whose; the settings' user by default.

    Raises:
        UnknownCountry: of the settings.
        EmbeddingError: new records cannot be placed.
    """
    user = user_id or settings.user_id
    habits = habits_of(memory, user, Calendar(settings.proactive.country), now().date())
    found = OfferPolicy(store, user, settings.proactive, now, lambda _: habits).expected()
    routines = dict.fromkeys([one.routine for one in found])
    routines |= dict.fromkeys(one.id for one in habits.prototypes.values() if one.alone)
    return [
        NextOccurrence(habits.prototypes[routine], tuple(one for one in found if one.routine == routine))
        for routine in routines
    ]
