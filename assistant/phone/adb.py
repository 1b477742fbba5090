"""The adb server on the computer: starting it, its list of devices, connecting to phones on the network."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from adbutils import adb_path

from assistant.events import PhoneState
from assistant.i18n import _
from assistant.phone.errors import PhoneError
from assistant.phone.states import failure
from assistant.phone.wire import Connection, ConnectionEnded, NotAdb, ServiceRefused

_HERE = ("127.0.0.1", "localhost", "::1")
_START_LIMIT = 20.0
_ANSWER_LIMIT = 5.0
_CONNECT_LIMIT = 15.0
_PAIR_LIMIT = 20.0


@dataclass(frozen=True, slots=True)
class AdbDevice:
    """One line of the server's list. `state` is adb's own word, such as device, offline or unauthorized."""

    serial: str
    state: str
    model: str = ""


class AdbServer:
    """The adb server at an address; one on this computer is started when none listens there.

    All methods raise `PhoneError` with `PhoneState.NO_ADB` when there is no usable server.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 5037) -> None:
        self._host = host
        self._port = port
        self._starting = asyncio.Lock()

    async def connection(self) -> Connection:
        """A fresh connection to the server."""
        try:
            return await Connection.open(self._host, self._port)
        except OSError:
            if self._host in _HERE:
                await self._start()
        try:
            return await Connection.open(self._host, self._port)
        except OSError as error:
            raise failure(
                PhoneState.NO_ADB,
                _("No adb server answers at {host}:{port}. Start it, or change adb_port.").format(
                    host=self._host, port=self._port
                ),
            ) from error

    async def devices(self) -> tuple[AdbDevice, ...]:
        """The devices that the server knows, in any state."""
        async with self._asked("host:devices-l", _ANSWER_LIMIT) as connection:
            return parse_devices(await connection.block())

    async def connect(self, address: str) -> str:
        """Connect to a phone at host:port; the server's answer, which may tell of a failure."""
        answer = await self._answer(f"host:connect:{address}", _CONNECT_LIMIT)
        return answer or f"failed to connect to '{address}': no answer"

    async def pair(self, address: str, password: str) -> str:
        """Pair with a phone at host:port; the server's answer, empty when it gives none."""
        return await self._answer(f"host:pair:{password}:{address}", _PAIR_LIMIT)

    async def mdns_check(self) -> str:
        """Whether the server looks for phones on the network, in its own words."""
        return await self._answer("host:mdns:check", _ANSWER_LIMIT)

    async def mdns_services(self) -> str:
        """The services that phones on the network announce, in the server's own form."""
        return await self._answer("host:mdns:services", _ANSWER_LIMIT)

    async def disconnect(self, address: str) -> str:
        """Let go of a phone at host:port; the server's answer."""
        try:
            async with self._asked(f"host:disconnect:{address}", _ANSWER_LIMIT) as connection:
                return await connection.block()
        except ServiceRefused as refusal:
            return str(refusal)

    async def watch(self) -> AsyncGenerator[tuple[AdbDevice, ...]]:
        """The list of devices now and after every change. A server that goes away counts as an empty list."""
        while True:
            connection = await self.connection()
            try:
                connection.send("host:track-devices")
                await connection.accepted()
                while True:
                    yield parse_devices(await connection.block())
            except ConnectionEnded:
                yield ()
            except (NotAdb, ServiceRefused) as error:
                raise self._foreign() from error
            finally:
                connection.close()

    async def _answer(self, service: str, limit: float) -> str:
        """The text that a service answers with, a refusal's too; empty where none comes in time."""
        try:
            async with self._asked(service, limit + _ANSWER_LIMIT) as connection:
                try:
                    async with asyncio.timeout(limit):
                        return (await connection.outcome()).strip()
                except (ConnectionEnded, TimeoutError):
                    return ""
        except ServiceRefused as refusal:
            return str(refusal)

    @asynccontextmanager
    async def _asked(self, service: str, limit: float) -> AsyncIterator[Connection]:
        connection = await self.connection()
        try:
            async with asyncio.timeout(limit):
                connection.send(service)
                await connection.accepted()
                yield connection
        except (NotAdb, ConnectionEnded, TimeoutError) as error:
            raise self._foreign() from error
        finally:
            connection.close()

    def _foreign(self) -> PhoneError:
        return failure(
            PhoneState.NO_ADB,
            _("What listens on port {port} is not adb. Stop that program, or change adb_port.").format(
                port=self._port
            ),
        )

    async def _start(self) -> None:
        async with self._starting:
            try:
                (await Connection.open(self._host, self._port)).close()
            except OSError:
                await self._run_start_server()

    async def _run_start_server(self) -> None:
        # adb takes its port from the environment only.
        environment = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(self._port)}
        try:
            process = await asyncio.create_subprocess_exec(
                adb_path(),
                "start-server",
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            raise failure(PhoneState.NO_ADB) from error
        try:
            async with asyncio.timeout(_START_LIMIT):
                code = await process.wait()
        except TimeoutError as error:
            process.kill()
            raise failure(
                PhoneState.NO_ADB, _("adb does not start. Run “adb start-server” to see why.")
            ) from error
        if code != 0:
            raise failure(
                PhoneState.NO_ADB,
                _("adb cannot start on port {port}. Run “adb start-server” to see why.").format(
                    port=self._port
                ),
            )


def parse_devices(listing: str) -> tuple[AdbDevice, ...]:
    """Read the server's list: a serial, its state, in the long form `key:value` pairs."""
    found = []
    for line in listing.splitlines():
        serial, _, rest = line.partition("\t") if "\t" in line else line.partition(" ")
        words = rest.split()
        tags = dict(word.split(":", 1) for word in words if ":" in word)
        state = " ".join(word for word in words if ":" not in word)
        if serial and state:
            found.append(AdbDevice(serial, state, tags.get("model", "").replace("_", " ")))
    return tuple(found)
