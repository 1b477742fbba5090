"""The store: one folder with the database and the screenshots.

`Store` has an attribute for each kind of data.

`Store.revision` rises with every change of the memory, and `RevisionCache` caches by it. Also here:
`RecordStore` reads, filters, adds and edits records; `Approvals` are the rules by which the user always
allows a kind of deed; `LearningSwitches` are a pause for all learning, and a switch for each source of
records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Table, delete, func, or_, select

from assistant.events import ActionKind, Deed
from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.audit import Audit, AuditLine, Change, ChangeHeader, changing
from assistant.memory.database import AT_ONCE, Database, Drop, StoreError, backend_of, find_rows, unwritable
from assistant.memory.programs import ProgramLeases
from assistant.memory.prototypes.terms import CORRECTED_BY
from assistant.memory.request_log import RequestLog, UsageLedger
from assistant.memory.schema import RECORD_VECTOR, prototype_members, prototype_states, prototypes, vectors
from assistant.memory.schema import learning_switches as switches
from assistant.memory.turns import PART, TurnStore
from assistant.records import BROKEN_OFF, Record
from assistant.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Selects records; empty fields and None select all.

    `app` is a name or a package. `text` is contained in the typed command or in the instruction, in any case.
    `since` is the earliest time.
    """

    user_id: str | None = None
    app: str = ""
    since: datetime | None = None
    text: str = ""


class RecordStore:
    """Reads, adds and edits records."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def of(self, user_id: str | None = None, newest: int | None = None) -> Iterator[Record]:
        """The records of one user or of all, oldest first; with `newest`, only that many of the latest."""
        return self.where(RecordFilter(user_id), newest)

    def where(self, criteria: RecordFilter, newest: int | None = None) -> Iterator[Record]:
        """The records that a filter selects, oldest first."""
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
        """The record with an id; None if there is none."""
        with self._database.read_once() as connection:
            rows = find_rows(connection, schema.records, [{"id": record_id}])
        return next((read_record(row) for row in rows.values()), None)

    def users(self) -> list[str]:
        """The ids of the users who have records, the one with most records first."""
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
        """The number of records."""
        with self._database.read_once() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.records)).scalar_one())

    def add(self, records: Iterable[Record], what: str = "Add records", why: str = "") -> int:
        """Add records; existing ones stay unchanged. Returns the number of new records."""
        with changing(self._database, ChangeHeader(what, why), self._now) as change:
            return change.insert_missing(schema.records, (record.as_row() for record in records))

    def edit(self, record_id: str, values: Mapping[str, str], why: str = "asked by the user") -> int | None:
        """Replace columns of a record. Returns the id of the change, or None if nothing differed.

        Raises:
            NoSuchRow: there is no record with this id.
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
    """A rule of the user: deeds like this one need no approval.

    Attributes:
        package: the app.
        kind: the kind of deed.
        app: the app's name when it was allowed.
        time: since when.
        recipient: who gets the message; for a permission the system's question, which names the app that
            asks and the permission. Empty where such a deed has no recipient.
        item: the button that grants a permission, and the row it stands in; empty for other kinds.
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
        return cls(deed.package, deed.kind, deed.app, time, deed.recipient, _permission(deed))

    @property
    def is_valid(self) -> bool:
        """Whether it covers any deed: a rule of an earlier version, which names no recipient, covers none."""
        return self.kind is ActionKind.DELETE or bool(self.recipient)

    def covers(self, deed: Deed) -> bool:
        """Whether a deed is one that this rule allows."""
        if (self.package, self.kind, self.recipient) != (deed.package, deed.kind, deed.recipient):
            return False
        return self.is_valid and self.item == _permission(deed)


def _permission(deed: Deed) -> str:
    """The button that grants, with the row it stands in, as in a list of apps; empty for other kinds."""
    return " · ".join(filter(None, (deed.text, deed.entry))) if deed.kind is ActionKind.GRANT else ""


class Approvals:
    """The standing approvals of one database."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def allow(self, user_id: str, approval: StandingApproval) -> None:
        """Add a rule; does nothing if it exists."""
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

    def allows(self, user_id: str, deed: Deed) -> bool:
        """Whether a rule of the user allows a deed."""
        return any(approval.covers(deed) for approval in self.list_approvals(user_id, deed.package))

    def list_approvals(self, user_id: str, package: str | None = None) -> list[StandingApproval]:
        """A user's rules, sorted by package, kind and time; with `package`, only those of one app."""
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
        return [rule for rule in rules if rule.is_valid]

    def revoke(
        self,
        user_id: str,
        package: str | None = None,
        kind: ActionKind | None = None,
        recipient: str | None = None,
    ) -> int:
        """Delete rules; None stands for any app, kind or recipient. Returns the number of deleted rules."""
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
    """The memory in one folder, with an attribute for each kind of data.

    The folder has mode 0700, the files in it 0600.

    Args:
        folder: its path; created if it does not exist.
        now: returns the present time with its zone, for the audit.
        database: the URL of a database server; empty for a SQLite file in the folder.

    Raises:
        StoreError: the folder cannot be written, or contains another database than ours.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] = local_time, database: str = "") -> None:
        self.folder = folder
        self.screenshots = folder / "screenshots"
        self.now = now
        try:
            self.screenshots.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            self.database = Database(backend_of(folder, database), _DROPS)
        except OSError as error:
            raise unwritable(folder, error) from error
        self.records = RecordStore(self.database, now)
        self.leases = ProgramLeases(self.database, folder / "running")
        self.turns = TurnStore(self.database, self.screenshots, now, self.leases)
        self.audit = Audit(self.database, now)
        self.approvals = Approvals(self.database, now)
        self.ledger = UsageLedger(self.database)
        self.sent = RequestLog(self.database)

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine, for plain selects only; write with `change`."""
        return self.database.engine

    def close(self) -> None:
        """Let go of what is held, and close the database."""
        self.leases.close()
        self.database.close()

    def reader(self) -> AbstractContextManager[Connection]:
        """A connection for selects that all see one snapshot of the database."""
        return self.database.read()

    def change(self, what: str, why: str, change_id: int | None = None) -> AbstractContextManager[Change]:
        """One transaction that is one line of the audit; it is rolled back when the body raises.

        Args:
            what: describes the change. It must not quote a record or its id, because it stays in the audit
                when the record is forgotten.
            why: who wants the change, or which job makes it.
            change_id: an existing change to add to, for long changes that are written in portions.

        Raises:
            StoreError: another program holds the write lock for too long, or the disk is full.
        """
        return changing(self.database, ChangeHeader(what, why), self.now, change_id)

    def revision(self) -> int:
        """The number of the newest transaction in the audit, of any process; 0 for an empty memory.

        It rises with every change, undo, redo and forgetting, and with each portion of a long change. Data
        outside the audit does not raise it: running turns, the request log, the usage ledger.
        """
        return self.audit.revision()

    def undo(self, change_id: int | None = None) -> AuditLine:
        """Undo a change, by default the latest; see `Audit.undo`."""
        return self.audit.undo(change_id)

    def redo(self, change_id: int | None = None) -> AuditLine:
        """Redo an undone change, by default the one undone last; see `Audit.redo`."""
        return self.audit.redo(change_id)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RevisionCache(Generic[K, V]):
    """Caches the value of one key, and computes it again when the memory or the key has changed.

    A check for changes costs one select on an index.

    Args:
        store: the memory.
        make: computes the value of a key.
        tables: the tables that `make` reads; changes of other tables do not count. By default all.
        prepare: writes what `make` reads; called first, so that these writes do not make the value stale.
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
        """The up-to-date value of a key. Raises what `make` and `prepare` raise."""
        cached = self._cached
        if cached is not None and cached[0] == key and not self._is_stale():
            return cached[1]
        self._prepare(key)
        # The revision is read before the value is made: what is written meanwhile may not be in the value.
        revision = self._store.revision()
        value = self._make(key)
        self._cached, self._revision = (key, value), revision
        self._own_revisions.clear()
        return value

    def keep_after(self, change: Change) -> None:
        """Keep the cached value after a change that the caller has also applied to the value itself."""
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
    """The configured user; if they have no records, the user who has most."""
    users = store.records.users()
    return configured if configured in users or not users else users[0]


INCOGNITO = "incognito"
"""The source of records of turns that ran while learning was paused; nothing is ever learnt from them."""

EXECUTED = "executed"
"""The source of records of turns that the assistant carried out."""

_PAUSE = "learning"
_SOURCE = "source "
_BY_USER = "asked by the user"


@dataclass(frozen=True, slots=True)
class RecordSource:
    """A source of records, the number of its records, and whether learning from it is `on`."""

    name: str
    records: int
    on: bool


class LearningSwitches:
    """What may be learnt from, for one user. Stored in the database, so that it holds for all programs.

    Each change of a switch is one line of the audit, and can be undone.
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
        """Pause or resume learning. Returns the id of the change, or None if nothing changed."""
        what = "Pause learning" if paused else "Go on learning"
        return self._turn(_PAUSE, not paused, what)

    def sources(self) -> list[RecordSource]:
        """The sources that have records, and those that are switched off, sorted by name."""
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
        """Learn from a source or not; its records then join or leave the prototypes.

        Returns:
            The id of the change, or None if nothing changed.

        Raises:
            ValueError: the source is `INCOGNITO`, which is never learnt from.
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
    """The sources of records that are not learnt from: switched off, `INCOGNITO`, and sub-tasks (`PART`)."""
    query = select(switches.c.name).where(switches.c.user_id == user_id, ~switches.c.on)
    names = connection.execute(query).scalars()
    return frozenset(
        [INCOGNITO, PART, *(name.removeprefix(_SOURCE) for name in names if name.startswith(_SOURCE))]
    )


def ignored_records(connection: Connection, user_id: str) -> frozenset[str]:
    """The ids of the records that are not learnt from: those of ignored sources, and those without success.

    A turn that failed, was cancelled or could not be confirmed shows neither what the user wants nor how it
    is done (PersonalAlign 3 takes its preferences from what users have done). Records without an outcome are
    learnt from.
    """
    records = schema.records.c
    ignored = or_(
        records.source.in_(ignored_sources(connection, user_id)),
        records.outcome.in_(sorted(BROKEN_OFF)),
        # A command with what was said against it is neither of the two.
        records.instruction.contains(CORRECTED_BY, autoescape=True),
    )
    query = select(records.id).where(records.user_id == user_id, ignored)
    return frozenset(connection.execute(query).scalars())


def _is_off(connection: Connection, user_id: str, name: str) -> bool:
    query = select(switches.c.on).where(switches.c.user_id == user_id, switches.c.name == name)
    return connection.execute(query).scalar_one_or_none() is False


def _drop_vectors(connection: Connection, record_ids: Sequence[str]) -> None:
    connection.execute(
        delete(vectors).where(vectors.c.kind == RECORD_VECTOR, vectors.c.owner.in_(record_ids))
    )


def drop_prototypes(connection: Connection, record_ids: Sequence[str]) -> None:
    """Delete the prototypes of some records; the next aggregation places their remaining records again."""
    members = prototype_members.c
    touched = select(members.prototype_id, members.user_id).where(members.record_id.in_(record_ids))
    rows = connection.execute(touched.distinct()).all()
    if names := [row.prototype_id for row in rows]:
        users = {row.user_id for row in rows}
        connection.execute(prototype_members.delete().where(members.prototype_id.in_(names)))
        connection.execute(prototypes.delete().where(prototypes.c.id.in_(names)))
        raised = prototype_states.update().where(prototype_states.c.user_id.in_(users))
        connection.execute(raised.values(dirty=True, revision=prototype_states.c.revision + 1))


_DROPS: tuple[Drop, ...] = (_drop_vectors, drop_prototypes)
"""What is computed from records, and deleted by `Database` in the transaction that changes them."""
