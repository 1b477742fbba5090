"""Browsing past commands with up and down."""

from __future__ import annotations

from collections.abc import Sequence


class Recall:
    """A position in the history, newest last; the draft being typed lies after the newest."""

    def __init__(self) -> None:
        self._commands: list[str] = []
        self._place = 0
        self._draft = ""

    def start(self, commands: Sequence[str]) -> None:
        """Restart after the newest command; of equal neighbours only one is kept."""
        self._commands = [
            command for index, command in enumerate(commands) if not index or commands[index - 1] != command
        ]
        self._place = len(self._commands)

    def older(self, current: str) -> str | None:
        """The previous command, None at the oldest."""
        if self._place == 0:
            return None
        if self._place == len(self._commands):
            self._draft = current
        self._place -= 1
        return self._commands[self._place]

    def newer(self) -> str | None:
        """The next command, the draft after the newest, None past that."""
        if self._place >= len(self._commands):
            return None
        self._place += 1
        return self._draft if self._place == len(self._commands) else self._commands[self._place]
