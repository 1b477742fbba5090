"""What is made from records and must go when they change or go.

A room that keeps something rebuildable made from records adds a function to `_DROPS`; one that keeps rows of
its own in the audit which may quote records, such as edited prototypes, adds one to `_FORGETS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete

from assistant.memory import schema
from assistant.memory.him import tables as him_tables
from assistant.memory.profile import tables
from assistant.memory.sent import forget_sent
from assistant.memory.suggestion_tables import forget_suggestions

if TYPE_CHECKING:
    from assistant.memory.changes import Change

Drop = Callable[[Connection, Sequence[str]], None]
"""Takes everything out of the database that was made from the records of some ids (a few hundred at most)."""

Forget = Callable[["Change", Sequence[str]], None]
"""Erases every row that quotes records of some ids, with what the audit keeps of it: see `Change.erase`."""

RECORD_VECTOR = "record"
"""The kind of a record's vector."""


def _drop_vectors(connection: Connection, record_ids: Sequence[str]) -> None:
    table = schema.vectors
    connection.execute(delete(table).where(table.c.kind == RECORD_VECTOR, table.c.owner.in_(record_ids)))


_DROPS: tuple[Drop, ...] = (_drop_vectors, him_tables.drop_prototypes)
_FORGETS: tuple[Forget, ...] = (
    tables.forget_learnt,
    him_tables.forget_decisions,
    forget_suggestions,
    forget_sent,
)


def drop(connection: Connection, record_ids: Sequence[str]) -> None:
    """Take out everything made from some records, within the transaction that changes them."""
    for one in _DROPS:
        one(connection, record_ids)


def forget(change: Change, record_ids: Sequence[str]) -> None:
    """Erase everything that quotes some records, before they are erased themselves."""
    for one in _FORGETS:
        one(change, record_ids)
