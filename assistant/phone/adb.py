"""The adb server on the computer, and commands on a phone through it.

`Connection` speaks the client side of the server's protocol: a length in four hex digits and a service's
name, answered with OKAY or FAIL. `AdbServer` starts the server, lists its devices, and connects to phones on
the network. `Shell` runs commands on one phone with a total deadline, and gives their exit code and both
outputs.
Sources: AOSP packages/modules/adb: OVERVIEW.TXT, SERVICES.TXT, and shell_protocol.h for the packets of
`shell,v2:`.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import struct
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from adbutils import AdbClient, AdbError, adb_path

from assistant.events import PhoneState
from assistant.i18n import _
from assistant.phone.errors import (
    ActionRefused,
    PhoneError,
    Refusal,
    error_for_state,
    listed_failure,
    refused_failure,
)

_READ_AHEAD = 1 << 20

Answer = TypeVar("Answer")


class ServiceRefused(Exception):
    """The server answered FAIL; the message is its text."""


class ConnectionEnded(Exception):
    """The connection closed in the middle of a message."""


class NotAdb(Exception):
    """The program that listens at the address does not speak adb's protocol."""


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
        """Request a service.

        There is no await, so a cancelled caller has sent either nothing or everything.
        """
        name = service.encode()
        self._writer.write(b"%04x" % len(name) + name)

    async def wait_accepted(self) -> None:
        """Wait for OKAY.

        Raises:
            ServiceRefused: the server said FAIL.
            ConnectionEnded: it hung up.
            NotAdb: the answer is neither.
        """
        answer = await self.read(4)
        if answer == b"FAIL":
            raise ServiceRefused(await self.read_text())
        if answer != b"OKAY":
            raise NotAdb(repr(answer))

    async def read_text(self) -> str:
        """Read one text with four hex digits of length before it."""
        return await self._text(await self.read(4))

    async def read_outcome(self) -> str:
        """Read the text with which a service ends; FAIL may precede it even after OKAY."""
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

    def write(self, data: bytes) -> None:
        """Send bytes to the service that was accepted."""
        self._writer.write(data)

    async def read_some(self) -> bytes:
        """The bytes that have arrived; empty at the end of the stream."""
        try:
            return await self._reader.read(_READ_AHEAD)
        except ConnectionError as error:
            raise ConnectionEnded from error

    def close(self) -> None:
        """Hang up at once."""
        self._writer.transport.abort()


_HERE = ("127.0.0.1", "localhost", "::1")
_START_LIMIT = 20.0
_ANSWER_LIMIT = 5.0
_CONNECT_LIMIT = 15.0
_PAIR_LIMIT = 20.0
_PUSH_LIMIT = 20.0


@dataclass(frozen=True, slots=True)
class AdbDevice:
    """A device in the server's list. `state` is adb's word: device, offline, unauthorized and so on."""

    serial: str
    state: str
    model: str = ""


CONNECT_SERVICE = "_adb-tls-connect._tcp"
"""The mDNS service type of paired phones; its port changes with each restart of the phone."""

ADDRESS = re.compile(r"(?:[\w.\-]+|\[[0-9a-fA-F:.%\w]+\]):(\d{1,5})")
"""host:port."""


@dataclass(frozen=True, slots=True)
class AnnouncedService:
    """A service that a phone on the network announces; `address` is host:port."""

    name: str
    kind: str
    address: str


def parse_services(listing: str) -> tuple[AnnouncedService, ...]:
    """Parse the server's list of mDNS services: name, kind and address, separated by tabs."""
    services = []
    for line in listing.splitlines():
        words = line.split("\t") if "\t" in line else line.split()
        if len(words) >= 3 and ADDRESS.fullmatch(words[2].strip()):
            services.append(
                AnnouncedService(words[0].strip(), words[1].strip().rstrip("."), words[2].strip())
            )
    return tuple(services)


@dataclass(slots=True)
class PhoneLink:
    """Where a phone is reached, and whether what answers there was shown to be that phone.

    `address`: what the server calls it: its serial, until wireless debugging gets another port. `service`:
    the name by which it announces itself on the network, if known. `identities`: what the phone of a turn may
    go by, empty where it does not tell, None without a turn. `stranger`: what another phone goes by that
    answers in its place. `proof` reads which one answers after the connection broke.
    """

    address: str
    service: str = ""
    identities: frozenset[str] | None = None
    stranger: str = ""
    proof: asyncio.Task[None] | None = None
    breaks: int = 0
    proved_breaks: int = 0

    @property
    def is_broken(self) -> bool:
        """Whether its connection broke, and it was not shown to be the same phone since."""
        return self.breaks != self.proved_breaks

    def note_break(self) -> None:
        """Note that the connection broke: whoever answers next may be another phone."""
        self.breaks, self.stranger = self.breaks + 1, ""


class AdbServer:
    """The adb server at an address; one on this computer is started when none listens there.

    A phone keeps its serial at another address, see `link`, and is listed by it; what the server lists at its
    former address, such as another phone, is left out. All methods raise `PhoneError` with
    `PhoneState.NO_ADB` when there is no usable server.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 5037) -> None:
        self._host = host
        self._port = port
        self._starting = asyncio.Lock()
        self._links: dict[str, PhoneLink] = {}

    def link(self, serial: str) -> PhoneLink:
        """How a phone is reached, the same object each time."""
        return self._links.setdefault(serial, PhoneLink(serial))

    def _by_serial(self, listing: str) -> tuple[AdbDevice, ...]:
        moved = {link.address: name for name, link in self._links.items() if link.address != name}
        return tuple(
            replace(device, serial=moved.get(device.serial, device.serial))
            for device in parse_devices(listing)
            if device.serial in moved or device.serial not in moved.values()
        )

    async def connection(self) -> Connection:
        """Open a new connection to the server."""
        try:
            return await Connection.open(self._host, self._port)
        except OSError:
            if self._host in _HERE:
                await self._start()
        try:
            return await Connection.open(self._host, self._port)
        except OSError as error:
            raise error_for_state(
                PhoneState.NO_ADB,
                _("No adb server answers at {host}:{port}. Start it, or change adb_port.").format(
                    host=self._host, port=self._port
                ),
            ) from error

    def push(self, address: str, file: Path, target: str) -> None:
        """Copy a file to the phone that the server calls so. Blocks.

        Raises:
            AdbError: the phone is lost or refuses it.
            OSError: the file or the connection fails.
        """
        client = AdbClient(self._host, self._port, socket_timeout=_PUSH_LIMIT)
        client.device(address).sync.push(file, target, check=True)

    async def devices(self) -> tuple[AdbDevice, ...]:
        """The devices that the server knows, in any state."""
        async with self._asked("host:devices-l", _ANSWER_LIMIT) as connection:
            return self._by_serial(await connection.read_text())

    async def connect(self, address: str) -> str:
        """Connect to a phone at host:port; returns the server's answer, which may report a failure."""
        answer = await self._answer(f"host:connect:{address}", _CONNECT_LIMIT)
        return answer or f"failed to connect to '{address}': no answer"

    async def pair(self, address: str, password: str) -> str:
        """Pair with a phone at host:port; returns the server's answer, empty if there is none."""
        return await self._answer(f"host:pair:{password}:{address}", _PAIR_LIMIT)

    async def mdns_check(self) -> str:
        """The server's own words on whether it looks for phones on the network."""
        return await self._answer("host:mdns:check", _ANSWER_LIMIT)

    async def mdns_services(self) -> tuple[AnnouncedService, ...]:
        """The services that phones on the network announce; empty if the server does not look for them."""
        return parse_services(await self._answer("host:mdns:services", _ANSWER_LIMIT))

    async def disconnect(self, address: str) -> str:
        """Disconnect a phone at host:port; returns the server's answer."""
        try:
            async with self._asked(f"host:disconnect:{address}", _ANSWER_LIMIT) as connection:
                return await connection.read_text()
        except ServiceRefused as refusal:
            return str(refusal)

    async def watch(self) -> AsyncGenerator[tuple[AdbDevice, ...]]:
        """The list of devices now and after every change. A server that goes away counts as an empty list."""
        while True:
            connection = await self.connection()
            try:
                connection.send("host:track-devices")
                await connection.wait_accepted()
                while True:
                    yield self._by_serial(await connection.read_text())
            except ConnectionEnded:
                yield ()
            except (NotAdb, ServiceRefused) as error:
                raise self._foreign() from error
            finally:
                connection.close()

    async def _answer(self, service: str, limit: float) -> str:
        """The answer of a service, also the text of a refusal; empty if none comes within `limit` seconds."""
        try:
            async with self._asked(service, limit + _ANSWER_LIMIT) as connection:
                try:
                    async with asyncio.timeout(limit):
                        return (await connection.read_outcome()).strip()
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
                await connection.wait_accepted()
                yield connection
        except TimeoutError as error:
            # Perhaps adb itself, which hangs or gets no time on a busy machine.
            sentence = _(
                "adb does not answer on port {port}. Restart it: adb kill-server. If another program listens "
                "there, change adb_port."
            )
            raise error_for_state(PhoneState.NO_ADB, sentence.format(port=self._port)) from error
        except (NotAdb, ConnectionEnded) as error:
            raise self._foreign() from error
        finally:
            connection.close()

    def _foreign(self) -> PhoneError:
        return error_for_state(
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
            raise error_for_state(PhoneState.NO_ADB) from error
        try:
            async with asyncio.timeout(_START_LIMIT):
                code = await process.wait()
        except TimeoutError as error:
            process.kill()
            raise error_for_state(
                PhoneState.NO_ADB, _("adb does not start. Run “adb start-server” to see why.")
            ) from error
        if code != 0:
            raise error_for_state(
                PhoneState.NO_ADB,
                _("adb cannot start on port {port}. Run “adb start-server” to see why.").format(
                    port=self._port
                ),
            )


def parse_devices(listing: str) -> tuple[AdbDevice, ...]:
    """Read the server's list: a serial, its state, in the long form `key:value` pairs."""
    devices = []
    for line in listing.splitlines():
        serial, _, rest = line.partition("\t") if "\t" in line else line.partition(" ")
        words = rest.split()
        tags = dict(word.split(":", 1) for word in words if ":" in word)
        state = " ".join(word for word in words if ":" not in word)
        if serial and state:
            devices.append(AdbDevice(serial, state, tags.get("model", "").replace("_", " ")))
    return tuple(devices)


_STDOUT, _STDERR, _EXIT = 1, 2, 3
_HEADER = struct.Struct("<BI")


@dataclass(frozen=True, slots=True)
class Output:
    """The exit code and the output of a command."""

    code: int
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.stdout.decode("utf-8", "replace")

    @property
    def everything(self) -> str:
        """Both outputs as text: phones print errors on either."""
        return self.text + self.stderr.decode("utf-8", "replace")


class BusyClock:
    """Measures the seconds in which at least one of several overlapping operations was running."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._running = 0
        self._since = 0.0
        self._total = 0.0

    def __enter__(self) -> None:
        if self._running == 0:
            self._since = self._now()
        self._running += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running -= 1
        if self._running == 0:
            self._total += self._now() - self._since

    @property
    def seconds(self) -> float:
        """The total length of all intervals so far, overlaps counted once, running ones included."""
        return self._total + (self._now() - self._since if self._running else 0.0)


class Shell:
    """Commands on one phone. While `stopped` is set, none is sent; each has a `deadline` in seconds.

    While a turn holds the phone and its connection broke, the phone must first show that it is the same one.
    All methods raise `PhoneError` when the phone is lost, offline, not authorised, or silent too long, and
    `ActionRefused` while stopped.
    """

    def __init__(self, adb: AdbServer, serial: str, deadline: float, clock: BusyClock | None = None) -> None:
        self.serial = serial
        self.clock = clock or BusyClock()
        self.stopped = False
        self._adb = adb
        self.deadline = deadline
        self._in_flight: set[asyncio.Task[Any]] = set()

    @property
    def link(self) -> PhoneLink:
        """How the phone is reached."""
        return self._adb.link(self.serial)

    async def identity(self) -> str:
        """A number that whoever answers keeps until it is reset; empty if it does not tell it."""
        limit = asyncio.get_running_loop().time() + self.deadline
        connection = await self._begin("shell,v2:settings get secure android_id", limit, is_proof=True)
        printed = (await self._finish(connection, limit)).text.strip()
        return "" if printed == "null" else printed

    async def _require_same(self) -> None:
        """Raise `PhoneError` if another phone may answer since the connection broke."""
        link = self.link
        if link.is_broken:
            if link.proof is None or link.proof.done():
                # By a shell of its own: this one may be stopped, and what waits for the proof too.
                shell = Shell(self._adb, self.serial, self.deadline, self.clock)
                link.proof = asyncio.create_task(shell.prove(link))
                link.proof.add_done_callback(_retrieve)
            await asyncio.shield(link.proof)

    async def prove(self, link: PhoneLink) -> None:
        """Note that the phone of a turn answers; `PhoneError` if another one does, or it does not tell."""
        breaks = link.breaks
        if link.identities:
            if not (identity := await self.identity()):
                raise error_for_state(PhoneState.OFFLINE)
            link.stranger = "" if identity in link.identities else identity
            if link.stranger:
                sentence = _("Another phone answers as {serial} than before. See that it is the right one.")
                raise error_for_state(PhoneState.ABSENT, sentence.format(serial=self.serial))
        link.proved_breaks = breaks

    async def run(self, command: str, deadline: float | None = None) -> Output:
        """Run a command that only reads. Cancelling closes its connection at once."""
        limit = asyncio.get_running_loop().time() + (deadline or self.deadline)
        connection = await self._begin(f"shell,v2:{command}", limit)
        return await self._finish(connection, limit)

    async def perform(self, command: str, deadline: float | None = None) -> Output:
        """Run a command that changes something.

        Once sent, it is completed even if the caller is cancelled.
        """
        limit = asyncio.get_running_loop().time() + (deadline or self.deadline)
        connection = await self._begin(f"shell,v2:{command}", limit)
        return await self._completed(self._finish(connection, limit))

    async def exchange(
        self,
        service: str,
        request: bytes,
        receive: Callable[[Connection], Coroutine[Any, Any, Answer]],
        deadline: float,
        *,
        performs: bool = False,
    ) -> Answer:
        """Send a request to a service of the phone, such as `tcp:PORT`, and read its answer.

        Args:
            service: the service's name.
            request: what is sent once the service has accepted.
            receive: reads the answer.
            deadline: seconds for the whole exchange.
            performs: whether the request changes something: then it is not sent while the shell is stopped,
                and is completed once sent.

        Raises:
            ServiceRefused: nothing listens there; the request was not sent.
            ConnectionEnded: the connection closed in the middle of the answer.
            TimeoutError: the answer did not come in time.
        """
        limit = asyncio.get_running_loop().time() + deadline
        connection = await self._begin(service, limit)
        with ExitStack() as unless_accepted:
            unless_accepted.callback(connection.close)
            async with asyncio.timeout_at(limit):
                await connection.wait_accepted()
            if performs:
                self._require_free()
            unless_accepted.pop_all()
        connection.write(request)
        answering = self._answered(connection, receive, limit)
        return await (self._completed(answering) if performs else answering)

    async def push(self, file: Path, target: str) -> None:
        """Copy a file to the phone."""
        await self._require_same()
        try:
            await asyncio.to_thread(self._adb.push, self.link.address, file, target)
        except (AdbError, OSError) as error:
            raise await self._connection_error(str(error)) from error

    async def settled_down(self) -> None:
        """Wait until no performing command is in flight."""
        while self._in_flight:
            await asyncio.wait(self._in_flight)

    async def stream(self, command: str) -> AsyncGenerator[str]:
        """The lines of a command that runs until the iterator is closed."""
        loop = asyncio.get_running_loop()
        connection = await self._begin(f"shell,v2:{command}", loop.time() + self.deadline)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        try:
            async with asyncio.timeout(self.deadline):
                await connection.wait_accepted()
            while True:
                kind, data = await _packet(connection)
                if kind == _EXIT:
                    break
                if kind == _STDOUT:
                    *lines, rest = (rest + decoder.decode(data)).split("\n")
                    for line in lines:
                        yield line.rstrip("\r")
        except TimeoutError as error:
            raise error_for_state(PhoneState.FROZEN) from error
        except (ServiceRefused, ConnectionEnded, NotAdb) as error:
            raise await self._connection_error(str(error)) from error
        finally:
            connection.close()
        if rest:
            yield rest

    async def _begin(self, service: str, limit: float, *, is_proof: bool = False) -> Connection:
        """Connect to the phone and request a service; if cancelled before the request, nothing was sent."""
        if not is_proof:
            await self._require_same()
        with self.clock:
            connection = await self._adb.connection()
            # A server that had to be started takes nothing from the phone's time.
            limit = max(limit, asyncio.get_running_loop().time() + _ANSWER_LIMIT)
            try:
                self._require_free()
                async with asyncio.timeout_at(limit):
                    connection.send(f"host:transport:{self.link.address}")
                    await connection.wait_accepted()
                self._require_free()
                connection.send(service)
            except TimeoutError as error:
                connection.close()
                self.link.note_break()
                raise error_for_state(PhoneState.FROZEN) from error
            except (ServiceRefused, ConnectionEnded, NotAdb) as error:
                connection.close()
                raise await self._connection_error(str(error)) from error
            except (asyncio.CancelledError, ActionRefused):
                connection.close()
                raise
            return connection

    def _require_free(self) -> None:
        if self.stopped:
            raise ActionRefused(Refusal.STOPPED)

    async def _completed(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Await a request that was sent until its end, even if the caller is cancelled."""
        task = asyncio.create_task(work)
        self._in_flight.add(task)
        task.add_done_callback(self._in_flight.discard)
        task.add_done_callback(_retrieve)
        return await asyncio.shield(task)

    async def _answered(
        self,
        connection: Connection,
        receive: Callable[[Connection], Coroutine[Any, Any, Answer]],
        limit: float,
    ) -> Answer:
        with self.clock:
            try:
                async with asyncio.timeout_at(limit):
                    return await receive(connection)
            finally:
                connection.close()

    async def _finish(self, connection: Connection, limit: float) -> Output:
        with self.clock:
            try:
                async with asyncio.timeout_at(limit):
                    await connection.wait_accepted()
                    return await _collect(connection)
            except TimeoutError as error:
                self.link.note_break()
                raise error_for_state(PhoneState.FROZEN) from error
            except (ServiceRefused, ConnectionEnded, NotAdb) as error:
                raise await self._connection_error(str(error)) from error
            finally:
                connection.close()

    async def _connection_error(self, words: str) -> PhoneError:
        """Why a connection broke: by the server's words, else by its list of devices."""
        self.link.note_break()
        refusal = refused_failure(words, self.serial)
        if refusal is not None:
            return refusal
        try:
            states = {device.serial: device.state for device in await self._adb.devices()}
        except PhoneError as error:
            return error
        return listed_failure(states.get(self.serial, ""), self.serial) or error_for_state(PhoneState.OFFLINE)


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Retrieve a task's exception, so that the loop does not log it if the cancelled caller never does."""
    if not task.cancelled():
        task.exception()


async def end_work(*work: asyncio.Future[Any] | None) -> None:
    """Cancel what still runs, and wait for its end."""
    running = [future for future in work if future is not None]
    for future in running:
        future.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def _packet(connection: Connection) -> tuple[int, bytes]:
    kind, length = _HEADER.unpack(await connection.read(_HEADER.size))
    return kind, await connection.read(length)


async def _collect(connection: Connection) -> Output:
    pieces: dict[int, list[bytes]] = {_STDOUT: [], _STDERR: []}
    while True:
        kind, data = await _packet(connection)
        if kind == _EXIT:
            code = data[0] if data else 0
            return Output(code, b"".join(pieces[_STDOUT]), b"".join(pieces[_STDERR]))
        if kind in pieces:
            pieces[kind].append(data)
