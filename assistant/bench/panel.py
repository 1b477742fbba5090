"""`assistant bench panel`: how long the memory panel takes to open a section, to find, to look at an item.

The store holds a long life's records, aggregated, and a drawn profile graph. Vectors are hashed: a model
would change how they are made, not how they are searched. The baseline reads every record whole and compares
the words with every text, as a panel without an index of its own would. All times are the processor's: other
programs on the machine do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TypeVar

from rapidfuzz import fuzz, process

from assistant.bench.figures import Spread, spread
from assistant.bench.hashing import HashingEmbedder
from assistant.bench.profile_scale import fill_profile
from assistant.bench.report import Grid, Report
from assistant.bench.scale import long_life
from assistant.config import Settings
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.store import Store
from assistant.memory_view.items import Section
from assistant.memory_view.view import MemoryView

Given = TypeVar("Given")

RECORDS, NODES = 20_000, 100_000
BUDGET_MILLISECONDS = 100.0
"""The longest that opening, finding or looking may take at the median: what it takes at each key typed."""

_USER = "me"
_WORDS = ("coffee", "send a mesage to", "number 4711", "noodles app:eats", "music since:3000d", "zzz qqq")
_AGAIN = 5
_SECTIONS = (Section.PREFERENCES, Section.ROUTINES, Section.PROFILE, Section.RECORDS, Section.CHANGES)
_SEARCHED = (Section.PREFERENCES, Section.PROFILE, Section.RECORDS)


@dataclass(frozen=True, slots=True)
class Measured:
    """What one section took, in milliseconds of the processor.

    `shown` is until something of it stands there, `first` until all does, after the program has started.
    """

    section: Section
    items: int
    shown: float
    first: float
    again: Spread
    found: Spread
    meant: Spread
    looked: Spread


def run(records: int, nodes: int, seed: int, tell: Callable[[str], None]) -> Report:
    """Measure in a store of its own."""
    with TemporaryDirectory(prefix="assistant-bench-") as folder:
        store = Store(Path(folder) / "memory")
        embeds = HashingEmbedder()
        life = islice(long_life(seed), records)
        store.records.add(one.model_copy(update={"user_id": _USER}) for one in life)
        tell(f"{records:,} records are there")
        HierarchicalMemory(store, embeds).aggregate()
        tell("they are aggregated")
        fill_profile(store, nodes)
        view = MemoryView(store, embeds, Settings(store=Path(folder), user_id=_USER))
        found = [_measured(view, section, tell) for section in _SECTIONS]
        baseline = spread(_taken(lambda words: _naive(store, words), _WORDS[:3]))
        store.close()
    return report(found, baseline, records, nodes)


def report(found: Sequence[Measured], baseline: Spread, records: int, nodes: int) -> Report:
    """The table, and whether anything takes longer than the budget."""
    columns = (
        "section", "items", "shown first ms", "whole first ms",
        "open ms", "find ms", "by meaning ms", "look ms",
    )  # fmt: skip
    rows = tuple(
        (
            one.section.value,
            f"{one.items:,}",
            f"{one.shown:.0f}",
            f"{one.first:.0f}",
            *(f"{each.median:.0f}" if each.count else "" for each in (one.again, one.found, one.meant)),
            f"{one.looked.median:.0f}",
        )
        for one in found
    )
    slow = [
        f"{one.section.value}: {what} takes {each.median:.0f} ms"
        for one in found
        for what, each in (("open", one.again), ("find", one.found), ("look", one.looked))
        if each.median > BUDGET_MILLISECONDS
    ]
    lines = [
        f"Finding in the records the plain way, all of them read and compared: {baseline.median:.0f} ms.",
        (
            f"Over {BUDGET_MILLISECONDS:.0f} ms: {'; '.join(slow)}."
            if slow
            else f"All within {BUDGET_MILLISECONDS:.0f} ms."
        ),
    ]
    values = {
        "benchmark": "panel",
        "records": records,
        "nodes": nodes,
        "sections": {
            one.section.value: {
                "items": one.items,
                "shown_first_ms": round(one.shown, 1),
                "open_first_ms": round(one.first, 1),
                "open": one.again.as_json(),
                "find": one.found.as_json(),
                "by_meaning": one.meant.as_json(),
                "look": one.looked.as_json(),
            }
            for one in found
        },
        "baseline_find": baseline.as_json(),
    }
    title = f"The memory panel at {records:,} records and {nodes:,} nodes"
    return Report(values, [Grid(title, columns, rows, frozenset(columns[1:]))], lines, not slow, "")


def _measured(view: MemoryView, section: Section, tell: Callable[[str], None]) -> Measured:
    (outline,) = _taken(lambda _: view.outline(section), [""])
    (first,) = _taken(lambda _: view.items(section), [""])
    again = _taken(lambda _: view.items(section), [""] * _AGAIN)
    listing = view.items(section)
    found: tuple[float, ...] = ()
    meant: tuple[float, ...] = ()
    if section in _SEARCHED:
        view.find(section, "warm up")
        found = _taken(lambda words: view.find(section, words), _WORDS)
        view.alike(section, "warm up")
        meant = _taken(lambda words: view.alike(section, words), _WORDS)
    shown = [one for one in listing.items[:_AGAIN] if one.acts]
    looked = _taken(lambda item: view.details(section, item), shown)
    tell(f"{section.value}: {1000 * first:.0f} ms")
    spreads = (spread(each) for each in (again, found, meant, looked))
    whole = 1000 * (outline + first)
    at_once = 1000 * outline if section is Section.PROFILE else whole
    return Measured(section, len(listing.items), at_once, whole, *spreads)


def _naive(store: Store, words: str) -> list[str]:
    texts = {one.id: one.instruction for one in store.records.of(_USER)}
    return [key for _, _, key in process.extract(words, texts, scorer=fuzz.WRatio, limit=500)]


def _taken(work: Callable[[Given], object], given: Sequence[Given]) -> tuple[float, ...]:
    taken = []
    for one in given:
        began = process_time()
        work(one)
        taken.append(process_time() - began)
    return tuple(taken)
