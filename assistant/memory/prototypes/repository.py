"""Prototypes in the database, the job that updates them, and the user's decisions about them.

`PrototypeRepository` loads prototypes when they are needed. `AggregationJob` places records in portions of
one transaction each, so that it can be killed at any time. `UserOverrides` writes the user's decisions, which
are stored apart from derived data and can be undone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, func, select, update

from assistant.embedding.embedder import Vectors
from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.audit import Change
from assistant.memory.database import StoreBusy, portions, put_row
from assistant.memory.prototypes.clustering import (
    NO_CONSTRAINTS,
    Cluster,
    ClusterChanges,
    ClusteringConstraints,
    ClusteringRules,
    IncrementalClustering,
    SampledRecord,
    rank,
)
from assistant.memory.prototypes.model import faded
from assistant.memory.prototypes.similarity import RecordFeatures, extract_features
from assistant.memory.prototypes.terms import main_clause
from assistant.memory.schema import RECORD_VECTOR
from assistant.memory.store import Store, drop_prototypes, ignored_records, read_record
from assistant.memory.vectors import EmbeddingProgress, VectorCache
from assistant.records import Record

_BY_USER = "asked by the user"


_FROM_SUGGESTIONS = "suggestions"
"""The text of a decision to hide what is only left out of suggestions."""


class OverrideKind(StrEnum):
    """The kind of a decision about a record, or about two records."""

    NAME = "name"
    HIDE = "hide"
    PIN = "pin"
    TOGETHER = "together"
    APART = "apart"
    WINDOW = "window"
    PLACE = "place"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class OverrideSet:
    """All decisions of a user about prototypes. A prototype is identified by one of its records.

    `hidden`, `pinned` and `alone` hold record ids; `names`, `windows` and `places` are texts by record id.
    Of the hidden ones those in `unsuggested` are only left out of suggestions.
    """

    constraints: ClusteringConstraints
    names: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    unsuggested: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    windows: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)


def read_overrides(connection: Connection, user_id: str) -> OverrideSet:
    """Read a user's decisions; `constraints.left_out` are the records that are not learnt from."""
    table = schema.prototype_decisions
    rows = connection.execute(select(table).where(table.c.user_id == user_id).order_by(table.c.time)).all()

    def records(kind: OverrideKind) -> frozenset[str]:
        return frozenset(row.record_id for row in rows if row.kind == kind)

    def texts(kind: OverrideKind) -> dict[str, str]:
        return {row.record_id: row.text for row in rows if row.kind == kind}

    def pairs(kind: OverrideKind) -> tuple[tuple[str, str], ...]:
        return tuple(sorted((row.record_id, row.other) for row in rows if row.kind == kind))

    return OverrideSet(
        constraints=ClusteringConstraints(
            pairs(OverrideKind.TOGETHER),
            pairs(OverrideKind.APART),
            ignored_records(connection, user_id),
        ),
        names=texts(OverrideKind.NAME),
        hidden=records(OverrideKind.HIDE),
        unsuggested=frozenset(record for record, text in texts(OverrideKind.HIDE).items() if text),
        pinned=records(OverrideKind.PIN),
        alone=records(OverrideKind.ALONE),
        windows=texts(OverrideKind.WINDOW),
        places=texts(OverrideKind.PLACE),
    )


class UserOverrides:
    """Writes a user's decisions.

    Each call is one change of the audit, and returns its id; None for no change.

    In all methods, `members` are the ids of a prototype's records, the centre first.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def rename(self, members: Sequence[str], instruction: str) -> int | None:
        """Set the instruction of a prototype; an empty one restores that of its centre."""
        texts = {members[0]: instruction} if instruction else {}
        return self._replace("Rename a prototype", OverrideKind.NAME, members, texts)

    def keep_to(self, members: Sequence[str], window: str) -> int | None:
        """Suggest a prototype only within a time window, as `TimeWindow` is written; empty for any time."""
        texts = {members[0]: window} if window else {}
        return self._replace("Give a prototype its hours", OverrideKind.WINDOW, members, texts)

    def place(self, members: Sequence[str], scenario: str) -> int | None:
        """Suggest a prototype only in one scenario; empty for any."""
        texts = {members[0]: scenario} if scenario else {}
        return self._replace("Give a prototype its place", OverrideKind.PLACE, members, texts)

    def hide(
        self,
        members: Sequence[str],
        hidden: bool = True,
        others: Sequence[str] = (),
        *,
        only_suggestions: bool = False,
    ) -> int | None:
        """Hide a prototype from answers and suggestions, or show it again.

        `others` are the centres of further prototypes to hide or show. With `only_suggestions` a command that
        means it is understood as before.
        """
        from_what = _FROM_SUGGESTIONS if only_suggestions else ""
        chosen = dict.fromkeys((members[0], *others), from_what) if hidden else {}
        return self._replace("Hide or show a prototype", OverrideKind.HIDE, (*members, *others), chosen)

    def pin(self, members: Sequence[str], pinned: bool = True) -> int | None:
        """Keep a prototype from being archived, or let it fade again."""
        chosen = {members[0]: ""} if pinned else {}
        return self._replace("Pin or unpin a prototype", OverrideKind.PIN, members, chosen)

    def let_alone(self, members: Sequence[str], alone: bool = True) -> int | None:
        """Let a routine start by itself at its time, or only be offered again."""
        chosen = {members[0]: ""} if alone else {}
        return self._replace("Let a prototype begin by itself or not", OverrideKind.ALONE, members, chosen)

    def merge(self, members: Sequence[str], others: Sequence[str]) -> int | None:
        """Merge two prototypes. Earlier decisions to keep their records apart are deleted."""
        sides = {*members}, {*others}
        with self._store.change("Merge two prototypes", _BY_USER) as change:
            table = schema.prototype_decisions
            rows = change.connection.execute(
                select(table).where(table.c.user_id == self._user_id, table.c.kind == OverrideKind.APART)
            ).mappings()
            between = [
                dict(row)
                for row in rows
                if any(row["record_id"] in left and row["other"] in right for left, right in _both(*sides))
            ]
            change.delete_all(table, between)
            change.put(table, self._row(OverrideKind.TOGETHER, *sorted((members[0], others[0]))))
        return change.id

    def split(self, members: Sequence[str], taken: Sequence[str]) -> int | None:
        """Split a prototype: the records `taken` form one of their own.

        Raises:
            ValueError: no record is taken, or none stays.
        """
        leaving = list(dict.fromkeys(record_id for record_id in taken if record_id in set(members)))
        staying = [record_id for record_id in members if record_id not in set(leaving)]
        if not leaving or not staying:
            raise ValueError(_("Name some of the prototype's records, and leave some."))
        apart = {tuple(sorted(pair)) for pair in ((record_id, staying[0]) for record_id in leaving)}
        apart |= {tuple(sorted((leaving[0], record_id))) for record_id in staying}
        with self._store.change("Split a prototype", _BY_USER) as change:
            for left, right in sorted(apart):
                change.put(schema.prototype_decisions, self._row(OverrideKind.APART, left, right))
            for record_id in leaving[1:]:
                pair = sorted((leaving[0], record_id))
                change.put(schema.prototype_decisions, self._row(OverrideKind.TOGETHER, *pair))
        return change.id

    def _replace(
        self, what: str, kind: OverrideKind, record_ids: Sequence[str], texts: Mapping[str, str]
    ) -> int | None:
        """Replace all decisions of a kind about some records by `texts`, which are by record id."""
        table = schema.prototype_decisions
        with self._store.change(what, _BY_USER) as change:
            rows = change.connection.execute(
                select(table).where(table.c.user_id == self._user_id, table.c.kind == kind)
            ).mappings()
            affected = set(record_ids)
            removed = [dict(row) for row in rows if row["record_id"] in affected - set(texts)]
            change.delete_all(table, removed)
            for record_id, text in texts.items():
                change.put(table, {**self._row(kind, record_id), "text": text})
        return change.id

    def _row(self, kind: OverrideKind, record_id: str, other: str = "") -> dict[str, Any]:
        return {
            "user_id": self._user_id,
            "kind": kind.value,
            "record_id": record_id,
            "other": other,
            "text": "",
            "time": self._store.now().isoformat(),
        }


def _both(left: set[str], right: set[str]) -> tuple[tuple[set[str], set[str]], ...]:
    return (left, right), (right, left)


_P, _M = schema.prototypes, schema.prototype_members
_R, _V = schema.records, schema.vectors


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """The inputs with which a user's prototypes were made.

    Attributes:
        revision: rises with every aggregation.
        dirty: whether records were removed from prototypes since.
        made_with: a digest of the rules and the embedding model.
        constraints: the user's decisions that they obey.
    """

    revision: int
    dirty: bool
    made_with: str
    constraints: ClusteringConstraints


class ConcurrentUpdate(Exception):
    """Another program has changed the user's prototypes in the meantime."""


class PrototypeRepository:
    """The prototypes of one user in one store.

    Args:
        store: the database.
        vectors: the vectors of records.
        user_id: the user.
        rules: how records become prototypes.
    """

    def __init__(self, store: Store, vectors: VectorCache, user_id: str, rules: ClusteringRules) -> None:
        self._store = store
        self._vectors = vectors
        self._rules = rules
        self.user_id = user_id
        self.made_with = _digest(rules, vectors.embeds.model_id)

    def state(self) -> RepositoryState | None:
        """The inputs of the stored prototypes; None before the first aggregation."""
        table = schema.prototype_states
        with self._store.reader() as connection:
            row = connection.execute(select(table).where(table.c.user_id == self.user_id)).one_or_none()
        if row is None:
            return None
        return RepositoryState(row.revision, row.dirty, row.made_with, _read_constraints(row.wishes))

    def unplaced(self, until: datetime | None, left_out: frozenset[str]) -> dict[str, str]:
        """What the records that are in no prototype yet do, as it is embedded, by record id, oldest first."""
        query = self._unplaced(_R.c.id, _R.c.instruction)
        if until is not None:
            query = query.where(_R.c.moment <= until.timestamp())
        with self._store.reader() as connection:
            rows = connection.execute(query.order_by(_R.c.moment, _R.c.id)).all()
        return {row.id: main_clause(row.instruction) for row in rows if row.id not in left_out}

    def is_behind(self, left_out: frozenset[str]) -> bool:
        """Whether some record is in no prototype yet."""
        with self._store.reader() as connection:
            rows = connection.execute(self._unplaced(_R.c.id).limit(len(left_out) + 1)).scalars().all()
        return any(name not in left_out for name in rows)

    def _unplaced(self, *columns: ColumnElement[Any]) -> Select[Any]:
        query = select(*columns).select_from(_R.outerjoin(_M, _R.c.id == _M.c.record_id))
        return query.where(_R.c.user_id == self.user_id, _M.c.record_id.is_(None))

    def load_features(self, record_ids: Sequence[str]) -> list[RecordFeatures]:
        """The features of some records, in order; missing records are left out."""
        records: dict[str, Record] = {}
        with self._store.reader() as connection:
            for portion in portions(record_ids):
                for row in connection.execute(select(_R).where(_R.c.id.in_(portion))).mappings():
                    records[row["id"]] = read_record(row)
        present = [records[name] for name in record_ids if name in records]
        vectors = self._vectors.vectors(
            RECORD_VECTOR, {record.id: main_clause(record.instruction) for record in present}
        )
        return [extract_features(record, vector) for record, vector in zip(present, vectors, strict=True)]

    def centres(self) -> tuple[list[str], Vectors]:
        """The ids of all prototypes, and the vectors of their centres: shape (prototypes, dimensions)."""
        same = (_V.c.owner == _P.c.centre) & (_V.c.kind == RECORD_VECTOR)
        query = select(_P.c.id, _V.c.vector).join_from(_P, _V, same)
        query = query.where(_P.c.user_id == self.user_id, _V.c.model_id == self._vectors.embeds.model_id)
        with self._store.reader() as connection:
            rows = connection.execute(query.order_by(_P.c.first, _P.c.id)).all()
        stored: list[NDArray[np.float32]] = [np.frombuffer(row.vector, "<f4") for row in rows]
        empty = np.zeros((0, self._vectors.embeds.dimensions), np.float32)
        return [row.id for row in rows], np.stack(stored) if stored else empty

    def load(self, ids: Sequence[str], chosen: frozenset[str] = frozenset()) -> Iterator[Cluster]:
        """Load prototypes by their ids. `chosen` are the records that the user put together."""
        rows = self._rows(_P.c.id, ids)
        homes = self.homes(chosen)
        record_ids = dict.fromkeys(name for row in rows for name, _ in row["sample"])
        record_ids |= dict.fromkeys([row["centre"] for row in rows])
        record_ids |= dict.fromkeys(name for name, home in homes.items() if home in set(ids))
        features_by_id = {features.record_id: features for features in self.load_features(list(record_ids))}
        for row in rows:
            if (centre := features_by_id.get(row["centre"])) is None:
                continue
            half_life = self._rules.half_life_days
            yield Cluster(
                id=row["id"],
                founder=row["founder"],
                centre=centre,
                first=datetime.fromisoformat(row["first"]),
                last=datetime.fromisoformat(row["last"]),
                count=row["count"],
                weight=row["weight"],
                sample=[
                    SampledRecord(features_by_id[name], rank(name, features_by_id[name].time, half_life), fit)
                    for name, fit in row["sample"]
                    if name in features_by_id
                ],
                archived=row["archived"],
                chosen=[
                    features_by_id[name]
                    for name, home in homes.items()
                    if home == row["id"] and name in features_by_id
                ],
            )

    def homes(self, record_ids: Iterable[str]) -> dict[str, str]:
        """The prototype ids of some records, by record id."""
        with self._store.reader() as connection:
            return _homes(connection, record_ids)

    def heaviest(self, count: int, *, with_archived: bool = False) -> list[str]:
        """The ids of the `count` prototypes with the largest weight, of those with more than one record.

        Archived ones come last, if at all.
        """
        query = select(_P.c.id).where(_P.c.user_id == self.user_id, _P.c.count > 1)
        query = query if with_archived else query.where(~_P.c.archived)
        ordered = query.order_by(_P.c.archived, _P.c.weight.desc()).limit(count)
        with self._store.reader() as connection:
            return list(connection.execute(ordered).scalars())

    def clear(self, change: Change, record_ids: Iterable[str] | None = None) -> None:
        """Delete the prototypes of some records, or all of the user; their records become unplaced."""
        if record_ids is None:
            for table in (_M, _P):
                change.rebuild(table, table.delete().where(table.c.user_id == self.user_id))
        else:
            for portion in portions(record_ids):
                drop_prototypes(change.connection, portion)

    def write(self, change: Change, changes: ClusterChanges, clusters: Mapping[str, Cluster]) -> None:
        """Write the changes of an aggregation."""
        for newer in changes.merged:
            home = changes.home(newer)
            move = update(_M).where(_M.c.prototype_id == newer).values(prototype_id=home)
            change.rebuild(_M, move)
            change.rebuild(_P, _P.delete().where(_P.c.id == newer))
        rows = [self._row(clusters[name]) for name in sorted(changes.touched) if name in clusters]
        placed = [
            {
                "record_id": placement.record_id,
                "prototype_id": changes.home(placement.prototype_id),
                "user_id": self.user_id,
                "fit": round(placement.fit, 4),
            }
            for placement in changes.placed
        ]
        change.replace(_P, rows)
        change.replace(_M, placed)

    def revision(self, change: Change | None = None) -> int | None:
        """`RepositoryState.revision`, read within `change` if given; None before the first aggregation."""
        table = schema.prototype_states
        query = select(table.c.revision).where(table.c.user_id == self.user_id)
        if change is not None:
            return change.connection.execute(query).scalar_one_or_none()
        with self._store.reader() as connection:
            return connection.execute(query).scalar_one_or_none()

    def require_revision(self, change: Change, revision: int | None) -> None:
        """Raise if another program has changed the prototypes.

        Raises:
            ConcurrentUpdate: the stored revision is another.
        """
        if self.revision(change) != revision:
            raise ConcurrentUpdate

    def require_records(self, change: Change, record_ids: Sequence[str]) -> None:
        """Raise if some records were forgotten while they were placed.

        Raises:
            ConcurrentUpdate: not all of them are there.
        """
        for portion in portions(record_ids):
            query = select(func.count()).select_from(_R).where(_R.c.id.in_(portion))
            if change.connection.execute(query).scalar_one() < len(portion):
                raise ConcurrentUpdate

    def write_state(self, change: Change, constraints: ClusteringConstraints) -> int:
        """Store the inputs of the prototypes with the next revision, and return that revision."""
        revision = (self.revision(change) or 0) + 1
        row = {
            "user_id": self.user_id,
            "revision": revision,
            "dirty": False,
            "made_with": self.made_with,
            "wishes": _write_constraints(constraints),
        }
        put_row(change.connection, schema.prototype_states, row)
        return revision

    def fade(self, change: Change, pinned: frozenset[str], now: datetime) -> int:
        """Archive faded prototypes, and restore those that came back. Returns the number of changed ones."""
        pinned_ids = set(_homes(change.connection, pinned).values())
        turned: dict[bool, list[str]] = {True: [], False: []}
        query = select(_P.c.id, _P.c.weight, _P.c.last, _P.c.archived).where(_P.c.user_id == self.user_id)
        for row in change.connection.execute(query):
            left = faded(row.weight, datetime.fromisoformat(row.last), now, self._rules.half_life_days)
            archived = left < self._rules.archive_below and row.id not in pinned_ids
            if archived != row.archived:
                turned[archived].append(row.id)
        for archived, ids in turned.items():
            for portion in portions(ids):
                change.rebuild(_P, update(_P).where(_P.c.id.in_(portion)).values(archived=archived))
        return sum(map(len, turned.values()))

    def rows(self, ids: Sequence[str] | None, at_least: int = 1) -> list[dict[str, Any]]:
        """The rows of some prototypes; for None, of all with at least `at_least` records, oldest first."""
        if ids is not None:
            return self._rows(_P.c.id, ids)
        query = select(_P).where(_P.c.user_id == self.user_id, _P.c.count >= at_least)
        with self._store.reader() as connection:
            return [dict(row) for row in connection.execute(query.order_by(_P.c.first, _P.c.id)).mappings()]

    def members(self, ids: Sequence[str]) -> dict[str, list[Any]]:
        """The records of some prototypes: rows with record_id, fit, time and scenario, oldest first."""
        query = select(_M.c.prototype_id, _M.c.record_id, _M.c.fit, _R.c.time, _R.c.scenario)
        query = query.join_from(_M, _R, _M.c.record_id == _R.c.id)
        members: dict[str, list[Any]] = {name: [] for name in ids}
        for row in self._fetch(query, _M.c.prototype_id, ids, _R.c.moment):
            members[row.prototype_id].append(row)
        return members

    def _rows(self, column: ColumnElement[str], ids: Sequence[str]) -> list[dict[str, Any]]:
        rows_by_id = {row.id: dict(row._mapping) for row in self._fetch(select(_P), column, ids, _P.c.first)}
        return [rows_by_id[name] for name in ids if name in rows_by_id]

    def _fetch(
        self, query: Select[Any], column: ColumnElement[str], ids: Sequence[str], order: ColumnElement[Any]
    ) -> Iterator[Any]:
        with self._store.reader() as connection:
            for portion in portions(ids):
                yield from connection.execute(query.where(column.in_(portion)).order_by(order))

    def _row(self, cluster: Cluster) -> dict[str, Any]:
        return {
            "id": cluster.id,
            "user_id": self.user_id,
            "founder": cluster.founder,
            "centre": cluster.centre.record_id,
            "count": cluster.count,
            "weight": cluster.weight,
            "first": cluster.first.isoformat(),
            "last": cluster.last.isoformat(),
            "archived": cluster.archived,
            "sample": [[sampled.record.record_id, round(sampled.fit, 4)] for sampled in cluster.sample],
        }


def _homes(connection: Connection, record_ids: Iterable[str]) -> dict[str, str]:
    homes: dict[str, str] = {}
    for portion in portions(record_ids):
        query = select(_M.c.record_id, _M.c.prototype_id).where(_M.c.record_id.in_(portion))
        homes.update((row.record_id, row.prototype_id) for row in connection.execute(query))
    return homes


_FEATURES_VERSION = 2
"""Increase it when `extract_features` changes, so that all prototypes are made again."""


def _digest(rules: ClusteringRules, model_id: str) -> str:
    return hashlib.blake2b(f"{rules} {model_id} {_FEATURES_VERSION}".encode(), digest_size=12).hexdigest()


def _write_constraints(constraints: ClusteringConstraints) -> dict[str, Any]:
    return {
        "together": [list(pair) for pair in constraints.together],
        "apart": [list(pair) for pair in constraints.apart],
        "left_out": sorted(constraints.left_out),
    }


def _read_constraints(stored: Mapping[str, Any]) -> ClusteringConstraints:
    if not stored:
        return NO_CONSTRAINTS
    return ClusteringConstraints(
        tuple((first, second) for first, second in stored["together"]),
        tuple((first, second) for first, second in stored["apart"]),
        frozenset(stored["left_out"]),
    )


_PORTION = 500
"""How many records are placed in one transaction."""
_HELD = 3000
"""How many prototypes stay in memory between two portions."""
_TRIES = 5
"""How often a run starts again after another program has changed the same prototypes."""

Tell = Callable[[EmbeddingProgress], None]
"""Called with the progress, in records."""


@dataclass(frozen=True, slots=True)
class AggregationResult:
    """The result of a run: numbers of records placed, and of prototypes changed, merged and archived.

    `archived` includes prototypes that were restored from the archive.
    """

    placed: int = 0
    changed: int = 0
    merged: int = 0
    archived: int = 0

    def __add__(self, other: AggregationResult) -> AggregationResult:
        """The sums of two runs."""
        return AggregationResult(
            self.placed + other.placed,
            self.changed + other.changed,
            self.merged + other.merged,
            self.archived + other.archived,
        )


class AggregationJob:
    """Updates users' prototypes from their records, and keeps them in memory between runs.

    Args:
        store: the database with records and prototypes.
        vectors: the vectors of records.
        rules: how records become prototypes.
    """

    def __init__(self, store: Store, vectors: VectorCache, rules: ClusteringRules) -> None:
        self._store = store
        self._vectors = vectors
        self._rules = rules
        self._streams: dict[str, tuple[int | None, IncrementalClustering]] = {}

    def stream(self, repository: PrototypeRepository, overrides: OverrideSet) -> IncrementalClustering:
        """A user's prototypes in memory, loaded again if another program has changed them."""
        revision = repository.revision()
        cached = self._streams.get(repository.user_id)
        if cached is not None and cached[0] == revision:
            return cached[1]
        chosen = frozenset(record_id for pair in overrides.constraints.together for record_id in pair)
        named = chosen | {record_id for pair in overrides.constraints.apart for record_id in pair}
        load = partial(repository.load, chosen=chosen)
        stream = IncrementalClustering(
            self._vectors.embeds.dimensions, self._rules, overrides.constraints, load
        )
        homes = repository.homes(named)
        stream.restore(*repository.centres(), homes)
        placed = [
            features for features in repository.load_features(sorted(chosen)) if features.record_id in homes
        ]
        if placed:
            stream.restore(
                [features.record_id for features in placed],
                np.stack([features.vector for features in placed]),
                {},
            )
        self._streams[repository.user_id] = revision, stream
        return stream

    def is_current(self, repository: PrototypeRepository, overrides: OverrideSet) -> bool:
        """Whether a user's prototypes hold all records, and decisions, rules and model are the same."""
        state = repository.state()
        return (
            state is not None
            and not state.dirty
            and state.made_with == repository.made_with
            and state.constraints == overrides.constraints
            and not repository.is_behind(overrides.constraints.left_out)
        )

    def run(
        self,
        repository: PrototypeRepository,
        overrides: OverrideSet,
        until: datetime | None,
        tell: Tell | None,
    ) -> AggregationResult:
        """Place the records that are in no prototype yet; see `HierarchicalMemory.aggregate`.

        Raises:
            StoreBusy: another program keeps changing the same prototypes.
        """
        total = AggregationResult()
        for _attempt in range(_TRIES):
            try:
                for step in self._steps(repository, overrides, until, tell):
                    total += step
            except ConcurrentUpdate:
                self._streams.pop(repository.user_id, None)
                continue
            return total
        raise StoreBusy(_("Another program aggregates the same records. Try again when it is done."))

    def _steps(
        self,
        repository: PrototypeRepository,
        overrides: OverrideSet,
        until: datetime | None,
        tell: Tell | None,
    ) -> Iterator[AggregationResult]:
        change_id = self._drop_outdated(repository, overrides)
        waiting = repository.unplaced(until, overrides.constraints.left_out)
        for _progress in self._vectors.fill(RECORD_VECTOR, waiting):
            pass
        stream, done = self.stream(repository, overrides), 0
        for ids in portions(waiting, _PORTION):
            changes = stream.add(repository.load_features(ids))
            with self._store.change("Aggregate records", "records are new", change_id) as change:
                repository.require_revision(change, self._streams[repository.user_id][0])
                repository.require_records(change, [placed.record_id for placed in changes.placed])
                repository.write(change, changes, stream.clusters)
                revision = repository.write_state(change, overrides.constraints)
            self._streams[repository.user_id] = revision, stream
            change_id = change.id
            stream.release(_HELD)
            done += len(ids)
            if tell is not None:
                tell(EmbeddingProgress(done, len(waiting)))
            yield AggregationResult(len(changes.placed), len(changes.touched), len(changes.merged))
        with self._store.change("Aggregate records", "evidence fades", change_id) as change:
            archived = repository.fade(change, overrides.pinned, self._store.now())
        yield AggregationResult(archived=archived)

    def _drop_outdated(self, repository: PrototypeRepository, overrides: OverrideSet) -> int | None:
        """Delete prototypes that were made with other rules, constraints or another model.

        Returns:
            The id of the change; None if none was outdated.
        """
        state = repository.state()
        stale = state is not None and state.made_with != repository.made_with
        before = state.constraints if state is not None else ClusteringConstraints()
        if state is not None and not stale and not state.dirty and before == overrides.constraints:
            return None
        with self._store.change("Aggregate records", "wishes, rules, records or the model changed") as change:
            repository.clear(change, None if stale else _differing(before, overrides.constraints))
            repository.write_state(change, overrides.constraints)
        self._streams.pop(repository.user_id, None)
        return change.id


def _differing(before: ClusteringConstraints, after: ClusteringConstraints) -> list[str]:
    """The ids of the records about which two sets of constraints differ."""
    pairs = {*before.together, *before.apart} ^ {*after.together, *after.apart}
    return sorted({record_id for pair in pairs for record_id in pair} | (before.left_out ^ after.left_out))
