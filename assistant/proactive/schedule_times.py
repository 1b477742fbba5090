"""When a schedule begins: times in the user's words or as cron, and the moments that they name.

No library reads recurring times in both English and Chinese, so the words are read here: piece by piece, and
a text with anything left over is refused. Which moments a rule names is computed on the wall clock, by
APScheduler's cron trigger, and then carried into the zone: a time that a change of clocks skips begins an
hour later, one that comes twice begins the first time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta, tzinfo
from functools import cache, lru_cache
from heapq import merge
from typing import Any

from apscheduler.triggers.cron import CronTrigger

from assistant.files import compile_words, read_words
from assistant.i18n import _
from assistant.proactive.schedule_events import normalize_words, parse_event

_SKEW = timedelta(hours=3)
"""By how much the order of wall clocks may differ from that of moments: changes of clocks."""
_MOST = 1000
"""The most moments that are named at once."""
_LONGEST_WAIT = timedelta(days=1500)
"""A rule that names no moment for so long names none; the 29th of February comes every four years."""

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAYS, WEEKEND = _DAYS[:5], _DAYS[5:]


class UnreadableTime(ValueError):
    """A text names no times that can be kept; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Every so many days, weeks or months, counted from the one that `since` is in."""

    number: int
    unit: str
    since: date

    def contains(self, day: date) -> bool:
        """Whether a day is in one that counts."""
        apart = (day - self.since).days
        if self.unit == "week":
            apart = (apart + self.since.weekday()) // 7
        elif self.unit == "month":
            apart = 12 * (day.year - self.since.year) + day.month - self.since.month
        return apart % self.number == 0


@dataclass(frozen=True, slots=True)
class ScheduleRule:
    """When a schedule begins: at times of a calendar, once, or at an event.

    `crons` are fields of APScheduler's cron trigger by name, each beginning the schedule, where there is an
    `interval` on its days only. `at` is a time on the wall clock, without zone. `event` is `arrive` or
    `leave` with a scenario in `place`, `battery` with the percentage to which it falls, or `message` or
    `notification` with the sender as the user calls them. One of the three is given.
    """

    crons: tuple[Mapping[str, str], ...] = ()
    at: datetime | None = None
    event: str = ""
    place: str = ""
    interval: Interval | None = None

    def moments(self, zone: tzinfo, after: datetime, until: datetime) -> list[datetime]:
        """The moments after one and up to another, oldest first; the newest where there are very many."""
        if self.at is not None:
            moment = _in_zone(self.at, zone)
            return [moment] if after < moment <= until else []
        first, last = _wall(after, zone) - _SKEW, _wall(until, zone) + _SKEW
        walls = self._walls(first, last)
        moments = {moment for wall in walls if after < (moment := _in_zone(wall, zone)) <= until}
        return sorted(moments)[-_MOST:]

    def next_moment(self, zone: tzinfo, after: datetime) -> datetime | None:
        """The first moment after one; None where there is none, as for an event."""
        if self.at is not None:
            moment = _in_zone(self.at, zone)
            return moment if moment > after else None
        first = _wall(after, zone) - _SKEW
        walls = self._walls(first, first + 2 * _SKEW + _LONGEST_WAIT)
        return next((moment for wall in walls if (moment := _in_zone(wall, zone)) > after), None)

    def _walls(self, first: datetime, last: datetime) -> Iterator[datetime]:
        walls = merge(*(_walls(cron, first, last) for cron in self.crons))
        return (wall for wall in walls if self.interval is None or self.interval.contains(wall.date()))

    def as_json(self) -> dict[str, Any]:
        """The rule as the memory stores it."""
        if self.at is not None:
            return {"at": self.at.isoformat()}
        if self.event:
            return {"event": self.event, "place": self.place}
        every = self.interval
        interval = [every.number, every.unit, every.since.isoformat()] if every else None
        return {"crons": [dict(cron) for cron in self.crons]} | ({"interval": interval} if interval else {})


def parse_rule(stored: Mapping[str, Any]) -> ScheduleRule:
    """A rule as the memory stores it."""
    at, interval = stored.get("at"), stored.get("interval")
    return ScheduleRule(
        crons=tuple(stored.get("crons", ())),
        at=datetime.fromisoformat(at) if at else None,
        event=stored.get("event", ""),
        place=stored.get("place", ""),
        interval=Interval(interval[0], interval[1], date.fromisoformat(interval[2])) if interval else None,
    )


@lru_cache(maxsize=256)
def _trigger(fields: tuple[tuple[str, str], ...]) -> CronTrigger:
    return CronTrigger(**dict(fields), timezone=UTC)


def _walls(cron: Mapping[str, str], first: datetime, last: datetime) -> Iterator[datetime]:
    """Wall clock times of a cron rule. In UTC no clock changes, so that the trigger leaves none out."""
    trigger, wall = _trigger(tuple(cron.items())), first.replace(tzinfo=UTC)
    end = last.replace(tzinfo=UTC)
    while (wall := trigger.get_next_fire_time(None, wall)) is not None and wall <= end:
        yield wall.replace(tzinfo=None)
        wall += timedelta(seconds=1)


def _wall(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _in_zone(wall: datetime, zone: tzinfo) -> datetime:
    """A wall clock time as a moment; one that a change of clocks skips moves on by the skipped time."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC).astimezone(zone)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONGEST_STEP = 60
_HOUR_OF_PART = {"pm": range(1, 12), "noon": range(1, 4), "night": range(6, 12)}
"""The hours that a part of the day moves to the second half of it."""


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of `schedule_times.yaml`, compiled.

    `numbers`, `nths` (APScheduler's), `units` and `halves` (of the day) are found by the words for them.
    `joined` is how words end that belong to those behind them, `limits` how words begin that limit the times
    before them.
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


@cache
def _patterns() -> _Patterns:
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
        numbers={word: number for number, words in enumerate(data["numbers"]) for word in words},
        nths=nths,
        units=units,
        halves=halves,
        english_day=compiled("<en_day>"),
        nth=compiled("<en_nth>|最后|(?<!最后)[一二三四1-4]"),
        chinese_days=compiled(f"({day})(?:到|至|-|~)<zh_week>?({day})|({day})"),
        chinese_number=compiled(r"\d+|<zh_number>"),
        joined=compiled(data["joined"]),
        limits=compiled(data["limits"]),
    )


@dataclass
class _Pieces:
    """What was read so far. `part` is a part of the day that holds for times without their own."""

    now: datetime
    weekdays: list[str] = field(default_factory=list)
    days: list[str] = field(default_factory=list)
    month_days: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    month: int | None = None
    step: tuple[int, str] | None = None
    repeats: bool = False
    every: tuple[str, int] | None = None
    times: list[tuple[int, int, str]] = field(default_factory=list)
    part: str = ""
    on: date | None = None
    after: timedelta | None = None


_LONGEST_TIMES = 200


def parse_times(text: str, now: datetime) -> ScheduleRule:
    """The rule that a text names, such as `every weekday at 8`, `0 8 * * 1-5` or `每个工作日早上8点`.

    Args:
        text: in English or Chinese, or a line of cron.
        now: the present time in the zone of the schedule.

    Raises:
        UnreadableTime: it is not certain which times are meant, or they have passed.
    """
    if len(text) > _LONGEST_TIMES:
        raise UnreadableTime(_("Write the times in at most 200 characters."))
    line = normalize_words(text).strip(" .。!！,，")
    if re.fullmatch(r"[\d*][\d*/,-]*(?: [\w*/,-]+){4}", line):
        rule = ScheduleRule(crons=_parse_cron(line, text))
    elif (event := parse_event(line)) is not None:
        rule = ScheduleRule(event=event[0], place=event[1])
    else:
        rule = _to_rule(_read(line, text, now), text)
    following = None if rule.event else rule.next_moment(now.tzinfo or UTC, now)
    # No zone can be told of the last year's end.
    if not rule.event and (following is None or following.year == MAXYEAR):
        raise UnreadableTime(_("“{text}” does not come any more.").format(text=text))
    return rule


@dataclass(frozen=True, slots=True)
class ScheduledWords:
    """A line that names recurring times or an event: their rule and words, and what is to be done."""

    rule: ScheduleRule
    times: str
    instruction: str
    begins: bool
    """Whether the times stand first; else they stand last."""


def split_times(text: str, now: datetime, *, once: bool = False) -> ScheduledWords | None:
    """The times with which a line surely begins or ends, and the rest of it; None without any.

    A single time counts only with `once`; else only what comes again, or an event.
    """
    words = list(re.finditer(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", text))
    halves = [(text[: word.end()], text[word.end() :], True) for word in reversed(words[:-1][:_MOST_WORDS])]
    halves += [(text[word.start() :], text[: word.start()], False) for word in words[1:][-_MOST_WORDS:]]
    for before, after, begins in halves:
        times, rest = before.strip(" ,，"), after.strip(" ,，:：")
        joined = (times if begins else rest)[-_LONGEST_JOINT:].casefold()
        if not rest or _patterns().joined.search(joined) or _patterns().limits.match(rest.casefold()):
            continue
        try:
            rule = parse_times(times, now)
        except UnreadableTime:
            continue
        is_single = rule.at is not None and not once
        is_cron = re.match(r"\s*[\d*][\d*/,-]* [\d*]", times) is not None
        return None if is_single or is_cron else ScheduledWords(rule, times, rest, begins)
    return None


_MOST_WORDS = 30
"""The most words that name times; a text of any length may be pasted."""
_LONGEST_JOINT = 20
"""Characters at the end of words in which what joins them to the next ones stands."""


def _parse_cron(line: str, text: str) -> tuple[Mapping[str, str], ...]:
    """The fields of a line of cron, as crontab(5) reads them: Sunday is 0 and 7, and days add up.

    Raises:
        UnreadableTime: it is none.
    """
    minute, hour, day, month, weekday = line.split()
    clock = {"minute": minute, "hour": hour, "month": month}
    try:
        crons: list[dict[str, str]] = []
        if not day.startswith("*") or weekday.startswith("*"):
            crons.append({**clock, "day": day})
        if not weekday.startswith("*"):
            crons.append({**clock, "day_of_week": ",".join(_cron_weekdays(weekday))})
        for cron in crons:
            CronTrigger(**cron, timezone=UTC)
    except ValueError as error:
        sentence = _("“{text}” is no line of cron: {error}.")
        raise UnreadableTime(sentence.format(text=text, error=error)) from error
    return tuple(crons)


def _cron_weekdays(field_text: str) -> list[str]:
    """Weekdays by name: APScheduler counts them from Monday, cron from Sunday."""
    numbers = {**{day: number for number, day in enumerate(("sun", *_DAYS[:6]))}}
    days = set()
    for part in field_text.split(","):
        span, _slash, step = part.partition("/")
        first, _dash, last = span.partition("-")
        begin = numbers[first] if first in numbers else int(first)
        end = (numbers[last] if last in numbers else int(last)) if last else (6 if step else begin)
        if not 0 <= begin <= end <= 7:
            raise ValueError(field_text)
        days |= {(day - 1) % 7 for day in range(begin, end + 1, int(step or 1))}
    return [_DAYS[day] for day in sorted(days)]


def _read(line: str, text: str, now: datetime) -> _Pieces:
    pieces, rest = _Pieces(now), line
    while rest:
        for name, pattern in _patterns().pieces:
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


def _to_rule(pieces: _Pieces, text: str) -> ScheduleRule:
    days = pieces.weekdays or pieces.days or pieces.month_days
    is_once = pieces.on is not None or pieces.after is not None
    if pieces.after is not None:
        if days or pieces.times or pieces.on or pieces.every or pieces.repeats:
            raise _unclear(text)
        # By real time: adding to a time with a zone moves its wall clock instead.
        moment = (pieces.now.astimezone(UTC) + pieces.after).astimezone(pieces.now.tzinfo)
        return ScheduleRule(at=moment.replace(tzinfo=None, microsecond=0))
    if pieces.every is not None:
        if is_once or pieces.times or pieces.month_days or pieces.step:
            raise _unclear(text)
        unit, number = pieces.every
        fields = {"minute": f"*/{number}", "hour": "*"} if unit == "minute" else {"minute": "0"}
        if unit == "hour":
            fields["hour"] = "*" if number == 1 else f"*/{number}"
        return ScheduleRule(crons=({**_day_fields(pieces, text), **fields},))
    clocks = sorted({_clock(hour, minute, part or pieces.part) for hour, minute, part in pieces.times})
    if not clocks:
        sentence = _("“{text}” does not say at what time. Add one, such as “at 8”.")
        raise UnreadableTime(sentence.format(text=text))
    if pieces.repeats or pieces.month_days or (pieces.weekdays and not is_once):
        if is_once:
            raise _unclear(text)
        days_of_rule = _day_fields(pieces, text)
        rule = ScheduleRule(
            crons=tuple(
                {**days_of_rule, "hour": str(clock.hour), "minute": str(clock.minute)} for clock in clocks
            )
        )
        return _at_intervals(rule, pieces, text)
    if pieces.excluded:
        raise _unclear(text)
    return ScheduleRule(at=_once(pieces, clocks, text))


def _day_fields(pieces: _Pieces, text: str) -> dict[str, str]:
    """The fields of a cron trigger for the days."""
    fields, weekdays = {}, list(dict.fromkeys((*pieces.weekdays, *pieces.days)))
    if weekdays and pieces.month_days:
        raise _unclear(text)
    if pieces.excluded:
        usual = weekdays or _DAYS
        weekdays = [day for day in usual if day not in pieces.excluded]
        if not weekdays or not set(pieces.excluded) <= set(usual):
            raise _unclear(text)
    if weekdays:
        fields["day_of_week"] = ",".join(weekdays)
    if pieces.month_days:
        fields["day"] = ",".join(pieces.month_days)
    if pieces.month:
        fields["month"] = str(pieces.month)
    return fields


def _at_intervals(rule: ScheduleRule, pieces: _Pieces, text: str) -> ScheduleRule:
    """The rule on every so many days, weeks or months only, the first time as soon as it can be."""
    if pieces.step is None:
        return rule
    number, unit = pieces.step
    needed = {"day": [], "week": [*pieces.weekdays, *pieces.days], "month": pieces.month_days}
    given = [*pieces.weekdays, *pieces.days, *pieces.month_days, *pieces.excluded]
    if pieces.month or (unit == "day" and given) or (unit != "day" and not needed[unit]):
        raise _unclear(text)
    first = rule.next_moment(pieces.now.tzinfo or UTC, pieces.now)
    return replace(rule, interval=Interval(number, unit, first.date())) if first and number > 1 else rule


def _once(pieces: _Pieces, clocks: Sequence[time], text: str) -> datetime:
    """The one time that is meant: on the day that is said, else the next time on the clock."""
    if len(clocks) > 1 or len(pieces.days) > 1:
        raise _unclear(text)
    on, today = pieces.on, pieces.now.date()
    wall = pieces.now.replace(tzinfo=None)
    if pieces.days:
        ahead = (_DAYS.index(pieces.days[0]) - today.weekday()) % 7
        on = today + timedelta(days=ahead)
        return datetime.combine(on, clocks[0]) + timedelta(days=7 * (datetime.combine(on, clocks[0]) <= wall))
    if on is None:
        at = datetime.combine(today, clocks[0])
        return at if at > wall else at + timedelta(days=1)
    at = datetime.combine(on, clocks[0])
    if at <= wall:
        raise UnreadableTime(_("“{text}” is over already.").format(text=text))
    return at


def _unclear(text: str) -> UnreadableTime:
    sentence = _("“{text}” can mean several times. Say it in one way, such as “every weekday at 8”.")
    return UnreadableTime(sentence.format(text=text))


def _clock(hour: int, minute: int, part: str) -> time:
    """The time of day; a part of the day says which half of it a small hour is in."""
    part = _patterns().halves.get(part, part)
    if (part == "am" and hour == 12) or (part == "night" and hour == 12):
        hour = 0
    elif hour in _HOUR_OF_PART.get(part, ()):
        hour += 12
    try:
        return time(hour, minute)
    except ValueError as error:
        raise UnreadableTime(
            _("{hour}:{minute:02} is no time of day.").format(hour=hour, minute=minute)
        ) from error


def _number(word: str) -> int:
    """A number in digits or words; Chinese ones below a hundred."""
    if word.isdecimal():
        return int(word)
    if word in _patterns().numbers:
        return _patterns().numbers[word]
    tens, _ten, ones = word.partition("十")
    return 10 * _patterns().numbers.get(tens, 1) + _patterns().numbers.get(ones, 0)


def _day_of(word: str) -> str:
    """A weekday's name in the cron trigger."""
    if word[-1] in "一二三四五六日天":
        return _DAYS["一二三四五六日".find(word[-1].replace("天", "日"))]
    return next(day for day in _DAYS if word.startswith(day))


def _day_range(first: str, last: str) -> list[str]:
    begin, end = _DAYS.index(_day_of(first)), _DAYS.index(_day_of(last))
    return [_DAYS[(begin + ahead) % 7] for ahead in range((end - begin) % 7 + 1)]


def _take_all_days(pieces: _Pieces, match: re.Match[str]) -> None:
    pieces.repeats = True
    part = match.groupdict().get("part") or ""
    pieces.part = pieces.part or ("night" if part.startswith("night") else _patterns().halves.get(part, ""))


def _take_group(days: Sequence[str]) -> Callable[[_Pieces, re.Match[str]], None]:
    def take(pieces: _Pieces, match: re.Match[str]) -> None:
        pieces.weekdays += days
        pieces.repeats = True

    return take


def _take_range(pieces: _Pieces, match: re.Match[str]) -> None:
    pieces.weekdays += _day_range(match["first"], match["last"])
    pieces.repeats = True


def _take_days(pieces: _Pieces, match: re.Match[str]) -> None:
    """Weekdays; they repeat where they are in the plural or every one is said."""
    words = _patterns().english_day.findall(match["days"])
    days = [_day_of(word) for word in words]
    is_plural = any(word.endswith("s") and word not in ("tues", "thurs") for word in words)
    if match["every"] or is_plural or len(days) > 1 or pieces.repeats:
        pieces.weekdays += days
        pieces.repeats = True
    else:
        pieces.days += days
    if (part := match.groupdict().get("part")) is not None:
        pieces.part = _patterns().halves.get(part.rstrip("s"), "")


def _take_chinese_days(pieces: _Pieces, match: re.Match[str]) -> None:
    days: list[str] = []
    for group in _patterns().chinese_days.finditer(match["days"]):
        days += _day_range(group[1], group[2]) if group[1] else [_day_of(group[3])]
    if match["every"] or len(days) > 1:
        pieces.weekdays += days
        pieces.repeats = True
    elif match["next"]:
        monday = pieces.now.date() + timedelta(days=7 - pieces.now.weekday())
        pieces.on = monday + timedelta(days=_DAYS.index(days[0]))
    else:
        pieces.days += days


def _take_month_days(pieces: _Pieces, match: re.Match[str]) -> None:
    numbers = _patterns().chinese_number.findall(match["days"]) if match["days"] else []
    if any(not 1 <= _number(number) <= 31 for number in numbers):
        raise UnreadableTime(_("A month has no day {number}.").format(number=", ".join(numbers)))
    pieces.month_days += [str(_number(number)) for number in numbers] or ["last"]
    pieces.repeats = True


def _take_month_weekday(pieces: _Pieces, match: re.Match[str]) -> None:
    numbers = [_patterns().nths[nth] for nth in _patterns().nth.findall(match["nth"])]
    pieces.month_days += [f"{number} {_day_of(match['day'])}" for number in numbers]
    pieces.repeats = True


def _take_unclear(pieces: _Pieces, match: re.Match[str]) -> None:
    """What people mean two things by, such as every second Tuesday and 每隔两天."""
    raise UnreadableTime(
        _(
            "“{text}” can mean two things. Say it as “every 2 weeks on Tuesday”, "
            "“the second Tuesday of every month” or “every 3 days”."
        ).format(text=match[0])
    )


def _take_past(pieces: _Pieces, match: re.Match[str]) -> None:
    raise UnreadableTime(_("“{text}” is over already.").format(text=match[0]))


def _take_next_day(pieces: _Pieces, match: re.Match[str]) -> None:
    """The next Monday: the day to come, where that is the one of next week, too."""
    ahead = (_DAYS.index(_day_of(match["day"])) - pieces.now.weekday() - 1) % 7 + 1
    if ahead < 7 - pieces.now.weekday():
        raise _unclear(match[0])
    pieces.on = pieces.now.date() + timedelta(days=ahead)


def _take_step(pieces: _Pieces, match: re.Match[str]) -> None:
    """Every so many days, weeks or months; every other Friday is one of every second week."""
    groups, nths = match.groupdict(), _patterns().nths
    word = groups.get("number") or ("other" if groups.get("other") else "one")
    number = int(nths[word][0]) if word in nths else _number(word)
    if not 1 <= number <= _LONGEST_STEP:
        raise _unclear(match[0])
    pieces.step = number, _patterns().units[groups.get("unit") or "week"]
    if groups.get("days"):
        _take_month_days(pieces, match)
    pieces.repeats = True


def _take_except(pieces: _Pieces, match: re.Match[str]) -> None:
    words = match["days"]
    pieces.excluded += [*WEEKEND] if "weekend" in words or "周末" in words else []
    pieces.excluded += map(_day_of, _patterns().english_day.findall(words))
    for group in _patterns().chinese_days.finditer(words):
        pieces.excluded += _day_range(group[1], group[2]) if group[1] else [_day_of(group[3])]


def _take_year_day(pieces: _Pieces, match: re.Match[str]) -> None:
    groups = match.groupdict()
    name = groups.get("name")
    pieces.month = _MONTHS.index(name[:3]) + 1 if name else _number(groups["month"])
    pieces.month_days.append(str(_number(groups["day"])))
    pieces.repeats = True


def _take_interval(pieces: _Pieces, match: re.Match[str]) -> None:
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


def _take_after(pieces: _Pieces, match: re.Match[str]) -> None:
    word, unit = match["number"], match["unit"]
    half = word.startswith(("half", "半"))
    number = 0.5 if half else float(_number(word.removesuffix("个")))
    hours = unit.startswith(("hour", "小时", "个小时", "钟头", "个钟头"))
    days = unit.startswith(("day", "天"))
    if match.groupdict().get("and_half"):
        number += 0.5
    pieces.after = timedelta(days=number) if days else timedelta(minutes=number * (60 if hours else 1))


def _take_time(pieces: _Pieces, match: re.Match[str]) -> None:
    """A time of day, each piece of it by the name of its group."""
    groups = match.groupdict()
    part = (groups.get("half_day") or groups.get("part") or "").replace(".", "").replace(" ", "")
    part = next((word for word in _patterns().halves if part.endswith(word)), part)
    hour, minute = _number(groups["hour"]), _minute(groups)
    if groups.get("to"):
        hour, minute = (hour - 1) % 24, 60 - minute
    pieces.times.append((hour, minute, part))


def _minute(groups: Mapping[str, str | None]) -> int:
    word = groups.get("minute") or ""
    if word.startswith(("半", "half")):
        return 30
    if word.startswith(("一刻", "quarter")):
        return 15
    if word.startswith("三刻"):
        return 45
    return _number(word) if word else 0


def _take_word_time(pieces: _Pieces, match: re.Match[str]) -> None:
    pieces.times.append((0 if match[0].endswith(("midnight", "午夜", "零点")) else 12, 0, ""))


def _take_day(ahead: int, part: str = "") -> Callable[[_Pieces, re.Match[str]], None]:
    def take(pieces: _Pieces, match: re.Match[str]) -> None:
        pieces.on = pieces.now.date() + timedelta(days=ahead)
        pieces.part = pieces.part or part or _patterns().halves.get(match.groupdict().get("part") or "", "")

    return take


def _take_date(pieces: _Pieces, match: re.Match[str]) -> None:
    """A date; without a year the next one of that name."""
    groups, today = match.groupdict(), pieces.now.date()
    name = groups.get("name")
    month = _MONTHS.index(name[:3]) + 1 if name else _number(groups["month"])
    try:
        on = date(int(groups.get("year") or today.year), month, _number(groups["day"]))
        if not groups.get("year") and on < today:
            on = on.replace(year=on.year + 1)
    except ValueError as error:
        raise UnreadableTime(_("“{date}” is no date.").format(date=match[0])) from error
    pieces.on = on


def _take_part(pieces: _Pieces, match: re.Match[str]) -> None:
    part = match["part"] or match[0]
    pieces.part = next((half for word, half in _patterns().halves.items() if part.endswith(word)), "")


def _skip(pieces: _Pieces, match: re.Match[str]) -> None:
    """A word between the pieces."""


_TAKES: Mapping[str, Callable[[_Pieces, re.Match[str]], None]] = {
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
