"""The hours and days that the user gives a routine: "11:50-12:30 mon-fri", "周一至周五 12点-13点"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time

from assistant.i18n import _, later
from assistant.memory.him.window_words import DAYS, SETS, days_in_words, in_english

_EVERY_DAY = SETS["daily"]
_HOURS = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?")
_DAY = re.compile(r"([a-z]{3})(?:[a-z]*)(?:\s*[-–]\s*([a-z]{3})[a-z]*)?")
_HOW = later("Write hours, days or both, such as 11:50-12:30 mon-fri, 18-19, or weekends.")


class UnreadableWindow(ValueError):
    """A text is no window of time; the message says how to write one."""


@dataclass(frozen=True, slots=True)
class Window:
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


def read_window(text: str) -> Window:
    """A window as the user writes it, in English or Chinese.

    Raises:
        UnreadableWindow: it cannot be read.
    """
    left = in_english(text).strip()
    start = end = time.min
    if found := _HOURS.search(left):
        start, end = _clock(found[1], found[2]), _clock(found[3], found[4])
        left = f"{left[: found.start()]} {left[found.end() :]}"
    days: set[int] = set()
    for word in re.split(r"[\s,;]+", re.sub(r"\s*[-–]\s*", "-", left).strip()):
        if word:
            days |= _days(word)
    if not found and not days:
        raise UnreadableWindow(_(_HOW))
    return Window(start, end, frozenset(days) or _EVERY_DAY)


def _clock(hour: str, minute: str | None) -> time:
    try:
        return time(int(hour) % 24 if hour == "24" else int(hour), int(minute or 0))
    except ValueError as error:
        raise UnreadableWindow(_(_HOW)) from error


def _days(word: str) -> frozenset[int]:
    if word in SETS:
        return SETS[word]
    found = _DAY.fullmatch(word)
    if found is None or found[1] not in DAYS or (found[2] or found[1]) not in DAYS:
        raise UnreadableWindow(_(_HOW))
    first, last = DAYS.index(found[1]), DAYS.index(found[2] or found[1])
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))
