"""Reads with the user's model what a line is where the rules of `routing` are not sure, and answers it.

One structured call tells whether a line orders, asks, tells a fact, only remarks something, or goes on
from what was said before, and restates questions, facts and orders in plain words. The model carries
nothing out: the rules read what it restated and make the answer. Code checks first that the restated line
says nothing that neither the line nor the cited turns say, and denies what they deny. An order is offered,
and begins only where the user takes it. A setting is restated in a form that the rules read; where it says
less than the line it is offered, too. What the model takes for no order is not begun behind its back: where
its words do not pass, the user is asked. An order that does not pass is as if no model had been asked.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from assistant.conversation.amendments import find_meant_schedule
from assistant.conversation.line_words import (
    IDLE_WORDS,
    LINE_CLAUSE,
    LINE_SCHEMA,
    NEVER_BEGUN,
    RESTATED,
    SETTINGS,
    LineKind,
    LineReading,
    clauses_about,
    find_told_clauses,
    is_question,
    line_pattern,
    normalize_line,
    only_names_usual,
    orders_again,
    people_named_in,
    split_told,
    strip_courtesy,
    wishes_orders,
)
from assistant.conversation.periods import new_times, read_change, says_change
from assistant.conversation.remembering import find_setting_objection, name_last_person, read_facts, read_rule
from assistant.conversation.routing import (
    SWITCHED,
    UNSURE,
    Route,
    RouteKind,
    begins_task,
    route,
    with_hour,
    with_said_hour,
)
from assistant.conversation.service import Conversation, Exchange, Reply
from assistant.conversation.setting_changes import says_word_of, small_talk
from assistant.files import read_words
from assistant.i18n import _, has_chinese, later, sentences, speaking, spoken_for
from assistant.memory.profile.extract import mentions_secret, tells_more
from assistant.memory.profile.graph import NOTE, WISH
from assistant.memory.prototypes.similarity import only_looks
from assistant.memory.store import local_time
from assistant.model.types import ModelError, one_line, quoted
from assistant.proactive.schedule_events import UnreadableTime, find_impossible_clock
from assistant.proactive.schedule_times import parse_times
from assistant.proactive.schedules import NoSuchSchedule, Schedule, format_schedule
from assistant.understand.model_reading import (
    CitableSource,
    ModelReading,
    citable_turns,
    describe_turn,
    unsaid_amounts,
)
from assistant.understand.perceive import (
    begins_order,
    is_order,
    may_order_nothing,
    names_secret,
    order_places,
    perceive,
)
from assistant.understand.reading_checks import find_reading_objection
from assistant.understand.types import (
    EarlierTurn,
    Objection,
    ReadingDecision,
    ReadingModel,
    deed_key,
    is_prompt_injection,
    is_usable_instruction,
    negations_of,
    words_of,
)
from assistant.understand.verify import says_new_things
from assistant.understand.words import amounts_of, detect_language, english_words, exact_words, language_code

_log = logging.getLogger(__name__)


@cache
def line_rules() -> str:
    """What a model is told to do with a line."""
    return str(read_words("assistant.conversation", "line_reading.yaml")["rules"]).strip()


GUESSED = "order", "followup", "past", "deed", "fact", "rule", "setting", "complaint", "chat", "stop", "help"
"""The kinds that the classifier tells apart, in the order of its weights."""
KIND_PLACES = 1 << 15
GUESS_GATE, SURE_GUESS, TOLD_GUESS = 0.6, 0.75, 0.5
"""The probability from which a line that the rules are unsure of is taken for what the classifier reads, and
from which a model reads one that they take for an order: a question, and what tells or complains."""

TELLING = (
    *(RouteKind.QUESTION, RouteKind.LAST_TURN, RouteKind.WHY, RouteKind.USAGE, RouteKind.PRIVACY),
    *(RouteKind.ASKING, RouteKind.RECOVERY, RouteKind.HELP),
)
"""What only tells something, and changes nothing."""
CANNOT_BE_SET = (RouteKind.MANNER, RouteKind.LANGUAGE, RouteKind.ASKING, RouteKind.ALOUD, RouteKind.PRIVACY)
"""What is told about a setting that no words change."""
UNANSWERED = (
    *(RouteKind.QUESTION, RouteKind.LAST_TURN, RouteKind.STOP_SUGGESTING, RouteKind.QUIET_HOURS),
    *(RouteKind.REMEMBER, RouteKind.PROHIBITION, RouteKind.MANNER, RouteKind.WHY),
)
"""What may be something else where the rules know no answer to it, or nothing to change."""

_TALK = {LineKind.THANKS: RouteKind.THANKS, LineKind.GOODBYE: RouteKind.PARTING}
_TALK |= {LineKind.RULE: RouteKind.PROHIBITION}
_CHANGING, _CHANGES = (LineKind.FOLLOW_UP, LineKind.TAKE_BACK), ("change", "extend", "remove", "pause")
_YOU_DID = re.compile(r"\b(did|have|had) you\b", re.IGNORECASE)
_MOST_TOLD, _MOST_SCHEDULES, LATELY, _AHEAD = 3, 8, timedelta(minutes=30), timedelta(days=8)


@dataclass(frozen=True, slots=True)
class LineContext:
    """What was said and done before a line, for a model to cite by its ids.

    Attributes:
        now: the local time.
        turns: the turns that ended lately, the newest first.
        talk: what was answered lately without the phone, the newest first.
        waiting: commands that wait for an answer.
        schedules: what is done by itself and when, the newest first.
    """

    now: datetime
    turns: Sequence[EarlierTurn] = ()
    talk: Sequence[Exchange] = ()
    waiting: Sequence[str] = ()
    schedules: Sequence[str] = ()

    @property
    def sources(self) -> list[CitableSource]:
        """The turns as sources of an order."""
        return citable_turns(self.turns[:_MOST_TOLD])

    def texts(self) -> dict[str, str]:
        """What each source says, by its id; nothing secret, and nothing that reads like an instruction."""
        earlier_talk = (
            f"{each.said} · {each.answered}" for each in self.talk if self.now - each.time <= LATELY
        )
        texts = {source.id: " · ".join(source.texts) for source in self.sources}
        texts |= {f"t{number}": text for number, text in enumerate([*earlier_talk][:_MOST_TOLD], 1)}
        texts |= {f"o{number}": command for number, command in enumerate(self.waiting, 1)}
        scheduled = self.schedules[:_MOST_SCHEDULES]
        texts |= {f"s{number}": one_line(text, 200) for number, text in enumerate(scheduled, 1)}
        texts |= {f"{each.id} told": each.turn.answer for each in self.sources if each.turn is not None}
        return {
            key: text for key, text in texts.items() if not (is_prompt_injection(text) or names_secret(text))
        }


def make_line_question(line: str, context: LineContext) -> str:
    """What a model is told: the line and what was before it, as JSON."""
    usable, now = context.texts(), context.now
    before = [{"id": each.id, **describe_turn(each.turn, now)} for each in context.sources if each.turn]
    talk = [
        {"id": f"t{number}", "said": one_line(each.said, 300), "answered": one_line(each.answered, 300)}
        for number, each in enumerate(context.talk[:_MOST_TOLD], 1)
        if f"t{number}" in usable
    ]
    waiting = [{"id": key, "order": one_line(text, 300)} for key, text in usable.items() if key[0] == "o"]
    schedules = [{"id": key, "schedule": text} for key, text in usable.items() if key[0] == "s"]
    content: dict[str, object] = {"line": one_line(line, 500), "now": f"{now:%A %Y-%m-%d %H:%M}"}
    content |= {"before": before, "talk": talk, "open": waiting, "schedules": schedules}
    return json.dumps(content, ensure_ascii=False)


def find_line_objection(line: str, reading: LineReading, texts: Mapping[str, str]) -> Objection | None:
    """Why what a model makes of a line must not be used; None if nothing speaks against it.

    Args:
        line: the line.
        reading: the model's answer.
        texts: what each source says, by its id.
    """
    restated = reading.restated
    if reading.kind not in RESTATED:
        # What begins a deed, or asks, is no mere remark; a setting may: “turn off your pings after ten”.
        clauses = LINE_CLAUSE.split(line)
        if reading.kind in SETTINGS:
            restated_words = {word for word in words_of(restated) if word not in IDLE_WORDS}
            clauses = [clause for clause in clauses if not restated_words & {*words_of(clause)}]
        begun = any(begins_order(clause.strip()) or begins_task(clause) for clause in clauses)
        # A figure may be the time of a deed that stands in no clause of its own.
        timed = bool(amounts_of(line)) and reading.kind not in (LineKind.COMPLAINT, *SETTINGS)
        asks = is_question(line) and reading.kind is not LineKind.COMPLAINT and is_order(line)
        return Objection.KIND if begun or timed or asks else None
    is_sayable = is_usable_instruction(restated) and not names_secret(restated)
    if not is_sayable or detect_language(restated) is not detect_language(line):
        return Objection.UNSAYABLE
    said = " · ".join((line, *(texts[source] for source in reading.sources if source in texts)))
    answers = " · ".join(texts.get(f"{source} told", "") for source in reading.sources)
    if unsaid_amounts(line, restated, f"{said} · {answers}"):
        return Objection.UNSAID
    named, folded = people_named_in(said), said.casefold()
    if any(name not in named and name not in folded for name in people_named_in(restated)):
        return Objection.OWNER
    source_words = find_told_clauses(line, said, restated) if reading.kind is LineKind.FACT else restated
    if negations_of(restated) != negations_of(source_words):
        return Objection.NEGATED
    match reading.kind:
        case LineKind.FACT:
            cited = set(words_of(said)) - set(words_of(line))
            kept = [word for word in words_of(restated) if word not in cited and word not in IDLE_WORDS]
            rest = iter(words_of(line))
            return None if all(word in rest for word in kept) else Objection.INVENTED
        case LineKind.QUESTION:
            return None
        case _ if negations_of(restated) > negations_of(said):
            return Objection.NEGATED
        case kind if kind in _CHANGING and reading.cites_schedule:
            return None  # How what it changes is named is checked by the schedules themselves.
        case _:
            words = exact_words(language_code(restated))
            idle = " ".join((*words.function, *words.change, *words.negation, *english_words.PRONOUNS))
            new = bool(amounts_of(restated) - amounts_of(said))
            new = new or says_new_things(line, restated, f"{said} · {idle}", None)
            return Objection.INVENTED if new else None


@dataclass(frozen=True, slots=True)
class TakenReading:
    """What becomes of a reading: a line to be answered, an order to be offered, or neither.

    `turn` is what an order goes on from. It is `is_sure` where no check objects, `is_doubtful` where one says
    that it is not likely. `is_refused`: a model says that nothing is ordered, and its words do not pass.
    """

    route: Route | None = None
    order: str = ""
    turn: EarlierTurn | None = None
    is_doubtful: bool = False
    is_sure: bool = False
    is_refused: bool = False


def take_reading(line: str, reading: LineReading, context: LineContext) -> TakenReading:
    """What becomes of a line as a model read it; nothing where checks object, or the rules read nothing."""
    if reading.kind is LineKind.UNCLEAR:
        return TakenReading()
    texts = context.texts()
    objection = find_line_objection(line, reading, texts)
    if any(source.startswith("s") and source in texts for source in reading.sources) and (
        reading.kind is LineKind.QUESTION or (objection is not None and reading.kind in _CHANGING)
    ):
        return TakenReading(Route(RouteKind.SCHEDULE, line))  # The phone has and knows nothing of it.
    if objection is not None:
        _log.info("what the model makes of the line is not taken: %s", objection.value)
        if reading.kind not in _ORDERS or not objection.may_be_offered:
            return TakenReading()
    restated = route(reading.restated)
    match reading.kind:
        case LineKind.QUESTION:
            # What the assistant did, it did for the user: both are asked about in one way.
            own = _YOU_DID.sub(r"\1 I", reading.restated).replace("你", "我")
            forms = (own,) if has_chinese(own) else (own, f"{own} recently")
            return TakenReading(next(filter(_only_tells, (restated, *map(route, forms))), None))
        case LineKind.FACT:
            return _take_fact(line, reading.restated)
        case LineKind.TAKE_BACK if restated.kind is RouteKind.FORGET:
            return TakenReading(replace(restated, text=line))  # It only tells where that stands.
        case LineKind.TAKE_BACK if restated.kind in (RouteKind.UNDO, RouteKind.CANCEL, RouteKind.STOP):
            return TakenReading(Route(RouteKind.RECOVERY, line))
        case LineKind.ORDER | LineKind.FOLLOW_UP | LineKind.TAKE_BACK:
            return _take_order(line, reading, context, is_doubtful=objection is not None)
        case LineKind.RULE if not reading.restated and wishes_orders(line, read_facts(line)):
            return TakenReading(Route(RouteKind.REMEMBER, line, line))
        case LineKind.SETTING | LineKind.RULE if reading.restated:
            return _take_setting(line, reading)
        case kind:
            return TakenReading(Route(_TALK.get(kind, RouteKind.REMARK), line))


def _take_setting(line: str, reading: LineReading) -> TakenReading:
    """A setting or rule where the rules read it as it is restated; else that it cannot be set so.

    What says less than the line, or ends all suggestions, is offered: the interface reads it when it is sent.
    """
    restated, target = reading.restated, route(reading.restated)
    none = Route(_TALK.get(reading.kind, RouteKind.REMARK), line)
    offered = Route(RouteKind.SCHEDULE, line, rest=restated)
    rule = read_rule(restated) if target.kind is RouteKind.PROHIBITION else None
    if target.kind in CANNOT_BE_SET:
        return TakenReading(target)
    if (rule is None and target.kind not in SWITCHED) or names_secret(restated):
        return TakenReading(none)
    things = target.rest if rule is None else f"{rule.foods} {rule.person}"
    if (objection := find_setting_objection(line, restated, things)) is not None:
        return TakenReading(none if objection is not Objection.LOST else offered)
    is_all = target.kind is RouteKind.STOP_SUGGESTING and not target.rest
    return TakenReading(offered if is_all else replace(target, sure=False))


def _only_tells(target: Route) -> bool:
    return target.kind in TELLING or (target.kind is RouteKind.SCHEDULE and not target.rest)


def _take_fact(line: str, restated: str) -> TakenReading:
    """What is remembered of a line: the restated fact where the rules find in it what the line says.

    Where they find no fact nothing is kept, and the user is told how. Nothing becomes of a value that only
    stands in what was before the line.
    """
    facts = [fact for fact in read_facts(restated) if fact.key not in (NOTE, WISH)]
    if not all("".join(words_of(fact.text)) in "".join(words_of(line)) for fact in facts):
        return TakenReading()
    is_own = {*words_of(restated)} <= {*words_of(line)} and negations_of(restated) == negations_of(line)
    is_read = bool(facts) and (is_own or not negations_of(restated))
    is_read |= route(restated).kind is RouteKind.REMEMBER
    return TakenReading(Route(RouteKind.REMEMBER, line, rest=restated if is_read else ""))


def _take_order(line: str, reading: LineReading, context: LineContext, *, is_doubtful: bool) -> TakenReading:
    """The order to be offered; nothing where it says no more than the line, or may not be offered."""
    restated, target = reading.restated, refuse_unclear_time(route(reading.restated))
    if deed_key(restated) == deed_key(line):
        return TakenReading()
    cited = [source for source in context.sources if source.id in reading.sources]
    is_of_talk = not cited and any(source.startswith(("t", "s")) for source in reading.sources)
    # What goes on from a schedule is no order of now, whatever turn it was made in.
    is_of_talk |= reading.kind is not LineKind.ORDER and reading.cites_schedule
    if target.kind is RouteKind.SCHEDULE or (target.kind is RouteKind.COMMAND and is_of_talk):
        # Nothing shows that the line orders what repeats: a schedule is offered, to be taken by a yes.
        return TakenReading(Route(RouteKind.SCHEDULE, line, rest=restated))
    if target.kind is not RouteKind.COMMAND:
        return TakenReading()
    taken = TakenReading(None, restated, cited[0].turn if cited else None, is_doubtful)
    if not cited or reading.kind is not LineKind.FOLLOW_UP:
        return taken
    filled = ModelReading(decision=ReadingDecision.FILL, order=restated, sources=reading.sources)
    objection = find_reading_objection(perceive(line), filled, cited, None, (), context.turns)
    if objection is not None and not objection.may_be_offered:
        return TakenReading()
    is_sure = not (objection or is_doubtful or is_for_model(line)) and is_order(line)
    is_doubtful |= objection is not None and not objection.is_mild
    return replace(taken, is_doubtful=is_doubtful, is_sure=is_sure)


def refuse_unclear_time(target: Route) -> Route:
    """The route that asks for another time where a task names none that can be kept; else the same route.

    So is a time of day that does not exist, as in “call mom at 25:99”, and what is to be done again and again
    without an hour: “order tea every friday”. A message may say any time.
    """
    text = target.text
    if target.kind is not RouteKind.COMMAND:
        return target
    clock = find_impossible_clock(text)
    before, _clock, behind = unicodedata.normalize("NFKC", text).partition(clock or text)
    says = line_pattern("says").match(strip_courtesy(normalize_line(before))) is not None
    is_task = begins_task(behind) or (begins_task(before) and not says)
    asks = (clock and is_task) or with_said_hour(text, local_time()) or with_hour(text)
    return Route(RouteKind.SCHEDULE, text, rest=text) if asks else target


def offer_command(command: str) -> Reply:
    """That nothing was done yet, and the command to send, in the language in use."""
    sentence = _("Nothing was changed yet. To do it so, send: {command}").format(command=command)
    return Reply(sentence, offer=command)


def answer_reading(conversation: Conversation, line: str, reading: LineReading, taken: Route) -> Reply:
    """The reply to a line as it was read, in its language, with what else it orders. To be used in a thread.

    Raises:
        StoreError: the memory cannot be read or written.
    """
    with speaking(spoken_for(line)):
        reply = _answer_kind(conversation, line, reading, taken)
        order = _order_beside(line, reading) if reading.kind in (LineKind.FACT, *SETTINGS) else ""
        if not order or reply.offer:
            return reply
        beside = _("To begin it, send: {command}").format(command=one_line(order))
        return replace(reply, text=sentences(reply.text, beside), offer=order)


def _order_beside(line: str, reading: LineReading) -> str:
    """The clauses of a line from one on that begins an order, and says nothing of what is restated."""
    about, begin, order = clauses_about(reading.restated, line), 0, ""
    for end in (*(each.end() for each in LINE_CLAUSE.finditer(line)), len(line)):
        clause, begin = line[begin:end], end
        bare = LINE_CLAUSE.sub("", clause)
        begins = begins_order(bare.strip()) or begins_task(bare)
        if (begins or bare not in about) if order else (begins and bare not in about):
            order += clause
    return order.strip(" ,，;；·")


def _answer_kind(conversation: Conversation, line: str, reading: LineReading, taken: Route) -> Reply:
    match reading.kind:
        case LineKind.FACT if not taken.rest:
            return answer_refused(line, reading)
        case LineKind.SETTING | LineKind.RULE if (
            taken.kind in (*SWITCHED, *CANNOT_BE_SET) or read_rule(taken.text) is not None
        ):
            return conversation.reply(taken)
        case LineKind.SETTING if taken.kind is not RouteKind.SCHEDULE:
            return Reply(_(_ABOUT_ITSELF), is_answered=False)
        case LineKind.COMPLAINT:
            return conversation.answer_complaint(line)
        case LineKind.REMARK:
            return Reply(_(_REMARKED))
        case LineKind.QUESTION:
            if cited := _cited_schedules(conversation, reading):
                return Reply("\n".join(format_schedule(each, conversation.now()) for each in cited))
            cited_reply, reply = tell_said(conversation, reading), conversation.reply(taken)
            return reply if reply.is_answered else conversation.tell_facts(line) or cited_reply or reply
        case _ if taken.kind in (RouteKind.REMEMBER, RouteKind.FORGET):
            return conversation.reply(taken)
        case _ if taken.kind is RouteKind.SCHEDULE:
            changed = change_as_read(conversation, line, taken.rest) if taken.rest else None
            return changed or _ask_of_cited(conversation, line, reading, taken) or offer_command(taken.rest)
        case _:
            return Reply(small_talk(taken.kind))


def change_as_read(conversation: Conversation, line: str, restated: str) -> Reply | None:
    """The change of a schedule that a model restated; None where it is none that there is.

    It is made where the line itself says what is to change; else the command that makes it is offered.

    Raises:
        StoreError: the memory cannot be read or written.
    """
    words, is_said = _read_change(conversation, line, restated)
    if words and is_said:
        return conversation.reply(Route(RouteKind.SCHEDULE, line, words))
    return offer_command(f"/schedule {words}") if words else None


def _read_change(conversation: Conversation, line: str, restated: str) -> tuple[str, bool]:
    """What is to change of a schedule, as behind /schedule, and whether the line says it; empty for none.

    It is restated whole, with its new times, or as a change of the one that it names.
    """
    (schedules, turns), now = conversation.made_before(), conversation.now()
    if (read := read_change(line, restated, schedules, now))[0]:
        return read
    target = find_meant_schedule(route(restated), schedules, turns, now, running=False)
    order, name, said = (*target.rest.split(" ", 2), "", "")[:3]
    if target.kind is not RouteKind.SCHEDULE or order not in _CHANGES or "\n" in said or "," in name:
        return "", False
    is_said: bool | None = False
    try:
        schedule = schedules.find(name)
        if order == "change" and not said.startswith("except "):
            is_said = says_change(line, schedule, parse_times(new_times(schedule, said, now), now), now)
    except (NoSuchSchedule, UnreadableTime):
        return "", False
    return f"{order} {schedule.number} {said}".strip(), is_said is True


def _cited_schedules(conversation: Conversation, reading: LineReading) -> list[Schedule]:
    newest = reversed(conversation.made_before()[0].all())
    kept = {f"s{number}": each for number, each in enumerate(newest, 1)}
    return [kept[source] for source in reading.sources if source in kept]


def _ask_of_cited(conversation: Conversation, line: str, reading: LineReading, taken: Route) -> Reply | None:
    """That nothing was changed of the schedule that a model cites, and how that is said; None for none.

    What begins with its times may make another one.
    """
    cited = _cited_schedules(conversation, reading)
    if not cited or (taken.rest and route(taken.rest).kind is RouteKind.SCHEDULE):
        return None
    named = f" {cited[0].number}" if len(cited) == 1 else ""
    return conversation.reply(Route(RouteKind.SCHEDULE, line, f"?{named}"))


def may_be_of_schedule(line: str, schedules: Sequence[Schedule]) -> bool:
    """Whether a line has a word of what one of some schedules does, and orders nothing that it says whole."""
    is_plain = begins_task(line) and not amounts_of(line)
    return not is_plain and any(says_word_of(each.instruction, line) for each in schedules)


def tell_planned(line: str, schedules: Sequence[Schedule], now: datetime) -> str:
    """What an operator of the phone is told of the schedules for a question about a day; empty for none."""
    asks = is_question(line) or not begins_task(line) or only_looks(line)
    if not (schedules and asks and line_pattern("day_named").search(line.casefold())):
        return ""
    coming = ((at, each.instruction) for each in schedules for at in each.upcoming(now, 8))
    planned = sorted((at, order) for at, order in coming if at - now < _AHEAD)
    listed = "; ".join(f"{at:%a %d %b %H:%M} {quoted(order)}" for at, order in planned)
    sentence = (
        "What the assistant itself is to do by schedule, and no app shows: {}. Where the order asks what is "
        "planned, its answer also says which of these are."
    )
    return sentence.format(listed) if planned else ""


def tell_said(conversation: Conversation, reading: LineReading) -> Reply | None:
    """What the user told lately that a model names as the answer to a question; None where it names none."""
    lately = [each for each in conversation.talk if conversation.now() - each.time <= LATELY]
    statements = {
        f"t{place}": each for place, each in enumerate(lately, 1) if each.kind is RouteKind.REMEMBER
    }
    said = next((statements[source].said for source in reading.sources if source in statements), "")
    return Reply(_("You said: “{said}”.").format(said=one_line(said, 200))) if said else None


def answer_refused(line: str, reading: LineReading) -> Reply:
    """The reply to a line that orders nothing, of which nothing can be taken, in its language."""
    with speaking(spoken_for(line)):
        if reading.kind is LineKind.FACT:
            # Words of the line alone, and each “not” of it: “I just told you! Tom is Ben Stone”.
            is_kept = {*words_of(reading.restated)} <= {*words_of(line)} and bool(reading.restated)
            told_clauses = find_told_clauses(line, line, reading.restated)
            is_kept = is_kept and negations_of(reading.restated) == negations_of(told_clauses)
            template = "记住：{line}" if has_chinese(line) else "remember that {line}"
            command = template.format(line=one_line(reading.restated if is_kept else told_clauses))
            sentence = _("Nothing was kept. To keep it, send: {command}").format(command=command)
            return Reply(sentence, offer=command, is_answered=False)
        is_question = reading.kind is LineKind.QUESTION
        sentence = later("Memory has no answer to that, and nothing was begun on the phone.")
        return Reply(_(sentence if is_question else _REMARKED), is_answered=False)


_ABOUT_ITSELF = later(
    "Nothing was changed: that is no setting of mine that can be said so. In words you can stop or resume "
    "suggestions and learning, set quiet hours, “no suggestions after 22:00”, and say what is never to be "
    "ordered, “never order onions for me”. All that can be set: /settings."
)
_REMARKED = later("All right. Nothing was begun; say when the phone is to do something.")


def format_answer(line: str, reading: LineReading, reply: Reply) -> str:
    """The reply, with the line as the model read it where that is not what was typed."""
    is_setting = reading.kind in SETTINGS and reply.is_answered and bool(reading.restated)
    shown = is_setting or reading.kind in (LineKind.QUESTION, LineKind.FACT, LineKind.TAKE_BACK)
    if not shown or words_of(line) == words_of(reading.restated):
        return reply.text
    with speaking(spoken_for(line)):
        return _("Read as “{restated}”. {answer}").format(restated=reading.restated, answer=reply.text)


_GUESS_MEANS = {name: LineKind(name) for name in ("fact", "rule", "setting", "complaint")}
_GUESS_MEANS |= dict.fromkeys(("past", "deed"), LineKind.QUESTION)
"""What is taken from the classifier; all else is decided as without it."""


@cache
def _kind_weights() -> NDArray[np.float16]:
    weights: NDArray[np.float16] = np.load(Path(__file__).with_suffix(".npy"))
    return weights


def guess_reading(line: str, gate: float = GUESS_GATE) -> LineReading | None:
    """What a line is by the classifier; None where it orders something, or its probability is lower.

    It is trained by `python -m tools.understanding.lines`, and stands in where no model says what a line is.
    """
    kind, probability = guess_by(_kind_weights(), line)
    if (means := _GUESS_MEANS.get(kind)) is None or probability < gate:
        return None
    return LineReading(kind=means, restated=" ".join(line.split()).strip(" .。"))


def is_for_model(line: str) -> bool:
    """Whether a model reads what a line is that the rules take for an order to be done once."""
    guessed = guess_reading(line, TOLD_GUESS)
    tells = guessed is not None and guessed.kind is not LineKind.QUESTION and not is_question(line)
    stands = line_pattern("standing").search(line.casefold()) is not None
    return stands or may_order_nothing(line) or tells or guess_reading(line, SURE_GUESS) is not None


def kind_places(line: str) -> list[int]:
    """The places of a line's features among the weights of each kind."""
    return [place % KIND_PLACES for place in order_places(line)]


def guess_by(weights: NDArray[np.float16], line: str) -> tuple[str, float]:
    """The likeliest of `GUESSED` for a line by the weights of a classifier, and its probability."""
    places = np.unique(kind_places(line))
    logits = weights[:, places].sum(axis=1, dtype=np.float64) * len(places) ** -0.5 + weights[:, -1]
    chances = np.exp(logits - logits.max())
    best = int(chances.argmax())
    return GUESSED[best], float(chances[best] / chances.sum())


def parse_line_reading(answer: str) -> LineReading | None:
    """A model's answer; None if it is not in the form that was asked for."""
    match = re.search(r"\{.*\}", answer, re.DOTALL)
    try:
        reading = LineReading.model_validate(json.loads(match[0])) if match is not None else None
    except (ValidationError, ValueError, RecursionError):
        return None
    if reading is None:
        return None
    restated = " ".join(reading.restated.split()).strip(" .。")
    return reading.model_copy(update={"restated": restated, "sources": (*filter(None, reading.sources),)})


async def read_typed_line(line: str, context: LineContext, model: ReadingModel) -> LineReading | None:
    """What a model says that a line is; None where it does not answer, or not in the form asked for."""
    if names_secret(line) or is_prompt_injection(line):
        return None
    try:
        answer = await model(line_rules(), make_line_question(line, context), LINE_SCHEMA)
    except ModelError as error:
        _log.warning("the model does not read what the line is: %s", error)
        return None
    if (reading := parse_line_reading(answer)) is None:
        _log.warning("the model's reading of the line is not in the form that was asked for")
    return reading


async def read_line(
    line: str, context: LineContext, model: ReadingModel
) -> tuple[LineReading | None, TakenReading]:
    """What a line is and comes to, as the model reads it, else as the classifier does."""
    reading = await read_typed_line(line, context, model)
    is_usual = reading is not None and reading.kind is LineKind.FACT and only_names_usual(line)
    if is_usual or (reading and reading.kind in NEVER_BEGUN and orders_again(line, context.now)):
        return None, TakenReading()  # Of what it only names, or begins with, nothing is told: it orders.
    taken = take_reading(line, reading, context) if reading is not None else TakenReading()
    is_unread = reading is None or reading.kind is LineKind.UNCLEAR
    if is_unread and (guess := guess_reading(line)) is not None:
        is_usable = guess.kind is LineKind.FACT and not names_secret(line)
        is_recent = bool(context.talk) and context.now - context.talk[0].time <= LATELY
        before = context.talk[0].said if is_recent else ""
        if is_usable and (restated := name_last_person(line, before)):
            return LineReading(kind=LineKind.FACT, restated=restated), _take_fact(line, restated)
        return guess, take_reading(line, guess, context)
    is_refused = reading is not None and reading.kind in NEVER_BEGUN and taken == TakenReading()
    return reading, replace(taken, is_refused=is_refused)


_ORDERS = (LineKind.ORDER, LineKind.FOLLOW_UP)
_INSTEAD = (LineKind.QUESTION, LineKind.FACT, *_ORDERS, *SETTINGS)


async def reply_to(conversation: Conversation, line: Route, model: ReadingModel | None) -> Reply:
    """The reply to a line that needs no phone; a model reads first what the rules are not sure of.

    What it reads may keep a fact, a rule or a setting that the line states; an order is only offered.

    Args:
        conversation: makes the replies.
        line: the line, as the rules read it.
        model: the user's model; None where none is there, or where a turn runs.

    Raises:
        StoreError: the memory cannot be read or written.
    """
    is_open, talk, reply = model is not None and line.kind in UNSURE, conversation.talk, None
    # Where the rules keep a part only in its words, a model may read what that tells.
    facts = read_facts(line.rest) if line.kind is RouteKind.REMEMBER and split_told(line.rest)[1:] else []
    is_half = any(fact.key in (NOTE, WISH) for fact in facts)
    if model is None or (is_open and await asyncio.to_thread(conversation.is_settled, line)):
        return await asyncio.to_thread(conversation.reply, line)
    if not (is_open or is_half):
        reply = await asyncio.to_thread(conversation.reply, line)
        if reply.is_answered or line.kind not in UNANSWERED or mentions_secret(line.text):
            return reply
    turns = await asyncio.to_thread(conversation.earlier_turns, "", every=True)
    schedules = await asyncio.to_thread(conversation.schedules)
    context = LineContext(conversation.now(), turns, talk, (), schedules)
    reading, taken = await read_line(line.text, context, model)
    read = taken.route or line
    if is_half and not (read.kind is RouteKind.REMEMBER and tells_more(read_facts(read.rest), facts)):
        return await asyncio.to_thread(conversation.reply, line)
    is_same = words_of(read.rest or read.text) == words_of(line.rest or line.text)
    is_new = reading is not None and reading.kind in _INSTEAD and not is_same
    if (reply is None or is_new) and reading is not None and taken.route is not None:
        answer = await asyncio.to_thread(answer_reading, conversation, line.text, reading, taken.route)
        if answer.is_answered or reply is None:
            return replace(answer, text=format_answer(line.text, reading, answer))
    if taken.order:
        with speaking(spoken_for(line.text)):
            return offer_command(taken.order)
    return reply if reply is not None else await asyncio.to_thread(conversation.reply, line)
