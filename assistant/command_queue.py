"""Commands that wait for the end of a turn, kept in a file so that a killed program finds them again.

Each program that is open on a memory has a line and a file of its own, whose lock it holds while it lives: no
two programs write one file, and no command is run by both. One that starts takes over what is left of those
that have ended.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from assistant.file_lock import FileLock
from assistant.secrets import write_privately

FILE = "waiting.json"
"""Of the first program; those beside it have numbers in theirs."""

MOST = 50
"""More commands than a person queues on purpose."""

_LONGEST = 4000
_log = logging.getLogger(__name__)


class CommandQueue:
    """A short line of commands, the next one first.

    They are held when the program starts with some and when a turn does not end well: then the next one
    starts only when the user lets it.

    Args:
        folder: where the files are, which are there only while commands wait; None keeps them in mind only.
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

    def add(self, said: str, place: int | None = None) -> bool:
        """Put a command at the end, or at a place; returns whether there was room."""
        if len(self._commands) >= MOST:
            return False
        self._commands.insert(len(self._commands) if place is None else place, said[:_LONGEST])
        self._keep()
        return True

    def take(self, place: int = 0) -> str | None:
        """Take a command out, by default the next; None when there is none at this place."""
        if not 0 <= place < len(self._commands):
            return None
        said = self._commands.pop(place)
        self._keep()
        return said

    def move(self, place: int, by: int) -> int:
        """Move a command towards the front for a negative number; its new place."""
        target = max(0, min(len(self._commands) - 1, place + by))
        self._commands.insert(target, self._commands.pop(place))
        self._keep()
        return target

    def close(self) -> None:
        """Leave what waits to the next program. Again is harmless."""
        if self._right is not None:
            self._right.release()
            self._right = None
        self._file = None

    def _take_over(self, folder: Path) -> None:
        """Get the first file that no living program has, and the commands of all such files.

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
                self._commands = _read(file)
                continue
            try:
                self._add_from(file)
            finally:
                right.release()

    def _add_from(self, file: Path) -> None:
        """The commands of a program that has ended, unless they are more than there is room for."""
        found = _read(file)
        if found and len(self._commands) + len(found) <= MOST:
            self._commands += found
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
    """The files of programs; a lock beside each tells that there was one."""
    yield folder / FILE
    for number in count(2):
        yield folder / f"waiting-{number}.json"


def _read(file: Path) -> list[str]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    commands = found if isinstance(found, list) else []
    return [one[:_LONGEST] for one in commands if isinstance(one, str) and one.strip()][:MOST]
