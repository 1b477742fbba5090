"""How nodes and values read: for the embedding, for a prompt, for a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.memory.profile.graph import DisGraph, by_key
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import ALIAS, WISH, Node, NodeKind, Value
from assistant.memory.profile.standing import Standings, confidence, judge

_EMBEDDED_VALUES = 12


@dataclass(frozen=True, slots=True)
class Fact:
    """A value that holds: its `line` in a prompt, and the `path` to it from the start of the search.

    `rivals` are values that may hold instead, where evidence cannot decide.
    """

    node: Node
    value: Value
    confidence: float
    line: str
    path: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The records behind it, newest first."""
        return self.value.record_ids


class Facts:
    """What holds of the entities of a graph, worked out once until an entity is touched."""

    def __init__(self, graph: DisGraph) -> None:
        self.graph = graph
        self._known: dict[str, tuple[Fact, ...]] = {}

    def of(self, node: Node) -> tuple[Fact, ...]:
        """What holds of an entity, the heaviest first."""
        known = self._known.get(node.id)
        if known is None:
            known = self._known[node.id] = tuple(facts_of(self.graph, node))
        return known

    def touch(self, node_ids: Iterable[str]) -> None:
        """Work out anew what holds of some entities when it is asked for."""
        for node_id in node_ids:
            self._known.pop(node_id, None)

    def text(self, node: Node) -> str:
        """What a node is embedded as."""
        if node.kind is NodeKind.CONCEPT:
            domain = lexicon().domains.get(node.name)
            return f"{node.name}: {domain.about}" if domain else node.name
        told = [f"{fact.value.key} {fact.value.text}" for fact in self.of(node)[:_EMBEDDED_VALUES]]
        return f"{node.name}: {', '.join(told)}" if told else node.name


def facts_of(graph: DisGraph, node: Node) -> list[Fact]:
    """What holds of an entity, worked out now; wishes that fit no key come last."""
    weighed: list[tuple[bool, float, Fact]] = []
    for key, values in by_key(graph.values(node.id).values()).items():
        if key == ALIAS:
            continue
        standings = judge(values)
        for value, weight in standings.holding:
            weighed.append((key == WISH, -weight, _fact(node, value, weight, standings)))
    return [fact for *_, fact in sorted(weighed, key=lambda one: one[:2])]


def _fact(node: Node, value: Value, weight: float, standings: Standings) -> Fact:
    rest = sum(other for one, other, _ in standings.values if one.id != value.id) if value.single else 0.0
    line = f"{node.name} · {value.key}: {value.text}"
    rivals: tuple[str, ...] = ()
    if value in standings.disputed:
        rivals = tuple(one.text for one in standings.disputed if one.id != value.id)
        line += f" (or {', '.join(rivals)}?)"
    return Fact(node, value, confidence(weight, rest), line, rivals=rivals)
