"""Which program works on which turn and phone, also on several machines."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, delete, select, text, update

from assistant.files import FileLock
from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.database import Database, StoreError, put_row

_log = logging.getLogger(__name__)

SUGGESTIONS = "suggestions"
"""The lease of the program that offers suggestions and begins what is scheduled."""

LEASE_SECONDS = 30.0
"""How long a lease on a server holds after it was renewed; a killed program is waited for so long."""

_RENEWAL = LEASE_SECONDS / 3
_CLOCK = getattr(time, "CLOCK_BOOTTIME", None)
"""A clock that goes on while the machine sleeps; where there is none, the monotonic one mostly does."""


def _seconds() -> float:
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


class LeaseLost(StoreError):
    """Another program has taken over a turn or its phone, because this one was not heard of in time."""

    def __init__(self) -> None:
        sentence = _(
            "Another machine has taken over this turn or its phone, because this one was not heard of for "
            "{seconds} s."
        )
        super().__init__(sentence.format(seconds=round(LEASE_SECONDS)))


class ProgramLeases:
    """What this program works on alone: turns and their phones, and the right to offer suggestions.

    A lease is a row in the database. A program that lives holds the lock of a file that is named for it. The
    programs with the same folder see that: what one of them held is free as soon as it has ended, and not
    before. To others, on a server, it is free when it has expired by the server's clock; a thread renews what
    is held. All methods may be called in any thread.

    Args:
        database: where the leases are.
        folder: for the files of the programs that live; made when it is missing.
        clock: seconds that also pass while the machine sleeps.
    """

    def __init__(self, database: Database, folder: Path, clock: Callable[[], float] = _seconds) -> None:
        self._database = database
        self._folder = folder
        self._clock = clock
        self._owner = uuid.uuid4().hex
        self._life = FileLock(self._file(self._owner))
        self._held: dict[str, str] = {}
        self._lost: set[str] = set()
        # Never holds a name that is held.
        self._to_release: set[str] = set()
        # Taken before a transaction, never in one: a thread that writes for a turn may wait for it otherwise.
        self._changing = threading.Lock()
        self._renewed = 0.0
        self._ended = threading.Event()
        self._renewing: threading.Thread | None = None

    def take(self, names: Collection[str], turn_id: str = "") -> bool:
        """Hold all of these for a turn, or nothing where one is held for another turn or by another program.

        A turn that somebody has taken over gets nothing, until its own lease is taken again.

        Raises:
            OSError: the folder cannot be written.
            StoreError: the database cannot be written.
        """
        is_lost = turn_id in self._lost
        if not self.is_due and not is_lost and all(self._held.get(name) == turn_id for name in names):
            return True
        with self._alone():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._life.take():
                return False
            # Before the transaction, so that no thread that writes after it gives back what it has taken.
            released = self._to_release.intersection(names)
            self._to_release -= released
            is_taken = False
            try:
                is_taken = self._take_rows(names, turn_id)
            finally:
                if not is_taken:
                    self._to_release |= released
        return is_taken

    def _take_rows(self, names: Collection[str], turn_id: str) -> bool:
        begun = self._clock()
        is_own = not turn_id or f"turn {turn_id}" in names
        with self._database.write() as connection:
            to_release = self._release_rows(connection)
            self._note_lost(connection)
            if turn_id in self._lost and not is_own:
                return False
            rows = self._rows_of_others(connection)
            if any(row.lives and row.name in names for row in rows):
                return False
            if any(self._held.get(name, turn_id) != turn_id for name in names):
                return False
            ended = {row.name: row.owner for row in rows if not row.lives}
            connection.execute(delete(schema.leases).where(schema.leases.c.name.in_(ended)))
            expires = _expiry(connection)
            for name in names:
                values = {"name": name, "owner": self._owner, "turn_id": turn_id, "expires": expires}
                put_row(connection, schema.leases, values)
        self._to_release -= to_release
        self._held |= dict.fromkeys(names, turn_id)
        self._lost.discard(turn_id)
        for owner in set(ended.values()):
            self._file(owner).unlink(missing_ok=True)
        if expires is not None and self._renewing is None:
            self._renewed = begun
            self._renewing = threading.Thread(target=self._keep_renewing, name="leases", daemon=True)
            self._renewing.start()
        return True

    def release(self, turn_id: str = "") -> None:
        """Let go of what is held for a turn. Again is harmless."""
        is_alone = self._changing.acquire(timeout=self._database.wait)
        try:
            names = {name for name, turn in list(self._held.items()) if turn == turn_id}
            # Before the rows go: a thread that misses them would take the turn for lost.
            for name in names:
                self._held.pop(name, None)
            self._to_release |= names
            self._lost.discard(turn_id)
            if not names:
                return
            if not is_alone:
                # The renewal waits for a server that does not answer, and is safe beside these changes.
                raise self._database.busy()
            with self._database.write() as connection:
                released = self._release_rows(connection)
            self._to_release -= released
        except StoreError as error:
            _log.warning("leases are given back with the next change: %s", error)
        finally:
            if is_alone:
                self._changing.release()

    def close(self) -> None:
        """Let go of everything."""
        self._ended.set()
        if self._renewing is not None:
            self._renewing.join()
        for turn_id in set(self._held.values()):
            self.release(turn_id)
        if self._life.held:
            self._file(self._owner).unlink(missing_ok=True)
            self._life.release()

    def of_others(self) -> dict[str, str]:
        """What other programs hold, each with the turn that it is held for."""
        with self._database.read() as connection:
            return {row.name: row.turn_id for row in self._rows_of_others(connection) if row.lives}

    def check(self, turn_id: str, connection: Connection | None = None) -> None:
        """Make sure that nobody has taken over what is held for a turn.

        Args:
            turn_id: the turn; one for which nothing was taken may go on.
            connection: the transaction that writes for the turn. Without it the database is asked only where
                nothing was renewed for a while, as after the machine slept.

        Raises:
            LeaseLost: somebody has.
            StoreError: the database cannot be reached.
        """
        if connection is not None:
            self._release_rows(connection)
            self._note_lost(connection)
        elif self.is_due:
            self.renew()
        if turn_id in self._lost:
            raise LeaseLost

    @property
    def is_due(self) -> bool:
        """Whether what is held was not renewed for so long that somebody may take it over soon."""
        return self._renewing is not None and self._clock() > self._renewed + 2 * _RENEWAL

    def renew(self) -> None:
        """Hold everything for another while, as far as nobody has taken it over.

        Raises:
            StoreError: the database cannot be written.
        """
        with self._alone():
            begun = self._clock()
            if self._held or self._to_release:
                with self._database.write() as connection:
                    released = self._release_rows(connection)
                    self._note_lost(connection)
                    mine = schema.leases.c.owner == self._owner
                    connection.execute(update(schema.leases).where(mine).values(expires=_expiry(connection)))
                self._to_release -= released
            self._renewed = begun

    def _keep_renewing(self) -> None:
        was_renewed = True
        while not self._ended.wait(_RENEWAL):
            try:
                self.renew()
                was_renewed = True
            except StoreError as error:
                if was_renewed:
                    _log.warning("leases are not renewed: %s", error)
                was_renewed = False

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads from changing what is held.

        Raises:
            StoreBusy: one has done so for longer than the database waits.
        """
        if not self._changing.acquire(timeout=self._database.wait):
            raise self._database.busy()
        try:
            yield
        finally:
            self._changing.release()

    def _release_rows(self, connection: Connection) -> set[str]:
        """Give back what could not be given back before; the names, to be forgotten after the commit."""
        names = set(self._to_release)
        if names:
            leases = schema.leases.c
            mine = leases.name.in_(names) & (leases.owner == self._owner)
            connection.execute(delete(schema.leases).where(mine))
        return names

    def _note_lost(self, connection: Connection) -> None:
        """Note what others have taken over, which stays true where the transaction is rolled back."""
        held = dict(self._held)
        if not held:
            return
        query = select(schema.leases.c.name).where(schema.leases.c.owner == self._owner)
        kept = set(connection.execute(query).scalars())
        for name, turn_id in held.items():
            # What another thread has let go of since is not lost.
            if name not in kept and self._held.pop(name, None) is not None:
                self._lost.add(turn_id)

    def _rows_of_others(self, connection: Connection) -> list[_Lease]:
        leases = schema.leases
        rows = connection.execute(select(leases).where(leases.c.owner != self._owner)).all()
        now = _server_time(connection) if rows else None
        return [
            _Lease(row.name, row.owner, row.turn_id, self._lives(row.owner, row.expires, now)) for row in rows
        ]

    def _lives(self, owner: str, expires: float | None, now: float | None) -> bool:
        """Whether the program that holds a lease still does."""
        file = self._file(owner)
        if not file.exists():
            return now is not None and expires is not None and expires > now
        life = FileLock(file)
        try:
            has_ended = life.take()
        except OSError:
            return True
        life.release()
        return not has_ended

    def _file(self, owner: str) -> Path:
        return self._folder / f"{owner}.lock"


@dataclass(frozen=True, slots=True)
class _Lease:
    """What another program holds, for which turn, and whether the program lives."""

    name: str
    owner: str
    turn_id: str
    lives: bool


def _expiry(connection: Connection) -> float | None:
    now = _server_time(connection)
    return now + LEASE_SECONDS if now is not None else None


def _server_time(connection: Connection) -> float | None:
    """The time by a server's clock in seconds since 1970; None for a file, whose leases do not expire.

    Not that of the beginning of the transaction, which may have waited for another writer.
    """
    if connection.dialect.name == "sqlite":
        return None
    clock = text("SELECT CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)")
    return float(connection.execute(clock).scalar_one())
