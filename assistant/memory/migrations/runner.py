"""Which version a database has, and bringing it to the newest. A new database gets the tables of `schema`."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.migrations.versions import VERSIONS, Version

NEWEST = VERSIONS[-1].number

_AUTOINCREMENT = {"sqlite": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", "postgresql": "SERIAL PRIMARY KEY"}


class StoreTooNew(Exception):
    """The database was written by a later version of the program."""


def is_current(connection: Connection) -> bool:
    """Whether a database has the newest version. Takes no lock.

    Raises:
        StoreTooNew: when the database is newer than this program.
    """
    version = _version(connection)
    if version > NEWEST:
        raise StoreTooNew(
            _("The memory has version {version}, this program knows {count}. Update the program.").format(
                version=version, count=NEWEST
            )
        )
    return version == NEWEST


def migrate(connection: Connection) -> None:
    """Make the tables of a new database, or bring an older one to the newest version.

    Does nothing when it is there already.
    """
    version = _version(connection)
    if not version:
        schema.metadata.create_all(connection)
    for step in VERSIONS:
        if 0 < version < step.number:
            _apply(connection, step)
    if version < NEWEST:
        _set_version(connection, NEWEST)


def _apply(connection: Connection, step: Version) -> None:
    ddl = step.ddl.format(autoincrement=_AUTOINCREMENT[connection.dialect.name])
    for statement in filter(None, map(str.strip, ddl.split(";"))):
        connection.exec_driver_sql(statement)
    if step.fill is not None:
        step.fill(connection)


def _version(connection: Connection) -> int:
    """The version of a database, 0 for a new one. SQLite has a place for it, a server a table of one row."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if not inspect(connection).has_table("schema_version"):
        return 0
    return int(connection.exec_driver_sql("SELECT version FROM schema_version").scalar_one())


def _set_version(connection: Connection, version: int) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")
    else:
        connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        connection.exec_driver_sql("DELETE FROM schema_version")
        insert = text("INSERT INTO schema_version (version) VALUES (:version)")
        connection.execute(insert, {"version": version})
