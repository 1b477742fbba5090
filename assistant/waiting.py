"""Commands that wait for the end of a turn, kept in a file so that a killed program finds them again."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from assistant.secrets import write_privately

FILE = "waiting.json"
MOST = 50
"""More commands than a person queues on purpose."""

_LONGEST = 4000
_log = logging.getLogger(__name__)


class WaitingCommands:
    """A short line of commands, the next one first.

    They are held when the program starts with some and when a turn does not end well: then the next one
    starts only when the user lets it.

    Args:
        folder: where the file is, which is there only while commands wait; None keeps them in mind only.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / FILE if folder is not None else None
        self._commands = _read(self._file) if self._file is not None else []
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

    def _keep(self) -> None:
        self.held = self.held and bool(self._commands)
        if self._file is None:
            return
        try:
            if self._commands:
                write_privately(self._file, json.dumps(self._commands, ensure_ascii=False))
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("the waiting commands are not kept: %s", error)


def _read(file: Path) -> list[str]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    commands = found if isinstance(found, list) else []
    return [one[:_LONGEST] for one in commands if isinstance(one, str) and one.strip()][:MOST]
