"""Streaming aggregation of one user's records into prototypes, a day at a time (PersonalAlign 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embeds import Vectors
from assistant.embedding.index import VectorIndex
from assistant.memory.him.clusters import Cluster
from assistant.memory.him.reading import Reading
from assistant.memory.him.wishes import NO_WISHES, Wishes
from assistant.memory.prototypes.similarity import OURS, THETA, Weights, consistency


@dataclass(frozen=True, slots=True)
class Rules:
    """How records become prototypes.

    Attributes:
        theta: the least consistency within a prototype, 0..1.
        weights: what the parts of the consistency count.
        half_life_days: how long evidence takes to lose half its weight.
        archive_below: the faded weight below which a prototype is archived.
        candidates: how many prototypes are looked at for a record, nearest embeddings first.
        sample: how many records a prototype keeps to choose its centre from.
    """

    theta: float = THETA
    weights: Weights = OURS
    half_life_days: float = 30.0
    archive_below: float = 0.1
    candidates: int = 12
    sample: int = 12


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a record went, and how well it fits the centre that the prototype had then."""

    record_id: str
    prototype_id: str
    fit: float


@dataclass(slots=True)
class Changes:
    """What running some days did: records placed, prototypes touched, and those merged into another.

    A record may have been placed in a prototype that was merged afterwards; `home` tells where it is now.
    """

    placed: list[Placed] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    merged: dict[str, str] = field(default_factory=dict)

    def home(self, prototype_id: str) -> str:
        """The prototype that a prototype has become part of, at the end of all merging."""
        while prototype_id in self.merged:
            prototype_id = self.merged[prototype_id]
        return prototype_id


Load = Callable[[Sequence[str]], Iterable[Cluster]]
"""Fetches prototypes by their ids."""


class Stream:
    """The prototypes of one user as records come in. No I/O.

    Args:
        dimensions: the length of a vector.
        rules: how records become prototypes.
        wishes: what the user decided about which records belong together.
        load: fetches prototypes that were made before and are not in `clusters`, by their ids.
    """

    def __init__(
        self, dimensions: int, rules: Rules, wishes: Wishes = NO_WISHES, load: Load | None = None
    ) -> None:
        self._rules = rules
        self._wishes = wishes
        self._load = load or _nothing
        self._index: VectorIndex[str] = VectorIndex(dimensions)
        self._homes: dict[str, str] = {}
        self._became: dict[str, str] = {}
        self._refused: set[tuple[str, str]] = set()
        self.clusters: dict[str, Cluster] = {}

    def restore(self, ids: Sequence[str], centres: Vectors, homes: dict[str, str]) -> None:
        """Know prototypes that were made before, without fetching them.

        Args:
            ids: their ids.
            centres: the vectors of their centres, one row each.
            homes: where the records named in wishes are.
        """
        self._index.add(ids, centres)
        self._homes |= homes

    def nearest(self, vector: NDArray[np.float32], count: int) -> list[str]:
        """The ids of the prototypes whose centres are nearest, nearest first."""
        found, _ = self._index.search(vector, count)
        return list(dict.fromkeys(self._became.get(name, name) for name in map(self._home, found)))

    def _home(self, key: str) -> str:
        """The prototype behind a key of the index: its own id, or a record that the user put somewhere."""
        return self._homes.get(key, key)

    def fetched(self, ids: Iterable[str]) -> list[Cluster]:
        """Prototypes by their ids; those that are gone are left out."""
        names = list(ids)
        if missing := [name for name in names if name not in self.clusters]:
            for cluster in self._load(missing):
                self.clusters[cluster.id] = cluster
        return [self.clusters[name] for name in names if name in self.clusters]

    def release(self, most: int) -> None:
        """Let go of prototypes that were not touched lately, all but so many; they are kept elsewhere."""
        for name in list(self.clusters)[: max(0, len(self.clusters) - most)]:
            del self.clusters[name]

    def add(self, readings: Iterable[Reading]) -> Changes:
        """Place records that were not placed before, day by day in the order they come."""
        changes = Changes()
        for _, day in groupby(readings, key=lambda reading: reading.day):
            self._run_day(sorted(day, key=lambda reading: (reading.time, reading.record_id)), changes)
        return changes

    def _run_day(self, readings: Sequence[Reading], changes: Changes) -> None:
        touched: set[str] = set()
        for reading in readings:
            if reading.record_id in self._wishes.left_out:
                continue
            home, fit = self._home_of(reading)
            home.join(reading, fit, self._rules.half_life_days, self._rules.sample)
            if self._wishes.names(reading.record_id):
                self._homes[reading.record_id] = home.id
                if self._wishes.mates(reading.record_id):
                    home.chosen.append(reading)
            changes.placed.append(Placed(reading.record_id, home.id, fit))
            touched.add(home.id)
            self.clusters[home.id] = self.clusters.pop(home.id)
        self._settle(touched)
        changes.touched |= touched
        for name in sorted(touched):
            self._merge_around(name, changes)
        self._merge_wished([reading.record_id for reading in readings], changes)

    def _settle(self, names: Iterable[str]) -> None:
        for name in names:
            cluster = self.clusters[name]
            cluster.settle(partial(consistency, weights=self._rules.weights))
            self._point(cluster)

    def _point(self, cluster: Cluster) -> None:
        self._index.add([cluster.id], cluster.centre.vector[None, :])
        for one in cluster.chosen:
            self._index.add([one.record_id], one.vector[None, :])

    def _home_of(self, reading: Reading) -> tuple[Cluster, float]:
        """The prototype that a record belongs to; a new one when none is consistent enough."""
        best, best_fit = None, self._rules.theta
        for cluster in self._near(reading):
            fit = self._fit(reading, cluster, best_fit)
            if fit > best_fit and not self._kept_apart(reading.record_id, cluster.id):
                best, best_fit = cluster, fit
        if best is not None:
            return best, best_fit
        made = Cluster(f"p-{reading.record_id}", reading.record_id, reading, reading.time, reading.time)
        self.clusters[made.id] = made
        self._point(made)
        return made, 1.0

    def _fit(self, reading: Reading, cluster: Cluster, floor: float) -> float:
        """The consistency with the centre, or with a record that the user has put there."""
        centres = (cluster.centre, *(one for one in cluster.chosen if one is not cluster.centre))
        return max(consistency(reading, one, self._rules.weights, floor=floor) for one in centres)

    def _near(self, reading: Reading) -> list[Cluster]:
        """Prototypes whose centres have near embeddings, nearest first."""
        return self.fetched(self.nearest(reading.vector, self._rules.candidates))

    def _kept_apart(self, record_id: str, prototype_id: str) -> bool:
        return any(self._homes.get(other) == prototype_id for other in self._wishes.strangers(record_id))

    def _merge_around(self, name: str, changes: Changes) -> None:
        """Merge a prototype with those that have become consistent with it; the older name stays."""
        cluster = self.clusters.get(name)
        if cluster is None:
            return
        for other in self._near(cluster.centre):
            if other.id not in self.clusters or other is cluster or not self._one(cluster, other):
                continue
            older, newer = sorted((cluster, other), key=lambda one: (one.first, one.founder))
            self._absorb(older, newer, changes)
            cluster = older

    def _merge_wished(self, record_ids: Sequence[str], changes: Changes) -> None:
        """Merge the prototypes of records that belong together by wish."""
        for record_id in record_ids:
            for mate in self._wishes.mates(record_id):
                names = {self._homes[one] for one in (record_id, mate) if one in self._homes}
                homes = self.fetched(sorted(names))
                if len(homes) < 2 or self._parted(*homes):
                    continue
                left, right = homes
                older, newer = sorted((left, right), key=lambda one: (one.first, one.founder))
                self._absorb(older, newer, changes)

    def _parted(self, left: Cluster, right: Cluster) -> bool:
        return self._wishes.part(self._named(left.id), self._named(right.id))

    def _one(self, left: Cluster, right: Cluster) -> bool:
        """Whether two prototypes are consistent: their centres, and each sample with the other's centre."""
        weights, theta = self._rules.weights, self._rules.theta
        centres = left.centre.record_id, right.centre.record_id
        if centres in self._refused:
            return False
        if consistency(left.centre, right.centre, weights, floor=theta) <= theta:
            self._refused |= {centres, centres[::-1]}
            return False
        measure = partial(consistency, weights=weights)
        if min(left.closeness(right.centre, measure), right.closeness(left.centre, measure)) <= theta:
            return False
        return not self._parted(left, right)

    def _named(self, prototype_id: str) -> set[str]:
        return {record for record, home in self._homes.items() if home == prototype_id}

    def _absorb(self, older: Cluster, newer: Cluster, changes: Changes) -> None:
        older.absorb(newer, self._rules.half_life_days, self._rules.sample)
        del self.clusters[newer.id]
        # Its vector stays, as one more way to the older one: gaps would slow every search.
        self._became |= {name: older.id for name, home in self._became.items() if home == newer.id}
        self._became[newer.id] = older.id
        self._homes = {record: older.id if home == newer.id else home for record, home in self._homes.items()}
        self._settle([older.id])
        changes.touched.discard(newer.id)
        changes.touched.add(older.id)
        changes.merged[newer.id] = older.id


def _nothing(_ids: Sequence[str]) -> Iterable[Cluster]:
    return ()
