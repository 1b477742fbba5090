"""A program that writes to the memory is killed at random moments; what is left of the memory.

It imports records, aggregates them, brings a database of the oldest version to the newest, or forgets. The
baseline keeps everything in one JSON file that is written anew, as MemoryOS keeps its memory.
"""

from __future__ import annotations

import hashlib
import io
import json
import multiprocessing
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select

from assistant.bench.hashing import HashingEmbedder
from assistant.memory.database import StoreError
from assistant.memory.forgetting import forget
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.schema import prototype_members as members
from assistant.memory.schema import records as record_rows
from assistant.memory.store import Store
from assistant.memory.transfer.jsonl import import_lines
from assistant.records import Click, Point, Record, TypeText
from assistant.simulator.chance import share

Tell = Callable[[int], None]
"""Hears how many items are stored for good."""

_BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
_INSTRUCTIONS = ("order lunch", "call mom", "play the evening podcast", "导航回家", "打开客厅的灯")
_AT_ONCE = 50
_OLDEST = Path(__file__).with_name("oldest_store.sql")
"""The tables of the first version."""
_PATIENCE = 120.0
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Subject:
    """A way to keep records. `work` may be run again where it was killed.

    Args:
        work: keeps everything in a folder, telling after each portion.
        contents: how many items a folder has, and a digest of them; raises when it cannot be read.
        sound: whether the folder's file is sound.
        prepare: fills a folder that the work begins with; nothing of it is killed.
    """

    name: str
    work: Callable[[Path, int, Tell], None]
    contents: Callable[[Path], tuple[int, str]]
    sound: Callable[[Path], bool]
    prepare: Callable[[Path, int], None] = lambda folder, count: None


@dataclass(frozen=True, slots=True)
class Remains:
    """What a killed run left behind, and what became of it.

    `opened` and `intact` tell whether it could be read, and whether its pages and references are sound;
    `lost` how many items were told as stored and are not there; `completed` whether running again led to what
    an undisturbed run leads to.
    """

    opened: bool
    intact: bool = False
    lost: int = 0
    completed: bool = False

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return self.opened and self.intact and self.completed and not self.lost


def kill_runs(subject: Subject, times: int, count: int, seed: int) -> list[Remains]:
    """Kill so many runs of a subject in the middle, each in a folder of its own, and see what is left.

    Args:
        subject: what is run.
        times: how many runs are killed before they end.
        count: how many records each is to keep.
        seed: the same seed draws the same moments, as parts of the time that a run takes.
    """
    with TemporaryDirectory(prefix="assistant-kills-") as home:
        prepared, whole = Path(home) / "prepared", Path(home) / "whole"
        prepared.mkdir()
        subject.prepare(prepared, count)
        shutil.copytree(prepared, whole)
        seconds = _run_child(subject, whole, count, None)[1]
        expected = subject.contents(whole)
        remains: list[Remains] = []
        for number in range(times * _TRIES):
            folder = Path(home) / str(number)
            shutil.copytree(prepared, folder)
            moment = seconds * share(seed, subject.name, number)
            stored, _, ended = _run_child(subject, folder, count, moment)
            if not ended:
                remains.append(examine(subject, folder, count, stored, expected))
            shutil.rmtree(folder)
            if len(remains) == times:
                break
    return remains


def examine(subject: Subject, folder: Path, count: int, told: int, expected: tuple[int, str]) -> Remains:
    """What is in a folder whose run was killed, and whether running again completes it."""
    try:
        stored, _ = subject.contents(folder)
        intact = subject.sound(folder)
        subject.work(folder, count, lambda _: None)
        return Remains(True, intact, max(0, told - stored), subject.contents(folder) == expected)
    except (StoreError, ValueError):
        return Remains(opened=False, lost=told)


def _run_child(subject: Subject, folder: Path, count: int, after: float | None) -> tuple[int, float, bool]:
    """Run a subject in a process of its own, killed after some seconds of work.

    Returns:
        How many items it told as stored, how long it took, and whether it came to its end.

    Raises:
        EOFError: it did not even start.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_work_in_child, args=(subject.name, folder, count, theirs), daemon=True)
    child.start()
    theirs.close()
    stored, ended = 0, False
    ours.recv()
    begun = time.monotonic()
    with suppress(EOFError, OSError):
        if after is not None:
            child.join(after)
            child.kill()
        while (message := ours.recv()) is not None:
            stored = message
        ended = True
    seconds = time.monotonic() - begun
    child.join(_PATIENCE)
    ours.close()
    return stored, seconds, ended


def _work_in_child(name: str, folder: Path, count: int, pipe: Connection) -> None:
    subject = next(subject for subject in SUBJECTS if subject.name == name)
    pipe.send("ready")
    subject.work(folder, count, pipe.send)
    pipe.send(None)


def _record_lines(count: int) -> Iterator[bytes]:
    """Record lines of a dull life, always the same."""
    for number in range(count):
        record = Record(
            id=f"r{number}",
            user_id="me",
            time=_BEGINNING + timedelta(hours=2 * number),
            instruction=f"{_INSTRUCTIONS[number % len(_INSTRUCTIONS)]} {number % 7}",
            scenario=("office", "residence")[number % 2],
            app=f"App {number % 5}",
            actions=(Click(point=Point(0.3, 0.5), content="Search"), TypeText(text=f"words {number}")),
        )
        yield record.model_dump_json(exclude_none=True).encode() + b"\n"


def _import(folder: Path, count: int, tell: Tell) -> None:
    with _open(folder) as store:
        stream = io.BytesIO(b"".join(_record_lines(count)))
        import_lines(store, stream, "me", lambda at: tell(at.imported + at.duplicates), lambda _: None)


def _imported(folder: Path) -> tuple[int, str]:
    with _open(folder) as store:
        written = [record.model_dump_json(exclude_none=True) for record in store.records.of()]
        counts = [line.counts.get("records", {}).get("inserted", 0) for line in store.audit.lines()]
    # A record without a line in the audit could not be undone.
    audited = len(written) if sum(counts) == len(written) else -1
    return len(written), _digest([*written, str(audited)])


def _aggregate(folder: Path, count: int, tell: Tell) -> None:
    _import(folder, count, lambda _: None)
    with _open(folder) as store:
        placed = len(_placed(store))
        memory = HierarchicalMemory(store, HashingEmbedder())
        memory.aggregate(tell=lambda done: tell(placed + done.done))


def _aggregated(folder: Path) -> tuple[int, str]:
    with _open(folder) as store:
        placed = _placed(store)
    together: dict[str, list[str]] = {}
    for record_id, prototype_id in placed:
        together.setdefault(prototype_id, []).append(record_id)
    return len(placed), _digest(sorted(" ".join(ids) for ids in together.values()))


def _placed(store: Store) -> list[tuple[str, str]]:
    """Records and the prototypes that they are in, by record."""
    query = select(members.c.record_id, members.c.prototype_id).order_by(members.c.record_id)
    with store.reader() as connection:
        return [(record_id, prototype_id) for record_id, prototype_id in connection.execute(query)]


def is_sound(folder: Path) -> bool:
    """Whether the pages and references of a memory are whole."""
    with _open(folder) as store, store.reader() as connection:
        whole = connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
        return whole and not connection.exec_driver_sql("PRAGMA foreign_key_check").all()


@contextmanager
def _open(folder: Path) -> Iterator[Store]:
    store = Store(folder, lambda: _BEGINNING)
    try:
        yield store
    finally:
        store.close()


def _read_json(folder: Path) -> list[object]:
    file = folder / "memory.json"
    records: list[object] = json.loads(file.read_bytes()) if file.exists() else []
    return records


def _rewrite_json(folder: Path, count: int, tell: Tell) -> None:
    records = _read_json(folder)
    everything = [json.loads(line) for line in _record_lines(count)]
    for start in range(len(records), count, _AT_ONCE):
        records += everything[start : start + _AT_ONCE]
        (folder / "memory.json").write_text(json.dumps(records), "utf-8")
        tell(len(records))


def _json_contents(folder: Path) -> tuple[int, str]:
    records = _read_json(folder)
    return len(records), _digest([json.dumps(record) for record in records])


def _digest(texts: Sequence[str]) -> str:
    return hashlib.blake2b("\n".join(texts).encode()).hexdigest()


def _make_old_store(folder: Path, count: int) -> None:
    """A database of the oldest version, with records in it."""
    with closing(sqlite3.connect(folder / "memory.sqlite")) as database:
        database.executescript(_OLDEST.read_text("utf-8"))
        columns = ("id", "user_id", "time", "scenario", "said", "instruction", "app", "package", "source")
        insert = "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)"
        for line in _record_lines(count):
            record = Record.model_validate_json(line).model_dump(mode="json", exclude_none=True)
            values = [record.get(column) or "" for column in columns]
            database.execute(insert, (*values, json.dumps(record["actions"])))
        database.commit()


def _migrate(folder: Path, count: int, tell: Tell) -> None:
    with _open(folder):
        tell(count)


def _migrated(folder: Path) -> tuple[int, str]:
    with _open(folder) as store:
        written = [record.model_dump_json(exclude_none=True) for record in store.records.of()]
        with store.reader() as connection:
            moments = (
                connection.execute(select(record_rows.c.moment).order_by(record_rows.c.id)).scalars().all()
            )
    return len(written), _digest([*written, *map(str, moments)])


def _forget(folder: Path, count: int, tell: Tell) -> None:
    with _open(folder) as store:
        ids = [record.id for record in store.records.of()]
        for start in range(0, len(ids), _AT_ONCE):
            forget(store, ids[start : start + _AT_ONCE])
            tell(count - len(ids) + min(len(ids), start + _AT_ONCE))


def _prepare_forgetting(folder: Path, count: int) -> None:
    _import(folder, count, lambda _: None)
    (folder / "count").write_text(str(count), "utf-8")


def _forgotten(folder: Path) -> tuple[int, str]:
    with _open(folder) as store:
        left = [record.id for record in store.records.of()]
    # What is forgotten must not be in free pages either.
    quoted = any(b"words " in file.read_bytes() for file in folder.glob("memory.sqlite*"))
    return int((folder / "count").read_text("utf-8")) - len(left), _digest([*left, str(quoted)])


IMPORT = Subject("import", _import, _imported, is_sound)
MIGRATION = Subject("migration", _migrate, _migrated, is_sound, _make_old_store)
FORGETTING = Subject("forgetting", _forget, _forgotten, is_sound, _prepare_forgetting)
AGGREGATION = Subject("import and aggregation", _aggregate, _aggregated, is_sound)
JSON_FILE = Subject("JSON file", _rewrite_json, _json_contents, lambda _: True)

SUBJECTS: tuple[Subject, ...] = (IMPORT, AGGREGATION, MIGRATION, FORGETTING, JSON_FILE)
