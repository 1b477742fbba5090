from __future__ import annotations

import os
import sqlite3
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, insert, select
from sqlalchemy.exc import OperationalError

from assistant.memory import forgetting, schema
from assistant.memory.audit import UndoRefused
from assistant.memory.database import StoreError
from assistant.memory.forgetting import forget, free_pages, sweep
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.records import Outcome, Record
from assistant.settings.schema import MemorySettings

from .test_store import checkpoint, observation

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
SECRET = "zanzibar clinic"
HIDDEN = "lamu"


def everything(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def ended(store: Store, turn: Checkpoint) -> None:
    store.turns.save(turn)
    store.turns.observe(turn.turn_id, 1, observation())
    store.turns.finish(turn, Outcome.SUCCESS)


def rows(store: Store, table: str) -> int:
    with store.reader() as connection:
        query = select(func.count()).select_from(schema.metadata.tables[table])
        return connection.execute(query).scalar_one()


@pytest.mark.sqlite_file
def test_no_word_of_a_forgotten_record_is_left(tmp_path: Path) -> None:
    store = Store(tmp_path)
    secret = checkpoint(f"u1-{HIDDEN}").model_copy(
        update={"said": SECRET, "instruction": f"call the {SECRET}"}
    )
    ended(store, secret)
    ended(store, checkpoint("u1-kept"))
    many = [
        Record(id=f"r{n}", user_id="1", time=NOON, instruction=f"{SECRET} {n} {'long ' * n}")
        for n in range(300)
    ]
    store.records.add(many)
    store.records.edit(f"u1-{HIDDEN}", {"instruction": f"phone the {SECRET}"})
    store.records.edit(f"u1-{HIDDEN}", {"instruction": "phone the doctor"})
    store.undo()
    store.undo(2 + 1)
    store.redo()
    with store.change("Embed", "a test") as change:
        row = {
            "kind": "record",
            "owner": f"u1-{HIDDEN}",
            "model_id": "m",
            "text_hash": "h",
            "vector": b"1234",
        }
        change.rebuild(schema.vectors, insert(schema.vectors), [row])
    assert SECRET.encode() in everything(tmp_path)
    done = forget(store, [f"u1-{HIDDEN}", "nobody", *(record.id for record in many)])
    assert (done.records, done.observations, done.screenshots, done.scrubbed) == (301, 1, 1, True)
    assert SECRET.encode() not in everything(tmp_path)
    assert HIDDEN.encode() not in everything(tmp_path), "an id may be words, too"
    assert [record.id for record in store.records.of()] == ["u1-kept"]
    assert (rows(store, "turns"), rows(store, "observations"), rows(store, "vectors")) == (1, 1, 0)
    assert len(list(store.screenshots.iterdir())) == 1
    last = store.audit.lines()[-1]
    with pytest.raises(UndoRefused, match="cannot come back"):
        store.undo(last.id)
    store.close()


@pytest.mark.sqlite_file
def test_what_an_undo_took_out_can_be_forgotten_too(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.records.add([Record(id="r", user_id="1", time=NOON, instruction=SECRET)])
    store.undo()
    assert store.records.count() == 0
    free_pages(store.database)
    assert SECRET.encode() in everything(tmp_path)
    forget(store, forgetting.everything(store))
    assert SECRET.encode() not in everything(tmp_path)


def test_a_reader_keeps_old_pages_alive_and_that_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.records.add([Record(id="r", user_id="1", time=NOON, instruction=SECRET)])
    other = Store(tmp_path)
    with other.reader() as connection:
        assert connection.execute(select(func.count()).select_from(schema.records)).scalar_one() == 1
        assert not forget(store, ["r"]).scrubbed
        assert connection.execute(select(func.count()).select_from(schema.records)).scalar_one() == 1
    assert free_pages(store.database)
    assert SECRET.encode() not in everything(tmp_path)


@pytest.mark.sqlite_file
def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ended(store, checkpoint("u1-kept"))
    pictures = {file.name: file.read_bytes() for file in store.screenshots.iterdir()}

    @event.listens_for(store.database.engine, "commit")
    def fill(connection: Connection) -> None:
        raise OperationalError("COMMIT", {}, sqlite3.OperationalError("database or disk is full"))

    with pytest.raises(StoreError, match=r"cannot be written: database or disk is full\. Make room"):
        forget(store, ["u1-kept"])
    event.remove(store.database.engine, "commit", fill)
    assert (rows(store, "records"), rows(store, "observations")) == (1, 1)
    assert {file.name: file.read_bytes() for file in store.screenshots.iterdir()} == pictures

    @event.listens_for(store.database.engine, "before_cursor_execute")
    def fill_rewriting(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        if statement == "VACUUM":
            raise OperationalError(statement, {}, sqlite3.OperationalError("database or disk is full"))

    done = forget(store, ["u1-kept"])
    assert (done.records, done.screenshots, done.scrubbed) == (1, 1, False)
    event.remove(store.database.engine, "before_cursor_execute", fill_rewriting)
    assert forget(store, ["u1-kept"]).scrubbed
    assert not list(store.screenshots.iterdir())


def test_old_screenshots_go_and_the_rest_stays(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for day in range(4):
        ended(store, checkpoint(f"u1-{day}", minutes=day * 24 * 60))
    store.turns.save(checkpoint("u1-open"))
    store.turns.observe("u1-open", 1, observation())
    now = checkpoint().started + timedelta(days=3, hours=1)
    assert sweep(store, MemorySettings(screenshot_days=0, screenshot_megabytes=0), now).pictures == 0
    assert sweep(store, MemorySettings(screenshot_days=2), now).pictures == 2
    names = {file.name.rpartition("-")[0] for file in store.screenshots.iterdir()}
    assert names == {"u1-2", "u1-3", "u1-open"}
    assert store.records.count() == 4
    assert rows(store, "observations") == 5
    store.undo(1)
    assert store.records.count() == 3


def test_the_oldest_go_first_when_room_is_short(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(4):
        ended(store, checkpoint(f"u1-{number}", minutes=number))
    for file in store.screenshots.iterdir():
        os.truncate(file, 400_000)
    swept = sweep(store, MemorySettings(screenshot_megabytes=1), checkpoint().started)
    assert (swept.pictures, swept.size) == (2, 800_000)
    assert {file.name[:4] for file in store.screenshots.iterdir()} == {"u1-2", "u1-3"}


def test_stray_files_go_and_missing_ones_are_forgotten(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ended(store, checkpoint())
    (store.screenshots / "u1-a-001.jpg").unlink()
    old, young = store.screenshots / "old.jpg", store.screenshots / "young.jpg"
    old.touch()
    young.touch()
    now = datetime.fromtimestamp(young.stat().st_mtime, UTC)
    os.utime(old, (0, now.timestamp() - 7200))
    swept = sweep(store, MemorySettings(screenshot_days=0), now)
    assert (swept.pictures, swept.stray) == (2, 1)
    assert [file.name for file in store.screenshots.iterdir()] == ["young.jpg"]


@pytest.mark.sqlite_file
def test_the_log_is_for_the_user_alone_too(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.turns.save(checkpoint())
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("memory.sqlite*")}
    assert modes == dict.fromkeys(("memory.sqlite", "memory.sqlite-wal", "memory.sqlite-shm"), 0o600)
    store.close()
