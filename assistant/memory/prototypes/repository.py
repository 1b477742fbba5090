"""Prototypes in the store: fetched when they are needed, written back a portion of records at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, select, update

from assistant.embedding.embeds import Vectors
from assistant.memory import schema
from assistant.memory.changes import Change
from assistant.memory.derived import RECORD_VECTOR, drop_prototypes
from assistant.memory.him.clusters import Cluster, Sampled, faded, rank
from assistant.memory.him.reading import Reading, read
from assistant.memory.him.wishes import NO_WISHES, Wishes
from assistant.memory.prototypes.clustering import Changes, Rules
from assistant.memory.records import read_record
from assistant.memory.rows import portions, put
from assistant.memory.store import Store
from assistant.memory.vectors import VectorCache
from assistant.records import Record

_P, _M = schema.prototypes, schema.prototype_members
_R, _V = schema.records, schema.vectors


@dataclass(frozen=True, slots=True)
class ShelfState:
    """What a user's prototypes were made with, and whether something was taken out of them since."""

    revision: int
    dirty: bool
    made_with: str
    wishes: Wishes


class Overtaken(Exception):
    """Another program has changed the user's prototypes meanwhile."""


class Shelf:
    """The prototypes of one user in one store.

    Args:
        store: where they are.
        vectors: the vectors of records.
        user_id: whose they are.
        rules: how records become prototypes.
    """

    def __init__(self, store: Store, vectors: VectorCache, user_id: str, rules: Rules) -> None:
        self._store = store
        self._vectors = vectors
        self._rules = rules
        self.user_id = user_id
        self.made_with = _digest(rules, vectors.embeds.model_id)

    def state(self) -> ShelfState | None:
        """The state of what is there; None when nothing was made yet."""
        table = schema.prototype_states
        with self._store.reader() as connection:
            row = connection.execute(select(table).where(table.c.user_id == self.user_id)).one_or_none()
        if row is None:
            return None
        return ShelfState(row.revision, row.dirty, row.made_with, _read_wishes(row.wishes))

    def unplaced(self, until: datetime | None, left_out: frozenset[str]) -> dict[str, str]:
        """The instructions of records in no prototype yet, by their ids, oldest first."""
        query = self._unplaced(_R.c.id, _R.c.instruction)
        if until is not None:
            query = query.where(_R.c.moment <= until.timestamp())
        with self._store.reader() as connection:
            rows = connection.execute(query.order_by(_R.c.moment, _R.c.id)).all()
        return {row.id: row.instruction for row in rows if row.id not in left_out}

    def is_behind(self, left_out: frozenset[str]) -> bool:
        """Whether some record is in no prototype yet."""
        with self._store.reader() as connection:
            rows = connection.execute(self._unplaced(_R.c.id).limit(len(left_out) + 1)).scalars().all()
        return any(name not in left_out for name in rows)

    def _unplaced(self, *columns: ColumnElement[Any]) -> Select[Any]:
        query = select(*columns).select_from(_R.outerjoin(_M, _R.c.id == _M.c.record_id))
        return query.where(_R.c.user_id == self.user_id, _M.c.record_id.is_(None))

    def readings(self, record_ids: Sequence[str]) -> list[Reading]:
        """Readings of some records, in order; those that are gone are left out."""
        found: dict[str, Record] = {}
        with self._store.reader() as connection:
            for portion in portions(record_ids):
                for row in connection.execute(select(_R).where(_R.c.id.in_(portion))).mappings():
                    found[row["id"]] = read_record(row)
        there = [found[name] for name in record_ids if name in found]
        vectors = self._vectors.vectors(RECORD_VECTOR, {one.id: one.instruction for one in there})
        return [read(record, vector) for record, vector in zip(there, vectors, strict=True)]

    def centres(self) -> tuple[list[str], Vectors]:
        """The ids of all prototypes and the vectors of their centres, one row each."""
        same = (_V.c.owner == _P.c.centre) & (_V.c.kind == RECORD_VECTOR)
        query = select(_P.c.id, _V.c.vector).join_from(_P, _V, same)
        query = query.where(_P.c.user_id == self.user_id, _V.c.model_id == self._vectors.embeds.model_id)
        with self._store.reader() as connection:
            rows = connection.execute(query.order_by(_P.c.first, _P.c.id)).all()
        stored: list[NDArray[np.float32]] = [np.frombuffer(row.vector, "<f4") for row in rows]
        empty = np.zeros((0, self._vectors.embeds.dimensions), np.float32)
        return [row.id for row in rows], np.stack(stored) if stored else empty

    def load(self, ids: Sequence[str], chosen: frozenset[str] = frozenset()) -> Iterator[Cluster]:
        """Prototypes by their ids. `chosen` are records that the user put together."""
        rows = self._rows(_P.c.id, ids)
        homes = self.homes(chosen)
        wanted = dict.fromkeys(name for row in rows for name, _ in row["sample"])
        wanted |= dict.fromkeys([row["centre"] for row in rows])
        wanted |= dict.fromkeys(name for name, home in homes.items() if home in set(ids))
        known = {one.record_id: one for one in self.readings(list(wanted))}
        for row in rows:
            if (centre := known.get(row["centre"])) is None:
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
                    Sampled(known[name], rank(name, known[name].time, half_life), fit)
                    for name, fit in row["sample"]
                    if name in known
                ],
                archived=row["archived"],
                chosen=[known[name] for name, home in homes.items() if home == row["id"] and name in known],
            )

    def homes(self, record_ids: Iterable[str]) -> dict[str, str]:
        """The prototypes of some records."""
        with self._store.reader() as connection:
            return _homes(connection, record_ids)

    def heaviest(self, count: int) -> list[str]:
        """The ids of the prototypes with more than one record and most evidence in their last days."""
        query = select(_P.c.id).where(_P.c.user_id == self.user_id, _P.c.count > 1, ~_P.c.archived)
        with self._store.reader() as connection:
            return list(connection.execute(query.order_by(_P.c.weight.desc()).limit(count)).scalars())

    def clear(self, change: Change, record_ids: Iterable[str] | None = None) -> None:
        """Drop the prototypes of some records, or all of the user's; their records become unplaced."""
        if record_ids is None:
            for table in (_M, _P):
                change.rebuild(table, table.delete().where(table.c.user_id == self.user_id))
        else:
            for portion in portions(record_ids):
                drop_prototypes(change.connection, portion)

    def write(self, change: Change, made: Changes, clusters: Mapping[str, Cluster]) -> None:
        """Write what aggregation changed."""
        for newer in made.merged:
            home = made.home(newer)
            move = update(_M).where(_M.c.prototype_id == newer).values(prototype_id=home)
            change.rebuild(_M, move)
            change.rebuild(_P, _P.delete().where(_P.c.id == newer))
        rows = [self._row(clusters[name]) for name in sorted(made.touched) if name in clusters]
        placed = [
            {
                "record_id": one.record_id,
                "prototype_id": made.home(one.prototype_id),
                "user_id": self.user_id,
                "fit": round(one.fit, 4),
            }
            for one in made.placed
        ]
        change.replace(_P, rows)
        change.replace(_M, placed)

    def revision(self, change: Change | None = None) -> int | None:
        """The number that rises with every change, as a change sees it; None when nothing was made yet."""
        table = schema.prototype_states
        query = select(table.c.revision).where(table.c.user_id == self.user_id)
        if change is not None:
            return change.connection.execute(query).scalar_one_or_none()
        with self._store.reader() as connection:
            return connection.execute(query).scalar_one_or_none()

    def expect(self, change: Change, revision: int | None) -> None:
        """Go on only when nobody else has changed the prototypes.

        Raises:
            Overtaken: the revision is another.
        """
        if self.revision(change) != revision:
            raise Overtaken

    def note(self, change: Change, wishes: Wishes) -> int:
        """Note what the prototypes are made with, and raise the revision. Returns it."""
        revision = (self.revision(change) or 0) + 1
        row = {
            "user_id": self.user_id,
            "revision": revision,
            "dirty": False,
            "made_with": self.made_with,
            "wishes": _write_wishes(wishes),
        }
        put(change.connection, schema.prototype_states, row)
        return revision

    def fade(self, change: Change, pinned: frozenset[str], now: datetime) -> int:
        """Archive what has faded, wake what came back. Returns how many prototypes changed so."""
        kept = set(_homes(change.connection, pinned).values())
        turned: dict[bool, list[str]] = {True: [], False: []}
        query = select(_P.c.id, _P.c.weight, _P.c.last, _P.c.archived).where(_P.c.user_id == self.user_id)
        for one in change.connection.execute(query):
            left = faded(one.weight, datetime.fromisoformat(one.last), now, self._rules.half_life_days)
            archived = left < self._rules.archive_below and one.id not in kept
            if archived != one.archived:
                turned[archived].append(one.id)
        for archived, ids in turned.items():
            for portion in portions(ids):
                change.rebuild(_P, update(_P).where(_P.c.id.in_(portion)).values(archived=archived))
        return sum(map(len, turned.values()))

    def rows(self, ids: Sequence[str] | None, at_least: int = 1) -> list[dict[str, Any]]:
        """The rows of some prototypes, or of all of the user's with enough records, oldest first."""
        if ids is not None:
            return self._rows(_P.c.id, ids)
        query = select(_P).where(_P.c.user_id == self.user_id, _P.c.count >= at_least)
        with self._store.reader() as connection:
            return [dict(row) for row in connection.execute(query.order_by(_P.c.first, _P.c.id)).mappings()]

    def members(self, ids: Sequence[str]) -> dict[str, list[Any]]:
        """The records of some prototypes: rows with record_id, fit, time and scenario, oldest first."""
        query = select(_M.c.prototype_id, _M.c.record_id, _M.c.fit, _R.c.time, _R.c.scenario)
        query = query.join_from(_M, _R, _M.c.record_id == _R.c.id)
        found: dict[str, list[Any]] = {name: [] for name in ids}
        for row in self._fetch(query, _M.c.prototype_id, ids, _R.c.moment):
            found[row.prototype_id].append(row)
        return found

    def _rows(self, column: ColumnElement[str], ids: Sequence[str]) -> list[dict[str, Any]]:
        found = {row.id: dict(row._mapping) for row in self._fetch(select(_P), column, ids, _P.c.first)}
        return [found[name] for name in ids if name in found]

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
            "sample": [[one.reading.record_id, round(one.fit, 4)] for one in cluster.sample],
        }


def _homes(connection: Connection, record_ids: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for portion in portions(record_ids):
        query = select(_M.c.record_id, _M.c.prototype_id).where(_M.c.record_id.in_(portion))
        found.update((row.record_id, row.prototype_id) for row in connection.execute(query))
    return found


def _digest(rules: Rules, model_id: str) -> str:
    return hashlib.blake2b(f"{rules} {model_id}".encode(), digest_size=12).hexdigest()


def _write_wishes(wishes: Wishes) -> dict[str, Any]:
    return {
        "together": [list(pair) for pair in wishes.together],
        "apart": [list(pair) for pair in wishes.apart],
        "left_out": sorted(wishes.left_out),
    }


def _read_wishes(stored: Mapping[str, Any]) -> Wishes:
    if not stored:
        return NO_WISHES
    return Wishes(
        tuple((one, other) for one, other in stored["together"]),
        tuple((one, other) for one, other in stored["apart"]),
        frozenset(stored["left_out"]),
    )
