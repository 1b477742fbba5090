from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.forgetting import free_pages
from assistant.memory.store import Store
from assistant.phone.monitor import Position, SensorReadings
from assistant.proactive.location import (
    NoSuchPlace,
    Places,
    ScenarioOrigin,
    ScenarioTracker,
    UnrecognisablePlace,
    Whereabouts,
    distance_in_metres,
    recognise,
)

HERE = Position(31.30946, 121.50828, 20.0)
HOME = SensorReadings(ssid="Home", bssid="16:d8:64:f4:d5:19", position=HERE)
WORK = SensorReadings(ssid="Corp", bssid="3c:84:6a:90:01:b2", position=Position(31.23037, 121.4737, 20.0))
CAR = SensorReadings(device="My Car", position=HERE)
POSITIONS = st.builds(Position, st.floats(-90, 90), st.floats(-180, 180), st.just(1.0))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def places(store: Store) -> Places:
    found = Places(store, "me")
    found.learn("home", "residence", HOME)
    found.learn("the lab", "office", WORK)
    found.learn("the car", "transportation", CAR)
    return found


def name(places: Places, signals: SensorReadings) -> str:
    found = recognise(signals, places.all())
    return found.name if found else ""


def test_places_are_known_again_by_their_access_points(places: Places) -> None:
    assert name(places, replace(HOME, position=None)) == "home"
    assert name(places, replace(WORK, position=None)) == "the lab"
    assert name(places, SensorReadings(ssid="Home", bssid="aa:bb:cc:dd:ee:ff")) == ""


def test_the_car_in_front_of_the_house_is_the_car(places: Places) -> None:
    assert name(places, replace(HOME, device="My Car")) == "the car"


def test_headphones_at_home_are_at_home(places: Places) -> None:
    assert name(places, replace(HOME, device="Earbuds")) == "home"


def test_without_an_access_point_the_position_tells(places: Places) -> None:
    assert name(places, SensorReadings(position=replace(HERE, latitude=HERE.latitude + 0.001))) == "home"
    assert name(places, SensorReadings(position=replace(HERE, latitude=HERE.latitude + 0.01))) == ""
    assert name(places, SensorReadings()) == ""


def test_a_second_access_point_of_a_place(places: Places) -> None:
    mesh = SensorReadings(ssid="Home", bssid="16:d8:64:f4:d5:1a")
    places.learn("home", "residence", mesh)
    assert name(places, mesh) == name(places, replace(HOME, position=None)) == "home"


def test_what_has_no_signal_cannot_be_learnt(places: Places) -> None:
    with pytest.raises(UnrecognisablePlace, match="Turn on Wi-Fi"):
        places.learn("nowhere", "outdoors", SensorReadings(battery=50))


def test_places_are_renamed_merged_and_forgotten(places: Places, store: Store) -> None:
    places.rename("the lab", "work")
    places.merge("work", "the car")
    assert name(places, CAR) == name(places, WORK) == "work"
    store.undo()
    assert name(places, CAR) == "the car"
    places.forget("home")
    assert [one.name for one in places.all()] == ["the car", "work"]
    with pytest.raises(NoSuchPlace, match="assistant places list"):
        places.rename("home", "x")


def test_nothing_of_a_forgotten_place_stays(places: Places, store: Store) -> None:
    places.rename("home", "my den")
    places.forget("my den")
    free_pages(store.database)
    kept = b"".join(file.read_bytes() for file in store.folder.glob("memory.sqlite*"))
    assert b"my den" not in kept
    assert b"16:d8:64:f4:d5:19" not in kept


@given(POSITIONS, POSITIONS)
def test_distances(one: Position, other: Position) -> None:
    assert distance_in_metres(one, other) == pytest.approx(distance_in_metres(other, one))
    assert 0 <= distance_in_metres(one, other) <= 20_016_000
    assert distance_in_metres(one, one) == 0


class TestCompass:
    def compass(self, places: Places) -> tuple[ScenarioTracker, list[Whereabouts]]:
        told: list[Whereabouts] = []
        return ScenarioTracker(places.all, told.append), told

    def test_it_tells_of_changes_only(self, places: Places) -> None:
        compass, told = self.compass(places)
        for signals in (HOME, HOME, SensorReadings(), CAR, WORK):
            compass.update_signals(signals)
        assert [one.scenario for one in told] == ["residence", "unknown", "transportation", "office"]

    def test_what_the_user_says_comes_first(self, places: Places) -> None:
        compass, told = self.compass(places)
        compass.update_signals(HOME)
        compass.set_scenario("office")
        compass.update_signals(replace(HOME, battery=3))
        assert compass.now == Whereabouts("office", "", ScenarioOrigin.USER)
        compass.set_scenario("")
        assert compass.now == Whereabouts("residence", "home", ScenarioOrigin.PLACE)
        assert len(told) == 3

    def test_it_holds_until_the_phone_is_somewhere_else(self, places: Places) -> None:
        compass, _ = self.compass(places)
        compass.update_signals(SensorReadings(bssid="aa:aa:aa:aa:aa:aa"))
        compass.set_scenario("sports venue")
        compass.update_signals(SensorReadings(bssid="bb:bb:bb:bb:bb:bb"))
        assert compass.now == Whereabouts()
