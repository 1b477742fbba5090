from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from assistant.events import SuggestionAnswered, SuggestionLapsed, SuggestionOffered
from assistant.proactive.suggestions import Countdown
from tests.tables import each

NOW = datetime(2026, 3, 9, 8, tzinfo=UTC)


class Begun:
    """What has begun by itself."""

    def __init__(self, *, may: bool = True) -> None:
        self.ids: list[str] = []
        self.asked = asyncio.Event()
        self._may = may
        self.countdown = Countdown(self._begin, self._asked, lambda: NOW)

    def offer(self, name: str = "s1", seconds: float | None = 0.01) -> None:
        starts = None if seconds is None else NOW + timedelta(seconds=seconds)
        self.countdown.handle_event(
            SuggestionOffered(time=NOW, id=name, instruction="Play", score=1.0, until=NOW, starts=starts)
        )

    async def _asked(self) -> bool:
        self.asked.set()
        return self._may

    def _begin(self, suggestion_id: str, instruction: str) -> None:
        self.ids.append(f"{suggestion_id} {instruction}")

    async def over(self) -> None:
        """Wait until a countdown is over."""
        async with asyncio.timeout(10):
            await self.asked.wait()


async def test_what_is_not_stopped_begins() -> None:
    begun = Begun()
    begun.offer()
    await begun.over()
    assert begun.ids == ["s1 Play"]


async def test_it_does_not_begin_while_the_user_is_busy() -> None:
    begun = Begun(may=False)
    begun.offer()
    await begun.over()
    assert begun.ids == []


@each("way", ["stopped", "answered", "lapsed", "changed", "ordinary"])
async def test_what_is_stopped_answered_or_over_does_not_begin(way: str) -> None:
    begun = Begun()
    begun.offer("s1", None if way == "ordinary" else 0.01)
    match way:
        case "stopped":
            begun.countdown.stop("s1")
        case "answered":
            begun.countdown.handle_event(SuggestionAnswered(time=NOW, id="s1", answer="not_now"))
        case "lapsed":
            begun.countdown.handle_event(SuggestionLapsed(time=NOW, id="s1"))
        case "changed":
            begun.offer("s1", None)
        case _:
            pass
    begun.offer("s2", 0.03)
    await begun.over()
    assert begun.ids == ["s2 Play"]


async def test_stopping_another_one_changes_nothing() -> None:
    begun = Begun()
    begun.offer()
    begun.countdown.stop("s2")
    await begun.over()
    assert begun.ids == ["s1 Play"]
