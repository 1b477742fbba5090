"""Draws the empty interface at once and shows what is typed, while the program is still being imported.

Importing the libraries takes longer than a person waits before typing. This module imports none of them; the
real interface then draws over what it drew, and gets the keys that were typed.
"""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from assistant.i18n import Language, _, environment_language, option_language, sentences, use, wrap

_WITH_VALUES = frozenset(("--store", "--config", "--serial", "--locale", "--delays", "--pace", "--at"))
"""Options that another word follows."""
_NOT_SHOWN = frozenset(("--help", "-h", "--plain", "--version", "--install-completion", "--show-completion"))
"""Options with which no interface is drawn."""
_SHOWN = ("", "demo")
"""The commands that open the interface."""

_ENTER, _LEAVE = "\x1b[?1049h\x1b[2J", "\x1b[?1049l"
_BOLD, _MUTED, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_LANGUAGE = re.compile(r'^\s*language\s*=\s*"(en|zh|auto)"', re.MULTILINE)
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?")
_LEAST_ROWS, _LEAST_COLUMNS = 8, 40
_BESIDE_COMMAND = 50
"""Columns of the sentence around a command that was sent already."""
_FIRST_ROW = 4
"""The row of the first sentence, counted from 1."""
_POLL = 0.02
_SLOW, _TELL_EVERY = 5.0, 1.0
"""Seconds without news after which their number is shown, and how often it changes."""
_MOST_BYTES = 65536


def opens_interface(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether these arguments of the command line open the interface in a terminal."""
    if environment.get("TERM", "dumb") == "dumb" or environment.get("TEXTUAL_DRIVER"):
        return False
    command, skip = "", False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in _NOT_SHOWN:
            return False
        elif argument in _WITH_VALUES:
            skip = True
        elif not argument.startswith("-"):
            command = command or argument
    return command in _SHOWN


class FirstPaint:
    """The first drawing, on one terminal.

    Args:
        keys: file descriptor of the input.
        output: the terminal's output.
        clock: monotonic seconds.
    """

    def __init__(self, keys: int, output: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._keys = keys
        self._output = output
        self._clock = clock
        self._begun = self._told = clock()
        self._is_slow = False
        self._typed = b""
        self._message = _("Looking for the phone and the model.")
        self._over = threading.Event()
        self._drawing = threading.Lock()
        self._before: list[Any] = termios.tcgetattr(keys)
        now = [*self._before]
        now[0] &= ~termios.ICRNL
        now[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(keys, termios.TCSANOW, now)
        self._output.write(_ENTER)
        self._draw()
        self._reader = threading.Thread(target=self._read, name="first paint", daemon=True)
        self._reader.start()

    def say(self, sentence: str) -> None:
        """Show what is being done."""
        self._message, self._told, self._is_slow = sentence, self._clock(), False
        self._draw()

    def hand_over(self) -> bytes:
        """Stop, and leave the drawing on the screen; returns what was typed."""
        self._stop()
        return self._typed

    def leave(self) -> None:
        """Stop, and show what was on the screen before; what was typed goes to the shell's next line."""
        self._stop()
        self._output.write(_LEAVE)
        self._output.flush()

    def _stop(self) -> None:
        self._over.set()
        self._reader.join()
        termios.tcsetattr(self._keys, termios.TCSANOW, self._before)

    def _read(self) -> None:
        while not self._over.is_set() and len(self._typed) < _MOST_BYTES:
            if select.select([self._keys], [], [], _POLL)[0]:
                if not (more := os.read(self._keys, _MOST_BYTES)):
                    return
                self._typed += more
                self._draw()
            elif (now := self._clock()) - self._told >= (_TELL_EVERY if self._is_slow else _SLOW):
                self._is_slow, self._told = True, now
                self._draw()

    def _sentence(self) -> str:
        """What is being done, and for how long where nothing else has been said for a while."""
        if not self._is_slow:
            return self._message
        slow = _("{seconds:.0f} s so far: this machine is busy.")
        return sentences(self._message, slow.format(seconds=self._clock() - self._begun))

    def _draw(self) -> None:
        columns, rows = os.get_terminal_size(self._output.fileno())
        if rows < _LEAST_ROWS or columns < _LEAST_COLUMNS:
            return
        text = visible_text(self._typed)[-(columns - 4) :]
        shown = text or f"{_MUTED}{_('What should the phone do?')}{_PLAIN}"
        kept = ""
        if sent := last_line_sent(self._typed):
            room = max(10, columns - _BESIDE_COMMAND) // (1 if sent.isascii() else 2)
            kept = _("“{command}” starts as soon as the phone is found.").format(command=sent[:room])
        room = max(1, rows - 2 - _FIRST_ROW)
        below = [f"  {_BOLD}{line}{_PLAIN}" for line in wrap(self._sentence(), columns - 4)]
        below += ["", *(f"  {line}" for line in wrap(kept, columns - 4))]
        # Further rows are cleared: what was told before may have been longer.
        below = [*below, *[""] * room][:room]
        lines = {
            1: f"{_MUTED} assistant{_PLAIN}",
            **dict(enumerate(below, start=_FIRST_ROW)),
            rows - 2: f"{_MUTED}{'─' * columns}{_PLAIN}",
            rows - 1: f" {shown}",
        }
        drawn = "".join(f"\x1b[{row};1H\x1b[2K{line}" for row, line in lines.items())
        with self._drawing:
            self._output.write(f"{drawn}\x1b[{rows - 1};2H{text}")
            self._output.flush()


def visible_text(typed: bytes) -> str:
    """What typed bytes leave in the line that is being typed: without sequences, with Backspace done."""
    line = ""
    for character in _SEQUENCE.sub("", typed.decode("utf-8", "ignore")):
        if character in "\x7f\b":
            line = line[:-1]
        elif character in "\r\n":
            line = ""
        elif character.isprintable():
            line += character
    return line


def last_line_sent(typed: bytes) -> str:
    """The last line in typed bytes that ends with Enter and says anything; empty without one."""
    lines = re.split(rb"[\r\n]", typed)[:-1]
    return next(filter(None, (visible_text(line).strip() for line in reversed(lines))), "")


class _Now:
    """The drawing of this process, while there is one."""

    paint: FirstPaint | None = None


def begin_first_paint(arguments: Sequence[str]) -> None:
    """Draw, if these arguments open the interface and there is a terminal."""
    keys, output = sys.__stdin__, sys.__stderr__
    if not opens_interface(arguments, os.environ) or keys is None or output is None:
        return
    try:
        if not (keys.isatty() and output.isatty()):
            return
        use(_likely_language(arguments))
        _Now.paint = FirstPaint(keys.fileno(), output)
    except (OSError, ValueError, termios.error):
        # The interface itself says what is wrong with the terminal.
        _Now.paint = None


def say_first(sentence: str) -> bool:
    """Show a sentence in the drawing; false where there is none."""
    if _Now.paint is None:
        return False
    _Now.paint.say(sentence)
    return True


def hand_over_first_paint() -> bytes:
    """End the drawing for the real interface; returns what was typed meanwhile."""
    paint, _Now.paint = _Now.paint, None
    return paint.hand_over() if paint is not None else b""


def end_first_paint() -> None:
    """Take the drawing away, where the interface has not come."""
    paint, _Now.paint = _Now.paint, None
    if paint is not None:
        paint.leave()


def _likely_language(arguments: Sequence[str]) -> Language:
    """The language that the settings ask for, read without loading them."""
    if (chosen := option_language(arguments)) is not Language.AUTO:
        return chosen
    said = os.environ.get("ASSISTANT_INTERFACE__LANGUAGE", "")
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    file = home / "assistant" / "config.toml"
    if "--config" in arguments[:-1]:
        file = Path(arguments[arguments.index("--config") + 1])
    try:
        match = _LANGUAGE.search(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        match = None
    language = Language(said if said in list(Language) else match[1] if match else Language.AUTO)
    return environment_language(os.environ) if language is Language.AUTO else language
