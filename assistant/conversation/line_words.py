"""The words of a line, whatever it is for: its normal form, its clauses, and what it says that only answers.

The words are data, in `line_words.yaml`, English and Chinese in one table, because a person may type either
at any time. `routing.py` decides by them what a line is.

`read_short_answer` and `read_place` read a line that only answers what is asked: yes, no, later, why, or the
place of a choice in a list; `LineReading` is what a model reads of any line. What a line says of days and
times of day is read as that of a schedule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from assistant.files import compile_words, join_words, read_words
from assistant.i18n import _, fold_case, has_chinese
from assistant.memory.profile.extract import ExtractedFact
from assistant.memory.profile.graph import NOTE, WISH
from assistant.memory.prototypes.terms import word_set
from assistant.proactive.habit_table import minutes_apart
from assistant.proactive.schedule_events import ScheduledWords, ScheduleRule, UnreadableTime, times_on_days
from assistant.proactive.schedule_times import find_time_to_come, parse_times, read_days, split_times
from assistant.understand.perceive import begins_order, perceive
from assistant.understand.slots import find_clock_time, find_names, find_verb_kinds, roles_in, tells_somebody
from assistant.understand.types import TEXT, Category, negations_of, normalize_key, object_schema, words_of
from assistant.understand.words import amounts_of, durations_in, language_code, wording

_LONGEST_YES, MOST_DIGITS = 60, 2
_MARKS = re.compile(r"[.!?。！？…~～,，;；:：\"“”「」()（）\s]+")


@dataclass(frozen=True, slots=True)
class _Words:
    """The patterns of `line_words.yaml`, compiled."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    answers: dict[ShortAnswer, re.Pattern[str]]
    agreement: dict[str, re.Pattern[str]]
    ordinals: tuple[tuple[str, ...], ...]
    lines: dict[str, re.Pattern[str]]


@cache
def _words() -> _Words:
    data = read_words("assistant.conversation", "line_words.yaml")
    courtesy, lines = data["courtesy"], {name: join_words(words) for name, words in data["lines"].items()}
    return _Words(
        before=compile_words(rf"(?:{join_words(courtesy['before'])})(?:\s+|(?=[^\x00-\x7f])|$)"),
        after=compile_words(rf"(?:\s|(?<=[^\x00-\x7f]))(?:{join_words(courtesy['after'])})$"),
        answers={answer: compile_words(rf"(?:{data['answers'][answer]}){_POLITE}") for answer in ShortAnswer},
        agreement=_read_agreement(data["agreement"]),
        ordinals=tuple(map(tuple, data["ordinals"])),
        lines={name: compile_words(words, lines) for name, words in lines.items()},
    )


def line_pattern(name: str) -> re.Pattern[str]:
    """One of the patterns for lines in `line_words.yaml`, by its name."""
    return _words().lines[name]


def _read_agreement(data: dict[str, Any]) -> dict[str, re.Pattern[str]]:
    """The forms of a yes by their names, among them one for each kind of deed."""
    deed, words = data.pop("deed"), data.pop("deeds")
    forms = {name: compile_words(pattern, data) for name, pattern in data.items()}
    columns = ("verb", "object", "verb_zh", "alone_zh")
    return forms | {
        kind: compile_words(deed, data | dict(zip(columns, row, strict=True))) for kind, row in words.items()
    }


def fold_line(text: str) -> str:
    """Lower case, with full-width letters and apostrophes as on a keyboard, also in “wasnt”."""
    return _CONTRACTED.sub(r"\1n't", fold_case(text).strip())


def without_repeats(text: str) -> str:
    """A line in which nothing stands more than three times on end; to try it all takes seconds."""
    return _REPEATED.sub(r"\1\1\1", text)


_REPEATED = re.compile(r"([^\d]{1,12}?)\1{3,}")
_CONTRACTED = re.compile(r"\b(was|is|are|were|did|does)nt\b")


def normalize_line(text: str) -> str:
    """A line in lower case, without punctuation at its ends or between its words."""
    if re.fullmatch(r"\s*[?？]+\s*", text):
        return "?"
    return _MARKS.sub(" ", fold_line(text)).strip()


def says_nothing_more(text: str, before: str) -> bool:
    """Whether each sentence of a text stands in what was said before it."""
    return all(p.strip(" \n.。") in before for p in re.split(r"\n|(?<=[.。!?！？])(?=\s|$)|(?<=。)", text))


def strip_courtesy(line: str) -> str:
    """A line without what only makes it polite: "can you tell me", 请问."""
    before = ""
    while line != before:
        before = line
        for pattern, end in ((_words().before, False), (_words().after, True)):
            match = pattern.search(line) if end else pattern.match(line)
            if match is not None and match.group().strip() != line:
                line = (line[: match.start()] if end else line[match.end() :]).strip()
    return line


def find_courtesy_end(spaced: str) -> int:
    """Where a line begins behind words such as “so” and “please”."""
    start = 0
    while (match := _words().before.match(spaced, start)) is not None and match.end() > start:
        start = match.end()
        while start < len(spaced) and spaced[start] in " ,，":
            start += 1
    return start if start < len(spaced) else 0


def is_question(text: str) -> bool:
    """Whether a line asks, by its mark or by its Chinese words."""
    return line_pattern("question").search(text) is not None


def split_clauses(text: str) -> list[str]:
    """The clauses of a line, each without its punctuation; those of nothing else are left out."""
    return [clause for part in line_pattern("clause_ends").split(text) if (clause := normalize_line(part))]


CLAUSE_ENDS = re.compile(
    r"(?<!\b[Dd]r)(?<!\b[Mm]r)(?<!\b[Mm]s)(?<!\b[Mm]rs)(?<!\bSt)(?<!\b[Pp]rof)[.!]+\s+|[,，。！!;；~…]+\s*"
    r"|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])| [–—-]+ "
)


def split_told(text: str) -> list[str]:
    """The clauses of a line; Chinese ones may be parted by a space."""
    return [clause for part in CLAUSE_ENDS.split(text) if (clause := part.strip(" .。!！"))]


def split_listed(words: str) -> tuple[list[str], str, str]:
    """The things that words list, none where they only begin with one; that, and the words behind it.

    Behind “not”, “only” or “more” stands what is left out of a list.
    """
    line, out = words.strip(), line_pattern("left_out").search(words.strip())
    first = (line[: out.start()] if out is not None else re.split("[,，]", line)[0]).strip(" ,，、")
    things = [each for each in _LISTED.split(line) if each and out is None]
    return things or [""], first, line[len(first) :].strip(" ,，、")


_LISTED = re.compile(r"\s*[,，、]\s*(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+|[和跟]")
LINE_CLAUSE = re.compile(r"[,，;；。.!！?？·]+|(?<=[\u3400-\u9fff])\s+")
IDLE_WORDS = frozenset(
    ("i", "im", "my", "me", "we", "our", "a", "an", "the", "is", "am", "are", "s", *"我的是了叫在也对")
)
"""What a restated fact may have besides."""


def clauses_about(restated: str, line: str) -> list[str]:
    """The clauses of a line that have words of what is restated."""
    words = {*words_of(restated)} - IDLE_WORDS
    return [clause for clause in LINE_CLAUSE.split(line) if words & {*words_of(clause)}]


def find_told_clauses(line: str, said: str, restated: str) -> str:
    """The clauses with words of a restated fact, or the only one with all: of the line, else of `said`."""
    clauses = clauses_about(restated, line)
    whole = [each for each in clauses if {*words_of(restated)} - IDLE_WORDS <= {*words_of(each)}]
    return " , ".join((whole if len(whole) == 1 else clauses) or clauses_about(restated, said)) or said


def people_named_in(text: str) -> set[str]:
    """The names and relations in a text; a relation also where its apostrophe is missing: “my dads name”."""
    plural = re.sub(r"(?<=[a-z])['’]?s\b", "", text.casefold())
    return {*find_names(text, language_code(text)), *roles_in(text), *roles_in(plural)}


def only_names_usual(text: str) -> bool:
    """Whether a line only names something usual or past: “the playlist i always do when working”."""
    line = normalize_line(text)
    for each in perceive(line).elements:
        before, behind = line[: each.start].strip(), line[each.end :].strip()
        is_whole = line_pattern("article").fullmatch(before) and line_pattern("circumstance").match(behind)
        if is_whole and each.category in (Category.HABIT, Category.PAST):
            return True
    return False


def hours_in(text: str) -> set[str]:
    """The numbers of a text; an hour without its minutes: 7 for 07:00."""
    return {re.sub(r"^0(?=\d)|:00$", "", amount) for amount in amounts_of(text)}


class ShortAnswer(StrEnum):
    """What a line says that only answers. `NONE_OF_THEM` refuses every choice of a list, `ANY` takes none."""

    YES = "yes"
    NO = "no"
    LATER = "later"
    WHY = "why"
    NONE_OF_THEM = "none of them"
    ANY = "any"


_POLITE = r"(?:[,，]? ?(?:please|thanks|thank you|thx|for now|now|then|谢谢|吧|啦|了|的))*"


_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()} | {0x3000: " "}
"""Letters and digits as an input method types them in its wide mode; a raised two is no answer."""


def normalize_answer(text: str) -> str:
    """A typed answer in lower case, without what stands around it."""
    words = text.translate(_FULL_WIDTH).replace("’", "'").casefold()
    return " ".join(words.split()).strip(" .!,。！，~?？")


def answer_pattern(answer: ShortAnswer) -> re.Pattern[str]:
    """What says one of the answers, as a pattern of a whole line or clause."""
    return _words().answers[answer]


def read_short_answer(text: str) -> ShortAnswer | None:
    """What a line says that is nothing but an answer; None where it says more."""
    words = normalize_answer(text)
    return next((answer for answer, pattern in _words().answers.items() if pattern.fullmatch(words)), None)


def agrees_to(text: str, *kinds: str) -> bool:
    """Whether a line says nothing but yes, perhaps with the deed: “ya go”, “yep, send it”, 嗯去吧, 可以打."""
    forms = [form for name in ("any", *kinds) if (form := _words().agreement.get(name)) is not None]
    words = normalize_answer(text)
    if len(words) > _LONGEST_YES or line_pattern("no_yes").search(words) or is_question(text):
        return False
    return any(form.fullmatch(words) for form in forms)


def only_hears(text: str) -> bool:
    """Whether a line may say no more than that an answer was read: “ok cool”, 好哒."""
    return _words().agreement["heard"].fullmatch(normalize_answer(text)) is not None


def agrees_to_begin(text: str, shown: str = "") -> bool:
    """Whether a line says only that what is shown may begin, perhaps by its deed: 开始吧, “order it now”."""
    verbs = find_verb_kinds(shown)
    deeds = {"pay": verbs & {"get", "go"}, "send": tells_somebody(shown), "call": "call" in verbs}
    return agrees_to(text, "begin", *(deed for deed, is_shown in deeds.items() if is_shown))


def wishes_orders(text: str, facts: Sequence[ExtractedFact]) -> bool:
    """Whether a line says how things are to be ordered, and not that they must not be: 以后都帮我点无糖.

    Each of its facts is of something that is known, and ends the line: what is none, or goes on behind one,
    may be how the assistant is to act, 以后点外卖直接付款 or 点咖啡前提醒我.
    """
    whole = normalize_line(text)
    values = [normalize_line(fact.text) for fact in facts if fact.key not in (NOTE, WISH, "avoid")]
    if not values or len(values) < len(facts) or not all(map(whole.endswith, values)):
        return False
    ends = (match.end() for match in re.finditer(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", text))
    order = next((text[:end] for end in ends if "get" in find_verb_kinds(text[:end])), "")
    return order != "" and not negations_of(order) and not is_question(text)


def only_sighs(text: str, line: str) -> bool:
    """Whether a line is made of nothing but words of mood and pace, and asks nothing: 今天好累啊."""
    is_asking = is_question(text) or line_pattern("asks_whether").match(line) is not None
    sighs = line_pattern("sigh_words").fullmatch(line) and line_pattern("moods").search(line)
    return bool(sighs) and not is_asking


def complains(text: str) -> bool:
    """Whether a line that orders nothing finds fault with what was done."""
    return line_pattern("complains").search(normalize_line(text)) is not None


def asked_deed(line: str) -> str:
    """What a question why asks about, such as “order beef”; empty where it asks about what is at hand."""
    match = line_pattern("why_deed").match(line)
    words = match["english"] or match["chinese"] if match is not None else ""
    return "" if words is None or line_pattern("pointing").fullmatch(words) else words.strip()


def is_bare_answer(text: str) -> bool:
    """Whether a line is only a yes, a no, or the number of a choice: without a question it means nothing."""
    words = normalize_answer(text)
    is_number = words.isdecimal() and len(words) <= MOST_DIGITS
    return is_number or read_short_answer(text) in (ShortAnswer.YES, ShortAnswer.NO)


def read_place(words: str, count: int) -> int | None:
    """The place that a number or an ordinal names, from 0; None for other words."""
    match = line_pattern("place").fullmatch(words)
    if match is None:
        return None
    named = match["english"] or match["chinese"] or ""
    if match["last"] or (named == "last" and words != "last"):
        return count - 1 if count else None
    if not named.isdecimal() and not line_pattern("names_place").search(words):
        # “one” and “二” alone may be an amount; “first” is a place by itself.
        named = named if named in {form for forms in _words().ordinals for form in forms[:2]} else ""
    places = (place for place, forms in enumerate(_words().ordinals, 1) if named in forms)
    number = int(named) if named.isdecimal() and len(named) <= MOST_DIGITS else next(places, 0)
    return number - 1 if 1 <= number <= count else None


def name_somebody(command: str, before: str) -> str:
    """A command with the one person whom a line before it names, in the place of a pronoun.

    As it is where it has none, or where none or several are named, or the pronoun is not of such a one.

    Args:
        command: the command: “ok call her then”.
        before: what was said just before: “when did I last call mom”.
    """
    pronoun = next((each for each in perceive(command).elements if each.is_pronoun), None)
    if pronoun is None or pronoun.text.casefold() in _SEVERAL:
        return command
    people = [each.text for each in perceive(before).elements if each.category is Category.PERSON]
    named = find_names(before, language_code(before))
    people += [name for name in _NAME.findall(before) if named & word_set(name)]
    if len({normalize_key(person) for person in people}) != 1:
        return command
    of_women, of_men = wording("of_women").search(people[0]), wording("of_men").search(people[0])
    other = of_men if pronoun.text.casefold() in ("her", "她") else of_women
    if other is not None and not (of_women and of_men):
        return command
    named_so = f"{command[: pronoun.start]}{people[0]}{command[pronoun.end :]}"
    return wording("wraps").sub("", named_so) or named_so


_SEVERAL = ("them", "他们", "她们")
_NAME = re.compile(r"\b(?:(?:Dr|Mr|Mrs|Ms)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")


def format_hours(start: time, end: time) -> str:
    """Hours of each day, as they are told back."""
    return _("from {start} to {end}").format(start=f"{start:%H:%M}", end=f"{end:%H:%M}")


def read_wished_time(words: str, now: datetime, *, in_evening: bool) -> time | None:
    """The time of day that a line names; None if it names none.

    Args:
        words: the time, such as “ten” or 晚上十点.
        now: the present time with its zone.
        in_evening: an hour that may be in either half of the day is in the second; quiet hours begin there.
    """
    midnight = re.fullmatch(r"(?:晚上|夜里|半夜|深夜|晚)(?:12|十二)点(?:钟)?", words) is not None
    try:
        at = parse_times("零点" if midnight else words if has_chinese(words) else f"at {words}", now).at
    except UnreadableTime:
        return None
    if at is None:
        return None
    open_half = line_pattern("half_named").search(words) is None and not midnight
    if in_evening and open_half and at.hour == _NOON:
        return at.time().replace(hour=0)
    is_evening = in_evening and open_half and _EARLIEST_EVENING <= at.hour < _NOON
    return at.time().replace(hour=at.hour + _NOON) if is_evening else at.time()


def find_hours_by_day(start: str, end: str, now: datetime) -> str:
    """The hours of a day's work that “from 9 to 5” may mean beside a night's; empty where it is clear."""
    first, last = (read_wished_time(words, now, in_evening=False) for words in (start, end))
    by_night = read_wished_time(start, now, in_evening=True)
    if not first or not last or first == by_night or line_pattern("half_named").search(end):
        return ""
    is_work = first.hour >= _EARLIEST_WORK and last.hour <= _EARLIEST_EVENING
    return format_hours(first, last.replace(hour=last.hour + _NOON)) if is_work else ""


_EARLIEST_EVENING, _EARLIEST_WORK, _NOON = 6, 7, 12
"""Hours: from the first on an evening may be meant, from the second on a day's work begins."""


def split_clock(words: str) -> tuple[str, str]:
    """Some days without their time of day, and this; empty where none stands there: “saturday at 9”."""
    if (match := line_pattern("days_at").fullmatch(words)) is None:
        return words, ""
    return (match["days"] or match["zh_days"]).strip(), (match["at"] or match["zh_at"]).strip()


def time_of_day(clock: str, now: datetime) -> str | None:
    """A written time of day as hours and minutes; None where it cannot be read."""
    if not clock:
        return None
    try:
        rule = parse_times(f"每天{clock}" if has_chinese(clock) else f"every day at {clock}", now)
    except UnreadableTime:
        return None
    return next(iter(rule.times_of_day(now)), None)


def part_of_hour(said: str, before: time = time(12)) -> time | None:
    """The time that “half past” or 半 means alone: in the hour before; None for other words."""
    match = line_pattern("part_of_hour").fullmatch(said)
    if match is None:
        return None
    if match["to"]:
        return before.replace(hour=(before.hour - (before.minute == 0)) % 24, minute=45)
    return before.replace(minute=30 if match["half"] or match["zh_half"] else 15)


def clock_in(words: str) -> str:
    """The time of day that words name, as it stands there; empty for none."""
    # A digit and a Chinese letter are one word to a pattern: 6:15的.
    return find_clock_time(re.sub(r"(?<=\d)(?=[的那这])", " ", words))


def clock_read(clock: str, now: datetime) -> time | None:
    """A written time of day; None where it cannot be read."""
    read = time_of_day(clock, now) if clock else None
    return time.fromisoformat(read) if read else None


def clocks_in(text: str, now: datetime) -> list[time]:
    """The times of day in a text, in their order; a number with a unit of time is a length."""
    line = line_pattern("dotted").sub(r"\1:\2", text.casefold())
    matches = line_pattern("clock_said").finditer(line_pattern("length_of_time").sub(" ", line))
    clocks = (time_of_day(match[0].strip(), now) for match in matches)
    return [time.fromisoformat(clock) for clock in clocks if clock is not None]


def says_times(said: str, now: datetime) -> bool:
    """Whether words say nothing but times, or a time of day."""
    try:
        parse_times(said if has_chinese(said) else said.removeprefix("at "), now)
    except UnreadableTime:
        return time_of_day(said, now) is not None
    return True


def has_days(said: str, now: datetime) -> bool:
    """Whether a time names its days: as one of every Monday, it then comes up otherwise or cannot be read."""
    try:
        return parse_times(said, now).at is None
    except UnreadableTime:
        return False


def split_start(words: str, now: datetime) -> tuple[str, str]:
    """From when on a schedule is to hold, as its words say, and the words without that; empty for none.

    It stands before the times, or at the very end. There it may be of what is said, played or booked, so
    nothing is taken off where a day in its place would be of that.
    """
    line = words.strip().rstrip(" .。!！")
    match = next((each for each in line_pattern("later_start").finditer(line) if _is_edge(each)), None)
    rest = f"{line[: match.start()]}{line[match.end() :]}".strip() if match is not None else ""
    read = split_times(rest, now, once=True) if rest else None
    if match is None or read is None or not (read.begins if not match.start() else _tells_none(read, now)):
        return "", words
    return match["start"] or match["from"] or match["zh"], rest


def split_hour(words: str, now: datetime) -> tuple[str, str]:
    """The hour at which an order is to begin, behind the part of the day with which it begins, and the order.

    Both are empty where it names none, or one that may be of two, of another part of the day, or of when what
    is ordered comes: 八点送到, “to arrive at 8”.
    """
    said = words.strip(" ,，:：")
    part = line_pattern("day_part").match(said)
    rest = said[part.end() :].strip() if part is not None else said
    come = find_time_to_come(rest, now)
    if come is None or not come.moments or come.times not in rest:
        return "", ""
    before, behind = (each.strip(" ,，") for each in rest.split(come.times, maxsplit=1))
    halves = [line_pattern("half_named").search(each) for each in (come.times, come.instruction)]
    is_of_other = line_pattern("hour_of_other").search(f"{before}|{behind}") is not None
    # A Chinese deed stands behind its hour.
    is_of_other = is_of_other or (has_chinese(rest) and behind not in ("", come.instruction))
    if is_of_other or (halves[1] and not halves[0]) or (halves[0] and part is not None):
        return "", ""
    of_part = "" if part is None else f"{part[0].strip()}{'' if has_chinese(said) else ' '}"
    return f"{of_part}{come.times}", come.instruction


def _is_edge(match: re.Match[str]) -> bool:
    return match.start() == 0 or match.end() == len(match.string)


def _tells_none(read: ScheduledWords, now: datetime) -> bool:
    """Whether an order says, plays, writes or books nothing that could have a day of its own."""
    order = read.instruction
    says = tells_somebody(order) or "play" in find_verb_kinds(order) or _QUOTES.search(order) is not None
    day = "明天" if has_chinese(order) else " tomorrow"
    return not says and find_time_to_come(f"{order}{day}", now) is not None


_QUOTES = re.compile(r"[\"“”'‘’「」『』《》:：](?![a-z]\b)")
"""What stands around a title or before a message; no apostrophe of a word."""


def orders_again(line: str, now: datetime) -> bool:
    """Whether a line begins with the times of an order that is to be done at each of them."""
    read = split_times(line, now)
    return read is not None and read.begins and read.rule.at is None and begins_order(read.instruction)


def begins_before(words: str, said: str, now: datetime) -> bool:
    """Whether a schedule would come before the day from when on it is to hold, or that day is not read."""
    read, week = split_times(words, now, once=True), line_pattern("whole_week").fullmatch(said.casefold())
    monday = now.date() + timedelta(days=7 - now.weekday())
    start = monday if week is not None else next(iter(read_days(said, now)), None)
    first = read.rule.next_moment(now.tzinfo or UTC, now) if read is not None else None
    return start is None or (first is not None and first.date() < start)


def days_said(words: str, now: datetime) -> str:
    """The words that name days, without what stands around them; empty where they name none."""
    bare = line_pattern("days_close").sub("", words.strip()).removeprefix("on ")
    return bare if days_form(bare, now, repeats=True) or read_days(bare, now) else ""


def says_weekly(words: str, now: datetime) -> bool:
    """Whether words name days of every week; a date comes every year."""
    rule = days_rule(days_form(words, now, repeats=True), now)
    return rule is not None and any("day_of_week" in cron for cron in rule.crons)


def days_form(days: str, now: datetime, *, repeats: bool) -> str:
    """Some days as they stand before a time of day: of every week, or where possible a single one."""
    forms, again = [days], f"every {days}"
    if has_chinese(days):
        week = f"周{days}" if line_pattern("weekdays_zh").fullmatch(days) else days
        again, forms = f"每{week}", [week]
    says_again = line_pattern("repeats").search(days) is not None
    forms = [*forms, again] if says_again or not repeats else [again, *forms]
    return next((form for form in forms if days_rule(form, now) is not None), "")


def days_rule(days: str, now: datetime) -> ScheduleRule | None:
    """The rule of some days at noon; None where the words say anything but days."""
    if not days or find_clock_time(days):
        return None
    try:
        rule = parse_times(f"{days}12:00" if has_chinese(days) else f"{days} at 12:00", now)
    except UnreadableTime:
        return None
    return None if rule.event else rule


def clock_set(said: str, answer: str, now: datetime) -> time | None:
    """The time of day that a command set, of what was said and told of it; None where that is not certain.

    It is the last one that was said, or its other half of the day where that was told: 1点 said at noon is
    13:00. Where it was said as so long before something, or not at all, it is the only other one told.
    """
    stated, answered = clocks_in(said, now), clocks_in(answer, now)
    if not stated or line_pattern("so_long_before").search(said.casefold()):
        others = set(answered) - set(stated)
        return others.pop() if len(others) == 1 else None
    clock = stated[-1]
    other = clock.replace(hour=(clock.hour + 12) % 24)
    return other if other in answered and clock not in answered else clock


class LineKind(StrEnum):
    """What a line is, as a model reads it."""

    ORDER = "order"
    QUESTION = "question"
    FACT = "fact"
    FOLLOW_UP = "follow_up"
    TAKE_BACK = "take_back"
    RULE = "rule"
    SETTING = "setting"
    COMPLAINT = "complaint"
    THANKS = "thanks"
    GOODBYE = "goodbye"
    REMARK = "remark"
    UNCLEAR = "unclear"


RESTATED = (LineKind.ORDER, LineKind.QUESTION, LineKind.FACT, LineKind.FOLLOW_UP, LineKind.TAKE_BACK)
SETTINGS = (LineKind.SETTING, LineKind.RULE)
NEVER_BEGUN = (*SETTINGS, LineKind.QUESTION, LineKind.FACT, LineKind.COMPLAINT, LineKind.REMARK)
"""What is never begun on the phone unless the user says so."""
LINE_SCHEMA = object_schema(
    kind={"type": "string", "enum": [kind.value for kind in LineKind]},
    restated=TEXT,
    sources={"type": "array", "items": TEXT},
)


class LineReading(BaseModel):
    """A model's reading of a line; `sources` are ids of turns, lines, orders, schedules: b1, t1, o1, s1."""

    model_config = ConfigDict(frozen=True)

    kind: LineKind
    restated: str = ""
    sources: tuple[str, ...] = ()

    @property
    def cites_schedule(self) -> bool:
        """Whether one of its sources is a schedule."""
        return any(source.startswith("s") for source in self.sources)


class FollowUpKind(StrEnum):
    """What a line does to what was made. `MOVE`: other times; `SHIFT`: so much later; `ADD`, `DROP`: days.

    `RESTORE`: it comes back, removed or paused.
    """

    MOVE = "move"
    SHIFT = "shift"
    ADD = "add"
    DROP = "drop"
    PAUSE = "pause"
    CANCEL = "cancel"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a line says of something made: `said` are its times or days, `name` the words that name it.

    `clock` is the time of day that it says it has now, `at` the one that the days have which it adds, and
    `is_all` that all is meant that was made just now. `limit` limits the order, “only if it is under 30”, and
    `second` is what another clause changes of the same thing.
    """

    kind: FollowUpKind
    said: str = ""
    name: str = ""
    clock: str = ""
    is_all: bool = False
    at: str = ""
    limit: str = ""
    second: FollowUp | None = None

    def change_words(self, ids: Sequence[str]) -> str:
        """What is done to the schedules with some ids or numbers, as behind /schedule; each change a line."""
        lines = [self._change_words(ids), *([self.second.change_words(ids)] if self.second else ())]
        return "\n".join((*lines, *([f"change {ids[0]} {self.limit}"] if self.limit else ())))

    def _change_words(self, ids: Sequence[str]) -> str:
        match self.kind:
            case FollowUpKind.CANCEL:
                return f"remove {','.join(ids)}"
            case FollowUpKind.PAUSE:
                return f"pause {','.join(ids)}"
            case FollowUpKind.ADD:
                at = self.at and f"{'' if has_chinese(self.said) else ' at '}{self.at}"
                return f"extend {ids[0]} {self.said}{at}"
            case FollowUpKind.DROP:
                return f"change {ids[0]} except {self.said}"
            case FollowUpKind.SHIFT:
                return f"change {ids[0]} shift {self.said}"
            case _:
                return f"change {ids[0]} {self.said}"


def names_days(change: FollowUp, now: datetime) -> bool:
    """Whether a change is one of days; else it is one of the time of day alone."""
    is_clock = change.kind is FollowUpKind.MOVE and not days_said(split_clock(change.said)[0], now)
    return change.kind is not FollowUpKind.SHIFT and not is_clock


def days_left(change: FollowUp, named: str, now: datetime, *, chinese: bool) -> FollowUp:
    """Where days are left out of those that are `named`, the ones that are left.

    Raises:
        UnreadableTime: all days are left out, or none of them is one of those.
    """
    if change.kind is not FollowUpKind.DROP or not named:
        return change
    rule, off = (days_rule(days_form(words, now, repeats=True), now) for words in (named, change.said))
    if rule is None or off is None or off.at is not None:
        return change
    left = times_on_days(rule, off, now.tzinfo or UTC, now, chinese=chinese, leaves_out=True)
    return replace(change, kind=FollowUpKind.MOVE, said=left.removesuffix("12:00").removesuffix(" at "))


def says_hours(said: str, before: set[time], after: set[time], now: datetime) -> bool:
    """Whether a line says the hour that a schedule is to have, or by how many minutes it moves."""
    stated = {*clocks_in(said, now), *filter(None, [clock_read(clock_in(said), now)])}
    halves = stated | {each.replace(hour=(each.hour + 12) % 24) for each in stated}
    is_one, minutes = len(before) == len(after) == 1, durations_in(said)
    ways = [line_pattern(way).search(said) is not None for way in ("sooner", "deferred")]
    if not is_one or (after <= halves and not (any(ways) and minutes)):  # Beside that, a time says why.
        return after <= halves
    minutes |= {int(each) for each in re.findall(r"(?<![\d:])\d+(?![\d:])", said)}
    old, new = (60 * clock.hour + clock.minute for clock in (*before, *after))
    return minutes_apart(old, new) in minutes and ways[new > old] >= ways[new < old]
