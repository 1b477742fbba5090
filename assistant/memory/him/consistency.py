"""How consistent two records are: S_consist of PersonalAlign 5.2, as a weighted mean in 0..1."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.memory.him.dtw import path_similarity
from assistant.memory.him.reading import Reading
from assistant.memory.him.verbs import signatures_oppose
from assistant.memory.him.words import jaccard

THETA = 0.6
"""The consistency from which records share a prototype (PersonalAlign A.2)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What the parts count, at least one of them more than 0; a part with 0 is left out (Table 7).

    `verbs` says whether opposite verbs part what is otherwise consistent.
    """

    cosine: float = 0.4
    words: float = 0.3
    actions: float = 0.3
    verbs: bool = True


@dataclass(frozen=True, slots=True)
class Parts:
    """S_cos, S_Jac, S_action (None where a record has no actions) and their weighted mean."""

    cosine: float
    words: float
    actions: float | None
    opposed: bool
    total: float


def parts(left: Reading, right: Reading, weights: Weights) -> Parts:
    """The consistency of two records with what it is made of."""
    acted = path_similarity(left.path, right.path) if left.path and right.path else None
    cosine = min(1.0, max(0.0, float(left.vector @ right.vector)))
    words = jaccard(left.words, right.words)
    opposed = weights.verbs and signatures_oppose(left.verbs, right.verbs)
    total = 0.0 if opposed else _mean(cosine, words, acted, weights)
    return Parts(cosine, words, acted, opposed, total)


def consistency(left: Reading, right: Reading, weights: Weights, floor: float = 0.0) -> float:
    """S_consist of two records, 0..1.

    Where it cannot reach `floor` the paths are not aligned and the result is 0, which saves most of the time.
    """
    if weights.verbs and signatures_oppose(left.verbs, right.verbs):
        return 0.0
    cosine = min(1.0, max(0.0, float(left.vector @ right.vector)))
    words = jaccard(left.words, right.words)
    if not (weights.actions and left.path and right.path):
        return _mean(cosine, words, None, weights)
    if _mean(cosine, words, 1.0, weights) < floor:
        return 0.0
    return _mean(cosine, words, path_similarity(left.path, right.path), weights)


def _mean(cosine: float, words: float, actions: float | None, weights: Weights) -> float:
    total, weight = cosine * weights.cosine + words * weights.words, weights.cosine + weights.words
    if actions is not None:
        total, weight = total + actions * weights.actions, weight + weights.actions
    return total / weight if weight else 0.0
