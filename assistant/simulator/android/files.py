"""The phone's files, in memory: nothing here ever touches the host's file system."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.simulator.adbd.backend import FileStatus

FILE_MODE = stat.S_IFREG | 0o660
FOLDER_MODE = stat.S_IFDIR | 0o771
_FOLDERS = (
    "/",
    "/data",
    "/data/local",
    "/data/local/tmp",
    "/proc",
    "/sdcard",
    "/sdcard/DCIM",
    "/sdcard/Download",
    "/sdcard/Pictures",
    "/system",
)
_WRITABLE = ("/sdcard", "/data/local/tmp")
_ALIASES = ("/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard")
_EPOCH = 1_700_000_000


@dataclass(slots=True)
class File:
    """A file's content, or a folder by its mode. `modified` is a Unix time in seconds."""

    content: bytes = b""
    mode: int = FILE_MODE
    modified: int = _EPOCH

    @property
    def folder(self) -> bool:
        """Whether it holds other files instead of content."""
        return stat.S_ISDIR(self.mode)

    @property
    def size(self) -> int:
        """Bytes."""
        return 4096 if self.folder else len(self.content)

    @property
    def status(self) -> FileStatus:
        """What the sync service and `stat` tell of it."""
        return FileStatus(self.mode, self.size, self.modified)


def _fresh() -> dict[str, File]:
    return {path: File(mode=FOLDER_MODE) for path in _FOLDERS}


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def resolve(path: str) -> str:
    """The absolute path under which a file is kept: shared storage has several names."""
    clean = "/" + posixpath.normpath("/" + path).lstrip("/")
    for alias in _ALIASES:
        if clean == alias or clean.startswith(alias + "/"):
            return "/sdcard" + clean[len(alias) :]
    return clean


@dataclass(slots=True, eq=False)
class Files:
    """All files by absolute path: the daemon's `FileSystem`. `now` gives the time of a write in Unix seconds.

    `made_up` are files whose content is computed when they are read, such as `/proc/uptime`. Only shared
    storage and `/data/local/tmp` can be written. Failures are the `OSError`s of the real calls.
    """

    now: Callable[[], float] = time.time
    entries: dict[str, File] = field(default_factory=_fresh)
    made_up: dict[str, Callable[[], bytes]] = field(default_factory=dict)

    def entry(self, path: str) -> File | None:
        """The file or folder at a path, or None."""
        place = resolve(path)
        if place in self.made_up:
            return File(self.made_up[place](), modified=int(self.now()))
        return self.entries.get(place)

    def status(self, path: str) -> FileStatus | None:
        """The status of a file or folder, or nothing when there is none."""
        entry = self.entry(path)
        return entry.status if entry else None

    def list(self, path: str) -> list[tuple[str, FileStatus]]:
        """Names and status of what a folder holds, sorted; empty when there is no such folder."""
        place = resolve(path)
        return sorted(
            (posixpath.basename(name), entry.status)
            for name, entry in self.entries.items()
            if name != "/" and posixpath.dirname(name) == place
        )

    def read(self, path: str) -> bytes:
        """A file's content. Raises `FileNotFoundError`, `IsADirectoryError`."""
        entry = self.entry(path)
        if entry is None:
            raise _error(errno.ENOENT, path)
        if entry.folder:
            raise _error(errno.EISDIR, path)
        return entry.content

    def write(self, path: str, content: bytes, mode: int = 0o660, mtime: int | None = None) -> None:
        """Make or replace a file and the folders above it. Raises `IsADirectoryError`, `PermissionError`."""
        place = resolve(path)
        entry = self.entries.get(place)
        if entry is not None and entry.folder:
            raise _error(errno.EISDIR, path)
        self._check_writable(path)
        self.make_folder(posixpath.dirname(place))
        modified = int(self.now()) if mtime is None else mtime
        self.entries[place] = File(content, stat.S_IFREG | stat.S_IMODE(mode), modified)

    def make_folder(self, path: str) -> None:
        """Make a folder and those above it; one that exists is left alone."""
        place = resolve(path)
        entry = self.entries.get(place)
        if entry is not None and not entry.folder:
            raise _error(errno.ENOTDIR, path)
        if entry is None:
            self._check_writable(path)
            self.make_folder(posixpath.dirname(place))
            self.entries[place] = File(mode=FOLDER_MODE, modified=int(self.now()))

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all it holds. Raises `FileNotFoundError`, `PermissionError`."""
        place = resolve(path)
        if place not in self.entries:
            raise _error(errno.ENOENT, path)
        self._check_writable(path)
        for name in [entry for entry in self.entries if entry == place or entry.startswith(place + "/")]:
            del self.entries[name]

    def _check_writable(self, path: str) -> None:
        place = resolve(path)
        if not any(place.startswith(root + "/") for root in _WRITABLE):
            raise _error(errno.EACCES if place.startswith(("/data", "/proc")) else errno.EROFS, path)
