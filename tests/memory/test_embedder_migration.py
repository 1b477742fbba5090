from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from assistant.embedding.models import ModelRegistry
from assistant.memory import schema
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.schema import RECORD_VECTOR
from assistant.memory.store import Store
from assistant.memory.vectors import StoreEmbedder, catch_up, coverage, earlier_model, text_hash
from assistant.records import Record
from assistant.settings.schema import EmbeddingSettings
from tests.embedding.tiny import bundle

SAID = ("order lunch", "open the door", "order lunch", "order lunch")
NEW = EmbeddingSettings(model="others")


@pytest.fixture
def library(tmp_path: Path) -> ModelRegistry:
    return ModelRegistry(bundle(tmp_path / "bundled", "words", "others"), tmp_path / "installed")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "store")
    store.records.add(
        Record(id=f"r{day}", user_id="me", time=datetime(2026, 3, day, 12, tzinfo=UTC), instruction=said)
        for day, said in enumerate(SAID, start=1)
    )
    yield store
    store.close()


def aggregated(store: Store, embedder: StoreEmbedder) -> int:
    return len(HierarchicalMemory(store, embedder.current()).prototypes("me"))


def test_the_earlier_model_answers_while_the_new_one_embeds(store: Store, library: ModelRegistry) -> None:
    old, new = library.find("words").load(), library.find("others").load()
    assert aggregated(store, StoreEmbedder(store, EmbeddingSettings(model="words"), library)) > 0
    moving = StoreEmbedder(store, NEW, library)
    assert moving.current().model_id == old.model_id
    assert aggregated(store, moving) > 0
    moving.settle()
    assert coverage(store, RECORD_VECTOR) == {old.model_id: 4, new.model_id: 4}


def test_the_new_model_takes_over_at_the_next_start_and_the_old_vectors_go(
    store: Store, library: ModelRegistry
) -> None:
    new = library.find("others").load()
    aggregated(store, StoreEmbedder(store, EmbeddingSettings(model="words"), library))
    first = StoreEmbedder(store, NEW, library)
    assert first.current().dimensions
    first.settle()
    second = StoreEmbedder(store, NEW, library)
    assert second.current().model_id == new.model_id
    assert aggregated(store, second) > 0
    assert coverage(store, RECORD_VECTOR) == {new.model_id: 4}


def test_a_command_that_only_looks_moves_nothing(store: Store, library: ModelRegistry) -> None:
    old = library.find("words").load()
    aggregated(store, StoreEmbedder(store, EmbeddingSettings(model="words"), library))
    looking = StoreEmbedder(store, NEW, library, moves=False)
    assert looking.current().model_id == old.model_id
    looking.settle()
    assert coverage(store, RECORD_VECTOR) == {old.model_id: 4}


def test_a_model_that_is_gone_is_not_waited_for(store: Store, library: ModelRegistry, tmp_path: Path) -> None:
    aggregated(store, StoreEmbedder(store, EmbeddingSettings(model="words"), library))
    left = ModelRegistry(bundle(tmp_path / "other", "others"), tmp_path / "installed")
    new = left.find("others").load()
    assert earlier_model(store, new, left) is None
    assert StoreEmbedder(store, NEW, left).current().model_id == new.model_id


def test_a_store_without_vectors_takes_the_chosen_model(store: Store, library: ModelRegistry) -> None:
    chosen = StoreEmbedder(store, NEW, library)
    assert chosen.current().model_id == library.find("others").load().model_id
    chosen.close()


def test_another_model_embeds_what_prototypes_are_made_of(store: Store, library: ModelRegistry) -> None:
    told = "Disabled the alarm for tomorrow, then went back to sleep"
    now = datetime(2026, 3, 9, 12, tzinfo=UTC)
    store.records.add([Record(id="r9", user_id="me", time=now, instruction=told)])
    model = library.find("words").load()
    list(catch_up(store, model))
    with store.reader() as connection:
        query = select(schema.vectors.c.text_hash).where(schema.vectors.c.owner == "r9")
        hashes = connection.execute(query).scalars().all()
    assert hashes == [text_hash("Disabled the alarm for tomorrow")]
