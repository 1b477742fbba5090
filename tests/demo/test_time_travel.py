"""The demo's time through a whole engine: its phone's clock follows, and its person lives on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from assistant.command_resolver import PersonalCommandResolver
from assistant.demo.time_travel import DemoTime, TimeSpan
from assistant.engine import Engine
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.host import Locale
from assistant.simulator.living_on import LivingOn
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.memory.prototypes.lived import Hashing
from tests.worlds import DENSITY, SIZE, START, settings_for

MORNING = START.replace(hour=9, minute=0)


@pytest.fixture
def start() -> datetime:
    return MORNING


@pytest.fixture
def locale() -> Locale:
    return "en"


@pytest_asyncio.fixture
async def demo(
    adb_server: PrivateAdbServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    start: datetime,
    locale: Locale,
) -> AsyncIterator[tuple[DemoTime, Engine, SimulatedPhone]]:
    def hashed(recollection: PersonalCommandResolver) -> HierarchicalMemory:
        return HierarchicalMemory(recollection._store, Hashing())

    monkeypatch.setattr(PersonalCommandResolver, "open_prototypes", hashed)
    store = Store(tmp_path)
    store.records.add(LivingOn("me", locale).between(start - timedelta(days=14), start))
    store.close()
    options = PhoneOptions(start=start, locale=locale, size=SIZE, density=DENSITY)
    async with SimulatedPhone(options) as phone:
        model: Any = SimpleNamespace(address=SimpleNamespace(base_url=""))
        settings = settings_for(phone, model, adb_server.port, tmp_path)
        world: Any = SimpleNamespace(phone=phone.ready())
        time = DemoTime(world, locale, start)
        engine = Engine(settings, now=time.now)
        await time.attach(engine)
        await engine.start()
        try:
            yield time, engine, phone
        finally:
            await engine.close()


def near(moment: datetime, other: datetime) -> bool:
    return abs(moment - other) < timedelta(minutes=2)


async def test_the_next_likely_moment_brings_a_suggestion_and_the_day_its_records(
    demo: tuple[DemoTime, Engine, SimulatedPhone],
) -> None:
    time, engine, phone = demo
    assert engine.proactive is not None
    await engine.proactive.settled()
    result = await time.let_pass(TimeSpan.LIKELY)
    assert (result.passed, result.waits) == ((), True)
    assert "beef noodles" in engine.suggestions()[0].instruction
    assert near(time.now(), phone.clock.now())
    before = len(engine.records())
    await time.let_pass(TimeSpan.HOUR)
    assert len(engine.records()) == before + 1
    assert near(time.now(), phone.clock.now())


@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize(
    "start",
    [
        pytest.param(datetime(2026, 11, 23, 3, 0, tzinfo=UTC), id="Monday 03:00"),
        pytest.param(datetime(2026, 11, 25, 12, 0, tzinfo=UTC), id="Wednesday 12:00"),
        pytest.param(datetime(2026, 11, 28, 18, 0, tzinfo=UTC), id="Saturday 18:00"),
        pytest.param(datetime(2026, 11, 29, 23, 30, tzinfo=UTC), id="Sunday 23:30"),
    ],
)
async def test_the_first_jump_brings_a_suggestion_at_any_hour(
    demo: tuple[DemoTime, Engine, SimulatedPhone],
) -> None:
    assert (await demo[0].let_pass(TimeSpan.LIKELY)).waits


async def test_no_time_passes_before_the_memory_is_filled(
    demo: tuple[DemoTime, Engine, SimulatedPhone],
) -> None:
    time = demo[0]
    before, filled = time.now(), asyncio.Event()

    async def fill() -> None:
        await filled.wait()

    time.filled = asyncio.create_task(fill())
    passing = asyncio.create_task(time.let_pass(TimeSpan.HOUR))
    await asyncio.sleep(0)
    assert time.now() - before < timedelta(minutes=1)
    filled.set()
    await passing
    assert time.now() - before >= timedelta(hours=1)


async def test_a_later_demo_goes_on_where_the_memory_ends(
    demo: tuple[DemoTime, Engine, SimulatedPhone], tmp_path: Path
) -> None:
    time, engine, phone = demo
    store = Store(tmp_path)
    store.records.add(LivingOn("me").between(MORNING, MORNING + timedelta(days=3)))
    store.close()
    await time.attach(engine)
    assert timedelta(days=2) < time.now() - MORNING < timedelta(days=3)
    assert near(time.now(), phone.clock.now())
