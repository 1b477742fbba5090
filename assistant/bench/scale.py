"""`assistant bench scale`: how time and memory grow with records, on the way that they really take.

A long life is written as record lines, imported into a temporary store, embedded and aggregated; then one
more day comes. Each size runs in a process of its own, so that its peak of memory is its own. The baseline
compares every record with every other, measured on a sample of pairs and extrapolated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.progress import Progress

from assistant.bench.hashing import load_embedder
from assistant.bench.him import SYNTHETIC
from assistant.bench.report import Grid, Report
from assistant.embedding.embeds import Embeds
from assistant.memory.him.consistency import Weights, consistency
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.him.reading import Reader
from assistant.memory.store import Store
from assistant.memory.transfer.importing import import_lines
from assistant.memory.vectors import VectorCache
from assistant.records import Record
from assistant.simulator.chance import Chance
from assistant.simulator.life.living import lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.writing import record_line

SIZES = (1_000, 5_000, 20_000)
LARGEST = 100_000
BUDGET_SECONDS, BUDGET_DAY_SECONDS, BUDGET_RECORDS = 60.0, 1.0, 20_000

_USER = "1"
_WEEKS = 8
_BEGIN = date(2012, 1, 2)
_PAIRS = 2_000
_MEGABYTE = 1 << 20
_LINEAR = 1.5


@dataclass(frozen=True, slots=True)
class Scale:
    """What one size took. Seconds for each part, megabytes of memory beyond those of the empty program.

    `processor` is what all parts from nothing took of the processor, in seconds: on a busy machine they wait.
    `all_pairs` is what comparing every record with every other would take, extrapolated. `memory` is 0 where
    the system does not tell.
    """

    records: int
    prototypes: int
    importing: float
    embedding: float
    aggregating: float
    processor: float
    day: float
    memory: float
    disk: float
    all_pairs: float

    @property
    def total(self) -> float:
        """Seconds from nothing."""
        return self.importing + self.embedding + self.aggregating

    def as_json(self) -> dict[str, Any]:
        """Plain values, rounded."""
        return {
            "records": self.records,
            "prototypes": self.prototypes,
            "import_s": round(self.importing, 2),
            "embed_s": round(self.embedding, 2),
            "aggregate_s": round(self.aggregating, 2),
            "total_s": round(self.total, 2),
            "processor_s": round(self.processor, 2),
            "one_more_day_s": round(self.day, 3),
            "memory_mb": round(self.memory, 1),
            "disk_mb": round(self.disk, 1),
            "baseline_all_pairs_s": round(self.all_pairs, 1),
        }


@dataclass(frozen=True, slots=True)
class Task:
    """What one process measures: `file` holds the records, `day` those of one more day."""

    file: Path
    day: Path
    records: int
    model: str
    store: Path


def long_life(seed: int) -> Iterator[Record]:
    """One user's records without end: every eight weeks the habits of another synthetic person take over."""
    number = 0
    for place, life in enumerate(lives(LifeOptions(seed=seed, weeks=_WEEKS, people=sys.maxsize))):
        begin = _BEGIN + timedelta(weeks=_WEEKS * place)
        shift = timedelta(days=(begin - life.person.first).days)
        for record in life.own:
            number += 1
            moved = {"id": f"r{number:07}", "user_id": _USER, "time": record.time + shift}
            yield record.model_copy(update=moved)


def run(sizes: Sequence[int], seed: int, model: str) -> Report:
    """Measure each size in a process of its own, the smallest first."""
    found = []
    with TemporaryDirectory(prefix="assistant-bench-") as folder:
        for task in write_tasks(Path(folder), sorted(sizes), seed, model):
            with get_context("spawn").Pool(1) as pool:
                found.append(pool.apply(measure, (task,)))
    return report(found, seed, model)


def measure(task: Task) -> Scale:
    """Import, embed and aggregate the task's records, then those of one more day."""
    console = Console(stderr=True)
    embeds = load_embedder(task.model)
    embeds.embed(["warm up"])
    store = Store(task.store)
    empty = _peak_memory()
    with Progress(console=console, transient=True) as bar:
        begun, begun_processor = perf_counter(), process_time()
        line = bar.add_task(f"import {task.records:,}", total=task.file.stat().st_size)
        _import(store, task.file, lambda done: bar.update(line, completed=done))
        imported = perf_counter()
        texts = {one.id: one.instruction for one in store.records.of(_USER)}
        line = bar.add_task("embed", total=len(texts))
        for progress in VectorCache(store, embeds).fill("record", texts):
            bar.update(line, completed=progress.done)
        embedded = perf_counter()
        line = bar.add_task("aggregate", total=task.records)
        memory = HierarchicalMemory(store, embeds)
        memory.aggregate(tell=lambda progress: bar.update(line, completed=progress.done))
        aggregated, processor = perf_counter(), process_time() - begun_processor
        peak = _peak_memory() - empty
        _import(store, task.day, lambda _done: None)
        HierarchicalMemory(store, embeds).aggregate()
        ended = perf_counter()
    prototypes = len(memory.prototypes(_USER))
    sample = list(islice(store.records.of(_USER), 400))
    store.close()
    return Scale(
        records=task.records,
        prototypes=prototypes,
        importing=imported - begun,
        embedding=embedded - imported,
        aggregating=aggregated - embedded,
        processor=processor,
        day=ended - aggregated,
        memory=peak / _MEGABYTE,
        disk=sum(file.stat().st_size for file in task.store.rglob("*") if file.is_file()) / _MEGABYTE,
        all_pairs=_seconds_a_pair(sample, embeds) * task.records * (task.records - 1) / 2,
    )


def report(found: Sequence[Scale], seed: int, model: str) -> Report:
    """The table, and whether the budgets of the design hold."""
    columns = (
        "records", "prototypes", "import s", "embed s", "aggregate s", "in all s", "processor s",
        "one more day s", "memory MB", "MB a 1,000", "disk MB", "all pairs s",
    )  # fmt: skip
    rows = tuple(
        (
            f"{one.records:,}",
            f"{one.prototypes:,}",
            *(
                f"{value:.1f}"
                for value in (one.importing, one.embedding, one.aggregating, one.total, one.processor)
            ),
            f"{one.day:.2f}",
            f"{one.memory:.0f}",
            f"{1000 * one.memory / one.records:.1f}",
            f"{one.disk:.0f}",
            f"{one.all_pairs:,.0f}",
        )
        for one in found
    )
    missed = _missed(found)
    lines = [
        "Every eight weeks the habits of another person take over. All pairs is the baseline: each record is "
        "compared with every other, extrapolated from a sample.",
        "The budgets hold." if not missed else f"Over budget: {'; '.join(missed)}.",
    ]
    values = {
        "benchmark": "scale",
        "seed": seed,
        "model": model or "bundled",
        "sizes": [one.as_json() for one in found],
        "missed": missed,
    }
    grid = Grid("Records from nothing, and one more day", columns, rows, frozenset(columns))
    return Report(values, [grid], lines, not missed, SYNTHETIC)


def _missed(found: Sequence[Scale]) -> list[str]:
    """In words, which budgets do not hold; beyond 20,000 records they grow with the records."""
    missed = []
    for one in found:
        share = max(1.0, one.records / BUDGET_RECORDS)
        if one.total > BUDGET_SECONDS * share:
            missed.append(f"{one.records:,} records take {one.total:.0f} s")
        if one.day > BUDGET_DAY_SECONDS * share:
            missed.append(f"one more day after {one.records:,} records takes {one.day:.1f} s")
    first, last = found[0], found[-1]
    if len(found) > 1 and last.memory / last.records > _LINEAR * first.memory / first.records > 0:
        missed.append("memory grows faster than records")
    return missed


def write_tasks(home: Path, sizes: Sequence[int], seed: int, model: str) -> list[Task]:
    """The record lines of each size, and of the day that follows them."""
    life = list(islice(long_life(seed), max(sizes) + 200))
    lines = [record_line(record) for record in life]
    tasks = []
    for size in sizes:
        file, day = home / f"{size}.jsonl", home / f"{size}-day.jsonl"
        next_day = datetime.combine(life[size].time.date(), time(), UTC) + timedelta(days=1)
        end = next(at for at in range(size + 1, len(life)) if life[at].time > next_day)
        file.write_text("".join(f"{line}\n" for line in lines[:size]), "utf-8")
        day.write_text("".join(f"{line}\n" for line in lines[size:end]), "utf-8")
        tasks.append(Task(file, day, size, model, home / f"store-{size}"))
    return tasks


def _import(store: Store, file: Path, tell: Callable[[int], None]) -> None:
    with file.open("rb") as stream:
        import_lines(store, stream, file.name, lambda at: tell(at.done), lambda _refused: None)


def _seconds_a_pair(records: list[Record], embeds: Embeds) -> float:
    readings = list(Reader(embeds).read(records))
    random, weights = Chance(0), Weights()
    pairs = [random.sample(readings, 2) for _ in range(_PAIRS)]
    begun = perf_counter()
    for left, right in pairs:
        consistency(left, right, weights)
    return (perf_counter() - begun) / _PAIRS


def _peak_memory() -> float:
    """Bytes of this process's peak; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if status.is_file():
        # What getrusage tells on Linux begins with the parent's peak.
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text("ascii", "replace"))
        return 1024.0 * int(found[1]) if found else 0.0
    try:
        resource = import_module("resource")
    except ImportError:
        return 0.0
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
