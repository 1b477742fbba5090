from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.engine import Engine
from assistant.memory.store import open_store
from assistant.memory_view.items import Section
from assistant.records import Record
from assistant.settings.schema import MemorySettings, PhoneSettings, Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.turn_runner import NotReady

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)


async def test_evidence_is_the_users_own_and_what_is_still_kept(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path, user_id="me", memory=MemorySettings(learning=False))
    records = [
        Record(id=name, user_id=user, time=NOW, instruction="Order noodles")
        for name, user in (("r1", "me"), ("r2", "me"), ("other", "you"))
    ]
    store = open_store(settings, lambda: NOW)
    store.records.add(records)
    store.close()
    engine = Engine(settings, now=lambda: NOW)
    try:
        assert [record.id for record in engine.find_records(("r2", "gone", "other", "r1"))] == ["r2", "r1"]
    finally:
        await engine.close()


async def test_the_memory_opens_once_the_engine_has_started(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    settings = Settings(store=tmp_path, user_id="me", phone=PhoneSettings(adb_port=adb_server.port))
    engine = Engine(settings, now=lambda: NOW, attended=False)
    try:
        with pytest.raises(NotReady, match="not open yet"):
            engine.memory()
        await engine.start()
        assert engine.memory().items(Section.RECORDS).items == ()
        assert engine.memory() is engine.memory()
    finally:
        await engine.close()
