"""One host's connection: greeting, authentication, and the streams it opens."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from assistant.simulator.adbd.auth import Authenticator, AuthMode, MalformedKey, PublicKey
from assistant.simulator.adbd.backend import SocketBackend
from assistant.simulator.adbd.faults import Faults
from assistant.simulator.adbd.features import DELAYED_ACK, Identity, host_features
from assistant.simulator.adbd.packets import (
    VERSION_CHECKSUMS,
    VERSION_NO_CHECKSUMS,
    Command,
    MalformedPacket,
    Packet,
    encode,
    read_packet,
)
from assistant.simulator.adbd.reverse import ReverseSockets
from assistant.simulator.adbd.streams import Stream, StreamClosed
from assistant.simulator.adbd.traffic import Traffic

_HEADER_SIZE = 24
_FIRST_PAYLOAD = 4096

_log = logging.getLogger(__name__)

Service = Callable[[Stream], Awaitable[None]]


class _Auth(IntEnum):
    TOKEN = 1
    SIGNATURE = 2
    PUBLIC_KEY = 3


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What all connections of a daemon share. `find` gives the service of a name, or nothing.

    `sockets` are the phone's.
    """

    identity: Identity
    authenticator: Authenticator
    faults: Faults
    traffic: Traffic
    find: Callable[[str], Service | None]
    sockets: SocketBackend


class Connection:
    """Serves one host until it goes away."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._end = endpoint
        self._version = VERSION_CHECKSUMS
        self._payload = _FIRST_PAYLOAD
        self._delayed = False
        self._online = False
        self._token = b""
        self._streams: dict[int, tuple[Stream, asyncio.Task[None]]] = {}
        self._last_id = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._reverse = ReverseSockets(endpoint.sockets, self._open_to_host)

    async def run(self) -> None:
        """Answer packets in order. Returns when the host is gone or talks nonsense."""
        inbox: asyncio.Queue[Packet | None] = asyncio.Queue()
        self._spawn(self._receive(inbox))
        try:
            while (packet := await inbox.get()) is not None:
                await self._end.faults.thawed()
                await self._handle(packet)
        except (MalformedPacket, ConnectionError) as error:
            _log.info("connection ended: %s", error)
        finally:
            self._writer.transport.abort()
            self._reverse.close()
            for stream, _task in self._streams.values():
                await stream.close()
            self._streams.clear()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _receive(self, inbox: asyncio.Queue[Packet | None]) -> None:
        """Read packets as they come, also while the phone is frozen, so that they are counted."""
        try:
            while True:
                packet = await read_packet(self._reader)
                request = packet.command in (Command.OPEN, Command.WRTE)
                self._end.traffic.received(_HEADER_SIZE + len(packet.data), request=request)
                if packet.command is Command.OPEN:
                    self._end.traffic.opened(_service_name(packet))
                inbox.put_nowait(packet)
        except MalformedPacket as error:
            _log.info("connection ended: %s", error)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            inbox.put_nowait(None)

    async def _send(self, packet: Packet) -> None:
        await self._end.faults.thawed()
        early = packet.command in (Command.CNXN, Command.AUTH)
        self._writer.write(encode(packet, checksum=early or self._version < VERSION_NO_CHECKSUMS))
        await self._writer.drain()

    async def _handle(self, packet: Packet) -> None:
        if self._online and self._version < VERSION_NO_CHECKSUMS and not packet.intact:
            raise MalformedPacket("wrong checksum")
        match packet.command:
            case Command.CNXN:
                await self._greeted(packet)
            case Command.AUTH:
                await self._authenticate(packet)
            case Command.OPEN if self._online:
                await self._open(packet)
            case Command.OKAY | Command.WRTE | Command.CLSE:
                if packet.arg1 in self._streams:
                    await self._to_stream(*self._streams[packet.arg1], packet)

    async def _greeted(self, packet: Packet) -> None:
        identity = self._end.identity
        self._version = min(packet.arg0, identity.version)
        self._payload = min(packet.arg1, identity.max_payload)
        self._delayed = DELAYED_ACK in host_features(packet.data) and DELAYED_ACK in identity.features
        if self._end.faults.silent:
            return
        if self._end.authenticator.mode is AuthMode.OPEN:
            await self._go_online()
        else:
            await self._ask_signature()

    async def _go_online(self) -> None:
        self._online = True
        await self._send(self._end.identity.greeting())

    async def _ask_signature(self) -> None:
        self._token = self._end.authenticator.new_token()
        await self._send(Packet(Command.AUTH, _Auth.TOKEN, 0, self._token))

    async def _authenticate(self, packet: Packet) -> None:
        match packet.arg0:
            case _Auth.SIGNATURE if self._end.authenticator.accepts(self._token, packet.data):
                await self._go_online()
            case _Auth.SIGNATURE:
                await self._ask_signature()
            case _Auth.PUBLIC_KEY:
                try:
                    key = PublicKey.parse(packet.data)
                except MalformedKey as error:
                    raise MalformedPacket(f"public key: {error}") from error
                self._spawn(self._wait_for_user(key))

    async def _wait_for_user(self, key: PublicKey) -> None:
        await self._end.authenticator.accepted(key)
        await self._go_online()

    async def _open(self, packet: Packet) -> None:
        name = _service_name(packet)
        service = self._reverse_service(name) or self._end.find(name)
        if service is None or (self._delayed and packet.arg1 == 0):
            await self._send(Packet(Command.CLSE, 0, packet.arg0))
            return
        self._last_id += 1
        stream = Stream(
            self._send,
            self._last_id,
            packet.arg0,
            chunk=self._payload,
            window=packet.arg1 if self._delayed else None,
            cut_after=self._end.faults.take_cut(),
        )
        self._streams[stream.local] = stream, self._spawn(self._serve(stream, service))

    def _reverse_service(self, name: str) -> Service | None:
        if not name.startswith("reverse:"):
            return None
        return lambda stream: self._reverse.serve(name.removeprefix("reverse:"), stream)

    async def _open_to_host(self, destination: str) -> Stream:
        """A stream to a socket of the host. Raises `StreamClosed` if nobody is there."""
        self._last_id += 1
        window = 0 if self._delayed else None
        stream = Stream(self._send, self._last_id, 0, chunk=self._payload, window=window)
        self._streams[stream.local] = stream, self._spawn(self._end_with(stream))
        await stream.ask(destination)
        return stream

    async def _end_with(self, stream: Stream) -> None:
        """Tell the host when a stream to it is closed here."""
        await stream.closed()
        if self._streams.pop(stream.local, None):
            with contextlib.suppress(ConnectionError):
                await self._send(Packet(Command.CLSE, stream.local, stream.remote))

    async def _serve(self, stream: Stream, service: Service) -> None:
        try:
            if self._end.faults.delay:
                await asyncio.sleep(self._end.faults.delay)
            await stream.accept()
            await service(stream)
            await stream.flush()
        except (StreamClosed, asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            if self._streams.pop(stream.local, None):
                await stream.close()
                with contextlib.suppress(ConnectionError):
                    await self._send(Packet(Command.CLSE, stream.local, stream.remote))

    async def _to_stream(self, stream: Stream, task: asyncio.Task[None], packet: Packet) -> None:
        match packet.command:
            case Command.OKAY:
                stream.acknowledged(packet.arg0, packet.data)
            case Command.WRTE:
                await stream.incoming.feed(packet.data)
                if stream.incoming.full:
                    self._spawn(stream.acknowledge(len(packet.data)))
                else:
                    await stream.acknowledge(len(packet.data))
            case Command.CLSE:
                del self._streams[stream.local]
                await stream.close()
                task.cancel()
                await self._send(Packet(Command.CLSE, stream.local, stream.remote))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("a service failed", exc_info=error)


def _service_name(packet: Packet) -> str:
    return packet.data.rstrip(b"\0").decode("utf-8", "replace")
