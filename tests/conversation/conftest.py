from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.conversation.service import Conversation
from assistant.memory.store import Store, open_store
from assistant.settings.schema import Settings

from .past import NOW, RECORDS, make_conversation


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    store.records.add(RECORDS)
    yield store
    store.close()


@pytest.fixture
def switched() -> list[bool]:
    """Whether suggestions were switched on or off, in order."""
    return []


@pytest.fixture
def conversation(tmp_path: Path, store: Store, switched: list[bool]) -> Conversation:
    return make_conversation(tmp_path, store, switched)
