"""Whose memory a command is about, when a store holds records of several people."""

from __future__ import annotations

from assistant.memory.store import Store


def owner_of(store: Store, configured: str) -> str:
    """The configured user; where nothing is recorded of them, the one most records are of."""
    users = store.records.users()
    return configured if configured in users or not users else users[0]
