from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select, update
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.memory import database, schema
from assistant.memory.audit import UndoRefused
from assistant.memory.database import Database, PostgresBackend, StoreBusy, StoreError
from assistant.memory.forgetting import forget, free_pages
from assistant.memory.programs import LEASE_SECONDS, LeaseLost, ProgramLeases
from assistant.memory.store import Store
from assistant.records import Outcome, Record
from tests.tables import each

from .postgres import PostgresServer, running_server
from .reflection import shape
from .test_store import checkpoint, observation

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as running:
        yield running


@pytest.fixture(scope="module")
def url(server: PostgresServer) -> str:
    return server.url


@pytest.fixture
def stores(url: str, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two machines that share one memory, empty at the beginning."""
    both = Store(tmp_path / "a", database=url), Store(tmp_path / "b", database=url)
    with both[0].database.write() as connection:
        for table in reversed(schema.metadata.sorted_tables):
            connection.execute(table.delete())
    yield both
    for store in both:
        store.close()


def test_a_server_of_version_7_ends_as_a_new_one_begins(url: str, tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE version_7")
        connection.execute("CREATE DATABASE newest")
    old_url, new_url = (url.replace("/postgres?", f"/{name}?") for name in ("version_7", "newest"))
    with psycopg.connect(old_url) as connection:
        connection.execute((Path(__file__).with_name("stores") / "server_07.sql").read_text())
    old, new = Store(tmp_path / "old", database=old_url), Store(tmp_path / "new", database=new_url)
    assert shape(old.engine) == shape(new.engine)
    first, second = old.records.of("me")
    assert (first.id, first.instruction, second.id) == ("r2", "order noodles", "r1")
    left = old.turns.newest_open("me")
    assert left is not None
    assert [step.action.type for step in left.steps] == ["press_back", "wait"]
    old.undo()
    assert [record.id for record in old.records.of("me")] == ["r2", "r1", "t2"]
    for store in (old, new):
        store.close()


def test_two_machines_share_one_memory(stores: tuple[Store, Store]) -> None:
    here, there = stores
    here.turns.save(checkpoint())
    here.turns.observe("u1-a", 1, observation())
    record = here.turns.finish(checkpoint(), Outcome.SUCCESS)
    assert list(there.records.of()) == [record]
    there.records.edit(record.id, {"instruction": "order soup"})
    here.undo()
    assert there.records.get(record.id) == record
    there.redo()
    assert [line.kind for line in here.audit.lines()] == ["change", "change", "undo", "redo"]
    assert forget(there, [record.id]).scrubbed
    assert here.records.count() == 0


def expire(store: Store) -> None:
    """Let the time of all leases pass by the server's clock, as when their holders are cut off or asleep."""
    with store.database.write() as connection:
        connection.execute(update(schema.leases).values(expires=schema.leases.c.expires - 2 * LEASE_SECONDS))


def test_a_lease_is_taken_over_only_when_it_has_expired(stores: tuple[Store, Store]) -> None:
    here, there = stores
    assert here.leases.take(["phone a", "turn u1-a"], "u1-a")
    here.turns.save(checkpoint())
    assert not there.leases.take(["phone a"], "u1-b")
    assert there.turns.open_turns("1", 4) == []
    expire(here)
    here.leases.renew()
    assert not there.leases.take(["phone a"], "u1-b")
    expire(here)
    assert [turn.turn_id for turn in there.turns.open_turns("1", 4)] == ["u1-a"]
    assert there.leases.take(["phone a", "turn u1-a"], "u1-a")
    assert not here.leases.take(["phone a"], "u1-c")


def test_who_was_taken_over_writes_and_does_nothing_more(stores: tuple[Store, Store]) -> None:
    here, there = stores
    seconds = [0.0]
    here.leases = here.turns._leases = ProgramLeases(here.database, here.folder, lambda: seconds[0])
    assert here.leases.take(["turn u1-a"], "u1-a")
    here.turns.save(checkpoint())
    expire(there)
    assert there.leases.take(["turn u1-a"], "u1-a")
    there.turns.save(checkpoint().model_copy(update={"notes": ("theirs",)}))
    # Before the next action the database is asked only after a while without news.
    here.leases.check("u1-a")
    seconds[0] = LEASE_SECONDS
    with pytest.raises(LeaseLost, match="Another machine has taken over"):
        here.leases.check("u1-a")
    with pytest.raises(LeaseLost):
        here.turns.save(checkpoint())
    with pytest.raises(LeaseLost):
        here.turns.finish(checkpoint(), Outcome.SUCCESS)
    left = there.turns.open_turn("u1-a")
    assert left is not None
    assert left.notes == ("theirs",)
    here.leases.release("u1-a")
    assert here.leases.of_others() == {"turn u1-a": "u1-a"}
    assert here.records.count() == 0


def test_a_lease_that_nobody_wanted_holds_on_after_a_sleep(stores: tuple[Store, Store]) -> None:
    here, there = stores
    seconds = [0.0]
    leases = ProgramLeases(here.database, here.folder, lambda: seconds[0])
    assert leases.take(["phone a"], "t")
    expire(there)
    seconds[0] = 10 * LEASE_SECONDS
    leases.check("t")
    assert not there.leases.take(["phone a"], "u")
    leases.close()
    assert there.leases.take(["phone a"], "u")


def stored_bytes(server: PostgresServer) -> bytes:
    """All that the server's tables and indexes hold on its disk; its log of what was written is apart."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    return b"".join(path.read_bytes() for path in (server.files / "base").rglob("*") if path.is_file())


def test_what_is_forgotten_is_gone_from_the_servers_files(
    stores: tuple[Store, Store], server: PostgresServer
) -> None:
    here, there = stores
    word = "zanzibarclinic"
    here.records.add([Record(id="r1", user_id="me", time=NOON, instruction=f"call the {word}")])
    here.records.edit("r1", {"instruction": f"call the {word} at noon"})
    assert word.encode() in stored_bytes(server)
    assert forget(there, ["r1"]).scrubbed
    assert word.encode() not in stored_bytes(server)


def test_writers_of_two_machines_take_turns(stores: tuple[Store, Store]) -> None:
    def write(numbered: tuple[int, Store]) -> None:
        place, store = numbered
        for number in range(15):
            one = Record(id=f"shared{number}", user_id="1", time=NOON, instruction="x")
            own = one.model_copy(update={"id": f"{place}-{number}"})
            store.records.add([one, own])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, enumerate(stores)))
    assert stores[0].records.count() == 45
    lines = stores[0].audit.lines()
    assert sum(line.counts["records"]["inserted"] for line in lines) == 45


def test_a_reader_sees_one_state(stores: tuple[Store, Store]) -> None:
    here, there = stores
    count = select(func.count()).select_from(schema.records)
    with here.reader() as connection:
        assert connection.execute(count).scalar_one() == 0
        there.records.add([Record(id="r", user_id="1", time=NOON, instruction="x")])
        assert connection.execute(count).scalar_one() == 0


def test_a_writer_that_does_not_finish_is_told_of(stores: tuple[Store, Store], url: str) -> None:
    impatient = Database(PostgresBackend(url, wait=0.05))

    def write() -> None:
        with impatient.write() as connection:
            connection.execute(insert(schema.user_profiles).values(user_id="1", fields={}))

    with stores[0].database.write(), pytest.raises(StoreBusy, match="Another program is writing"):
        write()
    write()
    with stores[0].reader() as connection:
        connection.execute(select(schema.records)).all()
        assert not free_pages(impatient)
    impatient.close()


@pytest.mark.parametrize("wrong", ["no url", "mysql://me@host/x", "postgresql:/x"])
def test_another_kind_of_url_is_refused(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(StoreError, match=r"memory\.database takes a URL such as"):
        Store(tmp_path, database=wrong)


def test_a_server_that_is_not_there_is_told_without_the_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="See that the server runs") as told:
        Store(tmp_path, database=f"postgresql://me:hunter2@/memory?host={tmp_path}")
    assert "hunter2" not in str(told.value)


def test_the_command_line_takes_the_address_of_a_server(
    stores: tuple[Store, Store], url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores[0].records.add([Record(id="r1", user_id="me", time=NOON, instruction="order noodles", app="Eats")])
    monkeypatch.setenv("ASSISTANT_STORE", str(tmp_path / "files"))
    listed = CliRunner().invoke(app, ["memory", "list", "--store", url, "--json"])
    assert "order noodles" in listed.stdout
    refused = CliRunner().invoke(app, ["resolve", "x", "--demo", "--store", url], standalone_mode=False)
    assert "memory of its own" in str(refused.exception)


def test_a_nul_that_a_file_or_a_model_brings_is_replaced(stores: tuple[Store, Store]) -> None:
    one, other = stores
    one.records.add(
        Record(id=name, user_id="me", time=NOON, instruction=f"order\0 {name}", app="a\0b") for name in "ab"
    )
    assert [record.instruction for record in other.records.of("me")] == ["order\ufffd a", "order\ufffd b"]
    one.records.edit("a", {"instruction": "order\0 lunch"})
    changed = other.records.get("a")
    assert changed is not None
    assert changed.instruction == "order\ufffd lunch"


def test_what_another_machine_has_changed_since_is_shown_and_not_overwritten(
    stores: tuple[Store, Store],
) -> None:
    here, there = stores
    here.records.add([Record(id="a", user_id="me", time=NOON, instruction="order noodles")])
    here.records.edit("a", {"instruction": "order soup"})
    mine = here.audit.lines()[-1].id
    there.records.edit("a", {"instruction": "order rice"})
    with pytest.raises(UndoRefused, match=r"has changed records a since"):
        here.undo(mine)
    kept = here.records.get("a")
    assert kept is not None
    assert kept.instruction == "order rice"


def test_a_server_that_goes_away_is_told_and_used_again_when_it_is_back(
    server: PostgresServer, tmp_path: Path
) -> None:
    psycopg = pytest.importorskip("psycopg")
    url = server.database(tmp_path)
    store = Store(tmp_path / "here", database=url)
    name = url.rpartition("?")[0].rpartition("/")[2]
    reads: list[Callable[[], object]] = [
        store.records.count,
        lambda: list(store.records.of("me")),
        lambda: store.audit.lines(1),
        lambda: store.turns.open_turns("me", 1),
        store.leases.of_others,
    ]
    with psycopg.connect(server.url, autocommit=True) as other:
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        for read in reads:
            with pytest.raises(StoreError, match="cannot be read"):
                read()
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    for read in reads:
        assert not read()
    store.close()


def test_reading_and_writing_go_on_when_the_server_was_restarted(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "here", database=server.database(tmp_path))
    asked: list[object] = []
    ping = store.engine.dialect.do_ping

    def note_ping(connection: Any) -> bool:
        asked.append(connection)
        return ping(connection)

    monkeypatch.setattr(store.engine.dialect, "do_ping", note_ping)
    acts: list[Callable[[], object]] = [
        store.records.count,
        lambda: [record.id for record in store.records.of("me")],
        lambda: store.records.add([Record(id="r1", user_id="me", time=NOON, instruction="order rice")]),
        lambda: store.records.edit("r1", {"instruction": "order soup"}) is not None,
    ]
    for act, expected in zip(acts, [0, [], 1, True], strict=True):
        server.restart()
        assert act() == expected
    assert len(asked) == len(acts), "its end was heard"
    for _attempt in range(3):
        assert store.records.count() == 1
    assert len(asked) == len(acts), "nothing is asked as long as the server is silent"
    assert [record.instruction for record in store.records.of("me")] == ["order soup"]
    assert len(store.audit.lines()) == 2, "each was written once"
    store.close()


@pytest.mark.parametrize("idle", [True, False])
def test_a_connection_that_ended_unheard_is_asked_after_a_while_and_replaced(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idle: bool
) -> None:
    """As one ends whose end got lost on the way: nothing of it shows until something is sent."""
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setattr(database, "_is_readable", lambda connection: False)
    monkeypatch.setattr(database, "_UNASKED", 0.0 if idle else 3600.0)
    url = server.database(tmp_path)
    name = url.rpartition("?")[0].rpartition("/")[2]
    store = Store(tmp_path / "here", database=url)
    assert store.records.count() == 0
    with psycopg.connect(server.url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
    if not idle:
        with pytest.raises(StoreError, match="cannot be read"):
            store.records.count()
    assert store.records.count() == 0
    store.close()


@each(
    ("ticks", "clock", "is_long"),
    [
        pytest.param(59.0, 59.0, False, id="just now"),
        pytest.param(61.0, 61.0, True, id="a minute ago"),
        pytest.param(2.0, 3600.0, True, id="the computer slept"),
        pytest.param(2.0, -3600.0, True, id="the clock was set back"),
    ],
)
def test_how_long_ago_a_connection_was_used_is_told_by_two_clocks(
    ticks: float, clock: float, is_long: bool
) -> None:
    assert database._is_long_ago(time.monotonic() - ticks, time.time() - clock) is is_long


def test_how_long_the_driver_waits_for_an_answer_may_be_said_in_the_url(server: PostgresServer) -> None:
    asked = [PostgresBackend(f"{server.url}{more}").engine() for more in ("", "&keepalives_idle=90")]
    settings = []
    for engine in asked:
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            settings.append(driver.info.get_parameters())
        engine.dispose()
    assert [each_of["keepalives_idle"] for each_of in settings] == ["20", "90"]
    assert settings[1]["keepalives_interval"] == "5"
