"""DisGraph (MobiMem 4.1): concepts and entities, edges without meaning, distance as relevance.

Entities hold the values and link to concepts only; concepts link to both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import networkx as nx

from assistant.memory.profile.nodes import Node, NodeKind, Value, normalised


class GraphError(ValueError):
    """Something that the graph does not allow; the message says what, and why."""


class DisGraph:
    """The graph of one person, in memory."""

    def __init__(self) -> None:
        self._graph: nx.Graph[str] = nx.Graph()
        self._values: dict[str, dict[str, Value]] = defaultdict(dict)
        self._names: dict[str, dict[str, None]] = defaultdict(dict)
        self._owners: dict[str, str] = {}
        self._holders: dict[str, Counter[str]] = defaultdict(Counter)
        self._version = 0

    def __len__(self) -> int:
        return len(self._graph)

    @property
    def version(self) -> int:
        """A number that rises with every change."""
        return self._version

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._graph

    def node(self, node_id: str) -> Node | None:
        """The node of an id."""
        found: Node | None = self._graph.nodes[node_id]["node"] if node_id in self._graph else None
        return found

    def nodes(self) -> Iterator[Node]:
        """All nodes, in the order they came."""
        for _, data in self._graph.nodes(data=True):
            yield data["node"]

    def named(self, name: str, kind: NodeKind | None = None) -> Node | None:
        """The first node of a name, whatever its case, article or possessive."""
        for node_id in self._names.get(normalised(name), ()):
            node = self.node(node_id)
            if node is not None and kind in (None, node.kind):
                return node
        return None

    def values(self, node_id: str) -> Mapping[str, Value]:
        """The values of an entity by their ids."""
        return self._values.get(node_id, {})

    def value(self, node_id: str, value_id: str) -> Value | None:
        """One value of an entity."""
        return self.values(node_id).get(value_id)

    def find_value(self, value_id: str) -> Value | None:
        """The value of an id, whoever has it."""
        return self.values(self._owners.get(value_id, "")).get(value_id)

    def holders(self, key: str) -> list[str]:
        """The ids of the entities that have a key."""
        return list(self._holders.get(key, ()))

    def neighbours(self, node_id: str, kind: NodeKind | None = None) -> list[Node]:
        """The nodes linked to one, in the order they were linked."""
        if node_id not in self._graph:
            return []
        nodes = (self._graph.nodes[other]["node"] for other in self._graph.adj[node_id])
        return [node for node in nodes if kind in (None, node.kind)]

    def links(self) -> Iterator[tuple[str, str]]:
        """All edges."""
        yield from self._graph.edges

    def linked(self, one: str, other: str) -> bool:
        """Whether two nodes are linked."""
        return bool(self._graph.has_edge(one, other))

    def put(self, node: Node) -> None:
        """Add a node, or replace the one of its id."""
        if (before := self.node(node.id)) is not None:
            self._names[normalised(before.name)].pop(node.id, None)
        self._version += 1
        self._graph.add_node(node.id, node=node)
        self._names[normalised(node.name)][node.id] = None

    def remove(self, node_id: str) -> None:
        """Take a node out with its values and links."""
        node = self.node(node_id)
        if node is None:
            raise GraphError(f"There is no node {node_id}.")
        self._version += 1
        self._names[normalised(node.name)].pop(node_id, None)
        for value in list(self.values(node_id).values()):
            self.remove_value(value)
        self._values.pop(node_id, None)
        self._graph.remove_node(node_id)

    def link(self, one: str, other: str) -> None:
        """Link two nodes.

        Raises:
            GraphError: one is not there, they are the same, or both are entities.
        """
        check_link(self.node(one), self.node(other))
        self._version += 1
        self._graph.add_edge(one, other)

    def unlink(self, one: str, other: str) -> None:
        """Take a link out; one that is not there does not matter."""
        if self._graph.has_edge(one, other):
            self._version += 1
            self._graph.remove_edge(one, other)

    def put_value(self, value: Value) -> None:
        """Add a value to its entity, or replace the one of its id.

        Raises:
            GraphError: the node is not there, or is a concept.
        """
        check_value(self.node(value.node_id))
        self._version += 1
        if value.id not in self._owners:
            self._holders[value.key][value.node_id] += 1
        self._values[value.node_id][value.id] = value
        self._owners[value.id] = value.node_id

    def remove_value(self, value: Value) -> None:
        """Take a value out."""
        self._version += 1
        self._values.get(value.node_id, {}).pop(value.id, None)
        if self._owners.pop(value.id, None) is not None:
            holders = self._holders[value.key]
            holders[value.node_id] -= 1
            if not holders[value.node_id]:
                del holders[value.node_id]


def check_link(one: Node | None, other: Node | None) -> None:
    """Say why two nodes cannot be linked.

    Raises:
        GraphError: one is not there, they are the same, or both are entities.
    """
    if one is None or other is None:
        raise GraphError("A link needs two nodes that are there.")
    if one.id == other.id:
        raise GraphError(f"“{one.name}” cannot be linked to itself.")
    if one.kind is NodeKind.ENTITY and other.kind is NodeKind.ENTITY:
        raise GraphError(f"“{one.name}” and “{other.name}” are entities; entities link to concepts only.")


def check_value(node: Node | None) -> None:
    """Say why a node cannot hold a value.

    Raises:
        GraphError: it is not there, or is a concept.
    """
    if node is None:
        raise GraphError("A value needs a node that is there.")
    if node.kind is NodeKind.CONCEPT:
        raise GraphError(f"“{node.name}” is a concept; only entities hold values.")


def by_key(values: Iterable[Value]) -> dict[str, list[Value]]:
    """Values grouped by their keys, in order."""
    grouped: dict[str, list[Value]] = defaultdict(list)
    for value in values:
        grouped[value.key].append(value)
    return grouped
