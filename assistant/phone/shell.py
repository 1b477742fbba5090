"""The one way to run a command on the phone: `shell,v2:` with a total deadline, exit code and both outputs.

Source of the packet format: AOSP adb, shell_protocol.h.
"""

from __future__ import annotations

import asyncio
import codecs
import struct
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from types import TracebackType

from assistant.events import PhoneState
from assistant.phone.adb import AdbServer
from assistant.phone.errors import ActionRefused, PhoneError, Refusal
from assistant.phone.states import failure, listed_failure, refused_failure
from assistant.phone.wire import Connection, ConnectionEnded, NotAdb, ServiceRefused

_STDOUT, _STDERR, _EXIT = 1, 2, 3
_HEADER = struct.Struct("<BI")


@dataclass(frozen=True, slots=True)
class Output:
    """What a command left: its exit code and all it wrote."""

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
    """Seconds in which at least one of several overlapping things was going on."""

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
        """The union of all intervals so far, one that still runs included."""
        return self._total + (self._now() - self._since if self._running else 0.0)


class Shell:
    """Commands on one phone. While `held` is set, none is sent.

    All methods raise `PhoneError` when the phone is lost, offline, not authorised, or silent too long, and
    `ActionRefused` when held.
    """

    def __init__(self, adb: AdbServer, serial: str, deadline: float, clock: BusyClock | None = None) -> None:
        self.serial = serial
        self.clock = clock or BusyClock()
        self.held = False
        self._adb = adb
        self._deadline = deadline
        self._in_flight: set[asyncio.Task[Output]] = set()

    async def run(self, command: str, deadline: float | None = None) -> Output:
        """Run a command that only looks. Cancelling closes its connection at once."""
        limit = asyncio.get_running_loop().time() + (deadline or self._deadline)
        connection = await self._begin(command, limit)
        return await self._finish(connection, limit)

    async def perform(self, command: str, deadline: float | None = None) -> Output:
        """Run a command that changes something. Once sent it is completed, even when the caller is not."""
        limit = asyncio.get_running_loop().time() + (deadline or self._deadline)
        connection = await self._begin(command, limit)
        task = asyncio.create_task(self._finish(connection, limit))
        self._in_flight.add(task)
        task.add_done_callback(self._landed)
        return await asyncio.shield(task)

    async def settled_down(self) -> None:
        """Wait until no performing command is in flight."""
        while self._in_flight:
            await asyncio.wait(self._in_flight)

    async def stream(self, command: str) -> AsyncGenerator[str]:
        """The lines of a command that runs until the iterator is closed."""
        loop = asyncio.get_running_loop()
        connection = await self._begin(command, loop.time() + self._deadline)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        try:
            async with asyncio.timeout(self._deadline):
                await connection.accepted()
            while True:
                kind, data = await _packet(connection)
                if kind == _EXIT:
                    break
                if kind == _STDOUT:
                    *lines, rest = (rest + decoder.decode(data)).split("\n")
                    for line in lines:
                        yield line.rstrip("\r")
        except TimeoutError as error:
            raise failure(PhoneState.FROZEN) from error
        except (ServiceRefused, ConnectionEnded, NotAdb) as error:
            raise await self._lost(str(error)) from error
        finally:
            connection.close()
        if rest:
            yield rest

    async def _begin(self, command: str, limit: float) -> Connection:
        """Reach the phone and send the command; before that a cancelled caller leaves no trace."""
        with self.clock:
            connection = await self._adb.connection()
            try:
                self._require_free()
                async with asyncio.timeout_at(limit):
                    connection.send(f"host:transport:{self.serial}")
                    await connection.accepted()
                self._require_free()
                connection.send(f"shell,v2:{command}")
            except TimeoutError as error:
                connection.close()
                raise failure(PhoneState.FROZEN) from error
            except (ServiceRefused, ConnectionEnded, NotAdb) as error:
                connection.close()
                raise await self._lost(str(error)) from error
            except (asyncio.CancelledError, ActionRefused):
                connection.close()
                raise
            return connection

    def _require_free(self) -> None:
        if self.held:
            raise ActionRefused(Refusal.STOPPED)

    async def _finish(self, connection: Connection, limit: float) -> Output:
        with self.clock:
            try:
                async with asyncio.timeout_at(limit):
                    await connection.accepted()
                    return await _collect(connection)
            except TimeoutError as error:
                raise failure(PhoneState.FROZEN) from error
            except (ServiceRefused, ConnectionEnded, NotAdb) as error:
                raise await self._lost(str(error)) from error
            finally:
                connection.close()

    async def _lost(self, words: str) -> PhoneError:
        """Why a connection broke: by the server's words, else by its list of devices."""
        known = refused_failure(words, self.serial)
        if known is not None:
            return known
        try:
            states = {device.serial: device.state for device in await self._adb.devices()}
        except PhoneError as error:
            return error
        return listed_failure(states.get(self.serial, ""), self.serial) or failure(PhoneState.OFFLINE)

    def _landed(self, task: asyncio.Task[Output]) -> None:
        self._in_flight.discard(task)
        if not task.cancelled():
            # A cancelled caller does not ask any more; the loop must not complain about that.
            task.exception()


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
