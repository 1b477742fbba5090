"""The database's tables and the migrations that lead to them. Version 1 is the first."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

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


class StoreTooNew(Exception):
    """The database was written by a later version of the program."""


def _create_first_tables(connection: Connection) -> None:
    metadata.create_all(connection)


_MIGRATIONS = (_create_first_tables,)


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
