"""Rights that only one program has at a time: locks on files, which end with the program."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import quote


class Sole:
    """A right by the lock on a file."""

    def __init__(self, file: Path) -> None:
        self._file = file
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


class Claims:
    """What this program works on alone, such as a phone; one thing at a time.

    Args:
        folder: where the locks are; made when it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: Sole | None = None

    def take(self, name: str) -> bool:
        """Claim this, unless another program has.

        Raises:
            OSError: the folder cannot be written.
        """
        self.release()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        claim = Sole(self._folder / f"{quote(name, safe='')}.lock")
        if claim.take():
            self._held = claim
        return self._held is not None

    def others(self) -> bool:
        """Whether another program has claimed anything.

        Raises:
            OSError: the folder cannot be written.
        """
        self.release()
        found = [Sole(file) for file in self._folder.glob("*.lock")]
        taken = [one for one in found if not one.take()]
        for one in found:
            one.release()
        return bool(taken)

    def release(self) -> None:
        """Let go of it. Again is harmless."""
        if self._held is not None:
            self._held.release()
            self._held = None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
