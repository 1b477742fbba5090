"""Retrieval from the profile without a model: facts for a task, and the meaning of a user's word.

Facts for a task (MobiMem 4.1): the nodes nearest to the task by embedding are the starts. A breadth-first
walk from each start yields facts; the token budget is shared equally among the starts, and what one start
leaves unused goes to the others.

The meaning of a word (PerPilot's element memory) is found by alias first: the name of an entity, another name
of it, or a synonym ("mother" for "mom"); then by key ("my size"); last by embedding, which only suggests.
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
from assistant.memory.profile.graph import (
    ALIAS,
    NOTE,
    SEVERAL,
    WISH,
    Beliefs,
    DisGraph,
    Evidence,
    Node,
    NodeKind,
    Strength,
    Value,
    assess_beliefs,
    canonical_word,
    confidence,
    group_by_key,
    is_role,
    normalize_text,
    synonyms,
)
from assistant.memory.profile.lexicon import HABITS, NAME, lexicon
from assistant.memory.schema import NODE_VECTOR
from assistant.memory.store import Store
from assistant.memory.vectors import VectorCache, VectorIndex

_EMBEDDED_VALUES = 12


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """A value that holds, with its `line` for a prompt and the `path` of node names from the start.

    `rivals` are values that may hold instead, if evidence cannot decide.
    """

    node: Node
    value: Value
    confidence: float
    line: str
    path: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The ids of the records that support it, newest first."""
        return self.value.record_ids


class MatchMethod(StrEnum):
    """How the meaning of a word was found, surest first."""

    ALIAS = "alias"
    KEY = "key"
    LIKENESS = "likeness"


@dataclass(frozen=True, slots=True)
class ProfileMatch:
    """The meaning of a user's word. `confidence` is 0..1; `evidence` are record ids, newest first.

    `rivals` are values that may be meant instead, if evidence cannot decide. `reasons` is all evidence for
    the value.
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
    """Values of a key between which evidence cannot decide; `Profile.decide` takes the id of one."""

    entity: str
    key: str
    choices: tuple[Value, ...]

    @property
    def question(self) -> str:
        """The question to the user."""
        choices = " or ".join(f"“{value.text}”" for value in self.choices)
        return f"{self.entity}, {self.key}: {choices}?"


class EntityFacts:
    """The facts of the entities of a graph, cached until an entity is invalidated."""

    def __init__(self, graph: DisGraph) -> None:
        self.graph = graph
        self._facts: dict[str, tuple[ProfileFact, ...]] = {}

    def of(self, node: Node) -> tuple[ProfileFact, ...]:
        """The facts of an entity, heaviest first."""
        facts = self._facts.get(node.id)
        if facts is None:
            facts = self._facts[node.id] = tuple(compute_facts(self.graph, node))
        return facts

    def invalidate(self, node_ids: Iterable[str]) -> None:
        """Drop the cached facts of some entities."""
        for node_id in node_ids:
            self._facts.pop(node_id, None)

    def embedding_text(self, node: Node) -> str:
        """The text that is embedded for a node."""
        if node.kind is NodeKind.CONCEPT:
            domain = lexicon().domains.get(node.name)
            return f"{node.name}: {domain.about}" if domain else node.name
        values = [f"{fact.value.key} {fact.value.text}" for fact in self.of(node)[:_EMBEDDED_VALUES]]
        return f"{node.name}: {', '.join(values)}" if values else node.name


def compute_facts(graph: DisGraph, node: Node) -> list[ProfileFact]:
    """The facts of an entity, heaviest first; wishes that fit no key come last."""
    weighed: list[tuple[bool, float, ProfileFact]] = []
    for key, values in group_by_key(graph.values(node.id).values()).items():
        if key == ALIAS:
            continue
        beliefs = assess_beliefs(values)
        for value, weight in beliefs.holding:
            weighed.append((key == WISH, -weight, _make_fact(node, value, weight, beliefs)))
    return [fact for *_, fact in sorted(weighed, key=lambda entry: entry[:2])]


def facts_named(facts: Iterable[ProfileFact], order: str, named: Iterable[str]) -> list[ProfileFact]:
    """Of the persons and places that are `named` in an order, the names and addresses that are surely known.

    Somebody is named by a whole name, or by what they are to the user. Nothing guessed or disputed is known.
    """
    values = [re.sub(r"(?i)^(?:(?:to|the|my|our) )+", "", value).strip() for value in named]
    words = {*map(canonical_word, values)}

    def tells(name: str, value: Value) -> bool:
        said = value.text.casefold() in order.casefold()  # “Anna Schmidt” is not the sister Anna.
        return (name in words or value.text in values) if value.key == NAME else (name in words and not said)

    sure = (fact for fact in facts if fact.value.key in (NAME, "address") and is_sure(fact))
    return [fact for fact in sure if tells(fact.node.name, fact.value)]


def is_sure(fact: ProfileFact) -> bool:
    """Whether a fact was stated, not guessed, and no other disputes it."""
    guessed = {Strength.IMPLIED, Strength.EXPLORED}
    return not fact.rivals and bool({evidence.strength for evidence in fact.value.evidence} - guessed)


def _make_fact(node: Node, value: Value, weight: float, beliefs: Beliefs) -> ProfileFact:
    opposing = (
        sum(rival_weight for rival, rival_weight, _ in beliefs.values if rival.id != value.id)
        if value.single
        else 0.0
    )
    line = f"{node.name} · {value.key}: {value.text}"
    rivals = tuple(rival.text for rival in beliefs.disputed if rival.id != value.id)
    if value not in beliefs.disputed:
        rivals = _find_namesakes(node, value, beliefs)
    if value.key == "name":
        rivals = tuple(text for text in rivals if not _is_part(text, value.text))
    if rivals:
        line += f" (or {', '.join(rivals)}?)"
    return ProfileFact(node, value, confidence(weight, opposing), line, rivals=rivals)


def _find_namesakes(node: Node, value: Value, beliefs: Beliefs) -> tuple[str, ...]:
    """Other people who stand in the same relation: a second sister does not replace the first.

    What the user decided is not questioned.
    """
    decided = any(evidence.strength is Strength.USER for evidence in value.evidence)
    if value.key != "name" or normalize_text(node.name) not in SEVERAL or decided:
        return ()
    return tuple(other.text for other, _, _ in beliefs.values if other.id != value.id)


def _is_part(left: str, right: str) -> bool:
    """Whether one name is a part of the other, and so that of the same person."""
    return left.casefold() in right.casefold() or right.casefold() in left.casefold()


class NodeVectors:
    """The vectors of all nodes that are not hidden, in one matrix in memory.

    The embedder is not used before the first search, so that loading the graph does not wait for it.
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

    def invalidate(self, node_ids: Iterable[str]) -> None:
        """Mark nodes whose text may have changed."""
        self._stale.update(dict.fromkeys(node_ids))

    def refresh(self, limit: int | None = None) -> bool:
        """Update the matrix for at most `limit` marked nodes. Returns whether all are up to date.

        Raises:
            EmbeddingError: the model cannot be run.
            StoreError: the store cannot be written.
        """
        fresh: dict[str, str] = {}
        removed: list[str] = []
        batch = list(islice(self._stale, limit))
        for node_id in batch:
            node = self._facts.graph.node(node_id)
            if node is None or node.hidden:
                removed.append(node_id)
            elif (text := self._facts.embedding_text(node)) != self._texts.get(node_id):
                fresh[node_id] = text
        if removed and self._index.remove(removed):
            self._cache.forget(NODE_VECTOR, removed)
        if fresh:
            self._index.add(list(fresh), self._cache.vectors(NODE_VECTOR, fresh))
        for node_id in removed:
            self._texts.pop(node_id, None)
        self._texts.update(fresh)
        for node_id in batch:
            self._stale.pop(node_id, None)
        return not self._stale

    def find_nearest(self, vector: NDArray[np.float32], k: int) -> tuple[list[str], NDArray[np.float32]]:
        """The k nodes nearest to a vector, and their cosines."""
        return self._index.search(vector, k)

    def vectors(self, node_ids: Sequence[str]) -> Vectors:
        """The vectors of some nodes, in order.

        Raises:
            KeyError: a node has no vector.
        """
        return np.stack([self._index.vector(node_id) for node_id in node_ids])


_PIECES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[A-Za-z]+|\d+|[^\sA-Za-z0-9]")
_LETTERS = 6


@lru_cache(maxsize=16384)
def count_tokens(text: str) -> int:
    """Estimates the tokens of a text without a tokenizer.

    One for each Chinese character, each punctuation mark, three digits, and six letters of a word.
    """
    count = 0
    for piece in _PIECES.findall(text):
        if piece.isdigit():
            count += -(-len(piece) // 3)
        elif piece.isascii() and piece.isalpha():
            count += -(-len(piece) // _LETTERS)
        else:
            count += 1
    return count


START_COUNT = 6
"""Number of nodes from which walks start."""

MAX_DISTANCE = 4
"""Maximum number of links that a walk follows."""

_Reached = tuple[ProfileFact, tuple[str, ...]]
_FIRST_FACTS = 16
_MAX_NODES = 512


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Facts in the order in which they were found, their text, and its number of tokens."""

    facts: tuple[ProfileFact, ...]
    text: str
    tokens: int


def retrieve(
    facts: EntityFacts,
    nearest: Sequence[str],
    budget: int,
    starts: int = START_COUNT,
    count: Callable[[str], int] = count_tokens,
) -> Retrieved:
    """Collect facts by walks from the nearest nodes; budget that they leave goes to the next nearest nodes.

    Args:
        facts: the facts of the entities.
        nearest: ids of the nodes nearest to the task, nearest first; walks visit neighbours in this order.
        budget: maximum number of tokens of the text.
        starts: number of walks that share the budget.
        count: counts the tokens of a line.
    """
    nearness = {node_id: rank for rank, node_id in enumerate(nearest)}
    # A node belongs to the walk that reaches it first.
    visited = set(nearest[:starts])
    chosen: dict[str, ProfileFact] = {}
    used = _fill_budget(
        [_walk(facts, start, nearness, visited) for start in nearest[:starts]], budget, chosen, count
    )
    for start in nearest[starts:]:
        if start not in visited and used < budget:
            visited.add(start)
            used += _fill_budget([_walk(facts, start, nearness, visited)], budget - used, chosen, count)
    return Retrieved(tuple(chosen.values()), "\n".join(fact.line for fact in chosen.values()), used)


def _fill_budget(
    walks: Sequence[Iterator[_Reached]],
    budget: int,
    chosen: dict[str, ProfileFact],
    count: Callable[[str], int],
) -> int:
    """Let the walks add facts to `chosen` in turn, each within its share. Returns the tokens used."""
    budgets = [budget // len(walks)] * len(walks) if walks else []
    used = 0
    turn = deque(range(len(walks)))
    while turn:
        walk = turn.popleft()
        step = next(walks[walk], None)
        cost = count(step[0].line) + 1 if step is not None else 0
        if step is not None and cost <= budgets[walk]:
            fact, path = step
            chosen[fact.value.id] = replace(fact, path=path)
            used += cost
            budgets[walk] -= cost
            turn.append(walk)
        elif turn:
            leftover = budgets[walk] // len(turn)
            for other_walk in turn:
                budgets[other_walk] += leftover
    return used


def _walk(facts: EntityFacts, start: str, nearness: Mapping[str, int], seen: set[str]) -> Iterator[_Reached]:
    """The facts found from a start outwards; entities with many facts yield the rest of them at the end."""
    deferred: list[_Reached] = []
    for node, path in _breadth_first(facts.graph, start, nearness, seen):
        if node.kind is NodeKind.ENTITY:
            facts_of_node = facts.of(node)
            immediate = len(facts_of_node) if node.pinned else _FIRST_FACTS
            yield from ((fact, path) for fact in facts_of_node[:immediate])
            deferred += [(fact, path) for fact in facts_of_node[immediate:]]
    yield from deferred


def _breadth_first(
    graph: DisGraph, start: str, nearness: Mapping[str, int], seen: set[str]
) -> Iterator[tuple[Node, tuple[str, ...]]]:
    start_node = graph.node(start)
    if start_node is None or start_node.hidden:
        return
    queue: deque[tuple[Node, tuple[str, ...]]] = deque([(start_node, (start_node.name,))])
    while queue:
        node, path = queue.popleft()
        yield node, path
        if len(path) > MAX_DISTANCE:
            continue
        for other in _sort_neighbours(graph, node, nearness):
            if other.id not in seen and not other.hidden and len(seen) < _MAX_NODES:
                seen.add(other.id)
                queue.append((other, (*path, other.name)))


def _sort_neighbours(graph: DisGraph, node: Node, nearness: Mapping[str, int]) -> list[Node]:
    """The neighbours of a node: pinned ones, then by nearness to the task, then in the order of linking."""
    far = len(nearness)
    return sorted(
        graph.neighbours(node.id),
        key=lambda neighbour: (not neighbour.pinned, nearness.get(neighbour.id, far)),
    )


_USUAL = re.compile(
    r"^(?:usual|favou?rite|regular|preferred|normal|standard|often[- ]\w+|frequent(?:ly)?(?: \w+ed)?)\s+"
    r"|^(?:平时的?|常用的?|一般的?|最喜欢的?|最爱的?|习惯的?|喜欢的?)(?=.)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"^(?P<who>.+?)(?:['’]s\s+|(?<=s)['’]\s+|\s*的)(?P<what>.+)$")
# “ellies birthday”, of somebody who is known.
_BARE_OWNED = re.compile(r"(?P<who>[a-z]+)s (?P<what>[a-z][a-z ]*)")
_HOME_OF = re.compile(r"^我?(?P<who>[\u4e00-\u9fff]{1,4}?)(?P<what>家)里?$")
_PEOPLE_CONCEPT = "People"
_ABOUT_WORDS = re.compile(r"[,;]? ")
_ADDRESS, _HOME = "address", "home"
_MAIN_KEYS = ("name", "is", "address", "number")
_KEYS = {
    "尺码": "size", "颜色": "colour", "品牌": "brand", "口味": "taste", "辣度": "taste", "饮料": "drink",
    "支付方式": "payment", "付款方式": "payment", "座位": "seat", "忌口": "avoid", "菜系": "cuisine",
    "生日": "birthday",
    "电话": "phone", "手机号": "phone", "号码": "number", "地址": "address", "名字": "name", "家": "address",
    "phone number": "phone", "telephone": "phone", "home": "address", "house": "address", "place": "address",
    "flat": "address", "apartment": "address", "color": "colour",
    "spice level": "taste", "genre": "genre", "music": "music", "app": "app", "company": "office",
}  # fmt: skip


def find_by_alias(graph: DisGraph, words: str) -> Node | None:
    """The visible entity with a name or alias."""
    normalized = normalize_text(words)
    canonical = canonical_word(normalized)
    called = [
        node
        for name in dict.fromkeys((normalized, *(synonyms(canonical) if canonical else ())))
        if (node := graph.find_by_name(name, NodeKind.ENTITY)) is not None and not node.hidden
    ]
    if called:
        # Two words for one relation, as 老婆 and wife, are the person of whom the user told last.
        return max(called, key=lambda node: _last_told(graph, node))
    node = graph.find_by_name(_USUAL.sub("", normalized), NodeKind.ENTITY)
    if node is not None and not node.hidden:
        return node
    return next(_entities_with_alias(graph, {normalized, canonical or normalized}), None)


def _last_told(graph: DisGraph, node: Node) -> float:
    """When it was last told what an entity stands for, in seconds; 0 where it never was."""
    values = (value for value in graph.values(node.id).values() if value.key in _MAIN_KEYS)
    return max((reason.time.timestamp() for value in values for reason in value.evidence), default=0.0)


def find_by_key(facts: EntityFacts, words: str) -> ProfileFact | None:
    """The surest fact for a key that some words name: "my size", "usual drink"."""
    normalized = _USUAL.sub("", normalize_text(words))
    key = _KEYS.get(normalized, normalized)
    if key == _ADDRESS:
        # Without an owner it is the user's own, and no other place's.
        home = find_by_alias(facts.graph, _HOME)
        return main_fact(facts, home, _ADDRESS) if home is not None else None
    if key == NOTE:
        return None
    nodes = (facts.graph.node(node_id) for node_id in facts.graph.holders(key))
    holding = (
        fact
        for node in nodes
        if node is not None and not node.hidden and not _is_person(facts.graph, node)
        for fact in facts.of(node)
        if fact.value.key == key
    )
    return max(holding, key=lambda fact: fact.confidence, default=None)


def _is_person(graph: DisGraph, node: Node) -> bool:
    """Whether an entity is one of the user's people: "my address" is not that of my sister."""
    return any(concept.name == _PEOPLE_CONCEPT for concept in graph.neighbours(node.id, NodeKind.CONCEPT))


def facts_of_area(graph: DisGraph, facts: Iterable[ProfileFact], area: str) -> list[ProfileFact]:
    """The facts that lie in an area of life: for “family” what is known of people."""
    word = normalize_text(area)
    domain = next((name for name, d in lexicon().domains.items() if word in _ABOUT_WORDS.split(d.about)), "")
    return [
        fact
        for fact in facts
        if domain
        and any(concept.name == domain for concept in graph.neighbours(fact.node.id, NodeKind.CONCEPT))
    ]


def main_fact(facts: EntityFacts, node: Node, key_words: str = "") -> ProfileFact | None:
    """The fact that an entity stands for, or its fact for a key; None if there is none."""
    facts_of_node = facts.of(node)
    if key_words:
        normalized = normalize_text(key_words)
        keys = {normalized, _KEYS.get(normalized, normalized)}
        by_key = (
            fact for fact in facts_of_node if fact.value.key in keys or _KEYS.get(fact.value.key) in keys
        )
        return next(by_key, None) or _fact_of_namesake(facts, facts_of_node, node, key_words)
    for key in _MAIN_KEYS:
        for fact in facts_of_node:
            if fact.value.key == key:
                return fact
    return None


def _fact_of_namesake(
    facts: EntityFacts, facts_of_node: Sequence[ProfileFact], node: Node, key_words: str
) -> ProfileFact | None:
    """A fact that is told of somebody by name: the address of Wanjiru is that of the sister of that name."""
    names = [fact for fact in facts_of_node if fact.value.key == "name"]
    if len(names) != 1 or names[0].rivals:
        return None
    namesake = facts.graph.find_by_name(names[0].value.text, NodeKind.ENTITY)
    if namesake is None or namesake.id == node.id or namesake.hidden:
        return None
    return main_fact(facts, namesake, key_words)


def find_value_slot(facts: EntityFacts, words: str) -> tuple[Node, str] | None:
    """The entity and key that hold the meaning of some words; None if there is no entity for them."""
    if (node := find_by_alias(facts.graph, words)) is not None:
        return node, fact.value.key if (fact := main_fact(facts, node)) is not None else "is"
    if (owned := split_possessive(words)) is not None and (
        node := find_by_alias(facts.graph, owned[0])
    ) is not None:
        return node, _KEYS.get(owned[1], owned[1])
    fact = find_by_key(facts, words)
    return (fact.node, fact.value.key) if fact is not None and fact.value.single else None


def new_value_slot(words: str, text: str, key: str) -> tuple[str, str]:
    """The entity and key of a text for a word that is new: somebody in a relation to the user has a name.

    A number is no name.
    """
    is_name = is_role(words) and not any(character.isdigit() for character in text)
    return (canonical_word(words) or words, NAME) if is_name else (words, key)


def split_possessive(words: str) -> tuple[str, str] | None:
    """Owner and key of a possessive: "mom" and "phone number" of "mom's phone number"; None for others."""
    normalized = normalize_text(words)
    match = _OWNED.match(normalized) or _HOME_OF.match(normalized)
    return (match["who"], match["what"]) if match else None


def _entities_with_alias(graph: DisGraph, names: set[str]) -> Iterator[Node]:
    for node_id in graph.holders(ALIAS):
        node = graph.node(node_id)
        aliases = (
            value for value in graph.values(node_id).values() if value.key == ALIAS and not value.hidden
        )
        if (
            node is not None
            and not node.hidden
            and any(normalize_text(alias.text) in names for alias in aliases)
        ):
            yield node


def make_match(fact: ProfileFact, how: MatchMethod, likeness: float = 1.0) -> ProfileMatch:
    """The match of a word with a fact."""
    value = fact.value
    confidence = fact.confidence * likeness
    return ProfileMatch(
        value.text, fact.node.name, value.key, confidence, fact.record_ids, how, fact.rivals, value.evidence
    )


MIN_SIMILARITY = 0.5
"""Minimum cosine of a word and a node for a match."""


def find_exact_match(facts: EntityFacts, words: str) -> ProfileMatch | None:
    """The meaning of some words by name or alias, by owner and key, or by key."""
    if (node := find_by_alias(facts.graph, words)) is not None:
        fact = main_fact(facts, node)
        return make_match(fact, MatchMethod.ALIAS) if fact is not None else _match_by_key(facts, words)
    bare = _BARE_OWNED.fullmatch(normalize_text(words))
    owned = split_possessive(words) or (bare and (bare["who"], bare["what"]))
    if owned:
        who, what = owned
        for node in (find_by_alias(facts.graph, who), _find_by_name(facts, who)):
            if node is not None and (fact := main_fact(facts, node, what)) is not None:
                return make_match(fact, MatchMethod.ALIAS)
    return _match_by_key(facts, words)


def _find_by_name(facts: EntityFacts, name: str) -> Node | None:
    """The only entity that is known to have a name: Dave's birthday is my husband's, if he is called so."""
    nodes = (facts.graph.node(node_id) for node_id in facts.graph.holders("name"))
    named = [
        node
        for node in nodes
        if node is not None and not node.hidden and _has_name(facts.of(node), normalize_text(name))
    ]
    return named[0] if len(named) == 1 else None


def _has_name(facts_of_node: Iterable[ProfileFact], name: str) -> bool:
    names = (fact for fact in facts_of_node if fact.value.key == "name" and not fact.rivals)
    return any(normalize_text(fact.value.text) == name for fact in names)


def _match_by_key(facts: EntityFacts, words: str) -> ProfileMatch | None:
    fact = find_by_key(facts, words)
    return make_match(fact, MatchMethod.KEY) if fact is not None else None


def find_similar_match(
    facts: EntityFacts, words: str, nearest: Callable[[], Iterable[tuple[Node, float]]]
) -> ProfileMatch | None:
    """The meaning of the nearest similar entity; `nearest` returns nodes with their cosines."""
    if canonical_word(words) is not None:
        # Words with known synonyms match by name only: "dad" is similar to "mom" but another person.
        return None
    for node, cosine in nearest():
        if cosine < MIN_SIMILARITY or node.kind is NodeKind.CONCEPT:
            continue
        if (fact := main_fact(facts, node)) is not None:
            return make_match(fact, MatchMethod.LIKENESS, cosine)
    return None


def assess_all_beliefs(graph: DisGraph, node: Node) -> dict[str, Beliefs]:
    """The status of all values of an entity, by key."""
    return {
        key: assess_beliefs(values) for key, values in group_by_key(graph.values(node.id).values()).items()
    }


def find_conflicts(graph: DisGraph) -> list[ValueConflict]:
    """All conflicts that only the user can decide."""
    return [
        ValueConflict(node.name, key, beliefs.disputed)
        for node in graph.nodes()
        if node.kind is NodeKind.ENTITY and not node.hidden
        for key, beliefs in assess_all_beliefs(graph, node).items()
        if beliefs.disputed
    ]


def find_sense(graph: DisGraph, node: Node, key: str, text: str) -> str:
    """The sense of a text: that of an existing value of the key with the same text, else from the lexicon."""
    values = graph.values(node.id).values()
    senses = (
        value.sense
        for value in values
        if value.key == key and normalize_text(value.text) == normalize_text(text)
    )
    return next(senses, lexicon().sense_of(text))


_NEAR_DOMAIN = 0.4
"""Minimum cosine of a text and its domain.

Of 320 instructions of eight lives, below it every second or more was of another domain by its own words.
"""


class DomainIndex:
    """Finds the domain of a text by the embeddings of the domains' descriptions.

    Args:
        embeds: embeds the descriptions at the first use.
    """

    def __init__(self, embeds: Embedder) -> None:
        self._embeds = embeds
        self._rows: np.ndarray[tuple[int, int], np.dtype[np.float32]] | None = None

    def find_nearest(self, text: str) -> str:
        """The domain whose description is nearest to a text; other habits where none is near.

        Somebody in a relation to the user is one of their people.
        """
        if is_role(text):
            return _PEOPLE_CONCEPT
        domains = lexicon().domains
        if self._rows is None:
            self._rows = self._embeds.embed([domain.about for domain in domains.values()])
        scores = self._rows @ self._embeds.embed([text])[0]
        nearest = int(scores.argmax())
        return list(domains)[nearest] if scores[nearest] >= _NEAR_DOMAIN else HABITS
