"""The service `sync:`, which copies files: requests of version 1 (STAT, LIST, SEND, RECV) and 2 (STA2 …).

A request is a four-letter id, a little-endian length, and a path of that length; see `file_sync_protocol.h`.
"""

from __future__ import annotations

import errno
import stat
import struct

from assistant.simulator.adbd.backend import FileStatus, FileSystem
from assistant.simulator.adbd.streams import Stream

CHUNK = 64 * 1024
MAX_PATH = 1024

_HEAD = struct.Struct("<4sI")
_STAT = struct.Struct("<4sIII")
_STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
_SEND_V2 = struct.Struct("<4sII")
_RECV_V2 = struct.Struct("<4sI")


class SyncRefused(Exception):
    """A request that cannot be met; the host shows the message and may go on with the next."""


class SyncBroken(Exception):
    """A request after which the sides no longer agree; the host shows the message and the session ends."""


class SyncSession:
    """Serves requests until the host says QUIT."""

    def __init__(self, stream: Stream, files: FileSystem) -> None:
        self._stream = stream
        self._files = files

    async def run(self) -> None:
        """Answer one request after another."""
        while True:
            kind, size = _HEAD.unpack(await self._read(_HEAD.size))
            if kind == b"QUIT":
                return
            try:
                if size > MAX_PATH:
                    raise SyncBroken("path too long")
                path = (await self._read(size)).decode("utf-8", "surrogateescape")
                await self._answer(kind, path)
            except SyncRefused as refusal:
                await self._fail(str(refusal))
            except SyncBroken as reason:
                await self._fail(str(reason))
                return

    async def _answer(self, kind: bytes, path: str) -> None:
        match kind:
            case b"STAT":
                await self._stream.write(_stat(self._files.status(path)))
            case b"STA2" | b"LST2":
                await self._stream.write(_stat_v2(kind, self._files.status(path)))
            case b"LIST" | b"LIS2":
                await self._list(path, version_2=kind == b"LIS2")
            case b"RECV":
                await self._receive(path)
            case b"RCV2":
                _plain(_RECV_V2.unpack(await self._read(_RECV_V2.size))[-1])
                await self._receive(path)
            case b"SEND":
                path, _, mode = path.rpartition(",")
                if not mode.isdecimal():
                    raise SyncBroken("couldn't parse file mode")
                await self._send(path, int(mode))
            case b"SND2":
                _, number, flags = _SEND_V2.unpack(await self._read(_SEND_V2.size))
                _plain(flags)
                await self._send(path, number)
            case _:
                raise SyncBroken("unknown command")

    async def _list(self, path: str, *, version_2: bool) -> None:
        answer = bytearray()
        for name, status in self._files.list(path):
            encoded = name.encode("utf-8", "surrogateescape")
            answer += _stat_v2(b"DNT2", status) if version_2 else _stat(status, b"DENT")
            answer += struct.pack("<I", len(encoded)) + encoded
        end = b"DONE" + bytes(_STAT_V2.size if version_2 else _STAT.size)
        await self._stream.write(bytes(answer) + end)

    async def _receive(self, path: str) -> None:
        try:
            content = self._files.read(path)
        except OSError as error:
            raise SyncRefused(f"open failed: {error.strerror}") from error
        answer = bytearray()
        for start in range(0, len(content), CHUNK):
            part = content[start : start + CHUNK]
            answer += _HEAD.pack(b"DATA", len(part)) + part
        await self._stream.write(bytes(answer) + _HEAD.pack(b"DONE", 0))

    async def _send(self, path: str, mode: int) -> None:
        content = bytearray()
        while True:
            kind, number = _HEAD.unpack(await self._read(_HEAD.size))
            if kind == b"DONE":
                break
            if kind != b"DATA" or number > CHUNK:
                raise SyncBroken("invalid data message")
            content += await self._read(number)
        if stat.S_ISLNK(mode):
            raise SyncRefused("couldn't create symlink: Permission denied")
        try:
            self._files.write(path, bytes(content), stat.S_IMODE(mode), number)
        except OSError as error:
            raise SyncRefused(f"couldn't create file: {error.strerror}") from error
        await self._stream.write(_HEAD.pack(b"OKAY", 0))

    async def _fail(self, message: str) -> None:
        encoded = message.encode()
        await self._stream.write(_HEAD.pack(b"FAIL", len(encoded)) + encoded)

    async def _read(self, size: int) -> bytes:
        return await self._stream.incoming.readexactly(size)


def _stat(status: FileStatus | None, kind: bytes = b"STAT") -> bytes:
    if status is None:
        return _STAT.pack(kind, 0, 0, 0)
    return _STAT.pack(kind, status.mode, status.size & 0xFFFFFFFF, status.mtime & 0xFFFFFFFF)


def _stat_v2(kind: bytes, status: FileStatus | None) -> bytes:
    if status is None:
        return _STAT_V2.pack(kind, errno.ENOENT, *[0] * 10)
    times = [status.mtime] * 3
    return _STAT_V2.pack(kind, 0, 1, 1, status.mode, 1, 0, 0, status.size, *times)


def _plain(flags: int) -> None:
    if flags:
        raise SyncBroken(f"unsupported flags: {flags}")
