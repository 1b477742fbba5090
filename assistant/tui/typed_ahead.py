"""Keys pressed before the interface is up: taken over from the terminal instead of lost."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_MOST = 4096
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")


@dataclass(frozen=True, slots=True)
class Pressed:
    """A key by the interface's name for it, and the character that it stands for."""

    key: str
    character: str


class TypedAhead:
    """Keeps a terminal from echoing and from waiting for whole lines until `end`.

    Args:
        terminal: the number of its file; where that is no terminal there is nothing to take over.
    """

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
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

    def end(self) -> list[Pressed]:
        """Leave the terminal as it was; what was typed meanwhile, the first time this is called."""
        before, self._before = self._before, None
        if before is None:
            return []
        typed = b""
        while len(typed) < _MOST and select.select([self._terminal], [], [], 0)[0]:
            if not (more := os.read(self._terminal, _MOST)):
                break
            typed += more
        termios.tcsetattr(self._terminal, termios.TCSANOW, before)
        return list(keys_of(typed))


def typed_ahead() -> TypedAhead:
    """What is typed into standard input from now on."""
    stream = sys.__stdin__
    try:
        return TypedAhead(stream.fileno() if stream is not None else -1)
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
