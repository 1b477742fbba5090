"""The table of records: adding, editing, filtering and reading them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, or_, select

from assistant.memory import schema
from assistant.memory.audit import Change, ChangeHeader, changing
from assistant.memory.database import AT_ONCE, Database, find_rows
from assistant.records import Record


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records are meant; what is empty or None does not matter.

    `app` is a name or a package, `text` stands anywhere in what was said or understood, upper or lower case
    alike; `since` is a moment.
    """

    user_id: str | None = None
    app: str = ""
    since: datetime | None = None
    text: str = ""


class RecordStore:
    """Reading records, and the changes made to them."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def of(self, user_id: str | None = None, newest: int | None = None) -> Iterator[Record]:
        """The records of one user or of all, oldest first; `newest` keeps only that many of the latest."""
        return self.where(RecordFilter(user_id), newest)

    def where(self, criteria: RecordFilter, newest: int | None = None) -> Iterator[Record]:
        """The records that a filter lets through, oldest first."""
        table = schema.records
        query = select(table).where(*_conditions(criteria))
        with self._database.read() as connection:
            if newest is None:
                ordered = query.order_by(table.c.moment, table.c.id).execution_options(yield_per=AT_ONCE)
                yield from map(read_record, connection.execute(ordered).mappings())
            else:
                latest = query.order_by(table.c.moment.desc(), table.c.id.desc()).limit(newest)
                yield from map(read_record, reversed(connection.execute(latest).mappings().all()))

    def get(self, record_id: str) -> Record | None:
        """One record."""
        with self._database.read() as connection:
            rows = find_rows(connection, schema.records, [{"id": record_id}])
        return next((read_record(row) for row in rows.values()), None)

    def users(self) -> list[str]:
        """Whose records there are, those of most records first."""
        users = schema.records.c.user_id
        query = select(users).group_by(users).order_by(func.count().desc(), users)
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())

    def count(self) -> int:
        """How many records there are."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.records)).scalar_one())

    def add(self, records: Iterable[Record], what: str = "Add records", why: str = "") -> int:
        """Add records; one that is there already stays as it is. Returns how many were new."""
        with changing(self._database, ChangeHeader(what, why), self._now) as change:
            return add_records(change, records)

    def edit(self, record_id: str, values: Mapping[str, str], why: str = "asked by the user") -> int | None:
        """Replace columns of a record. Returns the change's id, or None when nothing differed.

        Raises:
            NoSuchRow: there is no such record.
        """
        what = f"Edit the {' and '.join(sorted(values))} of a record"
        with changing(self._database, ChangeHeader(what, why), self._now) as change:
            change.update(schema.records, {"id": record_id}, values)
        return change.id


def add_records(change: Change, records: Iterable[Record]) -> int:
    """Add records within a change; one that is there already stays as it is. Returns how many were new."""
    return change.insert_missing(schema.records, map(row_of, records))


def row_of(record: Record) -> dict[str, Any]:
    """A record as a row of its table."""
    row = record.model_dump(mode="json", exclude={"actions"})
    row["time"] = record.time.isoformat()
    row["moment"] = record.time.timestamp()
    row["actions"] = [action.model_dump(mode="json", exclude_none=True) for action in record.actions]
    return row


def read_record(row: Mapping[Any, Any]) -> Record:
    """The inverse of `row_of`."""
    return Record.model_validate(dict(row))


def _conditions(criteria: RecordFilter) -> Iterator[ColumnElement[bool]]:
    columns = schema.records.c
    if criteria.user_id is not None:
        yield columns.user_id == criteria.user_id
    if criteria.app:
        yield or_(func.lower(columns.app) == criteria.app.lower(), columns.package == criteria.app)
    if criteria.since is not None:
        yield columns.moment >= criteria.since.timestamp()
    if criteria.text:
        texts = (columns.said, columns.instruction)
        yield or_(*(column.icontains(criteria.text, autoescape=True) for column in texts))
