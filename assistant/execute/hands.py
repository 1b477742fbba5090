"""The user takes the phone in hand: the turn pauses at once, says why, and sees what they do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

from assistant.events import Cause, TurnState
from assistant.execute.control import TurnControl
from assistant.execute.journal import Journal
from assistant.execute.parts import TurnParts
from assistant.execute.takeover import Happening, Lost, Ringing, Watch
from assistant.execute.witness import Witness
from assistant.language import _, later
from assistant.observations import Observation
from assistant.phone.touches import Button, Down, Gesture

T = TypeVar("T")

_TOUCHED = later("You touched the phone.")
_CALLED = later("A call comes in. Take it or decline it.")
_AFTER_WAIT = 1.0


class Hands:
    """Reacts to what happens on the phone during one turn.

    `pressed_power` is set when the power button was pressed and the phone must be asked how it is; `left`
    says why the turn must end because nobody is there to let it go on.
    """

    def __init__(self, parts: TurnParts, control: TurnControl, journal: Journal) -> None:
        self.pressed_power = False
        self.left = ""
        self._parts = parts
        self._control = control
        self._watch = Watch(parts.phone, self._happened, self._at_work)
        self._witness = Witness(parts.phone, journal, lambda: self._watch.panel, parts.emit, parts.now)
        self._watching: asyncio.Task[None] | None = None
        self._ignored_until = 0.0

    def start(self) -> None:
        """Begin to watch, where the settings want it."""
        if self._parts.settings.turn.takeover:
            self._watching = asyncio.create_task(self._watch.run())

    async def stop(self) -> None:
        """End watching."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])

    def phone_came_back(self) -> None:
        """The user has just unlocked or plugged in the phone, as they were asked to: no takeover yet."""
        self._ignored_until = asyncio.get_running_loop().time() + _AFTER_WAIT

    async def while_paused(self, pause: Awaitable[T], seen: Observation | None) -> T:
        """Await the end of a pause and write down what the user does meanwhile."""
        following = asyncio.create_task(self._witness.follow(seen))
        try:
            return await pause
        finally:
            following.cancel()
            await asyncio.wait([following])
            with suppress(asyncio.CancelledError):
                following.result()

    def told(self, seen: Observation) -> str:
        """What the user did in the last pause, for the model."""
        return self._witness.finish(seen)

    def _at_work(self) -> bool:
        if self._control.state is TurnState.WAITING:
            return self._control.cause is Cause.APPROVAL
        return self._control.state is TurnState.RUNNING

    def _happened(self, one: Happening) -> None:
        match one:
            case Gesture():
                if self._control.state in (TurnState.PAUSING, TurnState.PAUSED):
                    self._witness.saw(one)
            case Lost() | Button.POWER if self._at_work():
                self.pressed_power = self.pressed_power or isinstance(one, Button)
                self._control.drop()
            case Ringing():
                self._pause(Cause.CALL, _CALLED)
            case Down() | Button() if one is not Button.POWER:
                self._pause(Cause.TOUCHED, _TOUCHED)
            case _:
                pass

    def _pause(self, cause: Cause, sentence: str) -> None:
        if not self._at_work() or asyncio.get_running_loop().time() < self._ignored_until:
            return
        if self._parts.attended:
            self._witness.forget()
            self._control.pause(
                cause, _("{sentence} Press F5 when the assistant may go on.").format(sentence=_(sentence))
            )
        else:
            self.left = _("Stopped. {sentence}").format(sentence=_(sentence))
            self._control.drop()
