"""What is made from records and must go when they change or go. Rebuildable: the next run makes it anew.

A room that keeps something made from records adds its function to `_DROPS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, delete

from assistant.memory import schema

Drop = Callable[[Connection, Sequence[str]], None]
"""Takes everything out of the database that was made from the records of some ids (a few hundred at most)."""

RECORD_VECTOR = "record"
"""The kind of a record's vector."""


def _drop_vectors(connection: Connection, record_ids: Sequence[str]) -> None:
    table = schema.vectors
    connection.execute(delete(table).where(table.c.kind == RECORD_VECTOR, table.c.owner.in_(record_ids)))


_DROPS: tuple[Drop, ...] = (_drop_vectors,)


def drop(connection: Connection, record_ids: Sequence[str]) -> None:
    """Take out everything made from some records, within the transaction that changes them."""
    for one in _DROPS:
        one(connection, record_ids)
