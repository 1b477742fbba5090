from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select

from assistant.memory import schema
from assistant.memory.audit import ChangeKind, NoSuchRow, UndoRefused, changing
from assistant.memory.store import Store
from assistant.records import Record

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


def record(number: int, instruction: str = "order noodles") -> Record:
    return Record(
        id=f"r{number}", user_id="1", time=NOON + timedelta(minutes=number), instruction=instruction
    )


def opened(folder: Path) -> Store:
    minutes = count()
    return Store(folder, lambda: NOON + timedelta(minutes=next(minutes)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    one = opened(tmp_path / "memory")
    yield one
    one.close()


def instructions(store: Store) -> list[str]:
    return [record.instruction for record in store.records.of()]


def test_every_change_leaves_a_line(store: Store) -> None:
    store.records.add([record(1), record(2)], "Add two", "a test")
    store.records.edit("r1", {"instruction": "order soup"})
    first, second = store.audit.lines()
    assert (first.what, first.why, first.time, first.counts) == (
        "Add two",
        "a test",
        NOON,
        {"records": {"inserted": 2}},
    )
    (row,) = store.audit.rows(second.id)
    assert (row.before, row.after) == ({"instruction": "order noodles"}, {"instruction": "order soup"})
    assert [line.id for line, _ in store.audit.history(schema.records, {"id": "r1"})] == [1, 2]


def test_what_changes_nothing_leaves_no_line(store: Store) -> None:
    store.records.add([record(1)])
    store.records.add([record(1, "another text")])
    store.records.edit("r1", {"instruction": "order noodles"})
    assert len(store.audit.lines()) == 1


def test_a_change_that_fails_leaves_nothing(store: Store) -> None:
    def work() -> None:
        with store.change("Try", "a test") as change:
            change.insert(schema.records, [record(1).as_row()])
            change.update(schema.records, {"id": "r2"}, {"instruction": "x"})

    with pytest.raises(NoSuchRow):
        work()
    assert store.audit.lines() == []
    assert store.records.count() == 0


def test_undo_and_redo_hold_across_restarts(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.records.add([record(1), record(2)])
    store.records.edit("r1", {"instruction": "order soup"})
    with store.change("Delete", "a test") as change:
        change.delete(schema.records, {"id": "r2"})
    states = [
        ["order noodles", "order noodles"],
        ["order soup", "order noodles"],
        ["order soup"],
    ]
    assert instructions(store) == states[2]
    for state in (states[1], states[0], []):
        store.close()
        store = opened(tmp_path)
        store.undo()
        assert instructions(store) == state
    with pytest.raises(UndoRefused, match="nothing to undo"):
        store.undo()
    for state in states:
        store.close()
        store = opened(tmp_path)
        assert store.redo().kind is ChangeKind.REDO
        assert instructions(store) == state
    with pytest.raises(UndoRefused, match="nothing to redo"):
        store.redo()
    store.close()


def test_undo_and_redo_write_every_column_of_an_edit(store: Store) -> None:
    store.records.add([record(1)])
    before = list(store.records.of())
    store.records.edit("r1", {"instruction": "order soup", "app": "Eats", "scenario": "food"})
    after = list(store.records.of())
    assert (after[0].instruction, after[0].app, after[0].scenario) == ("order soup", "Eats", "food")
    store.undo()
    assert list(store.records.of()) == before
    store.redo()
    assert list(store.records.of()) == after


def test_undoing_an_undo_redoes(store: Store) -> None:
    store.records.add([record(1)])
    undone = store.undo(1)
    assert (undone.kind, undone.target, store.records.count()) == (ChangeKind.UNDO, 1, 0)
    redone = store.undo(undone.id)
    assert (redone.kind, store.records.count()) == (ChangeKind.REDO, 1)
    store.undo(redone.id)
    assert store.records.count() == 0
    store.redo(undone.id)
    assert store.records.count() == 1


def test_undo_is_refused_where_the_rows_changed_since(store: Store) -> None:
    store.records.add([record(1), record(2)])
    store.records.edit("r1", {"instruction": "order soup"})
    with pytest.raises(
        UndoRefused, match=r"change 2 \(Edit the instruction of .* has changed records r1 since"
    ):
        store.undo(1)
    assert store.records.count() == 2
    store.records.edit("r1", {"instruction": "order rice"})
    with pytest.raises(UndoRefused, match="change 3 "):
        store.undo(2)
    store.undo(3)
    store.undo(2)
    with pytest.raises(UndoRefused, match="changed since"):
        store.redo(3)
    with pytest.raises(UndoRefused, match="undone already"):
        store.undo(2)
    with pytest.raises(UndoRefused, match="no change 99"):
        store.undo(99)
    with pytest.raises(UndoRefused, match="not undone"):
        store.redo(1)


def test_an_undone_deletion_does_not_replace_what_came_since(store: Store) -> None:
    store.records.add([record(1)])
    with store.change("Delete", "a test") as change:
        change.delete(schema.records, {"id": "r1"})
    store.records.add([record(1, "something else")])
    with pytest.raises(UndoRefused, match=r"change 3 \(Add records\) has changed"):
        store.undo(2)
    assert instructions(store) == ["something else"]


def test_a_change_done_in_portions_is_one(store: Store) -> None:
    change_id = None
    for start in (0, 500, 1000):
        with store.change("Add many", "a test", change_id) as change:
            rows = [record(number).as_row() for number in range(start, start + 500)]
            change.insert_missing(schema.records, rows)
        change_id = change.id
    (line,) = store.audit.lines()
    assert line.counts == {"records": {"inserted": 1500}}
    store.undo()
    assert store.records.count() == 0
    store.redo()
    assert store.records.count() == 1500


def _vectors(store: Store) -> int:
    with store.reader() as connection:
        return connection.execute(select(func.count()).select_from(schema.vectors)).scalar_one()


def _embed(store: Store, *ids: str) -> None:
    rows = [
        {"kind": "record", "owner": record_id, "model_id": "m", "text_hash": "h", "vector": b"\0\0\0\0"}
        for record_id in ids
    ]
    with store.change("Embed", "a test") as change:
        change.rebuild(schema.vectors, insert(schema.vectors), rows)


def test_rebuilt_data_leaves_a_number_and_cannot_be_undone(store: Store) -> None:
    _embed(store, "r1", "r2")
    (line,) = store.audit.lines()
    assert (line.kind, line.counts) == (ChangeKind.REBUILD, {"vectors": {"rebuilt": 2}})
    assert store.audit.rows(line.id) == []
    with pytest.raises(UndoRefused, match="Run that again"):
        store.undo(line.id)
    with store.change("Clear", "a test") as change:
        assert change.rebuild(schema.vectors, delete(schema.vectors)) == 2


def test_what_is_made_from_a_record_goes_when_it_changes(store: Store) -> None:
    store.records.add([record(1), record(2), record(3)])
    _embed(store, "r1", "r2", "r3")
    store.records.edit("r1", {"instruction": "order soup"})
    assert _vectors(store) == 2
    with store.change("Delete", "a test") as change:
        change.delete(schema.records, {"id": "r2"})
    assert _vectors(store) == 1
    store.undo()
    assert _vectors(store) == 1


def test_erased_rows_leave_no_trace_in_the_audit(store: Store) -> None:
    store.records.add([record(1), record(2)])
    store.records.edit("r1", {"instruction": "order soup"})
    with store.change("Erase", "a test") as change:
        assert change.erase(schema.records, [{"id": "r1"}, {"id": "r9"}]) == 1
    assert store.audit.history(schema.records, {"id": "r1"}) == []
    with pytest.raises(UndoRefused, match="nothing left to reverse"):
        store.undo(2)
    store.undo(1)
    assert store.records.count() == 0


def test_of_two_programs_that_undo_the_same_change_one_is_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.records.add([record(1)])
    store.records.edit("r1", {"instruction": "order soup"})
    other = opened(tmp_path / "memory")

    def after_the_other(*arguments: Any) -> Any:
        monkeypatch.undo()
        other.audit.undo()
        return changing(*arguments)

    monkeypatch.setattr("assistant.memory.audit.changing", after_the_other)
    with pytest.raises(UndoRefused, match="another program just now"):
        store.audit.undo()
    assert instructions(store) == ["order noodles"]
    other.close()
