from __future__ import annotations

import ast
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.history import PastTurns
from assistant.memory import migrations
from assistant.memory.database import NEWEST
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep
from assistant.records import PressHome, Record

from .reflection import shape

pytestmark = pytest.mark.sqlite_file

DUMPS = sorted(Path(__file__).with_name("stores").glob("version_*.sql"))
"""A database of each version, made by the program of that time, with rows in every table."""

BEFORE_COSTS = ("version_01",)
BEFORE_AUDIT = ("version_01", "version_02", "version_03")


def make_store(folder: Path, dump: Path) -> Path:
    with closing(sqlite3.connect(folder / "memory.sqlite")) as database:
        database.executescript(dump.read_text())
    return folder


@pytest.fixture(params=DUMPS, ids=lambda dump: dump.stem)
def dump(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def folder(dump: Path, tmp_path: Path) -> Path:
    return make_store(tmp_path, dump)


def rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every row as it is stored, by table."""
    with closing(sqlite3.connect(folder / "memory.sqlite")) as database:
        database.row_factory = sqlite3.Row
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            table: [dict(row) for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid")]
            for (table,) in tables
        }


def test_there_is_a_dump_of_every_version() -> None:
    assert {int(dump.stem.split("_")[1]) for dump in DUMPS} == set(range(1, NEWEST + 1))


def test_the_steps_between_versions_use_nothing_of_the_program() -> None:
    tree = ast.parse(Path(migrations.__file__).read_text())
    imported = [
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not [name for name in imported if not name or name.startswith("assistant")]


@pytest.fixture(scope="module")
def newest_shape(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a new store begins as."""
    store = Store(tmp_path_factory.mktemp("new"))
    store.close()
    return shape(store.engine)


def test_an_old_store_ends_as_a_new_one_begins_with_every_row_as_it_was(
    dump: Path, folder: Path, newest_shape: dict[str, Any]
) -> None:
    before = rows(folder)
    store = Store(folder)
    assert shape(store.engine) == newest_shape
    assert store.revision() >= len(before.get("changes", ()))
    assert_read_in_the_order_of_their_times(store, dump)
    store.close()
    after = rows(folder)
    assert before.keys() <= after.keys()
    for table, old_rows in before.items():
        new_rows = [{name: row[name] for name in old_rows[0]} for row in after[table]]
        assert new_rows == old_rows
    # What waited to be learnt from stands in both queues since there are two.
    waiting = {row["turn_id"] for row in before.get("learning_queue", ())}
    assert waiting <= {row["turn_id"] for row in after["action_queue"]}


def assert_read_in_the_order_of_their_times(store: Store, dump: Path) -> None:
    first, second = list(store.records.of("me"))[:2]
    assert (first.id, first.instruction, first.actions[-1].type) == ("r2", "order noodles", "press_back")
    if dump.stem not in BEFORE_COSTS:
        assert (first.seconds, first.model, first.usage and first.usage.requests) == (2.5, "qwen3-vl", 1)
    assert second == Record(
        id="r1", user_id="me", time=datetime(2026, 3, 9, 5, tzinfo=UTC), instruction="call mom"
    )


def test_a_record_can_be_changed_and_the_change_undone(folder: Path) -> None:
    store = Store(folder)
    store.records.edit("r1", {"instruction": "call dad"})
    store.undo()
    record = store.records.get("r1")
    assert record is not None
    assert record.instruction == "call mom"
    store.close()


@pytest.mark.parametrize(
    "dump", [dump for dump in DUMPS if dump.stem not in BEFORE_AUDIT], ids=lambda dump: dump.stem
)
def test_a_change_of_an_older_version_can_be_undone(dump: Path, tmp_path: Path) -> None:
    store = Store(make_store(tmp_path, dump))
    assert store.records.get("t2") is None
    store.undo()
    record = store.records.get("t2")
    assert record is not None
    assert (record.instruction, record.outcome) == ("say hello", "failed")
    store.close()


def test_a_turn_left_open_goes_on(folder: Path) -> None:
    store = Store(folder)
    left = store.turns.newest_open("me")
    assert left is not None
    assert left.said == "hello"
    assert [(step.number, step.action.type, step.error) for step in left.steps] == [
        (1, "press_back", ""),
        (2, "wait", "no"),
    ]
    grown = left.model_copy(update={"steps": (*left.steps, StoredStep(number=3, action=PressHome()))})
    store.turns.save(grown)
    store.close()
    again = Store(folder)
    assert again.turns.newest_open("me") == grown
    (listed,) = [turn for turn in PastTurns(again, "me").newest() if turn.is_open]
    assert (listed.steps, listed.apps) == (3, ("Eats",))
    again.close()
