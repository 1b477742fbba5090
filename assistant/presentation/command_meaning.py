"""The interpretation of a command as data: the meaning of each part, and lookups in apps.

Also how a typed line is understood beside a suggestion or a question: as a refusal, a time or a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from assistant import events
from assistant.conversation.line_words import (
    ShortAnswer,
    agrees_to,
    agrees_to_begin,
    is_question,
    line_pattern,
    normalize_answer,
    normalize_line,
    only_hears,
    read_short_answer,
    strip_courtesy,
)
from assistant.conversation.routing import RouteKind, begins_task, forbids_deed, gives_up, is_refusal, route
from assistant.events import ActionKind, Snooze
from assistant.i18n import _, has_chinese, later, sentences
from assistant.memory.profile.lexicon import spell_out
from assistant.memory.prototypes.terms import with_own_words
from assistant.presentation.text import choose_by_words, format_action, one_line
from assistant.presentation.ui_state import (
    REFUSES,
    AnswerUse,
    NoAnswer,
    begins_now,
    is_talk,
    leaves_choice_open,
    may_be_value,
    orders_besides,
    points_at_shown,
    read_beside,
    read_no_answer,
    read_steering_word,
    refuses,
    settle_answer,
    tell_no_answer,
)
from assistant.proactive.schedule_events import TimeToCome
from assistant.proactive.schedule_times import find_time_to_come, read_moments, split_times
from assistant.skills.command_wording import read_correction
from assistant.understand.explore import NO_DEED, REMARK_QUESTIONS, is_about_asked, is_complete_order
from assistant.understand.perceive import find_answer_problem, without_interjections
from assistant.understand.slots import find_verb_kinds
from assistant.understand.types import Category, negations_of
from assistant.understand.verify import asks_something
from assistant.understand.words import content_of, language_code


def read_change(asked: events.QuestionAsked, text: str, command: str) -> AnswerUse | None:
    """What a line below a question about a command is for that changes something else in that; else None.

    “Make it 4” is for the turn. Where the whole command is asked about, “not sunday, saturday” answers it.

    Args:
        asked: the question.
        text: the line.
        command: the command that holds.
    """
    words = re.search("“([^”]+)”", asked.question)
    named = re.findall("“([^”]+)”", asked.question)[-1:] if asked.is_value else []
    if any(is_about_asked(each.rstrip("…"), command, text) for each in named):
        return AnswerUse.ANSWER
    if asked.step or asked.about == Category.REMARK or is_question(text):
        return None
    is_whole = words is None or command.startswith(words[1].rstrip("…"))
    read = read_correction(command, text)
    asked_of = "" if words is None or is_whole else words[1].casefold()
    if len(read) != 1 or not read[0].old or read[0].old.casefold() in asked_of:
        return None
    if line_pattern("amends").match(text.strip().casefold()):
        return AnswerUse.LINE
    if not read[0].new or read[0].old.casefold() not in text.casefold():
        return None
    return AnswerUse.ANSWER if words is not None and is_whole else AnswerUse.LINE


def tell_why_asked(asked: events.QuestionAsked) -> str:
    """Why the command leaves something to be asked; empty for a question of the model, or of a source.

    Of a line that is taken for no order, by the answer that nothing is to be done, what was not understood.
    """
    if asked.about == Category.REMARK and len(asked.choices) > len(_NO_ORDER):
        return _("It may mean one of these. Only what you choose is begun.")
    if asked.about == Category.REMARK:
        nothing = next((choice for choice in asked.choices if choice in NO_DEED), "")
        kinds = [nothing in (answer for _text, answer in languages) for languages in REMARK_QUESTIONS]
        return _(_NOT_UNDERSTOOD[kinds.index(True) if any(kinds) else 0])
    if asked.step or not (asked.is_value or asked.reasons):
        return ""
    if asked.choices:
        return _("Asked because memory is not sure which; these come nearest.")
    return _("Asked because memory knows nothing of that name.")


_NO_ORDER = ("nothing", "as said")
"""What is always offered for a line that may order nothing."""
_NOT_UNDERSTOOD = (
    later("Not understood: what the phone is to do, as no deed is named."),
    later("Not understood: which fact or which past order it asks about."),
    later("Not understood: what of the command before it changes, or adds."),
)
"""What is not understood of what `REMARK_QUESTIONS` asks about."""


def split_choice(text: str, choices: Sequence[str]) -> tuple[int, str] | None:
    """The choice that the beginning of a line names, and what the line says besides.

    None for other lines, and where what it says besides takes the choice back: “latte, no, mocha”.
    """
    match = line_pattern("chosen_first").fullmatch(text.strip()) or line_pattern("beside").fullmatch(text)
    if not choices or match is None or begins_now(text):
        return None
    first, rest = match["first"], match["rest"].strip()
    as_said = line_pattern("as_said").fullmatch
    offered = [at for at, each in enumerate(choices) if each not in NO_DEED and not as_said(each)]
    is_shown = points_at_shown(first) and len(offered) == 1
    place = offered[0] if is_shown else choose_by_words(line_pattern("agrees_first").sub("", first), choices)
    clauses = (normalize_line(part) for part in line_pattern("clause_ends").split(rest))
    is_taken_back = any(_takes_back(clause, choices) for clause in clauses if clause)
    return None if place is None or not rest or is_taken_back else (place, rest)


def _takes_back(clause: str, choices: Sequence[str]) -> bool:
    named = re.sub(r"^(?:(?:no|not|wait|sorry|actually)\b|不是|不(?!要)) ?", "", clause)
    return gives_up(clause) or (
        named != clause and (not named or choose_by_words(named, choices) is not None)
    )


def tell_unclear_answer(asked: events.QuestionAsked, text: str, command: str, why: str) -> str:
    """What to do after a line that answers nothing, with what it would make of the command.

    Args:
        asked: the question.
        text: the line.
        command: the command that holds.
        why: why it is asked.
    """
    if may_be_value(text, asked.choices):
        words = _("Enter again answers “{number}”. Type “number {number}” for the one listed as that.")
        return words.format(number=normalize_answer(text))
    if leaves_choice_open(text, asked.choices):
        return _("It is not clear which is meant. Type its number, and then what is to be different.")
    if no_answer := tell_no_answer(text, why):
        return no_answer
    if problem := "" if asked.step else find_answer_problem(asked.about, settle_answer(text)):
        return problem
    advice = _("That tells something. Enter again makes it “{whole}”; “never mind” ends it.")
    return advice.format(whole=completed_by(command, asked.question, settle_answer(text)))


def completed_by(command: str, question: str, answer: str) -> str:
    """The command with an answer in the place of what a question is about, else behind it."""
    asked = re.search("“([^”]+)”", question)
    words = asked[1] if asked is not None and asked[1] != command else ""
    return command.replace(words, answer, 1) if words and words in command else f"{command}: {answer}"


@dataclass(slots=True, eq=False)
class LookupView:
    """A lookup in an app or another source.

    Once it is `finished`, `value` is the result (empty for none), and `source_screen` says where it was read.
    `problem` says why it was not possible.
    """

    app: str
    steps: int = 0
    latest_step: str = ""
    finished: bool = False
    value: str = ""
    source_screen: str = ""
    problem: str = ""


@dataclass(slots=True, eq=False)
class ElementView:
    """A part of the command whose meaning depends on the user. Texts are safe to show.

    `value` is empty until the meaning is known; `unknown` tells that the memory does not have it, `on_phone`
    that the phone may have it under these words. `evidence` are record ids.
    """

    element: str
    value: str = ""
    source: str = ""
    why: str = ""
    confidence: float = 0.0
    evidence: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    unknown: bool = False
    on_phone: bool = False
    lookups: list[LookupView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """The suggestion that led to the command. Texts are safe to show; `evidence` are record ids."""

    id: str
    instruction: str
    score: float
    why: tuple[str, ...]
    evidence: tuple[str, ...]


def view_of_offer(offer: events.SuggestionOffered) -> CommandView:
    """A suggestion that waits, as what its command would rest on."""
    why = tuple(map(one_line, offer.why))
    view = SuggestionView(offer.id, one_line(offer.instruction), offer.score, why, offer.evidence)
    return CommandView(suggestion=view)


@dataclass(slots=True)
class CommandView:
    """The interpretation of one command.

    `instruction` is its meaning so far, `changed` tells that the user rewrote it. `correction` is then
    the element and its new meaning (two empty texts if the change holds only this time; None if unknown).
    `suggestion` is the one that led to the command. It is `open` until the instruction is settled.
    """

    parts: dict[str, ElementView] = field(default_factory=dict)
    instruction: str = ""
    changed: bool = False
    open: bool = False
    suggestion: SuggestionView | None = None
    correction: tuple[str, str] | None = None
    _proposed: str = ""

    @property
    def is_explainable(self) -> bool:
        """Whether there is anything to explain."""
        return bool(self.parts) or self.suggestion is not None

    def is_removed(self, part: ElementView) -> bool:
        """Whether the user removed a part's value from the instruction."""
        value = part.value.casefold()
        return (
            self.changed and value in self._proposed.casefold() and value not in self.instruction.casefold()
        )

    def is_said_by(self, part: ElementView, share: float) -> bool:
        """Whether the instruction says a part's value, and consists of it to this share or more."""
        value = part.value.casefold()
        return value in self.instruction.casefold() and len(value) >= share * len(self.instruction)

    def is_corrected(self, part: ElementView) -> bool:
        """Whether the part has another meaning from now on."""
        return self.correction is not None and self.correction[0] == part.element

    def handle_event(self, event: events.Event) -> bool:
        """Apply an event; returns whether it changed something."""
        match event:
            case events.ElementsPerceived(elements=elements):
                self.parts = {element: ElementView(one_line(element)) for element in elements}
                self.open = True
            case events.SuggestionTaken():
                why = tuple(map(one_line, event.why))
                instruction = self._proposed = one_line(event.instruction)
                self.suggestion = SuggestionView(event.id, instruction, event.score, why, event.evidence)
            case events.ElementRecalled(element=element):
                part = self._ensure_part(element)
                part.value, part.source = one_line(event.value), one_line(event.source)
                part.why, part.confidence = one_line(event.why), event.confidence
                part.evidence = event.evidence
            case events.ElementUnknown(element=element, candidates=candidates, on_phone=on_phone):
                part = self._ensure_part(element)
                part.unknown, part.on_phone = True, on_phone
                part.candidates = tuple(one_line(candidate) for candidate in candidates)
            case events.ErrandStarted(element=element, app=app):
                self._ensure_part(element).lookups.append(LookupView(one_line(app)))
                self.open = True
            case events.ErrandStepped(action=action):
                lookup = self._running_lookup
                if lookup is None:
                    return False
                lookup.steps, lookup.latest_step = lookup.steps + 1, format_action(action)
            case events.ElementExplored(element=element, app=app, problem=problem) if problem:
                self._end_lookup(element, one_line(app), one_line(problem))
            case events.ElementExplored(value=value, place=place):
                lookup = self._running_lookup
                if lookup is None:
                    return False
                lookup.finished, lookup.value, lookup.source_screen = True, one_line(value), one_line(place)
            case _:
                return self._handle_instruction_event(event)
        return True

    def _end_lookup(self, element: str, app: str, problem: str) -> None:
        """A lookup was not possible; it need not have begun."""
        lookup = self._running_lookup
        if lookup is None or lookup.app != app:
            self._ensure_part(element).lookups.append(lookup := LookupView(app))
        lookup.finished, lookup.problem = True, problem

    def _handle_instruction_event(self, event: events.Event) -> bool:
        match event:
            case events.InstructionCompleted(instruction=instruction):
                self.instruction = one_line(instruction)
            case events.MeaningProposed(instruction=instruction):
                self.instruction = self._proposed = one_line(instruction)
                self.open = True
            case events.MeaningCorrected(element=element, value=value):
                self.correction = one_line(element), one_line(value)
            case events.InstructionResolved(instruction=instruction):
                self.instruction = one_line(instruction)
                self.changed = bool(self._proposed) and self._proposed != self.instruction
                self.open = False
            case events.StepStarted() | events.TurnFinished() if self.open:
                self.open = False
            case _:
                return False
        return True

    @property
    def _running_lookup(self) -> LookupView | None:
        """The lookup in progress."""
        lookups = (lookup for part in self.parts.values() for lookup in part.lookups if not lookup.finished)
        return next(lookups, None)

    def _ensure_part(self, element: str) -> ElementView:
        return self.parts.setdefault(element, ElementView(one_line(element)))


def begins_command(text: str, now: datetime) -> bool:
    """Whether a line is a command of its own, be it behind the time at which it is to begin.

    Args:
        text: the line: “text Ann hello”, “on friday ring the bank”, 下周五给老李打电话.
        now: the time by the clock of this place.
    """
    timed = split_times(text, now, once=True) or find_time_to_come(text, now)
    # What has a time of its own, such as a reminder, is none that waits for one.
    behind = timed.instruction if timed is not None else _DAY_BEFORE.sub("", text.strip(), count=1)
    return begins_task(text) or begins_task(behind) or bool(find_verb_kinds(behind))


_DAY_BEFORE = re.compile(
    r"^(?:(?:(?:on|this|next) )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight)"
    r"(?: (?:morning|noon|afternoon|evening|night))?[ ,]+|(?:in the |this )(?:morning|afternoon|evening)[ ,]+"
    r"|(?:[下这本]?个?(?:周|星期|礼拜)[一二三四五六日天末]|[今明后][天早晚]"
    r"|[早晚]上|[上下]午|中午|傍晚)+[，, ]*)",
    re.IGNORECASE,
)
"""A day or a part of it that stands before what is to be done then."""


def may_answer_offer(text: str, offered: str) -> bool:
    """Whether a line may be about an open suggestion, so that the user is asked.

    It refuses something and begins no task: it says no first, names a thing of what is offered or nothing at
    all, or its last clause is the refusal, without a number. Every other line is a command of its own, with a
    value in it that was put right: “bread not breda”, “not 8, 7:30”.
    """
    if not refuses(text) or begins_task(text):
        return False
    clauses = [clause for part in re.split(r"[,，;；。.!！]", text) if (clause := normalize_line(part))]
    said = _things_of(REFUSES.sub(" ", normalize_line(text)))
    last = _BEFORE_REFUSAL.sub("", clauses[-1]) if clauses else ""
    is_refused_at_last = _REFUSES_FIRST.match(last) is not None and _NUMBER.search(last) is None
    says_no_first = bool(clauses) and read_short_answer(clauses[0].partition(" ")[0]) is ShortAnswer.NO
    return not said or bool(said & _things_of(offered)) or says_no_first or is_refused_at_last


def _things_of(text: str) -> frozenset[str]:
    """The words of a text that name something; of Chinese its characters, but for those of numbers."""
    return frozenset(
        word
        for word in content_of(text)
        if word not in _NUMERALS and not (len(word) > 1 and has_chinese(word))
    )


_BEFORE_REFUSAL = re.compile(
    r"^(?:(?:oh|i|we|i'm|im|really|just|today|it's|that's)\b ?|[我今天现在真嗯哦啊还是都也]+)+"
)
_REFUSES_FIRST = re.compile(rf"(?:\w+n't\b|{REFUSES.pattern})")
_NUMBER = re.compile(r"\d|[二两三四五六七八九十百千万半]|一[点百千万]")
_NUMERALS = frozenset("零〇一二两三四五六七八九十百千万半点分个想再也都还去来先这那放今天了")
"""Characters that stand in any Chinese line, whatever it is about."""


def change_offer(text: str, offered: str, now: datetime) -> str:
    """What is suggested, with the change that a line adds to its yes: “yes but from the office”; else empty.

    Args:
        text: the line.
        offered: the instruction of the suggestion.
        now: the time by the clock of this place.
    """
    match = _YES_BUT.match(text.strip())
    rest = text.strip()[match.end() :].strip(" ,，.。") if match is not None else ""
    changes = _CHANGES_OFFER.match(rest)
    is_other = is_question(text) or is_complete_order(rest) or is_refusal(rest)
    if changes is None or is_other or read_short_answer(rest) is not None or read_put_off(rest, now):
        return ""
    if _LEAVES_OPEN.search(rest) or negations_of(rest[changes.end() :]):
        return ""
    read = read_correction(offered, rest) if len(list(line_pattern("clause_ends").split(rest))) == 1 else ()
    return read[0].command if len(read) == 1 and read[0].old else with_own_words(offered, rest)


_YES_BUT = re.compile(
    r"(?:yes|yeah|yep|yup|ya|ok(?:ay)?|sure|fine|alright|sounds good)\b[ ,.!]*(?:(?:please|pls)\b[ ,.!]*)?"
    r"(?:but|though|only|except|just(?! (?:do|go|like)\b)|(?=(?:with|without|make it)\b))"
    r"|(?:好的?|行|可以|嗯|对)[，, ]*(?:但是?|不过|只是)|(?:好的?|行|可以|嗯|对)[，, ]+",
    re.IGNORECASE,
)
_CHANGES_OFFER = re.compile(
    r"(?:at|by|from|to|for|on|in|via|with|without|no|extra|less|more|make it)\b"
    r"|不要|不加|不放|别[加放]|[加多少][加放]|改[成到为用送]|换成|用|从|送到",
    re.IGNORECASE,
)
"""How a change of what is suggested begins: a part of an order, no sentence about it."""
_LEAVES_OPEN = re.compile(
    r"\b(?:what|who|whom|where|when|why|how|which|whether|if|thanks?|wait|then|first)\b"
    r"|^no (?:need|rush|hurry|time|way|idea|problem|worries|thanks?|more)\b|不要(?:了|这|那|它|现在|今天)"
    r"|谢|时候|等",
    re.IGNORECASE,
)
"""What asks, waits or denies the whole beside the yes."""


def read_put_off(text: str, now: datetime) -> Snooze | bool:
    """To when a line puts off what is suggested that says a time to come, and nothing else.

    Args:
        text: the line, perhaps with a polite word: “in an hour pls”, 一小时后吧.
        now: the time by the clock of this place.

    Returns:
        The wait that is offered for that time; True for another time, False for another line.
    """
    line = strip_courtesy(_AGAIN.sub("", normalize_line(text)))
    if _TOMORROW.fullmatch(line):
        return Snooze.TOMORROW
    if not re.search(r"[^\W\d]", line):
        return False
    waits = [moment - now.replace(tzinfo=None) for moment in read_moments(line, _ANY_TIME, now)]
    for snooze, length in _WAITS.items():
        if any(abs(wait - length) <= _MINUTE for wait in waits):
            return snooze
    return bool(waits)


_ANY_TIME = TimeToCome("later", "")
_MINUTE = timedelta(minutes=1)
_WAITS = {Snooze.TEN_MINUTES: timedelta(minutes=10), Snooze.AN_HOUR: timedelta(hours=1)}
_TOMORROW = re.compile(r"(?:no )?(?:maybe )?tomorrow|明天吧?")
_AGAIN = re.compile(
    r"^(?:(?:ask|remind)(?: me)? (?:again )?|(?:maybe|not now|no|later) )|(?:再说|再来|再问我?)$"
)
"""What stands around a time to which something is put off."""


def read_approval_line(
    text: str, command: str | None = "", kind: ActionKind = ActionKind.PAY, now: datetime | None = None
) -> AnswerUse:
    """What a line below an approval is for.

    Only a plain yes, a no with or without its reason or what to do instead, words that steer the turn, and
    what is said to the program are read. A sentence that only says what is wanted allows and refuses nothing:
    the user is asked what it is for.

    Args:
        text: the line.
        command: the command as it holds; None where the line says what is to be done instead.
        kind: the kind of the deed.
        now: the time by the clock of this place; None for the clock's.
    """
    answer = read_short_answer(text)
    if answer is ShortAnswer.NO or (answer is ShortAnswer.YES and not is_question(text)):
        return AnswerUse.ANSWER
    if (refused := _read_refusal(text, command or "", kind, now)) is not None:
        return refused
    is_no = is_refusal(text) and line_pattern("no_first").match(normalize_line(text)) is not None
    if (steered := read_steering_word(text)) is AnswerUse.CANCEL or (steered is not None and not is_no):
        return steered
    if is_refusal(text):
        return AnswerUse.ANSWER
    if forbids_deed(text):
        return AnswerUse.PAUSE
    # Nothing is forgotten by what is said of a deed: “forget it” ends that, “forget the coffee” is about it.
    clauses = map(normalize_line, line_pattern("clause_ends").split(text))
    ends = any(line_pattern("ends_deed").fullmatch(clause) for clause in clauses if clause)
    is_no = not ends and _refuses_for_words(text, command or "")
    is_of_deed = is_no or ends or _OF_DEED.match(normalize_line(text)) is not None
    is_talk_only = is_talk(text) and not (is_of_deed and route(text, running=True).kind is RouteKind.FORGET)
    if is_talk_only or (command is not None and read_beside(text, command) is not None):
        return AnswerUse.LINE
    if is_question(text):
        return AnswerUse.UNCLEAR
    return AnswerUse.ANSWER if is_no else AnswerUse.CHOOSE


def read_free_line(text: str) -> AnswerUse:
    """What a line below an approval is for where `read_approval_line` leaves that open.

    What may agree, or only thinks aloud, leaves the question as it is. Another order, what puts the deed off,
    and what begins with a number can be meant in several ways: the user is asked. Whatever else is said is to
    be different: it refuses what is asked, the model reads it, and what comes of it is asked anew. So a wrong
    reading costs a step.
    """
    line = normalize_line(text)
    is_order = begins_task(text) and line_pattern("instead").match(line) is None and "instead" not in line
    if line[:1].isdecimal() or is_order or orders_besides(text) or line_pattern("delays_deed").search(line):
        return AnswerUse.CHOOSE
    clauses = filter(None, line_pattern("clause_ends").split(line))
    agrees = read_short_answer(line.partition(" ")[0]) is ShortAnswer.YES or any(
        agrees_to(clause, "begin", "pay", "send", "call") or only_hears(clause) for clause in clauses
    )
    waits = line_pattern("hesitates").search(line) or read_no_answer(text) is NoAnswer.NOISE
    is_open = agrees or waits or _NO_REFUSAL.search(text) or asks_something(line) or len(line) < 2
    return AnswerUse.UNCLEAR if is_open and not line_pattern("but").search(line) else AnswerUse.ANSWER


def _refuses_for_words(text: str, command: str) -> bool:
    """Whether a line says no and then why, or what is wanted: “no make it large, then pay”, 不，换成大杯再付.

    “No wait, send it” takes the no back, and “forget it” behind a wish leaves open which holds.
    """
    line = text.strip()
    line = line if _NO_BEFORE.match(line) else without_interjections(line, language_code(line))
    without = _NOT_THAT.match(line)
    first = _NO_BEFORE.match(line) or without
    if first is None or _NO_REFUSAL.search(line) or (without is not None and is_talk(without["rest"])):
        return False
    orders = begins_task(first["rest"]) or line_pattern("instead").match(normalize_line(first["rest"]))
    if _NO_NOUN.match(line) and not orders:
        return False
    clauses = [*filter(None, map(normalize_line, line_pattern("clause_ends").split(first["rest"])))]
    # What is to be done then is to be done after what is said before it.
    clauses = [clause for clause in clauses if clause is clauses[0] or not clause.startswith("then ")]
    bare = (line_pattern("leads_instead").sub("", clause) for clause in clauses)
    kinds = ("pay", "send", "call")
    return not any(agrees_to(each, "begin", *kinds) or agrees_to_begin(each, command) for each in bare)


_OF_DEED = re.compile(r"(?:just |please |then )*forget (?:about )?(?:the|this) \w+|(?:算了|别要)")
_NO_BEFORE = re.compile(
    r"(?:(?:no|nope|nah)\b[,.!;]? ?(?:wait[,.! ]+)?|(?:不(?:是|对|了|要了?|行|用)?|算了)[，,。！ ]+)"
    r"(?P<rest>\S.*)",
    re.IGNORECASE,
)
_NOT_THAT = re.compile(
    r"(?:not (?!(?:sure|yet|only|just|really|that i|(?:\w+ )?(?:bad|wrong|problem|issue|much|expensive))\b)"
    r"(?:[^,.;，。；]+[,.;，。；]+|(?=(?:\S+ ){3}\S))"
    r"|不(?!错|好意思|客气|着?急|知道|确定|清楚|管|谢|(?:用|必|需要)?再?[谢改换加变动减了])"
    r"[^,，。；;！ ]+[,，。；;！ ]+)\s*(?P<rest>\S.*)",
    re.IGNORECASE,
)
"""What says what the deed is not to be, and goes on: “not shared, the cheapest one”, 不拼车，要普通的."""
_NO_REFUSAL = re.compile(
    r"^no (?:need|rush|hurry|problem|matter|idea|doubt|worr(?:y|ies)|one|wonder)\b"
    r"|[好可]以?[的吧，,]|(?<!银)行[吧了]|没事|没关系|也许|可能|就?这样|很好"
    r"|\bthat(?:['’]s| is| will be)? (?:all|it)\b"
    r"|\b(?:yes|yeah|yep|ok|okay|fine|sure|go ahead|maybe|perhaps|dunno)\b",
    re.IGNORECASE,
)
"""What is no refusal although it begins with a no, and what takes a no back or leaves it open."""
_NO_NOUN = re.compile(
    r"no (?!(?:wait|stop|i|it|we|he|she|they|this|that|make|put|use|take|not)\b"
    r"|(?:don['’]?t|do not) (?!worry|stop|bother)|\S+ (?:is|are)\b)",
    re.IGNORECASE,
)
"""A no that may belong to the thing behind it: “no tip”, “no changes needed”."""


def _read_refusal(text: str, command: str, kind: ActionKind, now: datetime | None) -> AnswerUse | None:
    """What a line is for that refuses a deed and says plainly what then; None where that is not plain.

    It ends the turn, by words for that or by what the user does themselves; it says what is to be done
    instead, which is then asked about by itself; or it only puts the deed off. What asks refuses only where
    it forbids the deed by its name: 先别转，问她多少钱, and not 不，多少钱.
    """
    parted = line_pattern("adds_instead").sub(", ", _CONTRACTED.sub(r"\1's", spell_out(text)))
    split = map(normalize_line, line_pattern("clause_ends").split(parted))
    clauses = [clause for clause in split if clause]
    parts = [_read_part(clause) for clause in clauses]
    behind = next((place for place, part in enumerate(parts) if part is None), len(parts))
    is_no = any(part in (_Part.NO, _Part.END) for part in parts[:behind])
    first = zip(clauses[:behind], parts, strict=False)
    is_forbidden = any(part is _Part.NO and read_short_answer(clause) is None for clause, part in first)
    if is_question(text) and not is_forbidden:
        return None
    if kind is ActionKind.DELETE and _Part.NO not in parts[:behind]:
        return None  # “Cancel the order” may be just what is asked about.
    ends_last = parts[-1:] == [_Part.END]
    says_no = is_no or ends_last
    if not says_no or (kind is ActionKind.GRANT and line_pattern("of_permission").search(text) is None):
        return None
    unread = [clause for clause, part in zip(clauses, parts, strict=True) if part is None]
    if ends_last and not any(begins_task(each) or agrees_to_begin(each, command) for each in unread):
        return AnswerUse.CANCEL  # “Not today, I don't feel like it, forget it.”
    if behind == len(parts):
        # “I'll pay with Alipay” may as well say how the deed is to be done.
        ends = _Part.END in parts or (_Part.ONESELF in parts and _ONESELF.search(text) is not None)
        return AnswerUse.CANCEL if ends else None
    rest = line_pattern("leads_instead").sub("", ", ".join(clauses[behind:]))
    named = any(line_pattern("forbids").fullmatch(each) for each in clauses[:behind] if len(each) > 1)
    # “No wait, send it” takes the no back; “don't send it, call him” does not.
    is_taken_back = not named and agrees_to_begin(rest, command)
    if _Part.ONESELF in parts or line_pattern("unsure").search(rest) or is_taken_back:
        return None
    if postpone(rest, command, now) and (_DELAYS.search(rest) or not read_correction(command, rest)):
        return AnswerUse.POSTPONE
    # What asks got here only because it forbids the deed by its name.
    begins = begins_task(rest) or line_pattern("instead").fullmatch(clauses[behind])
    is_wish = begins or (is_question(text) and not agrees_to(rest, "begin", "call", kind.value))
    return AnswerUse.ANSWER if is_wish and all(part is None for part in parts[behind:]) else None


_CONTRACTED = re.compile(r"\b(that|it|he|she|there)s\b", re.IGNORECASE)
_ONESELF = re.compile(r"\b(?:myself|ourselves)\b|自己", re.IGNORECASE)
_DELAYS = re.compile(r"\b(?:wait|later|until|till|then)\b|等|再|晚点", re.IGNORECASE)


class _Part(StrEnum):
    """What a clause of a refusal says: no, that it is over, what the user does themselves, or why."""

    NO = "no"
    END = "end"
    ONESELF = "oneself"
    WHY = "why"


_LONGEST_CLAUSE = 200  # Characters of one that is looked into for a no.


def _read_part(clause: str) -> _Part | None:
    if line_pattern("ends_deed").fullmatch(clause):
        return _Part.END
    is_no = read_short_answer(clause) is ShortAnswer.NO
    if is_no or (gives_up(clause) and read_steering_word(clause) is not AnswerUse.PAUSE):
        return _Part.NO
    if line_pattern("does_oneself").fullmatch(clause):
        return _Part.ONESELF
    if line_pattern("reason").fullmatch(clause):
        return _Part.WHY
    first = line_pattern("no_first").match(clause) if len(clause) <= _LONGEST_CLAUSE else None
    part = _read_part(clause[first.end() :]) if first is not None else None
    return _Part.NO if part is _Part.WHY else part


def postpone(text: str, command: str, now: datetime | None = None) -> str:
    """A command behind the time to which a line puts it off: “tomorrow 9am text Ann”; empty for none.

    Args:
        text: the line, “no, wait until tomorrow 9am”.
        command: the command as it holds.
        now: the time by the clock of this place; None for the clock's.
    """
    now = now or datetime.now().astimezone()
    for clause in re.split(r"[,，。.;；]\s*(?!\d)", text):
        words = line_pattern("puts_off").sub("", clause.strip(), count=1)
        when = line_pattern("again").sub("", words).strip()
        line = f"{when}{'' if has_chinese(when) else ' '}{command}"
        read = find_time_to_come(line, now) if when and command else None
        if read is not None and normalize_line(read.times) == normalize_line(when):
            return line
    return ""


def tell_unclear_approval(text: str, asked: events.ApprovalRequested) -> str:
    """What to do after a line below an approval that neither allows nor refuses, with what the page tells.

    Args:
        text: the line.
        asked: the approval.
    """
    line, deed = text.casefold(), asked.deed
    answers = (
        ("asks_amount", deed.amount if deed is not None else ""),
        ("asks_whom", deed.recipient if deed is not None else ""),
        ("asks_where", ", ".join(asked.destination)),
        ("asks_text", asked.text),
    )
    for name, words in answers:
        if words and line_pattern(name).search(line):
            sentence = _("The page says “{words}”. Answer yes or no, or what to do instead.")
            return sentence.format(words=one_line(words).rstrip("."))
    if asked.kind is ActionKind.DELETE and line_pattern("asks_which").search(line):
        return sentences(asked.sentence, _("Answer yes or no, or what to do instead."))
    if not is_question(text):
        return _("That is no plain yes or no. Answer yes or no, or what to do instead.")
    return _("The page tells no more than what stands above. Answer yes or no, or what to do instead.")
