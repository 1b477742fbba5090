"""Resolves the typed command to an explicit instruction, with lookups in apps and questions to the user.

A lookup is a separate read-only turn of few steps in one app: every sensitive action is refused, the user is
not asked, and neither a checkpoint nor a record is stored.

The objects that the parts of a turn share.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.secret_entry import NamedSecrets
from assistant.agent.turn_control import Interrupted, TurnControl
from assistant.events import ActionKind, ErrandStepped, Event, PhoneStateChanged, StateChanged, StepFinished
from assistant.i18n import _
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.phone.device import Phone
from assistant.records import Finished, Outcome
from assistant.settings.schema import AppLock, Settings

if TYPE_CHECKING:
    from assistant.agent.turn import Turn
    from assistant.agent.user_prompts import UserPrompter
    from assistant.model.client import VisionModel


@dataclass(frozen=True, slots=True)
class AppLookup:
    """A read-only lookup: its instruction, its app, and its limits in steps and seconds of work."""

    task: str
    app: str
    max_steps: int
    max_seconds: float


@dataclass(frozen=True, slots=True)
class ResolvedCommand:
    """The meaning of a command.

    Attributes:
        instruction: the explicit instruction.
        reference: for the model, how the same was done before; empty if unknown.
        assumed: whether part of the instruction is not from the user's words. It is shown to the user before
            the turn starts.
        on_correction: called with the instruction as the user changed it.
    """

    instruction: str
    reference: str = ""
    assumed: bool = False
    on_correction: Callable[[str], None] | None = None


LooksUp = Callable[[AppLookup], Awaitable[str]]
"""Runs a lookup; returns its answer, empty if there is none."""
AsksUser = Callable[[str, Sequence[str]], Awaitable[str]]
"""Asks the user a question with suggested answers; returns the user's words, empty if nobody answers."""


class CommandResolver(Protocol):
    """Resolves what a command means for this user."""

    async def __call__(self, command: str, look_up: LooksUp, ask_user: AsksUser) -> ResolvedCommand:
        """The meaning; the command itself if nothing in it depends on the user."""


class TurnCommandResolver:
    """Resolves the command of one turn. A pause or cancel of the turn applies to the lookup under way.

    Args:
        context: phone, model, store and settings of the turn.
        control: state of the turn.
        checkpointer: checkpoint of the turn.
        prompter: asks the user.
        make_lookup_turn: creates the turn of a lookup.
    """

    def __init__(
        self,
        context: TurnContext,
        control: TurnControl,
        checkpointer: TurnCheckpointer,
        prompter: UserPrompter,
        make_lookup_turn: Callable[[TurnContext, Checkpoint], Turn],
    ) -> None:
        self.lookup_turn: Turn | None = None
        self._context = context
        self._control = control
        self._checkpointer = checkpointer
        self._prompter = prompter
        self._make_lookup_turn = make_lookup_turn
        self._meaning: ResolvedCommand | None = None

    async def resolve(self) -> None:
        """Resolve the command and store the instruction, after the user confirmed what was assumed.

        Raises:
            Interrupted: the turn was paused or cancelled before the command was resolved.
        """
        checkpoint = self._checkpointer.checkpoint
        command_resolver = self._context.command_resolver
        if command_resolver is None or checkpoint.steps or checkpoint.instruction != checkpoint.said:
            return
        if self._meaning is None:
            await self._wait_for_memory()
            self._meaning = await command_resolver(checkpoint.said, self._look_up, self._prompter.ask_meaning)
        meaning = self._meaning
        confirmed = (
            await self._prompter.confirm_instruction(meaning.instruction)
            if meaning.assumed
            else meaning.instruction
        )
        self._checkpointer.set_instruction(confirmed)
        if confirmed == meaning.instruction:
            if meaning.reference:
                self._checkpointer.add_note(meaning.reference)
        elif meaning.on_correction is not None:
            meaning.on_correction(confirmed)

    async def _wait_for_memory(self) -> None:
        """Wait while the memory is being loaded, so that missing entries do not count as unknown."""
        filled = self._context.filled
        if filled is None or filled.done():
            return
        self._emit_state(_("The memory is filled first."))
        await self._control.run_cancellable(asyncio.wait([filled]))
        self._emit_state("")

    def _emit_state(self, sentence: str) -> None:
        state, cause = self._control.state, self._control.cause
        self._context.emit(
            StateChanged(time=self._context.now(), state=state, cause=cause, sentence=sentence)
        )

    async def _look_up(self, lookup: AppLookup) -> str:
        checkpoint = self._checkpointer.checkpoint
        lookup_checkpoint = Checkpoint(
            turn_id=f"{checkpoint.turn_id}-look",
            user_id=checkpoint.user_id,
            started=self._context.now(),
            said=lookup.task,
            instruction=lookup.task,
        )
        lookup_context = replace(
            self._context,
            settings=_lookup_settings(self._context.settings, lookup),
            emit=lambda event: self._forward_event(lookup, event),
            attended=False,
            approved_kinds=frozenset(),
            secrets=None,
            command_resolver=None,
        )
        self.lookup_turn = self._make_lookup_turn(lookup_context, lookup_checkpoint)
        try:
            outcome = await self.lookup_turn.run()
            result = self.lookup_turn.checkpoint
            answer = self.lookup_turn.answer
        finally:
            self.lookup_turn = None
        self._checkpointer.add_usage(result.usage, result.cost, result.model)
        if outcome is Outcome.CANCELLED:
            self._control.cancelling = True
            raise Interrupted
        return answer if outcome is Outcome.SUCCESS else ""

    def _forward_event(self, lookup: AppLookup, event: Event) -> None:
        """Emit the events of a lookup that the user should see: steps, pauses, and states of the phone."""
        match event:
            case StepFinished(action=action, error=error, seconds=seconds) if not isinstance(
                action, Finished
            ):
                stepped = ErrandStepped(
                    time=event.time, app=lookup.app, action=action, error=error, seconds=seconds
                )
                self._context.emit(stepped)
            case StateChanged(state=state) if not state.final:
                self._context.emit(event)
            case PhoneStateChanged():
                self._context.emit(event)


def _lookup_settings(settings: Settings, lookup: AppLookup) -> Settings:
    """The settings of a lookup: one app, few steps, and no confirmation of its answer."""
    limits = {
        "max_steps": lookup.max_steps,
        "max_seconds": lookup.max_seconds,
        "app_lock": AppLock.TASK,
        "confirm": False,
    }
    return settings.overridden({"turn": limits})


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The phone, model, store and settings of one turn.

    Attributes:
        attended: whether a user can answer; if not, the turn fails where it would have to wait for one.
        approved_kinds: kinds of sensitive actions that need no approval in this turn.
        secrets: the secrets that the model may refer to by name.
        command_resolver: resolves what the command means; without it the command is used as typed.
        filled: if set, the command is resolved only after this future is done (a memory is being loaded).
    """

    phone: Phone
    model: VisionModel
    store: Store
    settings: Settings
    now: Callable[[], datetime]
    emit: Callable[[Event], None]
    attended: bool = True
    approved_kinds: frozenset[ActionKind] = frozenset()
    secrets: NamedSecrets | None = None
    command_resolver: CommandResolver | None = None
    filled: asyncio.Future[None] | None = None
