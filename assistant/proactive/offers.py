"""What is offered when: one look at the state, and what the user answers. The time is passed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial

from assistant.events import Answer, Snooze
from assistant.i18n import _
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.user_edits import UserOverrides
from assistant.memory.store import Store
from assistant.proactive.choosing import Candidate
from assistant.proactive.feedback import HALF_LIFE, Standing, standing
from assistant.proactive.forecast import Habits
from assistant.proactive.habit_table import UNKNOWN
from assistant.proactive.likelihood import Recent
from assistant.proactive.occasions import Expected, expected
from assistant.proactive.policy import done_since, hush_now, is_same_occasion, plan, snoozed_until
from assistant.proactive.renewing import behind, renewed
from assistant.proactive.suggestions import NoSuchSuggestion, Stage, Suggestion, Suggestions, suggestion_of
from assistant.proactive.timing import Timing, prompted_times
from assistant.records import State
from assistant.settings.schema import ProactiveSettings

_REMEMBERED = 3 * HALF_LIFE
_LATELY = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look led to: the suggestion to show now, if any, and those that are over.

    `waits` is the one that is on the screen from now on, shown now or before; `renewed` tells that it has its
    routine's own words, which nobody has seen yet, `alone` that the user lets it begin by itself.
    """

    shown: Suggestion | None = None
    waits: Suggestion | None = None
    renewed: bool = False
    alone: bool = False
    over: tuple[Suggestion, ...] = ()


class Offering:
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

    def look(self, scenario: str = UNKNOWN, *, busy: bool = False) -> Looked:
        """Let old suggestions lapse, and offer at most one: one that waits, or what is likely now.

        Args:
            scenario: where the user is.
            busy: whether a turn runs or the user types; what is due waits then.

        Raises:
            StoreError: the memory cannot be written.
        """
        now = self._now()
        if not self._settings.enabled:
            return Looked()
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

    def refresh(self) -> Looked:
        """Only keep what waits in step with the memory; nothing new is shown.

        Raises:
            StoreError: the memory cannot be written.
        """
        if not self._settings.enabled:
            return Looked()
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

    def answer(self, suggestion_id: str, answer: Answer) -> Suggestion:
        """Keep the user's answer; "never" hides the routine until the user shows it again.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        answered = self.suggestions.answer(self.suggestions.get(suggestion_id), answer, self._now())
        if answer is Answer.NEVER:
            members = self._members(answered, self._habits(self._now().date()))
            self._decisions.hide(members or [answered.anchor])
        return answered

    def snooze(self, suggestion_id: str, snooze: Snooze) -> Suggestion:
        """Put a suggestion off.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        due = snoozed_until(self._now(), snooze)
        return self.suggestions.snooze(self.suggestions.get(suggestion_id), due)

    def expected(self) -> list[Expected]:
        """When each routine is likely next."""
        now = self._now()
        habits = self._habits(now.date())
        past = self.suggestions.since(now - _REMEMBERED)
        known, cost = self._standing(habits, past), self._settings.cost_of_being_wrong
        prompted = _timing(habits, past).prompted
        found = expected(habits, now, cost, feedback=known.feedback, prompted=prompted)
        return [one for one in found if one.routine not in known.quiet]

    def _likely(
        self, habits: Habits, past: Sequence[Suggestion], state: State, recent: Recent
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
        judged: Sequence[Candidate],
        habits: Habits,
        timing: Timing,
        state: State,
        recent: Recent,
        known: Standing,
    ) -> list[Candidate]:
        """Those whose usual time is near, and those that follow what was just done at whatever time."""
        due = [one for one in judged if timing.is_near(one.routine, state.time)]
        if len(due) == len(judged) or not recent.done:
            return due
        alone = habits.judge(state, self._settings.cost_of_being_wrong, feedback=known.feedback)
        by_time = {one.routine for one in alone}
        return [one for one in judged if one in due or one.routine not in by_time]

    def _looked(
        self, habits: Habits, over: Sequence[Suggestion], reworded: set[str], shown: Suggestion | None = None
    ) -> Looked:
        now = self._now()
        waiting = [one for one in self.suggestions.open() if one.stage is Stage.SHOWN and one.until >= now]
        waits = shown or (waiting[-1] if waiting else None)
        if waits is None:
            return Looked(over=tuple(over))
        fresh = shown is not None or waits.id in reworded
        return Looked(shown, waits, fresh, self._begins_alone(waits, habits), tuple(over))

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

    def _standing(self, habits: Habits, past: Sequence[Suggestion]) -> Standing:
        return standing(past, habits.prototypes, self._now())

    def let_begin(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion begin by itself from now on; false for one that is not harmless.

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


def _timing(habits: Habits, past: Sequence[Suggestion]) -> Timing:
    home = {member.record_id: one.id for one in habits.prototypes.values() for member in one.members}
    return Timing(habits.table, prompted_times(past, home))


def _recent(habits: Habits, now: datetime) -> Recent:
    """What was done in the last hours, oldest first."""
    done = [
        (one.id, member.time)
        for one in habits.prototypes.values()
        for member in one.members
        if timedelta() <= now - member.time < _LATELY
    ]
    return Recent(tuple(sorted(done, key=lambda one: one[1])))
