"""Time that can be made to pass, as in the demo: what the palette offers, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from assistant.language import _, later
from assistant.language import moment as in_language


class Passage(StrEnum):
    """How much time passes."""

    HOUR = "hour"
    LIKELY = "likely"
    DAY = "day"
    WEEKS = "weeks"


_TITLES = {
    Passage.LIKELY: later("Demo time: go to the next moment at which a routine is likely"),
    Passage.HOUR: later("Demo time: let an hour pass"),
    Passage.DAY: later("Demo time: let a day pass"),
    Passage.WEEKS: later("Demo time: let three weeks pass in a minute"),
}


@dataclass(frozen=True, slots=True)
class Passed:
    """What came of it: how many suggestions were made meanwhile, and when it looks for more next.

    `waits` tells that one of them still waits for an answer.
    """

    suggested: int = 0
    next_look: datetime | None = None
    waits: bool = False


class Steering(Protocol):
    """A clock that can be steered."""

    def now(self) -> datetime:
        """The time it shows."""
        ...

    async def let_pass(self, passage: Passage) -> Passed:
        """Let time pass; returns what came of it."""
        ...


def passages() -> Iterator[tuple[Passage, str]]:
    """The entries of the palette: what each does, and its words."""
    for passage, title in _TITLES.items():
        yield passage, _(title)


def clock_in_words(moment: datetime) -> str:
    """A moment for the status bar, such as `Sat 12 Dec 18:10`."""
    return in_language(moment)


def passed_in_words(now: datetime, passed: Passed) -> str:
    """What is said when the time has passed."""
    time = clock_in_words(now)
    if passed.suggested:
        waiting = _("It is {time}. Suggestions meanwhile: {count}.")
        over = _("It is {time}. Suggestions meanwhile: {count}; past ones: f7.")
        return (waiting if passed.waits else over).format(time=time, count=passed.suggested)
    if passed.next_look is None:
        return _("It is {time}. Nothing comes up in the next days.").format(time=time)
    nothing = _("It is {time}. Nothing comes up before {next}.")
    return nothing.format(time=time, next=clock_in_words(passed.next_look))
