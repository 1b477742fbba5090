from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.conversation.service import Conversation
from assistant.memory.store import Store, open_store
from assistant.proactive.schedules import Schedules
from assistant.settings.schema import Settings

from .past import NOW, RECORDS, SCHEDULES, make_conversation


@pytest.fixture(scope="session")
def past(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a memory with the records: they are written once, and each test gets a copy."""
    folder = tmp_path_factory.mktemp("past")
    store = open_store(Settings(store=folder, user_id="me"), lambda: NOW)
    store.records.add(RECORDS)
    store.close()
    return (folder / "memory.sqlite").read_bytes()


@pytest.fixture
def store(tmp_path: Path, past: bytes) -> Iterator[Store]:
    (tmp_path / "memory.sqlite").write_bytes(past)
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    yield store
    store.close()


@pytest.fixture
def schedules(store: Store) -> Schedules:
    """Those of `SCHEDULES`, made just now one after the other."""
    schedules = Schedules(store, "me")
    for before, (times, instruction) in enumerate(SCHEDULES):
        schedules.add(times, instruction, NOW - timedelta(minutes=3 - before), "Europe/Berlin")
    return schedules


@pytest.fixture
def switched() -> list[bool]:
    """Whether suggestions were switched on or off, in order."""
    return []


@pytest.fixture
def conversation(tmp_path: Path, store: Store, switched: list[bool]) -> Conversation:
    return make_conversation(tmp_path, store, switched)
