"""A pause of learning holds for what a turn leaves, at once and in every later run."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.command_resolver import PersonalCommandResolver
from assistant.memory.store import INCOGNITO, LearningSwitches, Store
from assistant.records import Record, State
from assistant.settings.schema import MemorySettings, Settings
from tests.memory.prototypes.lived import MONDAY, Hashing, record


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(PersonalCommandResolver, "embedder", lambda self: Hashing())
    return Store(tmp_path, now=lambda: MONDAY)


async def taught(store: Store, settings: Settings, name: str) -> Record | None:
    resolver = PersonalCommandResolver(
        settings, store, lambda: State(time=MONDAY), lambda: (), lambda event: None
    )
    ended = record(name).model_copy(update={"source": "executed"})
    store.records.add([ended])
    resolver.learn(ended, well=True)
    await resolver.close()
    return store.records.get(name)


@pytest.mark.parametrize("off", ["setting", "pause"])
async def test_a_turn_without_learning_is_kept_apart(store: Store, off: str) -> None:
    settings = Settings(user_id="1", memory=MemorySettings(learning=off != "setting"))
    if off == "pause":
        LearningSwitches(store, "1").pause()
    first_record = await taught(store, settings, "r1")
    assert first_record is not None
    assert first_record.source == INCOGNITO
    LearningSwitches(store, "1").pause(False)
    second_record = await taught(store, Settings(user_id="1"), "r2")
    assert second_record is not None
    assert second_record.source == "executed"
