"""Asking the terminal what it can draw, before the interface is up.

A first question that every terminal answers, and whose late answer Textual takes for what it is, tells
whether answers come in time. Only then is more asked, each time with a question last that every terminal
answers: an answer that came later would be typed into the field.
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

from assistant.config import Picture
from assistant.tui.pictures.box import Box
from assistant.tui.pictures.terminal import (
    Answers,
    PictureTerminal,
    chosen,
    understood,
    within_tmux,
    without_asking,
)

PROBE = b"\x1b[6n"
"""Where is the cursor?"""
WHO = b"\x1b[>q\x1b[c"
"""Who are you, and what can you do?"""
SIZES = b"\x1b[16t\x1b[?1;1;0S\x1b[?2;1;0S\x1b[c"
"""How large is a cell, how many colours has a picture, how large may it be? Then again: what can you do?"""

_PROBED = re.compile(rb"\x1b\[\d+;\d+R")
_FENCE = re.compile(rb"\x1b\[\?[\d;]*c")
_SOON, _PATIENCE = 0.1, 1.0
"""Seconds for the first answer, which was asked for long before, and for those of a terminal that answers."""


class Keyboard(Protocol):
    """The terminal's side that is read before the interface is up."""

    def ask(self, question: bytes) -> None:
        """Write to the terminal."""

    def hear(self, enough: Callable[[bytes], bool], seconds: float) -> bytes:
        """All that came so far, read on until it is enough or time is up."""


def begin(keyboard: Keyboard, setting: Picture, environment: Mapping[str, str]) -> None:
    """Ask the first question, if the terminal has to be asked at all."""
    if without_asking(setting, environment) is None:
        keyboard.ask(PROBE)


def find_out(
    keyboard: Keyboard,
    setting: Picture,
    environment: Mapping[str, str],
    features: Callable[[], str] | None = None,
) -> PictureTerminal:
    """How to draw pictures here; `begin` was called before.

    Args:
        keyboard: asks and hears.
        setting: what the user wishes.
        environment: the process's.
        features: what the terminal around a tmux can do, in tmux's words.
    """
    answers = Answers()
    if without_asking(setting, environment) is None and _answered(keyboard, _PROBED, 1, _SOON):
        keyboard.ask(WHO)
        _answered(keyboard, _FENCE, 1, _PATIENCE)
        answers = understood(keyboard.hear(_at_once, 0))
        if answers.sixel or setting is Picture.SIXEL:
            keyboard.ask(SIZES)
            _answered(keyboard, _FENCE, 2, _PATIENCE)
            answers = understood(keyboard.hear(_at_once, 0))
    inside = answers.sixel and within_tmux(answers, environment)
    return chosen(setting, answers, environment, (features or tmux_features)() if inside else "")


def tmux_features() -> str:
    """What the terminal around this tmux can do, as tmux lists it; empty when it does not say."""
    return told_by_tmux("#{client_termfeatures}")


def told_by_tmux(asked: str, seconds: float = 0.5) -> str:
    """What the tmux around this program makes of a format of its own; empty when it does not say."""
    tmux = shutil.which("tmux")
    if tmux is None:
        return ""
    try:
        told = subprocess.run(
            [tmux, "display-message", "-p", asked],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.decode("ascii", "ignore").strip()


def _answered(keyboard: Keyboard, answer: re.Pattern[bytes], times: int, seconds: float) -> bool:
    def enough(heard: bytes) -> bool:
        return len(answer.findall(heard)) >= times

    return enough(keyboard.hear(enough, seconds))


def _at_once(heard: bytes) -> bool:
    return True


def cell_size(stream: TextIO | None) -> Box | None:
    """The size of a cell in pixels, as the system knows it of the terminal behind a stream."""
    try:
        told = fcntl.ioctl(stream.fileno() if stream is not None else -1, termios.TIOCGWINSZ, bytes(8))
    except (OSError, ValueError):
        return None
    rows, columns, width, height = struct.unpack("HHHH", told)
    return (
        Box(width // columns, height // rows)
        if rows and columns and width >= columns and height >= rows
        else None
    )
