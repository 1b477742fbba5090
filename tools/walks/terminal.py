"""A real terminal to run the program in: tmux, on a socket of its own."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NO_TMUX = "The walks need tmux, a terminal that a program can drive. Install it: apt-get install tmux"
_NAMES = {"enter": "Enter", "escape": "Escape", "down": "Down", "end": "End"}
_SESSION = "walk"


class NoTerminal(Exception):
    """There is no tmux, or it refuses; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Size:
    """Columns and lines of a terminal."""

    columns: int
    lines: int

    def __str__(self) -> str:
        return f"{self.columns}x{self.lines}"


def size_of(text: str) -> Size:
    """The size that a text such as `80x24` names.

    Raises:
        ValueError: it names none.
    """
    columns, _, lines = text.partition("x")
    return Size(int(columns), int(lines))


def tmux_key(key: str) -> str:
    """A key as tmux calls it, from the name that the program uses: `ctrl+y`, `f8`, `escape`, `1`."""
    modifier, _, rest = key.rpartition("+")
    name = _NAMES.get(rest, rest.upper() if rest[:1] == "f" and rest[1:].isdecimal() else rest)
    return f"C-{name}" if modifier == "ctrl" else name


class Terminal:
    """One terminal with one program in it.

    Args:
        folder: where the socket is; the program's working folder as well.
        size: how large the terminal is.
        environment: all that the program finds in its environment.

    Raises:
        NoTerminal: there is no tmux.
    """

    def __init__(self, folder: Path, size: Size, environment: Mapping[str, str]) -> None:
        tmux = shutil.which("tmux")
        if tmux is None:
            raise NoTerminal(NO_TMUX)
        self._tmux = (tmux, "-u", "-S", str(folder / "tmux"), "-f", "/dev/null")
        self._folder = folder
        self._size = size
        self._environment = dict(environment)
        self._open = False

    def start(self, command: Sequence[str]) -> None:
        """Start a program; one that ran before must have ended.

        Raises:
            NoTerminal: tmux refuses.
        """
        clean = ["env", "-i", *(f"{name}={value}" for name, value in self._environment.items())]
        line = "exec " + shlex.join([*clean, *command])
        if self._open:
            self._call("respawn-pane", "-t", _SESSION, line)
            return
        size = ("-x", str(self._size.columns), "-y", str(self._size.lines))
        self._call("new-session", "-d", "-s", _SESSION, *size, "-c", str(self._folder), line)
        self._call("set-option", "-t", _SESSION, "remain-on-exit", "on")
        self._open = True

    def press(self, key: str) -> None:
        """Press a key, named as in the program: `ctrl+y`, `f8`, `enter`."""
        self._call("send-keys", "-t", _SESSION, tmux_key(key))

    def type(self, text: str) -> None:
        """Type a text."""
        self._call("send-keys", "-t", _SESSION, "-l", "--", text)

    def lines(self) -> list[str]:
        """What the screen shows, line by line, without trailing spaces."""
        return [line.rstrip() for line in self._call("capture-pane", "-p", "-t", _SESSION).splitlines()]

    def styled(self) -> str:
        """What the screen shows, with escape sequences for its colours."""
        return self._call("capture-pane", "-p", "-e", "-N", "-t", _SESSION)

    def cursor(self) -> tuple[int, int]:
        """In which column and on which line the cursor stands."""
        column, line = self._call("display-message", "-p", "-t", _SESSION, "#{cursor_x} #{cursor_y}").split()
        return int(column), int(line)

    def process(self) -> int:
        """The process id of the program."""
        return int(self._call("display-message", "-p", "-t", _SESSION, "#{pane_pid}"))

    def ended(self) -> bool:
        """Whether the program has ended."""
        return self._call("display-message", "-p", "-t", _SESSION, "#{pane_dead}").strip() == "1"

    def close(self) -> None:
        """End the program and the terminal."""
        if self._open:
            self._call("kill-server")
            self._open = False

    def _call(self, *words: str) -> str:
        done = subprocess.run(
            [*self._tmux, *words], capture_output=True, check=False, encoding="utf-8", errors="replace"
        )
        if done.returncode:
            raise NoTerminal(f"tmux {words[0]} failed: {done.stderr.strip()}")
        return done.stdout
