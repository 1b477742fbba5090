"""Files that several programs share: locks, and content that is replaced whole.

`store_crash_report` keeps where an unexpected error came from.

A lock is held by one process, and released when it ends or is killed. Only one program offers suggestions
from a store: a lock on a file in it. `JsonFile` and `write_privately` leave the old or the new content after
a crash, never half of it.

Words that a module knows are data in a YAML file beside it: `read_words` reads such a file, and
`compile_words` is the one place where its regular expressions get their flags. The program has more than a
thousand patterns and a run needs few of them: `lazy_regex` stands for one until it is first used.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, cast
from weakref import WeakSet

import filelock
import yaml

if sys.platform != "win32":
    import fcntl

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


def is_held(file: Path) -> bool:
    """Whether a process holds the lock of a file.

    Nobody holds that of a file that is missing. Asking takes a shared lock for a moment: of many that ask at
    once, also in threads, none takes another for the holder. Where locks are not shared, as on Windows, this
    can happen.

    Raises:
        OSError: the file cannot be opened, or its file system has no locks.
    """
    if sys.platform == "win32":
        lock = FileLock(file)
        is_free = not file.exists() or lock.take()
        lock.release()
        return not is_free
    try:
        descriptor = os.open(file, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def locked(file: Path, wait: float = 5.0) -> Iterator[None]:
    """Keep other programs from changing a file meanwhile, by a hidden file beside it.

    Waits at most `wait` seconds for another, and goes on without the lock after that, or where the file
    system has no locks: a program that hangs must not keep all others from working.

    Raises:
        OSError: the folder cannot be written.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = filelock.FileLock(
        file.with_name(f".{file.name}.lock"),
        timeout=wait,
        mode=0o600,
        # Who waits looks again before the other has come back for the next change.
        poll_interval=0.002,
        fallback_to_soft=False,
    )
    with ExitStack() as stack:
        try:
            stack.enter_context(lock)
        except filelock.Timeout:
            pass
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield


PROACTIVE_LOCK = "proactive.lock"


class ProactiveLock(FileLock):
    """The right to offer suggestions from a folder; a killed program loses it by itself."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / PROACTIVE_LOCK)

    @staticmethod
    def is_held_in(folder: Path) -> bool:
        """Whether a program offers suggestions from a folder.

        Raises:
            OSError: the lock cannot be looked at.
        """
        return is_held(folder / PROACTIVE_LOCK)


class JsonFile:
    """A JSON object in a file; without a path it lives in memory only. A broken file counts as empty."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept: dict[str, Any] = {}

    def load(self) -> dict[str, Any]:
        """The object as last saved."""
        if self._path is None:
            return dict(self._kept)
        try:
            values = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}

    def change(self, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Replace the object by what is made of it, while no other program changes it.

        Raises:
            OSError: the file cannot be written.
        """
        with ExitStack() as stack:
            if self._path is not None:
                stack.enter_context(locked(self._path))
            self.save(edit(self.load()))

    def save(self, values: dict[str, Any]) -> None:
        """Replace the object; an empty one removes the file.

        Raises:
            OSError: the file cannot be written.
        """
        self._kept = dict(values)
        if self._path is None:
            return
        if not values:
            self._path.unlink(missing_ok=True)
            return
        write_privately(self._path, json.dumps(values, ensure_ascii=False, indent=1))


def write_privately(file: Path, text: str | Iterable[str]) -> None:
    """Replace a file in one step by one that only the user can read (0600).

    A link is followed. A reader sees the old content or the new one, never a part. What is no file, such as
    a pipe or a terminal, is written to. A text may come in parts.

    Raises:
        OSError: the folder or the file cannot be written.
    """
    target = file.resolve()
    parts = (text,) if isinstance(text, str) else text
    if target.exists() and not target.is_file():
        with file.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(parts)
        return
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    with ExitStack() as stack:
        stack.callback(Path(name).unlink, missing_ok=True)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as written:
            written.writelines(parts)
            written.flush()
            os.fsync(written.fileno())
        Path(name).replace(target)
    _sync_folder(target.parent)


def write_in_place(file: Path, content: str | bytes) -> None:
    """Write a file that only the user can read (0600), without waiting for the disk.

    For the many files of a folder, where a part of the folder is of no use.

    Raises:
        OSError: the file cannot be written.
    """
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as written:
        # A file that is there keeps its mode when it is opened.
        file.chmod(0o600)
        written.write(content.encode("utf-8") if isinstance(content, str) else content)


def remove_durably(file: Path) -> None:
    """Delete a file so that it stays deleted when the machine loses its power. Without one it does nothing.

    Raises:
        OSError: the folder cannot be written.
    """
    try:
        file.unlink()
    except FileNotFoundError:
        return
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder survive a loss of power, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def store_crash_report(error: BaseException) -> str:
    """Keep where an unexpected error came from in a new file; returns its path, empty without one.

    The file holds places in the code and the kinds of errors, without messages and values: these may be
    what the user or the phone said.
    """
    places: list[str] = []
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        places += [*traceback.format_tb(cause.__traceback__), f"{type(cause).__name__}\n"]
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    try:
        handle, name = tempfile.mkstemp(prefix="assistant-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(places)
    except OSError:
        return ""
    return name


def read_words(package: str, name: str) -> dict[str, Any]:
    """The words in a YAML file of a package.

    Args:
        package: such as “assistant.agent”.
        name: of the file in it, with its folder if it lies in one.
    """
    text = files(package).joinpath(name).read_text("utf-8")
    words: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return words


def compile_words(
    words: str | Iterable[str],
    parts: Mapping[str, str] | None = None,
    flags: re.RegexFlag = re.IGNORECASE,
) -> re.Pattern[str]:
    """One pattern for some regular expressions, compiled when it is first used.

    Args:
        words: the regular expressions, any of which may match.
        parts: regular expressions by the names that stand for them in <angle brackets>.
        flags: how they match; by default in any case of letters.
    """
    pattern = join_words(words)
    while parts and _PART.search(pattern):
        pattern = _PART.sub(lambda part: parts[part[1]], pattern)
    return lazy_regex(pattern, flags)


def join_words(words: str | Iterable[str]) -> str:
    """Some regular expressions as one, of which any may match."""
    return words if isinstance(words, str) else "|".join(f"(?:{each})" for each in words)


def any_word(words: Iterable[str]) -> str:
    """A regular expression for some words as they stand, the longest first; without a group around it."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


_PART = re.compile(r"(?<!\?P)<(\w+)>")


def lazy_regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile` for a module's patterns: what it returns compiles itself when it is first used.

    The functions of `re` do not take it in place of a pattern; its `pattern` can be read uncompiled.
    """
    return cast("re.Pattern[str]", LazyRegex(pattern, flags))


def compile_lazy_regexes() -> None:
    """Compile what no one has used yet, while a person types, so that no turn waits for it; for a thread.

    A command that is there from the start ends sooner without: its turn compiles only what it needs.
    """
    with _ALL_LAZY_LOCK:
        regexes = tuple(_ALL_LAZY)
    for regex in regexes:
        regex.compile()


class LazyRegex:
    """What stands for a pattern; gets the members of the pattern when it is asked for the first of them."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        with _ALL_LAZY_LOCK:
            _ALL_LAZY.add(self)

    def compile(self) -> None:
        """Compile the pattern, unless that is done."""
        if "search" not in vars(self):
            compiled = re.compile(self.pattern, self._flags)
            # All at once, as another thread may ask for any of them.
            vars(self).update({name: getattr(compiled, name) for name in _REGEX_MEMBERS})

    def __getattr__(self, name: str) -> Any:
        if name not in _REGEX_MEMBERS:
            raise AttributeError(name)
        self.compile()
        return vars(self)[name]


_REGEX_MEMBERS = frozenset(name for name in dir(re.Pattern) if not name.startswith("_"))
_ALL_LAZY: WeakSet[LazyRegex] = WeakSet()
_ALL_LAZY_LOCK = threading.Lock()
