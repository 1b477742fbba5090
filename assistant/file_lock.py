"""Locks on files: held by one process, released when it ends or is killed.

Only one program offers suggestions from a store: a lock on a file in it, which ends with the program.
"""

from __future__ import annotations

import errno
from pathlib import Path
from urllib.parse import quote

import filelock

_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP})
"""What a file system without locks answers."""


class FileLock:
    """A lock on a file. The file stays when the lock is released."""

    def __init__(self, file: Path) -> None:
        # A soft lock, the fallback where a file system has no locks, can outlive a killed process.
        self._lock = filelock.FileLock(file, mode=0o600, thread_local=False, fallback_to_soft=False)

    @property
    def held(self) -> bool:
        """Whether this process holds the lock."""
        return self._lock.is_locked

    def take(self) -> bool:
        """Whether this process holds the lock, from this call on or since an earlier one.

        Raises:
            OSError: the folder cannot be written.
        """
        if not self.held:
            try:
                self._lock.acquire(blocking=False)
            except filelock.Timeout:
                return False
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
                return False
        return True

    def release(self) -> None:
        """Leave the lock to another process. Again is harmless."""
        self._lock.release()


class ResourceLock:
    """What this program works on alone, such as a phone; one thing at a time.

    Args:
        folder: where the locks are; made when it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: FileLock | None = None

    def take(self, name: str) -> bool:
        """Claim this, unless another program has.

        Raises:
            OSError: the folder cannot be written.
        """
        self.release()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        claim = FileLock(self._folder / f"{quote(name, safe='')}.lock")
        if claim.take():
            self._held = claim
        return self._held is not None

    def others(self) -> bool:
        """Whether another program has claimed anything.

        Raises:
            OSError: the folder cannot be written.
        """
        self.release()
        found = [FileLock(file) for file in self._folder.glob("*.lock")]
        taken = [one for one in found if not one.take()]
        for one in found:
            one.release()
        return bool(taken)

    def release(self) -> None:
        """Let go of it. Again is harmless."""
        if self._held is not None:
            self._held.release()
            self._held = None


NAME = "proactive.lock"


class ProactiveLock(FileLock):
    """The right to offer suggestions from a folder; a killed program loses it by itself."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / NAME)
