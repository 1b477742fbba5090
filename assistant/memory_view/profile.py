"""The profile for a person: its tree, what stands behind a node or a value, and changing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from assistant.i18n import _, counted, later
from assistant.memory.profile.describing import facts_of
from assistant.memory.profile.edits import Draft
from assistant.memory.profile.graph import DisGraph, GraphError
from assistant.memory.profile.nodes import (
    ALIAS,
    LONGEST_TEXT,
    Evidence,
    Node,
    NodeKind,
    Strength,
    Value,
)
from assistant.memory.profile.service import Profile
from assistant.memory.profile.standing import Standing
from assistant.memory.profile.tending import draft_alias, draft_merge, draft_rename
from assistant.memory_view.evidence import EVIDENCE, details_of, records_of
from assistant.memory_view.items import Details, Field, Item, Listing, MemoryProblem, heat_of
from assistant.memory_view.labels import key_words, node_words
from assistant.memory_view.meaning import LIKE_ENOUGH
from assistant.memory_view.part import Desk, Part
from assistant.memory_view.texts import Texts
from assistant.memory_view.tree import Tree

_AROUND, _AT_ONCE = 16, 64
_LEARNT = {
    Strength.IMPLIED: later("asked for"),
    Strength.EXPLORED: later("read in an app"),
    Strength.STATED: later("said by you"),
    Strength.SWITCHED: later("said by you from then on"),
    Strength.USER: later("written by you"),
}


_STANDINGS = {
    Standing.HOLDS: later("holds"),
    Standing.HELD: later("held before"),
    Standing.RARE: later("seen, outweighed"),
}


class ProfilePart(Part):
    """The profile.

    Args:
        desk: the store and its user.
        profile: gives the profile.
    """

    def __init__(self, desk: Desk, profile: Callable[[], Profile]) -> None:
        super().__init__(desk)
        self._profile = profile
        self._tree = Tree(profile)

    def build(self) -> Listing:
        """The tree as it stands open at first."""
        return self.listing(frozenset())

    def listing(self, toggled: frozenset[str]) -> Listing:
        """The opened part of the tree."""
        return self._tree.listing(toggled)

    def texts(self) -> Texts:
        """All nodes and values."""
        return self._tree.texts()

    def named(self, keys: Sequence[str]) -> list[Item]:
        """Nodes and values by their ids."""
        return self._tree.named(keys)

    def prepare(self, still: Callable[[], bool]) -> bool:
        """Make the vectors of the nodes, some at a time, so that others find by words meanwhile."""
        while still():
            if self._profile().prepare(_AT_ONCE):
                return True
        return False

    def alike(self, words: str, most: int) -> list[str]:
        """Nodes that are near in meaning."""
        return [node.id for node, cosine in self._profile().nearest(words, most) if cosine >= LIKE_ENOUGH]

    def details(self, item: Item) -> Details:
        """What is known of a node or a value, and what stands around it."""
        with self._profile().reading() as graph:
            if (node := graph.node(item.id)) is not None:
                return self._about_node(graph, node)
            if (value := graph.find_value(item.id)) is not None:
                return self._about_value(graph, value)
        if item.acts:
            raise KeyError(item.id)
        return Details(())

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another value, another name, another word for an entity."""
        if not text:
            raise MemoryProblem(_("Nothing is typed. To delete it, forget it."))
        if len(text) > LONGEST_TEXT:
            raise MemoryProblem(
                _("It has {count} characters; at most {longest_text} are kept.").format(
                    count=len(text), longest_text=LONGEST_TEXT
                )
            )
        profile = self._profile()
        node = profile.graph.node(item.id)
        if node is None:
            profile.edit(item.id, text)
            return _("Changed: {text}").format(text=text)
        known = node
        if field == "alias":
            self._tend(lambda draft, by: draft_alias(draft, known, text, by), "add a word for a node")
            return _("Added: “{text}” stands for {name} too.").format(text=text, name=node.name)
        self._tend(lambda draft, by: draft_rename(draft, known, text, by), "rename a node")
        return _("Changed: {text}").format(text=text)

    def pin(self, item: Item, pinned: bool) -> None:
        """Pin a node, or that of a value."""
        self._profile().pin(self._owner(item).id, pinned)

    def hide(self, item: Item, hidden: bool) -> None:
        """Hide a node or a value."""
        profile = self._profile()
        value = profile.graph.find_value(item.id)
        if value is None:
            profile.hide(self._owner(item).id, hidden)
            return
        owner = profile.graph.node(value.node_id)
        if not hidden and owner is not None and owner.hidden:
            profile.hide(owner.id, False)
        if value.hidden != hidden:
            profile.hide_value(value.id, hidden)

    def merge(self, item: Item, other: Item) -> str:
        """Make one node of two; the first one's name stays, the other's becomes an alias."""
        graph = self._profile().graph
        kept, gone = graph.node(item.id), graph.node(other.id)
        if kept is None or gone is None:
            raise MemoryProblem(_("Values are not merged. Merge the entities that they belong to."))
        self._tend(lambda draft, by: draft_merge(draft, graph, kept, gone, by), "merge two nodes")
        return _("Merged: {kept} has what {gone} had.").format(kept=kept.name, gone=gone.name)

    def leaving(self, item: Item, words: str) -> str:
        """What parting a concept would part."""
        entities = len(self._profile().graph.neighbours(item.id, NodeKind.ENTITY))
        return _("{entities} would be parted by likeness.").format(entities=counted(entities, "entity"))

    def split(self, item: Item, words: str) -> str:
        """Part a concept into sub-concepts."""
        if self._profile().part(item.id) is None:
            raise MemoryProblem(_("It has too few entities, or nothing sets them apart."))
        return _("Split: {name} has sub-concepts now.").format(name=item.name)

    def choose(self, item: Item) -> str:
        """This value holds."""
        self._profile().decide(item.id)
        return _("{name} holds.").format(name=item.name)

    def goes_with(self, item: Item) -> str:
        """A value goes alone, an entity with its values, a concept with its links."""
        graph = self._profile().graph
        node = graph.node(item.id)
        if node is None:
            return _("The value goes with all that the audit keeps of it; its records stay.")
        if node.kind is NodeKind.ENTITY:
            values = len(graph.values(node.id))
            return _("It goes with {values} and all the audit keeps of them; records stay.").format(
                values=counted(values, "value")
            )
        around = graph.neighbours(node.id, NodeKind.ENTITY)
        alone = sum(len(graph.neighbours(one.id, NodeKind.CONCEPT)) == 1 for one in around)
        return _("The concept goes; what hangs on it stays, {alone} of {count} without a concept.").format(
            alone=alone, count=len(around)
        )

    def forget(self, item: Item) -> str:
        """Delete a node or a value for good."""
        self._profile().forget(item.id)
        return _("Forgotten.")

    def _tend(self, edit: Callable[[Draft, Evidence], None], what: str) -> None:
        try:
            self._profile().tend(edit, what)
        except GraphError as problem:
            raise MemoryProblem(str(problem)) from problem

    def _owner(self, item: Item) -> Node:
        graph = self._profile().graph
        value = graph.find_value(item.id)
        node = graph.node(value.node_id if value is not None else item.id)
        if node is None:
            raise KeyError(item.id)
        return node

    def _about_value(self, graph: DisGraph, value: Value) -> Details:
        node = graph.node(value.node_id)
        name = node_words(node.name) if node is not None else ""
        found = [(later("of"), name), (later("what"), key_words(value.key))]
        if node is not None:
            found.append((later("does"), _does(node, value)))
        held = (
            next((one for one in facts_of(graph, node) if one.value.id == value.id), None) if node else None
        )
        if held is not None:
            found.append((later("sure"), f"{held.confidence:.2f}"))
        ways = Counter(_(_LEARNT[one.strength]) for one in value.evidence)
        found.append((later("learnt"), ", ".join(f"{way} ({count})" for way, count in ways.items())))
        standings = self._profile().history(value.node_id).get(value.key)
        for other, _when, standing in standings.values if standings else ():
            if other.id != value.id:
                found.append((_STANDINGS[standing], other.text))
        if standings and value in standings.disputed:
            found.append((later("in doubt"), _("press c on what holds, or edit it")))
        found += _around(graph, node) if node is not None else ()
        wanted = tuple(dict.fromkeys(value.record_ids))
        return details_of(
            tuple(found),
            wanted,
            records_of(self._desk.store, wanted[:EVIDENCE]),
            heat=heat_of([one.time for one in value.evidence if one.record_id]),
            fields=(
                Field(
                    key_words(value.key),
                    value.text,
                    _("what holds of {name}").format(name=name or "…"),
                ),
            ),
        )

    def _about_node(self, graph: DisGraph, node: Node) -> Details:
        found = [(later("kind"), _("an entity") if node.kind is NodeKind.ENTITY else _("a concept"))]
        aliases = [one.text for one in graph.values(node.id).values() if one.key == ALIAS and not one.hidden]
        if aliases:
            found.append((later("also"), ", ".join(aliases)))
        found.append((later("does"), _stands_for(graph, node)))
        found += _around(graph, node)
        whose = (
            _("the name of this entity") if node.kind is NodeKind.ENTITY else _("the name of this concept")
        )
        fields = [Field(later("name"), node.name, whose)]
        if node.kind is NodeKind.ENTITY:
            fields.append(Field(later("alias"), "", _("one more word that you have for it")))
        evidence = [
            one for value in graph.values(node.id).values() for one in value.evidence if one.record_id
        ]
        evidence.sort(key=lambda one: one.time, reverse=True)
        wanted = tuple(dict.fromkeys(one.record_id for one in evidence))
        return details_of(
            tuple(found),
            wanted,
            records_of(self._desk.store, wanted[:EVIDENCE]),
            heat=heat_of([one.time for one in evidence]),
            fields=tuple(fields),
        )


def _does(node: Node, value: Value) -> str:
    """What a value changes in what the assistant does."""
    if value.hidden or node.hidden:
        return _("nothing: it is hidden")
    name = node_words(node.name)
    if value.key == ALIAS:
        return _("is another word for “{name}”").format(name=name)
    return _("fills in commands with “{name}”").format(name=name)


def _stands_for(graph: DisGraph, node: Node) -> str:
    """What a node changes in what the assistant does."""
    if node.hidden:
        return _("nothing: it is hidden")
    if node.kind is NodeKind.CONCEPT:
        return _("leads to what hangs on it, when a command is about it")
    if not facts_of(graph, node):
        return _("nothing yet: nothing is known of it")
    return _("fills in commands that name it")


def _around(graph: DisGraph, node: Node) -> Iterator[tuple[str, str]]:
    """The neighbourhood: what is one link away, and what is two."""
    first = graph.neighbours(node.id)
    if first:
        yield later("1 away"), _names(first)
    known = {node.id, *(one.id for one in first)}
    second: dict[str, Node] = {}
    for one in first:
        for other in graph.neighbours(one.id):
            if other.id not in known:
                second[other.id] = other
        if len(second) > 10 * _AROUND:
            break
    if second:
        yield later("2 away"), _names(list(second.values()))


def _names(nodes: Sequence[Node]) -> str:
    """Names, concepts marked, the pinned ones first."""
    shown = sorted(nodes, key=lambda one: (one.kind is NodeKind.ENTITY, not one.pinned))[:_AROUND]
    told = ", ".join(
        f"◇ {node_words(one.name)}" if one.kind is NodeKind.CONCEPT else node_words(one.name) for one in shown
    )
    return (
        _("{told}, … {amount} more").format(told=told, amount=len(nodes) - _AROUND)
        if len(nodes) > _AROUND
        else told
    )
