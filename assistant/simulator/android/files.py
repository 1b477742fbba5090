"""The phone's files, in memory: nothing here ever touches the host's file system."""

from __future__ import annotations

import posixpath
import stat
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class File:
    """A file's content, or a folder by its mode. `modified` is a Unix time in seconds."""

    content: bytes = b""
    mode: int = FILE_MODE
    modified: int = 1_700_000_000

    @property
    def folder(self) -> bool:
        """Whether it holds other files instead of content."""
        return stat.S_ISDIR(self.mode)

    @property
    def size(self) -> int:
        """Bytes."""
        return 4096 if self.folder else len(self.content)


def _fresh() -> dict[str, File]:
    return {path: File(mode=FOLDER_MODE) for path in _FOLDERS}


@dataclass(slots=True)
class Files:
    """All files by absolute path. `/storage/emulated/0` and `/mnt/sdcard` are other names of `/sdcard`.

    Missing files raise `FileNotFoundError`, others the `OSError` that a real phone's call would give.
    """

    entries: dict[str, File] = field(default_factory=_fresh)

    @staticmethod
    def resolve(path: str) -> str:
        """The path under which a file is kept."""
        clean = posixpath.normpath("/" + path)
        clean = "/" + clean.lstrip("/")
        for alias in ("/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard"):
            if clean == alias or clean.startswith(alias + "/"):
                return "/sdcard" + clean[len(alias) :]
        return clean

    def stat(self, path: str) -> File | None:
        """The entry at a path, or None."""
        return self.entries.get(self.resolve(path))

    def read(self, path: str) -> bytes:
        """A file's content."""
        entry = self.stat(path)
        if entry is None:
            raise FileNotFoundError(path)
        if entry.folder:
            raise IsADirectoryError(path)
        return entry.content

    def write(self, path: str, content: bytes, *, mode: int = FILE_MODE, modified: int | None = None) -> None:
        """Create or replace a file; its folder must exist."""
        place = self.resolve(path)
        parent = self.entries.get(posixpath.dirname(place))
        if parent is None:
            raise FileNotFoundError(path)
        if not parent.folder:
            raise NotADirectoryError(path)
        known = self.entries.get(place)
        if known is not None and known.folder:
            raise IsADirectoryError(path)
        self.entries[place] = File(content, stat.S_IFREG | stat.S_IMODE(mode), modified or File().modified)

    def make_folder(self, path: str) -> None:
        """Create a folder and those above it; one that exists is left alone."""
        place = self.resolve(path)
        known = self.entries.get(place)
        if known is not None:
            if not known.folder:
                raise FileExistsError(path)
            return
        self.make_folder(posixpath.dirname(place))
        self.entries[place] = File(mode=FOLDER_MODE)

    def list(self, path: str) -> dict[str, File]:
        """What a folder holds, by name."""
        place = self.resolve(path)
        entry = self.entries.get(place)
        if entry is None:
            raise FileNotFoundError(path)
        if not entry.folder:
            raise NotADirectoryError(path)
        inside = {
            posixpath.basename(name): file
            for name, file in self.entries.items()
            if name != "/" and posixpath.dirname(name) == place
        }
        return dict(sorted(inside.items()))

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all it holds."""
        place = self.resolve(path)
        if place not in self.entries:
            raise FileNotFoundError(path)
        for name in [
            name for name in self.entries if name == place or name.startswith(place.rstrip("/") + "/")
        ]:
            if name != "/":
                del self.entries[name]
