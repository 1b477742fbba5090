"""What a screenshot alone tells: its size, whether the screen moved, whether parts of it are black."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

from assistant.records import Bounds

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRAILER = b"IEND\xaeB`\x82"
_SHRINK = 8
_LARGEST_SIDE = 16_384
# A cell differs when its mean grey does; a blinking cursor changes fewer cells than a typed letter.
_GREY_STEP = 12
_CHANGED_CELLS = 12
# Status bars, with a camera cut-out, take up to this share of the longer side.
_STATUS_BAR = 0.055
_BLACK = 6

Grey = npt.NDArray[np.uint8]


class NotAPicture(Exception):
    """The bytes are no complete PNG."""


def find_png(printed: bytes) -> bytes:
    """The PNG in what `screencap -p` printed; some phones print a warning before it.

    Raises:
        NotAPicture: there is none, or it is cut off.
    """
    start = printed.find(_SIGNATURE)
    if start < 0:
        raise NotAPicture("no PNG")
    end = printed.rfind(_TRAILER)
    if end < start:
        raise NotAPicture("the PNG is cut off")
    png = printed[start : end + len(_TRAILER)]
    png_size(png)
    return png


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height from the header.

    Raises:
        NotAPicture: the header is broken.
    """
    if len(png) < 33 or png[12:16] != b"IHDR":
        raise NotAPicture("no header")
    width, height = struct.unpack(">II", png[16:24])
    if not (0 < width <= _LARGEST_SIDE and 0 < height <= _LARGEST_SIDE):
        raise NotAPicture(f"impossible size {width} x {height}")
    return width, height


def decode(png: bytes) -> Grey:
    """The picture in grey, rows of pixels. Slow for big pictures: not for the event loop.

    Raises:
        NotAPicture: it cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as image:
            return np.asarray(image.convert("L"))
    except (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError) as error:
        raise NotAPicture(str(error)) from error


def shrink(grey: Grey) -> Grey:
    """The picture in cells of 8 x 8 pixels, each their mean."""
    return np.asarray(Image.fromarray(grey).reduce(_SHRINK))


def same_screen(before: Grey, after: Grey) -> bool:
    """Whether two shrunk pictures show the same, apart from the status bar and a blinking cursor."""
    if before.shape != after.shape:
        return False
    top = round(max(before.shape) * _STATUS_BAR)
    difference = np.abs(before[top:].astype(np.int16) - after[top:].astype(np.int16))
    return int((difference > _GREY_STEP).sum()) <= _CHANGED_CELLS


def unmoved(before: bytes, after: bytes) -> bool:
    """Whether two screenshots show the same screen. An undecodable one counts as moved."""
    if before == after:
        return True
    try:
        return same_screen(shrink(decode(before)), shrink(decode(after)))
    except NotAPicture:
        return False


def blackened(png: bytes, regions: Sequence[Bounds], scale: float = 1.0) -> bool:
    """Whether at least two thirds of the regions are wholly black, as in a window that forbids screenshots.

    Args:
        png: the screenshot.
        regions: where something visible should be, in device pixels.
        scale: pixels of the screenshot per device pixel.
    """
    if not regions:
        return False
    try:
        grey = decode(png)
    except NotAPicture:
        return False
    parts = [
        grey[
            max(0, round(region.top * scale)) : max(0, round(region.bottom * scale)),
            max(0, round(region.left * scale)) : max(0, round(region.right * scale)),
        ]
        for region in regions
    ]
    black = sum(1 for part in parts if part.size and int(part.max()) <= _BLACK)
    return black * 3 >= len(parts) * 2
