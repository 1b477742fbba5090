"""Image operations: open, fit into cells, resize, mark points."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, UnidentifiedImageError

from assistant.records import Point
from assistant.tui.pictures.box import Box

_RED, _WHITE, _CLEAR = "#c01c28", "#ffffff", (0, 0, 0, 0)
_RINGS = ((0.0, _WHITE), (0.05, _RED), (0.15, _WHITE), (0.19, _CLEAR), (0.4, _WHITE), (0.43, _RED))
"""Discs from the outermost in: the part of the mark's width at which each begins, and its colour."""
_FINE = 3
"""Factor by which a mark is drawn larger before it is shrunk, for smooth edges."""


TWICE_AS_HIGH = Box(1, 2)
"""The aspect ratio of a cell whose size is not known."""


def open_image(picture: bytes) -> Image.Image | None:
    """The image of an image file; None if the bytes cannot be read completely as an image."""
    try:
        with Image.open(io.BytesIO(picture)) as image:
            return image.convert("RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
        return None


def fit_image(size: tuple[int, int], room: Box, cell: Box = TWICE_AS_HIGH) -> Box:
    """The most whole cells of `room` that an image fills, keeping its aspect ratio as closely as cells allow.

    Args:
        size: the image, in pixels.
        room: in cells, at least one in each direction.
        cell: in pixels, or only its aspect ratio.
    """
    scale = min(room.width * cell.width / size[0], room.height * cell.height / size[1])
    return Box(
        max(1, min(room.width, round(size[0] * scale / cell.width))),
        max(1, min(room.height, round(size[1] * scale) // cell.height)),
    )


def resize_image(image: Image.Image, width: int, height: int) -> Image.Image:
    """The image resized to a size in pixels."""
    return image.resize((width, height), Image.Resampling.BOX, reducing_gap=2.0)


def mark_points(image: Image.Image, marks: Sequence[Point]) -> Image.Image:
    """The image with a ring and a dot around each point, easy to see."""
    if not marks:
        return image
    radius = max(4, image.width // 14)
    side = 2 * radius + 1
    whole = side * _FINE
    stamp = Image.new("RGBA", (whole, whole))
    pen = ImageDraw.Draw(stamp)
    for inset, colour in _RINGS:
        edge = inset * whole
        pen.ellipse((edge, edge, whole - 1 - edge, whole - 1 - edge), fill=colour)
    small = stamp.resize((side, side), Image.Resampling.LANCZOS)
    result = image.copy()
    for point in marks:
        x, y = round(point.x * (image.width - 1)), round(point.y * (image.height - 1))
        result.paste(small, (x - radius, y - radius), small)
    return result
