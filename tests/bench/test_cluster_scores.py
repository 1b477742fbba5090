from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench.cluster_scores import cluster_scores, confusion_f1


def test_the_same_parts_under_other_names_are_perfect() -> None:
    scores = cluster_scores(["a", "a", "b", "c"], [1, 1, 2, 3])

    assert scores["v_measure"] == pytest.approx(1.0)
    assert scores["pairwise_f1"] == pytest.approx(1.0)


def test_the_published_formulas() -> None:
    # By hand: H(C) = ln 2, H(C|K) = 2/3 ln 2, H(K) = ln 3, H(K|C) = 1/3 ln 2 + 1/2 ln 3.
    scores = cluster_scores(list("aaabbb"), [1, 1, 2, 2, 3, 3])

    assert scores["homogeneity"] == pytest.approx(2 / 3)
    assert scores["completeness"] == pytest.approx(0.4206, abs=1e-3)
    assert scores["pairwise_precision"] == pytest.approx(2 / 3)
    assert scores["pairwise_recall"] == pytest.approx(2 / 6)


def test_all_in_one_and_each_alone() -> None:
    together = cluster_scores(list("aabb"), [1, 1, 1, 1])
    alone = cluster_scores(list("aabb"), [1, 2, 3, 4])

    assert (together["homogeneity"], together["completeness"], together["pairwise_recall"]) == (0, 1, 1)
    assert alone["homogeneity"] == pytest.approx(1.0)
    assert alone["pairwise_recall"] == 0.0


def test_labelings_must_match() -> None:
    with pytest.raises(ValueError, match="same records"):
        cluster_scores(["a"], [])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_scores_are_shares_and_turning_round_swaps_them(pairs: list[tuple[int, int]]) -> None:
    truth, labels = zip(*pairs, strict=True)
    scores, turned = cluster_scores(truth, labels), cluster_scores(labels, truth)

    assert scores["homogeneity"] == pytest.approx(turned["completeness"])
    assert scores["pairwise_precision"] == pytest.approx(turned["pairwise_recall"])
    assert -1e-9 <= scores["v_measure"] <= 1 + 1e-9


def test_f1_of_labels() -> None:
    counts = {("moment", "moment"): 3, ("moment", "routine"): 1, ("routine", "routine"): 2}

    scores = confusion_f1(counts, ["moment", "preference", "routine"])

    assert scores["moment"] == pytest.approx(6 / 7)
    assert scores["routine"] == pytest.approx(4 / 5)
    assert scores["preference"] == 0.0
