"""The adb server's protocol, client side: a length in four hex digits, a service's name; OKAY or FAIL.

Source: AOSP packages/modules/adb, OVERVIEW.TXT and SERVICES.TXT.
"""

from __future__ import annotations

import asyncio
from typing import Self

_READ_AHEAD = 1 << 20


class ServiceRefused(Exception):
    """The server answered FAIL; the message is its text."""


class ConnectionEnded(Exception):
    """The connection closed in the middle of something."""


class NotAdb(Exception):
    """What listens there does not speak adb's protocol."""


class Connection:
    """One connection to an adb server. It serves one host request, or one service on a device."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, host: str, port: int) -> Self:
        """Connect.

        Raises:
            OSError: nobody listens there.
        """
        return cls(*await asyncio.open_connection(host, port, limit=_READ_AHEAD))

    def send(self, service: str) -> None:
        """Ask for a service. What is written here has left: there is no await in between."""
        name = service.encode()
        self._writer.write(b"%04x" % len(name) + name)

    async def accepted(self) -> None:
        """Wait for OKAY.

        Raises:
            ServiceRefused: the server said FAIL.
            ConnectionEnded: it hung up.
            NotAdb: the answer is neither.
        """
        answer = await self.read(4)
        if answer == b"FAIL":
            raise ServiceRefused(await self.block())
        if answer != b"OKAY":
            raise NotAdb(repr(answer))

    async def block(self) -> str:
        """Read one text with four hex digits of length before it."""
        return await self._text(await self.read(4))

    async def outcome(self) -> str:
        """Read the text that a service ends with; one that fails after it was accepted says FAIL first."""
        head = await self.read(4)
        return await self._text(await self.read(4) if head == b"FAIL" else head)

    async def _text(self, digits: bytes) -> str:
        try:
            length = int(digits, 16)
        except ValueError as error:
            raise NotAdb(repr(digits)) from error
        return (await self.read(length)).decode("utf-8", "replace")

    async def read(self, count: int) -> bytes:
        """Read exactly so many bytes.

        Raises:
            ConnectionEnded: fewer came.
        """
        try:
            return await self._reader.readexactly(count)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise ConnectionEnded from error

    def close(self) -> None:
        """Hang up at once."""
        self._writer.transport.abort()
