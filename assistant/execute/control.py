"""How a turn is stopped and let go on: the state machine at work, and the work that can be dropped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from assistant.events import Cause, TurnState
from assistant.execute.states import Signal, follow

T = TypeVar("T")

_ASKING = (Cause.APPROVAL, Cause.QUESTION, Cause.MEANING)
_STOPPABLE = (TurnState.RESOLVING, TurnState.RUNNING, TurnState.WAITING)


class Interrupted(Exception):
    """The user paused, cancelled or spoke: the work under way was dropped."""


class TurnControl:
    """The turn's state and the one piece of work that is under way.

    All methods belong to the event loop's thread. `changed` is told each state with cause and sentence.
    `waited` are the seconds in which it stood still for the user, up to the last time it went on; `clock`
    gives seconds that only grow.
    """

    def __init__(
        self,
        changed: Callable[[TurnState, Cause, str], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.state = TurnState.RESOLVING
        self.cause = Cause.COMMAND
        self.cancelling = False
        self.waited = 0.0
        self._since: float | None = None
        self._changed = changed
        self._clock = clock
        self._work: asyncio.Future[Any] | None = None
        self._stop: Callable[[], object] | None = None
        self._dropped = False
        self._going_on = asyncio.Event()
        self._why_paused = (Cause.USER_PAUSED, "")

    def pause(self, cause: Cause = Cause.USER_PAUSED, sentence: str = "") -> None:
        """Drop the work under way; the turn becomes paused as soon as an action in flight is over."""
        if self.state in _STOPPABLE:
            self.hold(cause, sentence)
            self.drop()

    def resume(self) -> None:
        """Let a paused turn go on."""
        if self.state in (TurnState.PAUSING, TurnState.PAUSED):
            self._going_on.set()

    def cancel(self) -> None:
        """Drop the work under way and end the turn."""
        if not self.state.final:
            self.cancelling = True
            self.drop()

    def drop(self) -> None:
        """Drop the work under way, if any: whoever awaits it gets `Interrupted`."""
        if self._work is None or self._work.done():
            return
        if self._stop is not None:
            self._stop()
        else:
            self._dropped = True
            self._work.cancel()

    def hold(self, cause: Cause, sentence: str) -> None:
        """Begin a pause for a reason that `still` will show."""
        self._going_on.clear()
        self._why_paused = (cause, sentence)
        self.follow(Signal.PAUSE, cause, sentence)

    async def stay_paused(self) -> None:
        """Nothing is in flight any more: stay paused until the user resumes or cancels.

        Raises:
            Interrupted: when the turn is cancelled meanwhile.
        """
        self.follow(Signal.STILL, *self._why_paused)
        await self.droppable(self._going_on.wait())
        self.follow(Signal.RESUME, Cause.OBSERVING)

    def follow(self, signal: Signal, cause: Cause, sentence: str = "") -> None:
        """Take a signal: change the state and tell it."""
        self.state = follow(self.state, signal)
        self.cause = cause
        self._measure()
        self._changed(self.state, cause, sentence)

    def _measure(self) -> None:
        """Begin to count the time, or end it."""
        asked = self.state is TurnState.WAITING and self.cause in _ASKING
        stands = asked or self.state is TurnState.PAUSED
        if stands and self._since is None:
            self._since = self._clock()
        elif not stands and self._since is not None:
            self.waited += self._clock() - self._since
            self._since = None

    def doing(self, cause: Cause) -> None:
        """Tell what a running turn does now."""
        if cause is not self.cause:
            self.cause = cause
            self._changed(self.state, cause, "")

    async def droppable(self, work: Awaitable[T], stop: Callable[[], object] | None = None) -> T:
        """Await work that a pause, a cancel or the user's words may drop.

        Where `stop` is given it is called instead, and the work ends by itself as soon as it can.

        Raises:
            Interrupted: when it was dropped, or must not even begin.
        """
        future: asyncio.Future[T] = asyncio.ensure_future(work)
        self._work = future
        if self.cancelling or self.state is TurnState.PAUSING:
            self.drop()
        self._stop = stop
        try:
            return await future
        except asyncio.CancelledError:
            if not self._dropped:
                raise
            raise Interrupted from None
        finally:
            self._work = self._stop = None
            self._dropped = False
