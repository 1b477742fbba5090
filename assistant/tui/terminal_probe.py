"""Queries how the terminal draws images, before the interface is up, and keeps the keys typed meanwhile.

The first query is one that every terminal answers, and whose late answer Textual recognizes; it shows whether
answers come in time. Only then more is queried, each time followed by a query that every terminal answers: an
answer that arrived later would be typed into the input field.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from assistant.settings.schema import Picture
from assistant.tui.first_paint import hand_over_first_paint


@dataclass(frozen=True, slots=True)
class ImageSize:
    """A size: in cells, or in pixels."""

    width: int
    height: int


_LOCAL_LIMIT, _REMOTE_LIMIT = 400_000, 100_000
"""The most bytes of one image, locally and over SSH."""

_NAMED = re.compile(rb"\x1bP>\|([^\x1b]*)\x1b\\")
_ATTRIBUTES = re.compile(rb"\x1b\[\?([\d;]*)c")
_CELL = re.compile(rb"\x1b\[6;(\d{1,4});(\d{1,4})t")
_COLOURS = re.compile(rb"\x1b\[\?1;0;(\d{1,6})S")
_LARGEST = re.compile(rb"\x1b\[\?2;0;(\d{1,6});(\d{1,6})S")
_SIXEL = b"4"
_VERSION = re.compile(r"\d+")
_PLACEHOLDERS_SINCE = {"kitty": (0, 28), "ghostty": (1, 0)}
"""Terminals that support placeholders, and the first version that does."""
_COVERS_TEXT = ("konsole",)
"""Terminals that show Sixel, but may not erase it where text is written over it."""
_FEWEST_COLOURS = 16
_DEFAULT_LARGEST = 1000
"""XTerm's default limit for an image's width and height, in pixels."""


@dataclass(frozen=True, slots=True)
class ImageTerminal:
    """A way to draw images, with the parameters that it needs.

    Args:
        way: `KITTY`, `SIXEL`, `BLOCKS`, or `OFF` where there are no colours.
        cell: the size of a cell in pixels, if the terminal reported it.
        colours: the most colours of a Sixel image.
        largest: the largest Sixel image, in pixels; None for no limit.
        limit: the most bytes of one image.
        name: what the terminal calls itself; untrusted.
    """

    way: Picture = Picture.BLOCKS
    cell: ImageSize | None = None
    colours: int = 256
    largest: ImageSize | None = None
    limit: int = _LOCAL_LIMIT
    name: str = ""


@dataclass(frozen=True, slots=True)
class TerminalAnswers:
    """What a terminal reported.

    Args:
        name: name and version, as the terminal writes them; empty if not reported.
        sixel: whether it claims Sixel support; None before it answered.
        cell: the size of a cell in pixels.
        colours: the most colours of an image; 0 if not reported.
        largest: the largest image in pixels.
    """

    name: str = ""
    sixel: bool | None = None
    cell: ImageSize | None = None
    colours: int = 0
    largest: ImageSize | None = None


def parse_answers(received: bytes) -> TerminalAnswers:
    """Parse a terminal's answers from the input, which may contain other keys; the last of a kind counts."""
    names, attributes = _NAMED.findall(received), _ATTRIBUTES.findall(received)
    cells, colours, largest = _CELL.findall(received), _COLOURS.findall(received), _LARGEST.findall(received)
    return TerminalAnswers(
        name=names[-1].decode("ascii", "ignore").strip() if names else "",
        sixel=_SIXEL in attributes[-1].split(b";")[1:] if attributes else None,
        cell=_parse_size(cells[-1][1], cells[-1][0]) if cells else None,
        colours=int(colours[-1]) if colours else 0,
        largest=_parse_size(*largest[-1]) if largest else None,
    )


def _parse_size(width: bytes, height: bytes) -> ImageSize | None:
    box = ImageSize(int(width), int(height))
    return box if box.width and box.height else None


def drawing_mode_without_query(setting: Picture, environment: Mapping[str, str]) -> Picture | None:
    """How images are drawn if the terminal need not be queried; None if it must be.

    With the setting `OFF` images are drawn only when the user asks for them, in half blocks.
    """
    kind = environment.get("TERM", "")
    if environment.get("NO_COLOR") or kind in ("dumb", "unknown"):
        return Picture.OFF
    # The Linux console misreads some queries as commands; with its own driver, a browser or test draws.
    if setting in (Picture.BLOCKS, Picture.OFF) or kind == "linux" or environment.get("TEXTUAL_DRIVER"):
        return Picture.BLOCKS
    return None


def choose_terminal(
    setting: Picture, answers: TerminalAnswers, environment: Mapping[str, str], multiplexer: str = ""
) -> ImageTerminal:
    """The way to draw images.

    Args:
        setting: the user's choice.
        answers: what the terminal reported.
        environment: environment variables; they show SSH and multiplexers.
        multiplexer: the features that tmux reports of the terminal around it; empty if unknown.
    """
    forced_mode = drawing_mode_without_query(setting, environment)
    remote = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    return ImageTerminal(
        way=forced_mode
        if forced_mode is not None
        else _choose_drawing_mode(setting, answers, environment, multiplexer),
        cell=answers.cell,
        colours=max(_FEWEST_COLOURS, answers.colours) if answers.colours else 256,
        largest=_window_independent(answers.largest),
        limit=_REMOTE_LIMIT if remote else _LOCAL_LIMIT,
        name=answers.name,
    )


def _window_independent(largest: ImageSize | None) -> ImageSize | None:
    """The largest image in any window: a terminal may report only the limit of its current window."""
    return (
        ImageSize(max(largest.width, _DEFAULT_LARGEST), max(largest.height, _DEFAULT_LARGEST))
        if largest is not None
        else None
    )


def _choose_drawing_mode(
    setting: Picture, answers: TerminalAnswers, environment: Mapping[str, str], multiplexer: str
) -> Picture:
    name = answers.name.lower()
    is_multiplexed = within_tmux(answers, environment) or environment.get("STY")
    sixel = "sixel" in multiplexer.split(",") and answers.sixel if is_multiplexed else answers.sixel
    if setting is Picture.KITTY:
        return Picture.BLOCKS if is_multiplexed else Picture.KITTY
    if setting is Picture.SIXEL:
        return Picture.SIXEL if sixel or not is_multiplexed else Picture.BLOCKS
    if not is_multiplexed and _supports_placeholders(name):
        return Picture.KITTY
    return Picture.SIXEL if sixel and not name.startswith(_COVERS_TEXT) else Picture.BLOCKS


def within_tmux(answers: TerminalAnswers, environment: Mapping[str, str]) -> bool:
    """Whether tmux runs between the program and the terminal."""
    return bool(environment.get("TMUX")) or answers.name.lower().startswith("tmux")


def _supports_placeholders(name: str) -> bool:
    for terminal_name, since in _PLACEHOLDERS_SINCE.items():
        if name.startswith(terminal_name):
            version = tuple(int(part) for part in _VERSION.findall(name)[:2])
            return version >= since
    return False


CURSOR_QUERY = b"\x1b[6n"
"""Query: cursor position."""
NAME_QUERY = b"\x1b[>q\x1b[c"
"""Query: terminal name and device attributes."""
SIZES_QUERY = b"\x1b[16t\x1b[?1;1;0S\x1b[?2;1;0S\x1b[c"
"""Query: cell size in pixels, Sixel colours, largest Sixel image; then device attributes, to end the wait."""

_CURSOR_ANSWER = re.compile(rb"\x1b\[\d+;\d+R")
_ATTRIBUTES_ANSWER = re.compile(rb"\x1b\[\?[\d;]*c")
_FIRST_ANSWER_SECONDS, _ANSWER_SECONDS = 0.1, 1.0
"""Longest waits, in seconds: for the first answer, whose query was sent long before, and for the others."""


class TerminalInput(Protocol):
    """The terminal as it is read before the interface is up."""

    def send_query(self, query: bytes) -> None:
        """Write a query to the terminal."""

    def read(self, is_complete: Callable[[bytes], bool], seconds: float) -> bytes:
        """All input so far; reads until `is_complete` returns True for it or the time is up."""


def begin_query(keyboard: TerminalInput, setting: Picture, environment: Mapping[str, str]) -> None:
    """Send the first query, if the terminal must be queried at all."""
    if drawing_mode_without_query(setting, environment) is None:
        keyboard.send_query(CURSOR_QUERY)


def find_picture_terminal(
    keyboard: TerminalInput,
    setting: Picture,
    environment: Mapping[str, str],
    features: Callable[[], str] | None = None,
) -> ImageTerminal:
    """How to draw images in this terminal; `begin_query` was called before.

    Args:
        keyboard: the terminal.
        setting: the user's choice.
        environment: the environment variables of the process.
        features: lists what the terminal around a tmux supports, in tmux's words.
    """
    answers = TerminalAnswers()
    if drawing_mode_without_query(setting, environment) is None and _wait_for_answers(
        keyboard, _CURSOR_ANSWER, 1, _FIRST_ANSWER_SECONDS
    ):
        keyboard.send_query(NAME_QUERY)
        _wait_for_answers(keyboard, _ATTRIBUTES_ANSWER, 1, _ANSWER_SECONDS)
        answers = parse_answers(keyboard.read(_is_any, 0))
        if answers.sixel or setting is Picture.SIXEL:
            keyboard.send_query(SIZES_QUERY)
            _wait_for_answers(keyboard, _ATTRIBUTES_ANSWER, 2, _ANSWER_SECONDS)
            answers = parse_answers(keyboard.read(_is_any, 0))
    needs_tmux_features = answers.sixel and within_tmux(answers, environment)
    return choose_terminal(
        setting, answers, environment, (features or tmux_features)() if needs_tmux_features else ""
    )


def tmux_features() -> str:
    """The features of the terminal around this tmux, as tmux lists them; empty if unknown."""
    return expand_tmux_format("#{client_termfeatures}")


def expand_tmux_format(format_string: str, seconds: float = 0.5) -> str:
    """Expand a tmux format string in the tmux around this program; empty if that fails."""
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


def _wait_for_answers(keyboard: TerminalInput, answer: re.Pattern[bytes], times: int, seconds: float) -> bool:
    def is_complete(received: bytes) -> bool:
        return len(answer.findall(received)) >= times

    return is_complete(keyboard.read(is_complete, seconds))


def _is_any(received: bytes) -> bool:
    return True


def cell_size(stream: TextIO | None) -> ImageSize | None:
    """The size of a cell in pixels, from the operating system; None if unknown."""
    try:
        window_size = fcntl.ioctl(stream.fileno() if stream is not None else -1, termios.TIOCGWINSZ, bytes(8))
    except (OSError, ValueError):
        return None
    rows, columns, width, height = struct.unpack("HHHH", window_size)
    return (
        ImageSize(width // columns, height // rows)
        if rows and columns and width >= columns and height >= rows
        else None
    )


_MAX_BYTES = 4096
_ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[P_\]][^\x1b\x07]*(?:\x1b\\|\x07)|O.|.)?")


@dataclass(frozen=True, slots=True)
class TypedKey:
    """A key by Textual's name, and its character."""

    key: str
    character: str


class EarlyInput:
    """Turns off echo and line mode of a terminal until `end`.

    Args:
        terminal: file descriptor of the input; nothing is done if it is not a terminal.
        drawn: file descriptor of the terminal's output; without one, no query is sent.
        typed: what was typed before.
    """

    def __init__(self, terminal: int, drawn: int = -1, typed: bytes = b"") -> None:
        self._terminal = terminal
        self._drawn = drawn
        self._typed = typed
        self._before: list[Any] | None = None
        try:
            before = termios.tcgetattr(terminal)
            now = [*before]
            # In line mode, a terminal turns Enter into a line feed.
            now[0] &= ~termios.ICRNL
            now[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(terminal, termios.TCSANOW, now)
        except (termios.error, OSError):
            return
        self._before = before

    @property
    def is_terminal(self) -> bool:
        """Whether there is a terminal that can be queried."""
        return self._before is not None and self._drawn >= 0

    def send_query(self, query: bytes) -> None:
        """Send a query that the terminal answers itself; the answer is not a key press."""
        if self.is_terminal:
            os.write(self._drawn, query)

    def read(self, is_complete: Callable[[bytes], bool], seconds: float) -> bytes:
        """All input so far; reads until `is_complete` returns True for it or the time is up."""
        until = time.monotonic() + seconds
        while self._before is not None and len(self._typed) < _MAX_BYTES:
            # Read all available input before deciding.
            left = 0.0 if is_complete(self._typed) else max(0.0, until - time.monotonic())
            if not select.select([self._terminal], [], [], left)[0]:
                break
            if not (more := os.read(self._terminal, _MAX_BYTES)):
                break
            self._typed += more
        return self._typed

    def end(self) -> list[TypedKey]:
        """Restore the terminal; returns the keys pressed meanwhile, on the first call only."""
        if self._before is None:
            return []
        typed = self.read(lambda received: True, 0)
        before, self._before = self._before, None
        termios.tcsetattr(self._terminal, termios.TCSANOW, before)
        return list(parse_keys(typed))


def collect_typed_ahead() -> EarlyInput:
    """Start collecting what is typed into standard input."""
    keys, output = sys.__stdin__, sys.__stderr__
    try:
        is_terminal = output is not None and output.isatty()
        return EarlyInput(
            keys.fileno() if keys is not None else -1,
            output.fileno() if output and is_terminal else -1,
            hand_over_first_paint(),
        )
    except (OSError, ValueError):
        return EarlyInput(-1)


_FUNCTION_KEYS = {
    sequence: f"f{number}"
    for number, sequences in {
        1: ("\x1bOP", "\x1b[11~"),
        2: ("\x1bOQ", "\x1b[12~"),
        3: ("\x1bOR", "\x1b[13~"),
        8: ("\x1b[19~",),
    }.items()
    for sequence in sequences
}
"""The keys that open something, by what terminals send for them."""


def parse_keys(typed: bytes) -> Iterator[TypedKey]:
    """Parse terminal input into keys: characters, Enter, Backspace, and a function key at the end.

    Other sequences are dropped, and function keys before further text: in what they open, letters are keys.
    """
    text = typed.decode("utf-8", "ignore")
    for character in _ESCAPE_SEQUENCE.sub("", text):
        match character:
            case "\r" | "\n":
                yield TypedKey("enter", "\r")
            case "\x7f" | "\b":
                yield TypedKey("backspace", "\x7f")
            case " ":
                yield TypedKey("space", " ")
            case _ if character.isprintable():
                yield TypedKey(character, character)
    last = next((key for sequence, key in _FUNCTION_KEYS.items() if text.endswith(sequence)), "")
    if last:
        yield TypedKey(last, "")
