"""Triples for the second stage: a sentence, another way to say it, and one that sounds alike and is not."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.embedding.corpora import Utterance
from tools.embedding.scenes import Wish

_NEAREST = 12
_TRIED = 4
_TRIED_NEAR = 12
_NEAR_POSITIVES = 0.4
_ANY_POSITIVES = 0.2
_DOMAINS = 5
_PARALLEL = 0.65


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in a batch.

    Attributes:
        text: what is embedded.
        group: sentences of one group mean the same; of two groups of one corpus, they do not.
        kin: groups of the same kin are neither: nothing is learnt of them together.
        corpus: sentences of two corpora are not compared.
        teacher: the place of its utterance, whose base vector it should stay near; -1 for none.
    """

    text: str
    group: str
    kin: str
    corpus: str
    teacher: int


@dataclass(frozen=True, slots=True)
class Triple:
    """An anchor, a sentence of the same group, and one of another."""

    anchor: Sentence
    positive: Sentence
    negative: Sentence


class Utterances:
    """Draws triples from the corpora: positives share the intent, negatives the domain.

    Some positives are near the anchor already, some are any, and the rest share few words with it. Near ones
    keep the neighbours of a sentence around it (Xuan et al. 2020, "Improved Embeddings with Easy Positive
    Triplet Mining"); few common words are what a wish said differently has.

    Args:
        utterances: of the intents that are trained on.
        vectors: the base model's vectors of their English, shape (utterances, dimensions).
    """

    def __init__(self, utterances: Sequence[Utterance], vectors: NDArray[np.float32]) -> None:
        self._all = utterances
        self._vectors = vectors
        self._words = [frozenset(one.english.lower().split()) for one in utterances]
        self._members: dict[str, list[int]] = defaultdict(list)
        self._domains: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(utterances):
            self._members[one.intent].append(place)
            self._domains[one.domain].append(place)
        self._near = _nearest_others(utterances, vectors)

    def draw(self, count: int, chance: random.Random) -> list[Triple]:
        """Some triples out of a few domains, so that they are hard for each other as well."""
        parallel = [name for name in self._domains if name.startswith("massive:")]
        english = [name for name in self._domains if not name.startswith("massive:")]
        triples: list[Triple] = []
        for number in range(_DOMAINS):
            names = parallel if chance.random() < _PARALLEL else english
            domain = chance.choices(names, [len(self._domains[name]) ** 0.5 for name in names])[0]
            share = count * (number + 1) // _DOMAINS - count * number // _DOMAINS
            triples += [self._triple(chance.choice(self._domains[domain]), chance) for _ in range(share)]
        return triples

    def _triple(self, anchor: int, chance: random.Random) -> Triple:
        positive = self._positive(anchor, chance)
        negative = int(chance.choice(self._near[anchor]))
        return Triple(*(self._sentence(place, chance) for place in (anchor, positive, negative)))

    def _positive(self, anchor: int, chance: random.Random) -> int:
        members = self._members[self._all[anchor].intent]
        kind = chance.random()
        if kind < _NEAR_POSITIVES:
            tried = [chance.choice(members) for _ in range(_TRIED_NEAR)]
            others = [place for place in tried if self._all[place].english != self._all[anchor].english]
            return max(others or tried, key=lambda place: float(self._vectors[place] @ self._vectors[anchor]))
        if kind < _NEAR_POSITIVES + _ANY_POSITIVES:
            return chance.choice(members)
        tried = [chance.choice(members) for _ in range(_TRIED)]
        return min(tried, key=lambda place: len(self._words[place] & self._words[anchor]) + (place == anchor))

    def _sentence(self, place: int, chance: random.Random) -> Sentence:
        one = self._all[place]
        text = one.chinese if one.chinese and chance.random() < 0.5 else one.english
        corpus = one.intent.partition(":")[0]
        return Sentence(text, one.intent, one.intent, corpus, place)


class Wishes:
    """Draws triples from the scenes: the negative wants the opposite of the same thing."""

    def __init__(self, wishes: Sequence[Wish]) -> None:
        self._all = wishes
        self._usable = [
            place
            for place, wish in enumerate(wishes)
            if len(wish.english) + len(wish.chinese) > 1 and any(map(self._texts, wish.opposites))
        ]

    def draw(self, count: int, chance: random.Random) -> list[Triple]:
        """Some triples."""
        return [self._triple(chance.choice(self._usable), chance) for _ in range(count)]

    def _triple(self, place: int, chance: random.Random) -> Triple:
        anchor, positive = chance.sample(self._texts(place), 2)
        other = chance.choice([one for one in self._all[place].opposites if self._texts(one)])
        return Triple(
            self._sentence(place, anchor),
            self._sentence(place, positive),
            self._sentence(other, chance.choice(self._texts(other))),
        )

    def _texts(self, place: int) -> list[str]:
        wish = self._all[place]
        return [*wish.english, *wish.chinese]

    def _sentence(self, place: int, text: str) -> Sentence:
        return Sentence(text, f"wish {place}", self._all[place].action, "wishes", -1)


def _nearest_others(utterances: Sequence[Utterance], vectors: NDArray[np.float32]) -> list[NDArray[np.int64]]:
    """For each utterance, the nearest of other intents: of its domain, else of its corpus."""
    _, intents = np.unique([one.intent for one in utterances], return_inverse=True)
    _, domains = np.unique([one.domain for one in utterances], return_inverse=True)
    _, corpora = np.unique([one.intent.partition(":")[0] for one in utterances], return_inverse=True)
    near: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * len(utterances)
    for intent in np.unique(intents):
        members = np.flatnonzero(intents == intent)
        candidates = np.flatnonzero((domains == domains[members[0]]) & (intents != intent))
        if not len(candidates):
            candidates = np.flatnonzero((corpora == corpora[members[0]]) & (intents != intent))
        scores = vectors[members] @ vectors[candidates].T
        best = np.argsort(-scores, axis=1, kind="stable")[:, :_NEAREST]
        for member, places in zip(members.tolist(), best, strict=True):
            near[member] = candidates[places]
    return near
