from __future__ import annotations

import pytest

from assistant.memory.prototypes.similarity import ConsistencyWeights, consistency, parts
from assistant.records import Outcome

from .lived import CANCEL, COFFEE, ORDER, readings, record, trail


def test_the_same_again_is_wholly_consistent() -> None:
    left, right = readings(record("a"), record("b", day=1))
    assert consistency(left, right, ConsistencyWeights()) == pytest.approx(1.0)


def test_opposite_verbs_never_agree() -> None:
    left, right = readings(record("a", ORDER), record("b", CANCEL))
    assert consistency(left, right, ConsistencyWeights()) == 0.0
    assert parts(left, right, ConsistencyWeights()).opposed
    assert consistency(left, right, ConsistencyWeights(verbs=False)) > 0.4


def test_without_actions_the_words_decide() -> None:
    left, right = readings(record("a"), record("b", actions=()))
    assert parts(left, right, ConsistencyWeights()).actions is None
    assert consistency(left, right, ConsistencyWeights()) == pytest.approx(1.0)


def test_what_was_broken_off_has_no_path() -> None:
    left, right = readings(
        record("a"), record("b", outcome=Outcome.CANCELLED, actions=trail("Eats", "x")[:2])
    )
    assert right.path == ()
    assert consistency(left, right, ConsistencyWeights()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "weights",
    [
        ConsistencyWeights(cosine=0),
        ConsistencyWeights(words=0),
        ConsistencyWeights(actions=0),
        ConsistencyWeights(cosine=0, words=0),
    ],
)
def test_a_part_can_be_left_out(weights: ConsistencyWeights) -> None:
    left, right = readings(record("a"), record("b", COFFEE, app="Beans", item="flat white"))
    told = parts(left, right, weights)
    kept = [
        (told.cosine, weights.cosine),
        (told.words, weights.words),
        (told.actions or 0.0, weights.actions),
        (told.arguments or 0.0, weights.arguments),
    ]
    mean = sum(value * weight for value, weight in kept) / sum(weight for _, weight in kept)
    assert told.total == pytest.approx(mean) == consistency(left, right, weights)


def test_what_cannot_reach_the_floor_is_not_aligned() -> None:
    left, right = readings(record("a"), record("b", COFFEE, app="Beans", item="flat white"))
    assert consistency(left, right, ConsistencyWeights(), floor=0.9) == 0.0
