"""Programs that run beside one another on one memory: what each works on, and what waits in it.

A lease tells which program works on which turn and phone, also on several machines.

The commands that wait for the end of a turn are in a file, so that they survive a killed program. Each
program has a queue and a file of its own, and holds the file's lock while it runs: no two programs write
one file, and no command is run twice. A program that starts takes over the commands of programs that have
ended. Each phone has a queue of its own; a command keeps the phone that it was meant for, also in the file.

A command leaves the file only when its turn is stored; meanwhile the file names the turn. So a program that
is killed in between leaves either the command or the turn, never both or neither. A queue whose file is
deleted, as when the memory is wiped, is empty.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select, text, update

from assistant.files import FileLock, is_held, remove_durably, write_privately
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
        try:
            return is_held(file)
        except OSError:
            return True

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


QUEUE_FILE = "waiting.json"
"""The first program's file; those of further programs have a number in the name."""

_QUEUE_FILES = "waiting*.json"

MOST_QUEUED = 50
"""The most commands in the queue; nobody queues more on purpose."""

_LONGEST_COMMAND = 4000


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A command, and the serial of the phone that it is for; empty where that is not known yet.

    The `id` tells copies of one command from equal commands; `turn` is the id of the turn that is being made
    of it.
    """

    text: str
    phone: str = ""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    turn: str = ""

    def as_json(self) -> dict[str, str]:
        values = {"command": self.text, "phone": self.phone, "id": self.id, "turn": self.turn}
        return {name: value for name, value in values.items() if value}


class CommandQueue:
    """A short queue of commands, the next one first.

    It is `on_hold` when the program starts with commands in it and after a failed turn: then the next command
    starts only when the user says so. A command that is for another phone begins with its serial, as in
    `@emulator-5554 order lunch`, and must not start on this one.

    Args:
        folder: where the files are, which exist only while commands wait; None stores nothing.
        phone: the serial of the phone that new commands are for; empty while it is not known.
        has_turn: whether a turn is stored, by its id.
    """

    def __init__(
        self, folder: Path | None, phone: str = "", has_turn: Callable[[str], bool] = lambda _turn_id: False
    ) -> None:
        self.phone = phone
        self._has_turn = has_turn
        self._waiting: list[_Waiting] = []
        self._file: Path | None = None
        self._is_kept = False
        self._right: FileLock | None = None
        if folder is not None:
            try:
                self._take_over(folder)
            except OSError as error:
                _log.warning("the waiting commands are not kept: %s", error)
        self.on_hold = bool(self._waiting)

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands, the next one first."""
        self._drop_wiped()
        is_one_phones = not self.phone and len({waiting.phone for waiting in self._waiting}) == 1
        ours = {"", self.phone} | ({waiting.phone for waiting in self._waiting} if is_one_phones else set())
        return tuple(
            waiting.text if waiting.phone in ours else f"@{waiting.phone} {waiting.text}"
            for waiting in self._waiting
        )

    @property
    def next_phone(self) -> str:
        """The serial of the other phone that the next command is for; empty where it is for this one."""
        phone = self._waiting[0].phone if self._waiting else ""
        return phone if phone != self.phone else ""

    def add(self, command: str, place: int | None = None) -> bool:
        """Add a command at the end, or at an index; returns whether there was room."""
        self._drop_wiped()
        if len(self._waiting) >= MOST_QUEUED:
            return False
        waiting = _Waiting(command[:_LONGEST_COMMAND], self.phone)
        self._waiting.insert(len(self._waiting) if place is None else place, waiting)
        self._keep()
        return True

    def take(self, place: int = 0) -> str | None:
        """Remove and return a command, by default the next; None when there is none at this index."""
        commands = self.commands
        if not 0 <= place < len(commands):
            return None
        command = commands[place]
        del self._waiting[place]
        self._keep()
        return command

    @contextmanager
    def starting(self, turn_id: str) -> Iterator[None]:
        """Take the next command off at the end of the block, in which its turn is made and stored.

        Where the block raises, the command stays.

        Raises:
            OSError: the file cannot be written; the turn must not be made.
        """
        waiting = self._waiting[0]
        self._waiting[0] = replace(waiting, turn=turn_id)
        is_made = False
        try:
            self._write()
            yield
            is_made = True
        finally:
            if is_made:
                del self._waiting[0]
            else:
                self._waiting[0] = waiting
            self._keep()

    def move(self, place: int, by: int) -> int:
        """Move a command, towards the front for a negative number; returns its new index."""
        if not 0 <= place < len(self.commands):
            return 0
        target = max(0, min(len(self._waiting) - 1, place + by))
        self._waiting.insert(target, self._waiting.pop(place))
        self._keep()
        return target

    def hand_over(self, other: CommandQueue) -> None:
        """Give another queue the commands that are for its phone, on hold until the user says so."""
        self._drop_wiped()
        theirs = [waiting for waiting in self._waiting if waiting.phone == other.phone != self.phone]
        if not theirs or len(other._waiting) + len(theirs) > MOST_QUEUED:
            return
        other._waiting += theirs
        other.on_hold = True
        # Added there before they go here: a program killed in between shows them twice and loses none.
        other._keep()
        self._waiting = [waiting for waiting in self._waiting if waiting not in theirs]
        self._keep()

    def close(self) -> None:
        """Leave the commands to the next program; can be called again."""
        if self._right is not None:
            self._right.release()
            self._right = None
        self._file = None

    def _take_over(self, folder: Path) -> None:
        """Claim the first file that no running program holds, and take the commands of all such files.

        Raises:
            OSError: the folder cannot be written.
        """
        for file in _files(folder):
            lock = file.with_suffix(".lock")
            if self._right is not None and not lock.exists():
                return
            right = FileLock(lock)
            if not right.take():
                continue
            if self._right is None:
                self._file, self._right = file, right
                left = _load(file)
                self._waiting, self._is_kept = self._not_begun(left), bool(left)
                if len(self._waiting) < len(left):
                    # At once: a turn that is found to be stored may be deleted later.
                    self._write()
                continue
            try:
                self._add_from(file)
            finally:
                right.release()

    def _add_from(self, file: Path) -> None:
        """Take the commands of a program that has ended, unless there is no room for all of them."""
        left = _load(file)
        own = {waiting.id for waiting in self._waiting}
        waiting = [each for each in self._not_begun(left) if each.id not in own]
        if left and len(self._waiting) + len(waiting) <= MOST_QUEUED:
            self._waiting += waiting
            self._write()
            remove_durably(file)

    def _not_begun(self, left: Sequence[_Waiting]) -> list[_Waiting]:
        """Of the commands of a program that has ended those that did not become a turn."""
        return [
            replace(waiting, turn="")
            for waiting in left
            if not (waiting.turn and self._has_turn(waiting.turn))
        ]

    def _keep(self) -> None:
        self.on_hold = self.on_hold and bool(self._waiting)
        try:
            self._write()
        except OSError as error:
            _log.warning("the waiting commands are not kept: %s", error)

    def _drop_wiped(self) -> None:
        """Drop the commands where the file that had them was deleted."""
        if self._is_kept and self._file is not None and not self._file.exists():
            self._waiting, self._is_kept, self.on_hold = [], False, False

    def _write(self) -> None:
        if self._file is None:
            return
        if self._waiting:
            entries = [waiting.as_json() for waiting in self._waiting]
            write_privately(self._file, json.dumps(entries, ensure_ascii=False))
        else:
            remove_durably(self._file)
        self._is_kept = bool(self._waiting)


def _files(folder: Path) -> Iterator[Path]:
    """The possible files, in order. A lock file beside a file shows that a program has used it."""
    yield folder / QUEUE_FILE
    for number in count(2):
        yield folder / f"waiting-{number}.json"


def queued_commands(folder: Path) -> list[str]:
    """The commands that wait in all programs on a memory, of each queue the next one first."""
    return [waiting.text for file in sorted(folder.glob(_QUEUE_FILES)) for waiting in _load(file)]


def drop_queued(folder: Path) -> int:
    """Delete the commands that wait in all programs on a memory; returns how many there were.

    Raises:
        OSError: a file cannot be deleted.
    """
    count = len(queued_commands(folder))
    for file in folder.glob(_QUEUE_FILES):
        remove_durably(file)
    return count


def _load(file: Path) -> list[_Waiting]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    entries = map(_read, content if isinstance(content, list) else [])
    return [waiting for waiting in entries if waiting.text.strip()][:MOST_QUEUED]


def _read(entry: Any) -> _Waiting:
    """One entry of a file; its text is empty where it is none."""
    values = entry if isinstance(entry, dict) else {"command": entry}
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    waiting = _Waiting(
        texts.get("command", "")[:_LONGEST_COMMAND], texts.get("phone", ""), turn=texts.get("turn", "")
    )
    return replace(waiting, id=texts["id"]) if texts.get("id") else waiting


class PhoneQueues:
    """The queues of one program, one for each phone.

    Args:
        folder: where the files are; None stores nothing.
        first: the queue of the first phone; by default a new one, with what ended programs have left.
        has_turn: whether a turn is stored, by its id.
    """

    def __init__(
        self,
        folder: Path | None,
        first: CommandQueue | None = None,
        has_turn: Callable[[str], bool] = lambda _turn_id: False,
    ) -> None:
        self._folder = folder
        self._has_turn = has_turn
        self._queues: dict[str, CommandQueue] = {"": first} if first is not None else {}

    def on(self, serial: str) -> CommandQueue:
        """The commands that wait for the end of the turn on a phone.

        The first that is asked for holds what ended programs have left, for any phone, until that phone's
        queue is asked for.
        """
        queues = self._queues
        if serial in queues:
            return queues[serial]
        queue = queues.pop("", None) or CommandQueue(self._folder, serial, self._has_turn)
        queue.phone = serial
        for other in queues.values():
            other.hand_over(queue)
        queues[serial] = queue
        return queue

    def load(self) -> None:
        """Look at what ended programs have left, if that has not been done."""
        if not self._queues:
            self._queues[""] = CommandQueue(self._folder, has_turn=self._has_turn)

    def close(self) -> None:
        """Leave the commands to the next program; can be called again."""
        for queue in self._queues.values():
            queue.close()
