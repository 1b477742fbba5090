"""The database's tables and the migrations that lead to them. Version 1 is the first."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    text,
)
from sqlalchemy.schema import CreateColumn

metadata = MetaData()

records = Table(
    "records",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("time", String, nullable=False, index=True, doc="ISO 8601 with the offset of the user's zone"),
    Column("scenario", String, nullable=False),
    Column("said", Text, nullable=False),
    Column("instruction", Text, nullable=False),
    Column("app", String, nullable=False),
    Column("package", String, nullable=False),
    Column("outcome", String),
    Column("source", String, nullable=False),
    Column("actions", JSON, nullable=False, doc="in the record exchange format"),
    Column("model", String, nullable=False, server_default="", doc="the model that carried it out"),
    Column("usage", JSON(none_as_null=True)),
    Column("cost", JSON(none_as_null=True)),
    Column("seconds", Float),
)

observations = Table(
    "observations",
    metadata,
    Column("turn_id", String, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("package", String, nullable=False),
    Column("activity", String, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("secure", Boolean, nullable=False),
    Column("screenshot", String, nullable=False, doc="file name below screenshots/, empty for none"),
    Column("elements", JSON, nullable=False),
)

turns = Table(
    "turns",
    metadata,
    Column("id", String, primary_key=True, doc="the id of the record that the turn becomes"),
    Column("user_id", String, nullable=False),
    Column("started", String, nullable=False, index=True),
    Column("said", Text, nullable=False),
    Column("open", Boolean, nullable=False, index=True, doc="neither ended nor discarded"),
    Column("checkpoint", JSON, nullable=False),
)

spent = Table(
    "spent",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", String, nullable=False),
    Column("turn_id", String, nullable=False, doc="no foreign key: what a forgotten turn used stays used"),
    Column("step", Integer, nullable=False),
    Column("time", String, nullable=False),
    Column("day", String, nullable=False, index=True, doc="the date in the user's zone"),
    Column("model", String, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("seconds", Float, nullable=False, doc="waited for the model"),
    Column("seconds_to_first_token", Float, doc="of the reply that was used; null where none was"),
    Column("cost", Float, doc="null where no price is known"),
    Column("currency", String, nullable=False),
)

approvals = Table(
    "approvals",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("package", String, primary_key=True),
    Column("kind", String, primary_key=True),
    Column("app", String, nullable=False, doc="the app's name when it was allowed"),
    Column("time", String, nullable=False),
)


class StoreTooNew(Exception):
    """The database was written by a later version of the program."""


def add_missing_columns(connection: Connection, table: Table) -> None:
    """Give a table of an older database the columns that were added since; a new one has them already."""
    there = {column["name"] for column in inspect(connection).get_columns(table.name)}
    for column in table.columns:
        if column.name not in there:
            written = CreateColumn(column).compile(dialect=connection.dialect)
            connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {written}"))


def _create_first_tables(connection: Connection) -> None:
    metadata.create_all(connection)


def _count_costs(connection: Connection) -> None:
    add_missing_columns(connection, records)
    spent.create(connection, checkfirst=True)


def _keep_approvals(connection: Connection) -> None:
    approvals.create(connection, checkfirst=True)


_MIGRATIONS = (_create_first_tables, _count_costs, _keep_approvals)


def migrate(connection: Connection) -> None:
    """Bring a database to the newest version, one step at a time. Does nothing when it is there already.

    Raises:
        StoreTooNew: when the database is newer than this program.
    """
    version = int(connection.execute(text("PRAGMA user_version")).scalar_one())
    if version > len(_MIGRATIONS):
        raise StoreTooNew(
            f"The memory has version {version}, this program knows {len(_MIGRATIONS)}. Update the program."
        )
    for number, migration in enumerate(_MIGRATIONS[version:], start=version + 1):
        migration(connection)
        connection.execute(text(f"PRAGMA user_version = {number}"))
