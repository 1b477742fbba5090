"""Finding what a task needs to know, without a model (MobiMem 4.1, retrieval logic).

The nodes nearest to the task are the starts. From each a breadth-first walk yields facts; the token budget is
parted equally among the starts and filled in turn, and what one start leaves over goes to the others.

What a word of the user's stands for, the surest way first; and the area of life that a text is about.

How nodes and values read: for the embedding, for a prompt, for a person.

The vectors of a profile's nodes: one resident matrix, made anew where a node's text changed.

Counting tokens without a tokenizer: what a model's prompt will need, about.

PerPilot's element memory: what a person's word for somebody or something stands for.

First by alias: the entity's own name, another word of the user's, or a word of the same group ("mother" for
"mom"). Then by key ("my size"). Embeddings come last and elsewhere, as they only suggest.

What the profile answers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embedder import Embedder, Vectors
from assistant.embedding.index import VectorIndex
from assistant.memory.derived import NODE_VECTOR
from assistant.memory.profile.extract import Supersession
from assistant.memory.profile.graph import (
    ALIAS,
    WISH,
    Beliefs,
    DisGraph,
    Evidence,
    Node,
    NodeKind,
    Value,
    by_key,
    confidence,
    judge,
    normalised,
)
from assistant.memory.profile.lexicon import lexicon, same_one
from assistant.memory.store import Store
from assistant.memory.vectors import VectorCache

_EMBEDDED_VALUES = 12


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """A value that holds: its `line` in a prompt, and the `path` to it from the start of the search.

    `rivals` are values that may hold instead, where evidence cannot decide.
    """

    node: Node
    value: Value
    confidence: float
    line: str
    path: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The records behind it, newest first."""
        return self.value.record_ids


class EntityFacts:
    """What holds of the entities of a graph, worked out once until an entity is touched."""

    def __init__(self, graph: DisGraph) -> None:
        self.graph = graph
        self._known: dict[str, tuple[ProfileFact, ...]] = {}

    def of(self, node: Node) -> tuple[ProfileFact, ...]:
        """What holds of an entity, the heaviest first."""
        known = self._known.get(node.id)
        if known is None:
            known = self._known[node.id] = tuple(facts_of(self.graph, node))
        return known

    def touch(self, node_ids: Iterable[str]) -> None:
        """Work out anew what holds of some entities when it is asked for."""
        for node_id in node_ids:
            self._known.pop(node_id, None)

    def text(self, node: Node) -> str:
        """What a node is embedded as."""
        if node.kind is NodeKind.CONCEPT:
            domain = lexicon().domains.get(node.name)
            return f"{node.name}: {domain.about}" if domain else node.name
        told = [f"{fact.value.key} {fact.value.text}" for fact in self.of(node)[:_EMBEDDED_VALUES]]
        return f"{node.name}: {', '.join(told)}" if told else node.name


def facts_of(graph: DisGraph, node: Node) -> list[ProfileFact]:
    """What holds of an entity, worked out now; wishes that fit no key come last."""
    weighed: list[tuple[bool, float, ProfileFact]] = []
    for key, values in by_key(graph.values(node.id).values()).items():
        if key == ALIAS:
            continue
        standings = judge(values)
        for value, weight in standings.holding:
            weighed.append((key == WISH, -weight, _fact(node, value, weight, standings)))
    return [fact for *_, fact in sorted(weighed, key=lambda one: one[:2])]


def _fact(node: Node, value: Value, weight: float, standings: Beliefs) -> ProfileFact:
    rest = sum(other for one, other, _ in standings.values if one.id != value.id) if value.single else 0.0
    line = f"{node.name} · {value.key}: {value.text}"
    rivals: tuple[str, ...] = ()
    if value in standings.disputed:
        rivals = tuple(one.text for one in standings.disputed if one.id != value.id)
        line += f" (or {', '.join(rivals)}?)"
    return ProfileFact(node, value, confidence(weight, rest), line, rivals=rivals)


class NodeVectors:
    """A row for every node that may be found; hidden ones have none.

    The embedder is asked for nothing before the first search, so that the graph need not wait for it.
    """

    def __init__(self, store: Store, embeds: Embedder, facts: EntityFacts) -> None:
        self._facts = facts
        self._cache = VectorCache(store, embeds)
        self._embeds = embeds
        self._made: VectorIndex[str] | None = None
        self._texts: dict[str, str] = {}
        self._stale: dict[str, None] = {node.id: None for node in facts.graph.nodes()}

    def __len__(self) -> int:
        return len(self._index) if self._made is not None else 0

    @property
    def _index(self) -> VectorIndex[str]:
        if self._made is None:
            self._made = VectorIndex(self._embeds.dimensions)
        return self._made

    def touch(self, node_ids: Iterable[str]) -> None:
        """Note that the texts of some nodes may have changed."""
        self._stale.update(dict.fromkeys(node_ids))

    def refresh(self, most: int | None = None) -> bool:
        """Bring the matrix up to date, or `most` nodes of it; whether nothing is left to do.

        Raises:
            EmbeddingError: the model cannot be run.
            StoreError: the store cannot be written.
        """
        fresh: dict[str, str] = {}
        gone: list[str] = []
        looked_at = list(islice(self._stale, most))
        for node_id in looked_at:
            node = self._facts.graph.node(node_id)
            if node is None or node.hidden:
                gone.append(node_id)
            elif (text := self._facts.text(node)) != self._texts.get(node_id):
                fresh[node_id] = text
        if gone and self._index.remove(gone):
            self._cache.forget(NODE_VECTOR, gone)
        if fresh:
            self._index.add(list(fresh), self._cache.vectors(NODE_VECTOR, fresh))
        for node_id in gone:
            self._texts.pop(node_id, None)
        self._texts.update(fresh)
        for node_id in looked_at:
            self._stale.pop(node_id, None)
        return not self._stale

    def nearest(self, vector: NDArray[np.float32], k: int) -> tuple[list[str], NDArray[np.float32]]:
        """The k nodes nearest to a vector, and their cosines."""
        return self._index.search(vector, k)

    def vectors(self, node_ids: Sequence[str]) -> Vectors:
        """The vectors of some nodes, in order.

        Raises:
            KeyError: one has none.
        """
        return np.stack([self._index.vector(node_id) for node_id in node_ids])


_PIECES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[A-Za-z]+|\d+|[^\sA-Za-z0-9]")
_LETTERS = 6


@lru_cache(maxsize=16384)
def tokens(text: str) -> int:
    """About how many tokens a text has: one for a Chinese character, a sign, three digits, a short word."""
    count = 0
    for piece in _PIECES.findall(text):
        if piece.isdigit():
            count += -(-len(piece) // 3)
        elif piece.isascii() and piece.isalpha():
            count += -(-len(piece) // _LETTERS)
        else:
            count += 1
    return count


STARTS = 6
"""How many nodes a walk begins from."""

FARTHEST = 4
"""How many links a walk follows."""

_Reached = tuple[ProfileFact, tuple[str, ...]]
_FIRST_FACTS = 16
_MOST_NODES = 512


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Facts in the order they were found, and their text within the budget."""

    facts: tuple[ProfileFact, ...]
    text: str
    tokens: int


def retrieve(
    facts: EntityFacts,
    nearest: Sequence[str],
    budget: int,
    starts: int = STARTS,
    count: Callable[[str], int] = tokens,
) -> Retrieved:
    """Walk from the starts until the budget is full; what then is left goes to the next nearest nodes.

    Args:
        facts: what holds of the profile's entities.
        nearest: ids of the nodes nearest to the task, the nearest first; neighbours are visited so.
        budget: how many tokens the text may have.
        starts: how many walks share the budget.
        count: counts the tokens of a line.
    """
    nearness = {node_id: rank for rank, node_id in enumerate(nearest)}
    # A node belongs to the walk that comes to it first.
    seen = set(nearest[:starts])
    taken: dict[str, ProfileFact] = {}
    used = _fill([_walk(facts, start, nearness, seen) for start in nearest[:starts]], budget, taken, count)
    for start in nearest[starts:]:
        if start not in seen and used < budget:
            seen.add(start)
            used += _fill([_walk(facts, start, nearness, seen)], budget - used, taken, count)
    return Retrieved(tuple(taken.values()), "\n".join(fact.line for fact in taken.values()), used)


def _fill(
    walks: Sequence[Iterator[_Reached]],
    budget: int,
    taken: dict[str, ProfileFact],
    count: Callable[[str], int],
) -> int:
    """Let the walks put facts into `taken` in turn, each within its share. Returns the tokens used."""
    shares = [budget // len(walks)] * len(walks) if walks else []
    used = 0
    turn = deque(range(len(walks)))
    while turn:
        place = turn.popleft()
        reached = next(walks[place], None)
        cost = count(reached[0].line) + 1 if reached is not None else 0
        if reached is not None and cost <= shares[place]:
            fact, path = reached
            taken[fact.value.id] = replace(fact, path=path)
            used += cost
            shares[place] -= cost
            turn.append(place)
        elif turn:
            extra = shares[place] // len(turn)
            for other in turn:
                shares[other] += extra
    return used


def _walk(facts: EntityFacts, start: str, nearness: Mapping[str, int], seen: set[str]) -> Iterator[_Reached]:
    """Facts from a start outwards; the rest of long lists comes after everything else."""
    late: list[_Reached] = []
    for node, path in _breadth_first(facts.graph, start, nearness, seen):
        if node.kind is NodeKind.ENTITY:
            told = facts.of(node)
            first = len(told) if node.pinned else _FIRST_FACTS
            yield from ((fact, path) for fact in told[:first])
            late += [(fact, path) for fact in told[first:]]
    yield from late


def _breadth_first(
    graph: DisGraph, start: str, nearness: Mapping[str, int], seen: set[str]
) -> Iterator[tuple[Node, tuple[str, ...]]]:
    first = graph.node(start)
    if first is None or first.hidden:
        return
    queue: deque[tuple[Node, tuple[str, ...]]] = deque([(first, (first.name,))])
    while queue:
        node, path = queue.popleft()
        yield node, path
        if len(path) > FARTHEST:
            continue
        for other in _ordered(graph, node, nearness):
            if other.id not in seen and not other.hidden and len(seen) < _MOST_NODES:
                seen.add(other.id)
                queue.append((other, (*path, other.name)))


def _ordered(graph: DisGraph, node: Node, nearness: Mapping[str, int]) -> list[Node]:
    """Neighbours: pinned ones, then those near the task, then the others as they were linked."""
    far = len(nearness)
    return sorted(graph.neighbours(node.id), key=lambda one: (not one.pinned, nearness.get(one.id, far)))


_USUAL = re.compile(
    r"^(?:usual|favou?rite|regular|preferred|normal|standard|often[- ]\w+|frequent(?:ly)?(?: \w+ed)?)\s+"
    r"|^(?:平时的?|常用的?|一般的?|最喜欢的?|最爱的?|习惯的?|喜欢的?)(?=.)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"^(?P<who>.+?)(?:['’]s\s+|\s*的)(?P<what>.+)$")
_MAIN_KEYS = ("name", "is", "address", "number")
_KEYS = {
    "尺码": "size", "颜色": "colour", "品牌": "brand", "口味": "taste", "辣度": "taste", "饮料": "drink",
    "支付方式": "payment", "付款方式": "payment", "座位": "seat", "忌口": "avoid", "菜系": "cuisine",
    "电话": "phone", "手机号": "phone", "号码": "number", "地址": "address", "名字": "name", "家": "address",
    "phone number": "phone", "telephone": "phone", "home": "address", "house": "address", "color": "colour",
    "spice level": "taste", "genre": "genre", "music": "music", "app": "app", "company": "office",
}  # fmt: skip


def by_alias(graph: DisGraph, words: str) -> Node | None:
    """The entity that some words name."""
    wanted = normalised(words)
    group = same_one(wanted)
    for name in dict.fromkeys(one for one in (wanted, group, _USUAL.sub("", wanted)) if one):
        if (node := graph.named(name, NodeKind.ENTITY)) is not None and not node.hidden:
            return node
    return next(_with_alias(graph, {wanted, group or wanted}), None)


def value_by_key(facts: EntityFacts, words: str) -> ProfileFact | None:
    """What holds for a key that some words name: "my size", "usual drink"."""
    plain = _USUAL.sub("", normalised(words))
    key = _KEYS.get(plain, plain)
    nodes = (facts.graph.node(node_id) for node_id in facts.graph.holders(key))
    holding = (
        fact
        for node in nodes
        if node is not None and not node.hidden
        for fact in facts.of(node)
        if fact.value.key == key
    )
    return max(holding, key=lambda fact: fact.confidence, default=None)


def fact_of(facts: EntityFacts, node: Node, what: str = "") -> ProfileFact | None:
    """What an entity stands for, or one key of it."""
    known = facts.of(node)
    if what:
        wanted = normalised(what)
        keys = {wanted, _KEYS.get(wanted, wanted)}
        return next((fact for fact in known if fact.value.key in keys), None)
    for key in _MAIN_KEYS:
        for fact in known:
            if fact.value.key == key:
                return fact
    return None


def place_of(facts: EntityFacts, words: str) -> tuple[Node, str] | None:
    """Where some words have their meaning: an entity and a key that is known of it; None for none."""
    if (node := by_alias(facts.graph, words)) is not None:
        return node, fact.value.key if (fact := fact_of(facts, node)) is not None else "is"
    if (owned := owner_and_key(words)) is not None and (node := by_alias(facts.graph, owned[0])) is not None:
        return node, _KEYS.get(owned[1], owned[1])
    fact = value_by_key(facts, words)
    return (fact.node, fact.value.key) if fact is not None and fact.value.single else None


def owner_and_key(words: str) -> tuple[str, str] | None:
    """The parts of a possessive: "mom" and "phone number" of "mom's phone number"."""
    found = _OWNED.match(normalised(words))
    return (found["who"], found["what"]) if found else None


def _with_alias(graph: DisGraph, wanted: set[str]) -> Iterator[Node]:
    for node_id in graph.holders(ALIAS):
        node = graph.node(node_id)
        aliases = (
            value for value in graph.values(node_id).values() if value.key == ALIAS and not value.hidden
        )
        if node is not None and not node.hidden and any(normalised(one.text) in wanted for one in aliases):
            yield node


class MatchMethod(StrEnum):
    """How the meaning of a word was found, the surest way first."""

    ALIAS = "alias"
    KEY = "key"
    LIKENESS = "likeness"


@dataclass(frozen=True, slots=True)
class ProfileMatch:
    """What a word of the user's stands for. `confidence` is 0..1; `evidence` are record ids, newest first.

    `rivals` are the values that it may be as well, where evidence cannot decide. `reasons` are all of what it
    is believed for.
    """

    value: str
    entity: str
    key: str
    confidence: float
    evidence: tuple[str, ...]
    how: MatchMethod
    rivals: tuple[str, ...] = ()
    reasons: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueConflict:
    """Values of a key that evidence cannot decide between; `Profile.decide` takes the id of one."""

    entity: str
    key: str
    choices: tuple[Value, ...]

    @property
    def question(self) -> str:
        """The question to the user."""
        told = " or ".join(f"“{value.text}”" for value in self.choices)
        return f"{self.entity}, {self.key}: {told}?"


@dataclass(frozen=True, slots=True)
class LearnResult:
    """What a record taught: how many findings, what they superseded, and the change that can be undone."""

    findings: int
    superseded: tuple[Supersession, ...]
    change_id: int | None


def found_in(fact: ProfileFact, how: MatchMethod, likeness: float = 1.0) -> ProfileMatch:
    """A fact as the meaning of a word."""
    value = fact.value
    sure = fact.confidence * likeness
    return ProfileMatch(
        value.text, fact.node.name, value.key, sure, fact.record_ids, how, fact.rivals, value.evidence
    )


LIKENESS = 0.5
"""The cosine from which a node may be what a word means."""


def said(facts: EntityFacts, words: str) -> ProfileMatch | None:
    """What some words stand for by name or alias, an owner's possession, or a key."""
    if (node := by_alias(facts.graph, words)) is not None:
        fact = fact_of(facts, node)
        return found_in(fact, MatchMethod.ALIAS) if fact is not None else _by_key(facts, words)
    if (owned := owner_and_key(words)) is not None:
        who, what = owned
        node = by_alias(facts.graph, who)
        fact = fact_of(facts, node, what) if node is not None else None
        if fact is not None:
            return found_in(fact, MatchMethod.ALIAS)
    return _by_key(facts, words)


def _by_key(facts: EntityFacts, words: str) -> ProfileMatch | None:
    fact = value_by_key(facts, words)
    return found_in(fact, MatchMethod.KEY) if fact is not None else None


def alike(
    facts: EntityFacts, words: str, nearest: Callable[[], Iterable[tuple[Node, float]]]
) -> ProfileMatch | None:
    """What the nearest node stands for that is near enough; `nearest` gives nodes with their cosines."""
    if same_one(words) is not None:
        # "dad" is near to "mom", and is not her.
        return None
    for node, cosine in nearest():
        if cosine < LIKENESS or node.kind is NodeKind.CONCEPT:
            continue
        if (fact := fact_of(facts, node)) is not None:
            return found_in(fact, MatchMethod.LIKENESS, cosine)
    return None


def standings_of(graph: DisGraph, node: Node) -> dict[str, Beliefs]:
    """The keys of an entity with the standings of their values."""
    return {key: judge(values) for key, values in by_key(graph.values(node.id).values()).items()}


def conflicts_in(graph: DisGraph) -> list[ValueConflict]:
    """What only the user can decide."""
    return [
        ValueConflict(node.name, key, standings.disputed)
        for node in graph.nodes()
        if node.kind is NodeKind.ENTITY and not node.hidden
        for key, standings in standings_of(graph, node).items()
        if standings.disputed
    ]


def sense_in(graph: DisGraph, node: Node, key: str, text: str) -> str:
    """What makes a text the same value: that of a value of this key that is written alike, else its own."""
    values = graph.values(node.id).values()
    alike_ones = (one.sense for one in values if one.key == key and normalised(one.text) == normalised(text))
    return next(alike_ones, lexicon().sense_of(text))


class DomainIndex:
    """The areas of life, by what they are about.

    Args:
        embeds: embeds them once, when they are first asked for.
    """

    def __init__(self, embeds: Embedder) -> None:
        self._embeds = embeds
        self._rows: np.ndarray[tuple[int, int], np.dtype[np.float32]] | None = None

    def nearest(self, text: str) -> str:
        """The area of life whose description is nearest to a text."""
        domains = lexicon().domains
        if self._rows is None:
            self._rows = self._embeds.embed([domain.about for domain in domains.values()])
        scores = self._rows @ self._embeds.embed([text])[0]
        return list(domains)[int(scores.argmax())]
