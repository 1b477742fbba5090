"""DisGraph (MobiMem 4.1): concepts and entities, edges without meaning, distance as relevance.

Entities hold the values and link to concepts only; concepts link to both.

What the profile is made of: concept and entity nodes, values of entities, and why they are believed.

Which value of a key holds. It follows from the evidence alone, so taking evidence back restores what was.

For a key with one value: what the user wrote, and what was said to hold from now on, ends all that was
before. Then every piece of evidence weighs by its strength and fades with age; the heaviest value holds. Two
values of about the same weight, both recent, are a conflict that only the user can decide.

The values of a list hold beside each other. One stops to hold when the others of its list were told so often
without it that chance does not explain it; what was said to be so stands longer, and an allergy for good.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

import networkx as nx

ALIAS = "alias"
"""The key under which an entity keeps the other words that a person uses for it."""

WISH = "wish"
"""The key of wishes that fit no other."""

ALLERGY = "allergic to"
"""The key of what somebody must not eat: it holds until the user takes it back."""

LONGEST_TEXT = 160
"""Characters that a name or a value may have."""


class NodeKind(StrEnum):
    """An abstract concept, or a concrete entity with key-values (MobiMem 4.1)."""

    CONCEPT = "concept"
    ENTITY = "entity"


class Strength(StrEnum):
    """How a value was learnt, weakest first."""

    IMPLIED = "implied"
    """Asked for in an instruction, without saying that it is always so."""
    EXPLORED = "explored"
    """Read from an app and confirmed by use."""
    STATED = "stated"
    """Said as something that holds: "I always …"."""
    SWITCHED = "switched"
    """Said as something that holds from now on, whatever held before."""
    USER = "user"
    """Written or confirmed by the user's own hand in the profile."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason to believe a value. `record_id` is empty when the user wrote it."""

    record_id: str
    time: datetime
    strength: Strength


@dataclass(frozen=True, slots=True)
class Node:
    """A concept or an entity. A hidden one is kept but never suggested and never learnt anew."""

    id: str
    kind: NodeKind
    name: str
    pinned: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an entity's key.

    `sense` is what makes two wordings the same value ("not too spicy" and "mild"). Of a `single` key one
    value holds at a time; the others are its history.
    """

    id: str
    node_id: str
    key: str
    text: str
    sense: str
    single: bool = True
    hidden: bool = False
    evidence: tuple[Evidence, ...] = field(default=())

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The records behind it, newest first."""
        newest = sorted(self.evidence, key=lambda one: one.time, reverse=True)
        return tuple(one.record_id for one in newest if one.record_id)

    @property
    def uses(self) -> int:
        """How often it was seen."""
        return len(self.evidence)


def cleaned(text: str, longest: int = LONGEST_TEXT) -> str:
    """Text as one line without control characters, cut to a length."""
    printable = text
    if not text.isprintable():
        printable = "".join(" " if unicodedata.category(one)[0] in "CZ" else one for one in text)
    return " ".join(printable.split())[:longest].rstrip()


_POSSESSIVE = re.compile(r"^(?:my|our|the|a|an|your)\s+|^(?:我们的|我家的|我的|我们|我)(?=.)", re.IGNORECASE)


def is_chinese(text: str) -> bool:
    """Whether a text holds Chinese characters."""
    return any("\u4e00" <= one <= "\u9fff" for one in text)


def normalised(text: str) -> str:
    """Text for comparing: lower case, one width, without article, possessive and outer punctuation."""
    plain = unicodedata.normalize("NFKC", cleaned(text)).casefold()
    plain = plain.strip(" \t.,;:!?\"'“”‘’。，；：！？、（）()[]")
    return _POSSESSIVE.sub("", plain) or plain


def node_id(user_id: str, kind: NodeKind, name: str, again: int = 0) -> str:
    """The id of a node: the same for the same name, so that learning twice finds what is there.

    `again` counts up where a renamed node already has the id.
    """
    return _digest(user_id, kind, normalised(name), *([str(again)] if again else []))


def value_id(node: str, key: str, sense: str) -> str:
    """The id of a value: the same for the same node, key and sense."""
    return _digest(node, key, sense)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def latest(evidence: Sequence[Evidence]) -> datetime | None:
    """The time of the newest evidence."""
    return max((one.time for one in evidence), default=None)


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


HALF_LIFE = timedelta(days=30)
"""After this time an observation weighs half, counted back from the newest of its key."""

_WEIGHTS = {
    Strength.IMPLIED: 1.0,
    Strength.EXPLORED: 1.5,
    Strength.STATED: 3.0,
    Strength.SWITCHED: 6.0,
    Strength.USER: 12.0,
}
_DECISIVE = frozenset({Strength.SWITCHED, Strength.USER})
_STATED = frozenset({Strength.STATED, Strength.SWITCHED})
_CHANCE, _LEAST_WITHOUT = 0.05, 4
_STATED_CHANCE, _STATED_LEAST_WITHOUT = 0.001, 16
_LEAST_WISHES = 2
_CLOSE = 0.8
_RECENT = timedelta(days=21)
_ENOUGH = 2.0


class Belief(StrEnum):
    """What a value is to its key."""

    HOLDS = "holds"
    HELD = "held before"
    RARE = "seen, outweighed"


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The values of one key, heaviest first, with weight and standing; `disputed` when none can be chosen."""

    values: tuple[tuple[Value, float, Belief], ...]
    disputed: tuple[Value, ...] = ()

    @property
    def holding(self) -> tuple[tuple[Value, float], ...]:
        """The values that hold, heaviest first, with their weights."""
        return tuple((value, weight) for value, weight, standing in self.values if standing is Belief.HOLDS)


def judge(values: Iterable[Value]) -> Beliefs:
    """The standings of the values of one key of one entity; hidden ones do not count."""
    shown = [value for value in values if not value.hidden and value.evidence]
    if not shown:
        return Beliefs(())
    newest = max(one.time for value in shown for one in value.evidence)
    if not any(value.single for value in shown):
        return _listed(shown, newest)
    since = _last_decision(shown)
    weighed = sorted(
        ((value, weight_of(value, newest, since)) for value in shown),
        key=lambda pair: (-pair[1], -max(one.time for one in pair[0].evidence).timestamp()),
    )
    first = weighed[0][0]
    rows = [(value, weight, _standing(value, first)) for value, weight in weighed]
    return Beliefs(tuple(rows), _disputed(weighed, newest))


def weight_of(value: Value, newest: datetime, since: datetime | None = None) -> float:
    """The faded evidence of a value; what is older than the last decision does not count."""
    return sum(
        _WEIGHTS[one.strength] * math.exp2((one.time - newest) / HALF_LIFE)
        for one in value.evidence
        if since is None or one.time >= since
    )


def confidence(weight: float, rest: float = 0.0) -> float:
    """A weight as 0..1: grows with the evidence, shrinks with the weight of what contradicts it."""
    return weight / (weight + rest + 0.5)


def _listed(values: Sequence[Value], newest: datetime) -> Beliefs:
    """The standings of a list: those that hold come first, the heaviest first."""
    times = sorted({one.time for value in values for one in value.evidence})
    rows = [(value, weight_of(value, newest), _standing_in_list(value, times)) for value in values]
    return Beliefs(tuple(sorted(rows, key=lambda row: (row[2] is not Belief.HOLDS, -row[1]))))


def _standing_in_list(value: Value, times: Sequence[datetime]) -> Belief:
    """What a value is to its list, of which something was told at `times`, oldest first."""
    told = {one.strength for one in value.evidence}
    if value.key == ALLERGY or Strength.USER in told:
        return Belief.HOLDS
    stated = bool(told & _STATED)
    if value.key == WISH and not stated and value.uses < _LEAST_WISHES:
        return Belief.RARE
    chance, least = (_STATED_CHANCE, _STATED_LEAST_WITHOUT) if stated else (_CHANCE, _LEAST_WITHOUT)
    last = max(one.time for one in value.evidence)
    until = sum(one <= last for one in times)
    without = len(times) - until
    share = value.uses / (until + 1)
    if without < least or (1 - share) ** without >= chance:
        return Belief.HOLDS
    return Belief.HELD if value.uses > 1 else Belief.RARE


def _last_decision(values: Sequence[Value]) -> datetime | None:
    times = [one.time for value in values for one in value.evidence if one.strength in _DECISIVE]
    return max(times, default=None)


def _standing(value: Value, first: Value) -> Belief:
    if value is first:
        return Belief.HOLDS
    ended = max(one.time for one in value.evidence) < max(one.time for one in first.evidence)
    return Belief.HELD if ended and value.uses > 1 else Belief.RARE


def _disputed(weighed: Sequence[tuple[Value, float]], newest: datetime) -> tuple[Value, ...]:
    if len(weighed) < 2:
        return ()
    (first, most), (second, next_most) = weighed[:2]
    close = next_most >= _CLOSE * most and next_most >= _ENOUGH
    both_recent = all(
        newest - max(one.time for one in value.evidence) <= _RECENT for value in (first, second)
    )
    return (first, second) if close and both_recent else ()
