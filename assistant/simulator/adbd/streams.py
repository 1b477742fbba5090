"""One stream of a connection, with ADB's flow control.

Without delayed acknowledgement each side may have one WRTE under way until the other's OKAY. With it, both
sides say at the opening how many bytes may be under way, and each OKAY carries how many more may follow.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable

from assistant.simulator.adbd.packets import Command, Packet
from assistant.simulator.adbd.pipe import Pipe

WINDOW = 32 << 20

_COUNT = struct.Struct("<i")

Send = Callable[[Packet], Awaitable[None]]


class StreamClosed(Exception):
    """The stream is over, nothing can be written to it."""


class Stream:
    """A stream that a host opened, or that is opened to it: `incoming` is what it sends, `write` answers.

    Args:
        send: puts a packet on the connection.
        local: our id of the stream.
        remote: the host's id; 0 for a stream to the host, which nothing can be written to until it accepts.
        chunk: the most data one packet may carry.
        window: with delayed acknowledgement, how many bytes the host lets us send at first; else nothing.
        cut_after: close the stream once that many bytes were sent, a fault.
    """

    def __init__(
        self,
        send: Send,
        local: int,
        remote: int,
        *,
        chunk: int,
        window: int | None = None,
        cut_after: int | None = None,
    ) -> None:
        self.local = local
        self.remote = remote
        self.incoming = Pipe()
        self._send = send
        self.chunk = chunk
        self._delayed = window is not None
        self._credit = (1 if remote else 0) if window is None else window
        self._left = cut_after
        self._closed = False
        self._writing = asyncio.Lock()
        self._acknowledged = asyncio.Event()
        self._ended = asyncio.Event()

    async def accept(self) -> None:
        """Tell the host that its OPEN succeeded."""
        await self._send(Packet(Command.OKAY, self.local, self.remote, self._count(WINDOW)))

    async def write(self, data: bytes) -> None:
        """Send bytes; returns when the host has room for more. Raises `StreamClosed`."""
        async with self._writing:
            for start in range(0, len(data), self.chunk):
                await self._write_one(data[start : start + self.chunk])

    async def _write_one(self, part: bytes) -> None:
        await self._may_send()
        whole = self._left is None or len(part) <= self._left
        if self._left is not None:
            part = part[: self._left]
            self._left -= len(part)
        if part:
            self._credit -= len(part) if self._delayed else 1
            await self._send(Packet(Command.WRTE, self.local, self.remote, part))
        if not whole:
            raise StreamClosed

    async def flush(self) -> None:
        """Wait until the host has taken the last WRTE."""
        async with self._writing:
            await self._may_send()

    async def acknowledge(self, size: int) -> None:
        """Send the OKAY for `size` bytes that went into `incoming`, as soon as there is room for more."""
        await self.incoming.room()
        if not self._closed:
            await self._send(Packet(Command.OKAY, self.local, self.remote, self._count(size)))

    async def ask(self, destination: str) -> None:
        """Open a stream to a socket of the host. Raises `StreamClosed` if nobody is there."""
        name = destination.encode() + b"\0"
        await self._send(Packet(Command.OPEN, self.local, WINDOW if self._delayed else 0, name))
        await self.flush()

    def acknowledged(self, remote: int, data: bytes) -> None:
        """Take an OKAY of the host, whose id of the stream is `remote`."""
        self.remote = remote
        if not self._delayed:
            self._credit = 1
        elif len(data) == _COUNT.size:
            self._credit += _COUNT.unpack(data)[0]
        self._acknowledged.set()

    async def close(self) -> None:
        """End both directions; who waits to write gets `StreamClosed`, who reads gets the end."""
        self._closed = True
        self._acknowledged.set()
        self._ended.set()
        await self.incoming.end()

    async def closed(self) -> None:
        """Return when the stream is closed."""
        await self._ended.wait()

    async def _may_send(self) -> None:
        while self._credit <= 0 and not self._closed:
            self._acknowledged.clear()
            await self._acknowledged.wait()
        if self._closed:
            raise StreamClosed

    def _count(self, size: int) -> bytes:
        return _COUNT.pack(size) if self._delayed else b""
