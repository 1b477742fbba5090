from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from assistant.tui.terminal_images import (
    MOST_CELLS,
    delete_sequence,
    encode_png,
    open_image,
    placeholders,
    send_sequence,
)
from assistant.tui.terminal_probe import ImageSize

from .sample_screens import phone_picture


def noise(width: int, height: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 255, (height, width, 3), dtype=np.uint8))


def test_a_picture_of_few_colours_is_sent_as_it_is() -> None:
    image = open_image(phone_picture())
    assert image is not None
    received = Image.open(io.BytesIO(base64.b64decode(encode_png(image, 10**6))))
    assert received.convert("RGB").tobytes() == image.tobytes()


@pytest.mark.parametrize("limit", [60_000, 16_000])
def test_what_exceeds_the_limit_is_sent_smaller_in_the_same_shape(limit: int) -> None:
    text = encode_png(noise(300, 600), limit)
    assert 0 < len(text) <= limit
    width, height = Image.open(io.BytesIO(base64.b64decode(text))).size
    assert abs(height / width - 2) < 0.05


def test_what_exceeds_the_limit_in_any_way_is_not_sent() -> None:
    assert encode_png(noise(300, 600), 100) == ""


def test_the_parts_of_a_picture_make_the_whole() -> None:
    text = "A" * 10_000
    parts = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", send_sequence(77, text, ImageSize(20, 40)))
    assert "".join(part for _, part in parts) == text
    assert max(len(part) for _, part in parts) <= 4096
    assert [dict(key.split("=") for key in keys.split(","))["m"] for keys, _ in parts] == ["1", "1", "0"]
    # Nothing is answered, and the place is held by characters.
    assert all("q=2" in keys for keys, _ in parts)
    assert {"a=T", "U=1", "i=77", "c=20", "r=40"} <= set(parts[0][0].split(","))
    assert "i=77" in delete_sequence(77)
    assert "d=I" in delete_sequence(77)
    assert "q=2" in delete_sequence(77)


def test_placeholders_name_the_picture_and_each_its_own_cell() -> None:
    text = placeholders(0x010203, 2, 0, MOST_CELLS)
    assert text.startswith("\x1b[38;2;1;2;3m")
    assert text.endswith("\x1b[39m")
    cells = re.findall("\U0010eeee(.)(.)", text)
    assert len(set(cells)) == len(cells) == MOST_CELLS == 297
    assert {row for row, _ in cells} == {"\u030e"}
    # The protocol's table: its first numbers and its last.
    assert [column for _, column in cells[:3]] == ["\u0305", "\u030d", "\u030e"]
    assert cells[-1][1] == "\U0001d244"
