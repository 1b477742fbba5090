"""Where a step's time goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.events import StepFinished
from assistant.memory.turns import StoredStep
from assistant.phone.device import Phone
from assistant.records import Cost, Usage

if TYPE_CHECKING:
    from assistant.model.client import VisionModel


class StepTimes:
    """Measures one step: all of it, the waits for model and phone, and what is left for us.

    Waiting for the user counts as nobody's time. Seconds throughout.
    """

    def __init__(
        self, phone: Phone, model: VisionModel, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._phone = phone
        self._model = model
        self._clock = clock
        self._begun = clock()
        self._phone_before = phone.phone_seconds
        self._model_before = model.waiting_seconds
        self._user = 0.0
        self._usage = Usage()
        self._first_token = 0.0
        self._cost: Cost | None = None

    def decided(self, usage: Usage, seconds_to_first_token: float, cost: Cost | None) -> None:
        """Note what deciding the step used."""
        self._usage, self._first_token, self._cost = usage, seconds_to_first_token, cost

    @contextmanager
    def user(self) -> Iterator[None]:
        """Leave the time of this block out, with what the phone is asked meanwhile."""
        begun, phone, model = self._clock(), self._phone.phone_seconds, self._model.waiting_seconds
        try:
            yield
        finally:
            self._user += self._clock() - begun
            self._phone_before += self._phone.phone_seconds - phone
            self._model_before += self._model.waiting_seconds - model

    def finished(self, step: StoredStep, now: datetime) -> StepFinished:
        """The event that ends the step."""
        seconds = self._clock() - self._begun - self._user
        phone = self._phone.phone_seconds - self._phone_before
        model = self._model.waiting_seconds - self._model_before
        return StepFinished(
            time=now,
            step=step.number,
            action=step.action,
            source=step.source,
            seconds=seconds,
            model_seconds=model,
            phone_seconds=phone,
            own_seconds=max(0.0, seconds - phone - model),
            error=step.error,
            usage=self._usage,
            seconds_to_first_token=self._first_token,
            cost=self._cost,
        )
