"""Waits, up to the time in the settings, for a phone that was disconnected, locked or switched off."""

from __future__ import annotations

from assistant.agent.checkpoint import Journal
from assistant.agent.turn_control import Interrupted, TurnControl
from assistant.events import Cause, PhoneState, PhoneStateChanged, TurnState
from assistant.execute.hands import Hands
from assistant.execute.parts import TurnParts
from assistant.execute.phone_wait import wait_for_user
from assistant.execute.states import Signal
from assistant.phone.errors import PhoneError
from assistant.phone.following import phone_event


class Outage:
    """Waits until the phone of one turn can be used again."""

    def __init__(
        self, context: TurnParts, control: TurnControl, checkpointer: Journal, takeover: Hands
    ) -> None:
        self._context = context
        self._control = control
        self._checkpointer = checkpointer
        self._takeover = takeover

    async def wait_after_power_button(self) -> str:
        """Wait until the user unlocks the phone, after they pressed its power button.

        Returns:
            Why the phone cannot be used, as `wait` does; empty if it is ready.
        """
        status = await self._control.run_cancellable(self._context.phone.status())
        self._takeover.power_pressed = False
        if status.state is PhoneState.READY:
            return ""
        return await self.wait(PhoneError(status.state, status.sentence), wake=False)

    async def wait(self, error: PhoneError, *, wake: bool = True) -> str:
        """Wait until the phone can be used again.

        Args:
            error: why it cannot be used.
            wake: switch the screen on; `False` after the user has switched it off.

        Returns:
            Why it still cannot be used when the time is over; empty if the turn can continue.
        """
        if self._control.state is not TurnState.RUNNING:
            return ""
        phone, now = self._context.phone, self._context.now
        self._context.emit(PhoneStateChanged(time=now(), state=error.state, sentence=error.sentence))
        self._control.apply_signal(Signal.USER_NEEDED, Cause.PHONE, error.sentence)
        limit = self._context.settings.phone.return_wait
        try:
            waiting = phone.wait_ready(limit) if wake else wait_for_user(phone, limit)
            status = await self._control.run_cancellable(waiting)
        except Interrupted:
            return ""
        self._takeover.ignore_touches_briefly()
        self._context.emit(phone_event(status, now()))
        self._control.apply_signal(Signal.ANSWERED, Cause.OBSERVING)
        if status.state is PhoneState.READY:
            self._checkpointer.add_transient_notes(f"The phone was away ({error.sentence}) and is back.")
            return ""
        return status.sentence
