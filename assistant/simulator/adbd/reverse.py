"""`reverse:`: sockets of the phone that lead to the host, as `adb reverse` makes them.

Sources: AOSP packages/modules/adb `adb_listeners.cpp`, `adb.cpp` (`handle_forward_request`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from assistant.simulator.adbd.backend import ByteReader, SocketBackend
from assistant.simulator.adbd.streams import Stream, StreamClosed

OpenToHost = Callable[[str], Awaitable[Stream]]
"""Opens a stream to a socket of the host, such as `tcp:PORT`. Raises `StreamClosed` if nobody is there."""

_PIECE = 65536


class ReverseSockets:
    """What one connection listens at on the phone; it ends with the connection.

    Args:
        sockets: the phone's sockets.
        open_to_host: opens a stream to the host that made the connection.
    """

    def __init__(self, sockets: SocketBackend, open_to_host: OpenToHost) -> None:
        self._sockets = sockets
        self._open_to_host = open_to_host
        self._leads: dict[str, str] = {}

    async def serve(self, request: str, stream: Stream) -> None:
        """Answer one request: what follows `reverse:`."""
        verb, _, rest = request.partition(":")
        match verb:
            case "list-forward":
                listed = "".join(f"host-1 {ours} {theirs}\n" for ours, theirs in self._leads.items())
                await stream.write(_counted(listed))
                return
            case "killforward-all":
                self.close()
                problem = ""
            case "killforward":
                problem = self._remove(rest)
            case "forward":
                keeps = rest.startswith("norebind:")
                ours, _, theirs = rest.removeprefix("norebind:").partition(";")
                problem = self._add(ours, theirs, keeps=keeps)
            case _:
                problem = f"unknown reverse service {request!r}"
        await stream.write(b"FAIL" + _counted(problem) if problem else b"OKAY")

    def close(self) -> None:
        """Listen no more."""
        for ours in list(self._leads):
            self._remove(ours)

    def _add(self, ours: str, theirs: str, *, keeps: bool) -> str:
        """Let a socket of the phone lead to one of the host; what is wrong with that."""
        if not ours or not theirs:
            return "bad forward"
        if ours in self._leads:
            if keeps:
                return "cannot rebind existing socket"
        elif not self._sockets.listen(ours, lambda reader, write: self._join(ours, reader, write)):
            return "cannot bind listener: Address already in use"
        self._leads[ours] = theirs
        return ""

    def _remove(self, ours: str) -> str:
        if self._leads.pop(ours, None) is None:
            return f"listener {ours!r} not found"
        self._sockets.leave(ours)
        return ""

    async def _join(self, ours: str, reader: ByteReader, write: Callable[[bytes], Awaitable[None]]) -> None:
        """Pass the bytes of a program on the phone to the host and back, until the host has ended."""
        try:
            stream = await self._open_to_host(self._leads[ours])
        except StreamClosed:
            return

        async def there() -> None:
            while data := await reader.read(_PIECE):
                await stream.write(data)

        sending = asyncio.create_task(there())
        try:
            while data := await stream.incoming.read(_PIECE):
                await write(data)
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            await stream.close()


def _counted(text: str) -> bytes:
    content = text.encode()
    return f"{len(content):04x}".encode() + content
