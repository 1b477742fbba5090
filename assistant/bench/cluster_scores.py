"""How well clusters agree with the truth: V-measure (Rosenberg and Hirschberg 2007) and pairwise F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import comb, log
from statistics import fmean

Scores = dict[str, float]


def cluster_scores(truth: Sequence[Hashable], labels: Sequence[Hashable]) -> Scores:
    """Compare two labelings of the same records; every score is 0..1.

    Homogeneity is one minus the entropy of the truth within clusters over its entropy; completeness the same
    the other way round, V-measure their harmonic mean. A pair of records is right when both labelings keep it
    together.

    Raises:
        ValueError: the labelings differ in length, or there is nothing to compare.
    """
    if len(truth) != len(labels) or not truth:
        raise ValueError("Two labelings of the same records are needed, and at least one record.")
    both = Counter(zip(truth, labels, strict=True))
    true_sizes, made_sizes = Counter(truth), Counter(labels)
    homogeneity = _explained(
        {(made, true): count for (true, made), count in both.items()}, true_sizes, made_sizes
    )
    completeness = _explained(both, made_sizes, true_sizes)
    together = _pairs(both.values())
    precision = _share(together, _pairs(made_sizes.values()))
    recall = _share(together, _pairs(true_sizes.values()))
    return {
        "v_measure": harmonic_mean(homogeneity, completeness),
        "homogeneity": homogeneity,
        "completeness": completeness,
        "pairwise_f1": harmonic_mean(precision, recall),
        "pairwise_precision": precision,
        "pairwise_recall": recall,
    }


def mean_scores(scores: Sequence[Scores]) -> Scores:
    """The mean of each score over people."""
    return {name: fmean(row[name] for row in scores) for name in scores[0]}


def confusion_f1(counts: Mapping[tuple[str, str], int], labels: Iterable[str]) -> Scores:
    """F1 of each label from how often `(true, predicted)` was seen; 0 for a label that is neither."""
    scores = {}
    for label in labels:
        true = sum(count for (actual, _), count in counts.items() if actual == label)
        claimed = sum(count for (_, predicted), count in counts.items() if predicted == label)
        scores[label] = 2 * counts.get((label, label), 0) / (true + claimed) if true + claimed else 0.0
    return scores


def harmonic_mean(left: float, right: float) -> float:
    """The harmonic mean of two shares; 0 where both are."""
    return 2 * left * right / (left + right) if left + right else 0.0


def _explained(
    both: Mapping[tuple[Hashable, Hashable], int], labels: Counter[Hashable], given: Counter[Hashable]
) -> float:
    """One minus the entropy of labels given the others, over their entropy; 1 where there is one label.

    The first of each pair in `both` is the given one.
    """
    total = labels.total()
    entropy = -sum(count / total * log(count / total) for count in labels.values())
    if entropy == 0:
        return 1.0
    return (
        1.0 + sum(count / total * log(count / given[first]) for (first, _), count in both.items()) / entropy
    )


def _pairs(sizes: Iterable[int]) -> int:
    return sum(comb(size, 2) for size in sizes)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
