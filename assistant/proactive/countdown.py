"""Begins what the user lets begin by itself, unless it is stopped in time (PersonalAlign C.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

from assistant.events import Event, SuggestionAnswered, SuggestionLapsed, SuggestionOffered

Begin = Callable[[str, str], None]
"""Starts a suggestion by its id and instruction, with all guards of a command."""


class Countdown:
    """One suggestion at a time that begins by itself. All methods belong to the event loop's thread.

    Args:
        begin: starts it.
        may: whether it may begin, asked when the time is over: not while the user types or a turn runs.
        now: the present time.
    """

    def __init__(self, begin: Begin, may: Callable[[], bool], now: Callable[[], datetime]) -> None:
        self._begin = begin
        self._may = may
        self._now = now
        self._waiting: tuple[str, asyncio.Task[None]] | None = None

    def heed(self, event: Event) -> None:
        """Take in what becomes of suggestions."""
        match event:
            case SuggestionOffered(starts=starts) if starts is not None:
                self.stop()
                seconds = (starts - self._now()).total_seconds()
                waiting = self._wait(event.id, event.instruction, seconds)
                self._waiting = event.id, asyncio.create_task(waiting)
            case SuggestionOffered(id=over) | SuggestionAnswered(id=over) | SuggestionLapsed(id=over):
                # One that is offered again has changed since, and waits for a yes.
                self.stop(over)

    def stop(self, suggestion_id: str = "") -> None:
        """Let nothing begin by itself, or not this one; it can be accepted all the same."""
        if self._waiting is not None and suggestion_id in ("", self._waiting[0]):
            self._waiting[1].cancel()
            self._waiting = None

    async def _wait(self, suggestion_id: str, instruction: str, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))
        self._waiting = None
        if self._may():
            self._begin(suggestion_id, instruction)
