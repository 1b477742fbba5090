"""Lines of an image: half blocks inside Textual, the terminal's own format when written to the terminal.

Textual cuts, joins, tints and exports strips as cells; only what reaches the terminal passes through
`render`. So whatever covers an image hides it, and a screenshot of the interface shows half blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from textual.strip import Strip


@dataclass(frozen=True, slots=True)
class PictureRow:
    """Where the image lies in a line, and what happens when the line is written.

    Args:
        left: the first column of the picture.
        right: the column after its last one.
        instead: gives the text for some columns of the image, counted from its left; None for half blocks.
        written: called when part of the line was written.
    """

    left: int
    right: int
    instead: Callable[[int, int], str] | None = None
    written: Callable[[], None] | None = None


class PictureStrip(Strip):
    """A line, or part of one, that contains a row of an image.

    Args:
        strip: the cells, with the row in half blocks.
        row: the row.
        start: the column of the line at which the first cell lies.
    """

    __slots__ = ("_row", "_start")

    def __init__(self, strip: Strip, row: PictureRow, start: int = 0) -> None:
        super().__init__(strip, strip.cell_length)
        self._row = row
        self._start = start

    def render(self, console: Console) -> str:
        """The text for the terminal."""
        row, length = self._row, self.cell_length
        left = min(max(row.left - self._start, 0), length)
        right = min(max(row.right - self._start, 0), length)
        if left >= right:
            return super().render(console)
        if row.written is not None:
            row.written()
        if row.instead is None:
            return super().render(console)
        first = self._start + left - row.left
        instead = row.instead(first, first + right - left)
        return "".join((self._cells(0, left, console), instead, self._cells(right, length, console)))

    def _cells(self, start: int, end: int, console: Console) -> str:
        return super().crop(start, end).render(console) if start < end else ""

    def crop(self, start: int, end: int | None = None) -> Strip:
        """A part of the line, with its part of the image."""
        piece = super().crop(start, end)
        return piece if piece is self else PictureStrip(piece, self._row, self._start + max(0, start))

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """The parts between cuts, each with its part of the image."""
        pieces: list[Strip] = []
        start = self._start
        for piece in super().divide(cuts):
            pieces.append(piece if piece is self else PictureStrip(piece, self._row, start))
            start += piece.cell_length
        return pieces
