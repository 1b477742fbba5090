"""Writing to the memory: one transaction, one line in the audit, and what is needed to take it back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update
from sqlalchemy.sql.dml import Delete, Insert, Update

from assistant.memory import schema
from assistant.memory.database import Database, Drop
from assistant.memory.rows import Row, digest, found, key_of, portions, where

Counts = dict[str, dict[str, int]]
"""How many rows of which table were inserted, updated, deleted, erased or rebuilt."""


class ChangeKind(StrEnum):
    """What a line of the audit is. Only changes can be undone, and redone by undoing the undo."""

    CHANGE = "change"
    UNDO = "undo"
    REDO = "redo"
    FORGET = "forget"
    REBUILD = "rebuild"


class NoSuchRow(KeyError):
    """A row to be updated or deleted is not there."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What a change says about itself. `target` is the change that an undo or a redo is of."""

    what: str
    why: str
    kind: ChangeKind = ChangeKind.CHANGE
    target: int | None = None


class Change:
    """Writes within one transaction, keeping of each row what is needed to take it back.

    Keys and rows are mappings of column names. Of an inserted row only a digest is kept, as the row itself
    stands in its table; of an update the columns that differ, before and after; of a deleted row everything.
    Columns with defaults that are not empty must be given. A change that writes nothing leaves no line.
    """

    def __init__(
        self,
        connection: Connection,
        heading: Heading,
        time: datetime,
        change_id: int | None,
        drops: Sequence[Drop],
    ) -> None:
        self.connection = connection
        self.id = change_id
        self._drops = drops
        self._heading = heading
        self._time = time
        self._counts: Counts = {}
        self._records: dict[str, None] = {}
        self._keeps_rows = False

    def insert(self, table: Table, rows: Iterable[Row]) -> int:
        """Add rows. Returns how many.

        Raises:
            IntegrityError: one is there already.
        """
        count = 0
        for portion in portions(rows):
            self.connection.execute(insert(table), [dict(row) for row in portion])
            self._keep(
                {**_of(table, row), "before": None, "after": None, "digest": digest(table, row)}
                for row in portion
            )
            count += len(portion)
        self.count(table, "inserted", count)
        return count

    def insert_missing(self, table: Table, rows: Iterable[Row]) -> int:
        """Add the rows whose keys are not there yet and leave the others. Returns how many were new."""
        count = 0
        for portion in portions(rows):
            by_key = {key_of(table, row): row for row in reversed(portion)}
            known = found(self.connection, table, list(by_key.values()))
            count += self.insert(table, [row for key, row in reversed(by_key.items()) if key not in known])
        return count

    def update(self, table: Table, key: Row, values: Row) -> bool:
        """Replace some columns of a row. Returns whether anything differed.

        Raises:
            NoSuchRow: it is not there.
        """
        row = self._row(table, key)
        new = {name: value for name, value in values.items() if row[name] != value}
        if new:
            self.connection.execute(update(table).where(where(table, [key])).values(new))
            before = {name: row[name] for name in new}
            self._keep([{**_of(table, key), "before": before, "after": new, "digest": ""}])
            self.count(table, "updated", 1)
            self._touch(table, key)
        return bool(new)

    def put(self, table: Table, row: Row) -> bool:
        """Add a row, or update the one that has its key. Returns whether anything differed."""
        if found(self.connection, table, [row]):
            return self.update(table, row, row)
        return bool(self.insert(table, [row]))

    def delete(self, table: Table, key: Row) -> None:
        """Take a row out; it can come back. Rows that hang on it by foreign keys must go first.

        Raises:
            NoSuchRow: it is not there.
        """
        self.delete_all(table, [self._row(table, key)])

    def delete_all(self, table: Table, rows: Iterable[Row]) -> int:
        """Take whole rows out that were just read; they can come back. Returns how many."""
        count = 0
        for portion in portions(rows):
            self.connection.execute(delete(table).where(where(table, portion)))
            self._keep(
                {**_of(table, row), "before": dict(row), "after": None, "digest": ""} for row in portion
            )
            for row in portion:
                self._touch(table, row)
            count += len(portion)
        self.count(table, "deleted", count)
        return count

    def erase(self, table: Table, keys: Sequence[Row]) -> int:
        """Delete rows for good, with every word that the audit keeps of them. Returns how many were there."""
        count = 0
        rows = schema.change_rows
        for portion in portions(keys):
            count += self.connection.execute(delete(table).where(where(table, portion))).rowcount
            texts = [key_of(table, key) for key in portion]
            self.connection.execute(
                delete(rows).where(rows.c.table_name == table.name, rows.c.key.in_(texts))
            )
            for key in portion:
                self._touch(table, key)
        self.count(table, "erased", count)
        return count

    def rebuild(self, table: Table, statement: Insert | Update | Delete, rows: Sequence[Row] = ()) -> int:
        """Write data that can be made anew from records: only the number of rows is kept. Returns it."""
        result = self.connection.execute(statement, [dict(row) for row in rows] if rows else None)
        count = len(rows) or max(0, result.rowcount)
        self.count(table, "rebuilt", count)
        return count

    def count(self, table: Table, verb: str, count: int) -> None:
        """Tell of rows that were written outside the audit, in the summary of the change."""
        if count:
            verbs = self._counts.setdefault(table.name, {})
            verbs[verb] = verbs.get(verb, 0) + count

    def replace(self, table: Table, rows: Sequence[Row]) -> int:
        """Put rows that can be made anew in the place of those that have their keys. Returns how many."""
        for portion in portions(rows):
            self.connection.execute(delete(table).where(where(table, portion)))
            self.connection.execute(insert(table), [dict(row) for row in portion])
        self.count(table, "rebuilt", len(rows))
        return len(rows)

    def close(self) -> None:
        """Drop what was made from records that changed, and write the line of the audit."""
        for portion in portions(self._records):
            for drop in self._drops:
                drop(self.connection, portion)
        if self._counts:
            changes = schema.changes
            change_id = self._line()
            kind, counts = self.connection.execute(
                select(changes.c.kind, changes.c.counts).where(changes.c.id == change_id)
            ).one()
            if kind == ChangeKind.REBUILD and self._keeps_rows:
                kind = self._heading.kind
            values = {"counts": _summed(counts, self._counts), "kind": kind}
            self.connection.execute(update(changes).where(changes.c.id == change_id).values(values))

    def _row(self, table: Table, key: Row) -> dict[str, Any]:
        rows = found(self.connection, table, [key])
        if not rows:
            raise NoSuchRow(f"{table.name} has no row {key_of(table, key)}")
        return next(iter(rows.values()))

    def _keep(self, rows: Iterable[dict[str, Any]]) -> None:
        if kept := [{"change_id": self._line(), **row} for row in rows]:
            self.connection.execute(insert(schema.change_rows), kept)
            self._keeps_rows = True

    def _touch(self, table: Table, row: Row) -> None:
        if table is schema.records:
            self._records[row["id"]] = None

    def _line(self) -> int:
        """The id of the line in the audit, which is made when it is first needed."""
        if self.id is None:
            kind = self._heading.kind
            values: dict[str, Any] = {
                "time": self._time.isoformat(),
                "what": self._heading.what,
                "why": self._heading.why,
                "kind": ChangeKind.REBUILD if kind is ChangeKind.CHANGE else kind,
                "target": self._heading.target,
                "undone": False,
                "counts": {},
            }
            statement = insert(schema.changes).values(values).returning(schema.changes.c.id)
            self.id = int(self.connection.execute(statement).scalar_one())
        return self.id


@contextmanager
def changing(
    database: Database, heading: Heading, now: Callable[[], datetime], change_id: int | None = None
) -> Iterator[Change]:
    """A transaction that is one change; nothing is kept when the body raises.

    With `change_id` it adds to a change that is there already: a long one, done in portions.

    Raises:
        StoreError: see `Database.write`.
    """
    with database.write() as connection:
        change = Change(connection, heading, now(), change_id, database.drops)
        yield change
        change.close()


def _of(table: Table, row: Row) -> dict[str, str]:
    return {"table_name": table.name, "key": key_of(table, row)}


def _summed(counts: Mapping[str, Mapping[str, int]], more: Counts) -> Counts:
    return {
        table: {
            verb: counts.get(table, {}).get(verb, 0) + more.get(table, {}).get(verb, 0)
            for verb in sorted({*counts.get(table, {}), *more.get(table, {})})
        }
        for table in sorted({*counts, *more})
    }


def read_key(text: str) -> dict[str, Any]:
    """The inverse of `rows.key_of`."""
    key: dict[str, Any] = json.loads(text)
    return key
