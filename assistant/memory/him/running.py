"""Running the aggregation over a store: in portions of one transaction each, so that it can be killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np

from assistant.i18n import _
from assistant.memory.database import StoreBusy
from assistant.memory.derived import RECORD_VECTOR
from assistant.memory.him.wishes import Wishes
from assistant.memory.prototypes.clustering import Rules, Stream
from assistant.memory.prototypes.repository import Overtaken, Shelf
from assistant.memory.prototypes.user_edits import Decided
from assistant.memory.rows import portions
from assistant.memory.store import Store
from assistant.memory.vectors import Progress, VectorCache

_PORTION = 500
"""How many records are placed between two transactions."""
_HELD = 3000
"""How many prototypes stay in memory between two portions."""
_TRIES = 5

Tell = Callable[[Progress], None]
"""Hears how many of how many records are done."""


@dataclass(frozen=True, slots=True)
class Aggregated:
    """What a run did: records placed, prototypes changed, merged away, archived or woken."""

    placed: int = 0
    changed: int = 0
    merged: int = 0
    archived: int = 0

    def __add__(self, other: Aggregated) -> Aggregated:
        """Both runs."""
        return Aggregated(
            self.placed + other.placed,
            self.changed + other.changed,
            self.merged + other.merged,
            self.archived + other.archived,
        )


class Aggregator:
    """Brings users' prototypes up to their records, and holds them in memory in between.

    Args:
        store: the records, and where prototypes are kept.
        vectors: the vectors of records.
        rules: how records become prototypes.
    """

    def __init__(self, store: Store, vectors: VectorCache, rules: Rules) -> None:
        self._store = store
        self._vectors = vectors
        self._rules = rules
        self._held: dict[str, tuple[int | None, Stream]] = {}

    def stream(self, shelf: Shelf, known: Decided) -> Stream:
        """A user's prototypes in memory, read anew when somebody else has changed them."""
        revision = shelf.revision()
        held = self._held.get(shelf.user_id)
        if held is not None and held[0] == revision:
            return held[1]
        chosen = frozenset(one for pair in known.wishes.together for one in pair)
        named = chosen | {one for pair in known.wishes.apart for one in pair}
        load = partial(shelf.load, chosen=chosen)
        stream = Stream(self._vectors.embeds.dimensions, self._rules, known.wishes, load)
        homes = shelf.homes(named)
        stream.restore(*shelf.centres(), homes)
        placed = [one for one in shelf.readings(sorted(chosen)) if one.record_id in homes]
        if placed:
            stream.restore([one.record_id for one in placed], np.stack([one.vector for one in placed]), {})
        self._held[shelf.user_id] = revision, stream
        return stream

    def is_current(self, shelf: Shelf, known: Decided) -> bool:
        """Whether a user's prototypes hold all records and rest on the wishes, rules and model of now."""
        state = shelf.state()
        return (
            state is not None
            and not state.dirty
            and state.made_with == shelf.made_with
            and state.wishes == known.wishes
            and not shelf.is_behind(known.wishes.left_out)
        )

    def run(self, shelf: Shelf, known: Decided, until: datetime | None, tell: Tell | None) -> Aggregated:
        """Place the records that are in no prototype yet; see `HierarchicalMemory.aggregate`.

        Raises:
            StoreBusy: another program keeps changing the same prototypes.
        """
        total = Aggregated()
        for _one in range(_TRIES):
            try:
                for step in self._steps(shelf, known, until, tell):
                    total += step
            except Overtaken:
                self._held.pop(shelf.user_id, None)
                continue
            return total
        raise StoreBusy(_("Another program aggregates the same records. Try again when it is done."))

    def _steps(
        self, shelf: Shelf, known: Decided, until: datetime | None, tell: Tell | None
    ) -> Iterator[Aggregated]:
        change_id = self._unmake(shelf, known)
        waiting = shelf.unplaced(until, known.wishes.left_out)
        for _one in self._vectors.fill(RECORD_VECTOR, waiting):
            pass
        stream, done = self.stream(shelf, known), 0
        for ids in portions(waiting, _PORTION):
            made = stream.add(shelf.readings(ids))
            with self._store.change("Aggregate records", "records are new", change_id) as change:
                shelf.expect(change, self._held[shelf.user_id][0])
                shelf.write(change, made, stream.clusters)
                revision = shelf.note(change, known.wishes)
            self._held[shelf.user_id] = revision, stream
            change_id = change.id
            stream.release(_HELD)
            done += len(ids)
            if tell is not None:
                tell(Progress(done, len(waiting)))
            yield Aggregated(len(made.placed), len(made.touched), len(made.merged))
        with self._store.change("Aggregate records", "evidence fades", change_id) as change:
            archived = shelf.fade(change, known.pinned, self._store.now())
        yield Aggregated(archived=archived)

    def _unmake(self, shelf: Shelf, known: Decided) -> int | None:
        """Drop what rests on other rules, another model or other wishes. Returns the change that did it."""
        state = shelf.state()
        stale = state is not None and state.made_with != shelf.made_with
        before = state.wishes if state is not None else Wishes()
        if state is not None and not stale and not state.dirty and before == known.wishes:
            return None
        with self._store.change("Aggregate records", "wishes, rules, records or the model changed") as change:
            shelf.clear(change, None if stale else _differing(before, known.wishes))
            shelf.note(change, known.wishes)
        self._held.pop(shelf.user_id, None)
        return change.id


def _differing(before: Wishes, after: Wishes) -> list[str]:
    """The records about which two sets of wishes differ."""
    pairs = {*before.together, *before.apart} ^ {*after.together, *after.apart}
    return sorted({one for pair in pairs for one in pair} | (before.left_out ^ after.left_out))
