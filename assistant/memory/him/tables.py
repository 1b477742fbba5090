"""The tables of prototypes: what aggregation makes, any time anew, and what the user decided, which stays.

A decision hangs on records, not on prototypes, so that it holds when these are made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import JSON, Boolean, Column, Connection, Float, Integer, String, Table, Text, or_, select

from assistant.memory import schema

if TYPE_CHECKING:
    from assistant.memory.changes import Change

prototypes = Table(
    "prototypes",
    schema.metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("founder", String, nullable=False, doc="the record that began it"),
    Column("centre", String, nullable=False, doc="the medoid record"),
    Column("count", Integer, nullable=False),
    Column("weight", Float, nullable=False, doc="faded evidence at the time `last`"),
    Column("first", String, nullable=False),
    Column("last", String, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column(
        "sample", JSON, nullable=False, doc="[record id, consistency with the centre], highest rank first"
    ),
)

members = Table(
    "prototype_members",
    schema.metadata,
    Column("record_id", String, primary_key=True),
    Column("prototype_id", String, nullable=False, index=True),
    Column("user_id", String, nullable=False),
    Column("fit", Float, nullable=False, doc="consistency with the centre when it joined"),
)

states = Table(
    "prototype_states",
    schema.metadata,
    Column("user_id", String, primary_key=True),
    Column("revision", Integer, nullable=False, doc="rises with every change of the user's prototypes"),
    Column("dirty", Boolean, nullable=False, doc="some were dropped with a record and must be made anew"),
    Column("made_with", String, nullable=False, doc="digest of the rules and the embedding model"),
    Column("wishes", JSON, nullable=False, doc="the wishes that were kept to"),
)

decisions = Table(
    "prototype_decisions",
    schema.metadata,
    Column("user_id", String, primary_key=True),
    Column("kind", String, primary_key=True, doc="see decisions.DecisionKind"),
    Column("record_id", String, primary_key=True),
    Column("other", String, primary_key=True, doc="another record, or empty"),
    Column("text", Text, nullable=False, doc="the user's own wording, or empty"),
    Column("time", String, nullable=False),
)

ALL = (prototypes, members, states, decisions)


def create(connection: Connection) -> None:
    """Make the tables."""
    schema.metadata.create_all(connection, tables=list(ALL))


def drop_prototypes(connection: Connection, record_ids: Sequence[str]) -> None:
    """Take out the prototypes of some records; the records that stay are placed anew by the next run."""
    touched = select(members.c.prototype_id, members.c.user_id).where(members.c.record_id.in_(record_ids))
    rows = connection.execute(touched.distinct()).all()
    if names := [row.prototype_id for row in rows]:
        users = {row.user_id for row in rows}
        connection.execute(members.delete().where(members.c.prototype_id.in_(names)))
        connection.execute(prototypes.delete().where(prototypes.c.id.in_(names)))
        raised = states.update().where(states.c.user_id.in_(users))
        connection.execute(raised.values(dirty=True, revision=states.c.revision + 1))


def forget_decisions(change: Change, record_ids: Sequence[str]) -> None:
    """Erase decisions about some records: they may quote them."""
    about = or_(decisions.c.record_id.in_(record_ids), decisions.c.other.in_(record_ids))
    rows = change.connection.execute(select(decisions).where(about)).mappings().all()
    change.erase(decisions, [dict(row) for row in rows])
