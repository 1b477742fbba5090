"""The times that a line names: periods such as “last week”, days, times of day, meals and quiet hours.

The words are data, in `periods.yaml`.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from difflib import get_close_matches
from functools import cache
from typing import Any

from assistant.conversation.line_words import (
    clocks_in,
    days_form,
    days_rule,
    days_said,
    fold_line,
    has_days,
    line_pattern,
    part_of_hour,
    says_hours,
    says_times,
    says_weekly,
    split_clock,
    time_of_day,
)
from assistant.files import compile_words, lazy_regex, read_words
from assistant.i18n import _, day_of, has_chinese, moment, sentences
from assistant.proactive.habit_table import minutes_apart
from assistant.proactive.schedule_events import DAYS, ScheduleRule, UnreadableTime, open_zone, times_on_days
from assistant.proactive.schedule_times import parse_times, read_days, split_times
from assistant.proactive.schedules import RunState, Schedule, Schedules
from assistant.understand.types import deed_key


@dataclass(frozen=True, slots=True)
class Period:
    """A period such as “last week”.

    Attributes:
        unit: what `number` counts.
        number: its meaning depends on the unit (see `span`); that of a date is year, month and day in one,
            the year 0 for the latest such day, the month 0 for the latest with that number.
        bound: "since", "before", "after" or "until" this period, else the period itself.
        end: the last day of a range that begins with this one.
    """

    unit: str
    number: int
    bound: str = ""
    end: Period | None = None

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        """When it begins, and when it ends (exclusive)."""
        start, end = self._own_span(now)
        if self.end is not None:
            last, end = self.end.span(now)
            if self.unit == "weekday":
                start = last - timedelta(days=(self.end.number - self.number) % 7)
        match self.bound:
            case "since":
                return start, now + timedelta(days=1)
            case "after":
                return end, now + timedelta(days=1)
            case "before":
                return _BEGINNING.replace(tzinfo=now.tzinfo), start
            case "until":
                return _BEGINNING.replace(tzinfo=now.tzinfo), end
        return start, end

    def _own_span(self, now: datetime) -> tuple[datetime, datetime]:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        match self.unit:
            case "days" | "hours":
                length = timedelta(**{self.unit: self.number})
                return (midnight if self.unit == "days" else now) - length, now + timedelta(days=1)
            case "ago":
                start = midnight - timedelta(days=self.number)
                return start, start + timedelta(days=1)
            case "date":
                year, month, day = self.number // 10_000, self.number // 100 % 100, self.number % 100
                if not month:
                    back = (timedelta(days=days) for days in range(_DAYS_WITH_EACH_NUMBER))
                    start = next(midnight - days for days in back if (midnight - days).day == day)
                    return start, start + timedelta(days=1)
                year = year or now.year - ((month, day) > (now.month, now.day))
                while (month, day) == (2, 29) and not isleap(year):
                    year -= 1
                start = midnight.replace(year=year, month=month, day=day)
                return start, start + timedelta(days=1)
            case "weekday" | "last weekday":
                # 上周二 is that of the calendar week before this one, “last Tuesday” the latest.
                days_back = {"weekday": (now.weekday() - self.number) % 7 or 7}
                start = midnight - timedelta(days=days_back.get(self.unit, now.weekday() + 7 - self.number))
                return start, start + timedelta(days=1)
            case "week" | "weekend":
                start = midnight + timedelta(days=-now.weekday(), weeks=self.number)
                end = start + timedelta(weeks=1)
                return (start if self.unit == "week" else end - timedelta(days=2)), end
            case "month":
                months = now.year * 12 + now.month - 1 + self.number
                return _month(midnight, months), _month(midnight, months + 1)
            case "named month":
                months = now.year * 12 + self.number - 1 - (12 if self.number > now.month else 0)
                return _month(midnight, months), _month(midnight, months + 1)
            case "year":
                year = now.year + self.number
                start = midnight.replace(year=year, month=1, day=1)
                return start, start.replace(year=year + 1)
            case _:
                start = midnight + timedelta(days=self.number)
                return start, start + timedelta(days=1)


_BEGINNING = datetime(1970, 1, 2)
_DAYS_WITH_EACH_NUMBER = 93
"""So many days have one of each number, 31 too."""


def _month(midnight: datetime, months: int) -> datetime:
    return midnight.replace(year=months // 12, month=months % 12 + 1, day=1)


_NUMBER = (
    r"(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|couple of|few"
    r"|[一二两三四五六七八九十几半])"
)
_ROLLING = lazy_regex(
    rf"(?:in |over |during |within )?(?:the )?(?:last|past|previous) {_NUMBER} (day|week|month|year)s?"
    rf"|(?:最近|过去|近|这){_NUMBER}个?(天|周|星期|礼拜|月|年)"
)
_AGO = re.compile(
    rf"\b{_NUMBER} (day|week|fortnight|month|year)s? ago|{_NUMBER}个?(天|周|星期|礼拜|月|年)(?:以|之)?前"
)


@dataclass(frozen=True, slots=True)
class _Tables:
    """`periods.yaml`, compiled."""

    periods: tuple[tuple[Period, re.Pattern[str]], ...]
    hours: tuple[tuple[tuple[int, int], re.Pattern[str]], ...]
    meals: dict[str, re.Pattern[str]]
    weekdays: tuple[re.Pattern[str], ...]
    months: tuple[re.Pattern[str], ...]
    workdays: re.Pattern[str]
    weekends: re.Pattern[str]
    day_parts: dict[str, tuple[str, str]]
    quiet_hours: tuple[re.Pattern[str], ...]


@cache
def _tables() -> _Tables:
    data = _data()
    parts = {name: words for name, words in data["quiet_hours"].items() if isinstance(words, str)}
    return _Tables(
        periods=tuple(
            (Period(unit, number), re.compile(whole_words(pattern)))
            for language in ("en", "zh")
            for unit, number, pattern in data["periods"][language]
        ),
        hours=tuple(((first, end), re.compile(whole_words(words))) for first, end, words in data["hours"]),
        meals={name: re.compile(whole_words(words)) for name, words in data["meals"].items()},
        weekdays=tuple(re.compile(whole_words(words)) for words in data["weekdays"]),
        months=tuple(
            compile_words(whole_words(data["month"]), {"name": name, "number": str(number), "chinese": zh})
            for number, (name, zh) in enumerate(data["months"], start=1)
        ),
        workdays=re.compile(whole_words(data["workdays"])),
        weekends=re.compile(whole_words(data["weekends"])),
        day_parts={
            word: (start, end) for start, end, *words in data["quiet_hours"]["day_parts"] for word in words
        },
        quiet_hours=tuple(compile_words(pattern, parts) for pattern in data["quiet_hours"]["patterns"]),
    )


@cache
def _data() -> dict[str, Any]:
    return read_words("assistant.conversation", "periods.yaml")


@cache
def _form(name: str) -> re.Pattern[str]:
    return re.compile(_data()[name])


def whole_words(pattern: str) -> str:
    """A pattern that matches Latin words only as whole words."""
    return rf"(?<![a-z])(?:{pattern})(?![a-z])"


def spell_time_words(text: str) -> str:
    """A text in lower case in which words for times stand as they are spelt, also where it has a typo."""
    for word in re.findall(r"[a-z]{6,}", text):
        for spelt in get_close_matches(word, _data()["time_words"], 1, 0.86):
            text = text.replace(word, spelt)
    return text


def find_periods(line: str) -> Iterator[tuple[Period, str]]:
    """The periods that a line names or bounds, and the words that do."""
    for form in (_form("range"), _form("zh_range")):
        for match in form.finditer(line):
            start, end = (next(_single_periods(f"on {match[side]}"), None) for side in ("start", "end"))
            if start is not None and end is not None:
                yield replace(start[0], end=end[0]), match.group()
    for period, words in _single_periods(line):
        bounded = re.search(rf"{_BOUND}{re.escape(words)}|{re.escape(words)}{_ZH_BOUND}", line)
        if (own := re.match(_BOUND, words)) is not None:
            yield replace(period, bound=own[1]), words
        elif bounded is not None:
            bound = bounded[1] or _ZH_BOUNDS[bounded[2]]
            yield replace(period, bound=bound), bounded.group()
        else:
            yield period, words


_BOUND = r"\b(since|before|after|until) (?:the )?"
_ZH_BOUNDS = {"之前": "before", "以前": "before", "以来": "since", "之后": "after", "以后": "after"}
_ZH_BOUND = rf"({'|'.join(_ZH_BOUNDS)})"


def _single_periods(line: str) -> Iterator[tuple[Period, str]]:
    for ago in _AGO.finditer(line):
        yield Period("ago", _days(ago)), ago.group()
    for rolling in _ROLLING.finditer(line):
        yield Period("days", _days(rolling)), rolling.group()
    for date_match in _form("date").finditer(line):
        if (number := _date_number(date_match)) is not None:
            yield Period("date", number), date_match.group()
    for period, pattern in _tables().periods:
        if (match := pattern.search(line)) is not None:
            yield period, match.group()
    for number, pattern in enumerate(_tables().months, start=1):
        if (match := pattern.search(line)) is not None:
            yield Period("named month", number), match.group()
    for number, pattern in enumerate(_tables().weekdays):
        match = re.search(
            rf"(?:last |on |this past |since |before |after |until |上(?:个)?)(?:{pattern.pattern})(?!s)",
            line,
        )
        if match is not None and not match.group().endswith("s"):
            yield Period("last weekday" if match.group()[0] == "上" else "weekday", number), match.group()


def _date_number(match: re.Match[str]) -> int | None:
    """A date's number in a `Period`; None for a day that no calendar has."""
    given = match.groupdict()
    names = [name for name in ("dm_month", "md_month") if given[name]]
    month = _MONTHS.index(given[names[0]][:3]) + 1 if names else int(given["month"] or given["zh_month"] or 0)
    day = int(next(given[name] for name in _DAYS_OF_DATES if given[name]))
    year = int(next((given[name] for name in ("dm_year", "md_year", "year", "zh_year") if given[name]), 0))
    try:
        datetime(year or _LEAP_YEAR, month or 1, day)
    except ValueError:
        return None
    return year * 10_000 + month * 100 + day


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LEAP_YEAR = 2024
_DAYS_OF_DATES = ("dm_day", "md_day", "day", "zh_day", "any_day", "zh_any_day")


def _days(match: re.Match[str]) -> int:
    number, unit = (group for group in match.groups() if group)
    count = int(number) if number.isdecimal() else _data()["numbers"].get(number, 1)
    return count * int(_data()["days_of_units"][unit])


def find_meal(text: str) -> str:
    """The one meal that a text names; empty for none, and for several."""
    named = [name for name, pattern in _tables().meals.items() if pattern.search(text.casefold())]
    return named[0] if len(named) == 1 else ""


def take_hours(line: str, rest: str) -> tuple[tuple[int, int] | None, str]:
    """The part of the day that a line names, first by the clock, and `rest` without the words that do.

    It is the first hour and the one behind the last, which may be past 24.
    """
    hours, clock = _clock_hours(line)
    rest = rest.replace(clock, " ") if clock else rest
    for span, pattern in _tables().hours:
        if (match := pattern.search(line)) is not None:
            return hours or span, rest.replace(match.group(), " ")
    return hours, rest


def take_weekdays(line: str, rest: str, period: Period | None) -> tuple[frozenset[int], str]:
    """The days of the week that a line names beside a period, and `rest` without the words that do."""
    tables = _tables()
    weekdays = frozenset(number for number, pattern in enumerate(tables.weekdays) if pattern.search(rest))
    if tables.workdays.search(line):
        weekdays = frozenset(range(5))
    elif tables.weekends.search(line) and (period is None or period.unit != "weekend"):
        weekdays = frozenset((5, 6))
    for pattern in (tables.workdays, tables.weekends, *tables.weekdays):
        rest = pattern.sub(" ", rest)
    return weekdays, rest


def _clock_hours(line: str) -> tuple[tuple[int, int] | None, str]:
    """The full hours that a line names by the clock, “between 3 and 5 pm”, and the words that do."""
    match = _form("clock").search(line) or _form("zh_clock").search(line)
    if match is None:
        return None, ""
    numbers = _data()["numbers"]
    first, end = (int(numbers.get(match[side], match[side])) for side in ("from", "to"))
    if re.search(r"下午|晚上|傍晚|\bpm\b|afternoon|evening", line) and end <= 12:
        end += 12
        first += 12 if first + 12 < end else 0
    return ((first, end), match.group()) if 0 <= first < end <= 24 else (None, "")


@dataclass(frozen=True, slots=True)
class QuietWish:
    """Hours without suggestions, in the words of a line: either time may be missing.

    `days` are words that name days, as “tonight”; empty for every day.
    """

    start: str
    end: str
    days: str


def read_quiet_hours(text: str) -> QuietWish | None:
    """The hours in which a line does not want to be disturbed; None for a line that says anything else."""
    line = " ".join(fold_line(text).rstrip(" .。!！").split())
    wish = line_pattern("reason_told").sub("", line)
    for pattern in _tables().quiet_hours:
        if (match := pattern.fullmatch(line) or pattern.fullmatch(wish)) is not None:
            groups = match.groupdict(default="")
            hours = _tables().day_parts.get(groups.get("part", ""), (groups["start"], groups["end"]))
            return QuietWish(*hours, (groups["days"] or groups["tail_days"]).strip())
    return None


_NOON, _EVENING = 12, 17
_NEAR = 4 * 60  # Minutes from the old time within which an hour without its half of the day is.


def single_days(words: str, now: datetime) -> tuple[date, ...]:
    """The single days to come that words name, as “friday” and 明天; none for days of every week, “fridays”.

    Raises:
        UnreadableTime: the words name more days than are read, as 明天后天.
    """
    if line_pattern("repeats").search(words) and says_weekly(words, now):
        return ()
    days = read_days(words, now) or read_days(f"这{words}" if has_chinese(words) else f"this {words}", now)
    if days and (", on " in words or len(line_pattern("day_named").findall(words)) > len(days)):
        raise _unsure_of_days()
    return days


def _unsure_of_days() -> UnreadableTime:
    return UnreadableTime(_("It is not certain which days are left. Say all of its times."))


def new_clock(said: str, hours: set[time], now: datetime) -> time | None:
    """The time of day that is said in place of the only one; None where days are said or it has several."""
    if len(hours) != 1:
        return None
    before = next(iter(hours))
    if (minutes := said.removeprefix("shift ")) != said:
        return (datetime.combine(now.date(), before) + timedelta(minutes=int(minutes))).time()
    if (at := part_of_hour(said, before)) is not None:
        return at
    words, beside = said.removeprefix("at "), line_pattern("clock_said").sub("", said.casefold()).strip(" ,")
    if len(clocks_in(said, now)) > 1 or days_said(line_pattern("half_named").sub("", beside), now):
        return None
    clock = time_of_day(line_pattern("dotted").sub(r"\1:\2", words), now)
    if clock is None or has_days(said, now):
        return None
    return _in_half(time.fromisoformat(clock), said, before)


def added_clock(said: str, before: time, now: datetime) -> time:
    """The time of day of days that are added; that of the alarm before where none is said."""
    return (new_clock(said, {before}, now) if said else None) or before


def _in_half(clock: time, said: str, before: time) -> time:
    """A time in the half of the day that is said, else in the one in which the time before is near."""
    is_open = 0 < clock.hour <= _NOON and line_pattern("half_named").search(said) is None
    if not is_open or re.match(r"0\d", said):
        return clock
    halves = [clock.replace(hour=clock.hour % _NOON + half) for half in (0, _NOON)]
    apart = [minutes_apart(60 * each.hour + each.minute, 60 * before.hour + before.minute) for each in halves]
    if min(apart) > _NEAR:
        sentence = _("“{said}” may be in the morning or in the evening: say which.")
        raise UnreadableTime(sentence.format(said=said))
    return halves[apart.index(min(apart))]


_LOOKED_AHEAD = timedelta(days=100)


def schedule_moments(schedule: Schedule, zone: tzinfo, now: datetime) -> list[datetime]:
    """When a schedule begins in the days to come, by its wall clock, also on days that are left out."""
    single, rule = schedule.rule.at, replace(schedule.rule, skipped=())
    # Today may be over for one time of day and not for the other.
    begin = datetime.combine(now.astimezone(zone).date() + timedelta(days=1), time(), zone)
    return [single] if single else rule.moments(zone, begin, begin + _LOOKED_AHEAD)


def new_times(schedule: Schedule, said: str, now: datetime) -> str:
    """A schedule's times with the change that is said: other days, without some days, or another time of day.

    Raises:
        UnreadableTime: the time may be in either half of the day, or it is not certain what it replaces.
    """
    zone = open_zone(schedule.zone)
    if (exchanged := line_pattern("days_instead").fullmatch(said)) is not None:
        return _exchange_days(schedule, exchanged["days"], exchanged["off"], now)
    if (off := said.removeprefix("except ")) != said:
        left_out = days_rule(days_form(off, now, repeats=True), now)
        if left_out is None or not all("day_of_week" in cron for cron in left_out.crons):
            raise _unsure_of_days()
        chinese = has_chinese(schedule.times)
        return times_on_days(schedule.rule, left_out, zone, now, chinese=chinese, leaves_out=True)
    stated = list(line_pattern("clock_said").finditer(schedule.times.casefold()))
    before = schedule_moments(schedule, zone, now)
    hours = {each.time() for each in before}
    words, clock = split_clock(said)
    beside = days_form(words, now, repeats=schedule.rule.at is None) if clock else ""
    if beside and not has_days(said, now) and len(hours) == 1:
        # A time of day alone would take the place of the old one on the old days.
        new = added_clock(clock, next(iter(hours)), now)
        return f"{beside}{new:%H:%M}" if has_chinese(beside) else f"{beside} at {new:%H:%M}"
    at = new_clock(said, hours, now)
    if at is None and not says_times(said, now) and len(stated) == 1:
        clock = stated[0].group().strip()
        said = days_form(said, now, repeats=schedule.rule.at is None) or said
        return f"{said}{clock}" if has_chinese(said + clock) else f"{said} at {clock}"
    if at is None:
        # A time of day alone says nothing of its days, and of “9 on friday” only one friday may be meant.
        is_clock = time_of_day(said.removeprefix("at "), now) is not None
        if says_times(said, now) and (not is_clock or (has_days(said, now) and not said.endswith("day"))):
            return said
    elif schedule.rule.at:
        return f"{schedule.rule.at:%Y-%m-%d} {at:%H:%M}"
    else:
        begin = datetime.combine(now.astimezone(zone).date() + timedelta(days=1), time(), zone)
        days = [each.date() for each in before]
        for match in line_pattern("clock_said").finditer(schedule.times.casefold()):
            written = f"{schedule.times[: match.start()]}{at:%H:%M}{schedule.times[match.end() :]}"
            try:
                moments = parse_times(written, begin).moments(zone, begin, begin + _LOOKED_AHEAD)
            except UnreadableTime:
                continue
            if [each.date() for each in moments] == days and {each.time() for each in moments} == {at}:
                return written
    sentence = _("It is not certain what “{said}” replaces in “{times}”. Say all of its times.")
    raise UnreadableTime(sentence.format(said=said, times=schedule.times))


def _exchange_days(schedule: Schedule, days: str, off: str, now: datetime) -> str:
    """A schedule's times with `days` in the place of the days in `off`; its other days stay.

    Raises:
        UnreadableTime: it has none of the days whose place is taken, or it is not certain which are meant.
    """
    if schedule.rule.at is not None:
        return new_times(schedule, days, now)
    zone, chinese = open_zone(schedule.zone), has_chinese(schedule.times)
    added, left_out = (days_rule(days_form(each, now, repeats=True), now) for each in (days, off))
    if added is None or left_out is None or added.interval is not None or says_times(days, now):
        raise _unsure_of_days()
    end = now + timedelta(days=8)
    new, old = ({each.weekday() for each in rule.moments(zone, now, end)} for rule in (added, left_out))
    own = {each.weekday() for each in schedule_moments(schedule, zone, now)}
    if not old & own:
        raise UnreadableTime(_("It does not begin on “{said}”.").format(said=off))
    if not own <= old | new and line_pattern("repeats").search(off) is None:
        raise UnreadableTime(
            _("“{said}” may be a single day or one of every week: say which.").format(said=off)
        )
    rule, times = schedule.rule, schedule.times
    with suppress(UnreadableTime):  # It may come on them already.
        times = times_on_days(rule, added, zone, now, chinese=chinese)
        rule = parse_times(times, now.astimezone(zone))
    if not old - new:
        return times
    days_off = {"day_of_week": ",".join(DAYS[day] for day in sorted(old - new))}
    left_out = replace(left_out, crons=tuple({**cron, **days_off} for cron in left_out.crons[:1]))
    return times_on_days(rule, left_out, zone, now, chinese=chinese, leaves_out=True)


def extend_schedule(schedules: Schedules, words: str, now: datetime) -> str:
    """Add days to a schedule; a single day is added as a schedule of its own.

    `words` are the schedule's number or id, a space, and the days.

    Raises:
        NoSuchSchedule: none or several fit.
        UnreadableTime: it is not certain at what time.
    """
    name, _space, days = words.partition(" ")
    schedule = schedules.find(name)
    zone, chinese = open_zone(schedule.zone), has_chinese(days)
    days, said = split_clock(days)
    days = days_form(days, now, repeats=schedule.rule.at is None)
    rule = days_rule(days, now)
    clocks = {each.time() for each in schedule_moments(schedule, zone, now)}
    if rule is None or len(clocks) != 1:
        sentence = _("It is not certain at what time it is to begin on “{days}”. Say all of its times.")
        raise UnreadableTime(sentence.format(days=days))
    before = clocks.pop()
    at = added_clock(said, before, now)
    if at == before and schedule.rule.at is None and rule.at is None and schedule.rule.interval is None:
        times = times_on_days(schedule.rule, rule, zone, now, chinese=has_chinese(schedule.times))
        return tell_moved(schedules.move(schedule, times, now), now)
    times = f"{days}{at:%H:%M}" if chinese else f"{days} at {at:%H:%M}"
    added = schedules.add(times, schedule.instruction, now, schedule.zone)
    sentence = _("Scheduled as well: {schedule}. Next: {times}. “undo” takes it back.")
    return sentence.format(schedule=added.words, times=_(", ").join(map(moment, added.upcoming(now))))


def tell_moved(moved: Schedule, now: datetime) -> str:
    """That a schedule has other times, and when it comes next."""
    times = _(", ").join(map(moment, moved.upcoming(now))) or moved.times
    sentence = _("Changed: {schedule}. Next: {times}. “undo” takes it back.")
    return sentence.format(schedule=moved.words, times=times)


def read_change(line: str, restated: str, schedules: Schedules, now: datetime) -> tuple[str, bool]:
    """What a line changes of a schedule that a model restated whole, as behind /schedule; empty for none.

    Also whether the line itself names each day, or the hour, that comes or goes; else the user is to send it:
    so is a limit of the order, which the line may deny, ask about or only mention.
    """
    read, kept = split_times(restated, now, once=True), schedules.all()
    if read is None:
        return "", False
    same = [each for each in kept if deed_key(each.instruction) == deed_key(read.instruction)]
    for each in kept:
        limit = read.instruction.removeprefix(each.instruction).strip(" ,，")
        limits = line_pattern("order_limit").fullmatch(limit.casefold()) is not None
        if limits and each.rule == read.rule:
            return f"change {each.number} {limit}", False
    if len(same) != 1 or read.rule.event or same[0].rule.event:
        return "", False
    is_said = says_change(line, same[0], read.rule, now)
    return (f"change {same[0].number} {read.times}", is_said) if is_said is not None else ("", False)


def says_change(line: str, schedule: Schedule, rule: ScheduleRule, now: datetime) -> bool | None:
    """Whether a line names each day, and the hour, by which a rule differs from a schedule's; else None."""
    zone = open_zone(schedule.zone)
    moments = (schedule_moments(replace(schedule, rule=each), zone, now) for each in (schedule.rule, rule))
    before, after = ({(at.weekday(), at.time()) for at in each} for each in moments)
    said, days = line.casefold(), {day for day, _clock in before} ^ {day for day, _clock in after}
    old, new = {clock for _day, clock in before}, {clock for _day, clock in after}
    is_said = all(re.search(rf"\b{DAYS[day]}|(?:周|星期|礼拜){'一二三四五六日'[day]}", said) for day in days)
    is_said &= old == new or says_hours(said, old, new, now)
    return is_said if before != after else None


def change_schedule(schedules: Schedules, words: str, now: datetime) -> str:
    """Give the schedule that words begin with the times behind it, and tell when it comes next.

    Of what comes again a single time moves the next occasion only, and a single day is left out alone.

    Raises:
        NoSuchSchedule: none or several fit.
        UnreadableTime: it is not certain which times are meant.
    """
    name, _space, change = words.partition(" ")
    schedule = schedules.find(name)
    if line_pattern("order_limit").fullmatch(change.casefold()) is not None:
        order = f"{schedule.instruction}{'，' if has_chinese(schedule.instruction) else ', '}{change}"
        return tell_moved(schedules.move(schedule, schedule.times, now, order), now)
    off = change.removeprefix("except ")
    days = _days_off(schedule, off, now) if off != change else ()
    if days or (off != change and line_pattern("next_one").fullmatch(off)):
        return _leave_out(schedules, schedule, off, days, now)
    times = new_times(schedule, change, now)
    if schedule.rule.crons and parse_times(times, now.astimezone(open_zone(schedule.zone))).at is not None:
        return _move_next(schedules, schedule, times, now)
    return tell_moved(schedules.move(schedule, times, now), now)


def _days_off(schedule: Schedule, words: str, now: datetime) -> Sequence[date]:
    """The single days that words leave out: those named, or each of a week on which a schedule still comes.

    Raises:
        UnreadableTime: it comes on none of them, or it is not certain which are meant.
    """
    zone = open_zone(schedule.zone)
    today, week = now.astimezone(zone).date(), line_pattern("whole_week").fullmatch(words)
    if week is None or schedule.rule.event or schedule.rule.at:
        return single_days(words, now.astimezone(zone))
    monday = today - timedelta(days=today.weekday() - 7 * bool(week["next"] or week["zh_next"]))
    begin, end = (datetime.combine(monday + timedelta(days=days), time(), zone) for days in (0, 7))
    days = {each.date() for each in schedule.rule.moments(zone, max(now, begin), end - timedelta(seconds=1))}
    if not days:
        raise _not_on(schedule, words)
    return sorted(days)


def _not_on(schedule: Schedule, day: str) -> UnreadableTime:
    sentence = _("Nothing was changed: “{schedule}” does not come on {day}.")
    return UnreadableTime(sentence.format(schedule=schedule.words, day=day))


def _leave_out(
    schedules: Schedules, schedule: Schedule, words: str, days: Sequence[date], now: datetime
) -> str:
    """Leave a schedule out on some days, or the next time where none are named, and tell so."""
    today, week = now.astimezone(open_zone(schedule.zone)).date(), timedelta(days=7)
    if schedule.rule.event:
        raise _unsure_of_days()
    if schedule.rule.at:
        raise UnreadableTime(_("Nothing was changed: no single day can be left out of what comes only once."))
    is_week = line_pattern("whole_week").fullmatch(words) is not None
    if len(days) > 1 and not is_week and line_pattern("next_day").search(words):
        sentence = _("“{said}” may be {days}: say which.")
        choices = _(" or ").join(_name_day(day) for day in days)
        raise UnreadableTime(sentence.format(said=words, days=choices))
    if line_pattern("this_day").search(words):  # On a friday “this friday” is today, where it still comes.
        days = [
            today if day == today + week and _on_day(schedules, schedule, today, now) else day for day in days
        ]
    hours, is_next = take_hours(words.casefold(), "")[0], not days
    days = days or [each.date() for each in schedule.upcoming(now, 1)]
    moments = {day: _on_day(schedules, schedule, day, now) for day in days}
    copies = {each.rule.at.date() for each in _moved(schedules, schedule, now) if each.rule.at}
    if copies & {*days} or any(len(each) > 1 for each in moments.values() if hours or is_next):
        raise _unsure_of_days()
    others = [day for day, each in moments.items() if not any(_is_within(hours, at.hour) for at in each)]
    if others or not days:
        raise _not_on(schedule, words if hours or not days else _name_day(others[0]))
    kept = schedules.leave_out(schedule, days, now)
    sentence = _("Left out on {days}: {schedule}. Next: {times}. “undo” takes it back.")
    times = _(", ").join(map(moment, kept.upcoming(now))) or kept.times
    answer = sentence.format(days=_(", ").join(map(_name_day, days)), schedule=kept.words, times=times)
    if not says_weekly(words, now):
        return answer
    command = f"/schedule change {schedule.number} except {days_form(words, now, repeats=True)}"
    return sentences(answer, _("For every week, send: {command}").format(command=command))


def _on_day(schedules: Schedules, schedule: Schedule, day: date, now: datetime) -> list[datetime]:
    """When a schedule comes on a day, from now on, and what is due of it."""
    zone = open_zone(schedule.zone)
    begin, end = (datetime.combine(each, time(), zone) for each in (day, day + timedelta(days=1)))
    second = timedelta(seconds=1)
    coming = schedule.rule.moments(zone, max(now, begin - second), max(now, end - second))
    due = [run.due.astimezone(zone) for run in schedules.history(schedule.id, 5) if run.state is RunState.DUE]
    return [*(each for each in due if each.date() == day), *coming]


def _is_within(hours: tuple[int, int] | None, hour: int) -> bool:
    """Whether an hour lies in a part of the day; tonight begins with the evening."""
    return hours is None or min(hours[0], _EVENING) <= hour < hours[1] or hour < hours[1] - 24


def _moved(schedules: Schedules, schedule: Schedule, now: datetime) -> list[Schedule]:
    """The schedules for one coming time with the same order: single occasions that were moved."""
    alike = (each for each in schedules.all() if each.instruction == schedule.instruction)
    return [each for each in alike if each.rule.at and each.upcoming(now)]


def _move_next(schedules: Schedules, schedule: Schedule, times: str, now: datetime) -> str:
    """Let the next occasion of a schedule come at a single time instead, and tell so."""
    zone = open_zone(schedule.zone)
    at = parse_times(times, now.astimezone(zone)).at
    moments = schedule.rule.moments(zone, now, now + _LOOKED_AHEAD)
    first = moments[0] if moments else None
    same_day = [each for each in moments if first is not None and each.date() == first.date()]
    is_other = at is not None and any(each.date() <= at.date() for each in moments if each not in same_day)
    is_moved = (at is not None and at.date() in schedule.rule.skipped) or _moved(schedules, schedule, now)
    is_same = first is None or at == first.replace(tzinfo=None)
    if at is None or first is None or is_other or is_moved or is_same or len(same_day) != 1:
        sentence = _("It is not certain what “{said}” replaces in “{times}”. Say all of its times.")
        raise UnreadableTime(sentence.format(said=times, times=schedule.times))
    kept = schedules.leave_out(schedule, [first.date()], now, times)
    sentence = _(
        "Moved once, from {before} to {time}: {schedule}. Then as before: {times}. “undo” takes it back."
    )
    return sentence.format(
        before=moment(first),
        time=moment(at.replace(tzinfo=zone)),
        schedule=kept.words,
        times=_(", ").join(map(moment, kept.upcoming(now, 2))) or kept.times,
    )


def _name_day(day: date) -> str:
    return day_of(datetime.combine(day, time()))
