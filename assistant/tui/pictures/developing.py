"""From an image file to what is drawn of it; slow enough to belong in a thread."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image
from textual.strip import Strip

from assistant.config import Picture
from assistant.records import Point
from assistant.tui.picture import blocks
from assistant.tui.pictures import kitty
from assistant.tui.pictures.box import Box
from assistant.tui.pictures.pixels import TWICE_AS_HIGH, fitted, marked, opened, shrunk
from assistant.tui.pictures.sixel import sixel
from assistant.tui.pictures.terminal import PictureTerminal

_USUAL_CELL = Box(10, 20)
"""A terminal that scales pictures itself need not tell the size of its cells."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be drawn, and how.

    Args:
        shot: an image file; empty for none.
        marks: points to be marked on it.
        room: in cells.
        terminal: how it draws pictures.
    """

    shot: bytes
    marks: tuple[Point, ...]
    room: Box
    terminal: PictureTerminal


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture, ready to be shown.

    Args:
        strips: it in half blocks; none where there is no picture, or no room.
        way: how it is shown.
        data: what the terminal gets: for `KITTY` a PNG in Base64, for `SIXEL` the sequence, else nothing.
    """

    strips: tuple[Strip, ...] = ()
    way: Picture = Picture.BLOCKS
    data: str = ""

    @property
    def cells(self) -> Box:
        """The size in cells."""
        return Box(self.strips[0].cell_length if self.strips else 0, len(self.strips))


def develop(order: Order) -> Drawing:
    """Draw what was ordered; in half blocks where the ordered way does not fit."""
    image = opened(order.shot) if order.room.width > 1 and order.room.height > 0 else None
    if image is None:
        return Drawing()
    terminal = order.terminal
    cell = terminal.cell or (_USUAL_CELL if terminal.way is Picture.KITTY else TWICE_AS_HIGH)
    cells = fitted(image.size, _bounded(order.room, terminal, cell), cell)
    strips = tuple(blocks(image, cells, order.marks))
    data = ""
    if terminal.way in (Picture.KITTY, Picture.SIXEL):
        small = shrunk(image, cells.width * cell.width, cells.height * cell.height)
        data = _data(marked(small, order.marks), cells, terminal)
    return Drawing(strips, terminal.way if data else Picture.BLOCKS, data)


def _bounded(room: Box, terminal: PictureTerminal, cell: Box) -> Box:
    largest = terminal.largest
    if terminal.way is not Picture.SIXEL or largest is None:
        return room
    return Box(
        max(1, min(room.width, largest.width // cell.width)),
        max(1, min(room.height, largest.height // cell.height)),
    )


def _data(image: Image.Image, cells: Box, terminal: PictureTerminal) -> str:
    if terminal.way is Picture.KITTY:
        fits = max(cells.width, cells.height) <= kitty.MOST_CELLS
        return kitty.png(image, terminal.limit) if fits else ""
    return sixel(image, terminal.colours, terminal.limit) if terminal.cell is not None else ""
