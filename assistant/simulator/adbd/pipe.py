"""A pipe within the event loop: bytes go in at one end and come out at the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

CAPACITY = 1 << 20


class Pipe:
    """An unbounded buffer whose writers can wait until it has room again."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._bytes = bytearray()
        self._ended = False
        self._changed = asyncio.Condition()

    @property
    def full(self) -> bool:
        """Whether more waits than the capacity."""
        return len(self._bytes) > self._capacity

    async def feed(self, data: bytes) -> None:
        """Put bytes in; they are there for the reader at once. Without data nothing happens."""
        async with self._changed:
            self._bytes += data
            self._changed.notify_all()

    async def end(self) -> None:
        """Say that nothing more comes."""
        async with self._changed:
            self._ended = True
            self._changed.notify_all()

    async def room(self) -> None:
        """Return when the reader has caught up, or when nothing more comes."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._ended or not self.full)

    async def read(self, n: int = -1) -> bytes:
        """At most `n` bytes as soon as there are some, or everything to the end; empty at the end."""
        if n < 0:
            return await self._take(lambda: self._ended, lambda: len(self._bytes))
        return await self._take(lambda: bool(self._bytes), lambda: min(n, len(self._bytes)))

    async def readline(self) -> bytes:
        r"""One line with its `\n`, or what is left; empty at the end."""
        return await self._take(
            lambda: b"\n" in self._bytes, lambda: self._bytes.find(b"\n") + 1 or len(self._bytes)
        )

    async def readexactly(self, n: int) -> bytes:
        """Exactly `n` bytes. Raises `asyncio.IncompleteReadError` when the end comes first."""
        data = await self._take(lambda: len(self._bytes) >= n, lambda: min(n, len(self._bytes)))
        if len(data) < n:
            raise asyncio.IncompleteReadError(data, n)
        return data

    async def _take(self, ready: Callable[[], bool], size: Callable[[], int]) -> bytes:
        async with self._changed:
            await self._changed.wait_for(lambda: self._ended or ready())
            count = size()
            data = bytes(self._bytes[:count])
            del self._bytes[:count]
            self._changed.notify_all()
            return data
