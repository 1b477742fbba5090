"""The door to the memory: one folder with a database and, beside it, the screenshots."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine

from assistant.memory import derived
from assistant.memory.approvals import Approvals
from assistant.memory.audit import Audit, AuditLine
from assistant.memory.changes import Change, Heading, changing
from assistant.memory.database import Database, StoreError, unwritable
from assistant.memory.places import place_of
from assistant.memory.records import RecordStore
from assistant.memory.request_log import Ledger
from assistant.memory.sent import SentLog
from assistant.memory.turn_store import TurnStore
from assistant.settings.schema import Settings

__all__ = ["Store", "StoreError", "open_store"]


def local_time() -> datetime:
    """The present time in the user's zone."""
    return datetime.now().astimezone()


def open_store(settings: Settings, now: Callable[[], datetime] = local_time) -> Store:
    """The memory that the settings name.

    Raises:
        StoreError: see `Store`.
    """
    return Store(settings.store, now, settings.memory.database.get_secret_value())


class Store:
    """The memory of one folder, each kind of thing behind its own attribute.

    The folder is made for the user alone (0700), the files in it too (0600).

    Args:
        folder: where it lives; made when it is missing.
        now: the present time with its zone, for the audit.
        database: the URL of a server's database in the place of a file in the folder.

    Raises:
        StoreError: when the folder cannot be written or holds something else than our database.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] = local_time, database: str = "") -> None:
        self.folder = folder
        self.screenshots = folder / "screenshots"
        self.now = now
        try:
            self.screenshots.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            self.database = Database(place_of(folder, database), derived.DROPS)
        except OSError as error:
            raise unwritable(folder, error) from error
        self.records = RecordStore(self.database, now)
        self.turns = TurnStore(self.database, self.screenshots, now)
        self.audit = Audit(self.database, now)
        self.approvals = Approvals(self.database, now)
        self.ledger = Ledger(self.database)
        self.sent = SentLog(self.database)

    @property
    def engine(self) -> Engine:
        """For plain selects; write with `change`."""
        return self.database.engine

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def reader(self) -> AbstractContextManager[Connection]:
        """A connection for selects, all of one state of the database."""
        return self.database.read()

    def change(self, what: str, why: str, change_id: int | None = None) -> AbstractContextManager[Change]:
        """One transaction that is one line of the audit; nothing is kept when the body raises.

        Args:
            what: what is changed, in words that quote no record, nor its id: they outlive a forgotten one.
            why: who wants it, or which job.
            change_id: a change to add to, for a long one that is done in portions.

        Raises:
            StoreError: another program writes for long, or the disk is full.
        """
        return changing(self.database, Heading(what, why), self.now, change_id)

    def undo(self, change_id: int | None = None) -> AuditLine:
        """Take a change back, by default the latest; see `Audit.undo`."""
        return self.audit.undo(change_id)

    def redo(self, change_id: int | None = None) -> AuditLine:
        """Do an undone change again, by default the one undone last; see `Audit.redo`."""
        return self.audit.redo(change_id)
