"""Text laid out in the cells of a terminal, in which Chinese and emoji are two wide."""

from __future__ import annotations

import re

from rich.cells import cell_len, set_cell_size

_PIECES = re.compile(r"(?:[!-\u2e7f]+|\S)[，。；：、！？）】》]* *")
"""What stays on one line: a word of letters, or a wide character, with what may not begin a line."""


def padded(text: str, width: int) -> str:
    """The text and blanks up to a width in cells."""
    return text + " " * max(0, width - cell_len(text))


def pad_left(text: str, width: int) -> str:
    """Blanks up to a width in cells, and the text."""
    return " " * max(0, width - cell_len(text)) + text


def shortened(text: str, width: int) -> str:
    """The text in at most a width in cells, an ellipsis at its end when something was cut."""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"


def fitted(text: str, width: int) -> str:
    """The text in exactly a width in cells, for a column."""
    return padded(shortened(text, width), width)


def wrap(text: str, width: int) -> list[str]:
    """The lines of one paragraph, none wider than a width in cells but for a longer word."""
    lines: list[str] = []
    line = ""
    for piece in _PIECES.findall(text):
        if line and cell_len((line + piece).rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()] if line else lines
