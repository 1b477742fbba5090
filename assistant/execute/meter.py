"""Counts what a turn's model requests use and cost, as they happen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.config import Settings
from assistant.events import UsageUpdated
from assistant.execute.journal import Journal
from assistant.memory.spending import DaySum, Ledger, Spent
from assistant.records import Cost, Usage

if TYPE_CHECKING:
    from assistant.model.client import VisionModel


class Meter:
    """Writes each step's use into the turn's journal and the ledger."""

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal,
        model: VisionModel,
        settings: Settings,
        now: Callable[[], datetime],
    ) -> None:
        self._ledger = ledger
        self._journal = journal
        self._model = model
        self._settings = settings
        self._now = now
        self._waited = model.waiting_seconds
        self._today: DaySum | None = None

    def count(
        self, step: int, usage: Usage, seconds_to_first_token: float | None = None
    ) -> tuple[Cost | None, UsageUpdated]:
        """Count what a step used: its cost where the price is known, and the event that tells the sums."""
        price = self._settings.price
        cost = price.of(usage) if price else None
        waited, self._waited = self._waited, self._model.waiting_seconds
        kept = self._journal.kept
        self._journal.use(usage, cost, self._settings.model.name)
        if usage.requests:
            self._ledger.add(
                Spent(
                    user_id=kept.user_id,
                    turn_id=kept.turn_id,
                    step=step,
                    time=self._now(),
                    model=self._settings.model.name,
                    usage=usage,
                    seconds=self._waited - waited,
                    seconds_to_first_token=seconds_to_first_token,
                    cost=cost,
                )
            )
        return cost, self.told()

    def told(self) -> UsageUpdated:
        """The event that tells what the turn and the day have used so far."""
        kept, now = self._journal.kept, self._now()
        self._today = self._ledger.sum_of(kept.user_id, now.date(), self._today)
        return _told(now, self._today, kept.usage, kept.cost)


def day_event(ledger: Ledger, user_id: str, now: datetime) -> UsageUpdated:
    """What the day has used so far, before a turn."""
    return _told(now, ledger.sum_of(user_id, now.date()), Usage(), None)


def _told(now: datetime, today: DaySum, usage: Usage, cost: Cost | None) -> UsageUpdated:
    return UsageUpdated(time=now, usage=usage, cost=cost, tokens_today=today.tokens, costs_today=today.costs)
