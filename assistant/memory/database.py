"""The database: many readers and one writer at a time, in a SQLite file or on a PostgreSQL server.

`Database` is the only way in which the memory reads and writes; it has two backends. Below them are helpers
for rows of any table (keys as text, digests, statements in portions), and the migration to the newest
version.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from select import select as find_ready
from typing import Any, Protocol, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Float,
    Table,
    and_,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DisconnectionError,
    NoSuchModuleError,
    OperationalError,
)

from assistant.i18n import UserError, _, later
from assistant.memory import schema
from assistant.memory.migrations import VERSIONS, Version

BEGIN = "begin"
"""Name of the execution option that says how a transaction begins: `WRITING` or `NOTHING`."""

WRITING = "writing"
"""Take the write lock at once."""

DURABLE = "durable"
"""As `WRITING`, and what is committed survives a loss of power."""

NOTHING = "nothing"
"""Begin no transaction, for statements that cannot run in one, such as VACUUM."""

_CANNOT_WRITE = later("{name} cannot be written: {line}. {advice}")
_CANNOT_READ = later("{name} cannot be read: {line}. {advice}")

Drop = Callable[[Connection, Sequence[str]], None]
"""Deletes all data that was derived from the records with these ids (a few hundred at most)."""


class StoreError(UserError):
    """The memory cannot be used; the message says why and what to do."""


class StoreBusy(StoreError):
    """Another program held the write lock for longer than `Database.wait` seconds."""


class DatabaseBackend(Protocol):
    """The kind of database (a file, a server), with everything that differs between the kinds."""

    @property
    def name(self) -> str:
        """The name to show to the user, without password."""

    @property
    def advice(self) -> str:
        """What the user can do when the database cannot be used, as a sentence."""

    @property
    def wait(self) -> float:
        """How many seconds a writer waits for another."""

    def engine(self) -> Engine:
        """A new SQLAlchemy engine, whose transactions obey the execution option `BEGIN`.

        Raises:
            OSError: the file cannot be created.
        """

    def is_busy(self, error: OperationalError) -> bool:
        """Whether an error means that another program writes."""

    def save_log(self, engine: Engine) -> None:
        """Copy a write-ahead log that has grown into the database, if there is one."""


def _connect_plainly(engine: Engine) -> Connection:
    return engine.connect().execution_options(**{BEGIN: NOTHING})


class Database:
    """One database with readers and one writer at a time, in this process or in another.

    Args:
        place: the backend.
        drops: functions that every change of records runs in its transaction, see `audit.changing`.

    Raises:
        StoreError: it cannot be created or reached, or contains other tables than ours.
    """

    def __init__(self, place: DatabaseBackend, drops: Sequence[Drop] = ()) -> None:
        self._place = place
        self._listeners: list[Callable[[], None]] = []
        # Who waits for the lock of the database looks again after up to 100 ms, for this one at once.
        self._writing = threading.Lock()
        self.drops = drops
        try:
            self.engine = place.engine()
            with self.engine.connect() as connection:
                current = is_current(connection)
            if not current:
                with self.write() as connection:
                    migrate(connection)
        except OperationalError as error:
            raise self._in_words(error, _CANNOT_READ) from error
        except DatabaseError as error:
            raise StoreError(
                _("{name} is not a database that can be read ({line}). {advice}").format(
                    name=place.name, line=_line(error), advice=place.advice
                )
            ) from error
        except StoreTooNew as error:
            raise StoreError(str(error)) from error

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one snapshot of the database, whatever is written meanwhile.

        Raises:
            StoreError: the server is gone, or the file cannot be read.
        """
        try:
            with self.engine.connect() as connection:
                yield connection
                # At a rollback the driver would forget which statements the server has prepared.
                connection.commit()
        except OperationalError as error:
            raise self._in_words(error, _CANNOT_READ) from error

    @contextmanager
    def read_once(self) -> Iterator[Connection]:
        """A connection for one statement: it needs no transaction, whose begin and end a server answers too.

        Raises:
            StoreError: the server is gone, or the file cannot be read.
        """
        try:
            with _connect_plainly(self.engine) as connection:
                yield connection
        except OperationalError as error:
            raise self._in_words(error, _CANNOT_READ) from error

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[Connection]:
        """One transaction that holds the write lock from its first moment.

        Args:
            durable: it must survive a loss of power too, which takes some milliseconds.

        Raises:
            StoreBusy: another program, or thread, has held the lock for more than `wait` seconds.
            StoreError: the disk is full, or the database is read-only.
        """
        mode = DURABLE if durable else WRITING
        try:
            with self._alone(), self.engine.execution_options(**{BEGIN: mode}).begin() as connection:
                yield connection
        except OperationalError as error:
            raise self._in_words(error) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep the other threads of this program from writing.

        Raises:
            StoreBusy: one has written for more than `wait` seconds.
        """
        if not self._writing.acquire(timeout=self.wait):
            raise self.busy()
        try:
            yield
        finally:
            self._writing.release()

    def save_log(self) -> None:
        """Copy a write-ahead log that has grown into the database; slow, so not for the event loop."""
        self._place.save_log(self.engine)

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Call a function after each change that this process makes, in the thread that made it."""
        self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[], None]) -> None:
        """Stop calling a function."""
        self._listeners.remove(listener)

    def tell_listeners(self) -> None:
        """Call the listeners after a commit."""
        for listener in tuple(self._listeners):
            listener()

    @contextmanager
    def connect_plainly(self) -> Iterator[Connection]:
        """A connection that begins no transaction, for statements that cannot run in one.

        Raises:
            StoreBusy: another program writes.
        """
        try:
            with self._alone(), _connect_plainly(self.engine) as connection:
                yield connection
        except OperationalError as error:
            raise self._in_words(error) from error

    @property
    def wait(self) -> float:
        """How many seconds a writer waits for another."""
        return self._place.wait

    def is_busy(self, error: OperationalError) -> bool:
        """Whether an error means that another program writes."""
        return self._place.is_busy(error)

    def _in_words(self, error: OperationalError, sentence: str = _CANNOT_WRITE) -> StoreError:
        if self._place.is_busy(error):
            return self.busy()
        return StoreError(
            _(sentence).format(name=self._place.name, line=_line(error), advice=self._place.advice)
        )

    def busy(self) -> StoreBusy:
        """The error for a lock that was waited for in vain."""
        return StoreBusy(
            _("Another program is writing to {name} and does not finish. Try again when it is done.").format(
                name=self._place.name
            )
        )


def _line(error: DatabaseError) -> str:
    return " ".join(str(error.orig).split())


def unwritable(folder: Path, error: OSError) -> StoreError:
    """The error for a folder that cannot be written."""
    return StoreError(
        _("The memory folder {folder} cannot be written: {reason}. Choose another with --store.").format(
            folder=folder, reason=error.strerror
        )
    )


_PRAGMAS = (
    "journal_mode=WAL",
    "foreign_keys=ON",
    "synchronous=NORMAL",
    # Overwrites deleted content with zeros, so that it cannot be recovered from the file.
    "secure_delete=ON",
    # A turn has the log copied in a thread before it is so long; see `save_log`.
    "wal_autocheckpoint=4000",
)
_LONG_LOG = 4_000_000
"""Bytes of a write-ahead log from which it is copied into the database: 1,000 pages, SQLite's own default."""
_URLS = later("The setting memory.database takes a URL such as postgresql://me:password@host/memory.")
_USED, _UNASKED = "used", 60.0
"""Seconds within which a connection on which the server said nothing is taken to be there; later it is asked,
which takes as long as a small read. One that is gone after all ends in words, and the next has a new one."""
_NO_ANSWER = {
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""The driver's settings for when a server that does not answer is gone, in seconds and milliseconds."""
_LOCK = 0x61737374
"""Number of the PostgreSQL advisory lock that each writer holds: one writer at a time, as in SQLite."""


class SqliteBackend:
    """A SQLite file with mode 0600; SQLite gives its -wal and -shm files the same mode.

    Args:
        file: its path; created if it does not exist.
        wait: how many seconds a writer waits for another.
    """

    def __init__(self, file: Path, wait: float = 5.0) -> None:
        self._file = file
        self.wait = wait

    @property
    def name(self) -> str:
        """The path of the file."""
        return str(self._file)

    @property
    def advice(self) -> str:
        """Advises to choose another file."""
        return _("Make room or move it away, or choose another folder with --store.")

    def engine(self) -> Engine:
        """A new engine for the file."""
        self._file.touch(mode=0o600)
        engine = create_engine(f"sqlite:///{self._file}")

        @event.listens_for(engine, "connect")
        def _configure(connection: Any, _record: object) -> None:
            # Python's sqlite3 would begin transactions late, and as readers; `_begin` does it instead.
            connection.isolation_level = None
            # busy_timeout first, so that the other pragmas wait for a lock too.
            for pragma in (f"busy_timeout={round(self.wait * 1000)}", *_PRAGMAS):
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            mode = connection.get_execution_options().get(BEGIN)
            if mode in (WRITING, DURABLE):
                connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if mode == DURABLE else 'NORMAL'}")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            elif mode != NOTHING:
                connection.exec_driver_sql("BEGIN")

        return engine

    def is_busy(self, error: OperationalError) -> bool:
        """Whether another program holds the file's lock."""
        return any(word in str(error.orig) for word in ("locked", "busy"))

    def save_log(self, engine: Engine) -> None:
        """Copy the log where it is long; writers go on meanwhile, and readers keep what they need."""
        log = self._file.with_name(f"{self._file.name}-wal")
        with suppress(OSError, OperationalError):
            if log.stat().st_size > _LONG_LOG:
                with _connect_plainly(engine) as connection:
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")


class PostgresBackend:
    """A PostgreSQL database, such as `postgresql://me@host/memory`.

    Args:
        url: in the form that SQLAlchemy reads.
        wait: how many seconds a writer waits for another.

    Raises:
        StoreError: the URL is not a PostgreSQL URL.
    """

    def __init__(self, url: str, wait: float = 5.0) -> None:
        try:
            self._url = make_url(url)
        except ArgumentError as error:
            raise StoreError(_(_URLS)) from error
        if self._url.get_backend_name() != "postgresql":
            raise StoreError(_(_URLS))
        self.wait = wait

    @property
    def name(self) -> str:
        """The URL without its password."""
        return self._url.render_as_string(hide_password=True)

    @property
    def advice(self) -> str:
        """Advises to check the server."""
        return _("See that the server runs and lets you in, and that the setting memory.database is right.")

    def engine(self) -> Engine:
        """A new engine for the server."""
        # What the user's URL says of them counts.
        settings = {name: value for name, value in _NO_ANSWER.items() if name not in self._url.query}
        try:
            engine = create_engine(self._url, connect_args=settings)
        except (NoSuchModuleError, ModuleNotFoundError) as error:
            raise StoreError(
                _(
                    "A shared database needs the driver psycopg. Install it with: pip install "
                    "'assistant[server]'"
                )
            ) from error

        event.listen(engine, "before_cursor_execute", _without_nul, retval=True)

        driver_error: type[Exception] = engine.dialect.loaded_dbapi.Error

        @event.listens_for(engine, "connect")
        def _configure(connection: Any, _record: object) -> None:
            # `_begin` begins transactions: to change how the driver does takes longer than a small read.
            connection.autocommit = True

        @event.listens_for(engine, "checkin")
        def _note_use(_connection: object, record: Any) -> None:
            record.info[_USED] = time.monotonic(), time.time()

        @event.listens_for(engine, "checkout")
        def _require_alive(connection: Any, record: Any, _proxy: object) -> None:
            used = record.info.get(_USED)
            try:
                if used is not None and (_is_readable(connection) or _is_long_ago(*used)):
                    engine.dialect.do_ping(connection)
            except driver_error as error:
                raise DisconnectionError from error

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            mode = connection.get_execution_options().get(BEGIN)
            if mode in (WRITING, DURABLE):
                # In one round trip.
                limit = f"SET LOCAL lock_timeout = '{round(self.wait * 1000)}ms'"
                connection.exec_driver_sql(f"BEGIN; {limit}; SELECT pg_advisory_xact_lock({_LOCK})")
            elif mode != NOTHING:
                connection.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

        return engine

    def is_busy(self, error: OperationalError) -> bool:
        """Whether another program holds the lock of writers (SQLSTATE 55P03)."""
        return getattr(error.orig, "sqlstate", "") == "55P03"

    def save_log(self, engine: Engine) -> None:
        """The server does it."""


def _is_readable(connection: Any) -> bool:
    """Whether something came from the server unasked, as its last words and the end of the connection do.

    Raises:
        psycopg.Error: the connection is closed.
    """
    try:
        return bool(find_ready([connection.fileno()], [], [], 0)[0])
    except (OSError, ValueError):  # Such as a number above those that can be looked at.
        return True


def _is_long_ago(ticks: float, clock: float) -> bool:
    """Whether a connection was used longer ago than `_UNASKED`, by either clock: one stops during sleep."""
    return max(time.monotonic() - ticks, abs(time.time() - clock)) > _UNASKED


def _without_nul(
    _connection: Connection, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool
) -> tuple[str, Any]:
    """Replace the character NUL in texts, which PostgreSQL cannot hold and a model or an app may write."""

    def clean(values: Any) -> Any:
        if isinstance(values, Mapping):
            return {name: _replace_nul(value) for name, value in values.items()}
        return tuple(map(_replace_nul, values))

    if many:
        return statement, list(map(clean, parameters))
    return statement, clean(parameters) if parameters else parameters


def _replace_nul(value: Any) -> Any:
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value


def backend_of(folder: Path, url: str) -> DatabaseBackend:
    """The backend for a server's URL; for an empty URL, the file in the folder."""
    return PostgresBackend(url) if url else SqliteBackend(folder / "memory.sqlite")


T = TypeVar("T")

Row = Mapping[str, Any]
"""Column names and values; JSON columns hold plain data."""

AT_ONCE = 400
"""Most rows in one statement; SQLite allows some thousand variables."""


def portions(items: Iterable[T], size: int = AT_ONCE) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    remaining = iter(items)
    while portion := list(islice(remaining, size)):
        yield portion


def key_of(table: Table, row: Row) -> str:
    """A row's primary key as JSON, the same text for the same row."""
    return json.dumps({column.name: row[column.name] for column in table.primary_key}, sort_keys=True)


def key_condition(table: Table, keys: Sequence[Row]) -> ColumnElement[bool]:
    """The condition that selects the rows with these primary keys."""
    columns = list(table.primary_key)
    if len(columns) == 1:
        return columns[0].in_([key[columns[0].name] for key in keys])
    return or_(*(and_(*(column == key[column.name] for column in columns)) for key in keys))


def find_rows(connection: Connection, table: Table, keys: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """The existing rows with these primary keys, by key as text (`key_of`)."""
    rows: dict[str, dict[str, Any]] = {}
    for portion in portions(keys):
        for row in connection.execute(select(table).where(key_condition(table, portion))).mappings():
            as_dict: dict[str, Any] = {**row}
            rows[key_of(table, as_dict)] = as_dict
    return rows


def digest(table: Table, row: Row) -> str:
    """A short digest of a row's content.

    Empty columns are left out, so that a later version can add columns; so are columns marked `volatile`,
    which change without a line in the audit.
    """
    values = {
        column.name: float(row[column.name]) if isinstance(column.type, Float) else row[column.name]
        for column in table.columns
        if row.get(column.name) and not column.info.get("volatile")
    }
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def put_row(connection: Connection, table: Table, row: Row) -> None:
    """Insert or replace a whole row by its key, without the audit."""
    if not connection.execute(update(table).where(key_condition(table, [row])).values(dict(row))).rowcount:
        connection.execute(insert(table).values(dict(row)))


NEWEST = VERSIONS[-1].number

_AUTOINCREMENT = {"sqlite": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", "postgresql": "SERIAL PRIMARY KEY"}


class StoreTooNew(Exception):
    """The database was written by a later version of the program."""


def is_current(connection: Connection) -> bool:
    """Whether a database has the newest version. Takes no lock.

    Raises:
        StoreTooNew: the database is newer than this program.
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
    """Create the tables of a new database, or migrate an older one; does nothing at the newest version."""
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
    """The version of a database, 0 for a new one: SQLite's `user_version`, on a server a table of one row."""
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
