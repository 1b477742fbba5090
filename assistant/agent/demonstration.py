"""Recording a task that the user shows on the phone: touches, screens and trees become a turn of its own.

The turn is stored like any other: it can be replayed, kept as a skill, exported in FingerTip's layout,
and forgotten. What goes into password fields, and the values of named secrets, are left out of the steps and
hidden in the screens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime

from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.context import NamedSecrets
from assistant.agent.step import hide_values
from assistant.agent.takeover import PhoneEvent, PhoneEventWatcher, UserActionRecorder
from assistant.events import Event
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError
from assistant.phone.touches import Gesture
from assistant.records import Observation, Outcome, TypeText
from assistant.secrets import SecretError


class Demonstration:
    """One task while the user shows it.

    Args:
        phone: the phone it is shown on.
        store: where it is kept.
        checkpoint: the turn that it becomes, with the instruction that it carries out.
        emit: takes the steps as they are recorded.
        now: the local time with its zone.
        secrets: values that must not be stored.
    """

    def __init__(
        self,
        phone: Phone,
        store: Store,
        checkpoint: Checkpoint,
        emit: Callable[[Event], None],
        now: Callable[[], datetime],
        secrets: NamedSecrets | None = None,
    ) -> None:
        self._phone = phone
        self._secret_values = _values(secrets)
        self._checkpointer = TurnCheckpointer(store, checkpoint)
        self._watcher = PhoneEventWatcher(phone, self._take, lambda: False)
        self._recorder = UserActionRecorder(
            phone, self._checkpointer, lambda: self._watcher.panel, emit, now, self._hidden
        )

    async def record(self, shown: Awaitable[object]) -> Checkpoint:
        """Record until `shown` is done; the turn with its steps.

        Raises:
            PhoneError: the phone cannot be looked at when it begins.
        """
        self._checkpointer.save()
        observation = self._hidden(await self._phone.observe())
        watching = asyncio.create_task(self._watcher.run())
        recording = asyncio.create_task(self._recorder.record(observation))
        try:
            await shown
            # What was done last may still be on its way from the phone.
            await asyncio.sleep(0.5)
        finally:
            for task in (recording, watching):
                task.cancel()
            await asyncio.wait([recording, watching])
        with suppress(PhoneError):
            last = self._hidden(await self._phone.observe())
            self._recorder.describe_actions(last)
            self._checkpointer.store_observation(self._checkpointer.next_step, last)
        self._leave_out_secrets()
        await self._checkpointer.finish(Outcome.SUCCESS, 0.0)
        return self._checkpointer.checkpoint

    def _take(self, event: PhoneEvent) -> None:
        if isinstance(event, Gesture):
            self._recorder.add_gesture(event)

    def _hidden(self, observation: Observation) -> Observation:
        return hide_values(observation, self._secret_values) if self._secret_values else observation

    def _leave_out_secrets(self) -> None:
        """Take the values of named secrets out of the steps; the steps stay, for the model to do."""
        checkpoint = self._checkpointer.checkpoint
        steps = tuple(
            step.model_copy(update={"action": step.action.model_copy(update={"text": "", "target": None})})
            if isinstance(step.action, TypeText)
            and any(value in step.action.text for value in self._secret_values)
            else step
            for step in checkpoint.steps
        )
        self._checkpointer.checkpoint = checkpoint.model_copy(update={"steps": steps})


def _values(secrets: NamedSecrets | None) -> set[str]:
    """The values of the named secrets, as far as they can be read."""
    values: set[str] = set()
    if secrets is not None:
        with suppress(SecretError):
            values |= {value for name in secrets.names() if (value := secrets.get(name))}
    return values
