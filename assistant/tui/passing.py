"""Time that can be made to pass, as in the demo: what the palette offers, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
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
    Passage.LIKELY: later("Demo: go to the next moment at which a routine is likely"),
    Passage.HOUR: later("Demo: let an hour pass"),
    Passage.DAY: later("Demo: let a day pass"),
    Passage.WEEKS: later("Demo: let three weeks pass in a minute"),
}


class Steering(Protocol):
    """A clock that can be steered."""

    def now(self) -> datetime:
        """The time it shows."""
        ...

    async def let_pass(self, passage: Passage) -> int:
        """Let time pass; returns how many suggestions were made meanwhile."""
        ...


def passages() -> Iterator[tuple[Passage, str]]:
    """The entries of the palette: what each does, and its words."""
    for passage, title in _TITLES.items():
        yield passage, _(title)


def clock_in_words(moment: datetime) -> str:
    """A moment for the status bar, such as `Sat 12 Dec 18:10`."""
    return in_language(moment)


def passed_in_words(now: datetime, suggested: int) -> str:
    """What is said when the time has passed."""
    return _("It is {time}. Suggestions meanwhile: {count} (f7).").format(
        time=clock_in_words(now), count=suggested
    )
