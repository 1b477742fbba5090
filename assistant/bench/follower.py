"""Follows a turn's events: how long its steps take, what it does now, and when it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from assistant.engine import Engine
from assistant.events import Cause, Event, StateChanged, StepFinished, StepStarted, TurnFinished, TurnState
from assistant.records import Outcome


class TurnFailed(Exception):
    """An undisturbed turn did not end in success, so that nothing can be measured by it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a turn began to do in a step, and when; None where the step ended."""

    step: int
    cause: Cause | None
    time: float


class Follower:
    """What is known of the turn that an engine runs. Times are `time.monotonic()` seconds.

    `marks` tell what it did one after the other, `cause` what it does since `since`.
    """

    def __init__(self) -> None:
        self.steps: list[StepFinished] = []
        self.finished: TurnFinished | None = None
        self.state: TurnState | None = None
        self.cause = Cause.COMMAND
        self.step = 0
        self.since = 0.0
        self.marks: list[Mark] = []
        self._news = asyncio.Event()

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until something holds, or the turn is over."""
        while not wanted() and self.finished is None:
            self._news.clear()
            await self._news.wait()

    async def succeeded(self, limit: float) -> list[StepFinished]:
        """Wait for the end of the turn; its steps.

        Raises:
            TurnFailed: it did not end within `limit` seconds, or not in success.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await self.until(lambda: False)
        if self.finished is None:
            raise TurnFailed(f"The turn hangs in step {self.step}.")
        if self.finished.outcome is not Outcome.SUCCESS:
            raise TurnFailed(f"The turn ended as {self.finished.outcome}: {self.finished.answer}")
        return self.steps

    async def listen(self, engine: Engine) -> None:
        """Take events in until the engine is closed."""
        async for event in engine.events():
            self._take(event)
            self._news.set()

    def _take(self, event: Event) -> None:
        match event:
            case StepStarted(step=step):
                self.step = step
                # The first look of a turn, and one after a pause, is told before its step.
                self._does(Cause.OBSERVING)
            case StepFinished(step=step):
                self.steps.append(event)
                self.marks.append(Mark(step, None, time.monotonic()))
            case StateChanged(state=state, cause=cause):
                self.state = state
                if cause is not self.cause:
                    self._does(cause)
            case TurnFinished():
                self.finished = event

    def _does(self, cause: Cause) -> None:
        self.cause, self.since = cause, time.monotonic()
        self.marks.append(Mark(self.step, cause, self.since))


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
