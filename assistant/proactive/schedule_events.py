"""The rules of schedules, and the events with which some begin: somebody writes, the battery falls.

Which moments a rule names is computed on the wall clock, by APScheduler's cron trigger, and then carried into
the zone: a time that a change of clocks skips begins an hour later, one that comes twice begins the first
time. Events are told from what the phone shows at each look, and read in the user's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from functools import cache, lru_cache
from heapq import merge
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tzlocal
from apscheduler.triggers.cron import CronTrigger

from assistant.files import any_word, compile_words, read_words
from assistant.i18n import _, day_of, fold_case, later
from assistant.phone.apps import telling_parts
from assistant.phone.monitor import PostedNotification
from assistant.proactive.habit_table import UNKNOWN

SENDER_EVENTS = frozenset({"message", "notification"})
"""Events that somebody who writes brings about."""
_SKEW = timedelta(hours=3)
"""By how much the order of wall clocks may differ from that of moments: changes of clocks."""
_MOST = 1000
"""The most moments that are named at once."""
_LONGEST_WAIT = timedelta(days=1500)
"""A rule that names no moment for so long names none; the 29th of February comes every four years."""


DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""The days of the week as APScheduler calls them."""


class UnreadableTime(ValueError):
    """A text names no times that can be kept; the message is for the user."""


def zone_name() -> str:
    """The name of this machine's zone, such as Europe/Berlin; UTC where it has none."""
    try:
        return str(tzlocal.get_localzone_name() or "UTC")
    except (ZoneInfoNotFoundError, OSError, ValueError):
        return "UTC"


def open_zone(name: str) -> tzinfo:
    """A zone by its name.

    Raises:
        UnreadableTime: there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        raise UnreadableTime(
            _("There is no time zone “{name}”. Write one like Europe/Berlin.").format(name=name[:60])
        ) from error


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
    `notification` with the sender as the user calls them. One of the three is given. On the days `skipped`
    what comes again is left out.
    """

    crons: tuple[Mapping[str, str], ...] = ()
    at: datetime | None = None
    event: str = ""
    place: str = ""
    interval: Interval | None = None
    skipped: tuple[date, ...] = ()

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

    def times_of_day(self, now: datetime) -> set[str]:
        """The times of day at which it begins in the week to come, in hours and minutes."""
        moments = replace(self, skipped=()).moments(now.tzinfo or UTC, now, now + timedelta(days=7))
        return {f"{moment:%H:%M}" for moment in moments}

    def _walls(self, first: datetime, last: datetime) -> Iterator[datetime]:
        walls = merge(*(_walls(cron, first, last) for cron in self.crons))
        every = self.interval
        days = (wall for wall in walls if every is None or every.contains(wall.date()))
        return (wall for wall in days if wall.date() not in self.skipped)

    def as_json(self) -> dict[str, Any]:
        """The rule as the memory stores it."""
        if self.at is not None:
            return {"at": self.at.isoformat()}
        if self.event:
            return {"event": self.event, "place": self.place}
        every = self.interval
        interval = [every.number, every.unit, every.since.isoformat()] if every else None
        skipped = [day.isoformat() for day in self.skipped]
        more = {name: each for name, each in (("interval", interval), ("skipped", skipped)) if each}
        return {"crons": [dict(cron) for cron in self.crons]} | more


class MissReason(StrEnum):
    """Why an occasion was missed: no program ran then, it could not begin in time, or nobody can tell."""

    NOT_RUNNING = "not running"
    NOT_STARTED = "not started"
    UNREADABLE = "unreadable"


MISS_REASONS = {
    MissReason.NOT_RUNNING: later("the assistant was not running"),
    MissReason.NOT_STARTED: later("it could not begin in time"),
    MissReason.UNREADABLE: later("the phone does not tell who its notifications are from"),
}


def format_left_out(rule: ScheduleRule, now: datetime) -> str:
    """The single days to come on which a rule is left out; empty for none."""
    days = [day_of(datetime.combine(day, time())) for day in rule.skipped if day >= now.date()]
    return _("not on {days}").format(days=_(", ").join(days)) if days else ""


_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def times_on_days(
    rule: ScheduleRule,
    others: ScheduleRule,
    zone: tzinfo,
    now: datetime,
    *,
    chinese: bool,
    leaves_out: bool = False,
) -> str:
    """The times of a rule with the weekdays of another one, or without, in words that can be read again.

    Raises:
        UnreadableTime: none or all of its days are left, none is new, or it begins at several times of day.
    """
    until = now + timedelta(days=8)
    # A single day that is left out says nothing of the others of its name.
    moments = [each for each in replace(rule, skipped=()).moments(zone, now, until) if rule.at is None]
    named = {each.weekday() for each in others.moments(zone, now, until)}
    before = {each.weekday() for each in moments}
    days = sorted(before - named if leaves_out else before | named)
    hours = {f"{each:%H:%M}" for each in moments}
    if len(hours) != 1 or not days or len(days) == len(before):
        raise UnreadableTime(_("It is not certain which days are left. Say all of its times."))
    clock = hours.pop()
    if len(days) == len(_DAY_NAMES):
        return f"每天{clock}" if chinese else f"every day at {clock}"
    if chinese:
        return f"每{'、'.join('周' + '一二三四五六日'[day] for day in days)}{clock}"
    names = [_DAY_NAMES[day] for day in days]
    return f"every {', '.join(names[:-1])}{' and ' * (len(names) > 1)}{names[-1]} at {clock}"


def parse_rule(stored: Mapping[str, Any]) -> ScheduleRule:
    """A rule as the memory stores it."""
    at, interval = stored.get("at"), stored.get("interval")
    return ScheduleRule(
        crons=tuple(stored.get("crons", ())),
        at=datetime.fromisoformat(at) if at else None,
        event=stored.get("event", ""),
        place=stored.get("place", ""),
        interval=Interval(interval[0], interval[1], date.fromisoformat(interval[2])) if interval else None,
        skipped=tuple(map(date.fromisoformat, stored.get("skipped", ()))),
    )


def parse_cron(line: str, text: str) -> tuple[Mapping[str, str], ...]:
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
    numbers = {**{day: number for number, day in enumerate(("sun", *DAYS[:6]))}}
    days = set()
    for part in field_text.split(","):
        span, _slash, step = part.partition("/")
        first, _dash, last = span.partition("-")
        begin = numbers[first] if first in numbers else int(first)
        end = (numbers[last] if last in numbers else int(last)) if last else (6 if step else begin)
        if not 0 <= begin <= end <= 7:
            raise ValueError(field_text)
        days |= {(day - 1) % 7 for day in range(begin, end + 1, int(step or 1))}
    return [DAYS[day] for day in sorted(days)]


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


_THERE_FOR, _NOWHERE_FOR = timedelta(seconds=50), timedelta(minutes=5)
"""How long somebody must be at a place, or at none that is known; looks are a minute apart."""
_LATE = timedelta(minutes=15)
"""After so long without a look, what is new may be hours old."""


_NOON, _EVENING = 12, 17
_HOUR_OF_PART = {"pm": range(1, 12), "noon": range(1, 4), "night": range(6, 12)}
"""The hours that a part of the day moves to the second half of it."""


@dataclass(frozen=True, slots=True)
class ScheduledWords:
    """A line that names recurring times or an event: their rule and words, and what is to be done."""

    rule: ScheduleRule
    times: str
    instruction: str
    begins: bool
    """Whether the times stand first; else they stand last."""


@dataclass
class TimePieces:
    """What was read so far.

    `part` is a part of the day that holds for times without their own. `either` are days of which one is
    meant. `is_open`: a time is named of which it cannot be told when it is.
    """

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
    either: list[date] = field(default_factory=list)
    is_open: bool = False

    def dates(self) -> tuple[date, ...]:
        """The days to come of which one is meant, the first one first."""
        today = self.now.date()
        ahead = [(DAYS.index(day) - today.weekday()) % 7 or 7 for day in self.days]
        days = {*self.either, *(today + timedelta(days=days) for days in ahead)} | ({self.on} - {None})
        return tuple(sorted(day for day in days if day is not None and day >= today))


@dataclass(frozen=True, slots=True)
class TimeToCome:
    """A time to come that a command names, at which it may be meant to begin.

    Attributes:
        times: the words for it.
        instruction: the rest of the command.
        moments: what it can mean by the wall clock, the likeliest first; none where it tells no time of day.
        days: where it can mean several days, these.
    """

    times: str
    instruction: str
    moments: tuple[datetime, ...] = ()
    days: tuple[date, ...] = ()

    def on_day(self, day: date) -> TimeToCome:
        """The same on a day that was chosen."""
        return replace(self, times=day.isoformat(), moments=(), days=())


def to_rule(pieces: TimePieces, text: str) -> ScheduleRule:
    """The rule that pieces make up.

    Raises:
        UnreadableTime: it is not certain which times are meant, or they have passed.
    """
    days = pieces.weekdays or pieces.days or pieces.month_days
    if pieces.either or pieces.is_open:
        raise unclear_time(text)
    is_once = pieces.on is not None or pieces.after is not None
    if pieces.after is not None:
        if days or pieces.times or pieces.on or pieces.every or pieces.repeats:
            raise unclear_time(text)
        # By real time: adding to a time with a zone moves its wall clock instead.
        moment = (pieces.now.astimezone(UTC) + pieces.after).astimezone(pieces.now.tzinfo)
        return ScheduleRule(at=moment.replace(tzinfo=None, microsecond=0))
    if pieces.every is not None:
        if is_once or pieces.times or pieces.month_days or pieces.step:
            raise unclear_time(text)
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
            raise unclear_time(text)
        days_of_rule = _day_fields(pieces, text)
        rule = ScheduleRule(
            crons=tuple(
                {**days_of_rule, "hour": str(clock.hour), "minute": str(clock.minute)} for clock in clocks
            )
        )
        return _at_intervals(rule, pieces, text)
    if pieces.excluded:
        raise unclear_time(text)
    return ScheduleRule(at=_once(pieces, clocks, text))


def _day_fields(pieces: TimePieces, text: str) -> dict[str, str]:
    """The fields of a cron trigger for the days."""
    fields, weekdays = {}, list(dict.fromkeys((*pieces.weekdays, *pieces.days)))
    if weekdays and pieces.month_days:
        raise unclear_time(text)
    if pieces.excluded:
        usual = weekdays or DAYS
        weekdays = [day for day in usual if day not in pieces.excluded]
        if not weekdays or not set(pieces.excluded) <= set(usual):
            raise unclear_time(text)
    if weekdays:
        fields["day_of_week"] = ",".join(weekdays)
    if pieces.month_days:
        fields["day"] = ",".join(pieces.month_days)
    if pieces.month:
        fields["month"] = str(pieces.month)
    return fields


def _at_intervals(rule: ScheduleRule, pieces: TimePieces, text: str) -> ScheduleRule:
    """The rule on every so many days, weeks or months only, the first time as soon as it can be."""
    if pieces.step is None:
        return rule
    number, unit = pieces.step
    needed = {"day": [], "week": [*pieces.weekdays, *pieces.days], "month": pieces.month_days}
    given = [*pieces.weekdays, *pieces.days, *pieces.month_days, *pieces.excluded]
    if pieces.month or (unit == "day" and given) or (unit != "day" and not needed[unit]):
        raise unclear_time(text)
    first = rule.next_moment(pieces.now.tzinfo or UTC, pieces.now)
    return replace(rule, interval=Interval(number, unit, first.date())) if first and number > 1 else rule


def _once(pieces: TimePieces, clocks: Sequence[time], text: str) -> datetime:
    """The one time that is meant: on the day that is said, else the next time on the clock."""
    if len(clocks) > 1 or len(pieces.days) > 1:
        raise unclear_time(text)
    on, today = pieces.on, pieces.now.date()
    wall = pieces.now.replace(tzinfo=None)
    if pieces.days:
        ahead = (DAYS.index(pieces.days[0]) - today.weekday()) % 7
        on = today + timedelta(days=ahead)
        return datetime.combine(on, clocks[0]) + timedelta(days=7 * (datetime.combine(on, clocks[0]) <= wall))
    if on is None:
        at = datetime.combine(today, clocks[0])
        return at if at > wall else at + timedelta(days=1)
    at = datetime.combine(on, clocks[0])
    if at <= wall:
        raise UnreadableTime(_("“{text}” is over already.").format(text=text))
    return at


def moments_of(pieces: TimePieces, words: str) -> tuple[datetime, ...] | None:
    """The moments to come that some pieces can mean, () for a day alone; None where they are no such time."""
    wall, today = pieces.now.replace(tzinfo=None), pieces.now.date()
    if pieces.is_open:
        return ()
    if pieces.either:
        apart = [replace(pieces, on=day, days=[], either=[]) for day in pieces.dates()]
        return tuple(at for each in apart for at in moments_of(each, words) or ()) if pieces.times else ()
    if pieces.after is None and not pieces.times:
        is_tonight = pieces.on == today and pieces.part in ("pm", "night") and wall.hour < _EVENING
        is_day = bool(pieces.days) or (pieces.on is not None and pieces.on > today) or is_tonight
        return () if is_day else None
    has_day = pieces.on is not None or bool(pieces.days)
    # A bare number is an amount or a name, and 一点 is a little.
    if pieces.after is None and not has_day and re.fullmatch(r"[\d.]+|一点", words.strip()):
        return None
    hours = [(hour, part or pieces.part) for hour, _minute, part in pieces.times]
    is_halved = any(0 < hour < _NOON and not part for hour, part in hours) and not re.search(r"\b0\d", words)
    try:
        at = to_rule(pieces, words).at
    except UnreadableTime:
        if is_halved and pieces.on == today:
            return moments_of(replace(pieces, part="pm"), words)
        return () if has_day else None
    if at is None or at <= wall:
        return None
    others = (at + timedelta(hours=_NOON * sign) for sign in (-1, 1)) if is_halved else ()
    fitting = [other for other in others if other > wall and (not has_day or other.date() == at.date())]
    return tuple(sorted((at, *fitting)))[:2] if not has_day else (at, *fitting)


def unclear_time(text: str) -> UnreadableTime:
    """What is said of a text that can mean several times."""
    sentence = _("“{text}” can mean several times. Say it in one way, such as “every weekday at 8”.")
    return UnreadableTime(sentence.format(text=text))


def _clock(hour: int, minute: int, part: str) -> time:
    """The time of day; a part of the day says which half of it a small hour is in."""
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


class PlaceEvents:
    """Tells when the user arrives somewhere or leaves, from where they are at each look.

    A place counts when it was seen at two looks, being nowhere that is known after a while: signals come and
    go. Where the user is when the program begins is no event.
    """

    def __init__(self) -> None:
        self._settled: str | None = None
        self._candidate = ""
        self._since: datetime | None = None

    def update(self, scenario: str, now: datetime) -> list[tuple[str, str]]:
        """What happened by now, as pairs of `leave` or `arrive` and a scenario."""
        if scenario == self._settled:
            self._since = None
            return []
        if self._since is None or scenario != self._candidate:
            self._candidate, self._since = scenario, now
        if self._settled is None and scenario != UNKNOWN:
            self._settled, self._since = scenario, None
            return []
        if now - self._since < (_NOWHERE_FOR if scenario == UNKNOWN else _THERE_FOR):
            return []
        before, self._settled, self._since = self._settled, scenario, None
        places = (("leave", before), ("arrive", scenario))
        return [
            (event, place) for event, place in places if place and place != UNKNOWN and before is not None
        ]


class BatteryEvents:
    """Tells when the battery falls to a percentage, from its level at each look.

    The level at which the program begins is no event, nor is charging.
    """

    def __init__(self) -> None:
        self._level: int | None = None

    def update(self, level: int | None) -> list[tuple[str, str]]:
        """The percentages that were passed since the last look, as pairs with `battery`."""
        if level is None:
            return []
        before, self._level = self._level, level
        return [("battery", str(percent)) for percent in range(level, before or 0)]


class NotificationEvents:
    """Tells which notifications are new, from those that are shown at each look, and whom they are from.

    What is shown at the first look is no event, nor after a while without looks: it may be hours old. Of a
    burst the occasions are one, see `note_event`.
    """

    def __init__(self) -> None:
        self._seen: frozenset[str] = frozenset()
        self._looked: datetime | None = None

    def update(
        self, posted: Sequence[PostedNotification], senders: Iterable[tuple[str, str]], now: datetime
    ) -> list[tuple[str, str]]:
        """The events among `senders` that happened since the last look.

        A message is from its sender. A notification may also be of an app, named by its package.
        """
        before, self._seen = self._seen, frozenset(each.key for each in posted)
        is_first = self._looked is None or not timedelta() <= now - self._looked <= _LATE
        self._looked = now
        if is_first:
            return []
        fresh = [each for each in posted if each.key not in before]
        return [
            (event, who)
            for event, who in dict.fromkeys(senders)
            if any(_is_event(event, who, each) for each in fresh)
        ]


def normalize_words(text: str) -> str:
    """A text in lower case, with the usual forms of its characters and single spaces."""
    return " ".join(fold_case(text).split())


_IMPOSSIBLE = re.compile(
    r"(?:^|\b(?:at|by|for|from|until|till|before|after|today|tonight|tomorrow|tomorow|tmrw|\w+day|morning|evening)\s+"
    r"|@ ?|[天晚早午上晨到在])(?P<clock>(?:2[5-9]|[3-9]\d):\d{2}|\d{1,2}:[6-9]\d)(?![\d:])"
    r"|(?:[今明后]天|[今明]晚|明早|早上|上午|中午|下午|晚上|凌晨)(?P<hour>(?:2[5-9]|[3-9]\d)[点时])",
    re.IGNORECASE,
)
"""A time of day that there is none, where it stands for one: not in the name of a song."""


def find_impossible_clock(text: str) -> str:
    """What is written like a time of day and is none, such as 25:99; empty where there is nothing of it."""
    match = _IMPOSSIBLE.search(unicodedata.normalize("NFKC", text))
    return (match["clock"] or match["hour"]) if match is not None else ""


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of `schedule_events.yaml`, compiled; `places` are scenarios by the words for them."""

    moves: tuple[re.Pattern[str], ...]
    battery: tuple[re.Pattern[str], ...]
    senders: Mapping[str, tuple[re.Pattern[str], ...]]
    places: Mapping[str, str]
    nobody: frozenset[str]


@cache
def _patterns() -> _Patterns:
    data = read_words("assistant.proactive", "schedule_events.yaml")
    places = {word: scenario for scenario, words in data["places"].items() for word in words}
    parts = {**data["parts"], "places": any_word(places)}
    moves, battery, messages, notifications = (
        tuple(compile_words(pattern, parts) for pattern in data[kind])
        for kind in ("moves", "battery", "messages", "notifications")
    )
    senders = {"message": messages, "notification": notifications}
    return _Patterns(moves, battery, senders, places, frozenset(data["nobody"]))


_LOW_BATTERY = 15
"""Percent: at which Android warns of a low battery."""


def parse_event(line: str) -> tuple[str, str] | None:
    """The event of words such as `when I get home` or `when the bank texts`; None for other words.

    Args:
        line: in lower case, see `normalize_words`.

    Returns:
        Its name, and the place, percentage or sender, see `ScheduleRule`.
    """
    patterns = _patterns()
    falls = next(filter(None, (pattern.fullmatch(line) for pattern in patterns.battery)), None)
    if falls is not None:
        return "battery", falls["percent"] or str(_LOW_BATTERY)
    move = next(filter(None, (pattern.fullmatch(line) for pattern in patterns.moves)), None)
    if move is not None:
        leaves = move["verb"] in ("leave", "get out", "离开", "出", "下")
        return "leave" if leaves else "arrive", patterns.places[move["place"]]
    senders = (
        (event, match["who"].strip())
        for event, kinds in patterns.senders.items()
        for pattern in kinds
        if (match := pattern.fullmatch(line))
    )
    return next(((event, who) for event, who in senders if who not in patterns.nobody), None)


def bare_name(who: str) -> str:
    """What a user calls a sender, without `the` and `my`."""
    return re.sub(r"^(?:(?:the|my|our)\s+|我们?的?(?=.))", "", normalize_words(who))


def is_description(who: str) -> bool:
    """Whether a user says what the sender is, as with `the bank`, or may do so, as in Chinese (银行)."""
    return normalize_words(who).startswith("the ") or re.search(r"[\u3400-\u9fff]", who) is not None


def names_sender(who: str, sender: str) -> bool:
    """Whether a name on a notification is the one that a user means.

    A description is words of the name, in Chinese its end (招商银行 is 银行). Any other name is the whole
    name, or its first words.

    Args:
        who: as the user calls the sender.
        sender: the name that a notification shows.
    """
    words, shown = re.findall(r"\w+", bare_name(who)), re.findall(r"\w+", normalize_words(sender))
    if not words or not is_description(who):
        return bool(words) and shown[: len(words)] == words and shown[len(words) :][:1] != ["s"]
    if normalize_words(who).startswith("the "):
        return any(shown[place : place + len(words)] == words for place in range(len(shown)))
    return "".join(shown).endswith("".join(words))


def _is_event(event: str, who: str, posted: PostedNotification) -> bool:
    if names_sender(who, posted.title):
        return event == "notification" or posted.is_message
    return event == "notification" and any(names_sender(who, part) for part in telling_parts(posted.package))


def format_sender(rule: ScheduleRule) -> str:
    """Which names a rule that begins with a notification counts; empty for another rule."""
    if rule.event not in SENDER_EVENTS:
        return ""
    sentence = (
        _("It counts messages whose sender the phone shows as “{who}”, or with that in the name.")
        if is_description(rule.place)
        else _("It counts messages whose sender the phone shows as “{who}”, no other names.")
    )
    if rule.event == "notification":
        sentence = _("It counts notifications titled “{who}”, or of an app of that name.")
    return sentence.format(who=bare_name(rule.place))
