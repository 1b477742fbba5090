"""The habits as the memory has them, read anew only when it has changed or a day has begun."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from sqlalchemy import func, select

from assistant.memory import schema
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.days import Calendar
from assistant.proactive.forecast import Habits, habits_of
from assistant.proactive.habit_table import HabitTable

Mark = tuple[object, ...]


class KnownHabits:
    """A user's habits by day.

    Args:
        store: the memory, to see whether it has changed.
        memory: opens the prototypes; called when they are first needed, as this may take long.
        user_id: whose.
        calendar: tells free days from others.
    """

    def __init__(
        self, store: Store, memory: Callable[[], HierarchicalMemory], user_id: str, calendar: Calendar
    ) -> None:
        self._store = store
        self._open = memory
        self._memory: HierarchicalMemory | None = None
        self._user_id = user_id
        self._calendar = calendar
        self._mark: Mark | None = None
        self._habits: Habits | None = None

    def __call__(self, today: date) -> Habits:
        """The habits as of a day.

        Raises:
            EmbeddingError: new records cannot be placed.
            StoreError: the store cannot be written.
        """
        mark = (today, *self._seen())
        if self._habits is None or mark != self._mark:
            if not self._has_records():
                return Habits({}, HabitTable([], self._calendar))
            self._habits = habits_of(self._opened(), self._user_id, self._calendar, today)
            self._mark = (today, *self._seen())
        return self._habits

    def aggregate(self) -> None:
        """Place what is new, and let evidence fade.

        Raises:
            EmbeddingError: new records cannot be placed.
            StoreError: the store cannot be written.
        """
        if self._has_records():
            self._opened().aggregate(user_id=self._user_id)

    def _opened(self) -> HierarchicalMemory:
        self._memory = self._memory or self._open()
        return self._memory

    def _has_records(self) -> bool:
        query = select(schema.records.c.id).where(schema.records.c.user_id == self._user_id).limit(1)
        with self._store.reader() as connection:
            return connection.execute(query).first() is not None

    def _seen(self) -> Mark:
        """What differs when records, prototypes or decisions about them have changed."""
        records, states, decisions = schema.records, schema.prototype_states, schema.prototype_decisions
        queries = (
            select(func.count(), func.max(records.c.moment)).where(records.c.user_id == self._user_id),
            select(func.max(states.c.revision), func.max(states.c.dirty)).where(
                states.c.user_id == self._user_id
            ),
            select(decisions).where(decisions.c.user_id == self._user_id).order_by(*decisions.primary_key),
        )
        with self._store.reader() as connection:
            return tuple(tuple(row) for query in queries for row in connection.execute(query))
