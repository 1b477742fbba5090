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
