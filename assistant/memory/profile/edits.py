"""Changes of the graph that are not made yet: seen by what comes after them, dropped when one is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.memory.profile.graph import DisGraph, GraphError, check_link, check_value
from assistant.memory.profile.nodes import (
    Evidence,
    Node,
    NodeKind,
    Value,
    cleaned,
    node_id,
    normalised,
    value_id,
)

Link = tuple[str, str]


class Draft:
    """A layer over a graph.

    `nodes`, `links` and `values` hold what differs; None or False takes something out.
    """

    def __init__(self, graph: DisGraph, user_id: str) -> None:
        self._graph = graph
        self._user_id = user_id
        self.nodes: dict[str, Node | None] = {}
        self.links: dict[Link, bool] = {}
        self.values: dict[str, Value | None] = {}

    def __bool__(self) -> bool:
        return bool(self.nodes or self.links or self.values)

    def node(self, node_id: str) -> Node | None:
        """The node of an id, as it would be."""
        return self.nodes[node_id] if node_id in self.nodes else self._graph.node(node_id)

    def named(self, name: str, kind: NodeKind | None = None) -> Node | None:
        """The node of a name, as it would be."""
        wanted = normalised(name)
        for node in self.nodes.values():
            if node is not None and kind in (None, node.kind) and normalised(node.name) == wanted:
                return node
        found = self._graph.named(name, kind)
        return found if found is not None and self.node(found.id) is found else None

    def of(self, node_id: str) -> dict[str, Value]:
        """The values of an entity, as they would be."""
        values = dict(self._graph.values(node_id))
        for one, value in self.values.items():
            if value is None:
                values.pop(one, None)
            elif value.node_id == node_id:
                values[one] = value
        return values

    def value(self, node_id: str, value_id: str) -> Value | None:
        """One value of an entity, as it would be."""
        if value_id in self.values:
            return self.values[value_id]
        return self._graph.value(node_id, value_id)

    def linked(self, one: str, other: str) -> bool:
        """Whether two nodes would be linked."""
        known = self.links.get(_link(one, other))
        return self._graph.linked(one, other) if known is None else known

    def concepts_of(self, node_id: str) -> list[Node]:
        """The concepts that a node would be linked to."""
        ids = dict.fromkeys(one.id for one in self._graph.neighbours(node_id))
        ids.update(
            (one if other == node_id else other, None) for one, other in self.links if node_id in (one, other)
        )
        found = (self.node(one) for one in ids if self.linked(node_id, one))
        return [node for node in found if node is not None and node.kind is NodeKind.CONCEPT]

    def add_node(self, kind: NodeKind, name: str) -> Node:
        """The node of a name, made if it is not there.

        Raises:
            GraphError: the name is empty.
        """
        if not (written := cleaned(name)):
            raise GraphError("A node needs a name.")
        if (there := self.named(written, kind)) is not None:
            return there
        again = 0
        while self.node(made := node_id(self._user_id, kind, written, again)) is not None:
            again += 1
        node = Node(made, kind, written)
        self.nodes[node.id] = node
        return node

    def change_node(self, changed: Node) -> None:
        """Replace the node of the same id."""
        if changed != self.node(changed.id):
            self.nodes[changed.id] = changed

    def delete_node(self, node: Node) -> None:
        """Take a node out, with its values and links."""
        for value in self.of(node.id).values():
            self.delete_value(value)
        for other in self._graph.neighbours(node.id):
            self.links[_link(node.id, other.id)] = False
        for link in [link for link, there in self.links.items() if there and node.id in link]:
            self.links[link] = False
        self.nodes[node.id] = None

    def link(self, one: Node, other: Node) -> None:
        """Link two nodes.

        Raises:
            GraphError: they are the same, or both entities.
        """
        check_link(self.node(one.id), self.node(other.id))
        if not self.linked(one.id, other.id):
            self.links[_link(one.id, other.id)] = True

    def unlink(self, one: Node, other: Node) -> None:
        """Take a link out.

        Raises:
            GraphError: it is not there.
        """
        if not self.linked(one.id, other.id):
            raise GraphError(f"“{one.name}” and “{other.name}” are not linked.")
        self.links[_link(one.id, other.id)] = False

    def believe(
        self,
        node: Node,
        key: str,
        text: str,
        evidence: Evidence | None,
        *,
        single: bool = True,
        sense: str = "",
    ) -> Value:
        """Give an entity a value, or one that it has another reason.

        Raises:
            GraphError: the node is a concept, or key or text are empty.
        """
        check_value(self.node(node.id))
        written, name = cleaned(text), normalised(key)
        if not written or not name:
            raise GraphError("A value needs a key and a text.")
        meant = sense or normalised(written)
        made = value_id(node.id, name, meant)
        there = self.value(node.id, made)
        value = there or Value(made, node.id, name, written, meant, single)
        if evidence is not None:
            kept = tuple(one for one in value.evidence if one.record_id != evidence.record_id)
            value = replace(value, evidence=(*kept, evidence))
        if value != there:
            self.values[made] = value
        return value

    def change_value(self, changed: Value) -> None:
        """Replace the value of the same id."""
        if changed != self.value(changed.node_id, changed.id):
            self.values[changed.id] = changed

    def delete_value(self, value: Value) -> None:
        """Take a value out."""
        self.values[value.id] = None

    def apply(self) -> None:
        """Make the changes in the graph in memory."""
        for link, there in self.links.items():
            if not there:
                self._graph.unlink(*link)
        for value in self.removed().values():
            self._graph.remove_value(value)
        for one, node in self.nodes.items():
            if node is not None:
                self._graph.put(node)
            elif one in self._graph:
                self._graph.remove(one)
        for link, there in self.links.items():
            if there:
                self._graph.link(*link)
        for kept in self.values.values():
            if kept is not None:
                self._graph.put_value(kept)

    def removed(self) -> Mapping[str, Value]:
        """The values of the graph that would go."""
        return {one: there for one in self.values if self.values[one] is None and (there := self.before(one))}

    def before(self, value_id: str) -> Value | None:
        """A value as it is in the graph now."""
        return self._graph.find_value(value_id)

    def touched(self) -> set[str]:
        """The ids of nodes whose text may change."""
        owners = {value.node_id for value in self.values.values() if value is not None}
        return set(self.nodes) | owners | {value.node_id for value in self.removed().values()}

    def was_there(self, node_id: str) -> bool:
        """Whether the graph has a node now."""
        return node_id in self._graph

    def was_linked(self, link: Link) -> bool:
        """Whether the graph has a link now."""
        return self._graph.linked(*link)


def _link(one: str, other: str) -> Link:
    return (one, other) if one < other else (other, one)
