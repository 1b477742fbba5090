"""Time travel in the demo: the palette's entries, and the messages about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from assistant.i18n import _, later
from assistant.i18n import moment as in_language


class TimeSpan(StrEnum):
    """How much time to let pass."""

    HOUR = "hour"
    LIKELY = "likely"
    DAY = "day"
    WEEKS = "weeks"


_TITLES = {
    TimeSpan.LIKELY: later("Demo time: go to the next moment at which a routine is likely"),
    TimeSpan.HOUR: later("Demo time: let an hour pass"),
    TimeSpan.DAY: later("Demo time: let a day pass"),
    TimeSpan.WEEKS: later("Demo time: let three weeks pass in a minute"),
}


@dataclass(frozen=True, slots=True)
class TimeTravelResult:
    """The result: how many suggestions were made meanwhile, and when the next are looked for.

    `waits` tells whether a suggestion still waits for an answer.
    """

    suggested: int = 0
    next_look: datetime | None = None
    waits: bool = False


class TimeTravel(Protocol):
    """A clock that can be advanced."""

    def now(self) -> datetime:
        """The time it shows."""
        ...

    async def let_pass(self, passage: TimeSpan) -> TimeTravelResult:
        """Let time pass; returns the result."""
        ...


def list_passages() -> Iterator[tuple[TimeSpan, str]]:
    """The palette's entries: each passage with its title."""
    for passage, title in _TITLES.items():
        yield passage, _(title)


def format_clock(moment: datetime) -> str:
    """A moment for the status bar, such as `Sat 12 Dec 18:10`."""
    return in_language(moment)


def format_passed(now: datetime, passed: TimeTravelResult) -> str:
    """The message shown when the time has passed."""
    time = format_clock(now)
    if passed.suggested:
        with_waiting = _("It is {time}. Suggestions meanwhile: {count}.")
        without_waiting = _("It is {time}. Suggestions meanwhile: {count}; past ones: f7.")
        return (with_waiting if passed.waits else without_waiting).format(time=time, count=passed.suggested)
    if passed.next_look is None:
        return _("It is {time}. Nothing comes up in the next days.").format(time=time)
    no_suggestion = _("It is {time}. Nothing comes up before {next}.")
    return no_suggestion.format(time=time, next=format_clock(passed.next_look))
