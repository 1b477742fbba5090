"""Time windows that the user gives a routine: "11:50-12:30 mon-fri", "周一至周五 12点-13点".

They are parsed from English and Chinese, with full-width or normal characters, and written in one form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time

from assistant.i18n import _, later

DAYS = (later("mon"), later("tue"), later("wed"), later("thu"), later("fri"), later("sat"), later("sun"))
"""What the days of the week are called in a window, Monday first."""

SETS = {
    "weekdays": frozenset(range(5)),
    "weekends": frozenset((5, 6)),
    later("daily"): frozenset(range(7)),
}
"""Days by one word for all of them."""

_TO = re.compile(r"\s*[-–—―~〜至到]\s*")
_AND = re.compile("[、和及与]")
_PART = "(?:(凌晨|清晨|早上|上午|中午|下午|傍晚|晚上)\\s*)?"
_CLOCK = f"{_PART}(\\d{{1,2}})(?:[点时](?:(半)|(\\d{{1,2}})分?)?整?|:(\\d{{2}}))?"
_CHINESE_HOURS = re.compile(f"{_CLOCK}-{_CLOCK}")
_AFTERNOON = ("中午", "下午", "傍晚", "晚上")
_LATE_MORNING = 10

_WEEK = "(?:每?(?:周|星期|礼拜))"
_CHINESE_DAY = "[一二三四五六日天]"
_SETS = {
    "daily": re.compile("每[天日]|天天"),
    "weekdays": re.compile("工作日|平日|上班日"),
    "weekends": re.compile(f"{_WEEK}末|双休日|休息日"),
}
_DAY_RANGE = re.compile(f"{_WEEK}({_CHINESE_DAY})-{_WEEK}?({_CHINESE_DAY})")
_DAY_LIST = re.compile(f"{_WEEK}({_CHINESE_DAY}(?:[,、和及与]?{_CHINESE_DAY})*)")


def in_english(text: str) -> str:
    """A window in the signs and words of English ones; what is not known stays as it is."""
    normalized = _TO.sub("-", unicodedata.normalize("NFKC", text).casefold())
    normalized = _CHINESE_HOURS.sub(_hours, normalized)
    for word, chinese in _SETS.items():
        normalized = chinese.sub(f" {word} ", normalized)
    normalized = _DAY_RANGE.sub(lambda match: f" {_day(match[1])}-{_day(match[2])} ", normalized)
    normalized = _DAY_LIST.sub(
        lambda match: f" {' '.join(map(_day, re.findall(_CHINESE_DAY, match[1])))} ", normalized
    )
    return _AND.sub(" ", normalized)


def _hours(match: re.Match[str]) -> str:
    """“下午2点-4点” as `14:00-16:00`; a part of the day holds for both where they follow one another."""
    part, first, *before = match.groups()[:5]
    other, second, *behind = match.groups()[5:]
    start = _hour(int(first), part)
    end = _hour(int(second), other or part)
    if other is None and end < start:
        end = int(second)
    return f"{start}:{_minutes(before)}-{end}:{_minutes(behind)}"


def _hour(hour: int, part: str | None) -> int:
    """An hour of the day as a clock with 24 hours has it."""
    if part not in _AFTERNOON or (part == "中午" and hour >= _LATE_MORNING):
        return hour
    return hour + 12 if hour < 12 or (part == "晚上" and hour == 12) else hour


def _minutes(written: list[str | None]) -> str:
    half, behind, clock = written
    return "30" if half else (behind or clock or "00")


def _day(character: str) -> str:
    return DAYS["一二三四五六日".index(character.replace("天", "日"))]


def days_in_words(days: frozenset[int], translated: Callable[[str], str] = str) -> str:
    """Days of a week, 0 for Monday, in words that can be read again; empty for all of them."""
    if days == SETS["daily"]:
        return ""
    ordered = sorted(days)
    names = [translated(DAYS[day]) for day in ordered]
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return translated("{first}-{last}").format(first=names[0], last=names[-1])
    return " ".join(names)


_EVERY_DAY = SETS["daily"]
_HOURS = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?")
_DAY = re.compile(r"([a-z]{3})(?:[a-z]*)(?:\s*[-–]\s*([a-z]{3})[a-z]*)?")
_HOW = later("Write hours, days or both, such as 11:50-12:30 mon-fri, 18-19, or weekends.")


class UnreadableTimeWindow(ValueError):
    """A text is no window of time; the message says how to write one."""


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """From `start` up to `end` of the days (Monday is 0); past midnight when the end is before the start."""

    start: time = time.min
    end: time = time.min
    days: frozenset[int] = _EVERY_DAY

    def holds(self, moment: datetime) -> bool:
        """Whether a local moment lies in it; after midnight the day before counts."""
        clock, day = moment.time(), moment.weekday()
        if self.start == self.end:
            return day in self.days
        if self.start < self.end:
            return day in self.days and self.start <= clock <= self.end
        return (day in self.days and clock >= self.start) or (
            (day - 1) % 7 in self.days and clock <= self.end
        )

    def __str__(self) -> str:
        """As it is kept, in English."""
        return self._written(str)

    @property
    def words(self) -> str:
        """As the user reads it, in the language of the interface; it can be read back."""
        return self._written(_)

    def _written(self, translated: Callable[[str], str]) -> str:
        hours = "" if self.start == self.end else f"{self.start:%H:%M}-{self.end:%H:%M}"
        days = days_in_words(self.days, translated)
        return " ".join(part for part in (hours, days) if part) or translated("daily")


def read_window(text: str) -> TimeWindow:
    """A window as the user writes it, in English or Chinese.

    Raises:
        UnreadableWindow: it cannot be read.
    """
    left = in_english(text).strip()
    start = end = time.min
    if match := _HOURS.search(left):
        start, end = _clock(match[1], match[2]), _clock(match[3], match[4])
        left = f"{left[: match.start()]} {left[match.end() :]}"
    days: set[int] = set()
    for word in re.split(r"[\s,;]+", re.sub(r"\s*[-–]\s*", "-", left).strip()):
        if word:
            days |= _days(word)
    if not match and not days:
        raise UnreadableTimeWindow(_(_HOW))
    return TimeWindow(start, end, frozenset(days) or _EVERY_DAY)


def _clock(hour: str, minute: str | None) -> time:
    try:
        return time(int(hour) % 24 if hour == "24" else int(hour), int(minute or 0))
    except ValueError as error:
        raise UnreadableTimeWindow(_(_HOW)) from error


def _days(word: str) -> frozenset[int]:
    if word in SETS:
        return SETS[word]
    match = _DAY.fullmatch(word)
    if match is None or match[1] not in DAYS or (match[2] or match[1]) not in DAYS:
        raise UnreadableTimeWindow(_(_HOW))
    first, last = DAYS.index(match[1]), DAYS.index(match[2] or match[1])
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))
