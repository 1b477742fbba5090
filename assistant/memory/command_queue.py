"""The commands that wait for the end of a turn, in a file so that they survive a killed program.

Each program has a queue and a file of its own, and holds the file's lock while it runs: no two programs write
one file, and no command is run twice. A program that starts takes over the commands of programs that have
ended. Each phone has a queue of its own; a command keeps the phone that it was meant for, also in the file.

A command leaves the file only when its turn is stored; meanwhile the file names the turn. So a program that
is killed in between leaves either the command or the turn, never both or neither. A queue whose file is
deleted, as when the memory is wiped, is empty.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from assistant.files import FileLock, remove_durably, write_privately

FILE = "waiting.json"
"""The first program's file; those of further programs have a number in the name."""

_PATTERN = "waiting*.json"

MOST = 50
"""The most commands in the queue; nobody queues more on purpose."""

_LONGEST = 4000
_log = logging.getLogger(__name__)


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
        if len(self._waiting) >= MOST:
            return False
        waiting = _Waiting(command[:_LONGEST], self.phone)
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
        if not theirs or len(other._waiting) + len(theirs) > MOST:
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
        if left and len(self._waiting) + len(waiting) <= MOST:
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
    yield folder / FILE
    for number in count(2):
        yield folder / f"waiting-{number}.json"


def queued_commands(folder: Path) -> list[str]:
    """The commands that wait in all programs on a memory, of each queue the next one first."""
    return [waiting.text for file in sorted(folder.glob(_PATTERN)) for waiting in _load(file)]


def drop_queued(folder: Path) -> int:
    """Delete the commands that wait in all programs on a memory; returns how many there were.

    Raises:
        OSError: a file cannot be deleted.
    """
    count = len(queued_commands(folder))
    for file in folder.glob(_PATTERN):
        remove_durably(file)
    return count


def _load(file: Path) -> list[_Waiting]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    entries = map(_read, content if isinstance(content, list) else [])
    return [waiting for waiting in entries if waiting.text.strip()][:MOST]


def _read(entry: Any) -> _Waiting:
    """One entry of a file; its text is empty where it is none."""
    values = entry if isinstance(entry, dict) else {"command": entry}
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    waiting = _Waiting(
        texts.get("command", "")[:_LONGEST], texts.get("phone", ""), turn=texts.get("turn", "")
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
