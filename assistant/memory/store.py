"""The store: one folder with the database and the screenshots, with everything in it behind attributes.

`Store.revision` says whether the memory has changed, and `RevisionCache` caches by it. The records are here
too, adding, editing, filtering and reading them; the standing approvals, the rules by which the user allows a
kind of deed always; and what may be learnt from: a pause for all learning, and a switch for each source of
records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Table, func, or_, select

from assistant.events import ActionKind, Deed
from assistant.i18n import _
from assistant.memory import derived, schema
from assistant.memory.audit import Audit, AuditLine, Change, ChangeHeader, changing
from assistant.memory.database import AT_ONCE, Database, StoreError, backend_of, find_rows, unwritable
from assistant.memory.request_log import RequestLog, UsageLedger
from assistant.memory.schema import learning_switches as switches
from assistant.memory.turns import PART, TurnStore
from assistant.records import BROKEN_OFF, Record
from assistant.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records are meant; what is empty or None does not matter.

    `app` is a name or a package, `text` stands anywhere in what was said or understood, upper or lower case
    alike; `since` is a moment.
    """

    user_id: str | None = None
    app: str = ""
    since: datetime | None = None
    text: str = ""


class RecordStore:
    """Reading records, and the changes made to them."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def of(self, user_id: str | None = None, newest: int | None = None) -> Iterator[Record]:
        """The records of one user or of all, oldest first; `newest` keeps only that many of the latest."""
        return self.where(RecordFilter(user_id), newest)

    def where(self, criteria: RecordFilter, newest: int | None = None) -> Iterator[Record]:
        """The records that a filter lets through, oldest first."""
        table = schema.records
        query = select(table).where(*_conditions(criteria))
        with self._database.read() as connection:
            if newest is None:
                ordered = query.order_by(table.c.moment, table.c.id).execution_options(yield_per=AT_ONCE)
                yield from map(read_record, connection.execute(ordered).mappings())
            else:
                latest = query.order_by(table.c.moment.desc(), table.c.id.desc()).limit(newest)
                yield from map(read_record, reversed(connection.execute(latest).mappings().all()))

    def get(self, record_id: str) -> Record | None:
        """One record."""
        with self._database.read() as connection:
            rows = find_rows(connection, schema.records, [{"id": record_id}])
        return next((read_record(row) for row in rows.values()), None)

    def users(self) -> list[str]:
        """Whose records there are, those of most records first."""
        users = schema.records.c.user_id
        query = select(users).group_by(users).order_by(func.count().desc(), users)
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())

    def app_labels(self, user_id: str) -> list[str]:
        """The labels of the apps of a user's records, in alphabetical order."""
        query = select(schema.records.c.app).where(schema.records.c.user_id == user_id).distinct()
        with self._database.read() as connection:
            return sorted(app for app in connection.execute(query).scalars() if app)

    def count(self) -> int:
        """How many records there are."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.records)).scalar_one())

    def add(self, records: Iterable[Record], what: str = "Add records", why: str = "") -> int:
        """Add records; one that is there already stays as it is. Returns how many were new."""
        with changing(self._database, ChangeHeader(what, why), self._now) as change:
            return change.insert_missing(schema.records, (record.as_row() for record in records))

    def edit(self, record_id: str, values: Mapping[str, str], why: str = "asked by the user") -> int | None:
        """Replace columns of a record. Returns the change's id, or None when nothing differed.

        Raises:
            NoSuchRow: there is no such record.
        """
        what = f"Edit the {' and '.join(sorted(values))} of a record"
        with changing(self._database, ChangeHeader(what, why), self._now) as change:
            change.update(schema.records, {"id": record_id}, values)
        return change.id


def read_record(row: Mapping[Any, Any]) -> Record:
    """The record of a row; the inverse of `Record.as_row`."""
    return Record.model_validate(dict(row))


def _conditions(criteria: RecordFilter) -> Iterator[ColumnElement[bool]]:
    columns = schema.records.c
    if criteria.user_id is not None:
        yield columns.user_id == criteria.user_id
    if criteria.app:
        yield or_(func.lower(columns.app) == criteria.app.lower(), columns.package == criteria.app)
    if criteria.since is not None:
        yield columns.moment >= criteria.since.timestamp()
    if criteria.text:
        texts = (columns.said, columns.instruction)
        yield or_(*(column.icontains(criteria.text, autoescape=True) for column in texts))


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


INCOGNITO = "incognito"
"""The source of a turn that ran while learning was paused: it is kept, and nothing is ever learnt from it."""

EXECUTED = "executed"
"""The source of a turn that the assistant carried out."""

_PAUSE = "learning"
_SOURCE = "source "
_BY_USER = "asked by the user"


@dataclass(frozen=True, slots=True)
class RecordSource:
    """Where records come from, how many there are, and whether anything is learnt from them."""

    name: str
    records: int
    on: bool


class LearningSwitches:
    """The switches of one user. They are in the database, so that every program that uses it keeps to them.

    Each switching is one line of the audit, and can be undone.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    @property
    def paused(self) -> bool:
        """Whether the user has paused learning."""
        with self._store.reader() as connection:
            return _is_off(connection, self._user_id, _PAUSE)

    def pause(self, paused: bool = True) -> int | None:
        """Pause learning, or let it go on. Returns the change, None when it was so already."""
        what = "Pause learning" if paused else "Go on learning"
        return self._turn(_PAUSE, not paused, what)

    def sources(self) -> list[RecordSource]:
        """The sources there are records of, and those that were switched off, by name."""
        records = schema.records.c
        query = select(records.source, func.count()).where(records.user_id == self._user_id)
        with self._store.reader() as connection:
            counts = {row[0]: int(row[1]) for row in connection.execute(query.group_by(records.source))}
            off = ignored_sources(connection, self._user_id)
        names = sorted({*counts, *off} - {PART})
        return [RecordSource(name, counts.get(name, 0), name not in off) for name in names]

    def uses(self, source: str) -> bool:
        """Whether anything is learnt from records of a source."""
        with self._store.reader() as connection:
            return source not in ignored_sources(connection, self._user_id)

    def switch(self, source: str, on: bool) -> int | None:
        """Learn from a source or not. What prototypes made of its records goes or comes back with it.

        Raises:
            ValueError: the source is that of turns without learning.
        """
        if source == INCOGNITO:
            raise ValueError(_("Turns that ran while learning was paused stay out."))
        return self._turn(_SOURCE + source, on, "Switch a source of learning")

    def _turn(self, name: str, on: bool, what: str) -> int | None:
        with self._store.change(what, _BY_USER) as change:
            if _is_off(change.connection, self._user_id, name) is on:
                change.put(switches, {"user_id": self._user_id, "name": name, "on": on})
        return change.id


def ignored_sources(connection: Connection, user_id: str) -> frozenset[str]:
    """The sources of records that nothing is learnt from."""
    query = select(switches.c.name).where(switches.c.user_id == user_id, ~switches.c.on)
    names = connection.execute(query).scalars()
    return frozenset(
        [INCOGNITO, PART, *(name.removeprefix(_SOURCE) for name in names if name.startswith(_SOURCE))]
    )


def ignored_records(connection: Connection, user_id: str) -> frozenset[str]:
    """The ids of the records that nothing is learnt from: those of ignored sources, and what came to no end.

    A turn that failed, was cancelled or could not be confirmed shows neither that the user wanted it so nor
    how it is done (PersonalAlign 3 takes its preferences from what users have done). A record without an
    outcome counts.
    """
    records = schema.records.c
    ignored = or_(
        records.source.in_(ignored_sources(connection, user_id)),
        records.outcome.in_(sorted(BROKEN_OFF)),
    )
    query = select(records.id).where(records.user_id == user_id, ignored)
    return frozenset(connection.execute(query).scalars())


def _is_off(connection: Connection, user_id: str, name: str) -> bool:
    query = select(switches.c.on).where(switches.c.user_id == user_id, switches.c.name == name)
    return connection.execute(query).scalar_one_or_none() is False
