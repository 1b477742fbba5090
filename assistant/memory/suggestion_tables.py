"""The tables of what was suggested unasked, and of the places that a user has named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import JSON, Column, Connection, Float, Index, Integer, String, Table, Text, insert, select

from assistant.memory import schema

if TYPE_CHECKING:
    from assistant.memory.changes import Change

suggestions = Table(
    "suggestions",
    schema.metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False),
    Column("routine", String, nullable=False, doc="the prototype when it was made"),
    Column("anchor", String, nullable=False, doc="the prototype's centre, by which it is found again"),
    Column("instruction", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("why", JSON, nullable=False, doc="see proactive.reasons; before, a sentence each"),
    Column("evidence", JSON, nullable=False, doc="ids of records, newest first"),
    Column("scenario", String, nullable=False),
    Column("made", String, nullable=False, doc="ISO 8601 with the offset of the user's zone, as all times"),
    Column("due", String, nullable=False, doc="when to speak"),
    Column("until", String, nullable=False, doc="when it is of no use any more"),
    Column("shown", String, nullable=False, doc="when it was first shown, or empty"),
    Column("state", String, nullable=False, doc="see proactive.suggestions.Stage"),
    Column("answer", String, nullable=False, doc="see proactive.suggestions.Answer; empty while open"),
    Column("answered", String, nullable=False),
    Column("snoozes", Integer, nullable=False),
    Index("ix_suggestions_user_made", "user_id", "made"),
)

places = Table(
    "places",
    schema.metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("name", Text, nullable=False, doc="the user's own; empty when they did not want to say"),
    Column("scenario", String, nullable=False),
    Column("signals", JSON, nullable=False, doc="what tells it, see proactive.places.Marks"),
    Column("made", String, nullable=False),
)

ALL = (suggestions, places)


def create(connection: Connection) -> None:
    """Make the tables."""
    schema.metadata.create_all(connection, tables=list(ALL))


def forget_suggestions(change: Change, record_ids: Sequence[str]) -> None:
    """Erase suggestions worded by some records, and the names of those records from the others' evidence."""
    about = set(record_ids)
    rows = [dict(row) for row in change.connection.execute(select(suggestions)).mappings()]
    touched = [row for row in rows if row["anchor"] in about or about & set(row["evidence"])]
    change.erase(suggestions, touched)
    kept = [
        {**row, "evidence": [one for one in row["evidence"] if one not in about]}
        for row in touched
        if row["anchor"] not in about
    ]
    if kept:
        change.rebuild(suggestions, insert(suggestions), kept)
