"""Keys pressed before the interface is up: taken over from the terminal instead of lost."""

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
    """A key by the interface's name for it, and the character that it stands for."""

    key: str
    character: str


class TypedAhead:
    """Keeps a terminal from echoing and from waiting for whole lines until `end`.

    Args:
        terminal: the number of its file; where that is no terminal there is nothing to take over.
        drawn: the number of the file that the same terminal draws; without one nothing is asked.
    """

    def __init__(self, terminal: int, drawn: int = -1) -> None:
        self._terminal = terminal
        self._drawn = drawn
        self._typed = b""
        self._before: list[Any] | None = None
        try:
            before = termios.tcgetattr(terminal)
            now = [*before]
            # A terminal that works in lines turns Enter into a line feed.
            now[0] &= ~termios.ICRNL
            now[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(terminal, termios.TCSANOW, now)
        except (termios.error, OSError):
            return
        self._before = before

    @property
    def there(self) -> bool:
        """Whether there is a terminal that can be asked."""
        return self._before is not None and self._drawn >= 0

    def ask(self, question: bytes) -> None:
        """Write to the terminal what it answers by itself; the answer counts as no key."""
        if self.there:
            os.write(self._drawn, question)

    def hear(self, enough: Callable[[bytes], bool], seconds: float) -> bytes:
        """All that was typed and answered so far, read on until it is `enough` or the time is up."""
        until = time.monotonic() + seconds
        while self._before is not None and len(self._typed) < _MOST:
            # What is there is read whole before it is judged.
            left = 0.0 if enough(self._typed) else max(0.0, until - time.monotonic())
            if not select.select([self._terminal], [], [], left)[0]:
                break
            if not (more := os.read(self._terminal, _MOST)):
                break
            self._typed += more
        return self._typed

    def end(self) -> list[Pressed]:
        """Leave the terminal as it was; what was typed meanwhile, the first time this is called."""
        if self._before is None:
            return []
        typed = self.hear(lambda heard: True, 0)
        before, self._before = self._before, None
        termios.tcsetattr(self._terminal, termios.TCSANOW, before)
        return list(keys_of(typed))


def typed_ahead() -> TypedAhead:
    """What is typed into standard input from now on."""
    keys, drawn = sys.__stdin__, sys.__stderr__
    try:
        there = drawn is not None and drawn.isatty()
        return TypedAhead(
            keys.fileno() if keys is not None else -1, drawn.fileno() if drawn and there else -1
        )
    except (OSError, ValueError):
        return TypedAhead(-1)


def keys_of(typed: bytes) -> Iterator[Pressed]:
    """Bytes from a terminal as keys: characters, Enter, Backspace. Arrows and the like are dropped."""
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
