"""A phone that is lost, locked or dark in the middle of a turn: wait for it, as long as the settings say."""

from __future__ import annotations

from assistant.events import Cause, PhoneState, PhoneStateChanged, TurnState
from assistant.execute.control import Interrupted, TurnControl
from assistant.execute.hands import Hands
from assistant.execute.journal import Journal
from assistant.execute.parts import TurnParts
from assistant.execute.phone_wait import wait_for_user
from assistant.execute.states import Signal
from assistant.phone.errors import PhoneError
from assistant.phone.following import phone_event


class Outage:
    """Waits for the phone of one turn."""

    def __init__(self, parts: TurnParts, control: TurnControl, journal: Journal, hands: Hands) -> None:
        self._parts = parts
        self._control = control
        self._journal = journal
        self._hands = hands

    async def look_at_power(self) -> str:
        """The user pressed the power button: unless the phone is still in use, wait until they unlock it.

        Returns:
            What keeps the phone from being used, as `wait` does.
        """
        status = await self._control.droppable(self._parts.phone.status())
        self._hands.pressed_power = False
        if status.state is PhoneState.READY:
            return ""
        return await self.wait(PhoneError(status.state, status.sentence), wake=False)

    async def wait(self, error: PhoneError, *, wake: bool = True) -> str:
        """Wait until the phone can be used again; a screen that the user switched off is left dark.

        Returns:
            Why it still cannot be used when the time is over; empty when the turn may go on.
        """
        if self._control.state is not TurnState.RUNNING:
            return ""
        phone, now = self._parts.phone, self._parts.now
        self._parts.emit(PhoneStateChanged(time=now(), state=error.state, sentence=error.sentence))
        self._control.follow(Signal.USER_NEEDED, Cause.PHONE, error.sentence)
        limit = self._parts.settings.phone.return_wait
        try:
            waiting = phone.wait_ready(limit) if wake else wait_for_user(phone, limit)
            status = await self._control.droppable(waiting)
        except Interrupted:
            return ""
        self._hands.phone_came_back()
        self._parts.emit(phone_event(status, now()))
        self._control.follow(Signal.ANSWERED, Cause.OBSERVING)
        if status.state is PhoneState.READY:
            self._journal.note_once(f"The phone was away ({error.sentence}) and is back.")
            return ""
        return status.sentence
