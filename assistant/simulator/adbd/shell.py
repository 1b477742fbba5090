r"""The services `shell:`, `shell,v2,…:` and `exec:`.

Version 2 frames both directions: an id, a little-endian length, data. Ids are 0 input, 1 output, 2 errors,
3 exit code (one byte), 4 end of input, 5 window size. Without it output and errors share the stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum

from assistant.simulator.adbd.backend import ByteReader, Fd, ShellBackend
from assistant.simulator.adbd.pipe import Pipe
from assistant.simulator.adbd.streams import Stream
from assistant.simulator.adbd.terminal import Terminal, on_screen

INTERRUPTED = 130

_FRAME = struct.Struct("<BI")


class _Id(IntEnum):
    STDIN = 0
    STDOUT = 1
    STDERR = 2
    EXIT = 3
    CLOSE_STDIN = 4
    WINDOW_SIZE = 5


@dataclass(frozen=True, slots=True)
class ShellRequest:
    """What a host asks for. Without a line it wants an interactive shell."""

    line: str
    framed: bool = False
    terminal: bool = False

    @classmethod
    def parse(cls, service: str) -> ShellRequest | None:
        """Read a service string; nothing when it is no shell service."""
        head, colon, line = service.partition(":")
        kind, *options = head.split(",")
        match kind:
            case _ if not colon:
                return None
            case "exec":
                return cls(line)
            case "shell":
                return cls(line, "v2" in options, "pty" in options or not (line or "raw" in options))
        return None


class TypedLines:
    """An interactive shell's input: it prompts before each line, and `exit` ends it.

    `asking` while a prompt waits for an answer; `code` is what `exit` said, if it was said.
    """

    def __init__(self, typed: Pipe, ask: Callable[[], Awaitable[None]]) -> None:
        self._typed = typed
        self._ask = ask
        self.asking = False
        self.code: int | None = None

    async def read(self, n: int = -1) -> bytes:
        """What a command reads is what is typed while it runs."""
        return await self._typed.read(n)

    async def readline(self) -> bytes:
        """The next line; empty at the end and after `exit`."""
        await self._ask()
        self.asking = True
        try:
            line = await self._typed.readline()
        finally:
            self.asking = False
        match line.split():
            case [b"exit"]:
                return b""
            case [b"exit", number] if number.isdigit():
                self.code = int(number)
                return b""
        return line


class ShellSession:
    """One run of the shell over a stream."""

    def __init__(self, stream: Stream, request: ShellRequest, backend: ShellBackend, prompt: str) -> None:
        self._stream = stream
        self._request = request
        self._backend = backend
        self._prompt = prompt.encode()
        self._stdin = Pipe()
        self._lines = TypedLines(self._stdin, self._ask)
        self._terminal = Terminal() if request.terminal else None
        self._command: asyncio.Task[int] | None = None
        self._interrupted = False

    async def run(self) -> None:
        """Run the command line, or an interactive shell, and send the exit code if the host can take one."""
        feeding = asyncio.create_task(self._feed())
        try:
            line = self._request.line
            code = await (self._run(line, self._stdin) if line else self._interact())
        finally:
            feeding.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await feeding
        if self._request.framed:
            number = INTERRUPTED if code is None else code & 0xFF
            await self._stream.write(_FRAME.pack(_Id.EXIT, 1) + bytes([number]))

    async def _interact(self) -> int:
        while True:
            code = await self._run("", self._lines)
            if self._lines.code is not None:
                return self._lines.code
            if code is not None:
                return code

    async def _run(self, line: str, stdin: ByteReader) -> int | None:
        """The exit code, or nothing when Ctrl-C ended the command."""
        self._command = asyncio.ensure_future(self._backend.run(line, stdin, self._write))
        try:
            return await self._command
        except asyncio.CancelledError:
            if not self._interrupted:
                raise
            return None
        finally:
            self._command, self._interrupted = None, False

    async def _ask(self) -> None:
        if self._terminal:
            await self._write(Fd.STDOUT, self._prompt)

    async def _write(self, fd: Fd, data: bytes) -> None:
        if self._terminal:
            fd, data = Fd.STDOUT, on_screen(data)
        if not self._request.framed:
            await self._stream.write(data)
            return
        room = self._stream.chunk - _FRAME.size
        for start in range(0, len(data), room):
            part = data[start : start + room]
            await self._stream.write(_FRAME.pack(fd, len(part)) + part)

    async def _feed(self) -> None:
        """Pass on what the host sends, as long as it sends."""
        incoming = self._stream.incoming
        if not self._request.framed:
            while data := await incoming.read(self._stream.chunk):
                await self._take(data)
            await self._stdin.end()
            return
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                kind, size = _FRAME.unpack(await incoming.readexactly(_FRAME.size))
                data = await incoming.readexactly(size)
                if kind == _Id.STDIN:
                    await self._take(data)
                elif kind == _Id.CLOSE_STDIN:
                    await self._stdin.end()

    async def _take(self, data: bytes) -> None:
        if self._terminal is None:
            await self._stdin.feed(data)
            await self._stdin.room()
            return
        typed = self._terminal.type(data)
        await self._echo(typed.echo)
        if typed.interrupted:
            await self._interrupt()
        await self._stdin.feed(typed.lines)
        if typed.ended:
            await self._stdin.end()

    async def _echo(self, data: bytes) -> None:
        if data:
            framed = _FRAME.pack(_Id.STDOUT, len(data)) + data if self._request.framed else data
            await self._stream.write(framed)

    async def _interrupt(self) -> None:
        if self._command is None or self._lines.asking:
            await self._stdin.feed(b"\n")
            return
        self._interrupted = True
        self._command.cancel()
