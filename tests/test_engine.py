from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.engine import Engine
from assistant.events import Answer
from assistant.memory.database import Database, StoreError
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import open_store
from assistant.memory_view.items import Section
from assistant.records import Outcome, Record
from assistant.settings.schema import MemorySettings, PhoneSettings, Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.skills.service import SkillMemory
from assistant.turn_runner import NotReady
from tests.worlds import LIMIT, running_world

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


@pytest.mark.parametrize(
    ("memory", "update"),
    [(SkillMemory, "learn_waiting"), (Profile, "learn"), (HierarchicalMemory, "aggregate")],
)
async def test_no_turn_waits_for_what_is_learnt_of_the_one_before(
    adb_server: PrivateAdbServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    memory: type[object],
    update: str,
) -> None:
    busy, go_on = threading.Event(), threading.Event()

    def learn_for_long(*_: object, **__: object) -> tuple[()]:
        busy.set()
        assert go_on.wait(LIMIT)
        return ()

    async with running_world(adb_server.port, tmp_path, attended=False, learning=True) as world:
        monkeypatch.setattr(memory, update, learn_for_long)
        try:
            assert (await world.carry_out("turn on dark mode")).outcome is Outcome.SUCCESS
            assert await asyncio.to_thread(busy.wait, LIMIT)
            await world.engine.wait_until_idle()
            assert (await world.carry_out("turn off dark mode")).outcome is Outcome.SUCCESS
            assert not go_on.is_set()
        finally:
            go_on.set()


async def test_a_memory_that_is_out_of_reach_keeps_turns_from_beginning_and_says_why(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("The server of the memory is gone.")

    async with running_world(adb_server.port, tmp_path, attended=False) as world:
        engine = world.engine
        starts: list[Callable[[], None]] = [
            lambda: engine.run("turn on dark mode"),
            lambda: engine.replay("lunch", {}),
            lambda: engine.continue_turn("t1"),
            lambda: engine.answer_suggestion("s1", Answer.ACCEPTED, "turn on dark mode"),
        ]
        with monkeypatch.context() as gone:
            gone.setattr(Database, "read", fail)
            gone.setattr(Database, "write", fail)
            for start in starts:
                with pytest.raises(NotReady, match="is gone"):
                    start()
            assert engine.interrupted_turns() == []
            engine.discard("t1")
        assert (await world.carry_out("turn on dark mode")).outcome is Outcome.SUCCESS
