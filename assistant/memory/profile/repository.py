"""The graph as rows of the store: reading it whole, writing what a draft changes.

Noticing that somebody else changed the profile: another program, an undo, something forgotten.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from assistant.memory import schema
from assistant.memory.audit import Change
from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.graph import DisGraph, Evidence, Node, NodeKind, Strength, Value
from assistant.memory.schema import profile_evidence, profile_links, profile_nodes, profile_values
from assistant.memory.store import Store


def load(connection: Connection, user_id: str) -> DisGraph:
    """The graph of a person."""
    graph = DisGraph()
    own = select(profile_nodes.c.id).where(profile_nodes.c.user_id == user_id)
    kinds = {kind.value: kind for kind in NodeKind}
    known = profile_nodes.c
    columns = (known.id, known.kind, known.name, known.pinned, known.hidden)
    named = select(*columns).where(known.user_id == user_id).order_by(known.id)
    for node_id, kind, name, pinned, hidden in connection.execute(named):
        graph.put(Node(node_id, kinds[kind], name, pinned, hidden))
    links = profile_links.c
    linked = select(links.one, links.other).where(links.one.in_(own))
    for one, other in connection.execute(linked):
        if one in graph and other in graph:
            graph.link(one, other)
    reasons = _evidence(connection, user_id)
    held = profile_values.c
    told = (held.id, held.node_id, held.key, held.text, held.sense, held.single, held.hidden)
    values = select(*told).where(held.node_id.in_(own)).order_by(held.id)
    for value_id, node_id, key, text, sense, single, hidden in connection.execute(values):
        why = tuple(reasons.get(value_id, ()))
        graph.put_value(Value(value_id, node_id, key, text, sense, single, hidden, why))
    return graph


def write(change: Change, draft: GraphDraft, user_id: str) -> None:
    """Write what a draft changes, before it is applied in memory."""
    removed = draft.removed()
    for value in removed.values():
        for one in value.evidence:
            change.delete(profile_evidence, _evidence_key(value.id, one))
        change.delete(profile_values, {"id": value.id})
    for link, there in draft.links.items():
        if not there and draft.was_linked(link):
            change.delete(profile_links, {"one": link[0], "other": link[1]})
    for node_id, node in draft.nodes.items():
        if node is None and draft.was_there(node_id):
            change.delete(profile_nodes, {"id": node_id})
    for node in draft.nodes.values():
        if node is not None:
            _put_node(change, draft, node, user_id)
    new_links = [link for link, there in draft.links.items() if there and not draft.was_linked(link)]
    if new_links:
        change.insert_missing(profile_links, [{"one": one, "other": other} for one, other in new_links])
    _put_values(change, draft)


def erase(change: Change, draft: GraphDraft) -> None:
    """Delete for good what a draft takes out; whatever else it changes is not written."""
    removed = draft.removed()
    keys = [_evidence_key(value.id, one) for value in removed.values() for one in value.evidence]
    change.erase(profile_evidence, keys)
    change.erase(profile_values, [{"id": value_id} for value_id in removed])
    gone = [link for link, there in draft.links.items() if not there and draft.was_linked(link)]
    change.erase(profile_links, [{"one": one, "other": other} for one, other in gone])
    change.erase(
        profile_nodes,
        [{"id": one} for one, node in draft.nodes.items() if node is None and draft.was_there(one)],
    )


def _evidence(connection: Connection, user_id: str) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    strengths = {strength.value: strength for strength in Strength}
    told, held = profile_evidence.c, profile_values.c
    joined = profile_evidence.join(profile_values, held.id == told.value_id).join(
        profile_nodes, profile_nodes.c.id == held.node_id
    )
    query = (
        select(told.value_id, told.record_id, told.time, told.strength)
        .select_from(joined)
        .where(profile_nodes.c.user_id == user_id)
        .order_by(told.time, told.record_id)
    )
    for value_id, record_id, time, strength in connection.execute(query):
        reason = Evidence(record_id, datetime.fromisoformat(time), strengths[strength])
        found.setdefault(value_id, []).append(reason)
    return found


def _put_node(change: Change, draft: GraphDraft, node: Node, user_id: str) -> None:
    row = {
        "id": node.id,
        "user_id": user_id,
        "kind": node.kind.value,
        "name": node.name,
        "pinned": node.pinned,
        "hidden": node.hidden,
    }
    if draft.was_there(node.id):
        change.update(profile_nodes, {"id": node.id}, row)
    else:
        change.insert(profile_nodes, [row])


def _put_values(change: Change, draft: GraphDraft) -> None:
    new_values: list[dict[str, Any]] = []
    new_evidence: list[dict[str, Any]] = []
    for value in draft.values.values():
        if value is None:
            continue
        before = draft.before(value.id)
        row = _value_row(value)
        if before is None:
            new_values.append(row)
        elif _value_row(before) != row:
            change.update(profile_values, {"id": value.id}, row)
        known = {one.record_id: one for one in before.evidence} if before else {}
        kept = {one.record_id: one for one in value.evidence}
        for record_id in known.keys() - kept.keys():
            change.delete(profile_evidence, _evidence_key(value.id, known[record_id]))
        for record_id, one in kept.items():
            if record_id not in known:
                new_evidence.append(_evidence_row(value.id, one))
            elif known[record_id] != one:
                change.update(profile_evidence, _evidence_key(value.id, one), _evidence_row(value.id, one))
    if new_values:
        change.insert(profile_values, new_values)
    if new_evidence:
        change.insert_missing(profile_evidence, new_evidence)


def _value_row(value: Value) -> dict[str, Any]:
    names = ("id", "node_id", "key", "text", "sense", "single", "hidden")
    return {name: getattr(value, name) for name in names}


def _evidence_key(value_id: str, one: Evidence) -> dict[str, Any]:
    return {"value_id": value_id, "record_id": one.record_id}


def _evidence_row(value_id: str, one: Evidence) -> dict[str, Any]:
    return {
        **_evidence_key(value_id, one),
        "time": one.time.isoformat(),
        "strength": one.strength.value,
    }


_NAMES = frozenset(table.name for table in schema.PROFILE_TABLES)


class StalenessCheck:
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
