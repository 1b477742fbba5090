"""Incremental clustering of one user's records into prototypes (PersonalAlign 5.1).

The memory of a cluster does not grow with its records. It keeps their number, their faded weight, a sample of
at most `size` records, and the medoid of the sample as its centre. The sample favours recent records: each
record has a fixed random rank that rises with its time (an exponentially biased reservoir), and the highest
ranks stay. So the sample depends neither on the order in which records come nor on how often a day is
processed.

`ClusteringConstraints` are the user's decisions about which records belong together; they always hold.

`group_wordings` finds which prototypes are one habit in other words, where only words and hours are known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby, permutations
from math import log
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embedder import Vectors
from assistant.memory.prototypes.model import Prototype, faded
from assistant.memory.prototypes.similarity import (
    OURS,
    THETA,
    ConsistencyWeights,
    RecordFeatures,
    consistency,
)
from assistant.memory.prototypes.terms import oppose
from assistant.memory.vectors import VectorIndex

Measure = Callable[[RecordFeatures, RecordFeatures], float]
"""The consistency of two records, 0..1."""

_LATER_RECORDS = 4.0
"""Later records after which a record counts half for the centre. What was done once between others never
outweighs them, what was done five times in a row does."""


def rank(record_id: str, time: datetime, half_life_days: float) -> float:
    """The rank of a record in samples: a Gumbel number drawn from its id, plus its time in half-lives."""
    drawn = int.from_bytes(hashlib.blake2b(record_id.encode(), digest_size=8).digest(), "big")
    uniform = (drawn + 1) / (2**64 + 2)
    return -log(-log(uniform)) + time.timestamp() / 86400 * log(2) / half_life_days


@dataclass(slots=True, eq=False)
class SampledRecord:
    """A record in a cluster's sample, with its rank and its consistency with the centre (`fit`, 0..1)."""

    record: RecordFeatures
    rank: float
    fit: float = 1.0


@dataclass(slots=True, eq=False)
class Cluster:
    """One prototype while it grows.

    Attributes:
        founder: the id of its first record, from which its own id is made.
        first: the time of the oldest record; `last` of the newest.
        count: the number of its records.
        weight: the faded evidence at the time `last`, in records.
        chosen: records that the user put together; what is consistent with one of them belongs here too.
        settled: whether the centre is up to date with the sample.
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

    def join(self, record: RecordFeatures, fit: float, half_life_days: float, size: int) -> None:
        """Add a record to the counts, and to the sample if its rank is high enough."""
        self.count += 1
        if record.time >= self.last:
            self.weight = faded(self.weight, self.last, record.time, half_life_days) + 1.0
            self.last = record.time
        else:
            self.weight += faded(1.0, record.time, self.last, half_life_days)
        self.first = min(self.first, record.time)
        self.keep(SampledRecord(record, rank(record.record_id, record.time, half_life_days), fit), size)

    def keep(self, added: SampledRecord, size: int) -> None:
        """Add a record to the sample; the lowest rank leaves when the sample is full."""
        self.sample.append(added)
        self.sample.sort(key=lambda sampled: sampled.rank, reverse=True)
        self.settled = self.settled and added in self.sample[size:]
        for dropped in self.sample[size:]:
            name = dropped.record.record_id
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
        """Choose the medoid of the sample as the centre, and compute the fit of the sample to it.

        The newest records weigh most: who had chicken wings for weeks and has a burger since is offered the
        burger, also where both are one prototype. Records that were carried out come before others; among
        equally central records the newest is chosen.
        """
        if not self.sample or self.settled:
            return
        newest_first = sorted(self.sample, key=lambda sampled: sampled.record.time, reverse=True)
        weights = [0.5 ** (later / _LATER_RECORDS) for later in range(len(newest_first))]
        closeness = [
            sum(
                weight * self._measured(sampled, other, measure)
                for weight, other in zip(weights, newest_first, strict=True)
            )
            for sampled in self.sample
        ]
        best = max(
            range(len(self.sample)),
            key=lambda place: (
                bool(self.sample[place].record.path),
                round(closeness[place], 6),
                self.sample[place].record.time,
            ),
        )
        self.centre = self.sample[best].record
        for sampled in self.sample:
            sampled.fit = self._measured(self.sample[best], sampled, measure)
        self.settled = True

    def closeness(self, record: RecordFeatures, measure: Measure) -> float:
        """The mean consistency of a record with the sample."""
        return sum(measure(record, sampled.record) for sampled in self.sample) / max(1, len(self.sample))

    def _measured(self, sampled: SampledRecord, other: SampledRecord, measure: Measure) -> float:
        if sampled is other:
            return 1.0
        left, right = sorted((sampled.record.record_id, other.record.record_id))
        if (value := self._pair_fits.get((left, right))) is None:
            value = self._pair_fits[left, right] = measure(sampled.record, other.record)
        return value


@dataclass(frozen=True, slots=True)
class ClusteringConstraints:
    """Decisions of the user about the prototypes of records, by record id.

    Attributes:
        together: must-links: pairs of records that share a prototype.
        apart: cannot-links: pairs of records that never share a prototype.
        left_out: records that belong to no prototype.
    """

    together: tuple[tuple[str, str], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    left_out: frozenset[str] = frozenset()

    def must_links(self, record_id: str) -> tuple[str, ...]:
        """The records that must share a prototype with this one."""
        return _partners(self.together, record_id)

    def cannot_links(self, record_id: str) -> tuple[str, ...]:
        """The records that must not share a prototype with this one."""
        return _partners(self.apart, record_id)

    def mention(self, record_id: str) -> bool:
        """Whether the record is part of a must-link or cannot-link."""
        return any(record_id in pair for pair in (*self.together, *self.apart))

    def separate(self, left: Iterable[str], right: Iterable[str]) -> bool:
        """Whether a cannot-link joins a record of one side with a record of the other."""
        others = set(right)
        return any(other in others for record_id in left for other in self.cannot_links(record_id))


NO_CONSTRAINTS = ClusteringConstraints()


def _partners(pairs: tuple[tuple[str, str], ...], record_id: str) -> tuple[str, ...]:
    strangers = [right if left == record_id else left for left, right in pairs if record_id in (left, right)]
    return tuple(strangers)


@dataclass(frozen=True, slots=True)
class ClusteringRules:
    """How records become prototypes.

    Attributes:
        theta: minimum consistency within a prototype, 0..1.
        weights: weights of the parts of the consistency.
        half_life_days: how long evidence takes to lose half its weight.
        archive_below: the faded weight below which a prototype is archived.
        candidates: number of prototypes, nearest by embedding, to which a record is compared.
        sample: maximum number of records in a prototype's sample.
    """

    theta: float = THETA
    weights: ConsistencyWeights = OURS
    half_life_days: float = 30.0
    archive_below: float = 0.1
    candidates: int = 12
    sample: int = 12


@dataclass(frozen=True, slots=True)
class Placement:
    """The prototype into which a record was placed, and its fit (0..1) to the centre at that time."""

    record_id: str
    prototype_id: str
    fit: float


@dataclass(slots=True)
class ClusterChanges:
    """The result of adding records.

    A record may have been placed in a prototype that was merged afterwards; `home` finds the one it is in
    now.

    Attributes:
        placed: the placement of each record.
        touched: the ids of the prototypes that changed.
        merged: prototypes that no longer exist, to the id of the one that they became part of.
    """

    placed: list[Placement] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    merged: dict[str, str] = field(default_factory=dict)

    def home(self, prototype_id: str) -> str:
        """The id of the prototype that a prototype is part of after all merges, or its own."""
        while prototype_id in self.merged:
            prototype_id = self.merged[prototype_id]
        return prototype_id


Load = Callable[[Sequence[str]], Iterable[Cluster]]
"""Fetches prototypes by their ids."""


class IncrementalClustering:
    """Clusters the records of one user as they come in. Does no I/O itself.

    Args:
        dimensions: the length of a vector.
        rules: how records become prototypes.
        constraints: the user's decisions about which records belong together.
        load: fetches earlier prototypes that are not in `clusters`, by id.
    """

    def __init__(
        self,
        dimensions: int,
        rules: ClusteringRules,
        constraints: ClusteringConstraints = NO_CONSTRAINTS,
        load: Load | None = None,
    ) -> None:
        self._rules = rules
        self._constraints = constraints
        self._load = load or _nothing
        self._index: VectorIndex[str] = VectorIndex(dimensions)
        self._homes: dict[str, str] = {}
        self._became: dict[str, str] = {}
        self._refused: set[tuple[str, str]] = set()
        self.clusters: dict[str, Cluster] = {}

    def restore(self, ids: Sequence[str], centres: Vectors, homes: dict[str, str]) -> None:
        """Make earlier prototypes searchable without fetching them.

        Args:
            ids: the ids of prototypes, or of records that the user put together.
            centres: the vectors of their centres, of shape (ids, dimensions).
            homes: the ids of the prototypes of the records in the constraints, by record id.
        """
        self._index.add(ids, centres)
        self._homes |= homes

    def nearest(self, vector: NDArray[np.float32], count: int) -> list[str]:
        """The ids of the prototypes whose centres are nearest, nearest first."""
        positions, _ = self._index.search(vector, count)
        return list(dict.fromkeys(self._became.get(name, name) for name in map(self._home, positions)))

    def _home(self, key: str) -> str:
        """The id of the prototype for a key of the index: the key itself, or the home of a record."""
        return self._homes.get(key, key)

    def fetched(self, ids: Iterable[str]) -> list[Cluster]:
        """Prototypes by their ids; missing ones are left out."""
        names = list(ids)
        if missing := [name for name in names if name not in self.clusters]:
            for cluster in self._load(missing):
                self.clusters[cluster.id] = cluster
        return [self.clusters[name] for name in names if name in self.clusters]

    def release(self, most: int) -> None:
        """Drop the least recently used prototypes from memory, all but `most`; `load` fetches them again."""
        for name in list(self.clusters)[: max(0, len(self.clusters) - most)]:
            del self.clusters[name]

    def add(self, records: Iterable[RecordFeatures]) -> ClusterChanges:
        """Place new records, one day after the other in their order."""
        changes = ClusterChanges()
        for _, day in groupby(records, key=lambda record: record.day):
            self._run_day(sorted(day, key=lambda record: (record.time, record.record_id)), changes)
        return changes

    def _run_day(self, records: Sequence[RecordFeatures], changes: ClusterChanges) -> None:
        touched: set[str] = set()
        for record in records:
            if record.record_id in self._constraints.left_out:
                continue
            home, fit = self._home_of(record)
            home.join(record, fit, self._rules.half_life_days, self._rules.sample)
            if self._constraints.mention(record.record_id):
                self._homes[record.record_id] = home.id
                if self._constraints.must_links(record.record_id):
                    home.chosen.append(record)
            changes.placed.append(Placement(record.record_id, home.id, fit))
            touched.add(home.id)
            self.clusters[home.id] = self.clusters.pop(home.id)
        self._settle(touched)
        changes.touched |= touched
        for name in sorted(touched):
            self._merge_around(name, changes)
        self._merge_must_links([record.record_id for record in records], changes)

    def _settle(self, names: Iterable[str]) -> None:
        for name in names:
            cluster = self.clusters[name]
            cluster.settle(partial(consistency, weights=self._rules.weights))
            self._point(cluster)

    def _point(self, cluster: Cluster) -> None:
        self._index.add([cluster.id], cluster.centre.vector[None, :])
        for chosen in cluster.chosen:
            self._index.add([chosen.record_id], chosen.vector[None, :])

    def match(self, record: RecordFeatures) -> tuple[Cluster, float] | None:
        """The prototype that a record would join, with its fit; None if none is consistent enough."""
        best, best_fit = None, self._rules.theta
        for cluster in self._find_nearest(record):
            fit = self._fit(record, cluster, best_fit)
            if fit > best_fit and not self._kept_apart(record.record_id, cluster.id):
                best, best_fit = cluster, fit
        return None if best is None else (best, best_fit)

    def _home_of(self, record: RecordFeatures) -> tuple[Cluster, float]:
        """The prototype that a record belongs to, with its fit; a new one if none is consistent enough."""
        if (matched := self.match(record)) is not None:
            return matched
        new_cluster = Cluster(f"p-{record.record_id}", record.record_id, record, record.time, record.time)
        self.clusters[new_cluster.id] = new_cluster
        self._point(new_cluster)
        return new_cluster, 1.0

    def _fit(self, record: RecordFeatures, cluster: Cluster, floor: float) -> float:
        """The largest consistency with the centre and the records that the user put there."""
        centres = (cluster.centre, *(chosen for chosen in cluster.chosen if chosen is not cluster.centre))
        return max(consistency(record, centre, self._rules.weights, floor=floor) for centre in centres)

    def _find_nearest(self, record: RecordFeatures) -> list[Cluster]:
        """Prototypes whose centres have near embeddings, nearest first."""
        return self.fetched(self.nearest(record.vector, self._rules.candidates))

    def _kept_apart(self, record_id: str, prototype_id: str) -> bool:
        return any(
            self._homes.get(other) == prototype_id for other in self._constraints.cannot_links(record_id)
        )

    def _merge_around(self, name: str, changes: ClusterChanges) -> None:
        """Merge a prototype with those that have become consistent with it; the older one's id stays."""
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

    def _merge_must_links(self, record_ids: Sequence[str], changes: ClusterChanges) -> None:
        """Merge the prototypes of records that must share one."""
        for record_id in record_ids:
            for other in self._constraints.must_links(record_id):
                names = {
                    self._homes[member_id] for member_id in (record_id, other) if member_id in self._homes
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
        return self._constraints.separate(self._named(left.id), self._named(right.id))

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
        return {record_id for record_id, home in self._homes.items() if home == prototype_id}

    def _absorb(self, older: Cluster, newer: Cluster, changes: ClusterChanges) -> None:
        older.absorb(newer, self._rules.half_life_days, self._rules.sample)
        del self.clusters[newer.id]
        # The newer one's vector stays in the index and leads to the older one: gaps would slow every search.
        self._became |= {name: older.id for name, home in self._became.items() if home == newer.id}
        self._became[newer.id] = older.id
        self._homes = {
            record_id: older.id if home == newer.id else home for record_id, home in self._homes.items()
        }
        self._settle([older.id])
        changes.touched.discard(newer.id)
        changes.touched.add(older.id)
        changes.merged[newer.id] = older.id


def _nothing(_ids: Sequence[str]) -> Iterable[Cluster]:
    return ()


_ABOUT = 45.0
"""Minutes: the width of the normal curve by which two times of day are about the same."""
_SAME_TIME = 0.3
"""What the same time of day adds to the cosine of two wordings. Of commands with a cosine of .4 to .5 on logs
that people wrote, two of three within half an hour of the day are the same habit, one of three within two."""
_TURNS, _MOST_TURNS = 0.06, 0.12
"""What the days add for each nat by which they speak for one habit, and the most that they add."""
_TWICE, _REPEATED = 0.1, 20
"""The share of days with two wordings that is left where both are one habit. What is said again within so
many minutes is one occasion, and tells nothing."""
_SAME_HABIT = 0.56
"""What these come to from which wordings are one habit."""
_PARTS = 96
_MOST_WORDINGS = 800
_LIVELY = timedelta(days=90)
"""So many wordings, of this time before the newest, are compared."""


def group_wordings(prototypes: Sequence[Prototype], vectors: Vectors) -> list[tuple[str, ...]]:
    """The habits that are said in several ways, each as the ids of its prototypes, the one to offer first.

    "Wake me at seven" and "alarm, 7:00" have few words and not much meaning in common, and nothing tells what
    was done. But people say them at the same hour: words that are a little alike and come at about the same
    time of day are one habit, others must be more alike. And they take turns: what often comes and never on
    one day is rather one habit, what shares days are two. The mean over all pairs of records decides (average
    linkage), so that no chain of neighbours joins what differs. Opposite verbs never share a habit. What is
    offered is central among the newest records.

    Args:
        prototypes: those whose records have no actions; others are compared by these.
        vectors: of the instructions of their centres, one row each.
    """
    newest = sorted(range(len(prototypes)), key=lambda place: _last_time(prototypes[place]), reverse=True)
    newest = [
        place
        for place in newest[:_MOST_WORDINGS]
        if _last_time(prototypes[newest[0]]) - _last_time(prototypes[place]) <= _LIVELY
    ]
    if len(newest) < 2:
        return []
    chosen = [prototypes[place] for place in newest]
    cosines = (vectors[newest] @ vectors[newest].T).astype(np.float64)
    alike = cosines + _SAME_TIME * _share_of_same_time(chosen)
    for left, right in zip(*np.nonzero(np.triu(alike > _SAME_HABIT - _MOST_TURNS, 1)), strict=True):
        if oppose(chosen[left].instruction, chosen[right].instruction):
            alike[left, right] = alike[right, left] = -np.inf
    groups = link_by_average(
        alike, [len(prototype.members) for prototype in chosen], _SAME_HABIT, SharedDays(chosen)
    )
    return [
        tuple(chosen[place].id for place in _central_first(group, chosen, cosines))
        for group in groups
        if len(group) > 1
    ]


class SharedDays:
    """On which days each of some prototypes came up, and on how many days each two of them did.

    One habit seldom comes up twice a day. Two that have nothing to do with each other share as many days as
    chance has it, as a Poisson distribution.
    """

    def __init__(self, prototypes: Sequence[Prototype]) -> None:
        rows = [
            (member.time.toordinal(), place, member.time.hour * 60 + member.time.minute)
            for place, prototype in enumerate(prototypes)
            for member in prototype.members
        ]
        first, count = min(rows)[0], len(prototypes)
        self._came = np.zeros((count, max(rows)[0] - first + 1))
        self._shared = np.zeros((count, count))
        for day, on_day in groupby(sorted(rows), key=itemgetter(0)):
            day_rows = [(place, minute) for _day, place, minute in on_day]
            self._came[[place for place, _minute in day_rows], day - first] = 1.0
            apart = {
                (place, other)
                for (place, minute), (other, then) in permutations(day_rows, 2)
                if place != other and abs(minute - then) > _REPEATED
            }
            for pair in apart:
                self._shared[pair] += 1.0

    def evidence(self, place: int) -> NDArray[np.float64]:
        """What the days add to how alike one is to each of all, see `_TURNS`."""
        days = np.arange(self._came.shape[1])
        before = np.concatenate((np.zeros((len(self._came), 1)), np.cumsum(self._came, axis=1)), axis=1)
        begin = self._came.argmax(axis=1)
        end = len(days) - self._came[:, ::-1].argmax(axis=1)
        begin, end = np.maximum(begin, begin[place]), np.minimum(end, end[place])
        end = np.maximum(begin, end)
        every = np.arange(len(self._came))
        own, other = before[place, end] - before[place, begin], before[every, end] - before[every, begin]
        by_chance = own * other / np.maximum(1, end - begin)
        nats = (1 - _TWICE) * by_chance + log(_TWICE) * self._shared[place]
        added: NDArray[np.float64] = np.minimum(_MOST_TURNS, _TURNS * nats)
        return added

    def join(self, left: int, right: int) -> None:
        """Take two as one from now on, under the first."""
        self._came[left] = np.maximum(self._came[left], self._came[right])
        row = self._shared[left] + self._shared[right]
        self._shared[left], self._shared[:, left] = row, row


def link_by_average(
    alike: NDArray[np.float64], sizes: Sequence[int], least: float, days: SharedDays
) -> list[list[int]]:
    """Join what is on average more alike than `least`, the most alike first; the groups of places.

    Args:
        alike: of each two; minus infinity keeps two apart, and all that they are joined with.
        sizes: how many records each stands for.
        least: where joining ends.
        days: what their days say for and against them is added.
    """
    means, size = alike.copy(), np.array(sizes, dtype=np.float64)
    np.fill_diagonal(means, -np.inf)
    groups = {place: [place] for place in range(len(means))}
    scores = means + np.stack([days.evidence(place) for place in groups])
    best = scores.argmax(axis=1)
    while len(groups) > 1:
        left = int(scores[np.arange(len(best)), best].argmax())
        right = int(best[left])
        if scores[left, right] <= least:
            break
        row = (size[left] * means[left] + size[right] * means[right]) / (size[left] + size[right])
        row[[left, right]] = -np.inf
        means[left], means[:, left] = row, row
        means[right], means[:, right] = -np.inf, -np.inf
        days.join(left, right)
        row = row + days.evidence(left)
        scores[left], scores[:, left] = row, row
        scores[right], scores[:, right] = -np.inf, -np.inf
        size[left] += size[right]
        groups[left] += groups.pop(right)
        # Only rows whose best was one of both can have a worse one now; the others may have a better one.
        stale = np.flatnonzero((best == left) | (best == right))
        best[stale] = scores[stale].argmax(axis=1)
        best[left] = scores[left].argmax()
        rows = np.arange(len(best))
        best = np.where(scores[:, left] > scores[rows, best], left, best)
    return list(groups.values())


def _last_time(prototype: Prototype) -> datetime:
    return max(member.time for member in prototype.members)


def _share_of_same_time(prototypes: Sequence[Prototype]) -> NDArray[np.float64]:
    """The mean over the records of two prototypes of how nearly they are of the same time of day, 0..1."""
    share = np.zeros((len(prototypes), _PARTS))
    for row, prototype in enumerate(prototypes):
        for member in prototype.members:
            minute = member.time.hour * 60 + member.time.minute
            share[row, minute * _PARTS // 1440] += 1 / len(prototype.members)
    apart = np.abs(np.arange(_PARTS)[:, None] - np.arange(_PARTS)) * 1440 / _PARTS
    curve = np.exp(-0.5 * (np.minimum(apart, 1440 - apart) / _ABOUT) ** 2)
    same: NDArray[np.float64] = share @ curve @ share.T
    return same


def _central_first(
    group: Sequence[int], prototypes: Sequence[Prototype], cosines: NDArray[np.float64]
) -> list[int]:
    """The places of a habit's wordings, the one first that is most like the newest records."""
    times = sorted((member.time, place) for place in group for member in prototypes[place].members)
    weight = np.zeros(len(cosines))
    for later, (_time, place) in enumerate(reversed(times)):
        weight[place] += 0.5 ** (later / _LATER_RECORDS)
    central = max(group, key=lambda place: (round(float(cosines[place] @ weight), 6), prototypes[place].id))
    return [central, *(place for place in group if place != central)]
