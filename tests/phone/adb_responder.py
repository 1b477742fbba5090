"""A few lines of adb's host protocol with made-up answers.

Only for what no phone here can do: pairing and mDNS. Everything else is tested with the real server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

Answer = Callable[[str], str | None]
"""What to say to a service; None hangs up after OKAY."""


@asynccontextmanager
async def responding(answer: Answer) -> AsyncIterator[int]:
    """Serve on a free port; the port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = int(await reader.readexactly(4), 16)
        told = answer((await reader.readexactly(length)).decode())
        text = (told or "").encode()
        writer.write(b"OKAY" + (b"" if told is None else b"%04x" % len(text) + text))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def announcing(server_port: int, listing: Callable[[], str]) -> AsyncIterator[int]:
    """The real adb server, behind one that knows phones on the network; the port of the latter.

    Args:
        server_port: where the real server listens; it gets all other requests.
        listing: returns what mDNS found.
    """

    open_ways: set[asyncio.Task[None]] = set()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readexactly(4)
            service = await reader.readexactly(int(head, 16))
        except asyncio.IncompleteReadError:
            return
        if service == b"host:mdns:services":
            text = listing().encode()
            writer.write(b"OKAY%04x" % len(text) + text)
            writer.close()
            return
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", server_port)
        server_writer.write(head + service)
        ways = [
            asyncio.create_task(way)
            for way in (pass_on(reader, server_writer), pass_on(server_reader, writer))
        ]
        open_ways.update(ways)
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        server_writer.close()
        writer.close()

    front = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield front.sockets[0].getsockname()[1]
    front.close()
    for way in open_ways:
        way.cancel()
