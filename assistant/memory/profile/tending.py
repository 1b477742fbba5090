"""What the user does to nodes of the profile by hand, as drafts: another name, another word, two made one."""

from __future__ import annotations

from dataclasses import replace

from assistant.i18n import _
from assistant.memory.profile.edits import Draft
from assistant.memory.profile.graph import DisGraph, GraphError
from assistant.memory.profile.nodes import ALIAS, Evidence, Node, NodeKind, cleaned, normalised


def draft_rename(draft: Draft, node: Node, name: str, evidence: Evidence) -> None:
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


def draft_alias(draft: Draft, node: Node, alias: str, evidence: Evidence) -> None:
    """Give an entity another word that the user has for it.

    Raises:
        GraphError: the word is empty, names another entity, or the node is a concept.
    """
    taken = draft.named(alias, NodeKind.ENTITY)
    if taken is not None and taken.id != node.id:
        raise GraphError(_("“{name}” is another entity. Merge the two instead.").format(name=taken.name))
    draft.believe(node, ALIAS, alias, evidence, single=False)


def draft_merge(draft: Draft, graph: DisGraph, kept: Node, gone: Node, evidence: Evidence) -> None:
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
