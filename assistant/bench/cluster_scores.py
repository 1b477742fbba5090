"""How well clusters agree with the truth: V-measure (Rosenberg and Hirschberg 2007) and pairwise F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, log
from statistics import fmean


@dataclass(frozen=True, slots=True)
class ClusterScores:
    """Each 0..1. V-measure is the harmonic mean of homogeneity and completeness, F1 that of pairs."""

    homogeneity: float
    completeness: float
    v_measure: float
    precision: float
    recall: float
    f1: float


def cluster_scores(truth: Sequence[Hashable], found: Sequence[Hashable]) -> ClusterScores:
    """Compare two labelings of the same records.

    Homogeneity is one minus the entropy of the truth within clusters over its entropy; completeness the same
    the other way round. A pair of records is right when both labelings keep it together.

    Raises:
        ValueError: the labelings differ in length, or there is nothing to compare.
    """
    if len(truth) != len(found) or not truth:
        raise ValueError("Two labelings of the same records are needed, and at least one record.")
    both = Counter(zip(truth, found, strict=True))
    wanted, made = Counter(truth), Counter(found)
    homogeneity = _explained(both, wanted, made, len(truth), inner=0)
    completeness = _explained(both, made, wanted, len(truth), inner=1)
    together = _pairs(both.values())
    precision = _share(together, _pairs(made.values()))
    recall = _share(together, _pairs(wanted.values()))
    return ClusterScores(
        homogeneity,
        completeness,
        harmonic(homogeneity, completeness),
        precision,
        recall,
        harmonic(precision, recall),
    )


def mean_scores(scores: Sequence[ClusterScores]) -> ClusterScores:
    """The mean of each score over people.

    Raises:
        statistics.StatisticsError: there are none.
    """
    return ClusterScores(
        fmean(one.homogeneity for one in scores),
        fmean(one.completeness for one in scores),
        fmean(one.v_measure for one in scores),
        fmean(one.precision for one in scores),
        fmean(one.recall for one in scores),
        fmean(one.f1 for one in scores),
    )


def confusion_f1(counts: Mapping[tuple[str, str], int], labels: Iterable[str]) -> dict[str, float]:
    """F1 of each label from how often `(true, found)` was seen; 0 for a label that is neither."""
    scores = {}
    for label in labels:
        right = counts.get((label, label), 0)
        true = sum(count for (one, _), count in counts.items() if one == label)
        claimed = sum(count for (_, one), count in counts.items() if one == label)
        scores[label] = 2 * right / (true + claimed) if true + claimed else 0.0
    return scores


def harmonic(left: float, right: float) -> float:
    """The harmonic mean of two shares; 0 when both are."""
    return 2 * left * right / (left + right) if left + right else 0.0


def _explained(
    both: Counter[tuple[Hashable, Hashable]],
    labels: Counter[Hashable],
    given: Counter[Hashable],
    total: int,
    inner: int,
) -> float:
    """One minus the entropy of labels given the others, over their entropy; 1 where there is one label."""
    entropy = -sum(count / total * log(count / total) for count in labels.values())
    if entropy == 0:
        return 1.0
    left = -sum(count / total * log(count / given[pair[1 - inner]]) for pair, count in both.items())
    return 1.0 - left / entropy


def _pairs(sizes: Iterable[int]) -> int:
    return sum(comb(size, 2) for size in sizes)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
