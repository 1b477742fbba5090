"""Decides what a typed line is before the phone is used: a question, a greeting, an answer, or a command.

A line is answered without the phone only if that is certain; every other line stays a command. The words are
data: in `routing.yaml` those that say what a line is, in `line_words.yaml` what may stand in any line.

`begins_task` takes any line; `_normalized_begins_task` one already without its courtesy, or a part of one.

The rules tell its `RouteKind`. Where they are not sure, `line_reading.py` asks a model for its `LineKind`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cache

from assistant.conversation.line_words import (
    MOST_DIGITS,
    ShortAnswer,
    answer_pattern,
    asked_deed,
    complains,
    find_courtesy_end,
    fold_line,
    is_bare_answer,
    is_question,
    line_pattern,
    normalize_answer,
    normalize_line,
    only_sighs,
    read_place,
    read_short_answer,
    split_clauses,
    split_hour,
    split_start,
    split_told,
    strip_courtesy,
    without_repeats,
)
from assistant.conversation.past_questions import PastQuestion, follow_up, parse_question
from assistant.conversation.periods import read_quiet_hours
from assistant.conversation.remembering import (
    read_ended,
    read_forgetting,
    read_retraction,
    read_rule,
    speaks_of_forgetting,
    tell_changed,
    without_former,
)
from assistant.files import compile_words, read_words
from assistant.i18n import has_chinese
from assistant.memory.profile.extract import says_fact
from assistant.memory.profile.lexicon import spell_out
from assistant.memory.profile.statements import asks_in_chinese, is_statement, without_since
from assistant.memory.store import local_time
from assistant.proactive.schedule_times import split_times, without_onward
from assistant.understand.perceive import begins_order, is_order, may_order_nothing, order_probability
from assistant.understand.slots import find_verb_kinds
from assistant.understand.words import english_words


class RouteKind(StrEnum):
    """What a line is for."""

    COMMAND = "command"
    QUESTION = "question"
    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    PARTING = "parting"
    HELP = "help"
    WHY = "why"
    STOP = "stop"
    CANCEL = "cancel"
    RESUME = "resume"
    UNDO = "undo"
    REDO = "redo"
    KEEP_SKILL = "keep_skill"
    REMEMBER = "remember"
    FORGET = "forget"
    STOP_SUGGESTING = "stop_suggesting"
    QUIET_HOURS = "quiet_hours"
    RESUME_SUGGESTING = "resume_suggesting"
    PAUSE_LEARNING = "pause_learning"
    RESUME_LEARNING = "resume_learning"
    OPEN_MEMORY = "open_memory"
    OPEN_HISTORY = "open_history"
    OPEN_SETTINGS = "open_settings"
    OPEN_QUEUE = "open_queue"
    SCHEDULE = "schedule"
    REMINDER = "reminder"
    CORRECTION = "correction"
    PRIVACY = "privacy"
    LAST_TURN = "last_turn"
    ASKING = "asking"
    PROHIBITION = "prohibition"
    REMARK = "remark"
    ANSWER = "answer"
    RECOVERY = "recovery"
    LANGUAGE = "language"
    MANNER = "manner"
    USAGE = "usage"
    ALOUD = "aloud"
    PROGRESS = "progress"
    ASIDE = "aside"


STEERING = (RouteKind.STOP, RouteKind.CANCEL, RouteKind.RESUME)
"""What a line orders of a running turn."""
SWITCHED = (
    *(RouteKind.STOP_SUGGESTING, RouteKind.QUIET_HOURS, RouteKind.RESUME_SUGGESTING),
    *(RouteKind.PAUSE_LEARNING, RouteKind.RESUME_LEARNING),
)
"""What is switched by words."""
UNSURE = (RouteKind.CORRECTION, RouteKind.REMARK)
"""What the rules answer in general words where no turn runs and they do not know what it is about."""


@dataclass(frozen=True, slots=True)
class Route:
    """What a line is. `rest` is its content, such as what to remember; `question` one about the past.

    `thanks`: it begins with thanks. `corrects_value`: it gives the command of the running turn another
    value. While a turn runs, `sure` tells whether a line is certainly a correction of it or certainly a new
    command; of another line the user is asked which, and `is_remark` tells which is likelier. Nor is `sure`
    what changes a schedule that the line only points at.
    """

    kind: RouteKind
    text: str
    rest: str = ""
    question: PastQuestion | None = None
    sure: bool = True
    is_remark: bool = False
    corrects_value: bool = False
    thanks: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    """The patterns of `routing.yaml`, compiled."""

    whole: dict[RouteKind, re.Pattern[str]]
    beginning: dict[RouteKind, re.Pattern[str]]
    within: dict[RouteKind, re.Pattern[str]]
    correction: re.Pattern[str]
    command: re.Pattern[str]
    asks: re.Pattern[str]


_ORDERS, _PARTS = (RouteKind.COMMAND, RouteKind.SCHEDULE), (*SWITCHED, RouteKind.UNDO, RouteKind.REMEMBER)
_LONGEST_TALK, _LONGEST_THANKS, _LONGEST_IN_PARTS, _MOST_PARTS = 90, 30, 300, 6
_AND, _ENDS_LIST, _SURELY_ORDERS = re.compile(r"\band\b"), re.compile(r"(?:^|\s)(?:and|or|&)\s"), 0.8


def route(text: str, *, running: bool = False, previous: PastQuestion | None = None) -> Route:
    """What a line is for, which may be meant for a turn that is `running`.

    `previous` is the question answered just before, which “and the week before?” asks again.
    """
    if len(once := without_repeats(text)) < len(text):
        return replace(route(once, running=running, previous=previous), text=text)
    if (words := text.removeprefix("/schedule ")) != text:
        return Route(RouteKind.SCHEDULE, text, words)
    if not running and (parts := split_parts(text)):
        return replace(next(each for each in parts if each.kind not in _ORDERS), text=text)
    rest, thanks = _behind_small_talk(text)
    if not running and (order := without_talk(text)) != text:
        return replace(_route_line(order, running, previous), thanks=thanks)
    behind = route(rest, running=running, previous=previous) if rest else Route(RouteKind.COMMAND, "")
    wants = is_question(rest) or _table().asks.match(normalize_line(rest)) is not None
    wants = wants or any(map(begins_task, _AND.split(rest))) or order_probability(rest) >= _SURELY_ORDERS
    wants = wants and bool(rest) and behind.kind is RouteKind.COMMAND
    if wants or behind.kind not in _LEFT_TO_TALK or (thanks and behind.kind is RouteKind.HELP):
        return replace(behind, thanks=thanks)
    return _route_line(text, running, previous)


def _route_line(text: str, running: bool, previous: PastQuestion | None) -> Route:
    line = normalize_line(text)
    polite = strip_courtesy(line)
    if (kind := _whole_kind(text, line, polite)) and not (running and kind is RouteKind.MANNER):
        return Route(kind, text)
    if (bare := _route_bare(text, running=running)) is not None:
        return bare
    spaced = fold_line(text).rstrip(" .。!！")
    if (forgotten := read_forgetting(text, begins_task)) is not None:
        return Route(RouteKind.UNDO if forgotten.just_now else RouteKind.FORGET, text, rest=forgotten.content)
    if (begun := _begun_route(text, spaced)) is not None:
        return begun
    remembered = line_pattern("remember_after").match(text.strip())
    is_due = line_pattern("due").search(spaced) is not None or speaks_of_forgetting(text)
    if remembered is not None and not is_due:
        return Route(RouteKind.REMEMBER, text, rest=remembered["english"] or remembered["chinese"])
    is_timed = any(line_pattern(name).search(spaced) for name in ("recurring", "calls"))
    if is_timed and (scheduled := _find_schedule(text)):
        return Route(RouteKind.SCHEDULE, text, rest=scheduled)
    asked = _question_alone(text)
    unstressed = line_pattern("stress").sub("", asked)
    question = parse_question(asked) or (parse_question(unstressed) if unstressed != asked else None)
    question = question or (follow_up(text, previous) if previous is not None else None)
    if question is not None and line_pattern("allergy").fullmatch(line) is None:
        return Route(RouteKind.QUESTION, text, question=question)
    if len(polite) <= _LONGEST_TALK and not _has_task(text, polite):
        clause_ends = line_pattern("clause_ends")
        steers = running or line_pattern("denies").match(fold_line(text)) is not None
        for kind, pattern in _table().within.items():
            of_turn = kind is RouteKind.LAST_TURN and line_pattern("of_all_turns").search(polite) is None
            of_turn = of_turn or kind is RouteKind.PARTING  # Which may be what the turn is to say.
            match = pattern.search(polite)
            is_wish = kind is RouteKind.PARTING and line_pattern("adds_words").search(polite) is not None
            others = [line_pattern("joins").sub("", each.strip()) for each in clause_ends.split(text)[1:]]
            is_wish = is_wish or (kind in (*_TALK, RouteKind.REMARK) and any(map(begins_order, others)))
            if match and not ((running and of_turn) or is_wish or (steers and kind is RouteKind.REMARK)):
                named = "".join(filter(None, match.groupdict().values())).strip()
                return Route(kind, text, rest=asked_deed(polite) if kind is RouteKind.WHY else named)
    if only_sighs(text, line) and (running or not line_pattern("needs").search(line)):
        return Route(RouteKind.REMARK, text, is_remark=True)
    return (_route_while_running if running else _route_while_idle)(text, polite)


def _question_alone(text: str) -> str:
    """The question with which a line begins, where what stands behind it neither asks nor begins a task."""
    match = re.match(r"\s*([^?？]+[?？])\s*([^?？]+)$", text)
    is_alone = match is not None and not (is_question(match[2]) or begins_task(match[2]))
    return match[1] if match is not None and is_alone else text


def _route_bare(text: str, *, running: bool) -> Route | None:
    """A line that is only a yes, a no or a number. What a number is to a turn is not certain."""
    words = normalize_answer(text)
    if not is_bare_answer(text) and (running or read_place(words, MOST_DIGITS) is None):
        return None
    if running and words.isdecimal():
        return Route(RouteKind.COMMAND, text, sure=False, is_remark=True)
    return Route(RouteKind.CORRECTION if running else RouteKind.ANSWER, text)


def _whole_kind(text: str, line: str, polite: str) -> RouteKind | None:
    """The kind that the entire line has by its words."""
    forms = {line, polite, line_pattern("exclaims").sub("", line)} - {""}
    for kind, pattern in _table().whole.items():
        if any(map(pattern.fullmatch, forms)) and (
            kind is not RouteKind.STOP_SUGGESTING or not _points(text)
        ):
            return kind
    if _wants_no_more(text):
        return RouteKind.CANCEL
    return _small_talk(text)


def only_cancels(text: str) -> bool:
    """Whether a line says nothing but that what was asked for last is to end: “oh no, never mind”, 算了."""
    line = normalize_line(_behind_small_talk(text)[0] or text)
    return _whole_kind(text, line, strip_courtesy(line)) is RouteKind.CANCEL


def _wants_no_more(text: str) -> bool:
    """Whether every clause of a line says that the turn is to end, or why: “never mind, it is too late”."""
    clauses = [polite for clause in _clauses_said(text) if (polite := strip_courtesy(clause))]
    ends = _table().whole[RouteKind.CANCEL]
    cancels = [ends.fullmatch(clause) is not None for clause in clauses]
    is_cancelled = any(cancels)
    refuses = [
        cancelled
        or line_pattern("no_more").fullmatch(clause) is not None
        or (is_cancelled and line_pattern("forbids").fullmatch(clause) is not None)
        or read_short_answer(clause) in (ShortAnswer.NO, ShortAnswer.LATER)
        for cancelled, clause in zip(cancels, clauses, strict=True)
    ]
    if len(clauses) < 2 or not all(
        refused or line_pattern("reason").fullmatch(clause) is not None
        for refused, clause in zip(refuses, clauses, strict=True)
    ):
        return False
    # A mere “no” may be the answer to something: one more clause must end it.
    return cancels[0] or sum(refuses) > 1 or (is_cancelled and not speaks_of_forgetting(text))


def _clauses_said(text: str) -> list[str]:
    """The clauses of a line without cries before them."""
    return [clause for part in split_clauses(text) if (clause := line_pattern("exclaims").sub("", part))]


def forbids_deed(text: str) -> bool:
    """Whether a line says that what is about to be done must not be, and not what is to be done instead.

    “No wait, don't send it”, “stop, wrong place”, 等等，别发. “Don't add ice” changes the deed.
    """
    stops = _table().whole[RouteKind.STOP]
    clauses = _clauses_said(text)
    refusals = (line_pattern("forbids"), line_pattern("no_more"))
    forbidden = [any(pattern.fullmatch(clause) for pattern in refusals) for clause in clauses]
    stopped = [stops.fullmatch(clause) is not None for clause in clauses]
    beside = (
        line_pattern("reason").fullmatch(clause)
        or read_short_answer(clause) in (ShortAnswer.NO, ShortAnswer.LATER)
        for clause in clauses
    )
    is_whole = all(any(says) for says in zip(forbidden, stopped, beside, strict=True))
    halts = line_pattern("halts").match(", ".join(clauses)) is not None
    return halts or (is_whole and (any(forbidden) or (any(stopped) and len(clauses) > 1)))


def is_refusal(text: str) -> bool:
    """Whether each clause of a line refuses or says why, and none what is wanted: “no, too expensive”."""
    stops, reason = _table().whole[RouteKind.STOP], line_pattern("reason")
    over, no = _table().whole[RouteKind.CANCEL], answer_pattern(ShortAnswer.NO)
    refusals = (over, *map(line_pattern, ("no_more", "forbids")), no)
    clauses = _clauses_said(spell_out(text))
    refused = [any(pattern.fullmatch(clause) for pattern in refusals) for clause in clauses]
    reasons = [bool(stops.fullmatch(clause) or reason.fullmatch(clause)) for clause in clauses]
    first = line_pattern("no_first").match(clauses[0]) if clauses else None
    if first is not None and not refused[0]:
        rest = strip_courtesy(clauses[0][first.end() :])
        ends = (reason, *refusals, stops) if rest.isascii() else (reason,)
        refused[0] = any(pattern.fullmatch(rest) for pattern in ends)
    return any(refused) and all(map(any, zip(refused, reasons, strict=True)))


def _begun_route(text: str, spaced: str) -> Route | None:
    """What a line is by how it begins, such as “remember that”; `rest` is what follows."""
    if read_quiet_hours(text) is not None:
        return Route(RouteKind.QUIET_HOURS, text)
    opening = find_courtesy_end(spaced)
    for kind, pattern in _table().beginning.items():
        if match := pattern.match(spaced) or pattern.match(spaced, opening):
            if kind is RouteKind.REMEMBER and asks_in_chinese(spaced):
                continue  # 你记得我妈叫什么 asks.
            rest = text.strip()[match.end() :].strip(" .。!！,，:：")
            if kind is RouteKind.STOP_SUGGESTING:
                rest = without_pointing(_listed_first(rest))
                rest = "" if line_pattern("all_suggestions").fullmatch(rest.casefold()) else rest
                rest = rest or spaced[: opening * _points(spaced)]
            return Route(kind, text, rest=rest)
    clauses = split_told(text)
    if any(map(begins_task, clauses)):
        return None
    for clause in clauses:
        if len(clauses) > 1 and ends_suggestions(clause):
            return Route(RouteKind.STOP_SUGGESTING, text)
        begun = _begun_route(clause, fold_line(clause)) if len(clauses) > 1 else None
        if begun is not None and begun.kind is RouteKind.STOP_SUGGESTING:
            return Route(RouteKind.STOP_SUGGESTING, text, rest=begun.rest)
        before = text[: text.index(clause)].strip(" ,，;；.。!！")  # “I just told you! Remember: …”
        if begun is not None and begun.kind is RouteKind.REMEMBER and before:
            fact = text[text.index(begun.rest) :].strip(" .。!！")
            return replace(begun, text=text, rest=f"{before}, {fact}" if is_statement(before) else fact)
        if (stops := line_pattern("stops_about").fullmatch(fold_line(clause))) is not None:
            named = without_pointing(stops["about"] + (stops["what"] or ""))
            return Route(RouteKind.STOP_SUGGESTING, text, rest=named)
    return None


def ends_suggestions(clause: str) -> bool:
    """Whether a clause wishes that nothing is suggested, and names nothing."""
    ends = _table().whole[RouteKind.STOP_SUGGESTING]
    return not _points(clause) and ends.fullmatch(strip_courtesy(normalize_line(clause))) is not None


def _points(clause: str) -> bool:
    """Whether a Chinese clause begins with what points at something, or fills a pause: 那个别推荐了."""
    return re.match(r"\s*[那这]个(?![那这])", clause) is not None


def without_pointing(words: str) -> str:
    """A thing without the words that only point at it; as it is where nothing else stands there."""
    return line_pattern("points").sub("", words).strip(" ,") or words


def _listed_first(text: str) -> str:
    """The first clause of a text, with those behind it to the last, which ends a list; others say why."""
    first, *others = split_told(text) or [""]
    is_all = line_pattern("all_suggestions").fullmatch(first.casefold()) is not None
    is_list = not is_all and not has_chinese(text) and bool(others) and bool(_ENDS_LIST.search(others[-1]))
    is_list = is_list and english_words.PRONOUNS.isdisjoint(
        re.findall(r"[a-z]+", fold_line(" ".join(others)))
    )
    is_list = is_list and not any(map(_is_apart, others))
    return ", ".join((first, *others)) if is_list else first


def _is_apart(clause: str) -> bool:
    """Whether a clause says something of its own: it orders or wishes something, or is small talk."""
    rest = line_pattern("joins").sub("", clause)
    return begins_task(rest) or says_nothing(rest) or _begun_route(rest, fold_line(rest)) is not None


def _only_forbids(text: str, *, reasons: bool = False) -> bool:
    """Whether every clause of a line forbids a task, or gives a reason: “don't call Mom, she is asleep”."""
    forbids, because = line_pattern("forbids_task"), line_pattern("reason_behind")
    clauses = split_clauses(text)
    clauses = [each for each in clauses if not (reasons and because.fullmatch(each) and not is_order(each))]
    forbidden = [match for each in clauses if (match := forbids.fullmatch(strip_courtesy(each)))]
    tasks = [match["english"] or match["chinese"] for match in forbidden]
    return 0 < len(tasks) == len(clauses) and all(_normalized_begins_task(task) for task in tasks)


def without_refusal(text: str) -> str:
    """The command of a line that first gives up another: “forget it, call Dad instead”, 都不要了，改成听歌.

    The line as it is where nothing is left of it that begins a task.
    """
    clauses = re.split(r"\s*[,，;；。!！]\s*", text.strip())
    rest = list(clauses)
    while len(rest) > 1 and gives_up(line_pattern("actually").sub("", rest[0])):
        rest = rest[1:]
    rest[0] = without_opening(line_pattern("changed_to").sub("", rest[0]))
    if len(rest) == len(clauses) or not _normalized_begins_task(strip_courtesy(normalize_line(rest[0]))):
        return text
    place = text.rindex(rest[0]) if len(rest) == 1 else text.index(rest[0])
    return re.sub(r"\s+instead(?=\s*[:,])|\s+instead[.!]?$", "", text[place:].strip())


def gives_up(clause: str) -> bool:
    """Whether a clause gives up, refuses or stops what it is about, and says nothing else."""
    line = normalize_line(clause)
    is_no = read_short_answer(clause) is ShortAnswer.NO
    refuses = line == "" or is_no or line_pattern("no_more").fullmatch(line)
    is_over = _whole_kind(clause, line, strip_courtesy(line)) in (RouteKind.CANCEL, RouteKind.STOP)
    return is_over or bool(refuses or line_pattern("forbids").fullmatch(line))


_TALK = (RouteKind.GREETING, RouteKind.THANKS, RouteKind.PARTING, RouteKind.HELP)
_LEFT_TO_TALK = (RouteKind.COMMAND, RouteKind.CORRECTION, RouteKind.REMARK, *_TALK)


def _behind_small_talk(text: str) -> tuple[str, bool]:
    """What follows a clause that thanks, greets or agrees (“thanks! what now”), and whether that thanks."""
    clause, *rest = line_pattern("clause_ends").split(text.strip(), maxsplit=1)
    first = normalize_line(clause)
    kinds = {kind for kind, pattern in _table().whole.items() if kind in _TALK and pattern.fullmatch(first)}
    kinds |= {kind for kind, pattern in _table().within.items() if kind in _TALK and pattern.search(first)}
    is_talk = kinds or says_nothing(clause)
    is_before = rest and is_talk and len(first) < _LONGEST_THANKS and not begins_task(first)
    behind = line_pattern("joins").sub("", rest[0].strip()) if is_before else ""
    return behind, bool(behind) and RouteKind.THANKS in kinds


def says_nothing(clause: str) -> bool:
    """Whether a clause only greets, thanks, agrees or sighs."""
    line, talk = normalize_line(clause), (*_TALK[:3], RouteKind.REMARK)
    forms = {line, strip_courtesy(line)}
    patterns = [pattern for kind, pattern in _table().whole.items() if kind in talk]
    patterns += [line_pattern("agrees"), line_pattern("only_talks")]
    return any(any(map(each.fullmatch, forms)) for each in patterns) or only_sighs(clause, line)


def without_talk(text: str) -> str:
    """An order without the small talk before it: “thanks! oh and text Ann hello”, 谢了，顺便把蓝牙关了."""
    clause, *rest = line_pattern("clause_ends").split(text.strip(), maxsplit=1)
    if (opening := line_pattern("thanks_first").match(text.strip())) is not None:
        rest = [text.strip()[opening.end() :]]
    elif not rest or not says_nothing(clause):
        return text
    behind = line_pattern("joins").sub("", rest[0].strip())
    order = without_talk(behind)
    is_task = begins_task(behind) or (not opening and is_order(behind) and not says_nothing(behind))
    return order if order != behind or (behind and is_task) else text


def _small_talk(text: str) -> RouteKind | None:
    """What a line of several clauses is, if each of them is small talk: that of the last."""
    clauses = split_clauses(text)
    if len(clauses) < 2:
        return None
    patterns = [(kind, pattern) for kind, pattern in _table().whole.items() if kind in _TALK]
    kind = None
    for clause in clauses:
        forms = {clause, strip_courtesy(clause)}
        named = next((name for name, pattern in patterns if any(map(pattern.fullmatch, forms))), None)
        if named is None and line_pattern("agrees").fullmatch(clause) is None:
            return None
        kind = named or kind
    return kind


def _states_fact(text: str, line: str) -> bool:
    """Whether a line does nothing but tell a fact of the user: an allergy, or who somebody is to them."""
    if _normalized_begins_task(line) or text.rstrip().endswith(("?", "？")) or asks_in_chinese(text):
        return False
    current_text = without_former(text)
    statement = tell_changed(current_text) or spell_out(line_pattern("opens").sub("", current_text))
    ended = read_ended(statement)
    if speaks_of_forgetting(current_text) or (ended and _states_fact(ended, normalize_line(ended))):
        return bool(ended)
    lasts = line_pattern("lasts").match(normalize_line(without_since(statement))) is not None
    return lasts or is_statement(statement) or (bool(line_pattern("states").match(line)) and says_fact(text))


def _find_schedule(text: str) -> str:
    """The line, or the last sentence behind others that order nothing, if that certainly is a schedule."""
    said = text.strip()
    ends = [match.end() for match in re.finditer(r"[.!。！;；]+(?:\s+|(?<=[。！；]))(?=\S)", said)]
    before, last = (said[: ends[-1]], said[ends[-1] :]) if ends else ("", "")
    is_talk = bool(last) and not is_order(before) and not _has_task(before, normalize_line(before))
    return next((each for each in (said, last if is_talk else "") if each and _is_schedule(each)), "")


def _is_schedule(text: str) -> bool:
    """Whether a line certainly schedules a command, not an alarm or reminder that the phone repeats.

    Times at the end of a message or a note may belong to what it says, behind several deeds to the last; at
    the end of what is to be told, to what that asks. A single time may belong to what is booked, bought or
    set for it; a call is made at that time, at no other.
    """
    now = local_time()
    read = split_times(split_start(text, now)[1], now, once=True)
    if read is None or line_pattern("bounded").search(fold_line(text)):
        return False
    instruction = normalize_line(read.instruction)
    tells = line_pattern("tells_user").match(instruction)
    if tells is not None:
        is_asked = _table().asks.match(instruction[tells.end() :].strip()) is not None
        return read.rule.at is None and (read.begins or not (is_asked or parse_question(text)))
    if line_pattern("on_phone").search(fold_line(text)):
        return False
    clauses = [clause.strip() for part in split_clauses(read.instruction) for clause in _AND.split(part)]
    last = next((clause for clause in reversed(clauses[1:]) if _normalized_begins_task(clause)), "")
    is_of_last = last and not read.begins and (read.rule.at or line_pattern("says").match(last))
    if is_of_last or (read.rule.at is not None and not line_pattern("calls").fullmatch(instruction)):
        return False
    if _normalized_begins_task(instruction):
        return read.begins or line_pattern("says").match(instruction) is None
    # “Ask me how i slept” is a reminder of the user's own.
    is_order = begins_order(instruction) and re.match(r"\w+ (?:me|us)\b", instruction) is None
    recurs = read.begins and read.rule.at is None
    return recurs and is_order and route(read.instruction).kind is RouteKind.COMMAND


def _has_task(text: str, line: str) -> bool:
    """Whether a line, or one of its clauses, begins with the verb of a task: “thanks, now call mom”."""
    clauses = map(normalize_line, re.split(r"[,，。.!！;；]+", text))
    asked = (strip_courtesy(line_pattern("thanked").sub("", clause)) for clause in clauses)
    later = [line_pattern("then").sub("", line_pattern("joins").sub("", clause)) for clause in asked]
    return _normalized_begins_task(line) or any(_normalized_begins_task(clause) for clause in later)


def _normalized_begins_task(line: str) -> bool:
    """Whether a line in its normal form begins with the verb of a task, or with a Chinese day before one."""
    return _table().command.match(line) is not None and _table().asks.match(line) is None


def _route_while_idle(text: str, line: str) -> Route:
    """A fact, a prohibition or a correction, none of which is a task; else a command."""
    retraction = None if is_question(text) or asks_in_chinese(text) else read_retraction(text)
    statement = Route(RouteKind.REMEMBER, text, rest=line_pattern("opens").sub("", text.strip()))
    if retraction is not None and retraction.is_certain and not any(map(begins_task, retraction.others)):
        if any(map(is_statement, retraction.others)):
            return replace(statement, rest=", ".join(retraction.others))
        return statement if retraction.denied else replace(statement, kind=RouteKind.CORRECTION)
    if _states_fact(text, line):
        return statement
    has_task = _has_task(text, line)
    if line_pattern("asks_first").search(line) and not has_task:
        return Route(RouteKind.ASKING, text)
    forbids = _only_forbids(text, reasons=True) or read_rule(text) is not None
    if forbids or line_pattern("prohibits").fullmatch(line) is not None:
        return Route(RouteKind.PROHIBITION, text)
    unwanted = line_pattern("unwanted").search(line) and _table().correction.search(line)
    denies = line_pattern("denies").match(fold_line(text))
    is_correction = ((unwanted or denies) and not has_task) or line_pattern("redoes").fullmatch(line)
    is_complaint = not has_task and may_order_nothing(text) and complains(text)
    return Route(RouteKind.CORRECTION if is_correction or is_complaint else RouteKind.COMMAND, text)


def split_parts(text: str) -> tuple[Route, ...]:
    """The parts of a line that surely are for different things, as a fact and an order; else none.

    What is told somebody may hold all but a wish about suggestions; a fact beside an order is to be kept.
    """
    line = text.strip().rstrip(" .。!！")
    ends = [*line_pattern("part_ends").finditer(line)] if len(line) <= _LONGEST_IN_PARTS else []
    for end in ends if len(ends) <= _MOST_PARTS else ():
        first, behind = _read_part(line[: end.start()], line), line[end.end() :]
        if first is None or (first.kind is RouteKind.STOP_SUGGESTING and re.match(r"\s+[an&]", end[0])):
            continue  # “Stop suggesting tea and cake” names two.
        parts = split_parts(behind) or tuple(filter(None, [_read_part(behind, line)]))
        is_told = line_pattern("remember_after").match(first.text) is not None
        if not parts and is_told and order_probability(behind) >= _SURELY_ORDERS:
            parts = (Route(RouteKind.COMMAND, behind),)
        if parts and _are_apart(first, parts[0]):
            return first, *parts
    return ()


def _read_part(text: str, line: str) -> Route | None:
    """What a part of a line surely is; None where that is not sure."""
    read = _route_line(text, False, None)
    if read.kind is RouteKind.COMMAND and line_pattern("tells_value").fullmatch(fold_line(text)):
        return Route(RouteKind.REMEMBER, text, rest=text)
    asks = is_question(text) and order_probability(text) >= _SURELY_ORDERS
    is_sure = {
        RouteKind.COMMAND: asks or begins_task(text) or begins_order(text),
        RouteKind.SCHEDULE: bool(read.rest),
        RouteKind.PROHIBITION: bool(line_pattern("lasts_for_me").search(line) and read_rule(text)),
        RouteKind.ASKING: line_pattern("asks_me").search(text) is not None,
    }
    return read if is_sure.get(read.kind, read.kind in _PARTS) else None


def _are_apart(first: Route, behind: Route) -> bool:
    """Whether two parts on end are of different kinds, and neither may be of what the other says."""
    orders, kinds = [each.kind in _ORDERS for each in (first, behind)], {first.kind, behind.kind}
    if not any(orders) or all(orders):
        is_apart = RouteKind.REMEMBER in kinds and RouteKind.STOP_SUGGESTING not in kinds
        return len(kinds) > 1 and (is_apart or RouteKind.UNDO in kinds)
    read = split_times(first.text, local_time(), once=True) if first.kind is RouteKind.SCHEDULE else None
    order = strip_courtesy(normalize_line(read.instruction if read is not None else first.text))
    if orders[0] and line_pattern("says").match(order):
        return behind.kind in SWITCHED[:3]
    # What is told behind an order of something may be of that.
    keeps = any(line_pattern("keeps").search(each.text) for each in (first, behind))
    return RouteKind.REMEMBER not in kinds or (keeps and not (orders[0] and "get" in find_verb_kinds(order)))


def _route_while_running(text: str, line: str) -> Route:
    """A correction of the running turn, or a command, which is `sure` if it cannot be a correction."""
    if forbids_deed(text):
        return Route(RouteKind.CORRECTION, text)
    if line_pattern("done_yet").fullmatch(line) is not None:
        return Route(RouteKind.PROGRESS, text)
    if _only_forbids(text):
        # It may be what the turn does, or what it has nothing to do with.
        return Route(RouteKind.COMMAND, text, sure=False, is_remark=True)
    if without_opening(text) != without_talk(text):
        return Route(RouteKind.COMMAND, text)
    if (beside := line_pattern("also").match(line)) and _normalized_begins_task(line[beside.end() :]):
        return Route(RouteKind.COMMAND, text, sure=False, is_remark=True)
    line = line_pattern("today").sub("", line)
    corrects, commands = bool(_table().correction.search(line)), bool(_table().command.search(line))
    if corrects and not commands and not is_question(text):
        return Route(RouteKind.CORRECTION, text)
    clauses = split_clauses(text)
    takes_back = len(clauses) > 1 and gives_up(clauses[0]) and without_refusal(text) == text
    # Whoever holds up what runs speaks of it.
    takes_back = takes_back or line_pattern("waits").match(fold_line(text)) is not None
    is_sure = commands and not corrects and not takes_back
    return Route(RouteKind.COMMAND, text, sure=is_sure, is_remark=corrects or takes_back)


def without_opening(text: str) -> str:
    """A command without the words that put it behind another: “and then call mom”, 然后给妈妈打电话."""
    text = without_talk(text)
    line = text.strip()
    opening, also = line_pattern("follows").match(line), line_pattern("also").match(line)
    end = line_pattern("afterwards").search(line)
    rest = line[opening.end() :] if opening is not None else line
    # What is told to somebody may end so itself.
    if also is not None and end is not None and not line_pattern("says").match(line[also.end() :]):
        rest = line[also.end() : end.start()]
    return rest if rest != line and begins_task(rest) else text


def begins_task(text: str) -> bool:
    """Whether a line begins with the verb of a task, or with a day and such a verb."""
    return _normalized_begins_task(line_pattern("day").sub("", strip_courtesy(normalize_line(text))))


@cache
def _table() -> _Table:
    data = read_words("assistant.conversation", "routing.yaml")
    parts = {**data["parts"], "deed_asked": line_pattern("deed_asked").pattern}
    whole, beginning, within = (
        {RouteKind(name): compile_words(words, parts) for name, words in data[place].items() if words}
        for place in ("whole", "beginning", "within")
    )
    running = (compile_words(data["running"][name]) for name in ("correction", "command", "asks"))
    return _Table(whole, beginning, within, *running)


def with_said_hour(text: str, now: datetime) -> str:
    """A line with its hour behind the days with which it begins, where it says when to begin; else empty.

    “Every friday order pizza at 8”; what is booked for that hour or told to somebody has it for itself.
    """
    line = text.strip().rstrip(".。!！")
    days = line_pattern("again_days").match(line)
    if days is None or route(line).kind is not RouteKind.COMMAND:
        return ""
    times, order = split_hour(line[days.end() :], now)
    timed = ("" if has_chinese(line) else " ").join((line[: days.end()].removesuffix("都"), times, order))
    if (about := line_pattern("about_hour").match(line, days.end())) is not None:
        timed = line[: about.end(1)] + line[about.end() :]
    return timed if route(timed).kind is RouteKind.SCHEDULE else ""


def with_hour(text: str) -> str:
    """A line that would be a schedule if it named an hour, with noon as the hour; empty for another."""
    line = without_onward(text).rstrip(".。!！")
    if not line_pattern("recurring").search(line.casefold()) or route(line).kind is not RouteKind.COMMAND:
        return ""
    days = line_pattern("again_days").match(line)
    noon = "12点" if has_chinese(line) else " at 12:00"
    end = days.end() if days is not None else len(line)
    timed = line[:end].removesuffix("都") + noon + line[end:]
    return timed if route(timed).kind is RouteKind.SCHEDULE else ""
