from __future__ import annotations

import numpy as np

from assistant.bench.hashing import HashingEmbedder


def test_rows_are_unit_and_the_same_in_any_company() -> None:
    embedder = HashingEmbedder(64)

    rows = embedder.embed(["order lunch", "点外卖", "order lunch", ""])

    assert rows.shape == (4, 64)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows[:3], axis=1), 1.0, atol=1e-5)
    assert np.array_equal(rows[0], rows[2])
    assert np.array_equal(rows[1], embedder.embed(["点外卖"])[0])


def test_like_texts_are_nearer() -> None:
    order, again, call = HashingEmbedder().embed(
        ["Order beef noodles from Eats", "order the beef noodles on Eats", "Call Dad"]
    )

    assert order @ again > order @ call + 0.3
