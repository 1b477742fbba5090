"""Deletes data that was derived from records, or quotes them, when those records change or are forgotten.

Derived data that can be recomputed from records has a function in `DROPS`. Data whose rows in the audit may
quote records, such as the user's decisions about prototypes, has one in `_FORGETS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, and_, delete, insert, or_, select, update

from assistant.memory.audit import Change
from assistant.memory.database import Drop, portions
from assistant.memory.profile.graph import NodeKind
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.request_log import forget_sent
from assistant.memory.schema import (
    learning_queue,
    profile_evidence,
    profile_links,
    profile_nodes,
    profile_queue,
    profile_values,
    prototype_decisions,
    prototype_members,
    prototype_states,
    prototypes,
    schedule_runs,
    skills,
    suggestions,
    vectors,
)

Forget = Callable[[Change, Sequence[str]], None]
"""Erases every row that quotes the records with these ids, and its copies in the audit: see
`Change.erase`."""

RECORD_VECTOR = "record"
"""The kind of a record's vector."""

NODE_VECTOR = "node"
"""The kind of a profile node's vector."""


def forget(change: Change, record_ids: Sequence[str]) -> None:
    """Erase all rows that quote some records. Call it before the records themselves are erased."""
    for forget_part in _FORGETS:
        forget_part(change, record_ids)


def _drop_vectors(connection: Connection, record_ids: Sequence[str]) -> None:
    connection.execute(
        delete(vectors).where(vectors.c.kind == RECORD_VECTOR, vectors.c.owner.in_(record_ids))
    )


def drop_prototypes(connection: Connection, record_ids: Sequence[str]) -> None:
    """Delete the prototypes of some records; the next aggregation places their remaining records again."""
    members = prototype_members.c
    touched = select(members.prototype_id, members.user_id).where(members.record_id.in_(record_ids))
    rows = connection.execute(touched.distinct()).all()
    if names := [row.prototype_id for row in rows]:
        users = {row.user_id for row in rows}
        connection.execute(prototype_members.delete().where(members.prototype_id.in_(names)))
        connection.execute(prototypes.delete().where(prototypes.c.id.in_(names)))
        raised = prototype_states.update().where(prototype_states.c.user_id.in_(users))
        connection.execute(raised.values(dirty=True, revision=prototype_states.c.revision + 1))


def forget_decisions(change: Change, record_ids: Sequence[str]) -> None:
    """Erase the user's decisions about some records, because they may quote them."""
    columns = prototype_decisions.c
    about = or_(columns.record_id.in_(record_ids), columns.other.in_(record_ids))
    rows = change.connection.execute(select(prototype_decisions).where(about)).mappings().all()
    change.erase(prototype_decisions, [dict(row) for row in rows])


def forget_suggestions(change: Change, record_ids: Sequence[str]) -> None:
    """Erase suggestions whose words come from some records, and remove those records from other evidence."""
    forgotten_ids = set(record_ids)
    rows = [dict(row) for row in change.connection.execute(select(suggestions)).mappings()]
    touched = [row for row in rows if row["anchor"] in forgotten_ids or forgotten_ids & set(row["evidence"])]
    change.erase(suggestions, touched)
    reworded = [
        {**row, "evidence": [name for name in row["evidence"] if name not in forgotten_ids]}
        for row in touched
        if row["anchor"] not in forgotten_ids
    ]
    if reworded:
        change.rebuild(suggestions, insert(suggestions), reworded)


def forget_skills(change: Change, record_ids: Sequence[str]) -> None:
    """Erase the skills that were learnt from some records, because their steps and slots quote them."""
    change.erase(learning_queue, [{"turn_id": record_id} for record_id in record_ids])
    forgotten_ids = set(record_ids)
    rows = change.connection.execute(select(skills.c.id, skills.c.evidence)).all()
    change.erase(skills, [{"id": row.id} for row in rows if forgotten_ids & set(row.evidence)])


def forget_scheduled_turns(change: Change, record_ids: Sequence[str]) -> None:
    """Remove the ids of some turns from the runs of schedules.

    A schedule's text stays: the user ordered it.
    """
    named = update(schedule_runs).where(schedule_runs.c.turn_id.in_(record_ids)).values(turn_id="")
    change.rebuild(schedule_runs, named)


def forget_learnt(change: Change, record_ids: Sequence[str]) -> None:
    """Erase profile values that have no other evidence than some records, and nodes that are empty then."""
    change.erase(profile_queue, [{"record_id": record_id} for record_id in record_ids])
    connection = change.connection
    learnt = select(profile_evidence).where(profile_evidence.c.record_id.in_(record_ids))
    rows = connection.execute(learnt).mappings().all()
    change.erase(profile_evidence, [dict(row) for row in rows])
    touched = list(dict.fromkeys(row["value_id"] for row in rows))
    owners: dict[str, None] = {}
    for portion in portions(touched):
        nodes_of_values = _column(connection, profile_values.c.node_id, profile_values.c.id.in_(portion))
        owners.update(dict.fromkeys(nodes_of_values))
        value_id = profile_evidence.c.value_id
        supported = set(_column(connection, value_id, value_id.in_(portion)))
        change.erase(profile_values, [{"id": name} for name in portion if name not in supported])
    erase_vectors(change, owners)
    _erase_empty(change, owners)


def erase_vectors(change: Change, node_ids: Iterable[str]) -> None:
    """Delete the vectors of some nodes, whichever model made them."""
    for portion in portions(node_ids):
        old = delete(vectors).where(vectors.c.kind == NODE_VECTOR, vectors.c.owner.in_(portion))
        change.rebuild(vectors, old)


def _erase_empty(change: Change, node_ids: Iterable[str]) -> None:
    """Erase entities without values, then concepts without entities."""
    connection = change.connection
    candidates = dict.fromkeys(node_ids)
    while candidates:
        around: dict[str, None] = {}
        for node_id in candidates:
            same = select(profile_nodes).where(profile_nodes.c.id == node_id)
            node = connection.execute(same).one_or_none()
            if node is None or node.pinned or _is_used(connection, node):
                continue
            attached = or_(profile_links.c.one == node_id, profile_links.c.other == node_id)
            query = select(profile_links).where(attached)
            links = [dict(row) for row in connection.execute(query).mappings()]
            change.erase(profile_links, links)
            change.erase(profile_nodes, [{"id": node_id}])
            erase_vectors(change, [node_id])
            around.update((row["other"] if row["one"] == node_id else row["one"], None) for row in links)
        candidates = around


def _is_used(connection: Connection, node: Row[Any]) -> bool:
    """Whether an entity has values, or a concept has entities or joins other nodes.

    A concept of the lexicon that only joins others is not used: it is created again when needed.
    """
    if node.kind == NodeKind.ENTITY:
        return bool(_column(connection, profile_values.c.id, profile_values.c.node_id == node.id))
    around = [
        *_column(connection, profile_links.c.one, profile_links.c.other == node.id),
        *_column(connection, profile_links.c.other, profile_links.c.one == node.id),
    ]
    entities = and_(profile_nodes.c.id.in_(around), profile_nodes.c.kind == NodeKind.ENTITY.value)
    joins_others = node.name not in lexicon().domains and len(around) > 1
    return joins_others or bool(_column(connection, profile_nodes.c.id, entities))


def _column(connection: Connection, column: Column[Any], condition: Any) -> list[str]:
    return list(connection.execute(select(column).where(condition)).scalars())


DROPS: tuple[Drop, ...] = (_drop_vectors, drop_prototypes)
"""The functions that `Database` runs within each change of records."""

_FORGETS: tuple[Forget, ...] = (
    forget_learnt,
    forget_decisions,
    forget_suggestions,
    forget_skills,
    forget_scheduled_turns,
    forget_sent,
)
