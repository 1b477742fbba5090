"""When a schedule begins: times in the user's words or as cron.

No library reads recurring times in both English and Chinese, so the words are read here: piece by piece, and
a text with anything left over is refused. A command may also name a time to come at which it may be meant to
begin: `find_time_to_come`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import MAXYEAR, UTC, date, datetime, timedelta
from functools import cache

from assistant.files import compile_words, read_words
from assistant.i18n import _
from assistant.proactive.schedule_events import (
    DAYS,
    ScheduledWords,
    ScheduleRule,
    TimePieces,
    TimeToCome,
    UnreadableTime,
    moments_of,
    normalize_words,
    parse_cron,
    parse_event,
    to_rule,
    unclear_time,
)

WEEKDAYS, WEEKEND = DAYS[:5], DAYS[5:]
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONGEST_STEP = 60


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of `schedule_times.yaml`, compiled.

    `numbers`, `nths` (APScheduler's), `units` and `halves` (of the day) are found by the words for them.
    `joined` is how words end that belong to those behind them, `limits` how words begin that limit the times
    before them, `onward` what only says that times hold from now on, `binds_day` what a day belongs to that
    stands before them.
    """

    pieces: tuple[tuple[str, re.Pattern[str]], ...]
    numbers: Mapping[str, int]
    nths: Mapping[str, str]
    units: Mapping[str, str]
    halves: Mapping[str, str]
    english_day: re.Pattern[str]
    nth: re.Pattern[str]
    chinese_days: re.Pattern[str]
    chinese_number: re.Pattern[str]
    joined: re.Pattern[str]
    limits: re.Pattern[str]
    onward: re.Pattern[str]
    binds_day: re.Pattern[str]
    conditions: Sequence[re.Pattern[str]]
    later: Mapping[str, re.Pattern[str]]
    hours: Mapping[int, re.Pattern[str]]


@cache
def time_words() -> _Patterns:
    """The patterns of `schedule_times.yaml`."""
    data = read_words("assistant.proactive", "schedule_times.yaml")
    parts = data["parts"]
    nths, units, halves = (
        {word: name for name, words in data[key].items() for word in words}
        for key in ("nths", "units", "halves")
    )

    def compiled(pattern: str) -> re.Pattern[str]:
        return compile_words(pattern, parts)

    day = parts["zh_day"]
    return _Patterns(
        pieces=tuple(
            (name, compiled(pattern))
            for piece in data["pieces"]
            for name, patterns in piece.items()
            for pattern in patterns
        ),
        numbers={word: number for number, words in enumerate(data["numbers"]) for word in words}
        | data["tens"],
        nths=nths,
        units=units,
        halves=halves,
        english_day=compiled("<en_day>"),
        nth=compiled("<en_nth>|最后|(?<!最后)[一二三四1-4]"),
        chinese_days=compiled(f"({day})(?:到|至|-|~)<zh_week>?({day})|({day})"),
        chinese_number=compiled(r"\d+|<zh_number>"),
        joined=compiled(data["joined"]),
        limits=compiled(data["limits"]),
        onward=compiled(data["onward"]),
        binds_day=compiled(data["binds_day"]),
        conditions=[compiled(pattern) for pattern in data["later"].pop("conditions")],
        hours={hour: compile_words(pattern) for hour, pattern in data["later"].pop("hours").items()},
        later={name: compile_words(patterns, parts) for name, patterns in data["later"].items()},
    )


LONGEST_TIMES = 200


def parse_times(text: str, now: datetime) -> ScheduleRule:
    """The rule that a text names, such as `every weekday at 8`, `0 8 * * 1-5` or `每个工作日早上8点`.

    Args:
        text: in English or Chinese, or a line of cron.
        now: the present time in the zone of the schedule.

    Raises:
        UnreadableTime: it is not certain which times are meant, or they have passed.
    """
    if len(text) > LONGEST_TIMES:
        raise UnreadableTime(_("Write the times in at most 200 characters."))
    line = normalize_words(text).strip(" .。!！,，")
    if re.fullmatch(r"[\d*][\d*/,-]*(?: [\w*/,-]+){4}", line):
        rule = ScheduleRule(crons=parse_cron(line, text))
    elif (event := parse_event(line)) is not None:
        rule = ScheduleRule(event=event[0], place=event[1])
    else:
        rule = to_rule(_read(line, text, now), text)
    following = None if rule.event else rule.next_moment(now.tzinfo or UTC, now)
    # No zone can be told of the last year's end.
    if not rule.event and (following is None or following.year == MAXYEAR):
        raise UnreadableTime(_("“{text}” does not come any more.").format(text=text))
    return rule


def split_times(text: str, now: datetime, *, once: bool = False) -> ScheduledWords | None:
    """The times with which a line surely begins or ends, and the rest of it; None without any.

    A single time counts only with `once`; else only what comes again, or an event.
    """
    words = list(re.finditer(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", text))
    halves = [(text[: word.end()], text[word.end() :], True) for word in reversed(words[:-1][:_MOST_WORDS])]
    halves += [(text[word.start() :], text[: word.start()], False) for word in words[1:][-_MOST_WORDS:]]
    for before, after, begins in halves:
        said, rest = before.strip(" ,，:："), without_onward(after.strip(" ,，:："))
        times = without_onward(said)
        joined = (times if begins else rest)[-_LONGEST_JOINT:].casefold()
        if not rest or time_words().joined.search(joined) or time_words().limits.match(rest.casefold()):
            continue
        try:
            rule = parse_times(times, now)
        except UnreadableTime:
            continue
        is_single = rule.at is not None and not once
        is_cron = re.match(r"\s*[\d*][\d*/,-]* [\d*]", times) is not None
        return (
            None
            if is_single or is_cron or _adjoins_day(text.strip(), said, begins, now)
            else ScheduledWords(rule, times, rest, begins)
        )
    return None


def without_onward(text: str) -> str:
    """Words without “from now on” at an end of them: recurring times hold from now on anyway."""
    return time_words().onward.sub("", text.strip())


def _adjoins_day(text: str, times: str, begins: bool, now: datetime) -> bool:
    """Whether a day reaches into the times that were read, or stands beside them: they are others then."""
    folded = text.casefold()
    start = 0 if begins else len(folded) - len(times)
    end = len(times) if begins else len(folded)
    for word in re.finditer(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", folded):
        if (start <= word.start() < end) or (begins and word.start() > end + 2):
            continue
        pieces, stop = read_on(folded, word.start(), now, to_come=True)
        if pieces is None or not (pieces.is_open or pieces.on or pieces.days or pieces.either):
            continue
        is_bound = time_words().binds_day.search(folded[: word.start()].rstrip()) is not None
        if begins or (not folded[stop:start].strip(" ,，、") and not is_bound):
            return True
    return False


_MOST_WORDS = 30  # The most words that name times; a text of any length may be pasted.
_LONGEST_JOINT = 20  # Characters at the end of words in which what joins them to the next ones stands.


def find_time_to_come(command: str, now: datetime) -> TimeToCome | None:
    """The time at which a command may be meant to begin; None where it names none.

    The phone does at once what it is asked for. An alarm or a ticket has a time of its own, so that of such a
    command belongs to it, as does one in what is said to somebody; but at a day and hour such a thing may
    be ended or switched. Recurring times are those of a schedule.
    """
    later, text = time_words().later, unicodedata.normalize("NFKC", command).strip(" .。!！")
    polite = later["courtesy"].match(text)
    text = text[polite.end() :] if polite is not None else text
    text = re.sub(r"(?<=\w)(?=:(?!\d))", " ", text, count=1)  # No time of day ends in a colon.
    folded = text.casefold()
    if len(text) > LONGEST_TIMES or len(folded) != len(text) or later["muses"].search(folded):
        return None
    if (held := _read_condition(text, now)) is not None:
        return held
    own, says = later["own_time"].search(folded), later["says"].search(folded)  # Told of what has its own.
    has_own = own is not None and (says is None or not says.start() or own.start() < says.start())
    content = later["content"].search(folded)
    content_at, end = content.start() if content is not None else 0, 0
    told_from = _told_from(folded, content_at)
    for word in re.finditer(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", folded):
        start = word.start()
        if start < end or start >= told_from:
            continue
        is_vague = later["vague"].match(folded, start) is not None
        pieces, end = read_on(folded, start, now, to_come=True)
        if pieces is None or later["binds_behind"].match(folded, end):
            continue
        if later["compares"].search(folded[:start].rstrip()):
            end = word.end()
            continue
        after = later["after"].search(folded[:start])
        if after is None and not is_vague and later["binds"].search(folded[:start].rstrip()):
            continue
        if pieces.repeats or pieces.every or pieces.step or pieces.month_days:
            return None
        moments = moments_of(pieces, folded[start:end])
        # A weekday alone may be a name.
        is_day = pieces.on or pieces.either or pieces.is_open or end - start > _LONG_DAY
        is_led = folded.startswith(("on ", "next ", "this "), start) and not is_vague
        is_edge = is_led or start == 0 or end in (len(folded), content_at)
        is_apart = is_edge and (bool(is_day) or folded.startswith("on ", start))
        if moments is not None and (moments or is_apart or not folded[start].isascii()):
            begins = after.start() if after is not None else start
            come = _to_come(text, begins, end, moments)
            is_set = moments and is_edge and (pieces.on or pieces.days or pieces.after is not None)
            if has_own and not (is_set and come and _acts_then(come.instruction, start == 0, pieces)):
                continue
            days = pieces.dates() if pieces.either and not pieces.is_open else ()
            return replace(come, days=days if len(days) > 1 else ()) if come is not None else None
    return None


def _told_from(folded: str, content_at: int) -> int:
    """From where on a time belongs to what a command, or a clause of it, says to somebody or writes down."""
    later = time_words().later
    clauses = (0, *(match.end() for match in later["joins"].finditer(folded)))
    messages = (begin for begin in clauses if later["says"].search(folded[begin:]))
    return next((max(begin + 1, content_at) for begin in messages), len(folded))


def _acts_then(instruction: str, begins: bool, pieces: TimePieces) -> bool:
    """Whether a deed on an alarm may be meant for a time outside of it: it has another, or this is first."""
    later, folded = time_words().later, instruction.casefold()
    deeds = ("ends", "switches") if begins or later["clock"].search(folded) is not None else ("switches",)
    is_apart = len(deeds) > 1 or pieces.after is not None
    return is_apart and any(later[deed].match(folded) is not None for deed in deeds)


def read_moments(answer: str, come: TimeToCome, now: datetime) -> tuple[datetime, ...]:
    """What is meant by the time of day, or another time, that is said for a time to come."""
    later, folded = time_words().later, come.times.casefold()
    words = later["vague"].sub("", folded).strip(" ,，")
    line = normalize_words(answer).strip(" .。!！,，")
    alone, end_alone = read_on(line, 0, now, to_come=True)
    line = line[:end_alone] if alone is not None and _says_no_more(line[end_alone:], come) else line
    has_day = alone is not None and (alone.on or alone.days or alone.after or alone.either)
    # Next month at six is not today at six.
    forms = [f"{words} at {line}", f"{words} {line}", f"{words}{line}"] if words and not has_day else []
    # Another time of day than the one that was named.
    forms += [] if has_day else [f"{day} at {line}" for day in {each.date() for each in come.moments}]
    for form in forms or (f"at {line}", line):
        pieces, end = read_on(form.casefold(), 0, now, to_come=True)
        moments = moments_of(pieces, form) if pieces is not None and end == len(form) else None
        if moments:
            # After work is never half past six in the morning.
            late = [moment for moment in moments if moment.hour >= _NOON] if not words else []
            return tuple(late[:1]) if late and later["evening"].search(folded) else moments
    if alone is None or line[end_alone:]:
        return ()
    if alone.part and not alone.times:  # “Evening obviously” says which of two is meant.
        on_days = [each for each in come.moments if not has_day or each.date() in alone.dates()]
        return _in_half(on_days, alone.part)
    return moments_of(alone, line) or () if has_day and alone.times and not alone.repeats else ()


def _in_half(moments: Sequence[datetime], part: str) -> tuple[datetime, ...]:
    """Those of some moments that are in a part of the day; all where none is said."""
    is_late = part in ("pm", "night", "noon")
    return tuple(each for each in moments if not part or (each.hour >= _NOON) is is_late)


def read_recurring(answer: str, come: TimeToCome, now: datetime) -> str:
    """Times that come again, said for a time to come, with its hour where they have none; else empty."""
    line = without_onward(answer.strip(" .。!！"))
    pieces, _end = read_on(line.casefold(), 0, now)
    hours = {f"{each:%H:%M}" for each in _in_half(come.moments, pieces.part if pieces is not None else "")}
    hour = hours.pop() if len(hours) == 1 else ""
    for form in (line, f"{line}{hour}", f"{line} at {hour}"):
        with suppress(UnreadableTime):
            rule = parse_times(form, now)
            following = None if rule.at or rule.event else rule.next_moment(now.tzinfo or UTC, now)
            is_later = line == answer or (following is not None and following.date() > now.date())
            if following is not None and (is_later or ("tomorrow" not in answer and "明天" not in answer)):
                return form
    return ""


def begins_then(command: str, come: TimeToCome) -> bool:
    """Whether a command surely is to begin at the one time that stands first: it is done at once."""
    is_first = command.strip().casefold().startswith(come.times.casefold())
    deed = time_words().later["at_once"].match(come.instruction.casefold())
    return len(come.moments) == 1 and is_first and deed is not None


def _says_no_more(rest: str, come: TimeToCome) -> bool:
    """Whether words behind a time say nothing but what the command says that waits for it."""
    words = re.compile(r"[a-z0-9'’]+|[\u3400-\u9fff]")
    said = {*words.findall(come.instruction.casefold()), *words.findall(come.times.casefold())}
    left = "".join(
        " " if word in said else word for word in re.findall(r"[a-z0-9'’]+|[^\s,，.。!！、]", rest)
    ).strip()
    return not left or time_words().later["fills"].fullmatch(left) is not None


def read_days(answer: str, now: datetime) -> tuple[date, ...]:
    """The single days to come that words name or may name, and no time of them; a weekday's next one."""
    line = normalize_words(answer).strip(" .。!！,，")
    pieces, end = read_on(line, 0, now)
    other = pieces is None or end != len(line) or pieces.times or pieces.repeats or pieces.excluded
    return () if pieces is None or other else pieces.dates()


def means_now(answer: str) -> bool:
    """Whether an answer says that there is nothing to wait for."""
    return time_words().later["now"].fullmatch(normalize_words(answer).strip(" .。!！")) is not None


_NOON, _LONG_DAY, _TWO_MONTHS = 12, 5, 62


def read_on(line: str, start: int, now: datetime, *, to_come: bool = False) -> tuple[TimePieces | None, int]:
    """The times that stand in a line from a place on, and where they end; None for none.

    With `to_come` also those that say no certain time, such as “next month”, and one of several.
    """
    pieces, end = TimePieces(now), start
    place, is_read = start, True
    while is_read and place < len(line):
        match = _match_open(pieces, line, place) if to_come else None
        if match is not None:
            is_end = match.lastgroup != "or"
        else:
            name, match = _match_piece(line, place)
            is_end = name not in ("between", "")
            try:
                if match is not None:
                    _TAKES[name](pieces, match)
            except UnreadableTime:
                if not to_come or name == "past":
                    return None, match.end() if match is not None else place
                pieces.is_open = True
        is_read = match is not None
        if match is not None:
            place = match.end()
            end = place if is_end else end
            while place < len(line) and line[place] in " ,，、":
                place += 1
    is_whole = re.match(r"[a-z0-9]", line[end:]) is None or not line[end - 1].isalnum()
    return (pieces if end > start and is_whole else None), end


def _match_piece(line: str, place: int) -> tuple[str, re.Match[str] | None]:
    for name, pattern in time_words().pieces:
        match = pattern.match(line, place)
        if match is not None and match.end() > place:
            return name, match
    return "", None


def _match_open(pieces: TimePieces, line: str, place: int) -> re.Match[str] | None:
    """Words at a place that name a time to come which no calendar tells, or one day beside another."""
    later, today = time_words().later, pieces.now.date()
    if (match := later["or"].match(line, place)) is not None and pieces.dates():
        pieces.either = [*pieces.dates()]
        pieces.on, pieces.days = None, []
        return match
    if (match := later["roughly"].match(line, place)) is not None and (pieces.times or pieces.after):
        return match
    if (match := later["weekend"].match(line, place)) is not None:
        saturday = today + timedelta(days=5 - today.weekday())
        pieces.either += (saturday, saturday + timedelta(days=1))
        return match
    match = later["vague"].match(line, place) or later["coming"].match(line, place)
    pieces.is_open = pieces.is_open or match is not None
    return match


def _to_come(text: str, start: int, end: int, moments: tuple[datetime, ...]) -> TimeToCome | None:
    """The time in a command; None where nothing is left of the command besides."""
    before, behind = text[:start].strip(" ,，、"), text[end:].strip(" ,，、")
    behind = behind if before else behind.lstrip(" :：")
    is_joined = not before.isascii() or behind.startswith((":", "："))
    mark = text[:start].rstrip()[-1:] if before and behind else ""
    before += mark if mark in (",", "，") else ""  # A clause of its own stays apart.
    rest = (before + behind if is_joined else f"{before} {behind}").strip().replace(" :", ":", 1)
    is_said = rest and time_words().later["fills"].fullmatch(rest.casefold()) is None
    return TimeToCome(text[start:end].strip(" ,，、"), rest, moments) if is_said else None


def _read_condition(text: str, now: datetime) -> TimeToCome | None:
    """The time that a command sets for its own deed behind it: “…, but don't send it before noon”."""
    match = next(filter(None, (form.fullmatch(text) for form in time_words().conditions)), None)
    if match is None or time_words().later["own_time"].search(match["head"].casefold()):
        return None
    times = match["time"].strip(" ,，、")
    come = TimeToCome(times, match["head"].strip(" ,，、;；"))
    return replace(come, moments=read_moments(times, replace(come, times="later"), now))


def _read(line: str, text: str, now: datetime) -> TimePieces:
    pieces, rest = TimePieces(now), line
    while rest:
        for name, pattern in time_words().pieces:
            match = pattern.match(rest)
            if match is not None and match.end():
                _TAKES[name](pieces, match)
                rest = rest[match.end() :].lstrip(" ,，、")
                break
        else:
            raise UnreadableTime(
                _(
                    "“{rest}” in “{text}” is not understood as a time. Write it like “every weekday at 8”, "
                    "“on the 1st of every month at 9:30”, “tomorrow at 7 pm” or “0 8 * * 1-5”."
                ).format(rest=rest, text=text)
            )
    return pieces


def _number(word: str) -> int:
    """A number in digits or words; Chinese ones below a hundred."""
    if word.isdecimal():
        return int(word)
    if word in time_words().numbers:
        return time_words().numbers[word]
    tens, _ten, ones = word.partition("十")
    return 10 * time_words().numbers.get(tens, 1) + time_words().numbers.get(ones, 0)


def _day_of(word: str) -> str:
    """A weekday's name in the cron trigger."""
    if word[-1] in "一二三四五六日天":
        return DAYS["一二三四五六日".find(word[-1].replace("天", "日"))]
    return next(day for day in DAYS if word.startswith(day))


def _day_range(first: str, last: str) -> list[str]:
    begin, end = DAYS.index(_day_of(first)), DAYS.index(_day_of(last))
    return [DAYS[(begin + ahead) % 7] for ahead in range((end - begin) % 7 + 1)]


def _take_all_days(pieces: TimePieces, match: re.Match[str]) -> None:
    pieces.repeats = True
    part = match.groupdict().get("part") or ""
    pieces.part = pieces.part or ("night" if part.startswith("night") else time_words().halves.get(part, ""))


def _take_group(days: Sequence[str]) -> Callable[[TimePieces, re.Match[str]], None]:
    def take(pieces: TimePieces, match: re.Match[str]) -> None:
        pieces.weekdays += days
        pieces.repeats = True

    return take


def _take_range(pieces: TimePieces, match: re.Match[str]) -> None:
    pieces.weekdays += _day_range(match["first"], match["last"])
    pieces.repeats = True


def _take_days(pieces: TimePieces, match: re.Match[str]) -> None:
    """Weekdays; they repeat where they are in the plural or every one is said."""
    words = time_words().english_day.findall(match["days"])
    days = [_day_of(word) for word in words]
    is_plural = any(word.endswith("s") and word not in ("tues", "thurs") for word in words)
    is_single = "this" in match[0].split()
    if match["every"] or is_plural or (len(days) > 1 and not is_single) or pieces.repeats:
        pieces.weekdays += days
        pieces.repeats = True
    else:
        pieces.days += days
    if (part := match.groupdict().get("part")) is not None:
        pieces.part = time_words().halves.get(part.rstrip("s"), "")


def _take_chinese_days(pieces: TimePieces, match: re.Match[str]) -> None:
    days: list[str] = []
    for group in time_words().chinese_days.finditer(match["days"]):
        days += _day_range(group[1], group[2]) if group[1] else [_day_of(group[3])]
    if match["every"] or (len(days) > 1 and not (match["this"] or match["next"])):
        pieces.weekdays += days
        pieces.repeats = True
    elif match["next"]:
        if len(days) > 1:
            raise unclear_time(match[0])
        monday = pieces.now.date() + timedelta(days=7 - pieces.now.weekday())
        pieces.on = monday + timedelta(days=DAYS.index(days[0]))
    else:
        pieces.days += days


def _take_month_days(pieces: TimePieces, match: re.Match[str]) -> None:
    numbers = time_words().chinese_number.findall(match["days"]) if match["days"] else []
    if any(not 1 <= _number(number) <= 31 for number in numbers):
        raise UnreadableTime(_("A month has no day {number}.").format(number=", ".join(numbers)))
    pieces.month_days += [str(_number(number)) for number in numbers] or ["last"]
    pieces.repeats = True


def _take_month_weekday(pieces: TimePieces, match: re.Match[str]) -> None:
    numbers = [time_words().nths[nth] for nth in time_words().nth.findall(match["nth"])]
    pieces.month_days += [f"{number} {_day_of(match['day'])}" for number in numbers]
    pieces.repeats = True


def _take_unclear(pieces: TimePieces, match: re.Match[str]) -> None:
    """What people mean two things by, such as every second Tuesday and 每隔两天."""
    raise UnreadableTime(
        _(
            "“{text}” can mean two things. Say it as “every 2 weeks on Tuesday”, "
            "“the second Tuesday of every month” or “every 3 days”."
        ).format(text=match[0])
    )


def _take_past(pieces: TimePieces, match: re.Match[str]) -> None:
    over = match.groupdict().get("over") or match[0]
    raise UnreadableTime(_("“{text}” is over already.").format(text=over))


def _take_next_day(pieces: TimePieces, match: re.Match[str]) -> None:
    """The next Monday: the day to come, or the one of next week, where this week has one still."""
    ahead = (DAYS.index(_day_of(match["day"])) - pieces.now.weekday() - 1) % 7 + 1
    day = pieces.now.date() + timedelta(days=ahead)
    if ahead < 7 - pieces.now.weekday():
        pieces.either += (day, day + timedelta(days=7))
    else:
        pieces.on = day


def _take_step(pieces: TimePieces, match: re.Match[str]) -> None:
    """Every so many days, weeks or months; every other Friday is one of every second week."""
    groups, nths = match.groupdict(), time_words().nths
    word = groups.get("number") or ("other" if groups.get("other") else "one")
    number = int(nths[word][0]) if word in nths else _number(word)
    if not 1 <= number <= _LONGEST_STEP:
        raise unclear_time(match[0])
    pieces.step = number, time_words().units[groups.get("unit") or "week"]
    if groups.get("days"):
        _take_month_days(pieces, match)
    pieces.repeats = True


def _take_except(pieces: TimePieces, match: re.Match[str]) -> None:
    words = match["days"]
    pieces.excluded += [*WEEKEND] if "weekend" in words or "周末" in words else []
    pieces.excluded += map(_day_of, time_words().english_day.findall(words))
    for group in time_words().chinese_days.finditer(words):
        pieces.excluded += _day_range(group[1], group[2]) if group[1] else [_day_of(group[3])]


def _take_year_day(pieces: TimePieces, match: re.Match[str]) -> None:
    name = match.groupdict().get("name")
    pieces.month = _MONTHS.index(name[:3]) + 1 if name else _number(match["month"])
    pieces.month_days.append(str(_number(match["day"])))
    pieces.repeats = True


def _take_interval(pieces: TimePieces, match: re.Match[str]) -> None:
    word, unit = match["number"], match["unit"]
    number = _number(word) if word else 1
    unit = "hour" if unit.startswith(("hour", "小时", "钟头")) else "minute"
    if number < 1 or (
        number >= 24 or 24 % number if unit == "hour" else number < 5 or number >= 60 or 60 % number
    ):
        raise UnreadableTime(
            _("Only minutes that divide an hour, from 5 on, and hours that divide a day can be kept.")
        )
    pieces.every, pieces.repeats = (unit, number), True


def _take_after(pieces: TimePieces, match: re.Match[str]) -> None:
    word, unit = match["number"], match["unit"]
    half = word.startswith(("half", "半"))
    number = 0.5 if half else float(_number(word.removesuffix("个")))
    hours = unit.startswith(("hour", "小时", "个小时", "钟头", "个钟头"))
    days = {"d": 1, "天": 1, "w": 7, "周": 7, "星": 7, "礼": 7}.get(unit.removeprefix("个")[:1], 0)
    if match.groupdict().get("and_half"):
        number += 0.5
    pieces.after = timedelta(days=number * days) if days else timedelta(minutes=number * (60 if hours else 1))


def _take_time(pieces: TimePieces, match: re.Match[str]) -> None:
    """A time of day, each piece of it by the name of its group."""
    groups = match.groupdict()
    part = (groups.get("half_day") or groups.get("part") or "").replace(".", "").replace(" ", "")
    part = next((word for word in time_words().halves if part.endswith(word)), part)
    hour, minute = _number(groups["hour"]), _minute(groups)
    if groups.get("to"):
        hour, minute = (hour - 1) % 24, 60 - minute
    pieces.times.append((hour, minute, time_words().halves.get(part, part)))


def _minute(groups: Mapping[str, str | None]) -> int:
    word = groups.get("minute") or ""
    if word.startswith(("半", "half")):
        return 30
    if word.startswith(("一刻", "quarter")):
        return 15
    if word.startswith("三刻"):
        return 45
    return _number(word) if word else 0


def _take_word_time(pieces: TimePieces, match: re.Match[str]) -> None:
    pieces.times.append((0 if match[0].endswith(("midnight", "午夜", "零点")) else 12, 0, ""))


def _take_day(ahead: int, part: str = "") -> Callable[[TimePieces, re.Match[str]], None]:
    def take(pieces: TimePieces, match: re.Match[str]) -> None:
        pieces.on = pieces.now.date() + timedelta(days=ahead)
        pieces.part = pieces.part or part or time_words().halves.get(match.groupdict().get("part") or "", "")

    return take


def _take_date(pieces: TimePieces, match: re.Match[str]) -> None:
    """A date; without a year the next one of that name."""
    groups, today = match.groupdict(), pieces.now.date()
    name, digits, year = groups.get("name"), groups.get("month"), groups.get("year")
    ahead = (today + timedelta(days=days) for days in range(_TWO_MONTHS))
    try:
        number = _number(groups["day"])
        if name or digits:
            month = _MONTHS.index(name[:3]) + 1 if name else _number(digits or "")
            on = date(int(year or today.year), month, number)
        else:
            on = next(each for each in ahead if each.day == number)  # Not every month has it.
        if not year and on < today:
            on = on.replace(year=on.year + 1)
    except (ValueError, StopIteration) as error:
        raise UnreadableTime(_("“{date}” is no date.").format(date=match[0])) from error
    pieces.on = on


def _take_part(pieces: TimePieces, match: re.Match[str]) -> None:
    part = match["part"] or match[0]
    pieces.part = next((half for word, half in time_words().halves.items() if part.endswith(word)), "")


def _skip(pieces: TimePieces, match: re.Match[str]) -> None:
    """A word between the pieces."""


_TAKES: Mapping[str, Callable[[TimePieces, re.Match[str]], None]] = {
    "except": _take_except,
    "unclear": _take_unclear,
    "year_day": _take_year_day,
    "month_weekday": _take_month_weekday,
    "month_days": _take_month_days,
    "step": _take_step,
    "range": _take_range,
    "weekdays": _take_group(WEEKDAYS),
    "weekend": _take_group(WEEKEND),
    "all_days": _take_all_days,
    "next_day": _take_next_day,
    "days": _take_days,
    "chinese_days": _take_chinese_days,
    "interval": _take_interval,
    "after": _take_after,
    "this_evening": _take_day(0, "pm"),
    "this_morning": _take_day(0, "am"),
    "today": _take_day(0),
    "in_three_days": _take_day(3),
    "day_after_tomorrow": _take_day(2),
    "tomorrow": _take_day(1),
    "tomorrow_morning": _take_day(1, "am"),
    "tomorrow_evening": _take_day(1, "pm"),
    "date": _take_date,
    "past": _take_past,
    "word_time": _take_word_time,
    "time": _take_time,
    "part": _take_part,
    "between": _skip,
}
"""What is done with each piece of `schedule_times.yaml`, by its name."""
