"""From what the user typed to what the turn carries out: understanding it, looks into apps, questions.

A look is a turn of its own in one app, of few steps, that may only read: every sensitive action is refused,
nobody is asked, and neither a checkpoint nor a record is kept of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from assistant.config import AppLock, Settings
from assistant.events import ErrandStepped, Event, PhoneStateChanged, StateChanged, StepFinished
from assistant.execute.control import Interrupted, TurnControl
from assistant.execute.journal import Journal
from assistant.language import _
from assistant.memory.turns import Checkpoint
from assistant.records import Finished, Outcome

if TYPE_CHECKING:
    from assistant.execute.asking import Asker
    from assistant.execute.parts import TurnParts
    from assistant.execute.turn import Turn


@dataclass(frozen=True, slots=True)
class Look:
    """A read-only errand: the instruction for it, the app it stays in, and its limits (seconds of work)."""

    task: str
    app: str
    max_steps: int
    max_seconds: float


@dataclass(frozen=True, slots=True)
class Meant:
    """What a command means. `reference` tells the model how it was done before, where that is known.

    `assumed` when something in the instruction is not from the user's own words: then they see it before
    anything runs. `corrected` is told the instruction as they changed it.
    """

    instruction: str
    reference: str = ""
    assumed: bool = False
    corrected: Callable[[str], None] | None = None


LooksUp = Callable[[Look], Awaitable[str]]
"""Carries a look out; its answer, empty where there is none."""
AsksUser = Callable[[str, Sequence[str]], Awaitable[str]]
"""Asks a question with likely answers; the user's words, empty where nobody answers."""


class Understands(Protocol):
    """Finds out what a command means for this user."""

    async def __call__(self, said: str, looks_up: LooksUp, asks: AsksUser) -> Meant:
        """The meaning; the command itself where nothing in it depends on the user."""


class Resolver:
    """Resolves the command of one turn; a pause or a cancel reaches the look under way.

    Args:
        parts: what the turn works with.
        control: the turn's.
        journal: the turn's.
        asker: the turn's.
        errand: makes the turn of a look.
    """

    def __init__(
        self,
        parts: TurnParts,
        control: TurnControl,
        journal: Journal,
        asker: Asker,
        errand: Callable[[TurnParts, Checkpoint], Turn],
    ) -> None:
        self.errand: Turn | None = None
        self._parts = parts
        self._control = control
        self._journal = journal
        self._asker = asker
        self._make_errand = errand
        self._meant: Meant | None = None

    async def find(self) -> None:
        """Note in the journal what the command means, once the user has seen what was assumed.

        Raises:
            Interrupted: the turn was paused or cancelled meanwhile; what it means is not known yet.
        """
        kept = self._journal.kept
        understands = self._parts.understands
        if understands is None or kept.steps or kept.instruction != kept.said:
            return
        if self._meant is None:
            await self._memory_filled()
            self._meant = await understands(kept.said, self._look_up, self._asker.meaning)
        meant = self._meant
        agreed = await self._asker.agreed(meant.instruction) if meant.assumed else meant.instruction
        self._journal.mean(agreed)
        if agreed == meant.instruction:
            if meant.reference:
                self._journal.note(meant.reference)
        elif meant.corrected is not None:
            meant.corrected(agreed)

    async def _memory_filled(self) -> None:
        """Wait while the memory is being filled: what is not there yet must not count as unknown."""
        filled = self._parts.filled
        if filled is None or filled.done():
            return
        self._tell(_("The memory is filled first."))
        await self._control.droppable(asyncio.wait([filled]))
        self._tell("")

    def _tell(self, sentence: str) -> None:
        state, cause = self._control.state, self._control.cause
        self._parts.emit(StateChanged(time=self._parts.now(), state=state, cause=cause, sentence=sentence))

    async def _look_up(self, look: Look) -> str:
        kept = self._journal.kept
        checkpoint = Checkpoint(
            turn_id=f"{kept.turn_id}-look",
            user_id=kept.user_id,
            started=self._parts.now(),
            said=look.task,
            instruction=look.task,
        )
        parts = replace(
            self._parts,
            settings=_limited(self._parts.settings, look),
            emit=lambda event: self._relay(look, event),
            attended=False,
            approved=frozenset(),
            secrets=None,
            understands=None,
        )
        self.errand = self._make_errand(parts, checkpoint)
        try:
            outcome = await self.errand.run()
            done = self.errand.checkpoint
            answer = self.errand.answer
        finally:
            self.errand = None
        self._journal.use(done.usage, done.cost, done.model)
        if outcome is Outcome.CANCELLED:
            self._control.cancelling = True
            raise Interrupted
        return answer if outcome is Outcome.SUCCESS else ""

    def _relay(self, look: Look, event: Event) -> None:
        """Tell of a look what a person should see: its steps, its pauses, and what becomes of the phone."""
        match event:
            case StepFinished(action=action, error=error, seconds=seconds) if not isinstance(
                action, Finished
            ):
                stepped = ErrandStepped(
                    time=event.time, app=look.app, action=action, error=error, seconds=seconds
                )
                self._parts.emit(stepped)
            case StateChanged(state=state) if not state.final:
                self._parts.emit(event)
            case PhoneStateChanged():
                self._parts.emit(event)


def _limited(settings: Settings, look: Look) -> Settings:
    """The settings of a look: inside one app, few steps, and no second look at its answer."""
    limits = {
        "max_steps": look.max_steps,
        "max_seconds": look.max_seconds,
        "app_lock": AppLock.TASK,
        "confirm": False,
    }
    return settings.overridden({"turn": limits})
