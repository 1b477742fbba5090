"""The audit: every change of the memory in one transaction, with what is needed to undo it.

`Change` writes rows and notes what it did to each; `changing` opens one. `Audit` lists changes, and undoes
and redoes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, select, update
from sqlalchemy.sql.dml import Delete, Insert, Update

from assistant.i18n import _, joined
from assistant.memory import schema
from assistant.memory.database import (
    AT_ONCE,
    Database,
    Drop,
    Row,
    StoreError,
    digest,
    find_rows,
    key_condition,
    key_of,
    portions,
)

Counts = dict[str, dict[str, int]]
"""Table name, then verb (inserted, updated, deleted, erased, rebuilt), to the number of rows."""


class ChangeKind(StrEnum):
    """What a line of the audit is. Only changes can be undone, and redone by undoing the undo."""

    CHANGE = "change"
    UNDO = "undo"
    REDO = "redo"
    FORGET = "forget"
    REBUILD = "rebuild"


class NoSuchRow(KeyError):
    """The row to update or delete does not exist."""


@dataclass(frozen=True, slots=True)
class ChangeHeader:
    """The description of a change in the audit.

    `target` is the id of the change that an undo or redo reverts.
    """

    what: str
    why: str
    kind: ChangeKind = ChangeKind.CHANGE
    target: int | None = None


class Change:
    """Writes rows in one transaction, and logs what is needed to undo each write.

    Keys and rows map column names to values. The log keeps a digest of each inserted row (the row itself is
    in its table), the columns that differ of an updated row, before and after, and the whole of a deleted
    row. Columns whose default is not empty must be passed. A change that writes nothing gets no line in the
    audit.

    `id` is the id of its line in the audit. `revision` is the revision of the memory once the change is
    closed. Both are None for a change that wrote nothing.
    """

    def __init__(
        self,
        connection: Connection,
        heading: ChangeHeader,
        time: datetime,
        change_id: int | None,
        drops: Sequence[Drop],
    ) -> None:
        self.connection = connection
        self.id = change_id
        self.revision: int | None = None
        # The write lock is held: revisions are in the order of the transactions, in every process. It is read
        # before anything is written, because wiping the memory deletes the lines of the audit too.
        self._next_revision = newest_revision(connection) + 1
        self._drops = drops
        self._heading = heading
        self._time = time
        self._counts: Counts = {}
        self._records: dict[str, None] = {}
        self._keeps_rows = False

    def insert(self, table: Table, rows: Iterable[Row]) -> int:
        """Add rows. Returns how many.

        Raises:
            IntegrityError: a row with the same key exists.
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
        """Add the rows whose keys do not exist yet; existing rows stay. Returns the number of new rows."""
        count = 0
        for portion in portions(rows):
            by_key = {key_of(table, row): row for row in reversed(portion)}
            existing = find_rows(self.connection, table, list(by_key.values()))
            count += self.insert(table, [row for key, row in reversed(by_key.items()) if key not in existing])
        return count

    def update(self, table: Table, key: Row, values: Row) -> bool:
        """Replace some columns of a row. Returns whether anything differed.

        Raises:
            NoSuchRow: it is not there.
        """
        row = self._row(table, key)
        new = {name: value for name, value in values.items() if row[name] != value}
        if new:
            self.connection.execute(update(table).where(key_condition(table, [key])).values(new))
            before = {name: row[name] for name in new}
            self._keep([{**_of(table, key), "before": before, "after": new, "digest": ""}])
            self.count(table, "updated", 1)
            self._touch(table, key)
        return bool(new)

    def put(self, table: Table, row: Row) -> bool:
        """Add a row, or update the one that has its key. Returns whether anything differed."""
        if find_rows(self.connection, table, [row]):
            return self.update(table, row, row)
        return bool(self.insert(table, [row]))

    def delete(self, table: Table, key: Row) -> None:
        """Delete a row; undo brings it back. Rows that refer to it by foreign key must be deleted first.

        Raises:
            NoSuchRow: it is not there.
        """
        self.delete_all(table, [self._row(table, key)])

    def delete_all(self, table: Table, rows: Iterable[Row]) -> int:
        """Delete rows that were just read, passed whole; undo brings them back. Returns their number."""
        count = 0
        for portion in portions(rows):
            self.connection.execute(delete(table).where(key_condition(table, portion)))
            self._keep(
                {**_of(table, row), "before": dict(row), "after": None, "digest": ""} for row in portion
            )
            for row in portion:
                self._touch(table, row)
            count += len(portion)
        self.count(table, "deleted", count)
        return count

    def erase(self, table: Table, keys: Sequence[Row]) -> int:
        """Delete rows for good, with their copies in the audit. Returns the number of rows that existed."""
        count = 0
        for portion in portions(keys):
            count += self.connection.execute(delete(table).where(key_condition(table, portion))).rowcount
            for key in portion:
                self._touch(table, key)
        self.erase_copies(table, keys)
        self.count(table, "erased", count)
        return count

    def erase_copies(self, table: Table, keys: Iterable[Row]) -> None:
        """Delete what the audit has of some rows, also of rows that were deleted before."""
        rows = schema.change_rows
        for portion in portions(keys):
            texts = [key_of(table, key) for key in portion]
            self.connection.execute(
                delete(rows).where(rows.c.table_name == table.name, rows.c.key.in_(texts))
            )

    def rebuild(self, table: Table, statement: Insert | Update | Delete, rows: Sequence[Row] = ()) -> int:
        """Write derived data, which can be recomputed from records; the audit keeps only the number of rows.

        Returns:
            The number of rows.
        """
        result = self.connection.execute(statement, [dict(row) for row in rows] if rows else None)
        count = len(rows) or max(0, result.rowcount)
        self.count(table, "rebuilt", count)
        return count

    def count(self, table: Table, verb: str, count: int) -> None:
        """Add rows that were written without the audit to the counts of this change."""
        if count:
            verbs = self._counts.setdefault(table.name, {})
            verbs[verb] = verbs.get(verb, 0) + count

    def replace(self, table: Table, rows: Sequence[Row]) -> int:
        """Insert or replace rows of derived data, by their keys. Returns the number of rows."""
        for portion in portions(rows):
            self.connection.execute(delete(table).where(key_condition(table, portion)))
            self.connection.execute(insert(table), [dict(row) for row in portion])
        self.count(table, "rebuilt", len(rows))
        return len(rows)

    def close(self) -> None:
        """Delete data derived from the changed records, and complete the line in the audit."""
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
            self.revision = self._next_revision
            values = {"counts": _summed(counts, self._counts), "kind": kind, "revision": self.revision}
            self.connection.execute(update(changes).where(changes.c.id == change_id).values(values))

    def _row(self, table: Table, key: Row) -> dict[str, Any]:
        rows = find_rows(self.connection, table, [key])
        if not rows:
            raise NoSuchRow(f"{table.name} has no row {key_of(table, key)}")
        return next(iter(rows.values()))

    def _keep(self, rows: Iterable[dict[str, Any]]) -> None:
        if changed_rows := [{"change_id": self._line(), **row} for row in rows]:
            self.connection.execute(insert(schema.change_rows), changed_rows)
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
    database: Database, heading: ChangeHeader, now: Callable[[], datetime], change_id: int | None = None
) -> Iterator[Change]:
    """A transaction that is one change; it is rolled back when the body raises.

    With `change_id` it adds to an existing change, for long changes that are written in portions.

    Raises:
        StoreError: see `Database.write`.
    """
    with database.write() as connection:
        change = Change(connection, heading, now(), change_id, database.drops)
        yield change
        change.close()
    if change.revision is not None:
        database.tell_listeners()


def find_copies(connection: Connection, table: Table) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """What the audit has of a table's rows: each key, with columns as they were before or after a change.

    The columns are empty for an inserted row, of which the audit has only a digest.
    """
    rows = schema.change_rows
    query = select(rows.c.key, rows.c.before, rows.c.after).where(rows.c.table_name == table.name)
    for key, before, after in connection.execute(query.execution_options(yield_per=AT_ONCE)):
        for columns in (before, after) if before and after else (before or after or {},):
            yield read_key(key), columns


def newest_revision(connection: Connection) -> int:
    """The revision of the memory, 0 for an empty one."""
    return int(connection.execute(select(func.coalesce(func.max(schema.changes.c.revision), 0))).scalar_one())


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
    """The inverse of `database.key_of`."""
    key: dict[str, Any] = json.loads(text)
    return key


_NAMED = 3


class UndoRefused(StoreError):
    """A change cannot be taken back, or not again; the message says why.

    Attributes:
        since: what was done later to the same, as the audit calls it; empty where that is not the reason.
    """

    def __init__(self, message: str, since: str = "") -> None:
        super().__init__(message)
        self.since = since


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One change. `target` is the id of the change that an undo or redo reverts."""

    id: int
    time: datetime
    what: str
    why: str
    kind: ChangeKind
    target: int | None
    undone: bool
    counts: Counts


@dataclass(frozen=True, slots=True)
class RowChange:
    """What a change did to one row.

    `before` is None for an inserted row, `after` for a deleted one. For an inserted row only `digest` is set;
    for an updated row, `before` and `after` have the columns that differ. A column marked `parts` is a
    mapping whose entries change apart: an undo takes back those that differ, and leaves the others.
    """

    change_id: int
    table: str
    key: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    digest: str


class Audit:
    """The changes of one database."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def lines(self, newest: int | None = None) -> list[AuditLine]:
        """The changes, oldest first; with `newest`, only that many of the latest."""
        table = schema.changes
        with self._database.read_once() as connection:
            rows = connection.execute(select(table).order_by(table.c.id.desc()).limit(newest)).mappings()
            return [_line(row) for row in rows][::-1]

    def line(self, change_id: int) -> AuditLine:
        """One change.

        Raises:
            UndoRefused: no change has this id.
        """
        with self._database.read() as connection:
            return _find(connection, change_id)

    def rows(self, change_id: int) -> list[RowChange]:
        """What a change did to each row, in order."""
        with self._database.read() as connection:
            return list(_rows(connection, change_id))

    def keys(self, table: Table) -> list[dict[str, Any]]:
        """The keys of all rows that a table has or had, in the order in which they were first written."""
        rows = schema.change_rows
        query = (
            select(rows.c.key)
            .where(rows.c.table_name == table.name)
            .group_by(rows.c.key)
            .order_by(func.min(rows.c.id))
        )
        with self._database.read() as connection:
            return [json.loads(key) for key in connection.execute(query).scalars()]

    def history(self, table: Table, key: Mapping[str, Any]) -> list[tuple[AuditLine, RowChange]]:
        """All changes of one row, oldest first."""
        rows, changes = schema.change_rows, schema.changes
        query = (
            select(changes, rows.c.before, rows.c.after, rows.c.digest)
            .join(rows, rows.c.change_id == changes.c.id)
            .where(rows.c.table_name == table.name, rows.c.key == key_of(table, key))
            .order_by(rows.c.id)
        )
        with self._database.read() as connection:
            return [
                (
                    _line(row),
                    RowChange(row["id"], table.name, key, row["before"], row["after"], row["digest"]),
                )
                for row in connection.execute(query).mappings()
            ]

    def revision(self) -> int:
        """The revision of the memory; see `Store.revision`."""
        with self._database.read() as connection:
            return newest_revision(connection)

    def tables_since(self, revision: int) -> dict[int, frozenset[str]]:
        """The revisions after `revision`, oldest first, each with the names of the tables that it wrote.

        A long change, written in portions, appears once, under the revision of its latest portion.
        """
        table = schema.changes
        query = select(table.c.revision, table.c.counts).where(table.c.revision > revision)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(table.c.revision)).all()
        return {row.revision: frozenset(row.counts) for row in rows}

    def undo(self, change_id: int | None = None, why: str = "asked by the user") -> AuditLine:
        """Take a change back, by default the latest that is not undone. This is itself a change.

        Raises:
            UndoRefused: it deleted something for good, is already undone, or its rows have changed since.
        """
        with self._database.read() as connection:
            line = _find(connection, change_id) if change_id is not None else _latest(connection)
            if line.kind is ChangeKind.UNDO and line.target is not None:
                return self.redo(line.target, why)
            if line.kind is ChangeKind.REDO and line.target is not None:
                line = _find(connection, line.target)
        if line.undone:
            raise UndoRefused(_("Change {id} is undone already.").format(id=line.id))
        return self._revert(line, line, ChangeKind.UNDO, why)

    def redo(self, change_id: int | None = None, why: str = "asked by the user") -> AuditLine:
        """Redo an undone change, by default the one undone last. This is itself a change.

        Raises:
            UndoRefused: it is not undone, or its rows changed since.
        """
        with self._database.read() as connection:
            if change_id is None:
                change_id = _undone_last(connection)
            line = _find(connection, change_id)
            if line.kind in (ChangeKind.UNDO, ChangeKind.REDO) and line.target is not None:
                line = _find(connection, line.target)
            undo = _undo_of(connection, line)
        return self._revert(undo, line, ChangeKind.REDO, why)

    def _revert(self, line: AuditLine, target: AuditLine, kind: ChangeKind, why: str) -> AuditLine:
        """Revert what `line` did; this undoes or redoes `target`."""
        if line.kind is ChangeKind.FORGET:
            raise UndoRefused(
                _("Change {id} forgot something. What is forgotten cannot come back.").format(id=line.id)
            )
        if line.kind is ChangeKind.REBUILD:
            raise UndoRefused(
                _("Change {id} only rebuilt data from the records. Run that again instead.").format(
                    id=line.id
                )
            )
        what = f"{kind.value.capitalize()} change {target.id}: {target.what}"
        with changing(self._database, ChangeHeader(what, why, kind, target.id), self._now) as change:
            connection = change.connection
            # Another program may have been quicker.
            if _find(connection, target.id).undone is (kind is ChangeKind.UNDO):
                raise UndoRefused(
                    _("Change {id} was undone or redone by another program just now.").format(id=target.id)
                )
            rows = list(_rows(connection, line.id))
            if not rows:
                raise UndoRefused(
                    _("Change {id} has nothing left to reverse: what it wrote was forgotten.").format(
                        id=line.id
                    )
                )
            for table, group in _grouped(reversed(rows)):
                _turn_round(change, table, group, line)
            changes = schema.changes
            undone = kind is ChangeKind.UNDO
            connection.execute(update(changes).where(changes.c.id == target.id).values(undone=undone))
        with self._database.read() as connection:
            return _find(connection, change.id or 0)


def _turn_round(change: Change, table: Table, rows: list[RowChange], line: AuditLine) -> None:
    """Revert what was done to rows of one table, all inserted, all deleted, or one updated."""
    current = find_rows(change.connection, table, [row.key for row in rows])
    differing = [row for row in rows if not _as_left(table, row, current.get(key_of(table, row.key)))]
    if differing:
        raise _refusal(change.connection, line, differing)
    first = rows[0]
    if first.before is None:
        change.delete_all(table, [current[key_of(table, row.key)] for row in rows])
    elif first.after is None:
        change.insert(table, [row.before for row in rows if row.before is not None])
    else:
        now = current[key_of(table, first.key)]
        change.update(table, first.key, {name: _restored(table, first, name, now) for name in first.before})


def _as_left(table: Table, row: RowChange, current: Mapping[str, Any] | None) -> bool:
    """Whether a row is as the change left it, or at least what the change wrote of it."""
    if row.before is not None and row.after is None:
        return current is None
    if current is None:
        return False
    if row.before is None or row.after is None:
        return digest(table, current) == row.digest
    for name, value in row.after.items():
        if not _has_parts(table, name):
            if current[name] != value:
                return False
        elif any(current[name].get(part) != value.get(part) for part in _written(row, name)):
            return False
    return True


def _restored(table: Table, row: RowChange, name: str, current: Mapping[str, Any]) -> Any:
    """A column as it was before an update; of one that has parts those that the update wrote."""
    before = (row.before or {})[name]
    if not _has_parts(table, name):
        return before
    parts = _written(row, name)
    kept = {part: value for part, value in current[name].items() if part not in parts}
    return kept | {part: before[part] for part in parts if part in before}


def _has_parts(table: Table, name: str) -> bool:
    return bool(table.c[name].info.get("parts"))


def _written(row: RowChange, name: str) -> set[str]:
    """The parts of a column that an update changed, added or took away."""
    before, after = (row.before or {})[name], (row.after or {})[name]
    return {part for part in {*before, *after} if before.get(part) != after.get(part)}


def _refusal(connection: Connection, line: AuditLine, rows: list[RowChange]) -> UndoRefused:
    rows_table, changes = schema.change_rows, schema.changes
    names = [f"{row.table} {' '.join(map(str, row.key.values()))}" for row in rows]
    shown = joined(names[:_NAMED])
    if len(names) > _NAMED:
        shown = _("{names} and {count} more").format(names=shown, count=len(names) - _NAMED)
    table = schema.metadata.tables[rows[0].table]
    keys = [key_of(table, row.key) for row in rows[:_NAMED]]
    since = connection.execute(
        select(changes.c.id, changes.c.what)
        .join(rows_table, rows_table.c.change_id == changes.c.id)
        .where(
            changes.c.id > line.id,
            ~changes.c.undone,
            changes.c.kind == ChangeKind.CHANGE,
            rows_table.c.table_name == table.name,
            rows_table.c.key.in_(keys),
        )
        .order_by(changes.c.id.desc())
        .limit(1)
    ).one_or_none()
    if since is None:
        message = _("Change {id} cannot be reversed: {names} changed since.")
        return UndoRefused(message.format(id=line.id, names=shown))
    message = _(
        "Change {id} cannot be reversed: change {other} ({what}) has changed {names} since. Undo that first."
    )
    reason = message.format(id=line.id, names=shown, other=since.id, what=_(since.what))
    return UndoRefused(reason, since.what)


def _grouped(rows: Iterable[RowChange]) -> Iterator[tuple[Table, list[RowChange]]]:
    """Runs of rows of one table that were inserted, or deleted; updated rows one by one."""
    group: list[RowChange] = []
    for row in rows:
        if group and (_kind(row) != _kind(group[0]) or _kind(row)[1] == "updated"):
            yield schema.metadata.tables[group[0].table], group
            group = []
        group.append(row)
    if group:
        yield schema.metadata.tables[group[0].table], group


def _kind(row: RowChange) -> tuple[str, str]:
    if row.before is None:
        return row.table, "inserted"
    return row.table, "deleted" if row.after is None else "updated"


def _line(row: Mapping[Any, Any]) -> AuditLine:
    return AuditLine(
        id=row["id"],
        time=datetime.fromisoformat(row["time"]),
        what=row["what"],
        why=row["why"],
        kind=ChangeKind(row["kind"]),
        target=row["target"],
        undone=row["undone"],
        counts=row["counts"],
    )


def _find(connection: Connection, change_id: int) -> AuditLine:
    table = schema.changes
    row = connection.execute(select(table).where(table.c.id == change_id)).mappings().one_or_none()
    if row is None:
        raise UndoRefused(
            _("There is no change {change_id}. List them with: assistant memory audit").format(
                change_id=change_id
            )
        )
    return _line(row)


def _latest(connection: Connection) -> AuditLine:
    table = schema.changes
    query = select(func.max(table.c.id)).where(table.c.kind == ChangeKind.CHANGE, ~table.c.undone)
    newest = connection.execute(query).scalar_one()
    if newest is None:
        raise UndoRefused(_("There is nothing to undo."))
    line = _find(connection, newest)
    forgets = select(func.max(table.c.id)).where(
        table.c.kind == ChangeKind.FORGET, table.c.why == "asked by the user", table.c.id > newest
    )
    if (forgotten := connection.execute(forgets).scalar_one()) is not None:
        # Whoever regrets what was forgotten does not mean to lose what came before it, too.
        sentence = _(
            "The latest change is {id}, and what is forgotten cannot come back. The one before it is "
            "“{what}”; to undo that: assistant memory undo {before}"
        )
        raise UndoRefused(sentence.format(id=forgotten, what=line.what, before=line.id))
    return line


def _undone_last(connection: Connection) -> int:
    undos, targets = schema.changes.alias(), schema.changes
    query = (
        select(undos.c.target)
        .join(targets, targets.c.id == undos.c.target)
        .where(undos.c.kind == ChangeKind.UNDO, targets.c.undone)
        .order_by(undos.c.id.desc())
        .limit(1)
    )
    target = connection.execute(query).scalar_one_or_none()
    if target is None:
        raise UndoRefused(_("There is nothing to redo."))
    return int(target)


def _undo_of(connection: Connection, line: AuditLine) -> AuditLine:
    """The latest undo of a change."""
    if not line.undone:
        raise UndoRefused(_("Change {id} is not undone.").format(id=line.id))
    table = schema.changes
    query = select(func.max(table.c.id)).where(table.c.target == line.id, table.c.kind == ChangeKind.UNDO)
    return _find(connection, connection.execute(query).scalar_one())


def _rows(connection: Connection, change_id: int) -> Iterator[RowChange]:
    table = schema.change_rows
    query = select(table).where(table.c.change_id == change_id).order_by(table.c.id)
    for portion in portions(connection.execute(query).mappings()):
        for row in portion:
            yield RowChange(
                change_id,
                row["table_name"],
                read_key(row["key"]),
                row["before"],
                row["after"],
                row["digest"],
            )
