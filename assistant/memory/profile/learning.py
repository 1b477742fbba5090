"""What a record tells, put into a draft of the graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from assistant.memory.profile.edits import Draft
from assistant.memory.profile.extract import Finding
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import Evidence, Node, NodeKind, Value
from assistant.memory.profile.standing import judge


@dataclass(frozen=True, slots=True)
class Supersession:
    """A value that stopped to hold, and the one that holds instead."""

    entity: str
    key: str
    before: Value
    now: Value


def draft_findings(
    draft: Draft, findings: Iterable[Finding], record_id: str, time: datetime
) -> list[Supersession]:
    """Put what was found into a draft, and tell what it supersedes. What is hidden is not learnt."""
    superseded = []
    for finding in findings:
        concept = place_concept(draft, finding.concept)
        entity = draft.named(finding.entity, NodeKind.ENTITY) or draft.add_node(
            NodeKind.ENTITY, finding.entity
        )
        if entity.hidden or concept.hidden:
            continue
        if not draft.linked(entity.id, concept.id) and not _is_placed(draft, entity):
            draft.link(entity, concept)
        before = _holding(draft, entity, finding.key)
        value = draft.believe(
            entity,
            finding.key,
            finding.text,
            Evidence(record_id, time, finding.strength),
            single=finding.single,
            sense=finding.sense,
        )
        now = _holding(draft, entity, finding.key) if value.single else None
        if before is not None and now is not None and before.id != now.id:
            superseded.append(Supersession(entity.name, finding.key, before, now))
    return superseded


def place_concept(draft: Draft, name: str) -> Node:
    """The concept of an area of life, linked to the areas that it belongs with."""
    if (there := draft.named(name, NodeKind.CONCEPT)) is not None:
        return there
    concept = draft.add_node(NodeKind.CONCEPT, name)
    for pair in lexicon().linked:
        if name in pair:
            (other,) = (one for one in pair if one != name)
            if (neighbour := draft.named(other, NodeKind.CONCEPT)) is not None:
                draft.link(concept, neighbour)
    return concept


def _is_placed(draft: Draft, entity: Node) -> bool:
    """Whether an entity hangs on some concept already: splitting may have moved it."""
    return draft.was_there(entity.id) and bool(draft.concepts_of(entity.id))


def _holding(draft: Draft, entity: Node, key: str) -> Value | None:
    values = [value for value in draft.of(entity.id).values() if value.key == key and value.single]
    holding = judge(values).holding
    return holding[0][0] if holding else None
