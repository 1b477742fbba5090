"""Changes of the profile as data: what a model or a person asks for, checked as a whole, made at once.

The update step of MobiMem 4.1. Nodes are named, not numbered: a model reads and writes names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from assistant.memory.profile.edits import Draft
from assistant.memory.profile.graph import GraphError
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import ALIAS, LONGEST_TEXT, Evidence, Node, NodeKind, normalised
from assistant.memory.profile.refusing import why_refused

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


class Refused(ValueError):
    """Operations that cannot be made, none of them; `number` is the place of the first wrong one, from 1."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"Operation {number}: {reason}")
        self.number = number
        self.reason = reason


def draft_operations(draft: Draft, operations: Sequence[Operation], evidence: Evidence | None) -> None:
    """Put operations into a draft, each seeing those before it.

    Raises:
        Refused: one does not fit; the draft is then of no use.
    """
    if len(operations) > MOST_OPERATIONS:
        raise Refused(MOST_OPERATIONS + 1, f"More than {MOST_OPERATIONS} operations at once.")
    for number, operation in enumerate(operations, start=1):
        try:
            _do(draft, operation, evidence)
        except GraphError as error:
            raise Refused(number, str(error)) from error


def _do(draft: Draft, operation: Operation, evidence: Evidence | None) -> None:
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


def _there(draft: Draft, name: str, kind: NodeKind | None = None) -> Node:
    node = draft.named(name, kind) or draft.named(name)
    if node is None:
        raise GraphError(f"There is no node “{name}”.")
    return node


def _add(draft: Draft, operation: AddNode) -> None:
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


def _rename(draft: Draft, operation: RenameNode, evidence: Evidence | None) -> None:
    node = _there(draft, operation.name)
    taken = draft.named(operation.to, node.kind)
    if taken is not None and taken.id != node.id:
        raise GraphError(f"There is a {node.kind} “{operation.to}” already.")
    draft.change_node(replace(node, name=operation.to))
    if node.kind is NodeKind.ENTITY:
        draft.believe(node, ALIAS, node.name, evidence, single=False)


def _remove(draft: Draft, operation: RemoveValue) -> None:
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
