"""The profile graph in the database: loading it, and writing a draft."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from assistant.memory.audit import Change
from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.graph import DisGraph, Evidence, Node, NodeKind, Strength, Value
from assistant.memory.schema import profile_evidence, profile_links, profile_nodes, profile_values


def load_graph(connection: Connection, user_id: str) -> DisGraph:
    """Load the graph of a user."""
    graph = DisGraph()
    own_node_ids = select(profile_nodes.c.id).where(profile_nodes.c.user_id == user_id)
    kinds = {kind.value: kind for kind in NodeKind}
    nodes = profile_nodes.c
    columns = (nodes.id, nodes.kind, nodes.name, nodes.pinned, nodes.hidden)
    node_query = select(*columns).where(nodes.user_id == user_id).order_by(nodes.id)
    for node_id, kind, name, pinned, hidden in connection.execute(node_query):
        graph.put_node(Node(node_id, kinds[kind], name, pinned, hidden))
    links = profile_links.c
    link_query = select(links.one, links.other).where(links.one.in_(own_node_ids))
    for first_id, second_id in connection.execute(link_query):
        if first_id in graph and second_id in graph:
            graph.link(first_id, second_id)
    evidence_by_value = _load_evidence(connection, user_id)
    value_columns = profile_values.c
    columns_of_value = (
        value_columns.id,
        value_columns.node_id,
        value_columns.key,
        value_columns.text,
        value_columns.sense,
        value_columns.single,
        value_columns.hidden,
    )
    value_query = (
        select(*columns_of_value).where(value_columns.node_id.in_(own_node_ids)).order_by(value_columns.id)
    )
    for value_id, node_id, key, text, sense, single, hidden in connection.execute(value_query):
        evidence = tuple(evidence_by_value.get(value_id, ()))
        graph.put_value(Value(value_id, node_id, key, text, sense, single, hidden, evidence))
    return graph


def write_draft(change: Change, draft: GraphDraft, user_id: str) -> None:
    """Write the changes of a draft; call it before the draft is applied in memory."""
    removed = draft.removed_values()
    for value in removed.values():
        for evidence in value.evidence:
            change.delete(profile_evidence, _evidence_key(value.id, evidence))
        change.delete(profile_values, {"id": value.id})
    for link, is_linked in draft.links.items():
        if not is_linked and draft.was_linked(link):
            change.delete(profile_links, {"one": link[0], "other": link[1]})
    for node_id, node in draft.nodes.items():
        if node is None and draft.was_there(node_id):
            change.delete(profile_nodes, {"id": node_id})
    for node in draft.nodes.values():
        if node is not None:
            _put_node(change, draft, node, user_id)
    new_links = [link for link, is_linked in draft.links.items() if is_linked and not draft.was_linked(link)]
    if new_links:
        change.insert_missing(profile_links, [{"one": first, "other": second} for first, second in new_links])
    _put_values(change, draft)


def erase_draft(change: Change, draft: GraphDraft) -> None:
    """Delete for good what a draft removes; its other changes are not written."""
    removed = draft.removed_values()
    keys = [_evidence_key(value.id, evidence) for value in removed.values() for evidence in value.evidence]
    change.erase(profile_evidence, keys)
    change.erase(profile_values, [{"id": value_id} for value_id in removed])
    removed_links = [
        link for link, is_linked in draft.links.items() if not is_linked and draft.was_linked(link)
    ]
    change.erase(profile_links, [{"one": first, "other": second} for first, second in removed_links])
    change.erase(
        profile_nodes,
        [
            {"id": node_id}
            for node_id, node in draft.nodes.items()
            if node is None and draft.was_there(node_id)
        ],
    )


def _load_evidence(connection: Connection, user_id: str) -> dict[str, list[Evidence]]:
    evidence_by_value: dict[str, list[Evidence]] = {}
    strengths = {strength.value: strength for strength in Strength}
    evidence, values = profile_evidence.c, profile_values.c
    joined = profile_evidence.join(profile_values, values.id == evidence.value_id).join(
        profile_nodes, profile_nodes.c.id == values.node_id
    )
    query = (
        select(evidence.value_id, evidence.record_id, evidence.time, evidence.strength)
        .select_from(joined)
        .where(profile_nodes.c.user_id == user_id)
        .order_by(evidence.time, evidence.record_id)
    )
    for value_id, record_id, time, strength in connection.execute(query):
        item = Evidence(record_id, datetime.fromisoformat(time), strengths[strength])
        evidence_by_value.setdefault(value_id, []).append(item)
    return evidence_by_value


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
        before = draft.value_before(value.id)
        row = _value_row(value)
        if before is None:
            new_values.append(row)
        elif _value_row(before) != row:
            change.update(profile_values, {"id": value.id}, row)
        old_evidence = {evidence.record_id: evidence for evidence in before.evidence} if before else {}
        new_by_record = {evidence.record_id: evidence for evidence in value.evidence}
        for record_id in old_evidence.keys() - new_by_record.keys():
            change.delete(profile_evidence, _evidence_key(value.id, old_evidence[record_id]))
        for record_id, evidence in new_by_record.items():
            if record_id not in old_evidence:
                new_evidence.append(_evidence_row(value.id, evidence))
            elif old_evidence[record_id] != evidence:
                change.update(
                    profile_evidence, _evidence_key(value.id, evidence), _evidence_row(value.id, evidence)
                )
    if new_values:
        change.insert(profile_values, new_values)
    if new_evidence:
        change.insert_missing(profile_evidence, new_evidence)


def _value_row(value: Value) -> dict[str, Any]:
    names = ("id", "node_id", "key", "text", "sense", "single", "hidden")
    return {name: getattr(value, name) for name in names}


def _evidence_key(value_id: str, evidence: Evidence) -> dict[str, Any]:
    return {"value_id": value_id, "record_id": evidence.record_id}


def _evidence_row(value_id: str, evidence: Evidence) -> dict[str, Any]:
    return {
        **_evidence_key(value_id, evidence),
        "time": evidence.time.isoformat(),
        "strength": evidence.strength.value,
    }
