from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import delete

from assistant.memory import schema
from assistant.memory.database import StoreBusy
from assistant.memory.programs import LeaseLost
from assistant.memory.store import Store


def test_a_phone_and_a_turn_belong_to_one_program_at_a_time(tmp_path: Path) -> None:
    mine, theirs = Store(tmp_path), Store(tmp_path)
    assert mine.leases.take(["phone a", "turn 1"], "1")
    assert mine.leases.take(["phone a", "turn 1"], "1")
    # Neither by another program, nor for another turn of the same.
    assert not theirs.leases.take(["phone a"], "2")
    assert not mine.leases.take(["phone a"], "2")
    # All or nothing.
    assert not theirs.leases.take(["phone b", "phone a"], "2")
    assert theirs.leases.of_others() == {"phone a": "1", "turn 1": "1"}
    assert theirs.leases.take(["phone b"], "2")
    mine.leases.release("1")
    mine.leases.release("1")
    assert theirs.leases.take(["phone a"], "3")
    mine.close()
    theirs.close()
    assert list((tmp_path / "running").iterdir()) == []


HOLD = """
import sys
from pathlib import Path
from assistant.memory.store import Store
store = Store(Path(sys.argv[1]))
print(store.leases.take(["phone a"], "1"), flush=True)
sys.stdin.read()
"""


@pytest.mark.sqlite_file
def test_what_a_killed_program_held_is_free_at_once_on_its_machine(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"True\n"
        assert not store.leases.take(["phone a"], "2")
        program.kill()
    assert store.leases.of_others() == {}
    assert store.leases.take(["phone a"], "2")
    store.close()
    assert list((tmp_path / "running").iterdir()) == []


def test_a_lease_is_never_free_while_its_holder_cannot_be_looked_at(tmp_path: Path) -> None:
    mine, theirs = Store(tmp_path), Store(tmp_path)
    assert mine.leases.take(["phone a"], "1")
    (file,) = (tmp_path / "running").iterdir()
    file.unlink()
    file.mkdir()
    assert not theirs.leases.take(["phone a"], "2")
    file.rmdir()
    theirs.close()
    mine.close()


def fail() -> None:
    raise StoreBusy("Another program is writing.")


def release_in_vain(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the first turn give its phone back while the database cannot be written."""
    with monkeypatch.context() as patch:
        patch.setattr(store.database, "write", fail)
        store.leases.release("1")


def test_what_could_not_be_given_back_is_given_back_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = Store(tmp_path), Store(tmp_path)
    assert mine.leases.take(["phone a"], "1")
    release_in_vain(mine, monkeypatch)
    assert not theirs.leases.take(["phone a"], "2")
    assert mine.leases.take(["phone b"], "3")
    assert theirs.leases.take(["phone a"], "2")
    mine.close()
    theirs.close()


def test_what_a_rolled_back_transaction_gave_back_is_given_back_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = Store(tmp_path), Store(tmp_path)
    assert mine.leases.take(["phone a"], "1")
    release_in_vain(mine, monkeypatch)
    with suppress(StoreBusy), mine.database.write() as connection:
        mine.leases.check("3", connection)
        fail()
    assert not theirs.leases.take(["phone a"], "2")
    # Held again, it is not given back with the next change.
    assert mine.leases.take(["phone a"], "4")
    assert mine.leases.take(["phone b"], "5")
    assert not theirs.leases.take(["phone a"], "2")
    mine.leases.release("4")
    assert theirs.leases.take(["phone a"], "2")
    mine.close()
    theirs.close()


def test_a_turn_that_was_taken_over_gets_no_further_phone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.leases.take(["turn 1", "phone a"], "1")
    with store.database.write() as connection:
        connection.execute(delete(schema.leases))
    assert not store.leases.take(["phone b"], "1")
    with pytest.raises(LeaseLost):
        store.leases.check("1")
    assert store.leases.take(["turn 1", "phone a"], "1")
    store.leases.check("1")
    store.close()


def test_a_turn_that_lets_go_beside_the_renewal_is_not_lost(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with ThreadPoolExecutor(2) as threads:
        for turn in range(40):
            turn_id = str(turn)
            assert store.leases.take([f"turn {turn_id}", "phone a"], turn_id)
            work = (threads.submit(store.leases.renew), threads.submit(store.leases.release, turn_id))
            for each in work:
                each.result()
            store.leases.check(turn_id)
    store.close()
