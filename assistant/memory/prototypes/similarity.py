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

    `cosine`, `words` and `actions` are the paper's, and count the same by default. `arguments` is ours.
    `swapped` is what is left of shared arguments when each record has one that the other lacks: the same
    asked about something else. `verbs` says whether opposite verbs part what is otherwise consistent.
    """

    cosine: float = 1.0
    words: float = 1.0
    actions: float = 1.0
    arguments: float = 0.0
    swapped: float = 0.4
    verbs: bool = True


OURS = Weights(0.3, 0.1, 0.2, 0.4)
"""The weights that work best, found on lives of seeds 100 to 109."""


@dataclass(frozen=True, slots=True)
class Parts:
    """S_cos, S_Jac, S_action, the shared arguments, and their weighted mean.

    S_action is None where a record has no actions, the arguments are None where no actions name any.
    """

    cosine: float
    words: float
    actions: float | None
    arguments: float | None
    opposed: bool
    total: float


def parts(left: Reading, right: Reading, weights: Weights) -> Parts:
    """The consistency of two records with what it is made of."""
    acted = path_similarity(left.path, right.path) if left.path and right.path else None
    cosine = min(1.0, max(0.0, float(left.vector @ right.vector)))
    words = jaccard(left.words, right.words)
    opposed = weights.verbs and signatures_oppose(left.verbs, right.verbs)
    shared = shared_arguments(left, right, weights.swapped)
    total = 0.0 if opposed else _mean(cosine, words, acted, shared, weights)
    return Parts(cosine, words, acted, shared, opposed, total)


def shared_arguments(left: Reading, right: Reading, swapped: float = 1.0) -> float | None:
    """How much of what one record is about the other is about too, 0..1; None where neither says."""
    count = len(left.arguments) + len(right.arguments)
    if not count:
        return None
    lacking = len(left.arguments - right.known), len(right.arguments - left.known)
    shared = 1.0 - sum(lacking) / count
    return shared * swapped if all(lacking) else shared


def consistency(left: Reading, right: Reading, weights: Weights, floor: float = 0.0) -> float:
    """S_consist of two records, 0..1, with the arguments that they share as a fourth part.

    Where it cannot reach `floor` the paths are not aligned and the result is 0, which saves most of the time.
    """
    if weights.verbs and signatures_oppose(left.verbs, right.verbs):
        return 0.0
    cosine = min(1.0, max(0.0, float(left.vector @ right.vector)))
    words = jaccard(left.words, right.words)
    shared = shared_arguments(left, right, weights.swapped) if weights.arguments else None
    if not (weights.actions and left.path and right.path):
        return _mean(cosine, words, None, shared, weights)
    if _mean(cosine, words, 1.0, shared, weights) < floor:
        return 0.0
    return _mean(cosine, words, path_similarity(left.path, right.path), shared, weights)


def _mean(cosine: float, words: float, acted: float | None, shared: float | None, weights: Weights) -> float:
    total, weight = cosine * weights.cosine + words * weights.words, weights.cosine + weights.words
    if acted is not None:
        total, weight = total + acted * weights.actions, weight + weights.actions
    if shared is not None:
        total, weight = total + shared * weights.arguments, weight + weights.arguments
    return total / weight if weight else 0.0
