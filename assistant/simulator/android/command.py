"""What a shell command gets and gives."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from assistant.simulator.adbd.backend import ByteReader
from assistant.simulator.android.services import Services
from assistant.simulator.surface import Surface

Sink = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Streams:
    """Where a command reads from and writes to."""

    stdin: ByteReader
    stdout: Sink
    stderr: Sink


@dataclass(frozen=True, slots=True)
class Result:
    """What a command printed, and its exit code; an `endless` one never ends by itself."""

    output: str | bytes = ""
    error: str = ""
    code: int = 0
    endless: bool = False


class JavaError(Exception):
    """An exception inside a system service: the phone prints it with its stack and exits with 255."""

    def __init__(self, kind: str, message: str, *frames: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.frames = frames

    def text(self) -> str:
        """The exception as Java prints it."""
        return f"{self.kind}: {self.message}\n" + "".join(f"\tat {frame}\n" for frame in self.frames)


class Interpreter(Protocol):
    """Runs a command line inside a command: `sh -c`."""

    async def __call__(self, line: str, streams: Streams) -> int:
        """Run the line and return its exit code."""


@dataclass(slots=True)
class Context:
    """One call of a command: its name, arguments, variables and streams, and the phone it runs on."""

    services: Services
    surface: Surface
    name: str
    arguments: list[str]
    streams: Streams
    interpret: Interpreter
    folder: str = "/"
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def release(self) -> int:
        """The Android version."""
        return self.services.profile.release

    def path(self, name: str) -> str:
        """An absolute path."""
        return name if name.startswith("/") else f"{self.folder.rstrip('/')}/{name}"

    async def print(self, text: str | bytes) -> None:
        """Write to standard output at once."""
        if text:
            await self.streams.stdout(text.encode() if isinstance(text, str) else text)

    async def complain(self, text: str) -> None:
        """Write to standard error at once."""
        if text:
            await self.streams.stderr(text.encode())

    async def give(self, result: Result) -> int:
        """Print a result and return its code."""
        await self.print(result.output)
        await self.complain(result.error)
        if result.endless:
            await asyncio.Event().wait()
        return result.code


Plain = Callable[[Context], Result]
"""A command that answers at once."""

Running = Callable[[Context], Awaitable[int]]
"""A command that reads its input, waits, or prints as it goes."""


class Arguments:
    """Walks through a command's words as Android's own commands do."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0

    def next(self) -> str | None:
        """The next word, or None at the end."""
        if self._at >= len(self._words):
            return None
        self._at += 1
        return self._words[self._at - 1]

    def required(self) -> str:
        """The next word. Raises `JavaError` at the end, as the phone does."""
        word = self.next()
        if word is None:
            previous = self._words[self._at - 1] if self._at else ""
            raise JavaError("java.lang.IllegalArgumentException", f'Argument expected after "{previous}"')
        return word

    def rest(self) -> list[str]:
        """All words that are left."""
        left, self._at = self._words[self._at :], len(self._words)
        return left
