"""The store: one folder with the database and the screenshots, with everything in it behind attributes.

`Store.revision` says whether the memory has changed, and `RevisionCache` caches by it. The standing approvals
are here too: the rules by which the user allows a kind of deed always.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar

from sqlalchemy import Connection, Engine, Table, select

from assistant.events import ActionKind, Deed
from assistant.memory import derived, schema
from assistant.memory.audit import Audit, AuditLine, Change, ChangeHeader, changing
from assistant.memory.database import Database, StoreError, backend_of, unwritable
from assistant.memory.records import RecordStore
from assistant.memory.request_log import RequestLog, UsageLedger
from assistant.memory.turns import TurnStore
from assistant.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class StandingApproval:
    """A rule of the user: such a deed needs no asking, and since when.

    Attributes:
        package: the app.
        kind: the kind of deed.
        app: the app's name when it was allowed.
        time: since when.
        recipient: who gets the message; for a permission the system's question, which names the app that
            asks and the permission. Empty where such a deed has no recipient.
        item: the button that grants a permission; empty for other kinds.
    """

    package: str
    kind: ActionKind
    app: str
    time: datetime
    recipient: str = ""
    item: str = ""

    @classmethod
    def for_deed(cls, deed: Deed, time: datetime) -> StandingApproval:
        """The rule that allows deeds like this one."""
        item = deed.text if deed.kind is ActionKind.GRANT else ""
        return cls(deed.package, deed.kind, deed.app, time, deed.recipient, item)

    @property
    def holds(self) -> bool:
        """Whether it covers anything. A rule of an earlier version that names no recipient does not."""
        return self.kind is ActionKind.DELETE or bool(self.recipient)

    def covers(self, deed: Deed) -> bool:
        """Whether a deed is one that this rule allows."""
        if (self.package, self.kind, self.recipient) != (deed.package, deed.kind, deed.recipient):
            return False
        return self.holds and (deed.kind is not ActionKind.GRANT or self.item == deed.text)


class Approvals:
    """The standing approvals of one database."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def allow(self, user_id: str, approval: StandingApproval) -> None:
        """Allow such deeds from now on; again is harmless."""
        values = {
            "user_id": user_id,
            "package": approval.package,
            "kind": approval.kind.value,
            "recipient": approval.recipient,
            "item": approval.item,
            "app": approval.app,
            "time": approval.time.isoformat(),
        }
        what = f"Always allow {approval.kind} in {approval.app or approval.package}"
        with changing(self._database, ChangeHeader(what, "asked by the user"), self._now) as change:
            change.insert_missing(schema.approvals, [values])

    def holds(self, user_id: str, deed: Deed) -> bool:
        """Whether a rule of the user allows a deed."""
        return any(approval.covers(deed) for approval in self.list_approvals(user_id, deed.package))

    def list_approvals(self, user_id: str, package: str | None = None) -> list[StandingApproval]:
        """What a user allows always, by app and kind; in one app only where a package is given."""
        table = schema.approvals
        query = (
            select(table)
            .where(table.c.user_id == user_id)
            .order_by(table.c.package, table.c.kind, table.c.time)
        )
        if package is not None:
            query = query.where(table.c.package == package)
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
        rules = [
            StandingApproval(
                package=row["package"],
                kind=ActionKind(row["kind"]),
                app=row["app"],
                time=datetime.fromisoformat(row["time"]),
                recipient=row["recipient"],
                item=row["item"],
            )
            for row in rows
        ]
        return [rule for rule in rules if rule.holds]

    def revoke(
        self,
        user_id: str,
        package: str | None = None,
        kind: ActionKind | None = None,
        recipient: str | None = None,
    ) -> int:
        """Ask again from now on; what is None is any app, kind or recipient. Returns how many rules ended."""
        table = schema.approvals
        query = select(table).where(table.c.user_id == user_id)
        if package is not None:
            query = query.where(table.c.package == package)
        if kind is not None:
            query = query.where(table.c.kind == kind.value)
        if recipient is not None:
            query = query.where(table.c.recipient == recipient)
        heading = ChangeHeader("Take back standing approvals", "asked by the user")
        with changing(self._database, heading, self._now) as change:
            rows = change.connection.execute(query).mappings().all()
            return change.delete_all(table, [dict(row) for row in rows])


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
            self.database = Database(backend_of(folder, database), derived.DROPS)
        except OSError as error:
            raise unwritable(folder, error) from error
        self.records = RecordStore(self.database, now)
        self.turns = TurnStore(self.database, self.screenshots, now)
        self.audit = Audit(self.database, now)
        self.approvals = Approvals(self.database, now)
        self.ledger = UsageLedger(self.database)
        self.sent = RequestLog(self.database)

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
        return changing(self.database, ChangeHeader(what, why), self.now, change_id)

    def revision(self) -> int:
        """The number of the newest transaction in the audit, by whichever process; 0 for an empty memory.

        It rises with every change, undo and redo, when something is forgotten, and with each portion of a
        long change. Traces do not raise it: turns under way, the request log, the usage ledger.
        """
        return self.audit.revision()

    def undo(self, change_id: int | None = None) -> AuditLine:
        """Take a change back, by default the latest; see `Audit.undo`."""
        return self.audit.undo(change_id)

    def redo(self, change_id: int | None = None) -> AuditLine:
        """Do an undone change again, by default the one undone last; see `Audit.redo`."""
        return self.audit.redo(change_id)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RevisionCache(Generic[K, V]):
    """One value made from the memory, made again when the memory has changed or the key is another.

    To see that nothing has changed costs one select on an index.

    Args:
        store: the memory.
        make: makes the value of a key.
        tables: those the value is made from, where changes of others leave it as it is; by default all.
        prepare: writes what `make` reads, so that these writes do not count as changes since.
    """

    def __init__(
        self,
        store: Store,
        make: Callable[[K], V],
        tables: Iterable[Table] = (),
        prepare: Callable[[K], object] = lambda key: None,
    ) -> None:
        self._store = store
        self._make = make
        self._tables = frozenset(table.name for table in tables)
        self._prepare = prepare
        self._cached: tuple[K, V] | None = None
        self._revision = 0
        self._own_revisions: set[int] = set()

    def get(self, key: K) -> V:
        """The value of a key as the memory is now. Raises what `make` and `prepare` raise."""
        cached = self._cached
        if cached is not None and cached[0] == key and not self._is_stale():
            return cached[1]
        self._prepare(key)
        # Before the value is made: what is written meanwhile may not be in it.
        revision = self._store.revision()
        value = self._make(key)
        self._cached, self._revision = (key, value), revision
        self._own_revisions.clear()
        return value

    def keep_after(self, change: Change) -> None:
        """Do not make the value again for a change whose maker puts the same into the value."""
        if change.revision is not None:
            self._own_revisions.add(change.revision)

    def _is_stale(self) -> bool:
        newer = self._store.audit.tables_since(self._revision)
        if not newer:
            return False
        others = (tables for revision, tables in newer.items() if revision not in self._own_revisions)
        if any(not self._tables or self._tables & tables for tables in others):
            return True
        self._revision = max(newer)
        self._own_revisions = {revision for revision in self._own_revisions if revision > self._revision}
        return False


def owner_of(store: Store, configured: str) -> str:
    """The configured user; where nothing is recorded of them, the one most records are of."""
    users = store.records.users()
    return configured if configured in users or not users else users[0]
