"""Follows a turn's events: how long its steps take, what it does now, and when it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from assistant.engine import Engine
from assistant.events import Cause, Event, StateChanged, StepFinished, StepStarted, TurnFinished, TurnState


class Follower:
    """What is known of the turn that an engine runs. Times are `time.monotonic()` seconds."""

    def __init__(self) -> None:
        self.steps: list[StepFinished] = []
        self.finished: TurnFinished | None = None
        self.state: TurnState | None = None
        self.cause = Cause.COMMAND
        self.step = 0
        self.step_began = 0.0
        self._news = asyncio.Event()

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until something holds, or the turn is over."""
        while not wanted() and self.finished is None:
            self._news.clear()
            await self._news.wait()

    async def listen(self, engine: Engine) -> None:
        """Take events in until the engine is closed."""
        async for event in engine.events():
            self._take(event)
            self._news.set()

    def _take(self, event: Event) -> None:
        match event:
            case StepStarted(step=step):
                self.step, self.step_began = step, time.monotonic()
            case StepFinished():
                self.steps.append(event)
            case StateChanged(state=state, cause=cause):
                self.state, self.cause = state, cause
            case TurnFinished():
                self.finished = event


@asynccontextmanager
async def following(engine: Engine) -> AsyncIterator[Follower]:
    """A follower of an engine whose events nobody else takes."""
    follower = Follower()
    listening = asyncio.create_task(follower.listen(engine))
    try:
        yield follower
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
