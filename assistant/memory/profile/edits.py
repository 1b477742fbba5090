"""Changes of the graph that are not made yet: seen by what comes after them, dropped when one is refused.

Changes of the profile as data: what a model or a person asks for, checked as a whole, made at once.

The update step of MobiMem 4.1. Nodes are named, not numbered: a model reads and writes names.

What the user does to nodes of the profile by hand, as drafts: another name, another word, two made one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from assistant.i18n import _
from assistant.memory.profile.graph import (
    ALIAS,
    LONGEST_TEXT,
    DisGraph,
    Evidence,
    GraphError,
    Node,
    NodeKind,
    Value,
    check_link,
    check_value,
    cleaned,
    node_id,
    normalised,
    value_id,
)
from assistant.memory.profile.lexicon import lexicon, why_refused

LinkKey = tuple[str, str]


class GraphDraft:
    """A layer over a graph.

    `nodes`, `links` and `values` hold what differs; None or False takes something out.
    """

    def __init__(self, graph: DisGraph, user_id: str) -> None:
        self._graph = graph
        self._user_id = user_id
        self.nodes: dict[str, Node | None] = {}
        self.links: dict[LinkKey, bool] = {}
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

    def was_linked(self, link: LinkKey) -> bool:
        """Whether the graph has a link now."""
        return self._graph.linked(*link)


def _link(one: str, other: str) -> LinkKey:
    return (one, other) if one < other else (other, one)


_Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]

MOST_OPERATIONS = 64
"""How many operations one call may hold."""


class _Operation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class AddNode(_Operation):
    """A new concept or entity, linked to concepts that are there."""

    op: Literal["add_node"] = "add_node"
    kind: NodeKind
    name: _Text
    concepts: tuple[_Text, ...] = ()


class RenameNode(_Operation):
    """Another name for a node; an entity keeps the old one as an alias."""

    op: Literal["rename_node"] = "rename_node"
    name: _Text
    to: _Text


class DeleteNode(_Operation):
    """Take a node out, with what it holds."""

    op: Literal["delete_node"] = "delete_node"
    name: _Text


class SetValue(_Operation):
    """Give an entity a value. Of a `single` key it supersedes the value that holds.

    Keys that are known to hold one value, or several, stay so whatever is said here.
    """

    op: Literal["set_value"] = "set_value"
    name: _Text
    key: _Text
    value: _Text
    single: bool = True


class RemoveValue(_Operation):
    """Take a value out of an entity."""

    op: Literal["remove_value"] = "remove_value"
    name: _Text
    key: _Text
    value: _Text


class Link(_Operation):
    """Link two nodes."""

    op: Literal["link"] = "link"
    one: _Text
    other: _Text


class Unlink(_Operation):
    """Take a link out."""

    op: Literal["unlink"] = "unlink"
    one: _Text
    other: _Text


class AddAlias(_Operation):
    """Another word for an entity."""

    op: Literal["add_alias"] = "add_alias"
    name: _Text
    alias: _Text


Operation = Annotated[
    AddNode | RenameNode | DeleteNode | SetValue | RemoveValue | Link | Unlink | AddAlias,
    Field(discriminator="op"),
]

OPERATIONS: TypeAdapter[tuple[Operation, ...]] = TypeAdapter(tuple[Operation, ...])
"""Reads and writes a list of operations."""


class RefusedOperations(ValueError):
    """Operations that cannot be made, none of them; `number` is the place of the first wrong one, from 1."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"Operation {number}: {reason}")
        self.number = number
        self.reason = reason


def draft_operations(draft: GraphDraft, operations: Sequence[Operation], evidence: Evidence | None) -> None:
    """Put operations into a draft, each seeing those before it.

    Raises:
        Refused: one does not fit; the draft is then of no use.
    """
    if len(operations) > MOST_OPERATIONS:
        raise RefusedOperations(MOST_OPERATIONS + 1, f"More than {MOST_OPERATIONS} operations at once.")
    for number, operation in enumerate(operations, start=1):
        try:
            _do(draft, operation, evidence)
        except GraphError as error:
            raise RefusedOperations(number, str(error)) from error


def _do(draft: GraphDraft, operation: Operation, evidence: Evidence | None) -> None:
    match operation:
        case AddNode():
            _add(draft, operation)
        case RenameNode():
            _rename(draft, operation, evidence)
        case DeleteNode(name=name):
            draft.delete_node(_there(draft, name))
        case SetValue(name=name, key=key, value=text, single=single):
            if reason := why_refused(key, text):
                raise GraphError(f"“{text}” is no value of “{key}”: {reason}.")
            one = lexicon().keeps_one(key, single)
            draft.believe(_there(draft, name, NodeKind.ENTITY), key, text, evidence, single=one)
        case RemoveValue():
            _remove(draft, operation)
        case Link(one=one, other=other):
            draft.link(_there(draft, one), _there(draft, other))
        case Unlink(one=one, other=other):
            draft.unlink(_there(draft, one), _there(draft, other))
        case AddAlias(name=name, alias=alias):
            draft.believe(_there(draft, name, NodeKind.ENTITY), ALIAS, alias, evidence, single=False)


def _there(draft: GraphDraft, name: str, kind: NodeKind | None = None) -> Node:
    node = draft.named(name, kind) or draft.named(name)
    if node is None:
        raise GraphError(f"There is no node “{name}”.")
    return node


def _add(draft: GraphDraft, operation: AddNode) -> None:
    if draft.named(operation.name, operation.kind) is not None:
        raise GraphError(f"There is a {operation.kind} “{operation.name}” already.")
    concepts = []
    for name in operation.concepts:
        concept = _there(draft, name, NodeKind.CONCEPT)
        if concept.kind is not NodeKind.CONCEPT:
            raise GraphError(f"“{name}” is no concept.")
        concepts.append(concept)
    node = draft.add_node(operation.kind, operation.name)
    for concept in concepts:
        draft.link(node, concept)


def _rename(draft: GraphDraft, operation: RenameNode, evidence: Evidence | None) -> None:
    node = _there(draft, operation.name)
    taken = draft.named(operation.to, node.kind)
    if taken is not None and taken.id != node.id:
        raise GraphError(f"There is a {node.kind} “{operation.to}” already.")
    draft.change_node(replace(node, name=operation.to))
    if node.kind is NodeKind.ENTITY:
        draft.believe(node, ALIAS, node.name, evidence, single=False)


def _remove(draft: GraphDraft, operation: RemoveValue) -> None:
    node = _there(draft, operation.name, NodeKind.ENTITY)
    key, text = normalised(operation.key), normalised(operation.value)
    found = [
        value
        for value in draft.of(node.id).values()
        if value.key == key and text in (normalised(value.text), value.sense)
    ]
    if not found:
        raise GraphError(f"“{node.name}” has no {operation.key} “{operation.value}”.")
    for value in found:
        draft.delete_value(value)


def draft_rename(draft: GraphDraft, node: Node, name: str, evidence: Evidence) -> None:
    """Give a node another name; an entity keeps the old one as an alias.

    Raises:
        GraphError: the name is empty, or another node of that kind has it.
    """
    written = cleaned(name)
    if not written:
        raise GraphError(_("A node needs a name."))
    taken = draft.named(written, node.kind)
    if taken is not None and taken.id != node.id:
        raise GraphError(
            _("There is a {kind} “{name}” already. Merge the two instead.").format(
                kind=_(node.kind), name=taken.name
            )
        )
    draft.change_node(replace(node, name=written))
    if node.kind is NodeKind.ENTITY and normalised(node.name) != normalised(written):
        draft.believe(node, ALIAS, node.name, evidence, single=False)


def draft_alias(draft: GraphDraft, node: Node, alias: str, evidence: Evidence) -> None:
    """Give an entity another word that the user has for it.

    Raises:
        GraphError: the word is empty, names another entity, or the node is a concept.
    """
    taken = draft.named(alias, NodeKind.ENTITY)
    if taken is not None and taken.id != node.id:
        raise GraphError(_("“{name}” is another entity. Merge the two instead.").format(name=taken.name))
    draft.believe(node, ALIAS, alias, evidence, single=False)


def draft_merge(draft: GraphDraft, graph: DisGraph, kept: Node, gone: Node, evidence: Evidence) -> None:
    """Make one node of two of a kind: values with their evidence, aliases and links go over to the kept one.

    Raises:
        GraphError: they are the same, or of two kinds.
    """
    if kept.id == gone.id:
        raise GraphError(_("“{name}” cannot be merged with itself.").format(name=kept.name))
    if kept.kind is not gone.kind:
        raise GraphError(
            _("“{name}” is a {kind}, “{other}” is a {other_kind}.").format(
                name=gone.name, kind=_(gone.kind), other=kept.name, other_kind=_(kept.kind)
            )
        )
    for value in graph.values(gone.id).values():
        for one in value.evidence or (None,):
            made = draft.believe(kept, value.key, value.text, one, single=value.single, sense=value.sense)
            if value.hidden and not graph.value(kept.id, made.id):
                draft.change_value(replace(made, hidden=True))
    for other in graph.neighbours(gone.id):
        if other.id != kept.id:
            draft.link(kept, other)
    if kept.kind is NodeKind.ENTITY:
        draft.believe(kept, ALIAS, gone.name, evidence, single=False)
    draft.change_node(replace(kept, pinned=kept.pinned or gone.pinned))
    draft.delete_node(gone)
