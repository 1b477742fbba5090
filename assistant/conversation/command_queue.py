"""Commands that wait for the end of a turn, stored in a file so that they survive a killed program.

Each program that is open on a memory has a queue and a file of its own, and holds the file's lock while it
runs: no two programs write one file, and no command is run twice. A program that starts takes over the
commands of programs that have ended.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from assistant.files import FileLock, write_privately

FILE = "waiting.json"
"""The first program's file; those of further programs have a number in the name."""

MOST = 50
"""The most commands in the queue; nobody queues more on purpose."""

_LONGEST = 4000
_log = logging.getLogger(__name__)


class CommandQueue:
    """A short queue of commands, the next one first.

    It is `held` when the program starts with commands in it and after a failed turn: then the next command
    starts only when the user says so.

    Args:
        folder: where the files are, which exist only while commands wait; None stores nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._commands: list[str] = []
        self._file: Path | None = None
        self._right: FileLock | None = None
        if folder is not None:
            try:
                self._take_over(folder)
            except OSError as error:
                _log.warning("the waiting commands are not kept: %s", error)
        self.held = bool(self._commands)

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands, the next one first."""
        return tuple(self._commands)

    def add(self, command: str, place: int | None = None) -> bool:
        """Add a command at the end, or at an index; returns whether there was room."""
        if len(self._commands) >= MOST:
            return False
        self._commands.insert(len(self._commands) if place is None else place, command[:_LONGEST])
        self._keep()
        return True

    def take(self, place: int = 0) -> str | None:
        """Remove and return a command, by default the next; None when there is none at this index."""
        if not 0 <= place < len(self._commands):
            return None
        command = self._commands.pop(place)
        self._keep()
        return command

    def move(self, place: int, by: int) -> int:
        """Move a command, towards the front for a negative number; returns its new index."""
        target = max(0, min(len(self._commands) - 1, place + by))
        self._commands.insert(target, self._commands.pop(place))
        self._keep()
        return target

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
                self._commands = _load(file)
                continue
            try:
                self._add_from(file)
            finally:
                right.release()

    def _add_from(self, file: Path) -> None:
        """Take the commands of a program that has ended, unless there is no room for all of them."""
        commands = _load(file)
        if commands and len(self._commands) + len(commands) <= MOST:
            self._commands += commands
            self._write()
            file.unlink()

    def _keep(self) -> None:
        self.held = self.held and bool(self._commands)
        try:
            self._write()
        except OSError as error:
            _log.warning("the waiting commands are not kept: %s", error)

    def _write(self) -> None:
        if self._file is None:
            return
        if self._commands:
            write_privately(self._file, json.dumps(self._commands, ensure_ascii=False))
        else:
            self._file.unlink(missing_ok=True)


def _files(folder: Path) -> Iterator[Path]:
    """The possible files, in order. A lock file beside a file shows that a program has used it."""
    yield folder / FILE
    for number in count(2):
        yield folder / f"waiting-{number}.json"


def _load(file: Path) -> list[str]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    commands = content if isinstance(content, list) else []
    return [command[:_LONGEST] for command in commands if isinstance(command, str) and command.strip()][:MOST]
