"""Tracks tokens and cost of a turn's model requests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.agent.checkpoint import Journal
from assistant.events import UsageUpdated
from assistant.memory.spending import DaySum, Ledger, Spent
from assistant.records import Cost, Usage
from assistant.settings.schema import Settings

if TYPE_CHECKING:
    from assistant.model.client import VisionModel


class Meter:
    """Adds the usage of each step to the turn's checkpoint and to the ledger."""

    def __init__(
        self,
        ledger: Ledger,
        checkpointer: Journal,
        model: VisionModel,
        settings: Settings,
        now: Callable[[], datetime],
    ) -> None:
        self._ledger = ledger
        self._checkpointer = checkpointer
        self._model = model
        self._settings = settings
        self._now = now
        self._waited_seconds = model.waiting_seconds
        self._today: DaySum | None = None

    def count(
        self, step: int, usage: Usage, seconds_to_first_token: float | None = None
    ) -> tuple[Cost | None, UsageUpdated]:
        """Add the usage of a step; returns its cost, if the price is known, and the event with the totals."""
        price = self._settings.price
        cost = price.of(usage) if price else None
        waited_before, self._waited_seconds = self._waited_seconds, self._model.waiting_seconds
        checkpoint = self._checkpointer.checkpoint
        self._checkpointer.add_usage(usage, cost, self._settings.model.name)
        if usage.requests:
            self._ledger.add(
                Spent(
                    user_id=checkpoint.user_id,
                    turn_id=checkpoint.turn_id,
                    step=step,
                    time=self._now(),
                    model=self._settings.model.name,
                    usage=usage,
                    seconds=self._waited_seconds - waited_before,
                    seconds_to_first_token=seconds_to_first_token,
                    cost=cost,
                )
            )
        return cost, self.usage_event()

    def usage_event(self) -> UsageUpdated:
        """The event with the usage of the turn and of the day so far."""
        checkpoint, now = self._checkpointer.checkpoint, self._now()
        self._today = self._ledger.sum_of(checkpoint.user_id, now.date(), self._today)
        return _make_event(now, self._today, checkpoint.usage, checkpoint.cost)


def day_event(ledger: Ledger, user_id: str, now: datetime) -> UsageUpdated:
    """The event with the usage of the day so far, before a turn."""
    return _make_event(now, ledger.sum_of(user_id, now.date()), Usage(), None)


def _make_event(now: datetime, today: DaySum, usage: Usage, cost: Cost | None) -> UsageUpdated:
    return UsageUpdated(time=now, usage=usage, cost=cost, tokens_today=today.tokens, costs_today=today.costs)
