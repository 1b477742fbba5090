"""Only one program offers suggestions from a store: a lock on a file in it, which ends with the program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "proactive.lock"


class SoleSpeaker:
    """The right to offer suggestions from a folder; a killed program loses it by itself."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this program has the right."""
        return self._descriptor is not None

    def take(self) -> bool:
        """Whether this program has the right, now or since before.

        Raises:
            OSError: the folder cannot be written.
        """
        if self.held:
            return True
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Leave the right to another program. Again is harmless."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
