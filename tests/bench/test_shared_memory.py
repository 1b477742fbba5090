"""`bench shared`: writers are really killed, and what they may leave wrong is counted."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from assistant.bench.shared_memory import KillTally, kill_writers, run
from assistant.memory.database import StoreError
from assistant.memory.store import Store
from assistant.records import Record
from tests.memory.postgres import running_server
from tests.memory.test_server import NOON


def test_two_writers_are_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    with running_server() as server:
        with closing(Store(tmp_path / "here", database=server.url)) as store:
            tally = kill_writers(store, tmp_path, server.url, times=2, seed=3)
        assert (tally.kills, tally.good) == (2, True)
        with pytest.raises(StoreError, match="not empty"):
            run(server.url, 1, 1, 0)


def test_what_is_missing_and_what_is_there_by_halves_is_counted(tmp_path: Path) -> None:
    tally = KillTally()
    with closing(Store(tmp_path)) as store:
        for portion, size in (("0-1-0", 10), ("0-1-1", 7), ("0-10-0", 3)):
            store.records.add(
                Record(id=f"{portion}-{number}", user_id="bench", time=NOON, instruction="x")
                for number in range(size)
            )
        tally.count(store, "0-1", stored=3)
    assert (tally.kills, tally.stored, tally.lost, tally.halves) == (1, 2, 1, 1)
    assert not tally.good
