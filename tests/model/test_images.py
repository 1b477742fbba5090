from __future__ import annotations

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from assistant.config import ImageFormat, ModelSettings
from assistant.model.frame import Frame, scaled
from assistant.model.images import encode, frame_of
from tests.model.screens import png, screen

SETTINGS = ModelSettings(image_side=640)


def decoded(frame: Frame) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(frame.url.partition(",")[2])))


@pytest.mark.parametrize("image_format", ImageFormat)
async def test_the_picture_is_scaled_and_compressed_as_configured(image_format: ImageFormat) -> None:
    settings = ModelSettings(image_side=640, image_format=image_format)

    frame = await frame_of(screen(screenshot=png(1080, 2400)), settings)

    assert (frame.width, frame.height) == (288, 640)
    assert frame.url.startswith(f"data:image/{image_format.value};base64,")
    picture = decoded(frame)
    assert (picture.format, picture.size) == (image_format.value.upper(), (288, 640))


def test_a_small_picture_is_not_enlarged() -> None:
    frame = encode(png(300, 200), SETTINGS)

    assert frame is not None
    assert decoded(frame).size == (frame.width, frame.height) == (300, 200)


async def test_without_a_picture_the_size_stands() -> None:
    assert await frame_of(screen(), SETTINGS) == Frame(288, 640)
    assert await frame_of(screen(screenshot=png(1080, 2400), secure=True), SETTINGS) == Frame(288, 640)


@pytest.mark.parametrize("broken", [b"no picture", png(50, 50)[:60], b"\x89PNG\r\n\x1a\n"])
async def test_a_broken_picture_is_left_out(broken: bytes) -> None:
    assert await frame_of(screen(screenshot=broken), SETTINGS) == Frame(288, 640)


@given(width=st.integers(1, 5000), height=st.integers(1, 5000), longest=st.integers(128, 3000))
def test_scaling_keeps_the_shape(width: int, height: int, longest: int) -> None:
    across, down = scaled(width, height, longest)

    assert 1 <= max(across, down) <= max(longest, 1)
    assert across <= width
    assert down <= height
    assert abs(across / width - down / height) <= 1 / min(width, height)
