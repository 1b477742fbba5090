from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.records import Outcome, Record
from tests.memory.profile.embedding import WordEmbedder

STARTED = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)


def record(said: str, day: float = 0, app: str = "", outcome: Outcome | None = Outcome.SUCCESS) -> Record:
    return Record(
        id=f"r{day}",
        user_id="1",
        time=STARTED + timedelta(days=day),
        said=said,
        instruction=said,
        app=app,
        outcome=outcome,
        source="executed",
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "memory", now=lambda: STARTED + timedelta(days=200))
    yield opened
    opened.close()


@pytest.fixture
def profile(store: Store) -> Profile:
    return Profile(store, WordEmbedder(), "1")
