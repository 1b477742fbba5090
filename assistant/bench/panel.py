"""`bench panel`: how long the memory panel takes to open a section, to search it, to show an item.

The store holds a long life's records, aggregated, and a drawn profile graph. Vectors are hashed: a model
would change how they are made, not how they are searched. The baseline reads every record whole and compares
the words with every text, as a panel without an index of its own would. All times are the processor's: other
programs on the machine do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from rapidfuzz import fuzz, process

from assistant.bench.hashing import HashingEmbedder
from assistant.bench.profile_scale import fill_profile
from assistant.bench.report import Report, progress, spread, time_each
from assistant.bench.scale import long_life
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.memory_view.items import Section
from assistant.memory_view.service import MemoryView
from assistant.settings.schema import Settings

RECORDS, NODES = 20_000, 100_000
BUDGET_MILLISECONDS = 100.0
"""The longest that opening, searching or showing may take at the median: what it takes at each key typed."""

_USER = "me"
_WORDS = ("coffee", "send a mesage to", "number 4711", "noodles app:eats", "music since:3000d", "zzz qqq")
_AGAIN = 5
_SECTIONS = (Section.PREFERENCES, Section.ROUTINES, Section.PROFILE, Section.RECORDS, Section.CHANGES)
_SEARCHED = (Section.PREFERENCES, Section.PROFILE, Section.RECORDS)


def run(records: int, nodes: int, seed: int) -> Report:
    """Measure in a store of its own."""
    with TemporaryDirectory(prefix="assistant-bench-") as folder:
        store = Store(Path(folder) / "memory")
        embeds = HashingEmbedder()
        life = islice(long_life(seed), records)
        store.records.add(record.model_copy(update={"user_id": _USER}) for record in life)
        progress(f"{records:,} records are there")
        HierarchicalMemory(store, embeds).aggregate()
        progress("they are aggregated")
        fill_profile(store, nodes)
        view = MemoryView(store, embeds, Settings(store=Path(folder), user_id=_USER))
        sections = {section.value: _measure(view, section) for section in _SECTIONS}
        baseline = spread(time_each(lambda words: _search_plainly(store, words), _WORDS[:3], process_time))
        store.close()
    values = {
        "benchmark": "panel",
        "records": records,
        "nodes": nodes,
        "sections": sections,
        "baseline_find": baseline,
    }
    quick = all(
        figures[what]["median_ms"] <= BUDGET_MILLISECONDS
        for figures in sections.values()
        for what in ("open", "find", "look")
    )
    return Report(values, quick, simulated="")


def _measure(view: MemoryView, section: Section) -> dict[str, Any]:
    """Milliseconds of one section; `shown_first_ms` is until something of it stands there."""

    def taken(work: Callable[[Any], object], items: Sequence[object]) -> tuple[float, ...]:
        return time_each(work, items, process_time)

    (outline,) = taken(lambda _: view.outline(section), [""])
    (first,) = taken(lambda _: view.items(section), [""])
    again = taken(lambda _: view.items(section), [""] * _AGAIN)
    listing = view.items(section)
    matches: tuple[float, ...] = ()
    meanings: tuple[float, ...] = ()
    if section in _SEARCHED:
        view.find(section, "warm up")
        matches = taken(lambda words: view.find(section, words), _WORDS)
        view.alike(section, "warm up")
        meanings = taken(lambda words: view.alike(section, words), _WORDS)
    details = taken(
        lambda item: view.details(section, item), [item for item in listing.items[:_AGAIN] if item.acts]
    )
    progress(f"{section.value}: {1000 * first:.0f} ms")
    whole = 1000 * (outline + first)
    return {
        "items": len(listing.items),
        "shown_first_ms": round(1000 * outline if section is Section.PROFILE else whole, 1),
        "open_first_ms": round(whole, 1),
        "open": spread(again),
        "find": spread(matches),
        "by_meaning": spread(meanings),
        "look": spread(details),
    }


def _search_plainly(store: Store, words: str) -> list[str]:
    texts = {record.id: record.instruction for record in store.records.of(_USER)}
    return [key for _, _, key in process.extract(words, texts, scorer=fuzz.WRatio, limit=500)]
