"""Which routine is offered when: rules over suggestions and habits, and `OfferPolicy`, which applies them.

The time is always passed in. Rules about a day follow the user's wall clock: `now` carries their zone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import partial
from zoneinfo import ZoneInfo

from assistant.events import Answer, Snooze
from assistant.i18n import _, has_chinese
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.repository import UserOverrides
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.prototypes.terms import word_set
from assistant.memory.store import Store
from assistant.proactive.forecast import (
    DAY_SO_FAR,
    EVIDENCE,
    REMEMBERED,
    USUAL,
    ExpectedOccasion,
    Habits,
    LikelihoodWeights,
    RecentHabits,
    RoutineFeedback,
    find_done_instead,
    fits_user_limits,
    forecast,
    load_habits,
    opening_times,
    summarize_feedback,
)
from assistant.proactive.habit_table import (
    UNKNOWN,
    Calendar,
    at_wall_clock,
    is_same_wish,
    minute_of,
    on_user_clock,
)
from assistant.proactive.schedule_events import TimeToCome
from assistant.proactive.schedule_times import LONGEST_TIMES, read_moments, read_on, time_words
from assistant.proactive.suggestions import (
    NoSuchSuggestion,
    RoutineCandidate,
    Stage,
    Suggestion,
    Suggestions,
    add_real_time,
    find_reasons,
    make_suggestion,
)
from assistant.records import Outcome, State
from assistant.settings.schema import ProactiveSettings, Settings

OCCASION = timedelta(hours=3)
"""A routine is offered once within this time."""
_LONGEST_TURN = timedelta(hours=1)
"""The longest that a turn may take which was running when a suggestion was made."""
_LOOKED_BACK = 20
"""So many of the latest turns may have been given up on this occasion."""
_MIDNIGHT = 1440
_SURER = 0.05
"""A routine that comes later keeps its place in the day's suggestions if its chance is this much higher."""


class SuppressionReason(StrEnum):
    """Why nothing new is offered."""

    OFF = "off"
    QUIET_HOURS = "quiet hours"
    BUDGET = "budget"
    OPEN = "another one waits for an answer"


@dataclass(frozen=True, slots=True)
class OfferPlan:
    """What to do with the suggestions that are open: let some lapse, hold some back, show at most one."""

    lapse: tuple[Suggestion, ...] = ()
    show: Suggestion | None = None


def plan_offer(
    suggestions: Sequence[Suggestion], now: datetime, *, suppression: SuppressionReason | None, busy: bool
) -> OfferPlan:
    """Decide about the open suggestions.

    A suggestion lapses when its time is over. Of those that are due, the one with the highest score is shown,
    unless one is on the screen already, a turn runs, the user types, or nothing may be offered.

    Args:
        suggestions: the suggestions that are not over.
        now: the present time.
        suppression: why nothing may be offered, if so; a suggestion that the user put off is exempt from the
            budget.
        busy: whether a turn runs or the user types.
    """
    lapse = tuple(suggestion for suggestion in suggestions if suggestion.until < now)
    current = [suggestion for suggestion in suggestions if suggestion.until >= now]
    held = busy or any(suggestion.stage is Stage.SHOWN for suggestion in current)
    due = [
        suggestion
        for suggestion in current
        if suggestion.stage is not Stage.SHOWN
        and suggestion.due <= now
        and (
            suppression is None
            or (suppression is SuppressionReason.BUDGET and suggestion.stage is Stage.SNOOZED)
        )
    ]
    best = max(
        due,
        key=lambda suggestion: (suggestion.stage is Stage.SNOOZED, suggestion.score, suggestion.id),
        default=None,
    )
    return OfferPlan(lapse, None if held else best)


def find_suppression(
    settings: ProactiveSettings, past: Sequence[Suggestion], now: datetime
) -> SuppressionReason | None:
    """Why nothing may be offered now; None when something may.

    Args:
        settings: the user's rules.
        past: the suggestions of the last days, in any order.
        now: the user's local time.
    """
    if not settings.enabled:
        return SuppressionReason.OFF
    if in_quiet_hours(now, settings.quiet_from, settings.quiet_until):
        return SuppressionReason.QUIET_HOURS
    if count_shown_on(past, now) >= settings.a_day:
        return SuppressionReason.BUDGET
    return None


def in_quiet_hours(now: datetime, begin: time, end: time) -> bool:
    """Whether a local time lies in the hours from `begin` to before `end`, across midnight if it must."""
    clock = now.timetz().replace(tzinfo=None)
    return begin <= clock < end if begin <= end else clock >= begin or clock < end


def count_shown_on(past: Sequence[Suggestion], now: datetime) -> int:
    """How many suggestions were shown today, by the user's calendar."""
    return sum(
        suggestion.shown is not None and suggestion.shown.astimezone(now.tzinfo).date() == now.date()
        for suggestion in past
    )


def is_same_occasion(
    candidate: RoutineCandidate,
    anchors: frozenset[str],
    past: Sequence[Suggestion],
    now: datetime,
) -> bool:
    """Whether a routine was offered on this occasion already, or has been put off to later.

    Args:
        candidate: what would be offered.
        anchors: the ids of the routine's records, since its name may have changed.
        past: the suggestions of the last days.
        now: the present time.
    """
    return any(
        suggestion.stage is not Stage.OVER
        or _time_between(max(suggestion.made, suggestion.answered or suggestion.made, suggestion.due), now)
        < OCCASION
        for suggestion in past
        if suggestion.routine == candidate.routine or suggestion.anchor in anchors
    )


def _time_between(then: datetime, now: datetime) -> timedelta:
    """The real time between, or the wall-clock time if that is less, as in an hour that comes twice."""
    wall = now.replace(tzinfo=None) - then.astimezone(now.tzinfo).replace(tzinfo=None)
    return min(timedelta(seconds=now.timestamp() - then.timestamp()), wall)


def snoozed_until(now: datetime, snooze: Snooze) -> datetime:
    """When a snoozed suggestion comes back; tomorrow means the same wall-clock time."""
    match snooze:
        case Snooze.TEN_MINUTES:
            return add_real_time(now, timedelta(minutes=10))
        case Snooze.AN_HOUR:
            return add_real_time(now, timedelta(hours=1))
        case Snooze.TOMORROW:
            wall = now + timedelta(days=1)
            return wall if isinstance(now.tzinfo, ZoneInfo) else wall.replace(tzinfo=None).astimezone()


def was_done_since(
    suggestion: Suggestion, done: Sequence[tuple[str, datetime]], anchors: frozenset[str]
) -> bool:
    """Whether the user did the same without accepting it; `done` are record ids with their times.

    A record has the time at which its turn began: a record that was no evidence when the suggestion was made
    may be of a turn that was running then.
    """
    made, evidence = suggestion.made, suggestion.evidence
    return suggestion.answer is Answer.NONE and any(
        record in anchors and (time > made or (record not in evidence and made - time < _LONGEST_TURN))
        for record, time in done
    )


def find_routine(suggestion: Suggestion, prototypes: Iterable[Prototype]) -> Prototype | None:
    """The routine of a suggestion, by its anchor record, else by its id; None if it is gone."""
    by_name = None
    for prototype in prototypes:
        if suggestion.anchor in prototype.evidence:
            return prototype
        if prototype.id == suggestion.routine:
            by_name = prototype
    return by_name


def update_from_memory(
    suggestion: Suggestion, original_words: str, prototypes: Iterable[Prototype]
) -> Suggestion | None:
    """A suggestion as it would be made, at its own time, from the memory as it is.

    Args:
        suggestion: one that is not over.
        original_words: the routine's own words at that time; a model may have worded the suggestion.
        prototypes: the routines that may be suggested now.

    Returns:
        None if it would not be made: its routine is gone or hidden, or has other hours or another place.
    """
    routine = find_routine(suggestion, prototypes)
    then = State(time=suggestion.made, scenario=suggestion.scenario)
    if routine is None or routine.hidden or not fits_user_limits(routine, then):
        return None
    return replace(
        suggestion,
        routine=routine.id,
        anchor=suggestion.anchor if suggestion.anchor in routine.evidence else routine.centre_id,
        instruction=suggestion.instruction if routine.instruction == original_words else routine.instruction,
        evidence=routine.evidence[:EVIDENCE],
        why=find_reasons(routine.members, then) or suggestion.why,
    )


def find_offers(
    habits: Habits,
    past: Sequence[Suggestion],
    state: State,
    settings: ProactiveSettings,
    answers: RoutineFeedback,
    weighing: LikelihoodWeights = USUAL,
    recent: RecentHabits = DAY_SO_FAR,
) -> Iterator[RoutineCandidate]:
    """What may be offered now, best first: likely, not kept quiet, and not offered on this occasion already.

    Nor is what is done instead of something that was just refused: it serves the same end, and often is the
    same in other words. Where fewer suggestions are left for the day than are likely to be worth one, the
    surest of them are made.

    Args:
        habits: the routines, with what was done today before now.
        past: the suggestions of the last weeks.
        state: now and where the user is.
        settings: what a needless suggestion costs, how many a day are made, and when none is.
        answers: what the user made of suggestions.
        weighing: what counts how much.
        recent: what was done today that is not among the habits yet.
    """
    variants = habits.table.variants
    answers = answers.join(habits.wordings)
    unwanted = answers.quiet | _alternatives_of_refused(habits, past, state.time, answers)
    judged = habits.judge(
        state, settings.cost_of_being_wrong, weighing, answers.feedback, recent, answers.prompted
    )
    for candidate in judged:
        routines = (candidate.routine, *variants.get(candidate.routine, ()))
        anchors = frozenset(record for name in routines for record in habits.prototypes[name].evidence)
        if candidate.routine not in unwanted and not is_same_occasion(candidate, anchors, past, state.time):
            left = settings.a_day - count_shown_on(past, state.time)
            if _count_surer_today(candidate, habits, state.time, settings, answers, weighing) < left:
                yield candidate


def _alternatives_of_refused(
    habits: Habits, past: Sequence[Suggestion], now: datetime, answers: RoutineFeedback
) -> frozenset[str]:
    """What is done instead of a routine that was refused on this occasion."""
    refused = (
        suggestion
        for suggestion in past
        if suggestion.answer is Answer.NOT_NOW
        and suggestion.answered is not None
        and _time_between(suggestion.answered, now) < OCCASION
    )
    routines = (find_routine(suggestion, habits.prototypes.values()) for suggestion in refused)
    return frozenset(
        name
        for routine in routines
        if routine is not None
        for name in find_done_instead(habits.table, routine.id, now.date(), answers.prompted)
    )


def _count_surer_today(
    candidate: RoutineCandidate,
    habits: Habits,
    now: datetime,
    settings: ProactiveSettings,
    answers: RoutineFeedback,
    weighing: LikelihoodWeights,
) -> int:
    """How many routines will be more likely later today than the candidate is now, outside quiet hours."""
    minute = minute_of(now)
    opening = opening_times(habits.table, now.date(), weighing, answers.feedback, answers.prompted)
    return sum(
        chance > candidate.score + _SURER
        and minute < mean + opens < _MIDNIGHT
        and routine != candidate.routine
        and routine not in answers.quiet
        and not in_quiet_hours(
            at_wall_clock(now.date(), int(mean + opens), now), settings.quiet_from, settings.quiet_until
        )
        for routine, mean, opens, chance in opening
    )


@dataclass(frozen=True, slots=True)
class OfferDecision:
    """The result of a check: the suggestion to show now, if any, and those that ended.

    `waiting` is the suggestion on the screen from now on, shown now or before; `reworded` tells that it has
    its routine's own words, which no model has worded yet, `auto_run` that the user lets it start by itself.
    """

    shown: Suggestion | None = None
    waiting: Suggestion | None = None
    reworded: bool = False
    auto_run: bool = False
    ended: tuple[Suggestion, ...] = ()


class OfferPolicy:
    """Offers routines to one user.

    Args:
        store: where suggestions are kept.
        user_id: whose.
        settings: when something may be offered.
        now: the user's local time with its zone.
        habits: what is known of the user's habits on a day.
        harmless: whether a routine may start by itself if the user lets it.
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
        self._latest = partial(store.records.of, user_id, _LOOKED_BACK)
        self._settings = settings
        self._now = now
        self._habits = habits
        self._harmless = harmless
        self._decisions = UserOverrides(store, user_id)
        self._instructions_before: dict[str, str] = {}

    def set_rules(self, settings: ProactiveSettings) -> None:
        """Offer by other rules from the next look on."""
        self._settings = settings

    def look(self, scenario: str = UNKNOWN, *, busy: bool = False) -> OfferDecision:
        """Let old suggestions lapse, and offer at most one: a snoozed one that is due, or what is likely now.

        Args:
            scenario: where the user is.
            busy: whether a turn runs or the user types; what is due waits then.

        Raises:
            StoreError: the memory cannot be written.
        """
        now = self._now()
        if not self._settings.enabled:
            ended = [self.suggestions.settle(each, Answer.LAPSED, now) for each in self.suggestions.open()]
            return OfferDecision(ended=tuple(ended))
        habits = self._habits(now.date())
        over, reworded = self._sync_with_memory(habits, now)
        past = self.suggestions.since(now - REMEMBERED)
        suppression = find_suppression(self._settings, past, now)
        open_suggestions = [suggestion for suggestion in past if suggestion.stage is not Stage.OVER]
        offer_plan = plan_offer(open_suggestions, now, suppression=suppression, busy=busy)
        over += [self.suggestions.settle(suggestion, Answer.LAPSED, now) for suggestion in offer_plan.lapse]
        lapsed = {suggestion.id for suggestion in offer_plan.lapse}
        show = offer_plan.show
        waits = any(
            suggestion.stage is not Stage.SNOOZED
            for suggestion in open_suggestions
            if suggestion.id not in lapsed
        )
        if show is None and suppression is None and not waits:
            candidate = self._make_likely(habits, past, State(time=now, scenario=scenario))
            show = candidate if not busy else None
        shown = self.suggestions.show(show, now) if show else None
        return self._decide(habits, over, reworded, shown)

    def refresh(self) -> OfferDecision:
        """Update open suggestions to the memory; nothing new is shown.

        Raises:
            StoreError: the memory cannot be written.
        """
        if not self._settings.enabled:
            return OfferDecision()
        now = self._now()
        habits = self._habits(now.date())
        over, reworded = self._sync_with_memory(habits, now)
        return self._decide(habits, over, reworded)

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
        self._instructions_before[suggestion_id] = suggestion.instruction
        return self.suggestions.renew(replace(suggestion, instruction=instruction))

    def withdraw(self, suggestion_id: str) -> None:
        """End a suggestion that is not to be shown after all.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        self.suggestions.withdraw(self.suggestions.get(suggestion_id), self._now())

    def answer(self, suggestion_id: str, answer: Answer | Snooze) -> Suggestion:
        """Store the user's answer, or put the suggestion off; "never" hides its routine from suggestions.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        suggestion, now = self.suggestions.get(suggestion_id), self._now()
        if isinstance(answer, Snooze):
            return self.suggestions.snooze(suggestion, snoozed_until(now, answer))
        answered = self.suggestions.answer(suggestion, answer, now)
        if answer is Answer.NEVER:
            habits = self._habits(now.date())
            others = [other.centre_id for other in self._in_other_words(answered, habits)]
            members = self._members(answered, habits) or [answered.anchor]
            self._decisions.hide(members, others=others, only_suggestions=True)
        return answered

    def expected(self) -> list[ExpectedOccasion]:
        """When each routine is likely next."""
        now = self._now()
        habits = self._habits(now.date())
        past = self.suggestions.since(now - REMEMBERED)
        return forecast(habits, past, now, self._settings.cost_of_being_wrong)

    def _make_likely(self, habits: Habits, past: Sequence[Suggestion], state: State) -> Suggestion | None:
        """Make a suggestion of the likeliest routine, unless it was offered or given up on this occasion."""
        answers = self._feedback(habits, past)
        given_up = [
            word_set(record.instruction)
            for record in self._latest()
            if record.outcome is Outcome.CANCELLED and timedelta() <= state.time - record.time < OCCASION
        ]
        for candidate in find_offers(habits, past, state, self._settings, answers):
            prototype = habits.prototypes[candidate.routine]
            said = word_set(prototype.instruction)
            if said and any(said <= words for words in given_up):
                continue
            suggestion = make_suggestion(candidate, prototype.centre_id, state.scenario, state.time)
            self.suggestions.add(suggestion)
            return suggestion
        return None

    def _decide(
        self, habits: Habits, over: Sequence[Suggestion], reworded: set[str], shown: Suggestion | None = None
    ) -> OfferDecision:
        now = self._now()
        displayed = [
            suggestion
            for suggestion in self.suggestions.open()
            if suggestion.stage is Stage.SHOWN and suggestion.until >= now
        ]
        suggestion = shown or (displayed[-1] if displayed else None)
        if suggestion is None:
            return OfferDecision(ended=tuple(over))
        needs_wording = shown is not None or suggestion.id in reworded
        return OfferDecision(
            shown, suggestion, needs_wording, self._may_auto_run(suggestion, habits), tuple(over)
        )

    def _sync_with_memory(self, habits: Habits, now: datetime) -> tuple[list[Suggestion], set[str]]:
        """Update open suggestions to the memory, and end those that the user did without accepting.

        Returns the suggestions that ended, and the ids of those with new words.
        """
        # First, because updated evidence would hide that the routine was done since.
        over, reworded = self._end_what_was_done(habits, now), set()
        for suggestion in self.suggestions.open():
            updated = update_from_memory(
                suggestion,
                self._instructions_before.get(suggestion.id, suggestion.instruction),
                habits.prototypes.values(),
            )
            if updated is None:
                over.append(self.suggestions.withdraw(suggestion, now))
            elif updated != suggestion:
                self.suggestions.renew(updated)
                if updated.instruction != suggestion.instruction:
                    self._instructions_before.pop(suggestion.id, None)
                    reworded.add(suggestion.id)
        return over, reworded

    def _end_what_was_done(self, habits: Habits, now: datetime) -> list[Suggestion]:
        over = []
        for suggestion in self.suggestions.open():
            others = self._in_other_words(suggestion, habits)
            records = (record for other in others for record in (other.centre_id, *other.evidence))
            members = frozenset((*self._members(suggestion, habits), *records))
            done = [
                (member.record_id, member.time)
                for prototype in habits.prototypes.values()
                if prototype.centre_id in members
                for member in prototype.members
            ]
            if was_done_since(suggestion, done, members):
                over.append(self.suggestions.settle(suggestion, Answer.DONE, now))
        return over

    def _feedback(self, habits: Habits, past: Sequence[Suggestion]) -> RoutineFeedback:
        return summarize_feedback(past, habits.prototypes, self._now())

    def allow_auto_run(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion start by itself from its next time on; false if it must not.

        Raises:
            NoSuchSuggestion: it is over already.
        """
        suggestion, habits = self.suggestions.get(suggestion_id), self._habits(self._now().date())
        routine = find_routine(suggestion, habits.prototypes.values())
        if routine is None or not self._harmless(routine):
            return False
        self._decisions.let_alone(self._members(suggestion, habits))
        return True

    def _may_auto_run(self, suggestion: Suggestion, habits: Habits) -> bool:
        """Whether the user lets the routine start by itself, and has not put this suggestion off."""
        routine = find_routine(suggestion, habits.prototypes.values())
        return not suggestion.snoozes and routine is not None and routine.alone and self._harmless(routine)

    def _members(self, suggestion: Suggestion, habits: Habits) -> list[str]:
        """The records of the routine that a suggestion is about, the centre first."""
        routine = find_routine(suggestion, habits.prototypes.values())
        return list(dict.fromkeys((routine.centre_id, *routine.evidence))) if routine is not None else []

    def _in_other_words(self, suggestion: Suggestion, habits: Habits) -> list[Prototype]:
        """The variants of a suggestion's routine that ask for the same in other words."""
        routine = find_routine(suggestion, habits.prototypes.values())
        if routine is None or routine.id not in habits.table.places:
            return []
        habit = habits.table.ids[habits.table.places[routine.id]]
        variants = ({habit} | habits.table.variants.get(habit, frozenset())) - {routine.id}
        others = (habits.prototypes[name] for name in sorted(variants))
        return [other for other in others if is_same_wish(routine, other)]


@dataclass(frozen=True, slots=True)
class NextOccurrence:
    """A routine with its likely occasions within a week, soonest first; none while it is kept quiet."""

    routine: Prototype
    occasions: tuple[ExpectedOccasion, ...]


def list_upcoming(
    store: Store,
    memory: HierarchicalMemory,
    settings: Settings,
    now: Callable[[], datetime],
    user_id: str | None = None,
) -> list[NextOccurrence]:
    """The routines that are likely within a week, soonest first, and those that start by themselves.

    Args:
        store: the memory.
        memory: its prototypes.
        settings: the user's rules.
        now: the present time in any zone; the occasions are on the user's clock, see `on_user_clock`.
        user_id: whose; the settings' user by default.

    Raises:
        UnknownCountry: of the settings.
        EmbeddingError: new records cannot be placed.
    """
    user = user_id or settings.user_id
    habits = load_habits(memory, user, Calendar(settings.proactive.country), now().date())
    done = [member.time for prototype in habits.prototypes.values() for member in prototype.members]
    local = on_user_clock(now(), done)
    occasions = OfferPolicy(store, user, settings.proactive, lambda: local, lambda _: habits).expected()
    routines = dict.fromkeys([occasion.routine for occasion in occasions])
    routines |= dict.fromkeys(prototype.id for prototype in habits.prototypes.values() if prototype.alone)
    return [
        NextOccurrence(
            habits.prototypes[routine],
            tuple(occasion for occasion in occasions if occasion.routine == routine),
        )
        for routine in routines
    ]


def with_clock_time(command: str, now: datetime) -> str:
    """A command to be reminded “in two hours”, with the time of day that this is; any other as it is.

    The phone sets reminders by the clock. The time may stand first, last or behind “remind me”; what is to be
    said to somebody may hold one of its own.
    """
    later, text = time_words().later, unicodedata.normalize("NFKC", command).strip(" .。!！?？")
    folded = text.casefold()
    reminds = later["reminds"].search(folded)
    if reminds is None or len(folded) != len(text) or len(text) > LONGEST_TIMES:
        return command
    behind_words = folded[reminds.end() :].lstrip()
    for word in re.finditer(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", folded):
        pieces, end = read_on(folded, word.start(), now)
        begins = word.start() in (0, len(folded) - len(behind_words))
        if pieces is None or pieces.after is None or not (begins or end == len(folded)):
            continue
        before, behind = text[: word.start()].strip(" ,，、"), text[end:].strip(" ,，、")
        rest = f"{before} {behind}".strip() if before.isascii() else before + behind
        wish = later["reminds"].sub("", rest.casefold(), count=1).strip()
        has_more = pieces.times or pieces.days or pieces.on or pieces.repeats or pieces.every
        if has_more or not wish or (not begins and later["says"].search(wish)):
            return command
        at = now + pieces.after
        if at.date() > now.date() + timedelta(days=1):
            return command
        if not has_chinese(rest):
            return f"{rest} at {at:%H:%M}" + " tomorrow" * (at.date() > now.date())
        return "明天" * (at.date() > now.date()) + f"{at:%H:%M}{rest}"
    return command


def usual_moments(come: TimeToCome, now: datetime) -> tuple[datetime, ...]:
    """When a command with a day alone is likeliest meant: lunch at noon, else morning, noon or evening."""
    texts = come.times.casefold(), come.instruction.casefold()
    hours_said = [hour for text in texts for hour, words in time_words().hours.items() if words.search(text)]
    is_vague = time_words().later["vague"].fullmatch(texts[0]) is not None
    if come.days:
        return read_moments(f"{hours_said[0]:02}:00", come, now) if hours_said else ()
    hours = hours_said[:1] or (() if is_vague else (9, 12, 18))
    return tuple(at for hour in hours for at in read_moments(f"{hour:02}:00", come, now)[:1])
