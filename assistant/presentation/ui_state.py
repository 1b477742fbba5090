"""The state of the interface as one small value; decides which keys work and what the state line says.

Also what a line is for that is typed below a prompt, and the gate that keeps stray keys from answering it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from assistant.agent.completion import required_kinds
from assistant.conversation.amendments import changes_schedule, find_meant_schedule
from assistant.conversation.answers import ask_last_price
from assistant.conversation.line_reading import refuse_unclear_time
from assistant.conversation.line_words import (
    ShortAnswer,
    agrees_to,
    agrees_to_begin,
    is_bare_answer,
    is_question,
    line_pattern,
    normalize_answer,
    normalize_line,
    only_hears,
    read_short_answer,
)
from assistant.conversation.past_questions import PastQuestion
from assistant.conversation.remembering import tells_otherwise
from assistant.conversation.routing import (
    STEERING,
    Route,
    RouteKind,
    begins_task,
    forbids_deed,
    route,
    without_refusal,
)
from assistant.engine import Engine
from assistant.events import Cause, PlannedTask, TurnState
from assistant.i18n import _, fold_case, later, sentences
from assistant.memory.database import StoreError
from assistant.memory.prototypes.terms import VERBS, word_set
from assistant.presentation.text import choose_by_words, format_end_advice, one_line, read_number
from assistant.proactive.schedule_times import means_now
from assistant.skills.command_wording import read_correction
from assistant.understand.explore import AS_SAID, NO_DEED
from assistant.understand.perceive import begins_order, order_probability, tells_something
from assistant.understand.resolution import read_again
from assistant.understand.slots import places_in
from assistant.understand.types import negations_of, words_of
from assistant.understand.words import amounts_of, content_of, numbers_of

_log = logging.getLogger(__name__)

RESTART = 75
"""Exit code of `run_tui` when the setup has changed: the caller builds a new engine and starts again."""

DEMO = 76
"""Exit code of `run_tui` when the user chose the simulated phone."""

OTHER_PROGRAM = later(
    "Another assistant is open on this memory. Suggestions come there; turns run here, on another phone or "
    "one after the other."
)
"""The notice at the start while another program has the same memory open."""


class PaletteCommand(Protocol):
    """An entry that whoever starts the interface adds to its command palette."""

    @property
    def title(self) -> str:
        """What the entry says."""
        ...

    async def run(self) -> str:
        """Carry it out; returns the message to show. Not called while a turn runs."""
        ...


class UserRequest(StrEnum):
    """What the user is asked for."""

    APPROVAL = "approval"
    QUESTION = "question"
    MEANING = "meaning"
    OFFER = "offer"


class InputTarget(StrEnum):
    """What the input field's text is for; `SAY_LATER` is a message that a paused turn reads on resume."""

    COMMAND = "command"
    SAY = "say"
    SAY_LATER = "say later"
    ANSWER = "answer"
    INSTEAD = "instead"
    MEANING = "meaning"


class AnswerUse(StrEnum):
    """What becomes of a line that is typed below an open question or approval.

    `UNCLEAR`: it answers nothing, and what was asked stands. `LINE`: it is meant for something else.
    `BOTH`: it names a choice, and says something besides. `CHOOSE`: the user is asked what it is for.
    `POSTPONE`: it refuses what is asked now, and wants it later.
    """

    ANSWER = "answer"
    BOTH = "both"
    CANCEL = "cancel"
    PAUSE = "pause"
    UNCLEAR = "unclear"
    LINE = "line"
    CHOOSE = "choose"
    POSTPONE = "postpone"


def read_question_line(text: str, *, about_command: bool, is_value: bool) -> AnswerUse:
    """What a line below a question is for, if it chooses none of the likely answers.

    Args:
        text: the line.
        about_command: the question is what the command means, not one that the model asks on its way.
        is_value: the answer is put into the command in place of some of its words, so no sentence.
    """
    may_change = about_command and len(text) <= _LONGEST_CHANGE
    is_other = may_change and changes_schedule(text, datetime.now().astimezone())
    # “Take it back” may be what a message is to say, “undo” is said to the program.
    if is_other or (route(text).kind is RouteKind.UNDO and (about_command or normalize_line(text) == "undo")):
        return AnswerUse.LINE
    steered = read_steering_word(text) or (AnswerUse.PAUSE if forbids_deed(text) else None)
    if not about_command:  # “No, not now” may answer the model, and “Don't go” be what a message is to say.
        is_order = re.search(r"[,，;；]", text) is None and not forbids_deed(text)
        return steered if steered is not None and is_order else AnswerUse.ANSWER
    if read_short_answer(text) is ShortAnswer.NO:
        return read_steering_word(text) or AnswerUse.CANCEL
    if steered is not None:
        return steered
    no_answers = (NoAnswer.NOISE, NoAnswer.REASON)
    if read_short_answer(text) is ShortAnswer.ANY or read_no_answer(text) in no_answers:
        return AnswerUse.UNCLEAR
    target = route(text, running=True)
    is_fact = route(text).kind is RouteKind.REMEMBER
    if is_fact or is_talk(text) or (is_value and target.kind is RouteKind.COMMAND and target.sure):
        return AnswerUse.LINE
    if (no_answer := read_no_answer(text)) is not None:
        asks_anew = no_answer is NoAnswer.QUESTION and line_pattern("asks_of_it").search(text) is None
        return AnswerUse.LINE if asks_anew else AnswerUse.UNCLEAR
    takes_back = any(read_short_answer(part) is ShortAnswer.NO for part in re.split(r"[,，;；。]", text))
    begins = line_pattern("begins_sentence").match(text.strip()) is not None
    tells = tells_something(text) and not begins_task(text)
    is_sentence = tells or (is_value and (takes_back or begins))
    return AnswerUse.UNCLEAR if is_sentence and _NAME.fullmatch(text.strip()) is None else AnswerUse.ANSWER


class NoAnswer(StrEnum):
    """What a line is that cannot answer what a command means: it says nothing, asks why, asks, or tells."""

    NOISE = "noise"
    REASON = "reason"
    QUESTION = "question"
    REMARK = "remark"


def read_no_answer(text: str) -> NoAnswer | None:
    """Why a line is no answer to a question about a command; None for what may be one.

    An answer names something, by a clause too, or orders it: a question is none, nor is a statement.
    """
    line = normalize_answer(text)
    if line_pattern("says_nothing").fullmatch(line) or points_at_shown(text):
        return NoAnswer.NOISE
    if line_pattern("asks_reason").fullmatch(line):
        return NoAnswer.REASON
    orders = begins_task(text) and not line.startswith(_ASKING_ZH)
    if orders or line_pattern("names_by_clause").fullmatch(line):
        return None
    if is_question(text) or line_pattern("asks_back").fullmatch(line):
        return NoAnswer.QUESTION
    is_long = len(re.findall(r"[a-z0-9']+|[\u3400-\u9fff]{2}", line)) >= _LONG_ANSWER
    tells = order_probability(text) < _ORDERS or (line.endswith("了") and not line.endswith(("好了", "算了")))
    return NoAnswer.REMARK if is_long and tells else None


def may_be_meant(text: str, choices: Sequence[str]) -> bool:
    """Whether a line that is sent again may be an answer: what a name is only the user knows."""
    is_open = read_short_answer(text) is ShortAnswer.ANY or leaves_choice_open(text, choices)
    return not is_open and read_no_answer(text) in (None, NoAnswer.REMARK)


def leaves_choice_open(text: str, choices: Sequence[str]) -> bool:
    """Whether a line points at one of some choices, and not surely at which: “that one, but to home”."""
    return bool(choices) and line_pattern("chosen_first").fullmatch(text.strip()) is not None


def tell_no_answer(text: str, why: str) -> str:
    """What is said below a question to a line that is no answer; empty for one that may be.

    Args:
        text: the line.
        why: why it is asked.
    """
    stands = _("The question stands: type a number, your own words, or “never mind”.")
    match read_no_answer(text):
        case NoAnswer.REASON:
            return sentences(why or _("The command leaves this open."), stands)
        case NoAnswer.QUESTION:
            return sentences(_("That asks something, and memory has no answer to it."), stands)
        case kind if kind is NoAnswer.NOISE or read_short_answer(text) is ShortAnswer.ANY:
            return _("Nothing is chosen for you. Type a number, your own words, or “never mind”.")
    return ""


_ASKING_ZH = ("哪", "谁", "什么", "怎么", "多少", "为什么", "几")
_LONGEST_CHANGE = 200  # Letters; reading takes long with more, and no change of a schedule has so many.
_LONG_ANSWER, _ORDERS = 4, 0.45  # From so many words on, a line that so little orders tells something.


def read_steering_word(text: str) -> AnswerUse | None:
    """What a line does that only steers the running turn: end or pause it; None for another line."""
    steering = {RouteKind.CANCEL: AnswerUse.CANCEL, RouteKind.STOP: AnswerUse.PAUSE}
    return steering.get(route(text, running=True).kind)


def is_talk(text: str) -> bool:
    """Whether a line is meant for the program or the memory: no order to the phone, and no correction."""
    target, others = route(text, running=True), (RouteKind.COMMAND, RouteKind.CORRECTION, RouteKind.RESUME)
    return target.kind not in others and not target.is_remark  # A sigh is no answer, and says nothing.


_NAME = re.compile(r"(?:[A-Z][\w'.-]*\s?){1,4}")


def settle_answer(text: str) -> str:
    """What an answer says at last: what stands behind what it takes back, without words that introduce it.

    “Dr Gao, no wait, Mom” is Mom, and “its dr gao” is dr gao. The line as it is where nothing would be left.
    """
    said = text.strip()
    ends = [match.end() for match in line_pattern("takes_back").finditer(said)]
    said = next((rest for end in reversed(ends) if (rest := said[end:].strip(" ,，.。;；!！"))), said)
    if points_at_shown(said):
        return said
    return line_pattern("introduces").sub("", said) or said


def takes_offer(line: str, offer: str) -> bool:
    """Whether a line takes what was offered: “yes”, “yeah remember that”, 对，记住吧, 嗯 就这样.

    What the phone does, or a schedule, is not begun by “ok”, which may only say that the answer was read.
    """
    is_denied = read_short_answer(line) in (ShortAnswer.NO, ShortAnswer.LATER) or negations_of(line)
    kind = route(offer).kind if offer else None
    if is_denied or kind not in (RouteKind.REMEMBER, RouteKind.COMMAND, RouteKind.SCHEDULE):
        return False
    if kind is not RouteKind.REMEMBER:
        agrees = agrees_to_begin(line, offer) or agrees_to(line, *required_kinds(offer))
        return agrees and not only_hears(line)
    first, *behind = re.split(r"[\s,，.。!！]+", normalize_answer(line), maxsplit=1)
    rest = "".join(behind) if read_short_answer(first) is ShortAnswer.YES else normalize_answer(line)
    named, offered = _POINTS_AT_OFFER.sub(" ", rest).split(), {*words_of(offer)}
    says_it = bool(named) and all({*words_of(each)} <= offered or _KEEPS.fullmatch(each) for each in named)
    return says_it or agrees_to_begin(line)


_POINTS_AT_OFFER = re.compile(r"\b(?:it|that|this|so|please|pls|do|then|now)\b|[吧了啊呗它这那个就来]")
_KEEPS = re.compile(r"keep|save|store|note|remember|learn|记[住下]?|存[下着]?|保存")


def points_at_shown(text: str) -> bool:
    """Whether a line only agrees, or points at what is shown: “yeah that”, 就这个."""
    words = normalize_answer(text)
    bare = line_pattern("introduces").sub("", words)
    is_pointing = any(line_pattern("points_back").fullmatch(each) for each in (words, bare))
    return is_pointing or agrees_to_begin(text)


def read_choice(text: str, choices: Sequence[str]) -> int | None:
    """The place of the choice that an answer means, see `choose_by_words`.

    Where only one is offered, it is also meant by a yes, or by words that point at it; one that begins now by
    words that say so.
    """
    if (place := choose_by_words(text, choices)) is not None:
        return place
    at_once = [at for at, choice in enumerate(choices) if means_now(re.split(r"[:：]", choice)[0])]
    if len(at_once) == 1 and (means_now(text) or begins_now(text)):
        return at_once[0]
    named = [(at, each) for at, each in enumerate(choices) if type(each) is str]
    offered = [at for at, each in named if each not in (*AS_SAID, *NO_DEED)]
    return offered[0] if len(offered) == 1 and points_at_shown(text) else None


def begins_now(text: str) -> bool:
    """Whether an answer says no more than that it is to begin now: 现在就订上吧, “now please, go ahead”."""
    return line_pattern("begins_now").fullmatch(text.strip(" .!。！")) is not None


def may_be_value(text: str, choices: Sequence[str]) -> bool:
    """Whether a number may be meant as it stands, as a choice begins with a figure: 5元, not 3月5日."""
    number = read_number(text, ())
    is_same = number is not None and normalize_answer(text) in choices[number - 1 : number]
    figures = (re.match(r"\W*\d(?!\d?月\d)", choice) for choice in choices)
    return number is not None and not is_same and any(figures)


def turns_down(text: str, choices: Sequence[str]) -> bool:
    """Whether a line refuses something and names a choice, so that it is unclear what is meant."""
    if not refuses(text) or choose_by_words(text, choices) is not None:
        return False
    parts = re.split(r"[,，;；。.\s]+", REFUSES.sub(" ", text.casefold()))
    rest = " ".join(part for part in parts if part)
    return any(choose_by_words(part, choices) is not None for part in (rest, *parts) if part)


class MeaningReply(StrEnum):
    """What a line typed below a meaning is: a yes, an end, a question why, or what is to be different.

    `LINE`: it is meant for the program or the memory, and the meaning goes on waiting. `CHOOSE`: it may be a
    change, a refusal or another command, so the user is asked. Only what refuses nothing is a `CORRECTION`,
    because the meaning begins with it.
    """

    GO = "go"
    CANCEL = "cancel"
    PAUSE = "pause"
    WHY = "why"
    CORRECTION = "correction"
    LINE = "line"
    CHOOSE = "choose"


def read_line(engine: Engine, text: str, *, running: bool, previous: PastQuestion | None = None) -> Route:
    """What a typed line is for, see `route`: also a correction of the running command or of what was made."""
    talk = engine.conversation if not running else None
    if talk is not None and takes_offer(text, talk.offer):
        return route(talk.offer)
    if talk is not None and tells_otherwise(text, talk.just_told):
        return Route(RouteKind.CORRECTION, text)
    if running and (beside := read_beside(text, engine.standing_command)) is not None:
        return beside
    read = read_correction(engine.standing_command, text) if running and not is_question(text) else ()
    # What begins a task and would be a value of another kind may as well be another command.
    if read and (all(each.new for each in read) or not begins_task(text)):
        return Route(RouteKind.CORRECTION, text, corrects_value=True)
    if running and engine.state is TurnState.RUNNING and read_short_answer(text) is ShortAnswer.YES:
        return Route(RouteKind.ANSWER, text)
    if running and not engine.standing_command and read_again(text) is not None:
        return Route(RouteKind.COMMAND, text, sure=False)  # One more of what is paid is another order.
    target = refuse_unclear_time(ask_last_price(route(text, running=running, previous=previous)))
    is_of_turn = engine.state in _PAUSED and target.kind in (RouteKind.COMMAND, RouteKind.CORRECTION)
    if is_of_turn and not begins_task(without_refusal(text)):
        return Route(RouteKind.CORRECTION, text, corrects_value=True)
    if engine.proactive is None:
        return target
    schedules, now = engine.proactive.schedules, engine.simulated_time or datetime.now().astimezone()
    answered = engine.conversation.answered_last if engine.conversation is not None else None
    states, turns = {"running": running, "paused": engine.state in _PAUSED}, engine.past_turns()
    try:
        return find_meant_schedule(target, schedules, turns, now, **states, answered=answered)
    except StoreError as error:
        # No typed line is lost for that: it stays what the rules took it for.
        _log.warning("what the line may change could not be looked up: %s", error)
        return target


_PAUSED = (TurnState.PAUSING, TurnState.PAUSED)


def read_beside(text: str, command: str) -> Route | None:
    """A fact to keep, or a mere remark, that is typed in mid turn; None for what may be for the turn.

    A remark is made of nothing but words of mood and pace, or tells of oneself what has nothing to do with
    the command.

    Args:
        text: the line.
        command: the command of the turn.
    """
    fact, clauses = route(text), [each.strip() for each in re.split(r"[,，;；。!！]|\.(?!\d)", text)]
    others = (clause for clause in clauses if clause and route(clause).kind is not RouteKind.REMEMBER)
    is_no = read_short_answer(clauses[0]) is ShortAnswer.NO
    asks_more = any(
        route(each, running=True).kind is RouteKind.CORRECTION or begins_task(each) for each in others
    )
    if fact.kind is RouteKind.REMEMBER and not is_no and not asks_more:
        return fact
    line, target = normalize_line(text), route(text, running=True)
    if target.kind is RouteKind.REMARK:
        return Route(RouteKind.ASIDE, text)
    if target.kind not in (RouteKind.COMMAND, RouteKind.CORRECTION) or is_question(text):
        return None
    is_own = line_pattern("of_oneself").match(line) and target.kind is RouteKind.COMMAND
    is_passing = line_pattern("passing").search(line) or line_pattern("moods").search(line)
    may_change = begins_task(text) or refuses(text) or read_correction(command, text) or places_in(text)
    names_deed = word_set(text) & VERBS or amounts_of(text) or numbers_of(text)
    if not (is_own and is_passing) or may_change or names_deed or content_of(text) & content_of(command):
        return None
    return Route(RouteKind.ASIDE, text) if order_probability(text) < _ORDERS else None


def read_meaning_reply(text: str, command: str = "") -> MeaningReply:
    """What a line typed below the meaning of a command that is about to be carried out is."""
    if not text.strip():
        return MeaningReply.GO
    if read_beside(text, command) is not None:
        return MeaningReply.LINE
    if read_correction(command, text) and not is_question(text):
        return MeaningReply.CORRECTION
    kind, answer = route(text, running=True).kind, read_short_answer(text)
    if kind is RouteKind.STOP or answer is ShortAnswer.LATER:
        return MeaningReply.PAUSE
    is_bare_no = answer is ShortAnswer.NO or _BARE_NO.fullmatch(normalize_answer(text))
    if kind is RouteKind.CANCEL or is_bare_no or forbids_deed(text):
        return MeaningReply.CANCEL
    if kind is RouteKind.RESUME or answer is ShortAnswer.YES or agrees_to_begin(text, command):
        return MeaningReply.GO
    if answer is ShortAnswer.WHY:
        return MeaningReply.WHY
    if answer is None and is_talk(text):
        return MeaningReply.LINE
    is_other = refuses(text) or is_question(text) or is_bare_answer(text)
    is_change = kind is not RouteKind.COMMAND and not is_other
    return MeaningReply.CORRECTION if is_change else MeaningReply.CHOOSE


_BARE_NO = re.compile(
    r"(?:please )?(?:don't|dont|do not)(?: do (?:it|that|this))?|no way"
    r"|(?:absolutely|certainly|definitely) not|先?别(?:做|弄)?|不好|不是"
)
"""A refusal of all that is about to begin, besides the short answers."""

REFUSES = re.compile(
    r"\b(?:no|nope|nah|not|never|none|neither|nor|nothing|cannot|dont|doesnt|isnt|wont|cant"
    r"|wrong|mistake|mistaken|stop|wait|cancel|abort|quit|forget|skip|undo|hate|bad"
    r"|hang on|hold (?:on|it|off)|(?:leave|drop|scrap) (?:it|that))\b|n't\b"
    r"|[不别没错勿甭停否无免等]|取消|算了|罢了|慢着"
)
"""Any word that refuses, takes back or puts off."""


def refuses(text: str) -> bool:
    """Whether anything in a line refuses, takes back or puts off, also beside what is wanted instead.

    Read widely, as 别 in 特别: such a line is only asked about.
    """
    return REFUSES.search(fold_case(text)) is not None


_MOST_COMMANDS = 20


def split_commands(text: str) -> list[str]:
    """The commands of a text of several lines, such as a pasted list, each of which begins a task.

    A text with another line in it is one command: a message may have several lines. So is one of more lines
    than anybody would have waiting.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    is_list = 1 < len(lines) <= _MOST_COMMANDS and not lines[0].endswith((":", "："))
    return lines if is_list and all(map(begins_task, lines)) else [text]


class LineUse(StrEnum):
    """What a line is for that the program cannot read with certainty; the user says it."""

    QUEUE = "queue"
    SAY = "say"
    LATER = "later"
    STOP = "stop"
    REPLACE = "replace"
    END = "end"
    BACK = "back"


class LineMoment(StrEnum):
    """When a line was typed that the user is asked about."""

    RUNNING = "running"
    OVER = "over"
    APPROVAL = "approval"
    PAUSED = "paused"
    MEANING = "meaning"
    SUGGESTION = "suggestion"


LINE_USES = {
    LineMoment.RUNNING: {
        LineUse.QUEUE: later("the next command: it starts when this turn succeeds"),
        LineUse.SAY: later("for the running turn: the model reads it before its next action"),
        LineUse.BACK: later("neither: back to the field"),
    },
    LineMoment.OVER: {
        LineUse.QUEUE: later("the next command: start it"),
        LineUse.BACK: later("no command: back to the field"),
    },
    LineMoment.APPROVAL: {
        LineUse.SAY: later("no, but go on with what I said"),
        LineUse.STOP: later("no, and pause here"),
        LineUse.REPLACE: later("no, end the turn, and start this"),
        LineUse.END: later("no, end the turn, and start nothing"),
        LineUse.QUEUE: later("the next command: it starts when this turn succeeds"),
        LineUse.BACK: later("back to the question: only “yes” allows it"),
    },
    LineMoment.PAUSED: {
        LineUse.SAY: later("for this turn: it heeds this when it goes on"),
        LineUse.REPLACE: later("end this turn, and start this"),
        LineUse.END: later("end this turn, and start nothing"),
        LineUse.BACK: later("neither: back to the field"),
    },
    LineMoment.MEANING: {
        LineUse.SAY: later("a change: begin it with this"),
        LineUse.REPLACE: later("do not begin it; take this instead"),
        LineUse.END: later("do not begin it, nor anything else"),
        LineUse.BACK: later("back: nothing begins yet"),
    },
    LineMoment.SUGGESTION: {
        LineUse.SAY: later("about the suggestion: not now"),
        LineUse.LATER: later("about the suggestion: later …"),
        LineUse.QUEUE: later("a command: start it"),
        LineUse.BACK: later("neither: back to the field"),
    },
}
"""What a line may be for at each moment, in words. None of it allows a deed."""


def list_uses(text: str, moment: LineMoment) -> dict[LineUse, str]:
    """What a line may be for, in words; what is no command by itself is offered as none.

    Beside a running turn, what begins no task is rather for that. Below an approval what orders something
    besides is offered as the next command first, “oh and play music after”, and what begins a task later.
    """
    uses, is_below = LINE_USES[moment], moment is LineMoment.APPROVAL
    is_of_turn = moment is LineMoment.RUNNING and not begins_task(text)
    is_besides = is_below and orders_besides(text)
    first = (LineUse.SAY, LineUse.QUEUE) if is_of_turn else (LineUse.QUEUE,) if is_besides else ()
    is_command = route(without_refusal(text)).kind is RouteKind.COMMAND
    is_command = is_command and (not is_below or is_besides or begins_task(text))
    uses = {use: uses[use] for use in dict.fromkeys((*first, *uses)) if use in uses}
    return {use: words for use, words in uses.items() if use is not LineUse.QUEUE or is_command}


def orders_besides(text: str) -> bool:
    """Whether a line orders something that is to follow what is asked about: “and then call mom”."""
    line = text.strip()
    opening = line_pattern("follows").match(line) or line_pattern("also").match(line)
    rest = line_pattern("afterwards").sub("", line[opening.end() if opening is not None else 0 :])
    return rest != line and (begins_order(rest) or begins_task(rest))


LINE_QUESTIONS = {
    LineMoment.RUNNING: later("“{line}”: for the running turn, or the next command?"),
    LineMoment.OVER: later("The turn ended before “{line}”: start it, or put it back?"),
    LineMoment.APPROVAL: later("“{line}” is no plain yes or no: what is it for?"),
    LineMoment.PAUSED: later("“{line}”: for this turn?"),
    LineMoment.MEANING: later("“{line}”: does it change what begins?"),
    LineMoment.SUGGESTION: later("“{line}”: about the suggestion, or a command?"),
}
"""How it is asked what a line is for."""


SETTLING = 0.5
"""Seconds after a prompt appears during which its keys are ignored."""

TYPING_PAUSE = 1.0
"""Seconds without typing before a decision key counts."""


class KeyGate:
    """Decides whether a key may answer: the prompt has been visible long enough and nobody is typing."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shown_at = self._typed_at = float("-inf")

    def mark_shown(self) -> None:
        """Call when a prompt has appeared."""
        self._shown_at = self._clock()

    def mark_typed(self) -> None:
        """Call when the user typed into the input field."""
        self._typed_at = self._clock()

    @property
    def settled(self) -> bool:
        """Whether the prompt has been visible long enough."""
        return self._clock() - self._shown_at >= SETTLING

    @property
    def open(self) -> bool:
        """Whether a decision key counts now."""
        return self.settled and self._clock() - self._typed_at >= TYPING_PAUSE


@dataclass(frozen=True, slots=True)
class UiState:
    """State and cause of the turn, the open prompt, and what the input field is for.

    Attributes:
        stopping: another Escape cancels the turn.
        understood: part of the command was interpreted from the memory, a lookup or an answer.
        deciding: a suggestion's decision is open.
        panels: something beside the field can take the focus.
        recording: the user shows a task.
    """

    state: TurnState | None = None
    cause: Cause | None = None
    asking: UserRequest | None = None
    field: InputTarget = InputTarget.COMMAND
    stopping: bool = False
    understood: bool = False
    deciding: bool = False
    panels: bool = False
    recording: bool = False

    @property
    def active(self) -> bool:
        """Whether a turn is running."""
        return self.state is not None and not self.state.final

    @property
    def paused(self) -> bool:
        """Whether the turn is paused, or about to be."""
        return self.state in (TurnState.PAUSING, TurnState.PAUSED)


def format_advice(ui_state: UiState) -> str:
    """What the user can do now, for states whose event does not say."""
    if ui_state.asking is UserRequest.OFFER:
        return _("Decide about the unfinished turn, or type a command.")
    if ui_state.state is None:
        return _("Type a command below.")
    if ui_state.state is TurnState.PAUSED:
        return _("Nothing is sent to the phone. f5 goes on.")
    return format_end_advice(ui_state.state, cause=ui_state.cause)


_OVER = ("done", "failed", "unconfirmed", "cancelled", "skipped")


@dataclass(frozen=True, slots=True)
class SubTaskOrder:
    """What a line orders of one sub-task of the running turn: to stop, end or go on; `name` is its id."""

    kind: RouteKind
    name: str


def route_to_sub_task(text: str, tasks: Sequence[PlannedTask]) -> SubTaskOrder | None:
    """What a line orders of one sub-task, which it names by its id or its app: “pause a”, “cancel Maps”.

    None for another line, and where two sub-tasks that are not over have the named app.

    Args:
        text: the line.
        tasks: the sub-tasks of the running turn.
    """
    line = normalize_line(text)
    orders = []
    for task in tasks:
        for name in filter(None, (task.id, normalize_line(task.app))):
            head = line.removesuffix(name)
            if head in ("", line) or (name[0].isascii() and head[-1].isascii() and head[-1] != " "):
                continue
            if (kind := route(head).kind) in STEERING:
                orders.append((task.state not in _OVER, SubTaskOrder(kind, task.id)))
    open_ones = [order for is_open, order in orders if is_open] or [order for _, order in orders]
    return open_ones[0] if len({order.name for order in open_ones}) == 1 else None


def steer_sub_task(engine: Engine, line: str) -> str:
    """Pause, end or go on with one sub-task if a line orders it, “pause a”; returns what happens, or ""."""
    tasks = engine.sub_tasks
    order = route_to_sub_task(line, tasks) if tasks else None
    if order is None:
        return ""
    app = next(task.app for task in tasks if task.id == order.name)
    name = one_line(f"{order.name} · {app}" if app else order.name)
    match order.kind:
        case RouteKind.STOP:
            engine.pause_sub_task(order.name)
            return _("{name} pauses; the others go on.").format(name=name)
        case RouteKind.RESUME:
            engine.resume_sub_task(order.name)
            return _("{name} goes on.").format(name=name)
        case _:
            engine.cancel_sub_task(order.name)
            return _("{name} ends, and what needs it; the others go on.").format(name=name)
