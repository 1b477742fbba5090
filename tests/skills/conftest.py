from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.memory.store import Store
from assistant.skills.service import SkillMemory
from tests.skills.recorded_turns import NOW


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path, lambda: NOW)
    yield opened
    opened.close()


@pytest.fixture
def skills(store: Store) -> SkillMemory:
    return SkillMemory(store, "me")
