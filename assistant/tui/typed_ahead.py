"""Keys pressed before the interface is up: read from the terminal and replayed."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_MOST = 4096
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[P_\]][^\x1b\x07]*(?:\x1b\\|\x07)|O.|.)?")


@dataclass(frozen=True, slots=True)
class Pressed:
    """A key by Textual's name, and its character."""

    key: str
    character: str


class TypedAhead:
    """Turns off echo and line mode of a terminal until `end`.

    Args:
        terminal: file descriptor of the input; nothing is done if it is not a terminal.
        drawn: file descriptor of the terminal's output; without one, no query is sent.
    """

    def __init__(self, terminal: int, drawn: int = -1) -> None:
        self._terminal = terminal
        self._drawn = drawn
        self._typed = b""
        self._before: list[Any] | None = None
        try:
            before = termios.tcgetattr(terminal)
            now = [*before]
            # In line mode, a terminal turns Enter into a line feed.
            now[0] &= ~termios.ICRNL
            now[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(terminal, termios.TCSANOW, now)
        except (termios.error, OSError):
            return
        self._before = before

    @property
    def there(self) -> bool:
        """Whether there is a terminal that can be queried."""
        return self._before is not None and self._drawn >= 0

    def ask(self, question: bytes) -> None:
        """Send a query that the terminal answers itself; the answer is not a key press."""
        if self.there:
            os.write(self._drawn, question)

    def hear(self, enough: Callable[[bytes], bool], seconds: float) -> bytes:
        """All input so far; reads on until it is `enough` or the time is up."""
        until = time.monotonic() + seconds
        while self._before is not None and len(self._typed) < _MOST:
            # Read all available input before deciding.
            left = 0.0 if enough(self._typed) else max(0.0, until - time.monotonic())
            if not select.select([self._terminal], [], [], left)[0]:
                break
            if not (more := os.read(self._terminal, _MOST)):
                break
            self._typed += more
        return self._typed

    def end(self) -> list[Pressed]:
        """Restore the terminal; returns the keys pressed meanwhile, on the first call only."""
        if self._before is None:
            return []
        typed = self.hear(lambda heard: True, 0)
        before, self._before = self._before, None
        termios.tcsetattr(self._terminal, termios.TCSANOW, before)
        return list(parse_keys(typed))


def collect_typed_ahead() -> TypedAhead:
    """Start collecting what is typed into standard input."""
    keys, output = sys.__stdin__, sys.__stderr__
    try:
        is_terminal = output is not None and output.isatty()
        return TypedAhead(
            keys.fileno() if keys is not None else -1, output.fileno() if output and is_terminal else -1
        )
    except (OSError, ValueError):
        return TypedAhead(-1)


def parse_keys(typed: bytes) -> Iterator[Pressed]:
    """Parse terminal input into keys: characters, Enter, Backspace. Other sequences are dropped."""
    for character in _SEQUENCE.sub("", typed.decode("utf-8", "ignore")):
        match character:
            case "\r" | "\n":
                yield Pressed("enter", "\r")
            case "\x7f" | "\b":
                yield Pressed("backspace", "\x7f")
            case " ":
                yield Pressed("space", " ")
            case _ if character.isprintable():
                yield Pressed(character, character)
