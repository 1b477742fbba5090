"""The profile's tables, and what goes from them when records are forgotten.

There are no foreign keys among them: taking back the change that first made a row must not be stopped by what
was learnt later. Reading skips what hangs in the air.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, Column, Connection, Row, String, Table, Text, and_, delete, or_, select

from assistant.memory import schema
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import NodeKind
from assistant.memory.rows import portions

if TYPE_CHECKING:
    from assistant.memory.changes import Change

NODE_VECTOR = "node"
"""The kind of a node's vector."""

nodes = Table(
    "profile_nodes",
    schema.metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("kind", String, nullable=False, doc="see nodes.NodeKind"),
    Column("name", Text, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("hidden", Boolean, nullable=False),
)

links = Table(
    "profile_links",
    schema.metadata,
    Column("one", String, primary_key=True, doc="the smaller id"),
    Column("other", String, primary_key=True, index=True),
)

values = Table(
    "profile_values",
    schema.metadata,
    Column("id", String, primary_key=True),
    Column("node_id", String, nullable=False, index=True),
    Column("key", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("sense", Text, nullable=False, doc="what makes two wordings the same value"),
    Column("single", Boolean, nullable=False, doc="of its key one value holds at a time"),
    Column("hidden", Boolean, nullable=False),
)

evidence = Table(
    "profile_evidence",
    schema.metadata,
    Column("value_id", String, primary_key=True),
    Column("record_id", String, primary_key=True, index=True, doc="empty when the user wrote it"),
    Column("time", String, nullable=False),
    Column("strength", String, nullable=False, doc="see nodes.Strength"),
)

ALL = (nodes, links, values, evidence)


def create(connection: Connection) -> None:
    """Make the tables."""
    schema.metadata.create_all(connection, tables=list(ALL))


def forget_learnt(change: Change, record_ids: Sequence[str]) -> None:
    """Erase what was learnt from some records alone, with the nodes that are empty then."""
    connection = change.connection
    rows = connection.execute(select(evidence).where(evidence.c.record_id.in_(record_ids))).mappings().all()
    change.erase(evidence, [dict(row) for row in rows])
    touched = list(dict.fromkeys(row["value_id"] for row in rows))
    owners: dict[str, None] = {}
    for portion in portions(touched):
        owners.update(dict.fromkeys(_column(connection, values.c.node_id, values.c.id.in_(portion))))
        kept = set(_column(connection, evidence.c.value_id, evidence.c.value_id.in_(portion)))
        change.erase(values, [{"id": one} for one in portion if one not in kept])
    erase_vectors(change, owners)
    _erase_empty(change, owners)


def erase_vectors(change: Change, node_ids: Iterable[str]) -> None:
    """Delete the vectors of some nodes, whichever model made them."""
    table = schema.vectors
    for portion in portions(node_ids):
        change.rebuild(table, delete(table).where(table.c.kind == NODE_VECTOR, table.c.owner.in_(portion)))


def _erase_empty(change: Change, node_ids: Iterable[str]) -> None:
    """Erase entities that hold nothing any more, then concepts that nothing hangs on."""
    connection = change.connection
    candidates = dict.fromkeys(node_ids)
    while candidates:
        around: dict[str, None] = {}
        for node_id in candidates:
            node = connection.execute(select(nodes).where(nodes.c.id == node_id)).one_or_none()
            if node is None or node.pinned or _is_used(connection, node):
                continue
            gone = or_(links.c.one == node_id, links.c.other == node_id)
            found = [dict(row) for row in connection.execute(select(links).where(gone)).mappings()]
            change.erase(links, found)
            change.erase(nodes, [{"id": node_id}])
            erase_vectors(change, [node_id])
            around.update((row["other"] if row["one"] == node_id else row["one"], None) for row in found)
        candidates = around


def _is_used(connection: Connection, node: Row[Any]) -> bool:
    """Whether an entity has values, or a concept entities; the lexicon's are made anew when needed."""
    if node.kind == NodeKind.ENTITY:
        return bool(_column(connection, values.c.id, values.c.node_id == node.id))
    around = [
        *_column(connection, links.c.one, links.c.other == node.id),
        *_column(connection, links.c.other, links.c.one == node.id),
    ]
    entities = and_(nodes.c.id.in_(around), nodes.c.kind == NodeKind.ENTITY.value)
    joins_others = node.name not in lexicon().domains and len(around) > 1
    return joins_others or bool(_column(connection, nodes.c.id, entities))


def _column(connection: Connection, column: Column[Any], condition: Any) -> list[str]:
    return list(connection.execute(select(column).where(condition)).scalars())
