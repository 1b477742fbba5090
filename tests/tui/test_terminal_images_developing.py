"""What is drawn of a picture, and in which way."""

from __future__ import annotations

import base64
import io
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from assistant.records import Point
from assistant.settings.schema import Picture
from assistant.tui.terminal_images import DrawRequest, EncodedImage, encode_image
from assistant.tui.terminal_probe import ImageSize, ImageTerminal

from .test_terminal_images_sixel import decoded

KITTY = ImageTerminal(Picture.KITTY, ImageSize(8, 16))
SIXEL = ImageTerminal(Picture.SIXEL, ImageSize(8, 16))
ROOM = ImageSize(20, 15)


def grey(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "#808080").save(file, "PNG")
    return file.getvalue()


def pixels(drawing: EncodedImage) -> NDArray[np.int16]:
    """Height by width by 3, in percent."""
    if drawing.way is Picture.SIXEL:
        return decoded(drawing.data)
    image = Image.open(io.BytesIO(base64.b64decode(drawing.data))).convert("RGB")
    return (np.asarray(image).astype(np.int16) * 100 + 127) // 255


@pytest.mark.parametrize("terminal", [KITTY, SIXEL])
@pytest.mark.parametrize("point", [Point(0.25, 0.5), Point(0, 0), Point(1, 1)])
def test_the_tap_is_marked_in_the_pixels(terminal: ImageTerminal, point: Point) -> None:
    drawing = encode_image(DrawRequest(grey(270, 600), (point,), ROOM, terminal))
    assert drawing.way is terminal.way
    assert drawing.cells == ImageSize(14, 15)
    painted = pixels(drawing)
    assert painted.shape == (15 * 16, 14 * 8, 3)
    red, green, _ = painted[round(point.y * 239), round(point.x * 111)]
    assert red > 50 > green
    # Far from the tap it is as it was.
    assert abs(painted[round((1 - point.y) * 239) or 60, round((1 - point.x) * 111)] - 50).max() <= 1
    # The same is marked in half blocks, for what handles cells.
    assert any("◎" in strip.text for strip in drawing.strips)


@pytest.mark.parametrize(
    "terminal",
    [
        ImageTerminal(),
        ImageTerminal(Picture.OFF),
        ImageTerminal(Picture.SIXEL),
        replace(SIXEL, limit=40),
        replace(KITTY, limit=40),
    ],
)
def test_where_the_way_does_not_fit_there_are_half_blocks(terminal: ImageTerminal) -> None:
    drawing = encode_image(DrawRequest(grey(270, 600), (), ROOM, terminal))
    assert (drawing.way, drawing.data) == (Picture.BLOCKS, "")
    assert len(drawing.strips) == 15


def test_a_picture_is_no_larger_than_the_terminal_takes() -> None:
    drawing = encode_image(DrawRequest(grey(270, 600), (), ROOM, replace(SIXEL, largest=ImageSize(160, 100))))
    assert pixels(drawing).shape[0] <= 100
    assert drawing.cells.height == 6


@pytest.mark.parametrize(
    "order", [DrawRequest(b"no image", (), ROOM, KITTY), DrawRequest(grey(9, 9), (), ImageSize(1, 5), SIXEL)]
)
def test_no_image_and_no_room_draw_nothing(order: DrawRequest) -> None:
    assert encode_image(order) == EncodedImage()
