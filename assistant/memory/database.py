"""The database file itself: who may read it, how it is locked, and what SQLite needs to be told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from assistant.memory import schema

_WAIT = 5.0
_PRAGMAS = (
    "journal_mode=WAL",
    "foreign_keys=ON",
    "synchronous=NORMAL",
    # What is deleted or replaced is overwritten, not just unlinked.
    "secure_delete=ON",
)


class StoreError(Exception):
    """The memory cannot be used; the message says why and what to do."""


class StoreBusy(StoreError):
    """Another program has been writing for longer than a writer waits."""


class Database:
    """One SQLite file with readers and one writer at a time, in this process or in another.

    The file is made for the user alone (0600); SQLite gives its -wal and -shm the same mode.

    Args:
        file: where it lives; made when it is missing.
        wait: how many seconds a writer waits for another.

    Raises:
        StoreError: when the file cannot be made, or holds something else than our database.
    """

    def __init__(self, file: Path, wait: float = _WAIT) -> None:
        self.file = file
        self._wait = f"busy_timeout={round(wait * 1000)}"
        try:
            file.touch(mode=0o600)
            self.engine = _engine(file, self._wait)
            with self.engine.connect() as connection:
                current = schema.is_current(connection)
            if not current:
                with self.write() as connection:
                    schema.migrate(connection)
        except OSError as error:
            raise unwritable(file.parent, error) from error
        except DatabaseError as error:
            raise StoreError(
                f"{file} is not a database that can be read ({error.orig}). "
                "Move it away, or choose another folder with --store."
            ) from error
        except schema.StoreTooNew as error:
            raise StoreError(str(error)) from error

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database, whatever is written meanwhile."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that holds the write lock from its first moment.

        Raises:
            StoreBusy: another program holds the lock for long.
            StoreError: the disk is full, or the file must not be written.
        """
        try:
            with self.engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
                yield connection
        except OperationalError as error:
            raise _in_words(error, self.file) from error

    def scrub(self) -> bool:
        """Rewrite the file without what was deleted, and empty its write-ahead log.

        Returns:
            False when another program reads just now, so that the log still holds old pages.

        Raises:
            StoreBusy: another program writes.
        """
        try:
            with self.engine.connect().execution_options(begin="") as connection:
                connection.exec_driver_sql("VACUUM")
                # A reader may take its time; this does not wait for it.
                connection.exec_driver_sql("PRAGMA busy_timeout=100")
                busy, _, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
                connection.exec_driver_sql(f"PRAGMA {self._wait}")
        except OperationalError as error:
            raise _in_words(error, self.file) from error
        return not busy


def unwritable(folder: Path, error: OSError) -> StoreError:
    """The error for a folder that cannot be written."""
    return StoreError(
        f"The memory folder {folder} cannot be written: {error.strerror}. Choose another with --store."
    )


def _engine(file: Path, wait: str) -> Engine:
    engine = create_engine(f"sqlite:///{file}")

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        # Python's own transactions would begin late, and as readers.
        connection.isolation_level = None
        # First, so that the others wait too.
        for pragma in (wait, *_PRAGMAS):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if statement := connection.get_execution_options().get("begin", "BEGIN"):
            connection.exec_driver_sql(statement)

    return engine


def _in_words(error: OperationalError, file: Path) -> StoreError:
    told = str(error.orig)
    if "locked" in told or "busy" in told:
        return StoreBusy(
            f"Another program is writing to {file} and does not finish. Try again when it is done."
        )
    return StoreError(f"{file} cannot be written: {told}. Make room, or choose another folder with --store.")
