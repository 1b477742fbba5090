"""Suggestions and scenarios through the engine, with a simulated phone and a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.command_resolver import PersonalCommandResolver
from assistant.events import Answer, ScenarioChanged, SuggestionAnswered, SuggestionOffered, SuggestionTaken
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.records import Outcome, Record
from assistant.simulator.adb_server import PrivateAdbServer
from tests.memory.prototypes.lived import Hashing
from tests.worlds import START, World, running_world

ALARM = "set an alarm for 7:30"


@pytest_asyncio.fixture
async def world(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    def hashed(recollection: PersonalCommandResolver) -> HierarchicalMemory:
        return HierarchicalMemory(recollection._store, Hashing())

    monkeypatch.setattr(PersonalCommandResolver, "open_prototypes", hashed)
    monkeypatch.setenv("ASSISTANT_PROACTIVE__QUIET_FROM", "00:00")
    monkeypatch.setenv("ASSISTANT_PROACTIVE__QUIET_UNTIL", "00:00")
    now = datetime.now(START.tzinfo)
    store = Store(tmp_path / "store")
    store.records.add(
        Record(id=f"r{day}", user_id="me", time=now - timedelta(days=day), instruction=ALARM)
        for day in range(14, 0, -1)
    )
    store.close()
    async with running_world(adb_server.port, tmp_path / "store") as running:
        yield running


async def test_an_accepted_suggestion_runs_as_a_turn(world: World) -> None:
    offered = await world.next(SuggestionOffered)
    assert offered.instruction == ALARM
    world.engine.set_scenario("residence")
    changed = await world.next(ScenarioChanged)
    assert changed.scenario == "residence"
    world.engine.answer_suggestion(offered.id, Answer.ACCEPTED, offered.instruction)
    assert (await world.finished()).outcome is Outcome.SUCCESS
    answered = await world.next(SuggestionAnswered)
    assert (answered.id, answered.answer) == (offered.id, "accepted")
    (taken,) = world.all(SuggestionTaken)
    assert (taken.instruction, taken.score, taken.why) == (ALARM, offered.score, offered.why)
    assert set(taken.evidence) == {f"r{day}" for day in range(1, 15)}
    assert any(alarm["time"] == "07:30" for alarm in world.app("clock")["alarms"])
    assert world.engine.records()[-1].scenario == "residence"
    assert world.engine.suggestions()[0].answer is Answer.ACCEPTED
