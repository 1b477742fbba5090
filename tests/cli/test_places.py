from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.memory.store import Store
from assistant.phone.monitor import Position, SensorReadings
from assistant.proactive.location import Places


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = Store(tmp_path)
    places = Places(store, "me")
    places.learn(
        "home", "residence", SensorReadings(bssid="16:d8:64:f4:d5:19", position=Position(31.3, 121.5, 20))
    )
    places.learn("the car", "transportation", SensorReadings(device="My Car"))
    store.close()
    return tmp_path


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["places", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def names(folder: Path) -> list[str]:
    return [json.loads(line)["name"] for line in run("list", "--json", "--store", str(folder)).splitlines()]


def test_the_list(folder: Path) -> None:
    lines = run("list", "--store", str(folder)).splitlines()
    assert lines == [
        "home  residence  16:d8:64:f4:d5:19; 31.30000, 121.50000",
        "the car  transportation  My Car",
    ]


def test_without_places_it_says_how_to_name_one(tmp_path: Path) -> None:
    assert "assistant places here" in run("list", "--store", str(tmp_path))


def test_renaming_merging_forgetting(folder: Path) -> None:
    run("rename", "the car", "car", "--store", str(folder))
    assert names(folder) == ["car", "home"]
    run("merge", "home", "car", "--store", str(folder))
    assert names(folder) == ["home"]
    run("forget", "home", "--store", str(folder))
    assert names(folder) == []


def test_a_place_that_is_not_there(folder: Path) -> None:
    result = CliRunner().invoke(app, ["places", "forget", "x", "--store", str(folder)])
    assert result.exit_code != 0
    assert "assistant places list" in str(result.exception)
