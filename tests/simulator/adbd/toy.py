"""A phone small enough to test the daemon alone, and hosts to talk to it."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.simulator.adbd.backend import ByteReader, Fd, FileStatus, Write
from assistant.simulator.adbd.daemon import AdbDaemon
from assistant.simulator.adbd.packets import MAX_PAYLOAD, Command, Packet, encode, read_packet

MEGABYTE = bytes(range(256)) * 4096


class ToyShell:
    """A few commands; `running` counts those that have not returned."""

    def __init__(self) -> None:
        self.running = 0
        self.ticks = asyncio.Condition()

    async def run(self, line: str, stdin: ByteReader, write: Write) -> int:
        self.running += 1
        try:
            if line:
                return await self._run(line.split(), stdin, write)
            code = 0
            while typed := await stdin.readline():
                if words := typed.decode("utf-8", "replace").split():
                    code = await self._run(words, stdin, write)
            return code
        finally:
            self.running -= 1

    async def _run(self, words: list[str], stdin: ByteReader, write: Write) -> int:
        match words:
            case ["echo", *rest]:
                await write(Fd.STDOUT, " ".join(rest).encode() + b"\n")
            case ["both"]:
                await write(Fd.STDOUT, b"out\n")
                await write(Fd.STDERR, b"err\n")
                return 3
            case ["cat"]:
                while data := await stdin.read(65536):
                    await write(Fd.STDOUT, data)
            case ["big", count]:
                for _ in range(int(count.strip("'"))):
                    await write(Fd.STDOUT, MEGABYTE)
            case ["getevent", *_]:
                while True:
                    await write(Fd.STDOUT, b"tick\n")
                    async with self.ticks:
                        await self.ticks.wait()
            case [unknown, *_]:
                await write(Fd.STDERR, f"/system/bin/sh: {unknown}: inaccessible or not found\n".encode())
                return 127
        return 0

    async def tick(self) -> None:
        async with self.ticks:
            self.ticks.notify_all()


@dataclass
class ToyFiles:
    """Files in one flat folder `/sdcard`."""

    content: dict[str, tuple[bytes, int, int]] = field(default_factory=dict)

    def status(self, path: str) -> FileStatus | None:
        if path.rstrip("/") in ("/sdcard", ""):
            return FileStatus(stat.S_IFDIR | 0o771, 4096, 0)
        if path not in self.content:
            return None
        data, mode, mtime = self.content[path]
        return FileStatus(stat.S_IFREG | mode, len(data), mtime)

    def list(self, path: str) -> list[tuple[str, FileStatus]]:
        names = [name for name in self.content if name.startswith(path.rstrip("/") + "/")]
        return [(name.rpartition("/")[2], status) for name in names if (status := self.status(name))]

    def read(self, path: str) -> bytes:
        if path not in self.content:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return self.content[path][0]

    def write(self, path: str, content: bytes, mode: int = 0o660, mtime: int | None = None) -> None:
        if not path.startswith("/sdcard/"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        self.content[path] = content, mode, mtime or 0


@dataclass
class Toy:
    """A running daemon and what is behind it."""

    daemon: AdbDaemon
    shell: ToyShell
    files: ToyFiles


@dataclass(frozen=True)
class Finished:
    """What an adb run gave."""

    code: int
    out: bytes
    err: bytes


@dataclass(frozen=True)
class Adb:
    """An adb client and the environment that leads it to its server."""

    path: Path
    environment: dict[str, str]

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            self.path,
            *arguments,
            env={**os.environ, **self.environment},
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )

    async def __call__(self, *arguments: str, stdin: bytes = b"", limit: float = 20.0) -> Finished:
        process = await self.start(*arguments)
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin), limit)
        except TimeoutError:
            process.kill()
            await process.communicate()
            raise
        assert process.returncode is not None
        return Finished(process.returncode, out, err)

    async def state(self, serial: str) -> str:
        """The state in `adb devices`, or `absent`."""
        for line in (await self("devices")).out.decode().splitlines():
            name, _, state = line.partition("\t")
            if name == serial:
                return state
        return "absent"

    async def wait_state(self, serial: str, state: str, limit: float = 15.0) -> None:
        async with asyncio.timeout(limit):
            while True:
                if await self.state(serial) == state:
                    return
                await asyncio.sleep(0.05)


async def eventually(holds: Callable[[], bool], limit: float = 5.0) -> None:
    """Wait until a condition holds. Raises `TimeoutError`."""
    async with asyncio.timeout(limit):
        while True:
            if holds():
                return
            await asyncio.sleep(0.005)


class RawHost:
    """A host that sends whatever packets a test wants."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, port: int) -> RawHost:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def greet(self, version: int = 0x01000001, features: str = "shell_v2") -> Packet:
        await self.send(Command.CNXN, version, MAX_PAYLOAD, f"host::features={features}".encode())
        return await self.next()

    async def send(
        self, command: Command, arg0: int, arg1: int, data: bytes = b"", *, sums: bool = True
    ) -> None:
        self.writer.write(encode(Packet(command, arg0, arg1, data), checksum=sums))
        await self.writer.drain()

    async def next(self, limit: float = 5.0) -> Packet:
        return await asyncio.wait_for(read_packet(self.reader), limit)

    async def quiet(self, seconds: float = 0.1) -> bool:
        """Whether nothing arrives for a while."""
        try:
            await self.next(seconds)
        except TimeoutError:
            return True
        return False

    async def gone(self) -> bool:
        """Whether the phone closed the connection."""
        try:
            return await asyncio.wait_for(self.reader.read(), 5) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        self.writer.transport.abort()
