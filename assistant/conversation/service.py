"""Answers what needs no phone: questions about the past, greetings, help, and what to remember.

Each reply is in the language of the line that it answers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import partial

from assistant.conversation.amendments import change_on_phone, tell_on_phone
from assistant.conversation.answers import FrequentTask, PastAnswer, PastAnswers
from assistant.conversation.line_words import (
    complains,
    line_pattern,
    normalize_line,
    says_nothing_more,
    split_told,
    strip_courtesy,
)
from assistant.conversation.past_questions import Aspect, PastQuestion, read_subject, record_patterns
from assistant.conversation.periods import find_meal
from assistant.conversation.remembering import (
    find_about,
    find_meant,
    find_stated,
    points_at_told,
    read_ended,
    read_facts,
    read_rule,
    read_told_correction,
    replaces_value,
    tell_remembered,
    told_pattern,
    without_former,
)
from assistant.conversation.routing import SWITCHED, Route, RouteKind, split_parts
from assistant.conversation.setting_changes import (
    SuggestionSwitches,
    Switches,
    SwitchRefused,
    TypedUndo,
    ask_before_ending,
    find_facts_beside,
    find_wishes_beside,
    keep_turn,
    run_schedule_words,
    small_talk,
    split_remembered,
    tell_beside,
)
from assistant.events import ActionKind
from assistant.history import (
    PastTurn,
    PastTurns,
    WholeTurn,
    find_named,
    tell_asked_deed,
    tell_complained,
    tell_corrected,
    tell_last_command,
    tell_missed,
    tell_outcome,
    tell_turns,
    tell_verdict,
    tell_why,
)
from assistant.i18n import _, later, sentences, speaking, spoken_for, tidied
from assistant.memory.audit import UndoRefused
from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.extract import (
    ExtractedFact,
    as_told,
    draft_facts,
    hide_facts,
    mentions_secret,
    of_known_people,
)
from assistant.memory.profile.graph import NOTE, WISH, Evidence
from assistant.memory.profile.lexicon import ADDRESS, NAME
from assistant.memory.profile.service import Profile
from assistant.memory.request_log import tell_usage
from assistant.memory.store import Store
from assistant.memory_view.items import ItemLocation, MemoryProblem, Section
from assistant.memory_view.labels import fact_words, node_words
from assistant.memory_view.service import MemoryView
from assistant.model.types import one_line
from assistant.proactive.schedules import Schedules
from assistant.records import Outcome
from assistant.settings.load import SettingsError
from assistant.understand.memory_sources import load_earlier_turns
from assistant.understand.perceive import SECRET_NOT_KEPT
from assistant.understand.types import EarlierTurn
from assistant.understand.words import mentions_any

WITHOUT_PHONE = frozenset(RouteKind) - {RouteKind.COMMAND}
"""What is answered without the phone."""

_WISHES = (
    *(RouteKind.REMEMBER, RouteKind.STOP_SUGGESTING, RouteKind.QUIET_HOURS, RouteKind.RESUME_SUGGESTING),
    *(RouteKind.PAUSE_LEARNING, RouteKind.RESUME_LEARNING, RouteKind.KEEP_SKILL, RouteKind.SCHEDULE),
)
"""What is said to the program and changes something in it."""

BY_INTERFACE = frozenset(
    (
        *(RouteKind.FAREWELL, RouteKind.STOP, RouteKind.CANCEL, RouteKind.RESUME, RouteKind.WHY),
        *(RouteKind.OPEN_MEMORY, RouteKind.OPEN_HISTORY, RouteKind.OPEN_SETTINGS, RouteKind.OPEN_QUEUE),
    )
)
"""What an interface does itself, because it concerns what it shows or the running turn."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said back. `evidence` are the ids of the records that it rests on, newest first.

    `is_answered` is false where memory does not know the answer. `offer` is a command that the user may want
    to send next, `location` where in the memory that stands which is to be forgotten: an interface opens it.
    """

    text: str
    evidence: tuple[str, ...] = ()
    is_answered: bool = True
    offer: str = ""
    location: ItemLocation | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A line that was answered without the phone, when, and the answer. `kind` is what the line was for."""

    time: datetime
    said: str
    answered: str
    kind: RouteKind = RouteKind.COMMAND


@dataclass(frozen=True, slots=True)
class Mention:
    """Something that memory knows by name, to be put into a command: the name, and what it is."""

    name: str
    about: str


_TURNS_WITH_NAMES, _LOOKED_BACK = 20, 10
_ASKED_ABOUT = (ActionKind.PAY, ActionKind.SEND, ActionKind.DELETE)


class Conversation:
    """Replies to the lines of one user that need no phone. To be used in a thread.

    Args:
        store: the memory.
        user_id: whose it is.
        profile: opens the profile.
        view: the memory to view and change; made when it is needed.
        switches: learning and suggestions.
        now: the local time with its zone.
        endpoint: a sentence that says where requests to the model go.
        memory_host: the host of a database that several machines share; empty if it is on this computer.
        quiet: the hours without suggestions at the start.

    Attributes:
        offer: the command that the answer given last offers, until another line is answered or resolved.
    """

    def __init__(
        self,
        store: Store,
        user_id: str,
        profile: Callable[[], Profile],
        view: Callable[[], MemoryView],
        switches: Switches,
        now: Callable[[], datetime],
        endpoint: str = "",
        memory_host: str = "",
        quiet: tuple[time, time] = (time(22, 30), time(6, 30)),
    ) -> None:
        self._store = store
        self._endpoint = endpoint
        self._memory_host = memory_host
        self._begun = now()
        self._latest_wish = "", self._begun
        self._line = self.offer = ""
        self._latest_told: tuple[str, Sequence[ExtractedFact]] = "", []
        self._user = user_id
        self._profile = profile
        self._view = view
        self.now = now
        self._answered: deque[Exchange] = deque(maxlen=_LOOKED_BACK)
        self._under_way = ""
        self._past = PastAnswers(store, user_id, profile, now, self._list_habits)
        self._typed_undo = TypedUndo(store, view, self._newest_turn)
        self._switches = SuggestionSwitches(switches, view, self._typed_undo, quiet, now)

    def reply(self, route: Route) -> Reply:
        """The reply to a line that needs no phone.

        Raises:
            StoreError: the memory cannot be read or written.
        """
        parts = split_parts(route.text)
        if (route.kind, route.rest) in [(each.kind, each.rest) for each in parts]:
            return self._reply_to_parts(route.text, parts)
        self._line, kept, beside = route.text, "", ""
        with speaking(spoken_for(route.text)):
            try:
                if route.kind in SWITCHED:
                    # What a model restates brings back only what a line has just ended.
                    wishes = find_wishes_beside(route) if route.sure or self._switches.is_off else []
                    done = *map(self._remember, find_facts_beside(route.text)), *map(self.reply, wishes)
                    kept, beside = sentences(*(each.text for each in done)), tell_beside(route, wishes)
                reply = self._reply(route)
                if route.kind in _WISHES and reply.is_answered:
                    self._latest_wish = route.text, self.now()
                kept = sentences(small_talk(RouteKind.THANKS) if route.thanks else "", kept)
                reply = replace(reply, text=sentences(kept, tidied(reply.text), beside))
                self._answered.appendleft(Exchange(self.now(), route.text, reply.text, route.kind))
                return reply
            except (MemoryProblem, UndoRefused, SettingsError, SwitchRefused) as problem:
                return Reply(sentences(kept, str(problem), beside), is_answered=False)

    @property
    def talk(self) -> list[Exchange]:
        """The lines that were answered, the newest first."""
        return [*self._answered]

    def schedules(self) -> list[str]:
        """What is done by itself and when, the newest first."""
        return [schedule.words for schedule in reversed(Schedules(self._store, self._user).all())]

    def made_before(self) -> tuple[Schedules, PastTurns]:
        """What a line may change: the schedules, and the turns before it."""
        return Schedules(self._store, self._user), self._turns()

    def change_on_phone(self, line: str, turn_id: str) -> str:
        """The command that changes what the turn before this one set, where that is certain; else empty."""
        turns = PastTurns(self._store, self._user, without=turn_id)
        schedules = Schedules(self._store, self._user)
        return change_on_phone(line, schedules, turns, self.now(), self.answered_last)

    @property
    def answered_last(self) -> datetime | None:
        """When a line was answered last that was more than small talk; None for never."""
        return next((each.time for each in self._answered if each.kind not in _SAYS_NOTHING), None)

    def beside(self, turn_id: str, answer: Callable[[], Reply]) -> Reply:
        """A reply while a turn is under way, which is none of the turns that it tells of."""
        self._under_way = turn_id
        try:
            return answer()
        finally:
            self._under_way = ""

    def tell_facts(self, words: str) -> Reply | None:
        """The facts whose value a line says, and all of whom it names; None where there are none."""
        facts = find_about(words, self._profile())
        if not facts:
            return None
        with speaking(spoken_for(words)):
            sayings = [fact_words(each.node.name, each.value.key, each.value.text) for each in facts]
            return Reply(_("Memory says: {facts}.").format(facts=_("; ").join(sayings[:_MOST_FACTS])))

    def earlier_turns(self, turn_id: str, *, every: bool = False) -> list[EarlierTurn]:
        """The turns that a line may go on from, or `every` one that ended lately, without the one under way.

        Raises:
            StoreError: the memory cannot be read.
        """
        return load_earlier_turns(self._store, self._user, self.now(), turn_id, every=every)

    def _turns(self) -> PastTurns:
        return PastTurns(self._store, self._user, without=self._under_way)

    def mentions(self) -> list[Mention]:
        """The people, places, apps and routines that memory knows, to be put into a command.

        Raises:
            StoreError: the memory cannot be read.
        """
        named: dict[str, str] = {}
        for fact in self._profile().facts():
            if fact.value.key in (NAME, ADDRESS, "is"):
                named.setdefault(node_words(fact.node.name), fact.value.text)
        for name in self._turns().recipients(_TURNS_WITH_NAMES):
            named.setdefault(name, _("written to or called lately"))
        for label in self._store.records.app_labels(self._user):
            named.setdefault(label, _("app"))
        for item in self._view().items(Section.ROUTINES).items:
            if not item.hidden:
                named.setdefault(item.name, _("routine"))
        return [Mention(name, about) for name, about in named.items()]

    def _reply(self, route: Route) -> Reply:
        if route.question is not None:
            reply = self._answer(route.question)
            if not reply.is_answered and mentions_secret(route.question.fact):
                return Reply(_(SECRET_NOT_KEPT), is_answered=False)
            return reply if reply.is_answered else replace(reply, offer=route.question.lookup)
        match route.kind:
            case RouteKind.REMEMBER:
                return self._take_back(route.text) or self._remember(route.rest)
            case RouteKind.FORGET:
                return self._take_back(route.text, alone=False) or self._tell_forgetting(route.rest)
            case RouteKind.STOP_SUGGESTING:
                return Reply(self._switches.stop_suggesting(route.rest, route.text))
            case RouteKind.QUIET_HOURS:
                return Reply(self._switches.keep_quiet(route.text))
            case RouteKind.RESUME_SUGGESTING:
                return Reply(self._switches.switch_suggestions(True))
            case RouteKind.PAUSE_LEARNING | RouteKind.RESUME_LEARNING:
                return Reply(self._switches.switch_learning(paused=route.kind is RouteKind.PAUSE_LEARNING))
            case RouteKind.SCHEDULE:
                return Reply(*self._schedule(route))
            case RouteKind.KEEP_SKILL:
                return Reply(*keep_turn(self._store, self._user, self._newest_turn(), route.rest))
            case kind:
                return self._talk(route, kind)

    def _talk(self, route: Route, kind: RouteKind) -> Reply:
        """The reply to a line that changes nothing by what it says."""
        match kind:
            case RouteKind.UNDO | RouteKind.REDO:
                return Reply(self._typed_undo.undo() if kind is RouteKind.UNDO else self._typed_undo.redo())
            case RouteKind.LAST_TURN:
                if line_pattern("of_session").search(route.text):
                    return self._tell_session()
                cancelled = line_pattern("of_cancelled").search(route.text) is not None
                if asked := line_pattern("deed_asked").fullmatch(strip_courtesy(normalize_line(route.text))):
                    return self._tell_deed(asked)
                return self._tell_last_turn(route.rest, cancelled=cancelled)
            case RouteKind.WHY:
                return self._tell_why(route.rest)
            case RouteKind.USAGE:
                return Reply(tell_usage(self._store.ledger, self._user, self.now().date()))
            case RouteKind.CORRECTION | RouteKind.REMARK if not route.is_remark:
                return self._take_back(route.text) or self._correct_last(route)
            case RouteKind.PROHIBITION if (rule := read_rule(route.text)) is not None and (
                statement := rule.statement(self._profile().facts())
            ):
                return self._remember(statement)
            case _:
                return Reply(self._tell_privacy() if kind is RouteKind.PRIVACY else small_talk(kind))

    def _reply_to_parts(self, line: str, parts: Sequence[Route]) -> Reply:
        """What is done here of a line with parts of different kinds; an order for the phone is offered."""
        replies = [self.reply(part) for part in parts if part.kind is not RouteKind.COMMAND]
        orders = [part.text for part in parts if part.kind is RouteKind.COMMAND]
        with speaking(spoken_for(line)):
            begin = (_("To begin it, send: {command}").format(command=one_line(each)) for each in orders)
            text = sentences(*(each.text for each in replies), *begin)
        return Reply(text, (), bool(orders) or any(each.is_answered for each in replies), (*orders, "")[0])

    def _tell_privacy(self) -> str:
        """Where what is said and seen goes: with the endpoint, nothing is said of one in general."""
        if self._memory_host:
            return sentences(self._endpoint, _(_KEPT_ON).format(host=self._memory_host))
        return sentences(self._endpoint, _(_KEPT_HERE)) if self._endpoint else small_talk(RouteKind.PRIVACY)

    def _answer(self, question: PastQuestion) -> Reply:
        """The answer to a question, and to the second one that its line asks."""
        if question.aspect is Aspect.ABOUT and line_pattern("asks_routines").search(question.text):
            first = self._list_routines()
        else:
            answer = self._past.answer(question)
            reply = Reply(answer.text, answer.evidence, answer.is_answered)
            first = self._tell_undone(question, answer) or reply
            is_liking = line_pattern("asks_liking").search(question.text) is not None
            if not answer.is_answered and question.words and is_liking:
                first = self._tell_asked_for(question.words[0]) or first
        if question.second is None:
            return first
        second = self._answer(question.second)
        if says_nothing_more(second.text, first.text):
            return first
        evidence = tuple(dict.fromkeys((*first.evidence, *second.evidence)))
        return Reply(f"{first.text}\n{second.text}", evidence, first.is_answered or second.is_answered)

    def _tell_asked_for(self, words: str) -> Reply | None:
        """What was asked for of a thing of which no fact says whether the user likes it; None for nothing."""
        subject = read_subject(words)
        if not subject.words and subject.deed in ("", "do"):
            return None
        answer = self._past.answer(replace(subject, habit=False))
        opening = _("You did not say so. What you asked for:")
        return Reply(f"{opening}\n{answer.text}", answer.evidence) if answer.is_answered else None

    def _newest_turn(self, *, cancelled: bool = False) -> WholeTurn | None:
        """The newest turn that did anything, else the newest; with `cancelled` of those."""
        turns = self._turns()
        newest = turns.newest(_LOOKED_BACK)
        if cancelled:
            newest = [turn for turn in newest if turn.outcome is Outcome.CANCELLED]
        turn = next((turn for turn in newest if turn.steps or turn.is_open), next(iter(newest), None))
        return turns.whole(turn.turn_id) if turn is not None else None

    def _tell_deed(self, asked: re.Match[str]) -> Reply:
        """Whether the newest deed of the kind that is asked about was done, and what became of one since."""
        whom = next(filter(None, asked.groups()), "").removeprefix("my ")
        whom = "" if line_pattern("of_anybody").fullmatch(whom) else whom
        kinds = frozenset(k for k in _ASKED_ABOUT if line_pattern(f"deed_asked_{k.value}").search(asked[0]))
        named = line_pattern("deed_object").search(asked[0])
        subject = read_subject(named["object"] or "") if named is not None else PastQuestion("", Aspect.WHAT)
        if meal := find_meal(asked[0]):
            subject = replace(subject, meal=meal, hours=read_subject(meal).hours)
        about, called = partial(self._is_about, subject), self._past.meanings(whom)
        is_call = line_pattern("deed_asked_call").search(asked[0]) is not None
        return Reply(*tell_asked_deed(self._turns(), kinds, whom, called, about, is_call=is_call))

    def _is_about(self, subject: PastQuestion, turn: PastTurn) -> bool:
        """Whether a turn is about a deed, a meal and words; one that names no meal by its hour."""
        text, pattern = f"{turn.said} {turn.instruction}", record_patterns().get(subject.deed)
        hour, named = turn.started.astimezone(self.now().tzinfo).hour, find_meal(text)
        first, end = subject.hours or (0, 24)
        is_meal = not subject.meal or (named == subject.meal if named else first <= hour < end)
        words = all(mentions_any(text, self._past.meanings(word)) for word in subject.words)
        return is_meal and words and (pattern is None or pattern.search(text) is not None)

    def _tell_undone(self, question: PastQuestion, answer: PastAnswer) -> Reply | None:
        """That the newest turn of this session that a question is about did not do it; None where it did."""
        is_lately = question.period is None or question.period.span(self.now())[1] > self.now()
        if question.aspect is not Aspect.WHETHER or question.habit or question.negated or not is_lately:
            return None
        whole = self._turns().latest_about(partial(self._is_about, question), self._begun - _LATELY)
        if whole is None or whole.turn.turn_id in answer.evidence:
            return None
        before = (_("Before that:"), answer.text) if answer.is_answered else ()
        text, evidence = "\n".join((tell_missed(whole), *before)), (whole.turn.turn_id, *answer.evidence)
        return Reply(text, evidence, answer.is_answered)

    def _tell_last_turn(self, words: str, *, cancelled: bool = False) -> Reply:
        """How the newest turn, or that about some words, ended, and what sensitive actions it did."""
        whole = self._turn_about(words) if words else self._newest_turn(cancelled=cancelled)
        if whole is None and words:
            return Reply(_(_NO_TURN_ABOUT).format(words=words), is_answered=False)
        if whole is None:
            none = _("None of the latest commands was cancelled.")
            return Reply(none if cancelled else _("I do not know: no turn has run yet."), is_answered=False)
        is_asked = line_pattern("asks_whether").match(strip_courtesy(normalize_line(self._line)))
        verdict = tell_verdict(whole.turn) if is_asked else ""
        return Reply(sentences(verdict, tell_outcome(whole)), (whole.turn.turn_id,))

    def _tell_session(self) -> Reply:
        """Each turn since this was opened, with its steps and how it ended, the oldest first."""
        lines = tell_turns(self._turns(), self._begun, self.now())
        text = "\n".join(lines.values()) or _("Nothing yet: no turn has run since the start.")
        return Reply(text, tuple(lines), is_answered=bool(lines))

    def _correct_last(self, route: Route) -> Reply:
        """What was asked for last and what came of it; the command as a line corrects it is offered."""
        schedules, turns = Schedules(self._store, self._user), self._turns()
        stands, command = tell_on_phone(route.text, schedules, turns, self.now())
        if command:
            return Reply(stands, offer=command)
        typed, (wish, time) = self._typed_turns(), self._latest_wish
        is_wish = bool(wish) and (not typed or time >= typed[0].started)
        last, is_record = typed[0].turn_id if typed and not is_wish else "", told_pattern("of_record")
        if is_record.search(route.text) and (location := self._find_record(route.text, last)):
            return _offer_to_forget(location)
        if complains(route.text) and self._turn_named(route.text) is not None:
            return self.answer_complaint(route.text)
        if is_wish:
            return Reply(sentences(small_talk(route.kind), _(_SAID_LAST).format(said=one_line(wish))))
        sentence, command = tell_corrected(turns, typed, route.text)
        if not command and complains(route.text) and (typed or self._answered):
            return self.answer_complaint(route.text)
        if not command:
            return Reply(sentences(small_talk(route.kind), tell_last_command(typed)))
        return Reply(sentence, offer=command)

    def _typed_turns(self) -> list[PastTurn]:
        """The user's latest commands, the newest first, without those that began by themselves."""
        begun_alone = {run.turn_id for run in Schedules(self._store, self._user).history(count=_LOOKED_BACK)}
        return [turn for turn in self._turns().newest(_LOOKED_BACK) if turn.turn_id not in begun_alone]

    def answer_complaint(self, line: str = "") -> Reply:
        """What a complaint is about, the turn that it names or what came last, and how to put it right."""
        typed, named = self._typed_turns(), self._turn_named(line)
        last = next((each for each in self._answered if not complains(each.said)), None)
        ended = typed[0].started + timedelta(seconds=typed[0].seconds) if typed else None
        undo = _("“undo” takes back what was changed in the memory; or say what is to be done instead.")
        lines, evidence = [_("Sorry that it was not as you wanted.")], tuple[str, ...]()
        if named is None and line_pattern("too_slow").search(line) and typed:
            return Reply(sentences(_("Sorry that it took so long."), tell_last_command(typed)))
        if named is None and last is not None and (ended is None or last.time >= ended):
            said, answer = one_line(last.said, _LONGEST_QUOTE), one_line(last.answered, _LONGEST_QUOTE)
            sentence = _("Last you said “{said}”, and the answer was: {answer}")
            lines.append(sentence.format(said=said, answer=answer))
        elif named is None and typed and (any(turn.is_open for turn in typed) or not typed[0].steps):
            lines.append(tell_last_command(typed))
        elif (whole := named or self._turns().whole(typed[0].turn_id) if typed else named) is not None:
            lines += tell_complained(whole, is_named=named is not None)
            evidence = (whole.turn.turn_id,)
        return Reply("\n".join((*lines, undo)), evidence)

    def _turn_named(self, line: str) -> WholeTurn | None:
        """The turn with most of the names and deeds in a complaint, of several the newest; None for none."""
        words = line_pattern("of_complaint").sub(" ", normalize_line(line))
        named = [self._past.meanings(word) for word in read_subject(words).words]
        turn = find_named(self._typed_turns(), named)
        return self._turns().whole(turn.turn_id) if turn is not None else None

    def is_settled(self, route: Route) -> bool:
        """Whether the rules know what a correction or a remark is about while no turn runs."""
        just_told = self.just_told()
        corrected = read_told_correction(route.text, just_told, self._profile().facts())
        return corrected is not None or route.is_remark or self._correct_last(route).offer != ""

    def _turn_about(self, words: str) -> WholeTurn | None:
        """The newest turn that is about some words, all content words counted; None if there is none."""
        subject, turns = read_subject(words), self._turns()
        pattern = record_patterns().get(subject.deed)
        for turn in turns.newest(_LOOKED_BACK):
            text = f"{turn.said} {turn.instruction}"
            if all(mentions_any(text, (word,)) for word in subject.words) and (
                subject.words or (pattern is not None and pattern.search(text))
            ):
                return turns.whole(turn.turn_id)
        return None

    def _turn_asked_why(self, words: str) -> WholeTurn | None:
        """The newest turn that a question why is about: “cancel the call to mom” is that of “call mom”.

        Of a command with two wishes the question may name one, and say otherwise what it was: any of its
        words will do, as the answer quotes the command.
        """
        deed = " ".join(line_pattern("endings").sub(" ", words).split())
        if (whole := self._turn_about(deed) if deed else self._newest_turn()) is not None:
            return whole
        telling = [word for word in read_subject(deed).words if len(word) > 1 or word.isdecimal()]
        # A figure tells one turn from the others: “why did you set the alarm to 7”.
        named = [word for word in telling if word.isdecimal()] or telling
        return next((turn for word in named if (turn := self._turn_about(word)) is not None), None)

    def _tell_why(self, words: str) -> Reply:
        """What the newest turn, or that about some words, was taken for, why it ended so, and what it did."""
        whole = self._turn_asked_why(words) if words else self._newest_turn()
        if whole is None and words:
            return Reply(sentences(_(_NO_TURN_ABOUT).format(words=words), _(_ONLY_WHY)), is_answered=False)
        if whole is None:
            return Reply(small_talk(RouteKind.WHY), is_answered=False)
        return Reply(tell_why(whole), (whole.turn.turn_id,))

    def _list_habits(self, most: int) -> list[FrequentTask]:
        """What is done most often, as the memory panel counts it; empty if it cannot be read."""
        view = self._view()
        try:
            listed = [item for item in view.items(Section.PREFERENCES).items if item.last and not item.hidden]
            often = sorted(listed, key=lambda item: -item.count)[:most]
            habits = [(item, view.details(Section.PREFERENCES, item).evidence) for item in often]
        except MemoryProblem:
            return []
        zone = self.now().tzinfo
        return [
            FrequentTask(
                item.name, item.count, item.last.astimezone(zone), tuple(record.id for record in evidence)
            )
            for item, evidence in habits
            if item.last is not None
        ]

    def _list_routines(self) -> Reply:
        """The routines that may be suggested."""
        names = [item.name for item in self._view().items(Section.ROUTINES).items if not item.hidden]
        return Reply("\n".join(names) or _("Memory holds no routines yet."), is_answered=bool(names))

    def just_told(self) -> Sequence[ExtractedFact]:
        """The facts that the user told last, where nothing else was asked for since; else none."""
        (wish, time), (line, facts) = self._latest_wish, self._latest_told
        is_newest = wish == line and all(turn.started <= time for turn in self._turns().newest(1))
        return facts if is_newest and self.now() - time <= _JUST_TOLD else []

    def _take_back(self, line: str, *, alone: bool = True) -> Reply | None:
        """Take back or change what was just told, or what a line denies; None where it does neither.

        It must point at what was told unless it may say so `alone`.
        """
        just_told = self.just_told() if alone or points_at_told(line) else []
        correction = read_told_correction(line, just_told, self._profile().facts())
        if correction is None or not (alone or just_told):
            return None
        if not correction.is_clear:
            unclear = _(_SAID_LAST).format(said=one_line(self._latest_wish[0]))
            unclear = sentences(unclear, _("Say whose or what it is instead; until then it stays."))
            return Reply(unclear, is_answered=False)
        if self._profile().apply_edit(correction.draft, "correct what was said") is None:
            return Reply(_("Memory knows that already.")) if correction.right and line else None
        self._latest_wish, self._latest_told = (line, self.now()), (line, correction.right)
        return Reply(correction.tell())

    def _remember(self, words: str) -> Reply:
        """Store what the user says about themselves as facts that they stated."""
        if not words:
            sentence = _("Say what to remember, such as “remember that I am allergic to peanuts”.")
            return Reply(sentence, is_answered=False)
        if mentions_secret(words):
            return Reply(_(SECRET_NOT_KEPT), is_answered=False)
        if (taken_back := self._take_back(words)) is not None:
            return taken_back
        original_words, (words, wish) = words, split_remembered(without_former(words))
        profile = self._profile()
        facts = of_known_people(read_facts(words), profile.facts())
        before = [each for each in profile.facts() if any(replaces_value(fact, each) for fact in facts)]
        gone = [as_told(each) for each in before] if words != original_words else []
        is_verbatim = all(fact.key in (WISH, NOTE) for fact in facts)
        if (ended := read_ended(words)) and (
            find_stated(ended, profile.facts()) or (is_verbatim and find_meant(ended, profile))
        ):
            return self._tell_forgetting(ended)
        taught = told_pattern("teaches").fullmatch(words)
        word = (taught["en"] or taught["zh"]) if taught is not None else ""
        if told_pattern("points_at").fullmatch(word.casefold()):
            sentence = _(
                "“{word}” means somebody or something else each time, so nothing was kept. Say the name."
            )
            return Reply(sentence.format(word=one_line(word, 20)), is_answered=False)
        if not facts:
            sentence = _("Nothing was kept: of whom that is said is not clear. Name them.")
            return Reply(sentence, is_answered=False)

        def add(draft: GraphDraft, evidence: Evidence) -> None:
            hide_facts(draft, gone)
            draft_facts(draft, facts, evidence.record_id, evidence.time)

        is_new = self._profile().apply_edit(add, "remember what was said") is not None
        beside, offer = self.reply(wish).text if wish is not None else "", ""
        if wish is not None and wish.kind is RouteKind.COMMAND:
            offer, beside = wish.text, _("To begin it, send: {command}").format(command=one_line(wish.text))
        if not is_new:
            return Reply(sentences(_("Memory knows that already."), beside), offer=offer)
        self._latest_told = self._line, facts
        ended = _("It holds no longer.") if gone else ""
        return Reply(sentences(tell_remembered(facts, before), ended, beside), offer=offer)

    def _schedule(self, route: Route) -> tuple[str, tuple[str, ...], bool, str]:
        """What a line does to the schedules; one that it only points at it ends only right behind that."""
        schedules, now = Schedules(self._store, self._user), self.now()
        before = next((each.kind for each in self._answered if each.kind not in _SAYS_NOTHING), None)
        is_behind = before in (None, RouteKind.SCHEDULE)
        if not (route.sure or is_behind) and (asked := ask_before_ending(schedules, route.rest)) is not None:
            return asked
        return run_schedule_words(schedules, route.rest, now)

    def _tell_forgetting(self, words: str) -> Reply:
        """Where what is to be forgotten stands. Nothing is deleted by a word: it is for good."""
        if not words:
            return Reply(_("“assistant memory wipe”, or w in /memory, deletes all of it, after asking."))
        if told_pattern("names_nothing").fullmatch(words.casefold()):
            unnamed = _("Nothing was forgotten: “{words}” does not say what. Say it by what it is: {example}")
            return Reply(unnamed.format(words=words, example=_("forget my old number")), is_answered=False)
        said = told_pattern("described").sub("", words)
        meant = {
            fact.value.id: fact_words(fact.node.name, fact.value.key, fact.value.text)
            for fact in find_meant(said, self._profile())
        }
        location, subject = None if meant else self._find_record(said), read_subject(said, habit=False)
        return _offer_to_forget(location or self._view().to_forget(said, meant, " ".join(subject.words)))

    def _find_record(self, words: str, last: str = "") -> ItemLocation | None:
        """The newest record that words describe by what was done and when, else the last; None for none."""
        for clause in map(partial(told_pattern("described").sub, ""), split_told(words)):
            asked = replace(read_subject(clause, habit=False), negated=False, unread=())
            if asked.deed not in ("", "do") or (asked.period is not None and asked.words):
                answer = self._past.answer(asked)
                last = next(iter(answer.evidence), last) if answer.is_answered else last
        record = self._store.records.get(last) if last else None
        return self._view().locate_record(record) if record is not None else None


def _offer_to_forget(location: ItemLocation) -> Reply:
    way = _("“memory forget {id}” tells what goes with it; “--yes” behind that deletes it for good.")
    return Reply(sentences(location.note, way.format(id=location.item_id[:_SHOWN_OF_ID])), location=location)


_SAYS_NOTHING = (RouteKind.THANKS, RouteKind.GREETING, RouteKind.REMARK)  # What may lie between.
_LATELY = timedelta(hours=1)  # So long before the start a turn still belongs to what is talked of.
_SAID_LAST = later("What you said last was “{said}”; “undo” takes back what it changed.")
_JUST_TOLD = timedelta(minutes=10)  # So long a line may be about what was told before it.
_MOST_FACTS, _LONGEST_QUOTE, _SHOWN_OF_ID = 4, 200, 8  # Of a quoted line and of an id the characters.
_KEPT_HERE = later(
    "The memory stays on this computer. /memory shows each request to the model, word by word."
)
_KEPT_ON = later(
    "The memory is in the database on {host}. /memory shows each request to the model, word by word."
)
_NO_TURN_ABOUT = later("None of the latest commands was about “{words}”; /history has the earlier ones.")
_ONLY_WHY = later(
    "Why a command was carried out as it was is all that can be told here. To have something looked up on "
    "the phone, say “search” and what."
)
