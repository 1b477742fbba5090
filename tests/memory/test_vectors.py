from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from assistant.embedding.embeds import Vectors
from assistant.embedding.library import Library
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory.vector_search import VectorSearch, open_search
from assistant.memory.vectors import Progress, VectorCache, coverage
from tests.embedding.tiny import bundle


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
        found = connection.execute(select(table.c.kind, table.c.owner, table.c.model_id)).all()
    return sorted((kind, owner, model) for kind, owner, model in found)


TEXTS = {f"r{place}": f"text {place % 150}" for place in range(200)}


def test_a_text_is_embedded_once(store: Store) -> None:
    embedder = HashEmbedder("a")
    cache = VectorCache(store, embedder)
    first = cache.vectors("record", {"r1": "order lunch", "r2": "open the door", "r3": "order lunch"})
    assert embedder.asked == ["order lunch", "open the door"]
    assert np.array_equal(first, HashEmbedder("a").embed(["order lunch", "open the door", "order lunch"]))

    again = VectorCache(store, embedder).vectors("record", {"r2": "open the door", "r1": "order lunch"})
    assert np.array_equal(again, first[[1, 0]])
    cache.vectors("prototype", {"p1": "order lunch"})
    assert len(embedder.asked) == 2
    assert cache.vectors("record", {}).shape == (0, 16)


def test_a_changed_text_gets_a_new_vector(store: Store) -> None:
    cache = VectorCache(store, HashEmbedder("a"))
    cache.vectors("record", {"r1": "order lunch"})
    (vector,) = cache.vectors("record", {"r1": "cancel lunch"})
    assert np.array_equal(vector, HashEmbedder("a").embed(["cancel lunch"])[0])
    assert rows_of(store) == [("record", "r1", "a")]


def test_the_index_holds_one_kind_of_one_model(store: Store) -> None:
    VectorCache(store, HashEmbedder("b")).vectors("record", {"r9": "open the door"})
    cache = VectorCache(store, HashEmbedder("a"))
    cache.vectors("record", {"r1": "order lunch", "r2": "open the door"})
    cache.vectors("node", {"n1": "order lunch"})
    index = cache.index("record")
    assert len(index) == 2
    assert index.search(HashEmbedder("a").embed(["open the door"])[0], 1)[0] == ["r2"]


def test_vectors_of_owners_that_are_gone_are_dropped_whoever_made_them(store: Store) -> None:
    for model in "ab":
        VectorCache(store, HashEmbedder(model)).vectors("record", {"r1": "order lunch", "r2": "open"})
    VectorCache(store, HashEmbedder("a")).forget("record", ["r1"])
    assert rows_of(store) == [("record", "r2", "a"), ("record", "r2", "b")]


def test_a_broken_off_move_goes_on_where_it_was(store: Store) -> None:
    old = HashEmbedder("old")
    VectorCache(store, old).vectors("record", TEXTS)
    moving = VectorCache(store, HashEmbedder("new")).reembed("record", TEXTS)
    assert [next(moving) for _ in range(2)] == [Progress(0, 200), Progress(64, 200)]
    del moving
    assert coverage(store, "record") == {"old": 200, "new": 64}

    new = HashEmbedder("new")
    steps = list(VectorCache(store, new).reembed("record", TEXTS))
    assert steps[0] == Progress(64, 200)
    assert steps[-1] == Progress(200, 200)
    assert len(new.asked) == 150 - 64
    assert coverage(store, "record") == {"new": 200}


def test_making_vectors_is_one_line_of_the_audit_and_keeps_no_text(store: Store) -> None:
    VectorCache(store, HashEmbedder("a")).vectors("record", TEXTS)
    with store.reader() as connection:
        assert len(connection.execute(select(schema.changes)).all()) == 1
        assert connection.execute(select(schema.change_rows)).all() == []


def test_search_uses_the_old_model_until_the_new_one_is_through(store: Store) -> None:
    old, new = HashEmbedder("old"), HashEmbedder("new")
    VectorCache(store, old).vectors("record", TEXTS)
    search = VectorSearch(store, "record", new, previous=old)
    steps = search.move(TEXTS)
    for _ in range(3):
        next(steps)
        assert search.model_id == "old"
        ((owner, score),) = search.search("text 149", 1)
        assert owner == "r149"
        assert score == pytest.approx(1.0, abs=1e-6)
    for _ in steps:
        pass
    assert search.model_id == "new"
    assert len(search) == 200
    assert search.search("text 149", 1)[0][0] == "r149"
    assert coverage(store, "record") == {"new": 200}
    assert VectorSearch(store, "record", new, previous=old).model_id == "new"


def test_what_changes_during_a_move_stays_changed(store: Store) -> None:
    old = HashEmbedder("old")
    VectorCache(store, old).vectors("record", TEXTS)
    search = VectorSearch(store, "record", HashEmbedder("new"), previous=old)
    steps = search.move(TEXTS)
    next(steps)
    search.remove(["r199"])
    search.add({"r198": "something else", "r500": "brand new"})
    assert search.search("brand new", 1)[0][0] == "r500"
    next(steps)
    search.remove(["r3", *(f"r{place}" for place in range(64, 128))])
    for _ in steps:
        pass
    assert len(search) == 135
    assert search.search("something else", 1)[0][0] == "r198"
    assert search.search("brand new", 1)[0][0] == "r500"
    owners = {owner for _, owner, _ in rows_of(store)}
    assert not owners & {"r3", "r199"}


def test_searches_go_on_in_another_thread(store: Store) -> None:
    old = HashEmbedder("old")
    VectorCache(store, old).vectors("record", TEXTS)
    search = VectorSearch(store, "record", HashEmbedder("new"), previous=old)
    mover = threading.Thread(target=lambda: list(search.move(TEXTS)))
    found = [search.search("text 149", 1)[0][0]]
    mover.start()
    while mover.is_alive():
        found.append(search.search("text 149", 1)[0][0])
    mover.join()
    found.append(search.search("text 149", 1)[0][0])
    assert set(found) == {"r149"}
    assert search.model_id == "new"


def test_the_earlier_model_is_taken_from_the_library_while_it_knows_more(
    store: Store, tmp_path: Path
) -> None:
    library = Library(bundle(tmp_path / "bundled", "words", "others"), tmp_path / "installed")
    old, new = library.find("words").load(), library.find("others").load()
    texts = {"r1": "order lunch", "r2": "open the door"}
    assert open_search(store, "record", new, library).model_id == new.model_id
    VectorCache(store, HashEmbedder("gone")).vectors("record", {**texts, "r3": "cancel"})
    VectorCache(store, old).vectors("record", texts)
    search = open_search(store, "record", new, library)
    assert search.model_id == old.model_id
    assert search.search("open the door", 1)[0][0] == "r2"
    for _ in search.move(texts):
        pass
    assert coverage(store, "record") == {new.model_id: 2}

    VectorCache(store, old).vectors("record", {**texts, "r3": "cancel"})
    (tmp_path / "bundled" / "words" / "model.onnx").write_bytes(b"")
    assert open_search(store, "record", new, library).model_id == new.model_id


def test_without_the_old_model_what_is_done_is_found(store: Store) -> None:
    VectorCache(store, HashEmbedder("old")).vectors("record", TEXTS)
    search = VectorSearch(store, "record", HashEmbedder("new"))
    assert search.search("text 3", 1) == []
    for _ in search.move(TEXTS):
        pass
    assert search.search("text 3", 1)[0][0] in {"r3", "r153"}
