from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.memory.forgetting import forget, sweep
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import Store
from assistant.settings.schema import MemorySettings

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
PARTS = (("system", "You operate a phone."), ("user", "User_instruction: call the zanzibar clinic"))
ONE = LoggedRequest("me", "t1", 1, NOON, "http://localhost:8000/v1", "qwen3-vl", 70, 9000, PARTS)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, now=lambda: NOON)


def test_each_request_is_a_line_newest_first(store: Store) -> None:
    store.sent.add(ONE)
    store.sent.add(replace(ONE, step=2, turn_id="t2", picture_bytes=0))
    store.sent.add(replace(ONE, user_id="you"))
    first, second = store.sent.lines("me", 10)
    assert (first.step, second.step, first.size, second.size) == (2, 1, 70, 9070)
    assert [line.turn_id for line in store.sent.lines("me", 10, "t1")] == ["t1"]
    assert (first.parts, store.sent.line(first.id).parts) == ((), PARTS)
    assert store.sent.count("me") == 2


def test_old_lines_go_after_their_days(store: Store) -> None:
    store.sent.add(ONE)
    store.sent.add(replace(ONE, time=NOON - timedelta(days=31)))
    sweep(store, MemorySettings(sent_days=0), NOON)
    assert store.sent.count("me") == 2
    sweep(store, MemorySettings(sent_days=30), NOON)
    assert [line.time for line in store.sent.lines("me", 10)] == [NOON]


def test_a_forgotten_turn_takes_its_requests_along(store: Store, tmp_path: Path) -> None:
    store.sent.add(ONE)
    store.sent.add(replace(ONE, turn_id="t2", parts=()))
    forget(store, ["t1"])
    assert [line.turn_id for line in store.sent.lines("me", 10)] == ["t2"]
    assert b"zanzibar" not in b"".join(file.read_bytes() for file in tmp_path.glob("memory.sqlite*"))
    with pytest.raises(KeyError):
        store.sent.line(1)
