"""The profile graph in memory (DisGraph, MobiMem 4.1): nodes, values, and which value of a key holds.

Nodes are concepts (areas of life) and entities (people, places, habits). Links carry no label; the distance
between two nodes is their relevance to each other. Entities hold key-values and link to concepts only.

Which value of a key holds follows from its evidence alone, so that removing evidence restores the state
before it.

- Key with a single value: evidence before the last decision of the user is ignored. A decision is a value
  that the user wrote, or one announced to hold from now on. The rest is weighted by strength and decays with
  age; the heaviest value holds. Two recent values of similar weight are a conflict that the user decides.
- Key with a list of values: a value stops holding when the other values of the list were mentioned without
  it more often than chance explains. Values that the user stated last longer; an allergy never expires.

People and places have many names by their role (“mom”, “mother”, 妈妈): `roles.yaml` has those that mean the
same, and `canonical_word` tells what the graph calls them.
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
from functools import cache
from itertools import pairwise

from assistant.files import read_words
from assistant.i18n import Language, has_chinese, spoken

ALIAS = "alias"
"""Key of the other names of an entity."""

WISH = "wish"
"""Key of preferences that fit no other key."""

ALLERGY = "allergic to"
"""Key of what somebody must not eat; its values hold until the user removes them."""

NOTE = "note"
"""Key of what the user told in words that fit no other key."""

LISTS = frozenset((ALIAS, WISH, ALLERGY, NOTE, "avoid", "companion", "phone", "email"))
"""Keys with a list of values."""

LONGEST_TEXT = 160
"""Maximum number of characters of a name or a value."""


class NodeKind(StrEnum):
    """An abstract concept, or a concrete entity with key-values (MobiMem 4.1)."""

    CONCEPT = "concept"
    ENTITY = "entity"


class Strength(StrEnum):
    """How a value was learned, weakest first."""

    IMPLIED = "implied"
    """Requested in an instruction, without a statement that it always applies."""
    EXPLORED = "explored"
    """Read from an app, and used in a successful turn."""
    STATED = "stated"
    """Stated as a habit: "I always …"."""
    SWITCHED = "switched"
    """Stated as a new habit that replaces the old one: "from now on …"."""
    IMPORTED = "imported"
    """In a list of facts or contacts that the user imported."""
    USER = "user"
    """Entered or confirmed in the profile by the user."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation that supports a value.

    `record_id` is empty if the user entered the value, and names file and line if it was imported
    (`format_origin` of `transfer.profile_facts`).
    """

    record_id: str
    time: datetime
    strength: Strength


@dataclass(frozen=True, slots=True)
class Node:
    """A concept or an entity. A hidden node stays stored, but is neither used nor learned again.

    A pinned node is retrieved before its neighbours and is never moved by a split.
    """

    id: str
    kind: NodeKind
    name: str
    pinned: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an entity's key.

    Values with the same `sense` are one value in different words ("not too spicy" and "mild"). Of a `single`
    key one value holds at a time; the others are its history.
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
        """The ids of the records that support it, newest first."""
        newest = sorted(self.evidence, key=lambda evidence: evidence.time, reverse=True)
        return tuple(
            evidence.record_id
            for evidence in newest
            if evidence.record_id and evidence.strength is not Strength.IMPORTED
        )

    @property
    def uses(self) -> int:
        """How often it was observed."""
        return len(self.evidence)


def clean_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text as one line without control characters, truncated to `longest` characters."""
    printable = text
    if not text.isprintable():
        printable = "".join(
            " " if unicodedata.category(character)[0] in "CZ" else character for character in text
        )
    return " ".join(printable.split())[:longest].rstrip()


_POSSESSIVE = re.compile(r"^(?:my|our|the|a|an|your)\s+|^(?:我们的|我家的|我的|我们|我)(?=.)", re.IGNORECASE)


def normalize_text(text: str) -> str:
    """A text for comparison: NFKC, lower case, without article, possessive and outer punctuation."""
    normalized = unicodedata.normalize("NFKC", clean_text(text)).casefold()
    normalized = normalized.strip(" \t.,;:!?\"'“”‘’。，；：！？、（）()[]")
    return _POSSESSIVE.sub("", normalized) or normalized


def make_node_id(user_id: str, kind: NodeKind, name: str, suffix: int = 0) -> str:
    """The id of a node, derived from its name, so that learning twice finds the existing node.

    `suffix` is counted up while a renamed node has the id.
    """
    return _hash_id(user_id, kind, normalize_text(name), *([str(suffix)] if suffix else []))


_ROLE_WORDS = read_words("assistant.memory.profile", "roles.yaml")
PEOPLE: tuple[tuple[str, ...], ...] = tuple(map(tuple, _ROLE_WORDS["people"]))
PLACES: tuple[tuple[str, ...], ...] = tuple(map(tuple, _ROLE_WORDS["places"]))
"""Groups of synonyms in both languages; the first of each is what the profile calls it."""

ROLES: tuple[str, ...] = tuple(_ROLE_WORDS["en"])
ROLES_ZH: tuple[str, ...] = tuple(_ROLE_WORDS["zh"])
"""Further words for people by their role, each for itself."""
SEVERAL = frozenset(_ROLE_WORDS["several"])
"""Relations of which people have several."""
MANY = frozenset(_ROLE_WORDS["many"])
"""Relations of which people have so many that one mention does not say who is meant."""


_MINE = re.compile(
    r"^(?:meine?[nrm]?|unsere?[nrm]?|mis?|nuestr[oa]s?|m(?:on|a|es)|nos|notre|minha|meu)\s+|^(?:私の|僕の|うちの)"
)
"""“My” and “our” in other languages than those of `normalize_text`; in names they may be a part."""


@cache
def _canonical_words() -> dict[str, str]:
    return {normalize_text(word): group[0] for group in (*PEOPLE, *PLACES) for word in group}


def canonical_word(words: str) -> str | None:
    """The first word of the synonym group of some words: "mom" for "mother" and "妈妈"; None without one."""
    normalized = normalize_text(words)
    return _canonical_words().get(normalized) or _canonical_words().get(_MINE.sub("", normalized))


def is_same_value(text: str, other: str) -> bool:
    """Whether two texts are one value: written alike, or words for one person or place: “mum” and 妈妈."""
    left, right = (" ".join(each.casefold().split()).strip(_EDGES) for each in (text, other))
    named = canonical_word(left)
    return bool(left) and (left == right or (named is not None and named == canonical_word(right)))


def is_same_title(text: str, other: str) -> bool:
    """Whether two texts are one name or relation, “my” and signs such as a heart aside; no “Tom's mom”."""
    bare = (
        "".join(" " if unicodedata.category(sign) in _SIGNS else sign for sign in each)
        for each in (text, other)
    )
    return is_same_value(*(_MINE.sub("", " ".join(each.casefold().split())) for each in bare))


_SIGNS = ("So", "Sk", "Mn", "Cf")
_EDGES = ' ,，.。!！;；:："“”'


@cache
def synonyms(canonical: str) -> tuple[str, ...]:
    """The words for what a name of the profile stands for, in all languages; the name alone without any."""
    return tuple(word for word, first in _canonical_words().items() if first == canonical) or (canonical,)


def is_part(name: str, whole: str) -> bool:
    """Whether a name is that of a part or trait of something: “van reg” of “van”, 车牌 of 车."""
    thing, part = whole.casefold(), name.casefold()
    return thing != part and part.startswith(thing if has_chinese(thing) else f"{thing} ")


def same_titles(word: str) -> tuple[str, ...]:
    """A word and the others for it, where it is a title or ends with one: “dr” and “doctor”."""
    for group in _ROLE_WORDS["titles"]:
        if word in group:
            return tuple(dict.fromkeys((word, *group)))
        chinese = [title for title in group if not title.isascii()]
        if title := next((title for title in chinese if word.endswith(title)), ""):
            return tuple(dict.fromkeys((word, *(word.removesuffix(title) + other for other in chinese))))
    return (word,)


def spoken_word(word: str) -> str:
    """The word for a person or place that everybody has, in the language in use: “mom”, 妈妈; others stay."""
    if spoken() is Language.CHINESE and canonical_word(word) == word:
        return next(iter(chinese_words(word)), word)
    return word


@dataclass(frozen=True, slots=True)
class PeopleGroup:
    """Several people in one word, such as “my parents”: the relations they stand in, and how many they are.

    `count` is 0 where that is not said.
    """

    members: tuple[str, ...]
    count: int


def read_group(words: str) -> PeopleGroup | None:
    """The people whom some words name together: “both kids”, 爸妈; None for words that name one or nobody."""
    said = " ".join(unicodedata.normalize("NFKC", words).casefold().split())
    match = _ALL_OF.match(said)
    group_name = said[match.end() :] if match is not None else said
    is_two = match is not None and any(match.groupdict().values())
    # 两个孩子 are children, 孩子 alone is one child.
    names = {said, group_name, f"{group_name}们"} if is_two else {said, group_name}
    for group in _ROLE_WORDS["groups"]:
        if not names.isdisjoint(group["words"]):
            return PeopleGroup(tuple(group["members"]), group.get("count") or (2 if is_two else 0))
    return None


_ALL_OF = re.compile(_ROLE_WORDS["all_of"])
_ROLE_NAMES = frozenset(
    normalize_text(word)
    for word in (*ROLES, *ROLES_ZH, *SEVERAL, *MANY, *(word for group in PEOPLE for word in group))
)


def chinese_words(name: str) -> tuple[str, ...]:
    """The Chinese synonyms of a name of the profile; the name itself if it is Chinese."""
    groups = (group for group in (*PEOPLE, *PLACES) if group[0] == name)
    words = [word for group in groups for word in group] or [name]
    return tuple(word for word in words if "\u3400" <= word[0] <= "\u9fff")


def is_role(words: str) -> bool:
    """Whether some words say in what relation somebody stands to the user: “landlord”, “older sister”, 房东.

    Of several English words the last one decides: “piano teacher”.
    """
    normalized = normalize_text(words)
    return normalized in _ROLE_NAMES or normalized.rpartition(" ")[2] in _ROLE_NAMES


_SURNAMES = frozenset(_ROLE_WORDS["surnames"])
_SHORT = 2
"""Up to so many letters a word before a name is a part of it: “Da Silva”, but “Da mobile”."""
_NAME_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_ROLE_NAMES_ZH = sorted(
    {word for word in _ROLE_NAMES if len(word) > 1 and "\u3400" <= word[0] <= "\u9fff"}, key=len, reverse=True
)


def find_role(name: str) -> str:
    """What somebody is to the user by the name that the user gave their contact: “Selvi Maid”, 房东罗孃孃.

    Returns:
        What the profile calls the role; empty if the name does not say one. A word that is a family name as
        well says one only in brackets or at the beginning.
    """
    if (chinese := next((word for word in _ROLE_NAMES_ZH if word in name), "")) and name.startswith(chinese):
        return canonical_word(chinese) or chinese
    words = [normalize_text(word) for word in _NAME_WORD.findall(name)]
    for pair in map(" ".join, pairwise(words)):
        if pair in _ROLE_NAMES:
            return canonical_word(pair) or pair
    for at, word in enumerate(words):
        is_short = len(word) <= _SHORT and name.isascii() and name.split()[1:] != name.casefold().split()[1:]
        is_surname = at > 0 and word in _SURNAMES and f"({word}" not in name.casefold()
        if word in _ROLE_NAMES and not is_surname and not is_short:
            return canonical_word(word) or word
    return ""


def make_value_id(node: str, key: str, sense: str) -> str:
    """The id of a value, derived from its node, key and sense."""
    return _hash_id(node, key, sense)


def _hash_id(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def latest_time(evidence: Sequence[Evidence]) -> datetime | None:
    """The time of the newest evidence; None without evidence."""
    return max((item.time for item in evidence), default=None)


class GraphError(ValueError):
    """A change that the graph does not allow; the message is for the user and says why."""


class DisGraph:
    """The profile graph of one user, with indexes by name, value and key."""

    def __init__(self) -> None:
        # Takes 0.2 s to import, and the store knows this module before the interface's first paint.
        import networkx as nx

        self._graph: nx.Graph[str] = nx.Graph()
        self._values: dict[str, dict[str, Value]] = defaultdict(dict)
        self._names: dict[str, dict[str, None]] = defaultdict(dict)
        self._owners: dict[str, str] = {}
        self._holders: dict[str, Counter[str]] = defaultdict(Counter)
        self._forgotten: dict[str, datetime] = {}
        self._version = 0

    def __len__(self) -> int:
        return len(self._graph)

    @property
    def version(self) -> int:
        """A number that increases with every change."""
        return self._version

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._graph

    def node(self, node_id: str) -> Node | None:
        """The node with an id."""
        node: Node | None = self._graph.nodes[node_id]["node"] if node_id in self._graph else None
        return node

    def nodes(self) -> Iterator[Node]:
        """All nodes, in the order in which they were added."""
        for _, data in self._graph.nodes(data=True):
            yield data["node"]

    def find_by_name(self, name: str, kind: NodeKind | None = None) -> Node | None:
        """The first node with a name; case, article and possessive are ignored."""
        for node_id in self._names.get(normalize_text(name), ()):
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
        """The value with an id, of any entity."""
        return self.values(self._owners.get(value_id, "")).get(value_id)

    def holders(self, key: str) -> list[str]:
        """The ids of the entities that have a value for a key."""
        return list(self._holders.get(key, ()))

    def neighbours(self, node_id: str, kind: NodeKind | None = None) -> list[Node]:
        """The nodes linked to a node, in the order in which they were linked."""
        if node_id not in self._graph:
            return []
        nodes = (self._graph.nodes[other]["node"] for other in self._graph.adj[node_id])
        return [node for node in nodes if kind in (None, node.kind)]

    def links(self) -> Iterator[tuple[str, str]]:
        """All links, as pairs of node ids."""
        yield from self._graph.edges

    def are_linked(self, first: str, second: str) -> bool:
        """Whether two nodes are linked."""
        return bool(self._graph.has_edge(first, second))

    def put_node(self, node: Node) -> None:
        """Add a node, or replace the node with its id."""
        if (before := self.node(node.id)) is not None:
            self._names[normalize_text(before.name)].pop(node.id, None)
        self._version += 1
        self._graph.add_node(node.id, node=node)
        self._names[normalize_text(node.name)][node.id] = None

    def remove_node(self, node_id: str) -> None:
        """Remove a node with its values and links.

        Raises:
            GraphError: there is no such node.
        """
        node = self.node(node_id)
        if node is None:
            raise GraphError(f"There is no node {node_id}.")
        self._version += 1
        self._names[normalize_text(node.name)].pop(node_id, None)
        for value in list(self.values(node_id).values()):
            self.remove_value(value)
        self._values.pop(node_id, None)
        self._graph.remove_node(node_id)

    def link(self, first: str, second: str) -> None:
        """Link two nodes.

        Raises:
            GraphError: a node is missing, they are the same node, or both are entities.
        """
        check_link(self.node(first), self.node(second))
        self._version += 1
        self._graph.add_edge(first, second)

    def unlink(self, first: str, second: str) -> None:
        """Remove a link, if there is one."""
        if self._graph.has_edge(first, second):
            self._version += 1
            self._graph.remove_edge(first, second)

    def put_value(self, value: Value) -> None:
        """Add a value to its entity, or replace the value with its id.

        Raises:
            GraphError: there is no such node, or it is a concept.
        """
        check_value(self.node(value.node_id))
        self._version += 1
        if value.id not in self._owners:
            self._holders[value.key][value.node_id] += 1
        self._values[value.node_id][value.id] = value
        self._owners[value.id] = value.node_id

    def remove_value(self, value: Value) -> None:
        """Remove a value."""
        self._version += 1
        self._values.get(value.node_id, {}).pop(value.id, None)
        if self._owners.pop(value.id, None) is not None:
            holders = self._holders[value.key]
            holders[value.node_id] -= 1
            if not holders[value.node_id]:
                del holders[value.node_id]

    def mark_forgotten(self, thing_id: str, until: datetime) -> None:
        """Note that records up to a time must not teach a node or a value again: the user forgot it."""
        self._forgotten[thing_id] = until

    def is_forgotten(self, thing_id: str, time: datetime) -> bool:
        """Whether a record of some time must not teach a node or a value with some id."""
        until = self._forgotten.get(thing_id)
        return until is not None and time <= until


def check_link(first: Node | None, second: Node | None) -> None:
    """Raise unless two nodes can be linked.

    Raises:
        GraphError: a node is missing, they are the same node, or both are entities.
    """
    if first is None or second is None:
        raise GraphError("A link needs two nodes that are there.")
    if first.id == second.id:
        raise GraphError(f"“{first.name}” cannot be linked to itself.")
    if first.kind is NodeKind.ENTITY and second.kind is NodeKind.ENTITY:
        raise GraphError(f"“{first.name}” and “{second.name}” are entities; entities link to concepts only.")


def check_value(node: Node | None) -> None:
    """Raise unless a node can hold values.

    Raises:
        GraphError: there is no such node, or it is a concept.
    """
    if node is None:
        raise GraphError("A value needs a node that is there.")
    if node.kind is NodeKind.CONCEPT:
        raise GraphError(f"“{node.name}” is a concept; only entities hold values.")


def group_by_key(values: Iterable[Value]) -> dict[str, list[Value]]:
    """Values grouped by key, in their order."""
    grouped: dict[str, list[Value]] = defaultdict(list)
    for value in values:
        grouped[value.key].append(value)
    return grouped


HALF_LIFE = timedelta(days=30)
"""Time in which the weight of an observation halves, relative to the newest observation of its key."""

_WEIGHTS = {
    Strength.IMPLIED: 1.0,
    Strength.EXPLORED: 1.5,
    Strength.STATED: 3.0,
    Strength.SWITCHED: 6.0,
    Strength.IMPORTED: 10.0,
    Strength.USER: 12.0,
}
_DECISIVE = frozenset({Strength.SWITCHED, Strength.IMPORTED, Strength.USER})
_STATED = frozenset({Strength.STATED, Strength.SWITCHED})
_CHANCE, _LEAST_WITHOUT = 0.05, 4
"""A value of a list stops holding after so many mentions of others, if chance is at most so probable."""
_STATED_CHANCE, _STATED_LEAST_WITHOUT = 0.001, 16
"""The same for a value that the user stated as a habit."""
_LEAST_WISHES = 2
"""Minimum number of observations of a wish, unless the user stated it as a habit."""
_CONFLICT_RATIO, _CONFLICT_WEIGHT, _CONFLICT_AGE = 0.8, 2.0, timedelta(days=21)
"""Two values conflict if the lighter has this share of the heavier and this weight, and both are recent."""


class Belief(StrEnum):
    """The status of a value among the values of its key."""

    HOLDS = "holds"
    HELD = "held before"
    RARE = "seen, outweighed"


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The values of one key, heaviest first, with weight and status; `disputed` if evidence cannot decide."""

    values: tuple[tuple[Value, float, Belief], ...]
    disputed: tuple[Value, ...] = ()

    @property
    def holding(self) -> tuple[tuple[Value, float], ...]:
        """The values that hold with their weights, heaviest first."""
        return tuple((value, weight) for value, weight, belief in self.values if belief is Belief.HOLDS)


def assess_beliefs(values: Iterable[Value]) -> Beliefs:
    """The status of each value of one key of one entity; hidden values are ignored."""
    visible = [value for value in values if not value.hidden and value.evidence]
    if not visible:
        return Beliefs(())
    newest = max(evidence.time for value in visible for evidence in value.evidence)
    if not any(value.single for value in visible):
        return _assess_list(visible, newest)
    since = _find_last_decision(visible)
    weighed = sorted(
        ((value, evidence_weight(value, newest, since)) for value in visible),
        key=lambda pair: (-pair[1], -max(evidence.time for evidence in pair[0].evidence).timestamp()),
    )
    first = weighed[0][0]
    rows = [(value, weight, _belief_beside(value, first)) for value, weight in weighed]
    return Beliefs(tuple(rows), _find_disputed(weighed, newest))


def evidence_weight(value: Value, newest: datetime, since: datetime | None = None) -> float:
    """The decayed weight of a value's evidence; evidence before `since` (the last decision) is ignored."""
    return sum(
        _WEIGHTS[evidence.strength] * math.exp2((evidence.time - newest) / HALF_LIFE)
        for evidence in value.evidence
        if since is None or evidence.time >= since
    )


def confidence(weight: float, opposing: float = 0.0) -> float:
    """A weight as a number 0..1; `opposing` is the weight of the values that contradict it."""
    return weight / (weight + opposing + 0.5)


def _assess_list(values: Sequence[Value], newest: datetime) -> Beliefs:
    """The status of each value of a list: values that hold come first, then by weight."""
    times = sorted({evidence.time for value in values for evidence in value.evidence})
    rows = [(value, evidence_weight(value, newest), _belief_in_list(value, times)) for value in values]
    return Beliefs(tuple(sorted(rows, key=lambda row: (row[2] is not Belief.HOLDS, -row[1]))))


def _belief_in_list(value: Value, times: Sequence[datetime]) -> Belief:
    """The status of a value of a list; at `times`, oldest first, values of the list were observed."""
    strengths = {evidence.strength for evidence in value.evidence}
    if value.key in (ALLERGY, NOTE) or strengths & {Strength.USER, Strength.IMPORTED}:
        return Belief.HOLDS
    stated = bool(strengths & _STATED)
    if value.key == WISH and not stated and value.uses < _LEAST_WISHES:
        return Belief.RARE
    chance, least = (_STATED_CHANCE, _STATED_LEAST_WITHOUT) if stated else (_CHANCE, _LEAST_WITHOUT)
    last = max(evidence.time for evidence in value.evidence)
    until = sum(time <= last for time in times)
    without = len(times) - until
    share = value.uses / (until + 1)
    if without < least or (1 - share) ** without >= chance:
        return Belief.HOLDS
    return Belief.HELD if value.uses > 1 else Belief.RARE


def _find_last_decision(values: Sequence[Value]) -> datetime | None:
    times = [
        evidence.time for value in values for evidence in value.evidence if evidence.strength in _DECISIVE
    ]
    return max(times, default=None)


def _belief_beside(value: Value, best: Value) -> Belief:
    if value is best:
        return Belief.HOLDS
    ended = max(evidence.time for evidence in value.evidence) < max(
        evidence.time for evidence in best.evidence
    )
    return Belief.HELD if ended and value.uses > 1 else Belief.RARE


def _find_disputed(weighed: Sequence[tuple[Value, float]], newest: datetime) -> tuple[Value, ...]:
    if len(weighed) < 2:
        return ()
    (first, most), (second, next_most) = weighed[:2]
    close = next_most >= _CONFLICT_RATIO * most and next_most >= _CONFLICT_WEIGHT
    both_recent = all(
        newest - max(evidence.time for evidence in value.evidence) <= _CONFLICT_AGE
        for value in (first, second)
    )
    return (first, second) if close and both_recent else ()


def find_held_before(graph: DisGraph, value_id: str) -> tuple[Value, ...]:
    """The values that would hold in the place of one that holds now, of a key with a single value.

    None where the evidence does not decide between it and another: whoever forgets it decides for the other.
    """
    value = graph.find_value(value_id)
    if value is None or not value.single:
        return ()
    beliefs = assess_beliefs(each for each in graph.values(value.node_id).values() if each.key == value.key)
    if value in beliefs.disputed or all(value.id != held.id for held, _weight in beliefs.holding):
        return ()
    return tuple(other for other, _weight, _belief in beliefs.values if other.id != value.id)
