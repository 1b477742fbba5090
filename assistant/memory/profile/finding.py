"""What a word of the user's stands for, the surest way first; and the area of life that a text is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from assistant.embedding.embeds import Embeds
from assistant.memory.profile import aliases
from assistant.memory.profile.answers import Conflict, Found, How, found_in
from assistant.memory.profile.describing import Facts
from assistant.memory.profile.graph import DisGraph, by_key
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import Node, NodeKind, normalised
from assistant.memory.profile.relations import same_one
from assistant.memory.profile.standing import Standings, judge

LIKENESS = 0.5
"""The cosine from which a node may be what a word means."""


def said(facts: Facts, words: str) -> Found | None:
    """What some words stand for by name or alias, an owner's possession, or a key."""
    if (node := aliases.by_alias(facts.graph, words)) is not None:
        fact = aliases.fact_of(facts, node)
        return found_in(fact, How.ALIAS) if fact is not None else _by_key(facts, words)
    if (owned := aliases.owner_and_key(words)) is not None:
        who, what = owned
        node = aliases.by_alias(facts.graph, who)
        fact = aliases.fact_of(facts, node, what) if node is not None else None
        if fact is not None:
            return found_in(fact, How.ALIAS)
    return _by_key(facts, words)


def _by_key(facts: Facts, words: str) -> Found | None:
    fact = aliases.by_key(facts, words)
    return found_in(fact, How.KEY) if fact is not None else None


def alike(facts: Facts, words: str, nearest: Callable[[], Iterable[tuple[Node, float]]]) -> Found | None:
    """What the nearest node stands for that is near enough; `nearest` gives nodes with their cosines."""
    if same_one(words) is not None:
        # "dad" is near to "mom", and is not her.
        return None
    for node, cosine in nearest():
        if cosine < LIKENESS or node.kind is NodeKind.CONCEPT:
            continue
        if (fact := aliases.fact_of(facts, node)) is not None:
            return found_in(fact, How.LIKENESS, cosine)
    return None


def standings_of(graph: DisGraph, node: Node) -> dict[str, Standings]:
    """The keys of an entity with the standings of their values."""
    return {key: judge(values) for key, values in by_key(graph.values(node.id).values()).items()}


def conflicts_in(graph: DisGraph) -> list[Conflict]:
    """What only the user can decide."""
    return [
        Conflict(node.name, key, standings.disputed)
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


class Domains:
    """The areas of life, by what they are about.

    Args:
        embeds: embeds them once, when they are first asked for.
    """

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self._rows: np.ndarray[tuple[int, int], np.dtype[np.float32]] | None = None

    def nearest(self, text: str) -> str:
        """The area of life whose description is nearest to a text."""
        domains = lexicon().domains
        if self._rows is None:
            self._rows = self._embeds.embed([domain.about for domain in domains.values()])
        scores = self._rows @ self._embeds.embed([text])[0]
        return list(domains)[int(scores.argmax())]
