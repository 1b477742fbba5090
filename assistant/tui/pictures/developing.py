"""Encodes an image for the terminal; slow enough to belong in a thread."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image
from textual.strip import Strip

from assistant.records import Point
from assistant.settings.schema import Picture
from assistant.tui.picture import draw_half_blocks
from assistant.tui.pictures import kitty
from assistant.tui.pictures.box import Box
from assistant.tui.pictures.pixels import TWICE_AS_HIGH, fit_image, mark_points, open_image, resize_image
from assistant.tui.terminal_images import encode_sixel
from assistant.tui.terminal_probe import PictureTerminal

_USUAL_CELL = Box(10, 20)
"""Cell size assumed for a terminal that scales images itself and need not report it."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to draw, and how.

    Args:
        shot: an image file; empty for none.
        marks: points to mark on it.
        room: available size, in cells.
        terminal: how it draws images.
    """

    shot: bytes
    marks: tuple[Point, ...]
    room: Box
    terminal: PictureTerminal


@dataclass(frozen=True, slots=True)
class Drawing:
    """An encoded image, ready to be shown.

    Args:
        strips: the image in half blocks; none without an image or without room.
        way: the format used.
        data: for `KITTY` a PNG in Base64, for `SIXEL` the sequence, otherwise empty.
    """

    strips: tuple[Strip, ...] = ()
    way: Picture = Picture.BLOCKS
    data: str = ""

    @property
    def cells(self) -> Box:
        """The size in cells."""
        return Box(self.strips[0].cell_length if self.strips else 0, len(self.strips))


def encode_image(order: Order) -> Drawing:
    """Encode an image; in half blocks where the requested format does not fit."""
    image = open_image(order.shot) if order.room.width > 1 and order.room.height > 0 else None
    if image is None:
        return Drawing()
    terminal = order.terminal
    cell = terminal.cell or (_USUAL_CELL if terminal.way is Picture.KITTY else TWICE_AS_HIGH)
    cells = fit_image(image.size, _bounded(order.room, terminal, cell), cell)
    strips = tuple(draw_half_blocks(image, cells, order.marks))
    data = ""
    if terminal.way in (Picture.KITTY, Picture.SIXEL):
        small = resize_image(image, cells.width * cell.width, cells.height * cell.height)
        data = _data(mark_points(small, order.marks), cells, terminal)
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
        return kitty.encode_png(image, terminal.limit) if fits else ""
    return encode_sixel(image, terminal.colours, terminal.limit) if terminal.cell is not None else ""
