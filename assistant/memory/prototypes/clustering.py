"""Clustering of one user's records into prototypes, as they come (PersonalAlign 5.1).

A cluster has a bounded sample of records, a medoid as its centre, and a weight that fades. What it keeps does
not grow with its records: their number, their faded weight, and a sample of at most `size`. The sample
favours recent records: each gets a fixed random rank that rises with its time (an exponentially biased
reservoir), and the highest ranks stay. So the sample depends neither on the order in which records come nor
on how often a day is processed.

`ClusteringConstraints` are the user's decisions about which records belong together, and are always kept to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import groupby
from math import log

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embedder import Vectors
from assistant.memory.prototypes.model import faded
from assistant.memory.prototypes.similarity import (
    OURS,
    THETA,
    ConsistencyWeights,
    RecordFeatures,
    consistency,
)
from assistant.memory.vectors import VectorIndex

Measure = Callable[[RecordFeatures, RecordFeatures], float]
"""The consistency of two readings, 0..1."""


def rank(record_id: str, time: datetime, half_life_days: float) -> float:
    """A record's place in samples: a Gumbel number drawn from its id, shifted by its age in half-lives."""
    drawn = int.from_bytes(hashlib.blake2b(record_id.encode(), digest_size=8).digest(), "big")
    uniform = (drawn + 1) / (2**64 + 2)
    return -log(-log(uniform)) + time.timestamp() / 86400 * log(2) / half_life_days


@dataclass(slots=True, eq=False)
class SampledRecord:
    """A record in a cluster's sample, with its rank and its consistency with the centre."""

    reading: RecordFeatures
    rank: float
    fit: float = 1.0


@dataclass(slots=True, eq=False)
class Cluster:
    """One prototype while it grows. `weight` is the faded evidence at the time `last`.

    `founder` is the record that began it and gives it its name. `chosen` are records that the user put
    together: what is consistent with one of them belongs here too.
    """

    id: str
    founder: str
    centre: RecordFeatures
    first: datetime
    last: datetime
    count: int = 0
    weight: float = 0.0
    sample: list[SampledRecord] = field(default_factory=list)
    archived: bool = False
    chosen: list[RecordFeatures] = field(default_factory=list)
    settled: bool = False
    _pair_fits: dict[tuple[str, str], float] = field(default_factory=dict)

    def join(self, reading: RecordFeatures, fit: float, half_life_days: float, size: int) -> None:
        """Count a record, and sample it if its rank is high enough."""
        self.count += 1
        if reading.time >= self.last:
            self.weight = faded(self.weight, self.last, reading.time, half_life_days) + 1.0
            self.last = reading.time
        else:
            self.weight += faded(1.0, reading.time, self.last, half_life_days)
        self.first = min(self.first, reading.time)
        self.keep(SampledRecord(reading, rank(reading.record_id, reading.time, half_life_days), fit), size)

    def keep(self, added: SampledRecord, size: int) -> None:
        """Take a record into the sample; the lowest rank leaves when it is full."""
        self.sample.append(added)
        self.sample.sort(key=lambda sampled: sampled.rank, reverse=True)
        self.settled = self.settled and added in self.sample[size:]
        for dropped in self.sample[size:]:
            name = dropped.reading.record_id
            self._pair_fits = {pair: value for pair, value in self._pair_fits.items() if name not in pair}
        del self.sample[size:]

    def absorb(self, other: Cluster, half_life_days: float, size: int) -> None:
        """Take over the records of another cluster."""
        later = max(self.last, other.last)
        self.weight = faded(self.weight, self.last, later, half_life_days) + faded(
            other.weight, other.last, later, half_life_days
        )
        self.first, self.last = min(self.first, other.first), later
        self.count += other.count
        self.chosen += other.chosen
        self._pair_fits |= other._pair_fits
        for sampled in other.sample:
            self.keep(sampled, size)

    def settle(self, measure: Measure) -> None:
        """Choose the medoid of the sample as the centre, and measure the sample against it.

        A record that was carried out comes before one that was not; of equal ones the newest.
        """
        if not self.sample or self.settled:
            return
        means = [
            sum(self._measured(sampled, other, measure) for other in self.sample if other is not sampled)
            for sampled in self.sample
        ]
        best = max(
            range(len(self.sample)),
            key=lambda place: (
                bool(self.sample[place].reading.path),
                round(means[place], 6),
                self.sample[place].reading.time,
            ),
        )
        self.centre = self.sample[best].reading
        for sampled in self.sample:
            sampled.fit = self._measured(self.sample[best], sampled, measure)
        self.settled = True

    def closeness(self, reading: RecordFeatures, measure: Measure) -> float:
        """The mean consistency of a reading with the sample."""
        return sum(measure(reading, sampled.reading) for sampled in self.sample) / max(1, len(self.sample))

    def _measured(self, sampled: SampledRecord, other: SampledRecord, measure: Measure) -> float:
        if sampled is other:
            return 1.0
        left, right = sorted((sampled.reading.record_id, other.reading.record_id))
        if (value := self._pair_fits.get((left, right))) is None:
            value = self._pair_fits[left, right] = measure(sampled.reading, other.reading)
        return value


@dataclass(frozen=True, slots=True)
class ClusteringConstraints:
    """Records that share a prototype, records that must not, and records that no prototype counts.

    Attributes:
        together: pairs of records of one prototype.
        apart: pairs of records that never share one.
        left_out: records that are not evidence for anything.
    """

    together: tuple[tuple[str, str], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    left_out: frozenset[str] = frozenset()

    def mates(self, record_id: str) -> tuple[str, ...]:
        """The records that share a prototype with this one by wish."""
        return _partners(self.together, record_id)

    def strangers(self, record_id: str) -> tuple[str, ...]:
        """The records that must not share a prototype with this one."""
        return _partners(self.apart, record_id)

    def names(self, record_id: str) -> bool:
        """Whether a wish is about this record."""
        return any(record_id in pair for pair in (*self.together, *self.apart))

    def part(self, left: Iterable[str], right: Iterable[str]) -> bool:
        """Whether some record of one side must not share a prototype with one of the other."""
        others = set(right)
        return any(stranger in others for record in left for stranger in self.strangers(record))


NO_WISHES = ClusteringConstraints()


def _partners(pairs: tuple[tuple[str, str], ...], record_id: str) -> tuple[str, ...]:
    strangers = [right if left == record_id else left for left, right in pairs if record_id in (left, right)]
    return tuple(strangers)


@dataclass(frozen=True, slots=True)
class ClusteringRules:
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
    weights: ConsistencyWeights = OURS
    half_life_days: float = 30.0
    archive_below: float = 0.1
    candidates: int = 12
    sample: int = 12


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a record went, and how well it fits the centre that the prototype had then."""

    record_id: str
    prototype_id: str
    fit: float


@dataclass(slots=True)
class ClusterChanges:
    """What running some days did: records placed, prototypes touched, and those merged into another.

    A record may have been placed in a prototype that was merged afterwards; `home` tells where it is now.
    """

    placed: list[Placement] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    merged: dict[str, str] = field(default_factory=dict)

    def home(self, prototype_id: str) -> str:
        """The prototype that a prototype has become part of, at the end of all merging."""
        while prototype_id in self.merged:
            prototype_id = self.merged[prototype_id]
        return prototype_id


Load = Callable[[Sequence[str]], Iterable[Cluster]]
"""Fetches prototypes by their ids."""


class IncrementalClustering:
    """The prototypes of one user as records come in. No I/O.

    Args:
        dimensions: the length of a vector.
        rules: how records become prototypes.
        wishes: what the user decided about which records belong together.
        load: fetches prototypes that were made before and are not in `clusters`, by their ids.
    """

    def __init__(
        self,
        dimensions: int,
        rules: ClusteringRules,
        wishes: ClusteringConstraints = NO_WISHES,
        load: Load | None = None,
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
        positions, _ = self._index.search(vector, count)
        return list(dict.fromkeys(self._became.get(name, name) for name in map(self._home, positions)))

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

    def add(self, readings: Iterable[RecordFeatures]) -> ClusterChanges:
        """Place records that were not placed before, day by day in the order they come."""
        changes = ClusterChanges()
        for _, day in groupby(readings, key=lambda reading: reading.day):
            self._run_day(sorted(day, key=lambda reading: (reading.time, reading.record_id)), changes)
        return changes

    def _run_day(self, readings: Sequence[RecordFeatures], changes: ClusterChanges) -> None:
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
            changes.placed.append(Placement(reading.record_id, home.id, fit))
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
        for chosen in cluster.chosen:
            self._index.add([chosen.record_id], chosen.vector[None, :])

    def match(self, reading: RecordFeatures) -> tuple[Cluster, float] | None:
        """The prototype that a record would join, with its fit; None when none is consistent enough."""
        best, best_fit = None, self._rules.theta
        for cluster in self._find_nearest(reading):
            fit = self._fit(reading, cluster, best_fit)
            if fit > best_fit and not self._kept_apart(reading.record_id, cluster.id):
                best, best_fit = cluster, fit
        return None if best is None else (best, best_fit)

    def _home_of(self, reading: RecordFeatures) -> tuple[Cluster, float]:
        """The prototype that a record belongs to; a new one when none is consistent enough."""
        if (matched := self.match(reading)) is not None:
            return matched
        new_cluster = Cluster(
            f"p-{reading.record_id}", reading.record_id, reading, reading.time, reading.time
        )
        self.clusters[new_cluster.id] = new_cluster
        self._point(new_cluster)
        return new_cluster, 1.0

    def _fit(self, reading: RecordFeatures, cluster: Cluster, floor: float) -> float:
        """The consistency with the centre, or with a record that the user has put there."""
        centres = (cluster.centre, *(chosen for chosen in cluster.chosen if chosen is not cluster.centre))
        return max(consistency(reading, centre, self._rules.weights, floor=floor) for centre in centres)

    def _find_nearest(self, reading: RecordFeatures) -> list[Cluster]:
        """Prototypes whose centres have near embeddings, nearest first."""
        return self.fetched(self.nearest(reading.vector, self._rules.candidates))

    def _kept_apart(self, record_id: str, prototype_id: str) -> bool:
        return any(self._homes.get(other) == prototype_id for other in self._wishes.strangers(record_id))

    def _merge_around(self, name: str, changes: ClusterChanges) -> None:
        """Merge a prototype with those that have become consistent with it; the older name stays."""
        cluster = self.clusters.get(name)
        if cluster is None:
            return
        for other in self._find_nearest(cluster.centre):
            if other.id not in self.clusters or other is cluster or not self._is_consistent(cluster, other):
                continue
            older, newer = sorted(
                (cluster, other), key=lambda candidate: (candidate.first, candidate.founder)
            )
            self._absorb(older, newer, changes)
            cluster = older

    def _merge_wished(self, record_ids: Sequence[str], changes: ClusterChanges) -> None:
        """Merge the prototypes of records that belong together by wish."""
        for record_id in record_ids:
            for mate in self._wishes.mates(record_id):
                names = {
                    self._homes[member_id] for member_id in (record_id, mate) if member_id in self._homes
                }
                homes = self.fetched(sorted(names))
                if len(homes) < 2 or self._parted(*homes):
                    continue
                left, right = homes
                older, newer = sorted(
                    (left, right), key=lambda candidate: (candidate.first, candidate.founder)
                )
                self._absorb(older, newer, changes)

    def _parted(self, left: Cluster, right: Cluster) -> bool:
        return self._wishes.part(self._named(left.id), self._named(right.id))

    def _is_consistent(self, left: Cluster, right: Cluster) -> bool:
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

    def _absorb(self, older: Cluster, newer: Cluster, changes: ClusterChanges) -> None:
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
