"""Whose memory a command is about, when a store holds records of several people."""

from __future__ import annotations

from sqlalchemy import func, select

from assistant.memory import schema
from assistant.memory.store import Store


def owner_of(store: Store, configured: str) -> str:
    """The configured user; where nothing is recorded of them, the one most records are of."""
    records = schema.records
    count = func.count()
    query = select(records.c.user_id).group_by(records.c.user_id).order_by(count.desc(), records.c.user_id)
    with store.reader() as connection:
        users: list[str] = list(connection.execute(query).scalars())
    return configured if configured in users or not users else users[0]
