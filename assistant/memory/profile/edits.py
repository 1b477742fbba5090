"""Changes of the profile graph: as a draft over it, as operations, merging nodes, splitting a concept.

A draft is applied as a whole or dropped; each change sees the changes before it. Operations are the update
step of MobiMem 4.1: data that a model or a person sends. They refer to nodes by name, not by id, because a
model reads and writes names.

A concept with too many entities is split into sub-concepts (MobiMem 4.1, dynamic splitting). The entities are
clustered by their vectors. A cluster is named by its most distinctive words, or by a model if one is
configured.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from assistant.embedding.embedder import Vectors
from assistant.i18n import _, has_chinese
from assistant.memory.profile.graph import (
    ALIAS,
    LONGEST_TEXT,
    DisGraph,
    Evidence,
    GraphError,
    Node,
    NodeKind,
    Strength,
    Value,
    check_link,
    check_value,
    clean_text,
    make_node_id,
    make_value_id,
    normalize_text,
)
from assistant.memory.profile.lexicon import find_value_problem, lexicon
from assistant.memory.profile.retrieval import EntityFacts

LinkKey = tuple[str, str]


class GraphDraft:
    """A layer of changes over a graph.

    `nodes`, `links` and `values` hold only the differences; None or False removes an entry.
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
        """The node with an id, after the changes."""
        return self.nodes[node_id] if node_id in self.nodes else self._graph.node(node_id)

    def find_by_name(self, name: str, kind: NodeKind | None = None) -> Node | None:
        """The node with a name, after the changes."""
        normalized_name = normalize_text(name)
        for node in self.nodes.values():
            if (
                node is not None
                and kind in (None, node.kind)
                and normalize_text(node.name) == normalized_name
            ):
                return node
        graph_node = self._graph.find_by_name(name, kind)
        return graph_node if graph_node is not None and self.node(graph_node.id) is graph_node else None

    def values_of(self, node_id: str) -> dict[str, Value]:
        """The values of an entity by id, after the changes."""
        values = dict(self._graph.values(node_id))
        for value_id, value in self.values.items():
            if value is None:
                values.pop(value_id, None)
            elif value.node_id == node_id:
                values[value_id] = value
        return values

    def value(self, node_id: str, value_id: str) -> Value | None:
        """One value of an entity, after the changes."""
        if value_id in self.values:
            return self.values[value_id]
        return self._graph.value(node_id, value_id)

    def are_linked(self, first: str, second: str) -> bool:
        """Whether two nodes are linked, after the changes."""
        drafted = self.links.get(_link_key(first, second))
        return self._graph.are_linked(first, second) if drafted is None else drafted

    def concepts_of(self, node_id: str) -> list[Node]:
        """The concepts that a node is linked to, after the changes."""
        ids = dict.fromkeys(neighbour.id for neighbour in self._graph.neighbours(node_id))
        ids.update(
            (first if second == node_id else second, None)
            for first, second in self.links
            if node_id in (first, second)
        )
        nodes = (self.node(other_id) for other_id in ids if self.are_linked(node_id, other_id))
        return [node for node in nodes if node is not None and node.kind is NodeKind.CONCEPT]

    def add_node(self, kind: NodeKind, name: str) -> Node:
        """The node with a name, created if it does not exist.

        Raises:
            GraphError: the name is empty.
        """
        if not (clean_name := clean_text(name)):
            raise GraphError("A node needs a name.")
        if (existing := self.find_by_name(clean_name, kind)) is not None:
            return existing
        suffix = 0
        while self.node(new_id := make_node_id(self._user_id, kind, clean_name, suffix)) is not None:
            suffix += 1
        node = Node(new_id, kind, clean_name)
        self.nodes[node.id] = node
        return node

    def change_node(self, changed: Node) -> None:
        """Replace the node with the same id."""
        if changed != self.node(changed.id):
            self.nodes[changed.id] = changed

    def delete_node(self, node: Node) -> None:
        """Remove a node with its values and links."""
        for value in self.values_of(node.id).values():
            self.delete_value(value)
        for other in self._graph.neighbours(node.id):
            self.links[_link_key(node.id, other.id)] = False
        for link in [link for link, is_linked in self.links.items() if is_linked and node.id in link]:
            self.links[link] = False
        self.nodes[node.id] = None

    def link(self, first: Node, second: Node) -> None:
        """Link two nodes.

        Raises:
            GraphError: they are the same node, or both are entities.
        """
        check_link(self.node(first.id), self.node(second.id))
        if not self.are_linked(first.id, second.id):
            self.links[_link_key(first.id, second.id)] = True

    def unlink(self, first: Node, second: Node) -> None:
        """Remove a link.

        Raises:
            GraphError: the nodes are not linked.
        """
        if not self.are_linked(first.id, second.id):
            raise GraphError(f"“{first.name}” and “{second.name}” are not linked.")
        self.links[_link_key(first.id, second.id)] = False

    def set_value(
        self,
        node: Node,
        key: str,
        text: str,
        evidence: Evidence | None,
        *,
        single: bool = True,
        sense: str = "",
    ) -> Value:
        """Add a value to an entity, or evidence to the value if the entity has it.

        Raises:
            GraphError: the node is a concept, or key or text are empty.
        """
        check_value(self.node(node.id))
        clean_value, clean_key = clean_text(text), normalize_text(key)
        if not clean_value or not clean_key:
            raise GraphError("A value needs a key and a text.")
        value_sense = sense or normalize_text(clean_value)
        new_id = make_value_id(node.id, clean_key, value_sense)
        existing = self.value(node.id, new_id)
        value = existing or Value(new_id, node.id, clean_key, clean_value, value_sense, single)
        if evidence is not None:
            other_evidence = tuple(item for item in value.evidence if item.record_id != evidence.record_id)
            value = replace(value, evidence=(*other_evidence, evidence))
        if value != existing:
            self.values[new_id] = value
        return value

    def is_forgotten(
        self, evidence: Evidence | None, name: str, key: str = "", text: str = "", sense: str = ""
    ) -> bool:
        """Whether an entity, or a value of it, was forgotten since the record that tells it.

        What the user enters or imports is never refused.
        """
        if evidence is None or not evidence.record_id or evidence.strength is Strength.IMPORTED:
            return False
        entity = self.find_by_name(name, NodeKind.ENTITY)
        owners = {make_node_id(self._user_id, NodeKind.ENTITY, name), entity.id if entity else ""}
        value_sense = sense or normalize_text(clean_text(text))
        ids = owners | {make_value_id(owner, normalize_text(key), value_sense) for owner in owners}
        return any(self._graph.is_forgotten(thing_id, evidence.time) for thing_id in ids)

    def is_forgotten_concept(self, name: str, time: datetime) -> bool:
        """Whether a concept was forgotten after a time, and is not there again."""
        concept_id = make_node_id(self._user_id, NodeKind.CONCEPT, name)
        return (
            self._graph.is_forgotten(concept_id, time) and self.find_by_name(name, NodeKind.CONCEPT) is None
        )

    def ids_by_names(self, node: Node, value: Value | None = None) -> set[str]:
        """The ids that a node, or a value of it, has, and those that it would get under its other names."""
        aliases = [alias.text for alias in self._graph.values(node.id).values() if alias.key == ALIAS]
        ids = {node.id, *(make_node_id(self._user_id, node.kind, name) for name in (node.name, *aliases))}
        return ids if value is None else {make_value_id(owner, value.key, value.sense) for owner in ids}

    def change_value(self, changed: Value) -> None:
        """Replace the value with the same id."""
        if changed != self.value(changed.node_id, changed.id):
            self.values[changed.id] = changed

    def delete_value(self, value: Value) -> None:
        """Remove a value."""
        self.values[value.id] = None

    def apply(self) -> None:
        """Apply the changes to the graph in memory."""
        for link, is_linked in self.links.items():
            if not is_linked:
                self._graph.unlink(*link)
        for removed_value in self.removed_values().values():
            self._graph.remove_value(removed_value)
        for node_id, node in self.nodes.items():
            if node is not None:
                self._graph.put_node(node)
            elif node_id in self._graph:
                self._graph.remove_node(node_id)
        for link, is_linked in self.links.items():
            if is_linked:
                self._graph.link(*link)
        for value in self.values.values():
            if value is not None:
                self._graph.put_value(value)

    def removed_values(self) -> Mapping[str, Value]:
        """The values of the graph that the changes remove, by id."""
        return {
            value_id: value
            for value_id in self.values
            if self.values[value_id] is None and (value := self.value_before(value_id))
        }

    def value_before(self, value_id: str) -> Value | None:
        """A value before the changes."""
        return self._graph.find_value(value_id)

    def touched_nodes(self) -> set[str]:
        """The ids of the nodes that change, or whose values change."""
        owners = {value.node_id for value in self.values.values() if value is not None}
        return set(self.nodes) | owners | {value.node_id for value in self.removed_values().values()}

    def was_there(self, node_id: str) -> bool:
        """Whether the graph has a node before the changes."""
        return node_id in self._graph

    def was_linked(self, link: LinkKey) -> bool:
        """Whether the graph has a link before the changes."""
        return self._graph.are_linked(*link)


def _link_key(first: str, second: str) -> LinkKey:
    return (first, second) if first < second else (second, first)


_Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]

MOST_OPERATIONS = 64
"""Maximum number of operations in one call."""


class _Operation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class AddNode(_Operation):
    """A new concept or entity, linked to existing concepts."""

    op: Literal["add_node"] = "add_node"
    kind: NodeKind
    name: _Text
    concepts: tuple[_Text, ...] = ()


class RenameNode(_Operation):
    """Rename a node; an entity keeps the old name as an alias."""

    op: Literal["rename_node"] = "rename_node"
    name: _Text
    to: _Text


class DeleteNode(_Operation):
    """Remove a node with its values."""

    op: Literal["delete_node"] = "delete_node"
    name: _Text


class SetValue(_Operation):
    """Add a value to an entity. For a `single` key it supersedes the current value.

    `single` is ignored for keys that the lexicon defines.
    """

    op: Literal["set_value"] = "set_value"
    name: _Text
    key: _Text
    value: _Text
    single: bool = True


class RemoveValue(_Operation):
    """Remove a value of an entity."""

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
    """Remove a link."""

    op: Literal["unlink"] = "unlink"
    one: _Text
    other: _Text


class AddAlias(_Operation):
    """Add another name of an entity."""

    op: Literal["add_alias"] = "add_alias"
    name: _Text
    alias: _Text


Operation = Annotated[
    AddNode | RenameNode | DeleteNode | SetValue | RemoveValue | Link | Unlink | AddAlias,
    Field(discriminator="op"),
]


class RefusedOperations(ValueError):
    """Operations that were all refused; `number` is the position of the first invalid one, from 1."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"Operation {number}: {reason}")
        self.number = number
        self.reason = reason


def draft_operations(draft: GraphDraft, operations: Sequence[Operation], evidence: Evidence | None) -> None:
    """Add operations to a draft; each sees the operations before it.

    Raises:
        RefusedOperations: an operation is invalid; the draft must then be dropped.
    """
    if len(operations) > MOST_OPERATIONS:
        raise RefusedOperations(MOST_OPERATIONS + 1, f"More than {MOST_OPERATIONS} operations at once.")
    for number, operation in enumerate(operations, start=1):
        try:
            _draft_operation(draft, operation, evidence)
        except GraphError as error:
            raise RefusedOperations(number, str(error)) from error


def _draft_operation(draft: GraphDraft, operation: Operation, evidence: Evidence | None) -> None:
    match operation:
        case AddNode():
            _refuse_forgotten(draft, evidence, operation.name)
            _draft_add(draft, operation)
        case RenameNode():
            _draft_rename_operation(draft, operation, evidence)
        case DeleteNode(name=name):
            draft.delete_node(_require_node(draft, name))
        case SetValue(name=name, key=key, value=text, single=single):
            if reason := find_value_problem(key, text):
                raise GraphError(f"“{text}” is no value of “{key}”: {reason}.")
            _refuse_forgotten(draft, evidence, name, key, text)
            is_single = lexicon().is_single(key, single)
            draft.set_value(
                _require_node(draft, name, NodeKind.ENTITY), key, text, evidence, single=is_single
            )
        case RemoveValue():
            _draft_removal(draft, operation)
        case Link(one=first, other=second):
            draft.link(_require_node(draft, first), _require_node(draft, second))
        case Unlink(one=first, other=second):
            draft.unlink(_require_node(draft, first), _require_node(draft, second))
        case AddAlias(name=name, alias=alias):
            _refuse_forgotten(draft, evidence, name, ALIAS, alias)
            draft.set_value(_require_node(draft, name, NodeKind.ENTITY), ALIAS, alias, evidence, single=False)


def _refuse_forgotten(
    draft: GraphDraft, evidence: Evidence | None, name: str, key: str = "", text: str = ""
) -> None:
    if draft.is_forgotten(evidence, name, key, text):
        raise GraphError(f"“{text or name}” was forgotten by the user.")


def _require_node(draft: GraphDraft, name: str, kind: NodeKind | None = None) -> Node:
    node = draft.find_by_name(name, kind) or draft.find_by_name(name)
    if node is None:
        raise GraphError(f"There is no node “{name}”.")
    return node


def _draft_add(draft: GraphDraft, operation: AddNode) -> None:
    if draft.find_by_name(operation.name, operation.kind) is not None:
        raise GraphError(f"There is a {operation.kind} “{operation.name}” already.")
    concepts = []
    for name in operation.concepts:
        concept = _require_node(draft, name, NodeKind.CONCEPT)
        if concept.kind is not NodeKind.CONCEPT:
            raise GraphError(f"“{name}” is no concept.")
        concepts.append(concept)
    node = draft.add_node(operation.kind, operation.name)
    for concept in concepts:
        draft.link(node, concept)


def _draft_rename_operation(draft: GraphDraft, operation: RenameNode, evidence: Evidence | None) -> None:
    node = _require_node(draft, operation.name)
    taken = draft.find_by_name(operation.to, node.kind)
    if taken is not None and taken.id != node.id:
        raise GraphError(f"There is a {node.kind} “{operation.to}” already.")
    draft.change_node(replace(node, name=operation.to))
    if node.kind is NodeKind.ENTITY:
        draft.set_value(node, ALIAS, node.name, evidence, single=False)


def _draft_removal(draft: GraphDraft, operation: RemoveValue) -> None:
    node = _require_node(draft, operation.name, NodeKind.ENTITY)
    key, text = normalize_text(operation.key), normalize_text(operation.value)
    matches = [
        value
        for value in draft.values_of(node.id).values()
        if value.key == key and text in (normalize_text(value.text), value.sense)
    ]
    if not matches:
        raise GraphError(f"“{node.name}” has no {operation.key} “{operation.value}”.")
    for value in matches:
        draft.delete_value(value)


def draft_rename(draft: GraphDraft, node: Node, name: str, evidence: Evidence) -> None:
    """Rename a node; an entity keeps the old name as an alias.

    Raises:
        GraphError: the name is empty, or another node of that kind has it.
    """
    clean_name = clean_text(name)
    if not clean_name:
        raise GraphError(_("A node needs a name."))
    taken = draft.find_by_name(clean_name, node.kind)
    if taken is not None and taken.id != node.id:
        raise GraphError(
            _("There is a {kind} “{name}” already. Merge the two instead.").format(
                kind=_(node.kind), name=taken.name
            )
        )
    draft.change_node(replace(node, name=clean_name))
    if node.kind is NodeKind.ENTITY and normalize_text(node.name) != normalize_text(clean_name):
        draft.set_value(node, ALIAS, node.name, evidence, single=False)


def draft_alias(draft: GraphDraft, node: Node, alias: str, evidence: Evidence) -> None:
    """Add another name to an entity.

    Raises:
        GraphError: the name is empty or is that of another entity, or the node is a concept.
    """
    taken = draft.find_by_name(alias, NodeKind.ENTITY)
    if taken is not None and taken.id != node.id:
        raise GraphError(_("“{name}” is another entity. Merge the two instead.").format(name=taken.name))
    draft.set_value(node, ALIAS, alias, evidence, single=False)


def draft_merge(draft: GraphDraft, graph: DisGraph, target: Node, source: Node, evidence: Evidence) -> None:
    """Merge a node into another of the same kind, with its values, evidence, aliases and links.

    Raises:
        GraphError: they are the same node, or of different kinds.
    """
    if target.id == source.id:
        raise GraphError(_("“{name}” cannot be merged with itself.").format(name=target.name))
    if target.kind is not source.kind:
        raise GraphError(
            _("“{name}” is a {kind}, “{other}” is a {other_kind}.").format(
                name=source.name, kind=_(source.kind), other=target.name, other_kind=_(target.kind)
            )
        )
    for value in graph.values(source.id).values():
        for evidence_item in value.evidence or (None,):
            merged_value = draft.set_value(
                target, value.key, value.text, evidence_item, single=value.single, sense=value.sense
            )
            if value.hidden and not graph.value(target.id, merged_value.id):
                draft.change_value(replace(merged_value, hidden=True))
    for other in graph.neighbours(source.id):
        if other.id != target.id:
            draft.link(target, other)
    if target.kind is NodeKind.ENTITY:
        draft.set_value(target, ALIAS, source.name, evidence, single=False)
    draft.change_node(replace(target, pinned=target.pinned or source.pinned))
    draft.delete_node(source)


MAX_ENTITIES = 32
"""A concept with more entities than this is split."""

_TARGET_SIZE = 12
_ROUNDS = 20
_MIN_SIZE = 2
_NAME_WORDS = 2
_NAME_WORD = re.compile(r"[A-Za-z]{3,}|[\u4e00-\u9fff]{2}")

Naming = Callable[[str, Sequence[Sequence[str]]], Sequence[str]]
"""Takes the name of a concept and the entity names of each cluster; returns a name for each cluster."""


def find_crowded(graph: DisGraph, limit: int = MAX_ENTITIES) -> list[Node]:
    """The concepts with more than `limit` entities."""
    return [
        node
        for node in graph.nodes()
        if node.kind is NodeKind.CONCEPT and len(graph.neighbours(node.id, NodeKind.ENTITY)) > limit
    ]


def draft_split(
    draft: GraphDraft,
    facts: EntityFacts,
    concept: Node,
    vectors: Callable[[Sequence[str]], Vectors],
    naming: Naming | None = None,
) -> bool:
    """Move the entities of a concept to new sub-concepts. Returns whether the concept was split.

    Pinned entities stay.
    """
    entities = [node for node in facts.graph.neighbours(concept.id, NodeKind.ENTITY) if not node.pinned]
    if len(entities) <= _TARGET_SIZE:
        return False
    labels = cluster_vectors(vectors([node.id for node in entities]), math.ceil(len(entities) / _TARGET_SIZE))
    parts = [
        [node for node, label in zip(entities, labels, strict=True) if label == part_label]
        for part_label in dict.fromkeys(labels)
    ]
    parts = [part for part in parts if len(part) >= _MIN_SIZE]
    if len(parts) < 2:
        return False
    names = _name_groups(facts, concept, parts, naming)
    for name, part in zip(names, parts, strict=True):
        sub = draft.add_node(NodeKind.CONCEPT, name)
        if sub.id == concept.id:
            continue
        draft.link(sub, concept)
        for node in part:
            draft.unlink(node, concept)
            draft.link(node, sub)
    return True


def cluster_vectors(vectors: Vectors, count: int) -> list[int]:
    """Spherical k-means with farthest-point seeds, deterministic. Returns the cluster of each row.

    Args:
        vectors: rows of unit length.
        count: maximum number of clusters.
    """
    seeds = [0]
    nearest = vectors @ vectors[0]
    while len(seeds) < min(count, len(vectors)):
        seeds.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, vectors @ vectors[seeds[-1]])
    centres = vectors[seeds]
    labels = (vectors @ centres.T).argmax(axis=1)
    for _round in range(_ROUNDS):
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, vectors)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centres)
        moved = (vectors @ centres.T).argmax(axis=1)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return [int(label) for label in labels]


def distinctive_words(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """The words of each group of texts that distinguish it from the others, best first (TF-IDF)."""
    counts = [Counter(word for text in group for word in set(_split_words(text))) for group in texts]
    everywhere: Counter[str] = sum(counts, Counter())
    ordered = []
    for count, group in zip(counts, texts, strict=True):
        scores: Mapping[str, float] = {
            word: number / len(group) * math.log((1 + len(texts) * number) / everywhere[word])
            for word, number in count.items()
        }
        ordered.append(sorted(scores, key=lambda word: (-scores[word], word)))
    return ordered


def _split_words(text: str) -> list[str]:
    return [word if has_chinese(word) else word.casefold() for word in _NAME_WORD.findall(text)]


def _name_groups(
    facts: EntityFacts, concept: Node, parts: Sequence[Sequence[Node]], naming: Naming | None
) -> list[str]:
    proposed = naming(concept.name, [[node.name for node in part] for part in parts]) if naming else ()
    words = distinctive_words([[facts.embedding_text(node) for node in part] for part in parts])
    names: list[str] = []
    for number, part_words in enumerate(words):
        proposed_name = clean_text(proposed[number]) if number < len(proposed) else ""
        name = proposed_name or f"{concept.name}: {', '.join(part_words[:_NAME_WORDS]) or number + 1}"
        names.append(name if name not in names else f"{name} {number + 1}")
    return names
