from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select

from assistant.memory import schema
from assistant.memory.database import Database, SqliteBackend, StoreBusy, StoreError
from assistant.memory.forgetting import free_pages
from assistant.memory.store import Store
from assistant.records import Record

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
PROFILE = {"user_id": "1", "fields": {}}


@contextmanager
def another_program(folder: Path, begin: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(folder / "memory.sqlite", isolation_level=None)
    connection.execute(begin)
    try:
        yield connection
    finally:
        connection.close()


def test_a_writer_that_does_not_finish_is_told_of(tmp_path: Path) -> None:
    database = Database(SqliteBackend(tmp_path / "memory.sqlite", wait=0.05))

    def write() -> None:
        with database.write() as connection:
            connection.execute(insert(schema.user_profiles).values(PROFILE))

    with another_program(tmp_path, "BEGIN IMMEDIATE"):
        with pytest.raises(StoreBusy, match=r"Another program is writing .* Try again"):
            write()
        with pytest.raises(StoreBusy):
            free_pages(database)
        with database.read() as connection:
            assert connection.execute(select(schema.user_profiles)).all() == []
    write()
    database.close()


def test_opening_needs_no_lock_where_the_version_is_right(tmp_path: Path) -> None:
    Database(SqliteBackend(tmp_path / "memory.sqlite")).close()
    with another_program(tmp_path, "BEGIN IMMEDIATE"):
        Database(SqliteBackend(tmp_path / "memory.sqlite", wait=0.05)).close()


def test_a_reader_sees_one_state_while_another_program_writes(tmp_path: Path) -> None:
    reading, writing = Store(tmp_path), Store(tmp_path)
    count = select(func.count()).select_from(schema.records)
    with reading.reader() as connection:
        assert connection.execute(count).scalar_one() == 0
        writing.records.add([Record(id="r", user_id="1", time=NOON, instruction="x")])
        assert connection.execute(count).scalar_one() == 0
    assert reading.records.count() == 1
    reading.close()
    writing.close()


def test_two_writers_take_turns(tmp_path: Path) -> None:
    def write(name: str) -> None:
        store = Store(tmp_path)
        for number in range(15):
            store.records.add([Record(id=f"{name}{number}", user_id="1", time=NOON, instruction="x")])
        store.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, "ab"))
    store = Store(tmp_path)
    assert store.records.count() == 30
    assert [line.counts for line in store.audit.lines()] == [{"records": {"inserted": 1}}] * 30
    store.close()


def test_a_file_that_must_not_be_written_is_told_of(tmp_path: Path) -> None:
    database = Database(SqliteBackend(tmp_path / "memory.sqlite"))

    def write() -> None:
        with database.write() as connection:
            connection.exec_driver_sql("PRAGMA query_only=ON")
            connection.execute(insert(schema.user_profiles).values(PROFILE))

    with pytest.raises(StoreError, match="cannot be written: attempt to write a readonly database"):
        write()
    database.close()


def test_nothing_deleted_is_left_in_the_file(tmp_path: Path) -> None:
    database = Database(SqliteBackend(tmp_path / "memory.sqlite"))
    with database.write() as connection:
        rows = [{"user_id": f"user {n}", "fields": {"note": f"zanzibar {n}" * 50}} for n in range(200)]
        connection.execute(insert(schema.user_profiles), rows)
    with database.write() as connection:
        connection.execute(schema.user_profiles.delete())
    assert free_pages(database)
    assert b"zanzibar" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    database.close()


@pytest.mark.sqlite_file
def test_only_what_must_survive_a_loss_of_power_is_synced_at_once(tmp_path: Path) -> None:
    database = Database(SqliteBackend(tmp_path / "memory.sqlite"))

    def level(*, durable: bool) -> int:
        with database.write(durable=durable) as connection:
            return int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())

    assert [level(durable=durable) for durable in (False, True, False)] == [1, 2, 1]
    database.close()


def test_a_thread_that_does_not_finish_is_told_of_like_another_program(tmp_path: Path) -> None:
    database = Database(SqliteBackend(tmp_path / "memory.sqlite", wait=0.05))

    def write() -> None:
        with database.write():
            pass

    with ThreadPoolExecutor(1) as pool, database.write(), pytest.raises(StoreBusy):
        pool.submit(write).result()
    write()
    database.close()


@pytest.mark.sqlite_file
def test_a_long_log_is_copied_into_the_database(tmp_path: Path) -> None:
    store = Store(tmp_path)
    file = tmp_path / "memory.sqlite"
    before = file.stat().st_size
    store.records.add(
        Record(id=f"r{number}", user_id="1", time=NOON, instruction="x" * 5000) for number in range(1200)
    )
    store.database.save_log()
    assert file.stat().st_size > before + 5_000_000
    assert store.records.count() == 1200
    store.close()
