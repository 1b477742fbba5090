"""What the daemon needs of the phone behind it: a shell, and files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class Fd(IntEnum):
    """Where a command writes to."""

    STDOUT = 1
    STDERR = 2


class ByteReader(Protocol):
    """A command's standard input."""

    async def read(self, n: int = -1) -> bytes:
        """At most `n` bytes as soon as there are some, or everything to the end; empty at the end."""

    async def readline(self) -> bytes:
        r"""One line with its `\n`, or what is left; empty at the end."""


Write = Callable[[Fd, bytes], Awaitable[None]]

Listener = Callable[[ByteReader, Callable[[bytes], Awaitable[None]]], Awaitable[None]]
"""A program on the phone that serves one connection: it reads from the first, and writes with the second."""


class ShellBackend(Protocol):
    """The phone's shell. `run` is cancelled when the client goes away or, on a terminal, presses Ctrl-C."""

    async def run(self, line: str, stdin: ByteReader, write: Write) -> int:
        """Run one command line and return its exit code; an empty one reads lines from `stdin` to its end.

        A command that runs until closed, such as `getevent`, simply does not return. `write` waits until the
        client has room, so output need not be collected first.
        """


@dataclass(frozen=True, slots=True, order=True)
class FileStatus:
    """A file's mode (type bits included, as in `st_mode`), size in bytes, and time in seconds since 1970."""

    mode: int
    size: int
    mtime: int


class FileSystem(Protocol):
    """The phone's files. Paths are absolute. Failures are `OSError`s with an errno and its usual text."""

    def status(self, path: str) -> FileStatus | None:
        """The status of a file or folder, or nothing when there is none."""

    def list(self, path: str) -> list[tuple[str, FileStatus]]:
        """Names and status of what a folder holds; empty when there is no such folder."""

    def read(self, path: str) -> bytes:
        """A file's content. Raises `FileNotFoundError`, `IsADirectoryError`, `PermissionError`."""

    def write(self, path: str, content: bytes, mode: int = 0o660, mtime: int | None = None) -> None:
        """Make or replace a file and the folders above it; only the permission bits of `mode` count.

        Without a time the file gets the phone's now. Raises `IsADirectoryError`, `PermissionError`.
        """


class SocketBackend(Protocol):
    """What listens on the phone's own sockets."""

    def listener(self, address: str) -> Listener | None:
        """Who listens at `tcp:PORT` or `localabstract:NAME`; nothing where nobody does."""

    def listen(self, address: str, listener: Listener) -> bool:
        """Let somebody listen at an address; false where another one does."""

    def leave(self, address: str) -> None:
        """Let nobody listen at an address."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What the screen shows: size in pixels, and four bytes for each: red, green, blue, alpha."""

    width: int
    height: int
    pixels: bytes


class NoSockets:
    """A phone on which nothing listens."""

    def listener(self, address: str) -> Listener | None:
        """Nobody, at any address."""
        del address
        return None

    def listen(self, address: str, listener: Listener) -> bool:
        """False: there are no sockets."""
        del address, listener
        return False

    def leave(self, address: str) -> None:
        """Nobody is there."""
