"""Takeover: pauses the turn when the user touches the phone, and records their actions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

from assistant.agent.checkpoint import Journal
from assistant.agent.takeover import Happening, Lost, Ringing, Watch
from assistant.agent.turn_control import TurnControl
from assistant.events import Cause, TurnState
from assistant.execute.parts import TurnParts
from assistant.execute.witness import Witness
from assistant.i18n import _, later
from assistant.phone.touches import Button, Down, Gesture
from assistant.records import Observation

T = TypeVar("T")

_TOUCHED = later("You touched the phone.")
_CALLED = later("A call comes in. Take it or decline it.")
_IGNORE_SECONDS = 1.0


class Hands:
    """Reacts to touches, buttons, calls and loss of the phone during one turn.

    Attributes:
        power_pressed: the power button was pressed, so the phone's status must be checked.
        stop_reason: why the turn must end, if no user is present to resume it; otherwise empty.
    """

    def __init__(self, context: TurnParts, control: TurnControl, checkpointer: Journal) -> None:
        self.power_pressed = False
        self.stop_reason = ""
        self._context = context
        self._control = control
        self._watcher = Watch(context.phone, self._handle_event, self._is_working)
        self._recorder = Witness(
            context.phone, checkpointer, lambda: self._watcher.panel, context.emit, context.now
        )
        self._watch_task: asyncio.Task[None] | None = None
        self._ignore_until = 0.0

    def start(self) -> None:
        """Start watching, if the settings enable it."""
        if self._context.settings.turn.takeover:
            self._watch_task = asyncio.create_task(self._watcher.run())

    async def stop(self) -> None:
        """Stop watching."""
        if self._watch_task is not None:
            self._watch_task.cancel()
            await asyncio.wait([self._watch_task])

    def ignore_touches_briefly(self) -> None:
        """Ignore touches for `_IGNORE_SECONDS`: the user has just unlocked the phone as asked."""
        self._ignore_until = asyncio.get_running_loop().time() + _IGNORE_SECONDS

    async def record_during_pause(self, pause: Awaitable[T], observation: Observation | None) -> T:
        """Await the end of a pause and record what the user does meanwhile."""
        recording = asyncio.create_task(self._recorder.record(observation))
        try:
            return await pause
        finally:
            recording.cancel()
            await asyncio.wait([recording])
            with suppress(asyncio.CancelledError):
                recording.result()

    def describe_user_actions(self, observation: Observation) -> str:
        """What the user did during the last pause, as a sentence for the model."""
        return self._recorder.describe_actions(observation)

    def _is_working(self) -> bool:
        if self._control.state is TurnState.WAITING:
            return self._control.cause is Cause.APPROVAL
        return self._control.state is TurnState.RUNNING

    def _handle_event(self, event: Happening) -> None:
        match event:
            case Gesture():
                if self._control.state in (TurnState.PAUSING, TurnState.PAUSED):
                    self._recorder.add_gesture(event)
            case Lost() | Button.POWER if self._is_working():
                self.power_pressed = self.power_pressed or isinstance(event, Button)
                self._control.interrupt()
            case Ringing():
                self._pause(Cause.CALL, _CALLED)
            case Down() | Button() if event is not Button.POWER:
                self._pause(Cause.TOUCHED, _TOUCHED)
            case _:
                pass

    def _pause(self, cause: Cause, sentence: str) -> None:
        if not self._is_working() or asyncio.get_running_loop().time() < self._ignore_until:
            return
        if self._context.attended:
            self._recorder.clear_gestures()
            self._control.pause(
                cause, _("{sentence} Press F5 when the assistant may go on.").format(sentence=_(sentence))
            )
        else:
            self.stop_reason = _("Stopped. {sentence}").format(sentence=_(sentence))
            self._control.interrupt()
