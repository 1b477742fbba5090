"""The one turn that runs: begun on a phone that is free, and kept when the program has a fault."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

from assistant.events import Event, TurnFinished
from assistant.execute.parts import TurnParts
from assistant.execute.turn import Turn
from assistant.file_lock import Claims
from assistant.i18n import _
from assistant.memory.turns import Checkpoint
from assistant.records import Outcome

_log = logging.getLogger(__name__)


class EngineBusy(Exception):
    """A turn runs already."""


class NotReady(Exception):
    """The phone or the model is missing; the message says what to do."""


class RunningTurn:
    """`turn` is the one under way, None when idle. All methods belong to the event loop's thread.

    Args:
        claims: which phones turns run on, here and in other programs.
        now: the local time with its zone.
        emit: takes the events.
        over: is called when a turn is over; with what came of it, None where it was dropped or met a fault.
    """

    def __init__(
        self,
        claims: Claims,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        over: Callable[[Turn | None, Outcome | None], None],
    ) -> None:
        self.turn: Turn | None = None
        self._claims = claims
        self._now = now
        self._emit = emit
        self._over = over
        self._task: asyncio.Task[Outcome] | None = None

    def begin(self, parts: TurnParts, checkpoint: Checkpoint, *, continued: bool) -> None:
        """Begin a turn, or go on with one that was cut off.

        Raises:
            EngineBusy: another program carries out a turn on this phone.
            NotReady: the memory's folder cannot be written.
        """
        try:
            alone = self._claims.take(parts.phone.serial)
        except OSError as error:
            raise NotReady(
                _("The memory's folder cannot be written: {strerror}.").format(strerror=error.strerror)
            ) from error
        if not alone:
            raise EngineBusy(
                _(
                    "Another program carries out a turn on this phone. Wait for its end, or choose another "
                    "phone."
                )
            )
        self.turn = Turn(parts, checkpoint, continued=continued)
        self._task = asyncio.create_task(self.turn.run())
        self._task.add_done_callback(self._ended)

    async def close(self) -> None:
        """Drop the turn; it stays stored and can be continued next time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def idle(self) -> None:
        """Wait until no turn is under way."""
        while self.turn is not None and self._task is not None:
            await asyncio.wait([self._task])

    def _ended(self, task: asyncio.Task[Outcome]) -> None:
        """The turn ended by itself, was dropped by `close`, or met a fault of the program."""
        turn, self.turn = self.turn, None
        self._claims.release()
        fault = None if task.cancelled() else task.exception()
        self._over(turn, None if task.cancelled() or fault is not None else task.result())
        if turn is not None and fault is not None:
            _log.error("the turn %s ended by a fault", turn.checkpoint.turn_id, exc_info=fault)
            self._tell_fault(turn.checkpoint, fault)

    def _tell_fault(self, kept: Checkpoint, fault: BaseException) -> None:
        self._emit(
            TurnFinished(
                time=self._now(),
                turn_id=kept.turn_id,
                outcome=Outcome.FAILED,
                answer=_("The program has a fault ({name}). The turn is kept, to continue.").format(
                    name=type(fault).__name__
                ),
                steps=len(kept.steps),
                usage=kept.usage,
                seconds=(self._now() - kept.started).total_seconds(),
            )
        )
