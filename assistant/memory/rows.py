"""Rows of any table as plain data: their keys as text, their digests, reading them in portions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Float, Table, and_, insert, or_, select, update

T = TypeVar("T")

Row = Mapping[str, Any]
"""Column names and values; JSON columns hold plain data."""

AT_ONCE = 400
"""How many rows one statement names; SQLite takes some thousand variables."""


def portions(items: Iterable[T], size: int = AT_ONCE) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    remaining = iter(items)
    while portion := list(islice(remaining, size)):
        yield portion


def key_of(table: Table, row: Row) -> str:
    """A row's primary key as JSON, the same text for the same row."""
    return json.dumps({column.name: row[column.name] for column in table.primary_key}, sort_keys=True)


def where(table: Table, keys: Sequence[Row]) -> ColumnElement[bool]:
    """The condition that picks the rows of some primary keys."""
    columns = list(table.primary_key)
    if len(columns) == 1:
        return columns[0].in_([key[columns[0].name] for key in keys])
    return or_(*(and_(*(column == key[column.name] for column in columns)) for key in keys))


def found(connection: Connection, table: Table, keys: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """The rows of some primary keys that are there, by their keys as text."""
    rows: dict[str, dict[str, Any]] = {}
    for portion in portions(keys):
        for row in connection.execute(select(table).where(where(table, portion))).mappings():
            plain: dict[str, Any] = {**row}
            rows[key_of(table, plain)] = plain
    return rows


def digest(table: Table, row: Row) -> str:
    """A short digest of what a row says.

    Empty columns do not count, so that a later version may add some, nor do those marked `volatile`, which
    change without a line in the audit.
    """
    said = {
        column.name: float(row[column.name]) if isinstance(column.type, Float) else row[column.name]
        for column in table.columns
        if row.get(column.name) and not column.info.get("volatile")
    }
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def put(connection: Connection, table: Table, row: Row) -> None:
    """Write a whole row in the place of the one that has its key, outside the audit."""
    if not connection.execute(update(table).where(where(table, [row])).values(dict(row))).rowcount:
        connection.execute(insert(table).values(dict(row)))
