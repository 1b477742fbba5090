"""`bench scale`: how time and memory grow with records, on the way that they really take.

A long life is written as record lines, imported into a temporary store, embedded and aggregated; then one
more day comes. Each size runs in a process of its own, so that its peak of memory is its own. The baseline
compares every record with every other, measured on a sample of pairs and extrapolated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from assistant.bench.hashing import load_embedder
from assistant.bench.him import features_of
from assistant.bench.report import SYNTHETIC, Report, progress
from assistant.embedding.embedder import Embedder
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.prototypes.similarity import ConsistencyWeights, consistency
from assistant.memory.store import Store
from assistant.memory.transfer.jsonl import import_lines
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
    rows = []
    with TemporaryDirectory(prefix="assistant-bench-") as folder:
        for task in write_tasks(Path(folder), sorted(sizes), seed, model):
            progress(f"{task.records:,} records")
            with get_context("spawn").Pool(1) as pool:
                rows.append(pool.apply(measure, (task,)))
    return report(rows, seed, model)


def measure(task: Task) -> dict[str, float]:
    """Import, embed and aggregate the task's records, then those of one more day.

    Returns:
        Seconds of each part, megabytes of memory beyond those of the empty program (0 where the system does
        not tell), and what comparing every record with every other would take, extrapolated. On a busy
        machine the parts wait; `processor_s` is what all of them took of the processor.
    """
    embeds = load_embedder(task.model)
    embeds.embed(["warm up"])
    store = Store(task.store)
    empty = _peak_memory()
    begun, begun_processor = perf_counter(), process_time()
    _import(store, task.file)
    imported = perf_counter()
    texts = {record.id: record.instruction for record in store.records.of(_USER)}
    for _ in VectorCache(store, embeds).fill("record", texts):
        pass
    embedded = perf_counter()
    memory = HierarchicalMemory(store, embeds)
    memory.aggregate()
    aggregated, processor = perf_counter(), process_time() - begun_processor
    peak = _peak_memory() - empty
    _import(store, task.day)
    HierarchicalMemory(store, embeds).aggregate()
    ended = perf_counter()
    prototypes = len(memory.prototypes(_USER))
    sample = list(islice(store.records.of(_USER), 400))
    store.close()
    disk = sum(file.stat().st_size for file in task.store.rglob("*") if file.is_file())
    pairs = task.records * (task.records - 1) / 2
    return {
        "records": task.records,
        "prototypes": prototypes,
        "import_s": round(imported - begun, 2),
        "embed_s": round(embedded - imported, 2),
        "aggregate_s": round(aggregated - embedded, 2),
        "total_s": round(aggregated - begun, 2),
        "processor_s": round(processor, 2),
        "one_more_day_s": round(ended - aggregated, 3),
        "memory_mb": round(peak / _MEGABYTE, 1),
        "disk_mb": round(disk / _MEGABYTE, 1),
        "baseline_all_pairs_s": round(_seconds_a_pair(sample, embeds) * pairs, 1),
    }


def report(rows: Sequence[Mapping[str, float]], seed: int, model: str) -> Report:
    """The table, and whether the budgets of the design hold."""
    missed = _missed(rows)
    values = {
        "benchmark": "scale",
        "seed": seed,
        "model": model or "bundled",
        "sizes": rows,
        "missed": missed,
    }
    return Report(values, not missed, SYNTHETIC)


def _missed(rows: Sequence[Mapping[str, float]]) -> list[str]:
    """In words, which budgets do not hold; beyond 20,000 records they grow with the records."""
    missed = []
    for row in rows:
        share = max(1.0, row["records"] / BUDGET_RECORDS)
        if row["total_s"] > BUDGET_SECONDS * share:
            missed.append(f"{row['records']:,} records take {row['total_s']:.0f} s")
        if row["one_more_day_s"] > BUDGET_DAY_SECONDS * share:
            missed.append(
                f"one more day after {row['records']:,} records takes {row['one_more_day_s']:.1f} s"
            )
    first, *_, last = [row["memory_mb"] / row["records"] for row in (rows[0], rows[-1])]
    if len(rows) > 1 and last > _LINEAR * first > 0:
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


def _import(store: Store, file: Path) -> None:
    with file.open("rb") as stream:
        import_lines(store, stream, file.name, lambda _at: None, lambda _refused: None)


def _seconds_a_pair(records: list[Record], embeds: Embedder) -> float:
    readings = features_of(records, embeds)
    random, weights = Chance(0), ConsistencyWeights()
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
        peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text("ascii", "replace"))
        return 1024.0 * int(peak[1]) if peak else 0.0
    try:
        resource = import_module("resource")
    except ImportError:
        return 0.0
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
