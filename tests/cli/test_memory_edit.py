from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.memory.database import StoreError
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.records import Record
from tests.memory.profile.embedding import WordEmbedder

FIRST = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory in which a window seat and an aisle seat were wanted equally often."""
    store = Store(tmp_path / "memory")
    records = [
        Record(
            id=f"r{day}",
            user_id="me",
            time=FIRST + timedelta(days=day),
            instruction=f"Book a train to York, {seat} seat",
        )
        for day, seat in enumerate(["window", "aisle"] * 3)
    ]
    store.records.add(records)
    Profile(store, WordEmbedder(), "me").learn_all(records)
    store.close()
    return tmp_path / "memory"


def told(folder: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, ["memory", *arguments, "--store", str(folder)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_conflict_is_told_settled_and_taken_back(folder: Path) -> None:
    shown = told(folder, "conflicts")
    assert "Travelling, seat:" in shown
    assert "3 times, last 2026-03-0" in shown
    conflict = json.loads(told(folder, "conflicts", "--json"))
    (aisle,) = [one for one in conflict["choices"] if one["value"] == "aisle seat"]
    assert aisle["evidence"] == ["r5", "r3", "r1"]
    settled = told(folder, "conflicts", "--settle", aisle["id"])
    assert settled.startswith("aisle seat holds.\nUndo it with: assistant memory undo ")
    assert told(folder, "conflicts") == "No conflicts.\n"
    undone = told(folder, "undo", settled.split()[-1])
    assert "evidence of values deleted: 1" in undone
    assert "Travelling, seat:" in told(folder, "conflicts")


def test_the_memory_is_that_of_the_only_user_whatever_the_settings_call_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_USER_ID", "somebody")
    (first, *_others) = map(json.loads, told(folder, "list", "--section", "records", "--json").splitlines())
    assert json.loads(told(folder, "show", first["id"], "--json"))["id"] == first["id"]
    assert "aisle" in told(folder, "conflicts")
    assert told(folder, "list", "--section", "records", "--user", "nobody") == ""


def test_a_field_that_a_record_does_not_have_is_told_with_those_it_has(folder: Path) -> None:
    with pytest.raises(StoreError, match="fields of this item: instruction"):
        app(
            ["memory", "edit", "r1", "--set", "colour=red", "--store", str(folder)],
            standalone_mode=False,
        )


def test_an_unknown_value_is_refused(folder: Path) -> None:
    with pytest.raises(StoreError, match="There is no value"):
        app(["memory", "conflicts", "--settle", "x", "--store", str(folder)], standalone_mode=False)
