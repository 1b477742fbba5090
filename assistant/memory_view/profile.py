"""The section of the profile: a tree of concepts, entities and values, their details, and editing them.

The graph has no direction, so the tree chooses one: areas of life are roots; another concept lies above the
linked ones that are newer, and an entity below each of its concepts. Items are made only for what is opened.
While the profile is loading, the section shows its areas of life, counted in the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlalchemy import func, or_, select

from assistant.i18n import _, counted, joined, later, sentences
from assistant.memory import schema
from assistant.memory.forgetting import preview_text_quotes
from assistant.memory.profile.edits import GraphDraft, draft_alias, draft_merge, draft_rename
from assistant.memory.profile.graph import (
    ALIAS,
    LONGEST_TEXT,
    Belief,
    DisGraph,
    Evidence,
    GraphError,
    Node,
    NodeKind,
    Strength,
    Value,
    assess_beliefs,
    group_by_key,
    latest_time,
)
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.retrieval import ProfileFact, compute_facts
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.memory_view.items import (
    EVIDENCE,
    HOURS,
    LIKE_ENOUGH,
    Item,
    ItemAction,
    ItemDetails,
    ItemField,
    ItemList,
    MemoryProblem,
    SectionProvider,
    TextIndex,
    ViewContext,
    check_text,
    details_of,
    heat_of,
    records_of,
    tell_quotes,
)
from assistant.memory_view.labels import key_words, node_words, origin_words, sureness_words, value_words
from assistant.model.types import one_line

ALL_OPEN = 60
"""Up to so many nodes everything stands open at first."""
MOST = 500
"""The most that is listed below one node."""
LOOSE = later("in no group")
"""The id and name of what holds entities without a concept."""

_VALUE = frozenset({ItemAction.EDIT, ItemAction.PIN, ItemAction.HIDE, ItemAction.FORGET})
_ENTITY = frozenset({ItemAction.EDIT, ItemAction.PIN, ItemAction.HIDE, ItemAction.MERGE, ItemAction.FORGET})
_CONCEPT = _ENTITY | {ItemAction.SPLIT}
_DOMAIN = _CONCEPT - {ItemAction.EDIT}
"""An area of life comes with the program, which looks for it by its name."""
_OR, _IN_DOUBT = later("or"), later("in doubt")


@dataclass(slots=True)
class ProfileBranches:
    """How the nodes stand: concepts on top, those below each, how many entities, and who has no concept."""

    roots: list[Node] = field(default_factory=list)
    below: dict[str, list[Node]] = field(default_factory=dict)
    entities: Counter[str] = field(default_factory=Counter)
    loose: list[Node] = field(default_factory=list)


def branches(graph: DisGraph) -> ProfileBranches:
    """The tree of a graph, in the order in which nodes came."""
    tree = ProfileBranches()
    concepts = [node for node in graph.nodes() if node.kind is NodeKind.CONCEPT]
    tree.roots = [node for node in concepts if node.name in lexicon().domains]
    placed = {node.id for node in tree.roots}
    beside, hung = _links_of(graph, {node.id: node for node in concepts}, tree.entities)
    for node in list(tree.roots):
        _hang_below(node, beside, tree, placed)
    for node in concepts:
        if node.id not in placed:
            placed.add(node.id)
            tree.roots.append(node)
            _hang_below(node, beside, tree, placed)
    tree.loose = [node for node in graph.nodes() if node.kind is NodeKind.ENTITY and node.id not in hung]
    return tree


def _links_of(
    graph: DisGraph, concepts: dict[str, Node], entities: Counter[str]
) -> tuple[dict[str, list[Node]], set[str]]:
    """The concepts linked to each concept, and the entities linked to any; `entities` counts these."""
    beside: dict[str, list[Node]] = {}
    hung = set[str]()
    for left, right in graph.links():
        if left in concepts and right in concepts:
            beside.setdefault(left, []).append(concepts[right])
            beside.setdefault(right, []).append(concepts[left])
        else:
            concept, entity = (left, right) if left in concepts else (right, left)
            entities[concept] += 1
            hung.add(entity)
    return beside, hung


def _hang_below(root: Node, beside: dict[str, list[Node]], tree: ProfileBranches, placed: set[str]) -> None:
    """Hang below a concept those that are linked to it, and so on; `seen` are those that hang already."""
    queue = [root]
    for above in queue:
        for other in beside.get(above.id, ()):
            if other.id not in placed:
                placed.add(other.id)
                tree.below.setdefault(above.id, []).append(other)
                queue.append(other)


_Mark = tuple[int, int]


def _mark(graph: DisGraph) -> _Mark:
    """What tells whether a graph is still as it was."""
    return id(graph), graph.version


class ProfileTree:
    """The rows of the tree.

    Args:
        profile: gives the profile.
    """

    def __init__(self, profile: Callable[[], Profile]) -> None:
        self._profile = profile
        self._kept: tuple[_Mark, ProfileBranches] | None = None
        self._texts: tuple[_Mark, TextIndex] | None = None

    def listing(self, toggled: frozenset[str]) -> ItemList:
        """What is opened; `toggled` stands otherwise than at first."""
        with self._profile().reading() as graph:
            rows = self._rows(graph, self._branches(graph), toggled)
        note = "" if rows else _("No facts yet. What your commands say about you appears here.")
        return ItemList(tuple(rows), note)

    def texts(self) -> TextIndex:
        """All nodes and values."""
        with self._profile().reading() as graph:
            if self._texts is None or self._texts[0] != _mark(graph):
                self._texts = _mark(graph), _texts_of(graph)
            return self._texts[1]

    def named(self, keys: Sequence[str]) -> list[Item]:
        """Nodes and values by their ids, outside of the tree: each says whose it is."""
        items = []
        with self._profile().reading() as graph:
            tree = self._branches(graph)
            for key in keys:
                node = graph.node(key)
                if node is not None:
                    items.append(node_item(graph, tree, node, 0, None))
                elif (value := graph.find_value(key)) is not None and (owner := graph.node(value.node_id)):
                    items.append(_value_item(graph, owner, value))
        return items

    def _branches(self, graph: DisGraph) -> ProfileBranches:
        if self._kept is None or self._kept[0] != _mark(graph):
            self._kept = _mark(graph), branches(graph)
        return self._kept[1]

    def _rows(self, graph: DisGraph, tree: ProfileBranches, toggled: frozenset[str]) -> list[Item]:
        opened = len(graph) <= ALL_OPEN
        rows = [row for node in tree.roots for row in self._concept(graph, tree, node, 0, opened, toggled)]
        if tree.loose:
            is_open = opened ^ (LOOSE in toggled)
            rows.append(Item(LOOSE, _(LOOSE), frozenset(), tail=str(len(tree.loose)), opened=is_open))
            if is_open:
                rows += self._entities(graph, tree.loose, 1, opened, toggled)
        return rows

    def _concept(
        self,
        graph: DisGraph,
        tree: ProfileBranches,
        node: Node,
        depth: int,
        opened: bool,
        toggled: frozenset[str],
    ) -> Iterator[Item]:
        below = tree.below.get(node.id, [])
        holds = bool(below) or bool(tree.entities[node.id])
        is_open = opened ^ (node.id in toggled)
        yield node_item(graph, tree, node, depth, is_open if holds else None)
        if holds and is_open:
            for child in below:
                yield from self._concept(graph, tree, child, depth + 1, opened, toggled)
            entities = graph.neighbours(node.id, NodeKind.ENTITY)
            yield from self._entities(graph, entities, depth + 1, opened, toggled)

    def _entities(
        self, graph: DisGraph, entities: Sequence[Node], depth: int, opened: bool, toggled: frozenset[str]
    ) -> Iterator[Item]:
        for node in sorted(entities, key=lambda entity: (not entity.pinned, entity.hidden))[:MOST]:
            holds = bool(graph.values(node.id))
            is_open = opened ^ (node.id in toggled)
            yield node_item(graph, None, node, depth, is_open if holds else None)
            if holds and is_open:
                yield from _values(graph, node, depth + 1)
        if len(entities) > MOST:
            more = _("… {count} more: press / to find them").format(count=len(entities) - MOST)
            yield Item(f"more {depth} {entities[0].id}", more, frozenset(), depth=depth)


def node_item(
    graph: DisGraph, tree: ProfileBranches | None, node: Node, depth: int, opened: bool | None
) -> Item:
    """A concept or an entity as an item."""
    if node.kind is NodeKind.CONCEPT:
        tail = _describe_contents(tree, node) if tree is not None else ""
        return Item(
            id=node.id,
            name=node_words(node.name),
            acts=_DOMAIN if node.name in lexicon().domains else _CONCEPT,
            depth=depth,
            opened=opened,
            tail=tail,
            pinned=node.pinned,
            hidden=node.hidden,
        )
    evidence = [evidence_item for value in graph.values(node.id).values() for evidence_item in value.evidence]
    return Item(
        id=node.id,
        name=node_words(node.name),
        acts=_ENTITY,
        depth=depth,
        opened=opened,
        last=latest_time(evidence),
        tail=counted(len(evidence), "time") if evidence else "",
        pinned=node.pinned,
        hidden=node.hidden,
        source=" ".join(sorted({evidence_item.strength.value for evidence_item in evidence})),
    )


def _describe_contents(tree: ProfileBranches, node: Node) -> str:
    """What hangs on a concept, in words."""
    entities, concepts = tree.entities[node.id], len(tree.below.get(node.id, ()))
    parts = [counted(entities, "entity") if entities else ""]
    parts.append(counted(concepts, "concept") if concepts else "")
    return " · ".join(part for part in parts if part)


def _values(graph: DisGraph, node: Node, depth: int) -> Iterator[Item]:
    """What holds of an entity, what is in dispute, its other names, and what is hidden."""
    facts = compute_facts(graph, node)
    shown_ids = {fact.value.id for fact in facts}
    for fact in facts:
        yield _fact_item(graph, node, fact, depth)
        for other in _disputed(graph, fact.value):
            if other.id not in shown_ids:
                shown_ids.add(other.id)
                yield _plain_item(node, other, depth, over=_OR)
    for value in graph.values(node.id).values():
        if value.id not in shown_ids and (value.key == ALIAS or value.hidden):
            yield _plain_item(node, value, depth)


def _fact_item(graph: DisGraph, node: Node, fact: ProfileFact, depth: int, context: str = "") -> Item:
    value = fact.value
    disputed = bool(_disputed(graph, value))
    return Item(
        id=value.id,
        name=value_words(value.key, value.text),
        acts=_VALUE | {ItemAction.CHOOSE} if disputed else _VALUE,
        context=context or key_words(value.key),
        count=value.uses,
        weight=fact.confidence,
        last=latest_time(value.evidence),
        hours=_hours(value),
        pinned=node.pinned,
        hidden=value.hidden or node.hidden,
        over=_IN_DOUBT if disputed else "",
        depth=depth,
        source=_source(value),
    )


def _plain_item(node: Node, value: Value, depth: int, over: str = "", context: str = "") -> Item:
    """A value that does not hold just now, or is another name."""
    acts = _VALUE | {ItemAction.CHOOSE} if over else _VALUE
    return Item(
        id=value.id,
        name=value_words(value.key, value.text),
        acts=acts,
        context=context or key_words(value.key),
        count=value.uses,
        last=latest_time(value.evidence),
        hours=_hours(value),
        pinned=node.pinned,
        hidden=value.hidden or node.hidden,
        over=over,
        depth=depth,
        source=_source(value),
    )


def _value_item(graph: DisGraph, node: Node, value: Value) -> Item:
    context = f"{node_words(node.name)} · {key_words(value.key)}"
    fact = next(
        (candidate for candidate in compute_facts(graph, node) if candidate.value.id == value.id), None
    )
    if fact is not None:
        return _fact_item(graph, node, fact, 0, context)
    return _plain_item(node, value, 0, context=context)


def _texts_of(graph: DisGraph) -> TextIndex:
    """Nodes and values as they are found, what was told last first: as they are kept, and as shown."""
    keys, texts = [], []
    spoken_keys: dict[str, str] = {}
    for node in graph.nodes():
        name = _spoken(node.name, node_words)
        keys.append(node.id)
        texts.append(name)
        for value in sorted(graph.values(node.id).values(), key=_last_told, reverse=True):
            if value.key not in spoken_keys:
                spoken_keys[value.key] = _spoken(value.key, key_words)
            keys.append(value.id)
            texts.append(f"{name} {spoken_keys[value.key]} {value.text.casefold()}")
    return TextIndex(keys, texts)


def _last_told(value: Value) -> float:
    """When a value was told last, so that the one that took its place stands before it."""
    return max((evidence.time.timestamp() for evidence in value.evidence), default=0.0)


def _spoken(name: str, words: Callable[[str], str]) -> str:
    """What a name is found by: as it is kept, and as it is shown."""
    shown = words(name)
    return name.casefold() if shown == name else f"{name} {shown}".casefold()


def _disputed(graph: DisGraph, value: Value) -> tuple[Value, ...]:
    return assess_beliefs(group_by_key(graph.values(value.node_id).values()).get(value.key, ())).disputed


def _hours(value: Value) -> tuple[int, ...]:
    # What the user wrote has no record of an hour that tells a habit.
    counts = Counter(evidence.time.hour for evidence in value.evidence if evidence.record_id)
    return tuple(counts[hour] for hour in range(HOURS)) if counts else ()


def _source(value: Value) -> str:
    return " ".join(sorted({evidence.strength.value for evidence in value.evidence}))


_AROUND, _AT_ONCE = 16, 64
_LEARNT = {
    Strength.IMPLIED: later("asked for"),
    Strength.EXPLORED: later("read in an app"),
    Strength.STATED: later("said by you"),
    Strength.SWITCHED: later("said by you from then on"),
    Strength.IMPORTED: later("imported by you"),
    Strength.USER: later("written by you"),
}


_STANDINGS = {
    Belief.HOLDS: later("holds"),
    Belief.HELD: later("held before"),
    Belief.RARE: later("seen, outweighed"),
}


class ProfileSection(SectionProvider):
    """The profile.

    Args:
        context: the store and its user.
        profile: gives the profile.
    """

    def __init__(self, context: ViewContext, profile: Callable[[], Profile]) -> None:
        super().__init__(context)
        self._profile = profile
        self._tree = ProfileTree(profile)

    def build(self) -> ItemList:
        """The tree as it stands open at first."""
        return self.listing(frozenset())

    def listing(self, toggled: frozenset[str]) -> ItemList:
        """The opened part of the tree."""
        return self._tree.listing(toggled)

    def texts(self) -> TextIndex:
        """All nodes and values."""
        return self._tree.texts()

    def named(self, keys: Sequence[str]) -> list[Item]:
        """Nodes and values by their ids."""
        return self._tree.named(keys)

    def prepare(self, still: Callable[[], bool]) -> bool:
        """Make the vectors of the nodes, some at a time, so that others find by words meanwhile."""
        while still():
            if self._profile().prepare_vectors(_AT_ONCE):
                return True
        return False

    def alike(self, words: str, most: int) -> list[str]:
        """Nodes that are near in meaning."""
        return [node.id for node, cosine in self._profile().nearest(words, most) if cosine >= LIKE_ENOUGH]

    def details(self, item: Item) -> ItemDetails:
        """What is known of a node or a value, and what stands around it."""
        with self._profile().reading() as graph:
            if (node := graph.node(item.id)) is not None:
                return self._about_node(graph, node)
            if (value := graph.find_value(item.id)) is not None:
                return self._about_value(graph, value)
        if item.acts:
            raise KeyError(item.id)
        return ItemDetails(())

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another value, another name, another word for an entity."""
        check_text(text, LONGEST_TEXT)
        profile = self._profile()
        node = profile.graph.node(item.id)
        if node is None:
            profile.edit(item.id, text)
            return _("Changed: {text}").format(text=text)
        owner = node
        if field == "alias":
            self._tend(lambda draft, by: draft_alias(draft, owner, text, by), "add a word for a node")
            return _("Added: “{text}” also means {name}.").format(text=text, name=node.name)
        self._tend(lambda draft, by: draft_rename(draft, owner, text, by), "rename a node")
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
        target, removed = graph.node(item.id), graph.node(other.id)
        if target is None or removed is None:
            raise MemoryProblem(_("Values are not merged. Merge the entries that they belong to."))
        self._tend(lambda draft, by: draft_merge(draft, graph, target, removed, by), "merge two nodes")
        return _("Merged {gone} into {kept}.").format(kept=target.name, gone=removed.name)

    def leaving(self, item: Item, words: str) -> str:
        """What parting a concept would part."""
        entities = len(self._profile().graph.neighbours(item.id, NodeKind.ENTITY))
        return _("Splits {entities} by similarity.").format(entities=counted(entities, "entity"))

    def split(self, item: Item, words: str) -> str:
        """Part a concept into sub-concepts."""
        if self._profile().split_concept(item.id) is None:
            raise MemoryProblem(_("Not split: too few entries, or they are too similar."))
        return _("Split: {name} has groups below it.").format(name=item.name)

    def choose(self, item: Item) -> str:
        """This value holds."""
        self._profile().decide(item.id)
        return _("{name} holds.").format(name=item.name)

    def goes_with(self, item: Item) -> str:
        """A value goes alone, an entity with its values, a concept with its links."""
        quotes = preview_text_quotes(self._context.store, self._profile().words_of(item.id))
        return sentences(self._removal(item), *tell_quotes(quotes))

    def _removal(self, item: Item) -> str:
        graph = self._profile().graph
        node = graph.node(item.id)
        if node is None:
            return _("Deletes the value and its audit entries. Its records stay.")
        if node.kind is NodeKind.ENTITY:
            values = len(graph.values(node.id))
            return _("Deletes it with {values} and their audit entries. Records stay.").format(
                values=counted(values, "value")
            )
        around = graph.neighbours(node.id, NodeKind.ENTITY)
        alone = sum(len(graph.neighbours(neighbour.id, NodeKind.CONCEPT)) == 1 for neighbour in around)
        return _("Deletes the group. Its {count} entries stay, {alone} of them without a group.").format(
            alone=alone, count=len(around)
        )

    def forget(self, item: Item) -> str:
        """Delete a node or a value for good."""
        graph = self._profile().graph
        value = graph.find_value(item.id)
        values = graph.values(item.id).values() if value is None else (value,)
        is_recorded = any(value.record_ids for value in values)
        former = joined(f"“{one_line(each.text)}”" for each in self._profile().forget(item.id))
        before = _("Before it there was {former}, which is hidden now: “undo” uses it again.")
        again = _("The records that say it stay, but it is not learnt from them again.")
        return sentences(
            _("Forgotten."), again if is_recorded else "", before.format(former=former) if former else ""
        )

    def _tend(self, edit: Callable[[GraphDraft, Evidence], None], what: str) -> None:
        try:
            self._profile().apply_edit(edit, what)
        except GraphError as problem:
            raise MemoryProblem(str(problem)) from problem

    def _owner(self, item: Item) -> Node:
        graph = self._profile().graph
        value = graph.find_value(item.id)
        node = graph.node(value.node_id if value is not None else item.id)
        if node is None:
            raise KeyError(item.id)
        return node

    def _about_value(self, graph: DisGraph, value: Value) -> ItemDetails:
        node = graph.node(value.node_id)
        name = node_words(node.name) if node is not None else ""
        facts = [(later("of"), name), (later("what"), key_words(value.key))]
        if node is not None:
            facts.append((later("does"), _does(node, value)))
        fact = (
            next(
                (candidate for candidate in compute_facts(graph, node) if candidate.value.id == value.id),
                None,
            )
            if node
            else None
        )
        if fact is not None:
            facts.append((later("sure"), sureness_words(fact.confidence)))
        ways = Counter(_(_LEARNT[evidence.strength]) for evidence in value.evidence)
        facts.append((later("learnt"), joined(f"{way} ({count})" for way, count in ways.items())))
        origins = [
            evidence.record_id for evidence in value.evidence if evidence.strength is Strength.IMPORTED
        ]
        facts += [(later("imported from"), origin_words(origins))] if origins else []
        standings = self._profile().history(value.node_id).get(value.key)
        for other, _when, standing in standings.values if standings else ():
            if other.id != value.id:
                facts.append((_STANDINGS[standing], other.text))
        if standings and value in standings.disputed:
            facts.append((later("in doubt"), _("press c on what holds, or edit it")))
        facts += _around(graph, node) if node is not None else ()
        record_ids = tuple(dict.fromkeys(value.record_ids))
        return details_of(
            tuple(facts),
            record_ids,
            records_of(self._context.store, record_ids[:EVIDENCE]),
            heat=heat_of([item.time for item in value.evidence if item.record_id in record_ids]),
            fields=(
                ItemField(
                    key_words(value.key),
                    value.text,
                    _("what holds of {name}").format(name=name or "…"),
                ),
            ),
        )

    def _about_node(self, graph: DisGraph, node: Node) -> ItemDetails:
        facts = [(later("kind"), _("an entry") if node.kind is NodeKind.ENTITY else _("a group"))]
        aliases = [
            value.text for value in graph.values(node.id).values() if value.key == ALIAS and not value.hidden
        ]
        if aliases:
            facts.append((later("also"), joined(aliases)))
        facts.append((later("does"), _stands_for(graph, node)))
        facts += _around(graph, node)
        fields = []
        if node.kind is NodeKind.CONCEPT:
            question = _("Rename the whole group “{name}”, with all that stands below it?")
            hint, question = _("the name of this group"), question.format(name=node_words(node.name))
            fields.append(ItemField(later("name"), node.name, hint, question))
        else:
            fields.append(ItemField(later("name"), node.name, _("what this entry is called")))
            fields.append(ItemField(later("alias"), "", _("one more word that you have for it")))
        evidence = [
            reason
            for value in graph.values(node.id).values()
            for reason in value.evidence
            if reason.record_id
        ]
        evidence.sort(key=lambda reason: reason.time, reverse=True)
        record_ids = tuple(dict.fromkeys(reason.record_id for reason in evidence))
        return details_of(
            tuple(facts),
            record_ids,
            records_of(self._context.store, record_ids[:EVIDENCE]),
            heat=heat_of([reason.time for reason in evidence]),
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
        return _("holds together what belongs together")
    if not compute_facts(graph, node):
        return _("nothing yet: it has no facts")
    return _("fills in commands that name it")


def _around(graph: DisGraph, node: Node) -> Iterator[tuple[str, str]]:
    """The neighbourhood: what is one link away, and what is two."""
    first = graph.neighbours(node.id)
    if first:
        yield later("linked to"), _names(first)
    near_ids = {node.id, *(neighbour.id for neighbour in first)}
    second: dict[str, Node] = {}
    for neighbour in first:
        for other in graph.neighbours(neighbour.id):
            if other.id not in near_ids:
                second[other.id] = other
        if len(second) > 10 * _AROUND:
            break
    if second:
        yield later("further"), _names(list(second.values()))


def _names(nodes: Sequence[Node]) -> str:
    """Names, concepts and the pinned ones first."""
    shown_nodes = sorted(nodes, key=lambda node: (node.kind is NodeKind.ENTITY, not node.pinned))[:_AROUND]
    names = joined(node_words(node.name) for node in shown_nodes)
    return (
        _("{told}, … {amount} more").format(told=names, amount=len(nodes) - _AROUND)
        if len(nodes) > _AROUND
        else names
    )


def outline(store: Store, user_id: str) -> ItemList:
    """The areas of life with their entities; nothing can be done with them yet."""
    above, links, hung = schema.profile_nodes.alias(), schema.profile_links, schema.profile_nodes.alias()
    ends = or_(
        (links.c.one == above.c.id) & (links.c.other == hung.c.id),
        (links.c.other == above.c.id) & (links.c.one == hung.c.id),
    )
    query = (
        select(above.c.id, above.c.name, func.count())
        .select_from(above.join(links, or_(links.c.one == above.c.id, links.c.other == above.c.id)))
        .join(hung, ends & (hung.c.kind == NodeKind.ENTITY.value))
        .where(
            above.c.user_id == user_id,
            above.c.kind == NodeKind.CONCEPT.value,
            above.c.name.in_(lexicon().domains),
        )
        .group_by(above.c.id, above.c.name)
        .order_by(above.c.id)
    )
    with store.reader() as connection:
        rows = connection.execute(query).all()
    items = tuple(
        Item(node_id, node_words(name), frozenset(), tail=counted(count, "entity"))
        for node_id, name, count in rows
    )
    return ItemList(items, _("Loading profile …"))
