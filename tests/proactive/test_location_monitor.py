from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from assistant.events import Event, PhoneState, PlaceAsked, ScenarioChanged
from assistant.memory.store import Store
from assistant.phone.adb import Shell
from assistant.phone.errors import PhoneError
from assistant.phone.monitor import SensorReadings, read_sensors
from assistant.proactive.location import LocationMonitor, UnrecognisablePlace
from assistant.simulator.person import PLACES
from tests.phone.conftest import Simulate, adb, simulate
from tests.proactive.lives import BERLIN, Clock

__all__ = ["adb", "simulate"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "store")
    yield opened
    opened.close()


async def test_a_phone_that_moves_between_places(store: Store, simulate: Simulate) -> None:
    told: list[Event] = []
    async with simulate() as here:
        shell = Shell(here.adb, here.sim.serial, 5.0)

        async def look() -> SensorReadings:
            return await read_sensors(shell)

        around = LocationMonitor(store, "me", look, told.append)
        here.sim.person.go(PLACES["office"])
        await around.look()
        assert around.whereabouts.scenario == "unknown"
        around.name_here("the lab", "office")
        here.sim.person.go(PLACES["urban street"])
        await around.look()
        here.sim.person.screen(on=False)
        here.sim.person.go(PLACES["office"])
        await around.look()
        assert not here.sim.services.power.awake
    changes = [event for event in told if isinstance(event, ScenarioChanged)]
    assert [(one.scenario, one.place, one.origin) for one in changes] == [
        ("office", "the lab", "place"),
        ("unknown", "", ""),
        ("office", "the lab", "place"),
    ]


async def test_a_phone_that_does_not_answer_changes_nothing(store: Store) -> None:
    async def gone() -> SensorReadings:
        raise PhoneError(PhoneState.ABSENT, "No phone is connected.")

    around = LocationMonitor(store, "me", gone, lambda event: None)
    around.set_scenario("office")
    await around.look()
    assert around.whereabouts.scenario == "office"
    with pytest.raises(UnrecognisablePlace):
        around.name_here("x", "office")


async def test_somewhere_new_is_asked_about_once_and_known_from_the_answer_on(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 3, 9, 12, 0, tzinfo=BERLIN))
    told: list[Event] = []
    seen = [SensorReadings(ssid="Corp", bssid="3c:84:6a:90:01:b2")]

    async def look() -> SensorReadings:
        return seen[0]

    store = Store(tmp_path / "store", clock)
    around = LocationMonitor(store, "me", look, told.append)
    for _ in range(30):
        await around.look()
        clock.advance(minutes=1)
    assert [event.seen for event in told if isinstance(event, PlaceAsked)] == ["Corp"]
    await LocationMonitor(store, "me", look, told.append).look()
    assert len(told) == 1
    around.set_scenario("office")
    seen[0] = SensorReadings()
    await around.look()
    seen[0] = SensorReadings(ssid="Corp", bssid="3c:84:6a:90:01:b2")
    await around.look()
    assert (around.whereabouts.scenario, [one.name for one in around.places()]) == ("office", ["office"])
    store.close()


async def test_the_street_is_no_place(store: Store) -> None:
    async def look() -> SensorReadings:
        return SensorReadings(bssid="3c:84:6a:90:01:b2")

    around = LocationMonitor(store, "me", look, lambda event: None)
    await around.look()
    around.set_scenario("urban street")
    assert (around.whereabouts.scenario, around.places()) == ("urban street", [])


async def test_it_looks_by_itself_until_it_is_closed(store: Store) -> None:
    looked = 0

    async def count() -> None:
        nonlocal looked
        looked += 1

    around = LocationMonitor(store, "me", count, lambda event: None, every=0)
    around.start()
    await around.look()
    await around.close()
    before = looked
    await around.close()
    assert looked == before >= 1
