"""`bench shared`: one memory on a PostgreSQL server: two writers that are killed in the middle, and reading.

Two processes write in turns, as two machines do: records in portions of ten, a line of the audit each, and a
change of one of them. Each is killed at a random moment. Then nothing that it told as stored may be missing,
no portion be there by halves, and somebody else must be able to write at once. Reading is timed beside the
same records in a SQLite file. The database must be empty, and is left full.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select

from assistant.bench.report import Report, progress, ratio, spread
from assistant.memory.database import StoreBusy, StoreError
from assistant.memory.schema import records as record_rows
from assistant.memory.store import Store
from assistant.records import Record
from assistant.simulator.chance import share

_BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
_PORTION = 10
_LONGEST = 0.25
"""The most seconds for which a writer works before it is killed."""
_LOOKS = 200
_PATIENCE = 120.0


@dataclass(slots=True)
class KillTally:
    """What the killed writers left."""

    kills: int = 0
    stored: int = 0
    lost: int = 0
    halves: int = 0
    blocked: int = 0
    unwritten_lines: int = 0

    def count(self, store: Store, name: str, stored: int) -> None:
        """Count what a writer of a name left that told so many portions as stored."""
        ids = select(record_rows.c.id).where(record_rows.c.id.startswith(f"{name}-", autoescape=True))
        with store.reader() as connection:
            sizes = Counter(each.rpartition("-")[0] for each in connection.execute(ids).scalars())
        self.kills += 1
        self.stored += len(sizes)
        self.lost += max(0, stored - len(sizes))
        self.halves += sum(size != _PORTION for size in sizes.values())

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return self.kills > 0 and not (self.lost or self.halves or self.blocked or self.unwritten_lines)


def run(database: str, times: int, records: int, seed: int) -> Report:
    """Kill so many writers, two at a time, then read from so many records.

    Raises:
        StoreError: the server cannot be used, or its database is not empty.
    """
    with TemporaryDirectory(prefix="assistant-bench-") as home:
        folder = Path(home)
        with closing(Store(folder / "here", database=database)) as store:
            if store.records.count() or store.audit.lines(1):
                raise StoreError("The database is not empty: name one that holds nothing yet.")
            tally = kill_writers(store, folder, database, times, seed)
            reading = _time_reading(store, folder / "file", records)
    slowest = max(figures["ratio"] for figures in reading.values()) if reading else 0.0
    values = {
        "kills": tally.kills,
        "portions stored": tally.stored,
        "lost": tally.lost,
        "by halves": tally.halves,
        "others blocked": tally.blocked,
        "records without a line": tally.unwritten_lines,
        "records read": records,
        "reading": reading,
    }
    return Report({"seed": seed, **values}, tally.good and slowest <= 2, simulated="")


def kill_writers(store: Store, folder: Path, database: str, times: int, seed: int) -> KillTally:
    """Kill so many writers in the middle, two at a time, and look after each pair what they left."""
    tally = KillTally()
    for number in range((times + 1) // 2):
        writers = [_Writer(folder, database, f"{number}-{lane}") for lane in range(2)]
        moments = sorted((_LONGEST * share(seed, number, lane), lane) for lane in range(2))
        began = time.monotonic()
        for moment, lane in moments:
            time.sleep(max(0.0, moment - (time.monotonic() - began)))
            writers[lane].kill()
        for writer in writers:
            tally.count(store, writer.name, writer.stored)
        tally.blocked += not _may_write(store, number)
        if tally.kills % max(2, times // 10) == 0:
            progress(f"{tally.kills} of {times} killed, {tally.stored} portions stored")
    lines = sum(line.counts.get("records", {}).get("inserted", 0) for line in store.audit.lines())
    tally.unwritten_lines = abs(store.records.count() - lines)
    return tally


class _Writer:
    """A process that writes until it is killed; `stored` portions were told as stored by then."""

    def __init__(self, folder: Path, database: str, name: str) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["__main__", __name__])
        self.name, self.stored = name, 0
        self._pipe, theirs = context.Pipe(duplex=False)
        self._child = context.Process(
            target=_write, args=(folder / name, database, name, theirs), daemon=True
        )
        self._child.start()
        theirs.close()
        self._pipe.recv()

    def kill(self) -> None:
        """End it where it is."""
        self._child.kill()
        with suppress(EOFError, OSError):
            while True:
                self.stored = self._pipe.recv()
        self._child.join(_PATIENCE)
        self._pipe.close()


def _write(folder: Path, database: str, name: str, pipe: Connection) -> None:
    with closing(Store(folder, database=database)) as store:
        pipe.send(0)
        number = 0
        while True:
            store.records.add(_portion(f"{name}-{number}"))
            number += 1
            pipe.send(number)
            store.records.edit(f"{name}-{number - 1}-0", {"instruction": "changed"})


def _portion(name: str, count: int = _PORTION) -> Iterator[Record]:
    for number in range(count):
        time_of_it = _BEGINNING + timedelta(minutes=number)
        yield Record(
            id=f"{name}-{number}", user_id="bench", time=time_of_it, instruction=f"order lunch {number}"
        )


def _may_write(store: Store, number: int) -> bool:
    """Whether nobody who is gone keeps others from writing."""
    try:
        store.records.add(_portion(f"own-{number}", 1))
    except StoreBusy:
        return False
    return True


def _time_reading(server: Store, folder: Path, count: int) -> dict[str, dict[str, Any]]:
    """How long reading takes at a server and from a file, of as many records of a user of their own."""
    with closing(Store(folder)) as file:
        for store in (server, file):
            store.records.add(
                record.model_copy(update={"user_id": "reader"}) for record in _portion("read", count)
            )
        results = {}
        for name, read in _READS.items():
            # In turns, so that both have the same of a busy machine.
            taken: tuple[list[float], list[float]] = [], []
            for number in range(_LOOKS):
                for store, seconds in zip((server, file), taken, strict=True):
                    began = time.perf_counter()
                    read(store, number % count)
                    seconds.append(time.perf_counter() - began)
            at_server, in_file = map(spread, taken)
            share_of_p95 = ratio(at_server["p95_ms"], in_file["p95_ms"]) or 0.0
            results[name] = {
                "server median, p95 ms": [at_server["median_ms"], at_server["p95_ms"]],
                "file median, p95 ms": [in_file["median_ms"], in_file["p95_ms"]],
                "ratio": round(share_of_p95, 2),
            }
    return results


def _newest(store: Store, number: int) -> Sequence[Record]:
    return list(store.records.of("reader", newest=50))


_READS: dict[str, Callable[[Store, int], object]] = {
    "a record by its id": lambda store, number: store.records.get(f"read-{number}"),
    "the newest 50 records": _newest,
    "all records of a user": lambda store, number: list(store.records.of("reader")),
    "the newest 50 lines of the audit": lambda store, number: store.audit.lines(50),
    "a count": lambda store, number: store.records.count(),
}
