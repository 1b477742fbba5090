"""Streaming aggregation of one user's records into prototypes, a day at a time (PersonalAlign 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import groupby

from assistant.embedding.index import VectorIndex
from assistant.memory.him.clusters import Cluster, faded
from assistant.memory.him.consistency import THETA, Weights, consistency
from assistant.memory.him.reading import Reading
from assistant.memory.him.wishes import NO_WISHES, Wishes


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
    weights: Weights = field(default_factory=Weights)
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


class Stream:
    """The prototypes of one user as records come in. No I/O.

    Args:
        dimensions: the length of a vector.
        rules: how records become prototypes.
        wishes: what the user decided about which records belong together.
    """

    def __init__(self, dimensions: int, rules: Rules, wishes: Wishes = NO_WISHES) -> None:
        self._rules = rules
        self._wishes = wishes
        self._index: VectorIndex[str] = VectorIndex(dimensions)
        self._homes: dict[str, str] = {}
        self._refused: set[tuple[str, str]] = set()
        self.clusters: dict[str, Cluster] = {}

    def restore(self, clusters: Iterable[Cluster], homes: dict[str, str]) -> None:
        """Take up prototypes that were made before; `homes` says where the records named in wishes are."""
        for cluster in clusters:
            self.clusters[cluster.id] = cluster
            self._point(cluster)
        self._homes |= homes

    def add(self, readings: Iterable[Reading]) -> Changes:
        """Place records that were not placed before, day by day in the order they come."""
        changes = Changes()
        for _, day in groupby(readings, key=lambda reading: reading.day):
            self._run_day(sorted(day, key=lambda reading: (reading.time, reading.record_id)), changes)
        return changes

    def fade(self, now: datetime) -> list[Cluster]:
        """Archive prototypes whose evidence has faded, wake those that came back. Returns what changed."""
        changed = []
        for cluster in self.clusters.values():
            left = faded(cluster.weight, cluster.last, now, self._rules.half_life_days)
            if cluster.archived != (left < self._rules.archive_below):
                cluster.archived = not cluster.archived
                changed.append(cluster)
        return changed

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
        for name in self._near(reading):
            cluster = self.clusters[name]
            fit = self._fit(reading, cluster, best_fit)
            if fit > best_fit and not self._kept_apart(reading.record_id, name):
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

    def _near(self, reading: Reading) -> list[str]:
        """Prototypes whose centres have near embeddings, nearest first."""
        found, _ = self._index.search(reading.vector, self._rules.candidates)
        return list(dict.fromkeys(self._homes.get(key, key) for key in found))

    def _kept_apart(self, record_id: str, prototype_id: str) -> bool:
        return any(self._homes.get(other) == prototype_id for other in self._wishes.strangers(record_id))

    def _merge_around(self, name: str, changes: Changes) -> None:
        """Merge a prototype with those that have become consistent with it; the older name stays."""
        cluster = self.clusters.get(name)
        if cluster is None:
            return
        for other_name in self._near(cluster.centre):
            other = self.clusters.get(other_name)
            if other is None or other is cluster or not self._one(cluster, other):
                continue
            older, newer = sorted((cluster, other), key=lambda one: (one.first, one.founder))
            self._absorb(older, newer, changes)
            cluster = older

    def _merge_wished(self, record_ids: Sequence[str], changes: Changes) -> None:
        """Merge the prototypes of records that belong together by wish."""
        for record_id in record_ids:
            for mate in self._wishes.mates(record_id):
                homes = [self.clusters.get(self._homes.get(one, "")) for one in (record_id, mate)]
                left, right = homes
                if left is None or right is None or left is right or self._parted(left, right):
                    continue
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
        self._index.remove([newer.id])
        self._homes = {record: older.id if home == newer.id else home for record, home in self._homes.items()}
        self._settle([older.id])
        changes.touched.discard(newer.id)
        changes.touched.add(older.id)
        changes.merged[newer.id] = older.id
