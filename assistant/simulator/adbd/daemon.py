"""The daemon itself: it listens on 127.0.0.1; real adb reaches it by `adb connect 127.0.0.1:PORT`."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Awaitable, Callable

from assistant.simulator.adbd.auth import Authenticator
from assistant.simulator.adbd.backend import FileSystem, Frame, NoSockets, ShellBackend, SocketBackend
from assistant.simulator.adbd.faults import Faults
from assistant.simulator.adbd.features import SHELL_V2, Identity
from assistant.simulator.adbd.shell import ShellRequest, ShellSession
from assistant.simulator.adbd.streams import Stream
from assistant.simulator.adbd.sync import SyncSession
from assistant.simulator.adbd.traffic import Traffic
from assistant.simulator.adbd.transport import Connection, Endpoint, Service

HOST = "127.0.0.1"
_FRAME_VERSION, _SRGB = 2, 1


class AdbDaemon:
    """Serves a phone's shell and files to hosts. Faults and authorization can be changed while it runs.

    Args:
        shell: runs command lines.
        files: what `adb push` and `adb pull` see.
        sockets: what `tcp:` and `localabstract:` reach; by default nothing listens.
        frame: the screen as `framebuffer:` gives it; by default the phone has none.
        identity: how the phone introduces itself.
        authenticator: who may connect; by default everyone.
        port: where to listen; 0 takes a free port and keeps it.
    """

    def __init__(
        self,
        shell: ShellBackend,
        files: FileSystem,
        *,
        sockets: SocketBackend | None = None,
        frame: Callable[[], Awaitable[Frame]] | None = None,
        identity: Identity | None = None,
        authenticator: Authenticator | None = None,
        port: int = 0,
    ) -> None:
        self.identity = identity or Identity()
        self.authenticator = authenticator or Authenticator()
        self.faults = Faults()
        self.traffic = Traffic()
        self.port = port
        self._shell = shell
        self._files = files
        self._sockets = sockets or NoSockets()
        self._frame = frame
        self._endpoint = Endpoint(
            self.identity, self.authenticator, self.faults, self.traffic, self._find, self._sockets
        )
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._returning: asyncio.Task[None] | None = None

    @property
    def serial(self) -> str:
        """What `adb connect` and `adb -s` take."""
        return f"{HOST}:{self.port}"

    async def start(self) -> None:
        """Listen. Raises `OSError` when the port is taken."""
        await self._listen()
        self.faults.watch(self._faults_changed)

    async def stop(self) -> None:
        """Throw everyone out and stop listening."""
        self.faults.watch(lambda: None)
        self.faults.forget()
        if self._returning is not None:
            self._returning.cancel()
        self._close_server()
        self._throw_out()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def move(self) -> None:
        """Throw everyone out and listen at another port, as when wireless debugging is switched on anew."""
        await self.stop()
        self.port = 0
        await self.start()

    def revoke(self) -> None:
        """Revoke all authorizations: hosts are thrown out, come back, and are refused."""
        self.authenticator.revoke()
        self._throw_out()

    async def _listen(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._connected, HOST, self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def _listen_again(self) -> None:
        """Take the port again; somebody else may hold it for a moment."""
        while self.faults.listening and self._server is None:
            with contextlib.suppress(OSError):
                await self._listen()
                return
            await asyncio.sleep(0.1)

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(Connection(reader, writer, self._endpoint).run())
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    def _throw_out(self) -> None:
        for task in self._connections:
            task.cancel()

    def _faults_changed(self) -> None:
        if not self.faults.listening:
            self._close_server()
        elif self._server is None and (self._returning is None or self._returning.done()):
            self._returning = asyncio.create_task(self._listen_again())
        if not self.faults.connected:
            self._throw_out()

    def _find(self, name: str) -> Service | None:
        """The service of a name; nothing for those that the phone does not have."""
        if name == "sync:":
            return lambda stream: SyncSession(stream, self._files).run()
        if name.startswith(("tcp:", "localabstract:")):
            listener = self._sockets.listener(name)
            return listener and (lambda stream: listener(stream.incoming, stream.write))
        if name == "framebuffer:" and (frame := self._frame):
            return lambda stream: _send_frame(stream, frame)
        request = ShellRequest.parse(name)
        if request is None or (request.framed and SHELL_V2 not in self.identity.features):
            return None

        async def serve(stream: Stream) -> None:
            await ShellSession(stream, request, self._shell, f"{self.identity.device}:/ $ ").run()

        return serve


async def _send_frame(stream: Stream, frame: Callable[[], Awaitable[Frame]]) -> None:
    """`framebuffer:`, as AOSP framebuffer_service.cpp writes it: the layout of a pixel, then the pixels."""
    shown = await frame()
    offsets_and_lengths = (0, 8, 16, 8, 8, 8, 24, 8)  # Of red, blue, green and alpha, in bits.
    header = struct.pack(
        "<14I",
        *(_FRAME_VERSION, 32, _SRGB, len(shown.pixels), shown.width, shown.height),
        *offsets_and_lengths,
    )
    await stream.write(header + shown.pixels)
