"""Noticing that somebody else changed the profile: another program, an undo, something forgotten."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from assistant.memory import schema
from assistant.memory.store import Store

_NAMES = frozenset(table.name for table in schema.PROFILE_TABLES)


class ProfileWatch:
    """Remembers up to which change the profile in memory is that of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._newest = 0
        self._own: set[int] = set()

    def seen(self, connection: Connection) -> None:
        """Note that all there is now is known."""
        self._newest = int(
            connection.execute(select(func.coalesce(func.max(schema.changes.c.id), 0))).scalar_one()
        )
        self._own.clear()

    def own(self, change_id: int | None) -> None:
        """Note a change that was made here, and is in memory already."""
        if change_id is not None:
            self._own.add(change_id)

    def is_behind(self) -> bool:
        """Whether a change that was not made here touched the profile's tables."""
        changes = schema.changes
        with self._store.reader() as connection:
            query = select(changes.c.id, changes.c.counts).where(changes.c.id > self._newest)
            newer = connection.execute(query).all()
        if not newer:
            return False
        behind = any(row.id not in self._own and _NAMES & row.counts.keys() for row in newer)
        if not behind:
            self._newest = max(row.id for row in newer)
            self._own = {one for one in self._own if one > self._newest}
        return behind
