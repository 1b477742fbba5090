from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from assistant.embedding.embedder import Vectors
from assistant.memory import schema
from assistant.memory.forgetting import forget
from assistant.memory.schema import RECORD_VECTOR
from assistant.memory.store import Store
from assistant.memory.vectors import EmbeddingProgress, VectorCache, coverage
from assistant.records import Record


class HashEmbedder:
    """Gives each text a direction of its own and counts what it was asked for."""

    dimensions = 16

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.extend(texts)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            seed = hashlib.sha256(f"{self.model_id} {text}".encode()).digest()[:8]
            row = np.random.default_rng(int.from_bytes(seed)).normal(size=self.dimensions)
            rows[place] = row / np.linalg.norm(row)
        return rows


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "store")
    yield store
    store.close()


def rows_of(store: Store) -> list[tuple[str, str, str]]:
    table = schema.vectors
    with store.reader() as connection:
        rows = connection.execute(select(table.c.kind, table.c.owner, table.c.model_id)).all()
    return sorted((kind, owner, model) for kind, owner, model in rows)


TEXTS = {f"r{place}": f"text {place % 150}" for place in range(200)}


def test_a_text_is_embedded_once(store: Store) -> None:
    embedder = HashEmbedder("a")
    cache = VectorCache(store, embedder)
    first = cache.vectors("text", {"r1": "order lunch", "r2": "open the door", "r3": "order lunch"})
    assert embedder.asked == ["order lunch", "open the door"]
    assert np.array_equal(first, HashEmbedder("a").embed(["order lunch", "open the door", "order lunch"]))

    again = VectorCache(store, embedder).vectors("text", {"r2": "open the door", "r1": "order lunch"})
    assert np.array_equal(again, first[[1, 0]])
    cache.vectors("prototype", {"p1": "order lunch"})
    assert len(embedder.asked) == 2
    assert cache.vectors("text", {}).shape == (0, 16)


def test_a_changed_text_gets_a_new_vector(store: Store) -> None:
    cache = VectorCache(store, HashEmbedder("a"))
    cache.vectors("text", {"r1": "order lunch"})
    (vector,) = cache.vectors("text", {"r1": "cancel lunch"})
    assert np.array_equal(vector, HashEmbedder("a").embed(["cancel lunch"])[0])
    assert rows_of(store) == [("text", "r1", "a")]


def test_the_index_holds_one_kind_of_one_model(store: Store) -> None:
    VectorCache(store, HashEmbedder("b")).vectors("text", {"r9": "open the door"})
    cache = VectorCache(store, HashEmbedder("a"))
    cache.vectors("text", {"r1": "order lunch", "r2": "open the door"})
    cache.vectors("node", {"n1": "order lunch"})
    index = cache.index("text")
    assert len(index) == 2
    assert index.search(HashEmbedder("a").embed(["open the door"])[0], 1)[0] == ["r2"]


def test_vectors_of_owners_that_are_gone_are_dropped_whoever_made_them(store: Store) -> None:
    for model in "ab":
        VectorCache(store, HashEmbedder(model)).vectors("text", {"r1": "order lunch", "r2": "open"})
    VectorCache(store, HashEmbedder("a")).forget("text", ["r1"])
    assert rows_of(store) == [("text", "r2", "a"), ("text", "r2", "b")]


def test_a_broken_off_move_goes_on_where_it_was(store: Store) -> None:
    old = HashEmbedder("old")
    VectorCache(store, old).vectors("text", TEXTS)
    moving = VectorCache(store, HashEmbedder("new")).fill("text", TEXTS)
    assert [next(moving) for _ in range(2)] == [EmbeddingProgress(0, 200), EmbeddingProgress(64, 200)]
    del moving
    assert coverage(store, "text") == {"old": 200, "new": 64}

    new = HashEmbedder("new")
    cache = VectorCache(store, new)
    steps = list(cache.fill("text", TEXTS))
    cache.drop_others("text")
    assert steps[0] == EmbeddingProgress(64, 200)
    assert steps[-1] == EmbeddingProgress(200, 200)
    assert len(new.asked) == 150 - 64
    assert coverage(store, "text") == {"new": 200}


def test_making_vectors_is_one_line_of_the_audit_and_keeps_no_text(store: Store) -> None:
    VectorCache(store, HashEmbedder("a")).vectors("text", TEXTS)
    with store.reader() as connection:
        assert len(connection.execute(select(schema.changes)).all()) == 1
        assert connection.execute(select(schema.change_rows)).all() == []


def test_a_record_that_is_forgotten_while_its_vector_is_made_leaves_none(store: Store) -> None:
    record = Record(id="r1", user_id="me", time=datetime(2026, 3, 9, tzinfo=UTC), instruction="order lunch")
    store.records.add([record])

    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            forget(store, ["r1"])
            return super().embed(texts)

    (vector,) = VectorCache(store, Slow("a")).vectors(RECORD_VECTOR, {"r1": "order lunch"})
    assert np.array_equal(vector, HashEmbedder("a").embed(["order lunch"])[0])
    assert rows_of(store) == []
