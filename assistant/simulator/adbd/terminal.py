"""The line discipline of a terminal: echo, erase, end of input, interrupt."""

from __future__ import annotations

from dataclasses import dataclass

_INTERRUPT, _END, _KILL = 0x03, 0x04, 0x15
_ERASE = (0x08, 0x7F)


@dataclass(slots=True)
class Typed:
    """What keys amount to: bytes to echo, complete lines for the reader, Ctrl-C, Ctrl-D on an empty line."""

    echo: bytes = b""
    lines: bytes = b""
    interrupted: bool = False
    ended: bool = False


class Terminal:
    """Collects a line until Enter, as a pty in its usual (cooked, UTF-8) mode does."""

    def __init__(self) -> None:
        self._line = bytearray()

    def type(self, keys: bytes) -> Typed:
        """Take what the person typed."""
        typed = Typed()
        for key in keys:
            self._one(key, typed)
        return typed

    def _one(self, key: int, typed: Typed) -> None:
        match key:
            case 0x0A | 0x0D:
                typed.lines += bytes(self._line) + b"\n"
                typed.echo += b"\r\n"
                self._line.clear()
            case _ if key in _ERASE:
                typed.echo += self._erase()
            case _ if key == _KILL:
                while self._line:
                    typed.echo += self._erase()
            case _ if key == _INTERRUPT:
                self._line.clear()
                typed.echo += b"^C\r\n"
                typed.interrupted = True
            case _ if key == _END:
                typed.lines += bytes(self._line)
                typed.ended = typed.ended or not self._line
                self._line.clear()
            case _:
                self._line.append(key)
                typed.echo += bytes([key])

    def _erase(self) -> bytes:
        if not self._line:
            return b""
        while self._line and self._line[-1] & 0xC0 == 0x80:
            self._line.pop()
        if self._line:
            self._line.pop()
        return b"\b \b"


def on_screen(output: bytes) -> bytes:
    """Output as a terminal gets it: each line feed with a carriage return."""
    return output.replace(b"\n", b"\r\n")
