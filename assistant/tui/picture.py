"""A screenshot as terminal cells: each cell is an upper half block that shows two pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

from PIL import Image
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from assistant.records import Point
from assistant.tui.pictures.box import Box
from assistant.tui.pictures.pixels import fit_image, open_image, resize_image

_HALF = "▀"
_MARK = "◎"
_MARK_STYLE = Style(color="#ffffff", bgcolor="#c01c28", bold=True)

Pixel = tuple[int, int, int]


def draw_image(picture: bytes, columns: int, rows: int, marks: Sequence[Point] = ()) -> list[Strip]:
    """Shrink an image file to fit `columns` by `rows` cells, keeping its aspect ratio, and mark points.

    Returns:
        At most `rows` strips of equal width; none without room, or if the bytes are not an image.
    """
    image = open_image(picture) if columns > 1 and rows > 0 else None
    return (
        draw_half_blocks(image, fit_image(image.size, Box(columns, rows)), marks) if image is not None else []
    )


def draw_half_blocks(image: Image.Image, cells: Box, marks: Sequence[Point] = ()) -> list[Strip]:
    """An image shrunk to a number of cells, with points marked on it."""
    width = cells.width
    data = resize_image(image, width, cells.height * 2).tobytes()
    pixels = [(data[i], data[i + 1], data[i + 2]) for i in range(0, len(data), 3)]
    marked_cells = {_cell(point, width, cells.height) for point in marks}
    return [
        _strip(
            pixels[y * width : (y + 1) * width],
            pixels[(y + 1) * width : (y + 2) * width],
            y // 2,
            marked_cells,
        )
        for y in range(0, cells.height * 2, 2)
    ]


def _cell(point: Point, columns: int, rows: int) -> tuple[int, int]:
    return min(columns - 1, int(point.x * columns)), min(rows - 1, int(point.y * rows))


def _strip(upper: Sequence[Pixel], lower: Sequence[Pixel], row: int, marks: set[tuple[int, int]]) -> Strip:
    cells = [
        (_MARK, _MARK_STYLE) if (column, row) in marks else (_HALF, _style(*pair))
        for column, pair in enumerate(zip(upper, lower, strict=True))
    ]
    segments = [
        Segment(character * len(list(run)), style)
        for (character, style), run in groupby(cells, lambda cell: cell)
    ]
    return Strip(segments, len(upper))


@lru_cache(maxsize=4096)
def _style(upper: Pixel, lower: Pixel) -> Style:
    return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))
