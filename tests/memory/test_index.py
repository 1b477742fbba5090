from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.memory.vectors import VectorIndex


def _unit_rows(count: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def test_nearest_first_as_a_plain_product_says() -> None:
    rows = _unit_rows(1000, 16)
    index: VectorIndex[str] = VectorIndex(16)
    index.add([f"n{place}" for place in range(1000)], rows)
    query = _unit_rows(1, 16, seed=1)[0]
    keys, scores = index.search(query, 10)
    expected = np.argsort(-(rows @ query), kind="stable")[:10]
    assert keys == [f"n{place}" for place in expected]
    assert scores == pytest.approx((rows @ query)[expected], abs=1e-6)


def test_an_empty_index_finds_nothing() -> None:
    keys, scores = VectorIndex[str](4).search(np.zeros(4, np.float32), 3)
    assert keys == []
    assert scores.shape == (0,)


def test_equal_scores_come_in_the_order_they_were_added() -> None:
    index: VectorIndex[str] = VectorIndex(2)
    index.add(list("cab"), np.tile(np.array([1, 0], np.float32), (3, 1)))
    assert index.search(np.array([1, 0], np.float32), 2)[0] == ["c", "a"]


def test_a_key_added_again_moves() -> None:
    index: VectorIndex[str] = VectorIndex(2)
    east, north = np.eye(2, dtype=np.float32)
    index.add(["a", "b"], np.stack([east, north]))
    index.add(["a"], north[None])
    assert len(index) == 2
    assert index.search(north, 2)[0] == ["a", "b"]
    assert index.vector("a").tolist() == [0.0, 1.0]


def test_what_is_removed_is_gone_from_searches_and_from_memory() -> None:
    rows = _unit_rows(6, 8)
    index: VectorIndex[str] = VectorIndex(8)
    index.add(list("abcdef"), rows)
    assert index.remove(["b", "b", "zz"]) == 1
    assert "b" not in index
    assert set(index.search(rows[1], 10)[0]) == set("acdef")
    assert not any(np.array_equal(row, rows[1]) for row in index._matrix)
    with pytest.raises(KeyError):
        index.vector("b")


def test_search_can_be_narrowed() -> None:
    rows = _unit_rows(50, 8)
    index: VectorIndex[int] = VectorIndex(8)
    index.add(range(50), rows)
    assert set(index.search(rows[3], 5, within=[3, 4, 99])[0]) == {3, 4}
    assert index.search(rows[3], 5, at_least=0.999)[0] == [3]
    assert index.search(rows[3], 0)[0] == []


def test_wrong_shapes_are_told() -> None:
    index: VectorIndex[str] = VectorIndex(3)
    with pytest.raises(ValueError, match="not \\(1, 2\\)"):
        index.add(["a"], np.zeros((1, 2), np.float32))
    with pytest.raises(ValueError, match="not \\(2,\\)"):
        index.search(np.zeros(2, np.float32), 1)


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "remove"]), st.lists(st.integers(0, 700), max_size=400)),
        max_size=12,
    )
)
def test_whatever_is_added_and_removed_the_rest_is_found(steps: list[tuple[str, list[int]]]) -> None:
    index: VectorIndex[int] = VectorIndex(4)
    expected: dict[int, NDArray[np.float32]] = {}
    for number, (what, keys) in enumerate(steps):
        if what == "add":
            rows = _unit_rows(len(keys), 4, seed=number)
            index.add(keys, rows)
            expected.update(zip(keys, rows, strict=True))
        else:
            gone = index.remove(keys)
            assert gone == len(expected.keys() & set(keys))
            expected = {key: row for key, row in expected.items() if key not in set(keys)}
    assert len(index) == len(expected)
    query = np.array([0.5, 0.5, 0.5, 0.5], np.float32)
    keys, scores = index.search(query, 1000)
    assert sorted(keys) == sorted(expected)
    assert all(
        score == pytest.approx(expected[key] @ query, abs=1e-6)
        for key, score in zip(keys, scores, strict=True)
    )
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)


def test_searches_go_on_while_vectors_are_added() -> None:
    index: VectorIndex[int] = VectorIndex(8)
    rows = _unit_rows(2000, 8)
    index.add([0], rows[:1])
    nearest: list[int] = []

    def search() -> None:
        nearest.extend(index.search(rows[0], 1)[0][0] for _ in range(300))

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for place in range(1, 2000):
        index.add([place], rows[place : place + 1])
    for thread in threads:
        thread.join()
    assert nearest == [0] * 600
    assert len(index) == 2000
