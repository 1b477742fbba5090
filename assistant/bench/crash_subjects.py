"""What is killed by `bench crash`: ways to keep records in a folder, ours and a plain one."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import select

from assistant.bench.hashing import HashingEmbedder
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.schema import prototype_members as members
from assistant.memory.store import Store
from assistant.memory.transfer.importing import import_lines
from assistant.records import Click, Point, Record, TypeText

Tell = Callable[[int], None]
"""Is told how many items are stored for good."""

_BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
_WHAT = ("order lunch", "call mom", "play the evening podcast", "导航回家", "打开客厅的灯")
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Subject:
    """A way to keep records. `work` may be run again where it was killed.

    Args:
        work: keeps everything in a folder, telling after each portion.
        look: what is in the folder: how many items, and a digest of them; raises when it cannot be read.
        sound: whether the folder's file is sound.
    """

    name: str
    work: Callable[[Path, int, Tell], None]
    look: Callable[[Path], tuple[int, str]]
    sound: Callable[[Path], bool]


def lines(count: int) -> Iterator[bytes]:
    """Record lines of a dull life, always the same."""
    for number in range(count):
        record = Record(
            id=f"r{number}",
            user_id="bench",
            time=_BEGINNING + timedelta(hours=2 * number),
            instruction=f"{_WHAT[number % len(_WHAT)]} {number % 7}",
            scenario=("office", "residence")[number % 2],
            app=f"App {number % 5}",
            actions=(Click(point=Point(0.3, 0.5), content="Search"), TypeText(text=f"words {number}")),
        )
        yield record.model_dump_json(exclude_none=True).encode() + b"\n"


def _keep(folder: Path, count: int, tell: Tell) -> None:
    with _opened(folder) as store:
        stream: BinaryIO = io.BytesIO(b"".join(lines(count)))
        import_lines(store, stream, "bench", lambda at: tell(at.imported + at.known), lambda _: None)


def _look(folder: Path) -> tuple[int, str]:
    with _opened(folder) as store:
        written = [record.model_dump_json(exclude_none=True) for record in store.records.of()]
        counts = [line.counts.get("records", {}).get("inserted", 0) for line in store.audit.lines()]
    # A record without a line in the audit could not be undone.
    audited = len(written) if sum(counts) == len(written) else -1
    return len(written), _digest([*written, str(audited)])


def _sound(folder: Path) -> bool:
    with _opened(folder) as store, store.reader() as connection:
        whole = connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
        return whole and not connection.exec_driver_sql("PRAGMA foreign_key_check").all()


def _aggregate(folder: Path, count: int, tell: Tell) -> None:
    _keep(folder, count, lambda _: None)
    with _opened(folder) as store:
        placed = _placed(store)
        memory = HierarchicalMemory(store, HashingEmbedder())
        memory.aggregate(tell=lambda progress: tell(len(placed) + progress.done))


def _look_at_prototypes(folder: Path) -> tuple[int, str]:
    with _opened(folder) as store:
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


@contextmanager
def _opened(folder: Path) -> Iterator[Store]:
    store = Store(folder, lambda: _BEGINNING)
    try:
        yield store
    finally:
        store.close()


def _rewrite(folder: Path, count: int, tell: Tell) -> None:
    file = folder / "memory.json"
    kept: list[object] = json.loads(file.read_bytes()) if file.exists() else []
    everything = [json.loads(line) for line in lines(count)]
    for start in range(len(kept), count, _AT_ONCE):
        kept += everything[start : start + _AT_ONCE]
        file.write_text(json.dumps(kept), "utf-8")
        tell(len(kept))


def _read_back(folder: Path) -> tuple[int, str]:
    file = folder / "memory.json"
    kept = json.loads(file.read_bytes()) if file.exists() else []
    return len(kept), _digest([json.dumps(one) for one in kept])


def _digest(texts: Sequence[str]) -> str:
    return hashlib.blake2b("\n".join(texts).encode()).hexdigest()


IMPORT = Subject("import", _keep, _look, _sound)
AGGREGATION = Subject("import and aggregation", _aggregate, _look_at_prototypes, _sound)
JSON_FILE = Subject("JSON file", _rewrite, _read_back, lambda _: True)
"""The baseline: everything in one file that is written anew, as MemoryOS keeps its memory."""

SUBJECTS: tuple[Subject, ...] = (IMPORT, AGGREGATION, JSON_FILE)
