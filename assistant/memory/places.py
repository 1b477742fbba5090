"""The two places a database can live in: a file of SQLite, or a server that several machines share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

from assistant.i18n import _, later
from assistant.memory import schema
from assistant.memory.database import BEGIN, NOTHING, WRITING, Place, StoreError

_PRAGMAS = (
    "journal_mode=WAL",
    "foreign_keys=ON",
    "synchronous=NORMAL",
    # What is deleted or replaced is overwritten, not just unlinked.
    "secure_delete=ON",
)
_URLS = later("The setting memory.database takes a URL such as postgresql://me:password@host/memory.")
_LOCK = 0x61737374
"""The advisory lock that writers of a server's database hold: SQLite's one writer at a time, everywhere."""


class SqliteFile:
    """A file that is made for the user alone (0600); SQLite gives its -wal and -shm the same mode.

    Args:
        file: where it is; made when it is missing.
        wait: how many seconds a writer waits for another.
    """

    def __init__(self, file: Path, wait: float = 5.0) -> None:
        self._file = file
        self._wait = f"busy_timeout={round(wait * 1000)}"

    @property
    def name(self) -> str:
        """The file."""
        return str(self._file)

    @property
    def advice(self) -> str:
        """Another file will do."""
        return _("Make room or move it away, or choose another folder with --store.")

    def engine(self) -> Engine:
        """The way to the file."""
        self._file.touch(mode=0o600)
        engine = create_engine(f"sqlite:///{self._file}")

        @event.listens_for(engine, "connect")
        def _configure(connection: Any, _record: object) -> None:
            # Python's own transactions would begin late, and as readers.
            connection.isolation_level = None
            # First, so that the others wait too.
            for pragma in (self._wait, *_PRAGMAS):
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            mode = connection.get_execution_options().get(BEGIN)
            if mode != NOTHING:
                connection.exec_driver_sql("BEGIN IMMEDIATE" if mode == WRITING else "BEGIN")

        return engine

    def scrub(self, engine: Engine) -> bool:
        """Rewrite the file and empty its log, waiting for no reader."""
        with engine.connect().execution_options(**{BEGIN: NOTHING}) as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA busy_timeout=100")
            busy, _, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
            connection.exec_driver_sql(f"PRAGMA {self._wait}")
        return not busy

    def is_busy(self, error: OperationalError) -> bool:
        """Whether another program holds the file's lock."""
        return any(word in str(error.orig) for word in ("locked", "busy"))


class PostgresServer:
    """A PostgreSQL database, such as `postgresql://me@host/memory`.

    Args:
        url: in the form that SQLAlchemy reads.
        wait: how many seconds a writer waits for another.

    Raises:
        StoreError: the URL is none of PostgreSQL.
    """

    def __init__(self, url: str, wait: float = 5.0) -> None:
        try:
            self._url = make_url(url)
        except ArgumentError as error:
            raise StoreError(_(_URLS)) from error
        if self._url.get_backend_name() != "postgresql":
            raise StoreError(_(_URLS))
        self._wait = f"{round(wait * 1000)}ms"

    @property
    def name(self) -> str:
        """The URL without its password."""
        return self._url.render_as_string(hide_password=True)

    @property
    def advice(self) -> str:
        """The server is to be looked at."""
        return _("See that the server runs and lets you in, and that the setting memory.database is right.")

    def engine(self) -> Engine:
        """The way to the server."""
        try:
            engine = create_engine(self._url, pool_pre_ping=True)
        except (NoSuchModuleError, ModuleNotFoundError) as error:
            raise StoreError(
                _(
                    "A shared database needs the driver psycopg. Install it with: pip install "
                    "'assistant[server]'"
                )
            ) from error

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            mode = connection.get_execution_options().get(BEGIN)
            if mode == WRITING:
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{self._wait}'")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
            elif mode != NOTHING:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")

        return engine

    def scrub(self, engine: Engine) -> bool:
        """Rewrite the tables; what the server's own log and backups keep is not ours to clear."""
        tables = ", ".join(table.name for table in schema.metadata.sorted_tables)
        options = {BEGIN: NOTHING, "isolation_level": "AUTOCOMMIT"}
        with engine.connect().execution_options(**options) as connection:
            connection.exec_driver_sql(f"SET lock_timeout = '{self._wait}'")
            try:
                connection.exec_driver_sql(f"VACUUM FULL {tables}")
            except OperationalError as error:
                if not self.is_busy(error):
                    raise
                return False
            finally:
                connection.exec_driver_sql("RESET lock_timeout")
        return True

    def is_busy(self, error: OperationalError) -> bool:
        """Whether another program holds the lock of writers (SQLSTATE 55P03)."""
        return getattr(error.orig, "sqlstate", "") == "55P03"


def place_of(folder: Path, url: str) -> Place:
    """The file in a folder, or the server of a URL where one is given."""
    return PostgresServer(url) if url else SqliteFile(folder / "memory.sqlite")
