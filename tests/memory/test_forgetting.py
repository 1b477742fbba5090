from __future__ import annotations

import json
import os
import sqlite3
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sqlalchemy import Connection, event, func, insert, select
from sqlalchemy.exc import OperationalError

from assistant.memory import forgetting, schema
from assistant.memory.audit import UndoRefused
from assistant.memory.database import StoreError
from assistant.memory.forgetting import forget, free_pages, preview_quotes, sweep
from assistant.memory.programs import CommandQueue
from assistant.memory.prototypes.similarity import TextFinder
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import Store
from assistant.memory.turns import AcceptedSuggestion, Checkpoint
from assistant.proactive.schedules import Schedules
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


QUOTED = "Book the Zanzibar clinic for Tuesday, 9 am"


def request(turn_id: str, *texts: str) -> LoggedRequest:
    return LoggedRequest(
        user_id="1",
        turn_id=turn_id,
        step=1,
        time=NOON,
        endpoint="http://127.0.0.1",
        model="m",
        text_bytes=1,
        picture_bytes=0,
        parts=tuple(("user", text) for text in texts),
    )


def store_with_quotes(folder: Path) -> Store:
    """A record that other turns quote: in requests, a note, a reply of the model and a suggestion."""
    store = Store(folder)
    ended(store, checkpoint("u1-told").model_copy(update={"said": "the usual clinic", "instruction": QUOTED}))
    other = checkpoint("u1-other")
    steps = tuple(
        step.model_copy(update={"thought": f"They once said: {QUOTED.upper()}."}) for step in other.steps
    )
    suggested = AcceptedSuggestion(id="s", instruction="x", evidence=("u1-told", "u1-kept"))
    ended(
        store,
        other.model_copy(
            update={
                "notes": (f"Before: “{QUOTED}”",),
                "steps": steps,
                "suggested": suggested,
                "plan": {QUOTED: "done"},
            }
        ),
    )
    store.turns.save(other.model_copy(update={"turn_id": "u1-open", "steps": steps}))
    cut = f"{QUOTED[:31]}…"
    store.sent.add(request("u1-told", QUOTED))
    store.sent.add(request("u1-other", "Be brief.", json.dumps({"past": [QUOTED, "Order noodles"]})))
    store.sent.add(request("", f"past: {cut}"))
    store.sent.add(request("u1-other", "Order noodles"))
    return store


def test_what_other_turns_quote_of_a_forgotten_record_goes_too(tmp_path: Path) -> None:
    store = store_with_quotes(tmp_path)
    expected = preview_quotes(store, ["u1-told"])
    assert (expected.requests, expected.turns) == (2, 2)
    assert forget(store, ["u1-told"]).quotes == 4
    left = everything(tmp_path).lower()
    assert b"zanzibar" not in left
    assert b"u1-told" not in left
    turn, outcome = store.turns.load("u1-other") or (None, None)
    assert turn is not None
    assert outcome is Outcome.SUCCESS
    assert turn.notes == ("Before: “(forgotten)”",)
    assert turn.suggested is not None
    assert turn.suggested.evidence == ("u1-kept",)
    texts = [text for line in store.sent.lines("1", 9, whole=True) for _role, text in line.parts]
    past = '{"past": ["(forgotten)", "Order noodles"]}'
    assert texts == ["Order noodles", "past: (forgotten)…", "Be brief.", past]
    assert preview_quotes(store, ["u1-other"]).turns == 0


@pytest.mark.sqlite_file
def test_words_that_another_record_says_too_stay_where_they_are_quoted(tmp_path: Path) -> None:
    store = store_with_quotes(tmp_path)
    store.records.add([Record(id="again", user_id="1", time=NOON, instruction=f"{QUOTED}!")])
    assert preview_quotes(store, ["u1-told"]).requests == 0
    forget(store, ["u1-told"])
    assert b"Zanzibar" in everything(tmp_path)
    forget(store, ["again"])
    assert b"zanzibar" not in everything(tmp_path).lower()


def test_words_that_a_schedule_says_stay_where_they_are_quoted(tmp_path: Path) -> None:
    store = store_with_quotes(tmp_path)
    assert preview_quotes(store, ["u1-told"]).requests == 2
    Schedules(store, "1").add("every weekday at 8", QUOTED, NOON, "Asia/Shanghai")
    assert preview_quotes(store, ["u1-told"]).requests == 0


def test_queued_commands_that_say_what_is_forgotten_are_named(tmp_path: Path) -> None:
    store = store_with_quotes(tmp_path)
    queue = CommandQueue(tmp_path)
    queue.add("the usual clinic, please")
    queue.add("order noodles")
    assert preview_quotes(store, ["u1-told"]).queued == ("the usual clinic, please",)
    assert forget(store, ["u1-told"]).queued == ("the usual clinic, please",)
    assert len(queue.commands) == 2


@given(st.text(max_size=60), st.text(min_size=3, max_size=20), st.text(max_size=60))
def test_a_text_is_found_wherever_it_stands(before: str, sought: str, after: str) -> None:
    finder = TextFinder([sought], least=1)
    assume(finder.texts)
    text = f"{before} {sought} {after}"
    assert finder.find(text)
    assert not finder.find(finder.redact(text)) or "forgotten" in sought.casefold()


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
    assert swept.pictures == 2
    assert [file.name for file in store.screenshots.iterdir()] == ["young.jpg"]


@pytest.mark.sqlite_file
def test_the_log_is_for_the_user_alone_too(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.turns.save(checkpoint())
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("memory.sqlite*")}
    assert modes == dict.fromkeys(("memory.sqlite", "memory.sqlite-wal", "memory.sqlite-shm"), 0o600)
    store.close()
