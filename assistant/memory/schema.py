"""The database's tables and the migrations that lead to them. Version 1 is the first."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.schema import CreateColumn

from assistant.language import _

metadata = MetaData()

records = Table(
    "records",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("time", String, nullable=False, index=True, doc="ISO 8601 with the offset of the user's zone"),
    Column(
        "moment",
        Float,
        nullable=False,
        server_default="0",
        index=True,
        doc="the time in seconds since 1970: orders the records of all zones",
    ),
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
    Column(
        "screenshot",
        String,
        nullable=False,
        doc="file name below screenshots/, empty for none",
        info={"volatile": True},
    ),
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
    Column("checkpoint", JSON, nullable=False, doc="of an open turn without its steps"),
)

open_steps = Table(
    "open_steps",
    metadata,
    Column("turn_id", String, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, doc="among the steps of its turn, from 0"),
    Column("step", JSON, nullable=False),
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


changes = Table(
    "changes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("time", String, nullable=False),
    Column(
        "what",
        Text,
        nullable=False,
        doc="quotes no record, nor its id: what is forgotten must not survive here",
    ),
    Column("why", Text, nullable=False),
    Column("kind", String, nullable=False, doc="see changes.ChangeKind"),
    Column("target", Integer, doc="the change that an undo or redo is of"),
    Column("undone", Boolean, nullable=False),
    Column("counts", JSON, nullable=False, doc='rows by table and verb, {"records": {"inserted": 3}}'),
    sqlite_autoincrement=True,
)

change_rows = Table(
    "change_rows",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("change_id", Integer, ForeignKey("changes.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("table_name", String, nullable=False),
    Column("key", String, nullable=False, doc="the primary key as JSON, names sorted"),
    Column("before", JSON(none_as_null=True), doc="a deleted row, or what an update replaced; else null"),
    Column("after", JSON(none_as_null=True), doc="what an update wrote; else null"),
    Column("digest", String, nullable=False, doc="of an inserted row, which itself stands in its table"),
    Index("ix_change_rows_row", "table_name", "key"),
)

vectors = Table(
    "vectors",
    metadata,
    Column("kind", String, primary_key=True, doc="what the owner is: record, prototype, node"),
    Column("owner", String, primary_key=True, doc="the owner's id"),
    Column("model_id", String, primary_key=True),
    Column("text_hash", String, nullable=False, doc="of the text that was embedded: tells a stale vector"),
    Column("vector", LargeBinary, nullable=False, doc="float32, little-endian, of length 1"),
    Index("ix_vectors_text", "model_id", "text_hash"),
)


user_profiles = Table(
    "user_profiles",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("fields", JSON, nullable=False, doc="what the user declared, text by name (FingerTip Table 7)"),
)


_schema_version = Table("schema_version", MetaData(), Column("version", Integer, nullable=False))


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


def _keep_changes(connection: Connection) -> None:
    metadata.create_all(connection, tables=[changes, change_rows, vectors])
    add_missing_columns(connection, records)
    for index in records.indexes:
        index.create(connection, checkfirst=True)
    for record_id, time in connection.execute(select(records.c.id, records.c.time)).all():
        moment = datetime.fromisoformat(time).timestamp()
        connection.execute(update(records).where(records.c.id == record_id).values(moment=moment))


def _keep_profiles(connection: Connection) -> None:
    user_profiles.create(connection, checkfirst=True)


def _keep_profile_graph(connection: Connection) -> None:
    # These tables stand in another module, which needs the metadata of this one.
    from assistant.memory.profile import tables

    tables.create(connection)


def _keep_prototypes(connection: Connection) -> None:
    # As above.
    from assistant.memory.him import tables

    tables.create(connection)


def _keep_suggestions(connection: Connection) -> None:
    # As above.
    from assistant.memory import suggestion_tables

    suggestion_tables.create(connection)


def _keep_sent(connection: Connection) -> None:
    # As above.
    from assistant.memory import learning, sent

    sent.create(connection)
    learning.create(connection)


def _add_steps_one_by_one(connection: Connection) -> None:
    open_steps.create(connection, checkfirst=True)


_MIGRATIONS = (
    _create_first_tables,
    _count_costs,
    _keep_approvals,
    _keep_changes,
    _keep_profiles,
    _keep_profile_graph,
    _keep_prototypes,
    _keep_suggestions,
    _keep_sent,
    _add_steps_one_by_one,
)


def is_current(connection: Connection) -> bool:
    """Whether a database has the newest version. Takes no lock.

    Raises:
        StoreTooNew: when the database is newer than this program.
    """
    version = _version(connection)
    if version > len(_MIGRATIONS):
        raise StoreTooNew(
            _("The memory has version {version}, this program knows {count}. Update the program.").format(
                version=version, count=len(_MIGRATIONS)
            )
        )
    return version == len(_MIGRATIONS)


def migrate(connection: Connection) -> None:
    """Bring a database to the newest version, one step at a time. Does nothing when it is there already."""
    version = _version(connection)
    for number, migration in enumerate(_MIGRATIONS[version:], start=version + 1):
        migration(connection)
        _set_version(connection, number)


def _version(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        return int(connection.execute(text("PRAGMA user_version")).scalar_one())
    if not inspect(connection).has_table(_schema_version.name):
        return 0
    return int(connection.execute(select(_schema_version.c.version)).scalar_one())


def _set_version(connection: Connection, version: int) -> None:
    """SQLite has a place for the number, a server has a table of one row."""
    if connection.dialect.name == "sqlite":
        connection.execute(text(f"PRAGMA user_version = {version}"))
    else:
        _schema_version.create(connection, checkfirst=True)
        connection.execute(delete(_schema_version))
        connection.execute(insert(_schema_version).values(version=version))
