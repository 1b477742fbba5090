"""Records as evidence: read by their ids, and told with what stands behind an item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.memory.store import Store
from assistant.memory_view.items import Details, Field, Heat, Seen
from assistant.records import Record

EVIDENCE = 20
"""The most records told as evidence of one item."""


def records_of(store: Store, ids: Iterable[str]) -> list[Record]:
    """The records with these ids that are there, in this order."""
    found = (store.records.get(one) for one in ids)
    return [one for one in found if one is not None]


def details_of(
    facts: tuple[tuple[str, str], ...],
    wanted: Sequence[str],
    records: Sequence[Record],
    *,
    heat: Heat = (),
    fields: tuple[Field, ...] = (),
) -> Details:
    """Facts with the newest records behind them; `wanted` are the ids of all there are."""
    seen = tuple(
        Seen(one.id, one.time, one.scenario, one.instruction, one.app or one.package)
        for one in records[:EVIDENCE]
    )
    return Details(facts, seen, max(0, len(wanted) - len(seen)), heat, fields)
