"""Queries the terminal's graphics support before the interface is up.

The first query is one that every terminal answers, and whose late answer Textual recognises; it tells whether
answers come in time. Only then more is asked, each time followed by a query that every terminal answers: an
answer that arrived later would be typed into the input field.
"""

from __future__ import annotations

import fcntl
import re
import shutil
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping
from typing import Protocol, TextIO

from assistant.settings.schema import Picture
from assistant.tui.pictures.box import Box
from assistant.tui.terminal_probe import (
    Answers,
    PictureTerminal,
    choose_terminal,
    parse_answers,
    way_without_query,
    within_tmux,
)

PROBE = b"\x1b[6n"
"""Query: cursor position."""
WHO = b"\x1b[>q\x1b[c"
"""Query: terminal name and device attributes."""
SIZES = b"\x1b[16t\x1b[?1;1;0S\x1b[?2;1;0S\x1b[c"
"""Query: cell size in pixels, Sixel colours, largest Sixel image; then device attributes, to end the wait."""

_PROBED = re.compile(rb"\x1b\[\d+;\d+R")
_FENCE = re.compile(rb"\x1b\[\?[\d;]*c")
_SOON, _PATIENCE = 0.1, 1.0
"""Seconds for the first answer, which was asked for long before, and for those of a terminal that answers."""


class Keyboard(Protocol):
    """The terminal as it is read before the interface is up."""

    def ask(self, question: bytes) -> None:
        """Write to the terminal."""

    def hear(self, enough: Callable[[bytes], bool], seconds: float) -> bytes:
        """All input so far; reads on until `enough` says so or the time is up."""


def begin_query(keyboard: Keyboard, setting: Picture, environment: Mapping[str, str]) -> None:
    """Send the first query, if the terminal must be queried at all."""
    if way_without_query(setting, environment) is None:
        keyboard.ask(PROBE)


def find_picture_terminal(
    keyboard: Keyboard,
    setting: Picture,
    environment: Mapping[str, str],
    features: Callable[[], str] | None = None,
) -> PictureTerminal:
    """How to draw images here; `begin` was called before.

    Args:
        keyboard: asks and hears.
        setting: the user's choice.
        environment: the process's.
        features: lists what the terminal around a tmux supports, in tmux's words.
    """
    answers = Answers()
    if way_without_query(setting, environment) is None and _answered(keyboard, _PROBED, 1, _SOON):
        keyboard.ask(WHO)
        _answered(keyboard, _FENCE, 1, _PATIENCE)
        answers = parse_answers(keyboard.hear(_at_once, 0))
        if answers.sixel or setting is Picture.SIXEL:
            keyboard.ask(SIZES)
            _answered(keyboard, _FENCE, 2, _PATIENCE)
            answers = parse_answers(keyboard.hear(_at_once, 0))
    inside = answers.sixel and within_tmux(answers, environment)
    return choose_terminal(setting, answers, environment, (features or tmux_features)() if inside else "")


def tmux_features() -> str:
    """The features of the terminal around this tmux, as tmux lists them; empty if unknown."""
    return expand_tmux_format("#{client_termfeatures}")


def expand_tmux_format(format_string: str, seconds: float = 0.5) -> str:
    """Expands a tmux format string in the tmux around this program; empty if that fails."""
    tmux = shutil.which("tmux")
    if tmux is None:
        return ""
    try:
        completed = subprocess.run(
            [tmux, "display-message", "-p", format_string],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.decode("ascii", "ignore").strip()


def _answered(keyboard: Keyboard, answer: re.Pattern[bytes], times: int, seconds: float) -> bool:
    def enough(heard: bytes) -> bool:
        return len(answer.findall(heard)) >= times

    return enough(keyboard.hear(enough, seconds))


def _at_once(heard: bytes) -> bool:
    return True


def cell_size(stream: TextIO | None) -> Box | None:
    """The size of a cell in pixels, from the operating system; None if unknown."""
    try:
        window_size = fcntl.ioctl(stream.fileno() if stream is not None else -1, termios.TIOCGWINSZ, bytes(8))
    except (OSError, ValueError):
        return None
    rows, columns, width, height = struct.unpack("HHHH", window_size)
    return (
        Box(width // columns, height // rows)
        if rows and columns and width >= columns and height >= rows
        else None
    )
