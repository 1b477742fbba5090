"""Measures the durations of a step."""

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
    """Measures one step, in seconds: in total, waiting for the model, waiting for the phone, and the rest.

    Waiting for the user is not counted.
    """

    def __init__(
        self, phone: Phone, model: VisionModel, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._phone = phone
        self._model = model
        self._clock = clock
        self._started_at = clock()
        self._phone_before = phone.phone_seconds
        self._model_before = model.waiting_seconds
        self._user = 0.0
        self._usage = Usage()
        self._first_token = 0.0
        self._cost: Cost | None = None

    def set_decision_usage(self, usage: Usage, seconds_to_first_token: float, cost: Cost | None) -> None:
        """Set what the model's decision used."""
        self._usage, self._first_token, self._cost = usage, seconds_to_first_token, cost

    @contextmanager
    def exclude_user_time(self) -> Iterator[None]:
        """Exclude the time of the `with` block, and of the phone and model requests made in it."""
        started_at, phone, model = self._clock(), self._phone.phone_seconds, self._model.waiting_seconds
        try:
            yield
        finally:
            self._user += self._clock() - started_at
            self._phone_before += self._phone.phone_seconds - phone
            self._model_before += self._model.waiting_seconds - model

    def finish(self, step: StoredStep, now: datetime) -> StepFinished:
        """The event that ends the step."""
        seconds = self._clock() - self._started_at - self._user
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
