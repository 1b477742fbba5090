"""One database with readers and one writer at a time, wherever it lives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DatabaseError, OperationalError

from assistant.i18n import _
from assistant.memory.migrations import runner

BEGIN = "begin"
"""The execution option that tells how a transaction begins: see `WRITING` and `NOTHING`."""

WRITING = "writing"
"""Take the write lock at once."""

NOTHING = "nothing"
"""Begin no transaction: for statements that cannot stand in one."""

Drop = Callable[[Connection, Sequence[str]], None]
"""Takes everything out of the database that was made from the records of some ids (a few hundred at most)."""


class StoreError(Exception):
    """The memory cannot be used; the message says why and what to do."""


class StoreBusy(StoreError):
    """Another program has been writing for longer than a writer waits."""


class Place(Protocol):
    """Where a database lives, and what is done there in a way of its own."""

    @property
    def name(self) -> str:
        """What a person calls it; holds no password."""

    @property
    def advice(self) -> str:
        """What to do when it cannot be used, a sentence."""

    def engine(self) -> Engine:
        """The way to it. Its transactions obey the execution option `BEGIN`.

        Raises:
            OSError: its file cannot be made.
        """

    def scrub(self, engine: Engine) -> bool:
        """Leave nothing of what was deleted; see `Database.scrub`."""

    def is_busy(self, error: OperationalError) -> bool:
        """Whether an error means that another program writes."""


class Database:
    """One database with readers and one writer at a time, in this process or in another.

    Args:
        place: where it lives.
        drops: what every change of records runs in its transaction, see `changes.changing`.

    Raises:
        StoreError: when it cannot be made or reached, or holds something else than our tables.
    """

    def __init__(self, place: Place, drops: Sequence[Drop] = ()) -> None:
        self._place = place
        self.drops = drops
        try:
            self.engine = place.engine()
            with self.read() as connection:
                current = runner.is_current(connection)
            if not current:
                with self.write() as connection:
                    runner.migrate(connection)
        except DatabaseError as error:
            raise StoreError(
                _("{name} is not a database that can be read ({line}). {advice}").format(
                    name=place.name, line=_line(error), advice=place.advice
                )
            ) from error
        except runner.StoreTooNew as error:
            raise StoreError(str(error)) from error

    def close(self) -> None:
        """Let go of it."""
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
            StoreError: the disk is full, or the database must not be written.
        """
        try:
            with self.engine.execution_options(**{BEGIN: WRITING}).begin() as connection:
                yield connection
        except OperationalError as error:
            raise self._in_words(error) from error

    def scrub(self) -> bool:
        """Rewrite the database without what was deleted, and empty its write-ahead log.

        Returns:
            False when another program reads just now, so that the log still holds old pages.

        Raises:
            StoreBusy: another program writes.
        """
        try:
            return self._place.scrub(self.engine)
        except OperationalError as error:
            raise self._in_words(error) from error

    def _in_words(self, error: OperationalError) -> StoreError:
        if self._place.is_busy(error):
            return StoreBusy(
                _(
                    "Another program is writing to {name} and does not finish. Try again when it is done."
                ).format(name=self._place.name)
            )
        return StoreError(
            _("{name} cannot be written: {line}. {advice}").format(
                name=self._place.name, line=_line(error), advice=self._place.advice
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
