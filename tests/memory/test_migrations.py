from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import inspect

from assistant.history.past import PastTurns
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep
from assistant.records import PressHome, Record

VERSION_3 = """
    CREATE TABLE records (id VARCHAR NOT NULL, user_id VARCHAR NOT NULL, time VARCHAR NOT NULL, scenario
        VARCHAR NOT NULL, said TEXT NOT NULL, instruction TEXT NOT NULL, app VARCHAR NOT NULL, package
        VARCHAR NOT NULL, outcome VARCHAR, source VARCHAR NOT NULL, actions JSON NOT NULL, model VARCHAR
        DEFAULT '' NOT NULL, usage JSON, cost JSON, seconds FLOAT, PRIMARY KEY (id));
    CREATE INDEX ix_records_user_id ON records (user_id);
    CREATE INDEX ix_records_time ON records (time);
    CREATE TABLE turns (id VARCHAR NOT NULL, user_id VARCHAR NOT NULL, started VARCHAR NOT NULL, said
        TEXT NOT NULL, open BOOLEAN NOT NULL, checkpoint JSON NOT NULL, PRIMARY KEY (id));
    CREATE INDEX ix_turns_open ON turns (open);
    CREATE INDEX ix_turns_started ON turns (started);
    CREATE TABLE spent (id INTEGER NOT NULL, user_id VARCHAR NOT NULL, turn_id VARCHAR NOT NULL, step
        INTEGER NOT NULL, time VARCHAR NOT NULL, day VARCHAR NOT NULL, model VARCHAR NOT NULL,
        prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, requests INTEGER NOT NULL,
        seconds FLOAT NOT NULL, seconds_to_first_token FLOAT, cost FLOAT, currency VARCHAR NOT NULL,
        PRIMARY KEY (id));
    CREATE INDEX ix_spent_day ON spent (day);
    CREATE TABLE approvals (user_id VARCHAR NOT NULL, package VARCHAR NOT NULL, kind VARCHAR NOT NULL,
        app VARCHAR NOT NULL, time VARCHAR NOT NULL, PRIMARY KEY (user_id, package, kind));
    CREATE TABLE observations (turn_id VARCHAR NOT NULL, step INTEGER NOT NULL, package VARCHAR NOT
        NULL, activity VARCHAR NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, secure BOOLEAN
        NOT NULL, screenshot VARCHAR NOT NULL, elements JSON NOT NULL, PRIMARY KEY (turn_id, step),
        FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE);
    INSERT INTO records VALUES ('r2', 'me', '2026-03-09T12:00:00+08:00', 'office', 'my usual',
        'order noodles', 'Eats', 'com.example.eats', 'success', 'executed', '[{"type": "press_back"}]',
        'qwen3-vl', '{"prompt_tokens": 10, "completion_tokens": 2, "requests": 1}', NULL, 2.5);
    INSERT INTO records VALUES ('r1', 'me', '2026-03-09T05:00:00+00:00', 'unknown', '', 'call mom', '', '',
        NULL, '', '[]', '', NULL, NULL, NULL);
    INSERT INTO turns VALUES ('t', 'me', '2026-03-09T12:00:00+00:00', 'hello', 1, '{"turn_id": "t",
        "user_id": "me", "started": "2026-03-09T12:00:00+00:00", "said": "hello", "instruction": "hello"}');
    INSERT INTO observations VALUES ('t', 1, 'p', 'a', 1080, 2400, 0, '', '[]');
    PRAGMA user_version = 3;
"""


STEPS_INSIDE = """
    UPDATE turns SET checkpoint = json_set(checkpoint, '$.steps', json('[{"number": 1, "action": {"type":
        "press_back"}, "app": "Eats"}, {"number": 2, "action": {"type": "wait"}, "error": "no"}]'));
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "memory.sqlite") as old:
        old.executescript(VERSION_3)
    old.close()
    return tmp_path


def test_a_database_of_version_3_keeps_everything_it_holds(folder: Path) -> None:
    store = Store(folder)
    first, second = store.records.of("me")
    assert (first.id, first.instruction, first.actions[0].type) == ("r2", "order noodles", "press_back")
    assert (first.seconds, first.model, first.usage and first.usage.requests) == (2.5, "qwen3-vl", 1)
    assert second == Record(
        id="r1", user_id="me", time=datetime(2026, 3, 9, 5, tzinfo=UTC), instruction="call mom"
    )
    left = store.turns.newest_open("me")
    assert left is not None
    assert left.said == "hello"
    store.close()


def test_it_ends_as_a_new_database_begins(folder: Path, tmp_path: Path) -> None:
    old, new = Store(folder), Store(tmp_path / "new")

    def shape(store: Store) -> str:
        seen = inspect(store.engine)
        return json.dumps(
            {
                name: [
                    sorted(column["name"] for column in seen.get_columns(name)),
                    sorted(str(index["name"]) for index in seen.get_indexes(name)),
                ]
                for name in sorted(schema.metadata.tables)
            }
        )

    assert shape(old) == shape(new)
    old.close()
    new.close()


def test_an_older_record_can_be_changed_and_the_change_undone(folder: Path) -> None:
    store = Store(folder)
    store.records.edit("r1", {"instruction": "call dad"})
    store.undo()
    record = store.records.get("r1")
    assert record is not None
    assert record.instruction == "call mom"
    store.close()


def test_a_turn_left_open_with_its_steps_inside_goes_on(folder: Path) -> None:
    with sqlite3.connect(folder / "memory.sqlite") as old:
        old.executescript(STEPS_INSIDE)
    old.close()
    store = Store(folder)
    left = store.turns.newest_open("me")
    assert left is not None
    assert [(step.number, step.action.type, step.error) for step in left.steps] == [
        (1, "press_back", ""),
        (2, "wait", "no"),
    ]
    grown = left.model_copy(update={"steps": (*left.steps, StoredStep(number=3, action=PressHome()))})
    store.turns.save(grown)
    store.close()
    again = Store(folder)
    assert again.turns.newest_open("me") == grown
    (listed,) = PastTurns(again, "me").newest()
    assert (listed.is_open, listed.steps, listed.apps) == (True, 3, ("Eats",))
    again.close()
