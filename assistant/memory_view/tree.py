"""The profile as a tree: concepts, the entities that hang on them, and what holds of these.

The graph knows no above and below. The areas of life stand on top; else a concept that was there first stands
above those that are linked to it, and an entity below each of its concepts. Only what is opened is made into
items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from assistant.i18n import _, counted, later
from assistant.memory.profile.describing import Fact, facts_of
from assistant.memory.profile.graph import DisGraph, by_key
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import ALIAS, Node, NodeKind, Value, latest
from assistant.memory.profile.service import Profile
from assistant.memory.profile.standing import judge
from assistant.memory_view.items import HOURS, Act, Item, Listing
from assistant.memory_view.labels import key_words, node_words
from assistant.memory_view.texts import Texts

ALL_OPEN = 60
"""Up to so many nodes everything stands open at first."""
MOST = 500
"""The most that is listed below one node."""
LOOSE = later("no concept")
"""The id and name of what holds entities without a concept."""

_VALUE = frozenset({Act.EDIT, Act.PIN, Act.HIDE, Act.FORGET})
_ENTITY = frozenset({Act.EDIT, Act.PIN, Act.HIDE, Act.MERGE, Act.FORGET})
_CONCEPT = _ENTITY | {Act.SPLIT}
_OR, _IN_DOUBT = later("or"), later("in doubt")


@dataclass(slots=True)
class Branches:
    """How the nodes stand: concepts on top, those below each, how many entities, and who has no concept."""

    roots: list[Node] = field(default_factory=list)
    below: dict[str, list[Node]] = field(default_factory=dict)
    entities: Counter[str] = field(default_factory=Counter)
    loose: list[Node] = field(default_factory=list)


def branches(graph: DisGraph) -> Branches:
    """The tree of a graph, in the order in which nodes came."""
    found = Branches()
    concepts = [node for node in graph.nodes() if node.kind is NodeKind.CONCEPT]
    found.roots = [node for node in concepts if node.name in lexicon().domains]
    seen = {node.id for node in found.roots}
    beside, hung = _links_of(graph, {node.id: node for node in concepts}, found.entities)
    for node in list(found.roots):
        _hang_below(node, beside, found, seen)
    for node in concepts:
        if node.id not in seen:
            seen.add(node.id)
            found.roots.append(node)
            _hang_below(node, beside, found, seen)
    found.loose = [one for one in graph.nodes() if one.kind is NodeKind.ENTITY and one.id not in hung]
    return found


def _links_of(
    graph: DisGraph, concepts: dict[str, Node], entities: Counter[str]
) -> tuple[dict[str, list[Node]], set[str]]:
    """The concepts linked to each concept, and the entities linked to any; `entities` counts these."""
    beside: dict[str, list[Node]] = {}
    hung = set[str]()
    for one, other in graph.links():
        if one in concepts and other in concepts:
            beside.setdefault(one, []).append(concepts[other])
            beside.setdefault(other, []).append(concepts[one])
        else:
            concept, entity = (one, other) if one in concepts else (other, one)
            entities[concept] += 1
            hung.add(entity)
    return beside, hung


def _hang_below(root: Node, beside: dict[str, list[Node]], found: Branches, seen: set[str]) -> None:
    """Hang below a concept those that are linked to it, and so on; `seen` are those that hang already."""
    queue = [root]
    for above in queue:
        for other in beside.get(above.id, ()):
            if other.id not in seen:
                seen.add(other.id)
                found.below.setdefault(above.id, []).append(other)
                queue.append(other)


_Mark = tuple[int, int]


def _mark(graph: DisGraph) -> _Mark:
    """What tells whether a graph is still as it was."""
    return id(graph), graph.version


class Tree:
    """The rows of the tree.

    Args:
        profile: gives the profile.
    """

    def __init__(self, profile: Callable[[], Profile]) -> None:
        self._profile = profile
        self._kept: tuple[_Mark, Branches] | None = None
        self._texts: tuple[_Mark, Texts] | None = None

    def listing(self, toggled: frozenset[str]) -> Listing:
        """What is opened; `toggled` stands otherwise than at first."""
        with self._profile().reading() as graph:
            rows = self._rows(graph, self._branches(graph), toggled)
        note = "" if rows else _("Nothing yet: what your words tell of you comes to stand here.")
        return Listing(tuple(rows), note)

    def texts(self) -> Texts:
        """All nodes and values."""
        with self._profile().reading() as graph:
            if self._texts is None or self._texts[0] != _mark(graph):
                self._texts = _mark(graph), _texts_of(graph)
            return self._texts[1]

    def named(self, keys: Sequence[str]) -> list[Item]:
        """Nodes and values by their ids, outside of the tree: each says whose it is."""
        found = []
        with self._profile().reading() as graph:
            tree = self._branches(graph)
            for key in keys:
                node = graph.node(key)
                if node is not None:
                    found.append(node_item(graph, tree, node, 0, None))
                elif (value := graph.find_value(key)) is not None and (owner := graph.node(value.node_id)):
                    found.append(_value_item(graph, owner, value))
        return found

    def _branches(self, graph: DisGraph) -> Branches:
        if self._kept is None or self._kept[0] != _mark(graph):
            self._kept = _mark(graph), branches(graph)
        return self._kept[1]

    def _rows(self, graph: DisGraph, tree: Branches, toggled: frozenset[str]) -> list[Item]:
        opened = len(graph) <= ALL_OPEN
        rows = [row for node in tree.roots for row in self._concept(graph, tree, node, 0, opened, toggled)]
        if tree.loose:
            is_open = opened ^ (LOOSE in toggled)
            rows.append(Item(LOOSE, _(LOOSE), frozenset(), tail=str(len(tree.loose)), opened=is_open))
            if is_open:
                rows += self._entities(graph, tree.loose, 1, opened, toggled)
        return rows

    def _concept(
        self, graph: DisGraph, tree: Branches, node: Node, depth: int, opened: bool, toggled: frozenset[str]
    ) -> Iterator[Item]:
        below = tree.below.get(node.id, [])
        holds = bool(below) or bool(tree.entities[node.id])
        is_open = opened ^ (node.id in toggled)
        yield node_item(graph, tree, node, depth, is_open if holds else None)
        if holds and is_open:
            for one in below:
                yield from self._concept(graph, tree, one, depth + 1, opened, toggled)
            entities = graph.neighbours(node.id, NodeKind.ENTITY)
            yield from self._entities(graph, entities, depth + 1, opened, toggled)

    def _entities(
        self, graph: DisGraph, entities: Sequence[Node], depth: int, opened: bool, toggled: frozenset[str]
    ) -> Iterator[Item]:
        for node in sorted(entities, key=lambda one: (not one.pinned, one.hidden))[:MOST]:
            holds = bool(graph.values(node.id))
            is_open = opened ^ (node.id in toggled)
            yield node_item(graph, None, node, depth, is_open if holds else None)
            if holds and is_open:
                yield from _values(graph, node, depth + 1)
        if len(entities) > MOST:
            more = _("… {count} more: press / to find them").format(count=len(entities) - MOST)
            yield Item(f"more {depth} {entities[0].id}", more, frozenset(), depth=depth)


def node_item(graph: DisGraph, tree: Branches | None, node: Node, depth: int, opened: bool | None) -> Item:
    """A concept or an entity as an item."""
    if node.kind is NodeKind.CONCEPT:
        tail = _held(tree, node) if tree is not None else ""
        return Item(
            id=node.id,
            name=node_words(node.name),
            acts=_CONCEPT,
            depth=depth,
            opened=opened,
            tail=tail,
            pinned=node.pinned,
            hidden=node.hidden,
        )
    evidence = [one for value in graph.values(node.id).values() for one in value.evidence]
    return Item(
        id=node.id,
        name=node_words(node.name),
        acts=_ENTITY,
        depth=depth,
        opened=opened,
        last=latest(evidence),
        tail=counted(len(evidence), "time") if evidence else "",
        pinned=node.pinned,
        hidden=node.hidden,
        source=" ".join(sorted({one.strength.value for one in evidence})),
    )


def _held(tree: Branches, node: Node) -> str:
    """What hangs on a concept, in words."""
    entities, concepts = tree.entities[node.id], len(tree.below.get(node.id, ()))
    told = [counted(entities, "entity") if entities else ""]
    told.append(counted(concepts, "concept") if concepts else "")
    return " · ".join(part for part in told if part)


def _values(graph: DisGraph, node: Node, depth: int) -> Iterator[Item]:
    """What holds of an entity, what is in dispute, its other names, and what is hidden."""
    told = facts_of(graph, node)
    shown = {fact.value.id for fact in told}
    for fact in told:
        yield _fact_item(graph, node, fact, depth)
        for other in _disputed(graph, fact.value):
            if other.id not in shown:
                shown.add(other.id)
                yield _plain_item(node, other, depth, over=_OR)
    for value in graph.values(node.id).values():
        if value.id not in shown and (value.key == ALIAS or value.hidden):
            yield _plain_item(node, value, depth)


def _fact_item(graph: DisGraph, node: Node, fact: Fact, depth: int, context: str = "") -> Item:
    value = fact.value
    disputed = bool(_disputed(graph, value))
    return Item(
        id=value.id,
        name=value.text,
        acts=_VALUE | {Act.CHOOSE} if disputed else _VALUE,
        context=context or key_words(value.key),
        count=value.uses,
        weight=fact.confidence,
        last=latest(value.evidence),
        hours=_hours(value),
        pinned=node.pinned,
        hidden=value.hidden or node.hidden,
        over=_IN_DOUBT if disputed else "",
        depth=depth,
        source=_source(value),
    )


def _plain_item(node: Node, value: Value, depth: int, over: str = "", context: str = "") -> Item:
    """A value that does not hold just now, or is another name."""
    acts = _VALUE | {Act.CHOOSE} if over else _VALUE
    return Item(
        id=value.id,
        name=value.text,
        acts=acts,
        context=context or key_words(value.key),
        count=value.uses,
        last=latest(value.evidence),
        hours=_hours(value),
        pinned=node.pinned,
        hidden=value.hidden or node.hidden,
        over=over,
        depth=depth,
        source=_source(value),
    )


def _value_item(graph: DisGraph, node: Node, value: Value) -> Item:
    context = f"{node_words(node.name)} · {key_words(value.key)}"
    fact = next((one for one in facts_of(graph, node) if one.value.id == value.id), None)
    if fact is not None:
        return _fact_item(graph, node, fact, 0, context)
    return _plain_item(node, value, 0, context=context)


def _texts_of(graph: DisGraph) -> Texts:
    """Nodes and values as they are found: as they are kept, and as they are shown."""
    keys, texts = [], []
    spoken_keys: dict[str, str] = {}
    for node in graph.nodes():
        name = _spoken(node.name, node_words)
        keys.append(node.id)
        texts.append(name)
        for value in graph.values(node.id).values():
            if value.key not in spoken_keys:
                spoken_keys[value.key] = _spoken(value.key, key_words)
            keys.append(value.id)
            texts.append(f"{name} {spoken_keys[value.key]} {value.text.casefold()}")
    return Texts(keys, texts)


def _spoken(name: str, words: Callable[[str], str]) -> str:
    """What a name is found by: as it is kept, and as it is shown."""
    shown = words(name)
    return name.casefold() if shown == name else f"{name} {shown}".casefold()


def _disputed(graph: DisGraph, value: Value) -> tuple[Value, ...]:
    return judge(by_key(graph.values(value.node_id).values()).get(value.key, ())).disputed


def _hours(value: Value) -> tuple[int, ...]:
    # What the user wrote has no record of an hour that tells a habit.
    counts = Counter(one.time.hour for one in value.evidence if one.record_id)
    return tuple(counts[hour] for hour in range(HOURS)) if counts else ()


def _source(value: Value) -> str:
    return " ".join(sorted({one.strength.value for one in value.evidence}))
