"""Screenshots as they are sent to the model, and encoded before the request needs them."""

from __future__ import annotations

import base64
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from assistant.model.client import ImageEncoder, encode_screenshot
from assistant.model.dialects import registry
from assistant.model.types import SentImage, scaled_size, smart_resize
from assistant.records import Point
from assistant.settings.schema import ImageFormat, ModelSettings
from tests.model.screens import element, png, screen
from tests.tables import each

SETTINGS = ModelSettings(image_side=640)


def decoded(frame: SentImage) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(frame.url.partition(",")[2])))


@each("image_format", ImageFormat)
async def test_the_picture_is_scaled_and_compressed_as_configured(image_format: ImageFormat) -> None:
    settings = ModelSettings(image_side=640, image_format=image_format)

    frame = await ImageEncoder(settings).frame_of(screen(screenshot=png(1080, 2400)))

    assert (frame.width, frame.height) == (288, 640)
    assert frame.url.startswith(f"data:image/{image_format.value};base64,")
    picture = decoded(frame)
    assert (picture.format, picture.size) == (image_format.value.upper(), (288, 640))


def test_a_small_picture_is_not_enlarged() -> None:
    frame = encode_screenshot(png(300, 200), SETTINGS)

    assert frame is not None
    assert decoded(frame).size == (frame.width, frame.height) == (300, 200)


async def test_without_a_picture_the_size_stands() -> None:
    assert await ImageEncoder(SETTINGS).frame_of(screen()) == SentImage(288, 640)
    assert await ImageEncoder(SETTINGS).frame_of(
        screen(screenshot=png(1080, 2400), secure=True)
    ) == SentImage(288, 640)


@each("broken", [b"no picture", png(50, 50)[:60], b"\x89PNG\r\n\x1a\n"])
async def test_a_broken_picture_is_left_out(broken: bytes) -> None:
    assert await ImageEncoder(SETTINGS).frame_of(screen(screenshot=broken)) == SentImage(288, 640)


@given(width=st.integers(1, 5000), height=st.integers(1, 5000), longest=st.integers(128, 3000))
def test_scaling_keeps_the_shape(width: int, height: int, longest: int) -> None:
    across, down = scaled_size(width, height, longest)

    assert 1 <= max(across, down) <= max(longest, 1)
    assert across <= width
    assert down <= height
    assert abs(across / width - down / height) <= 1 / min(width, height)


PATCH = 28 * 28


@each(
    ("size", "resized"),
    [
        ((1522, 1022), (1512, 1008)),
        ((1080, 2400), (1092, 2408)),
        ((1080, 1920), (1092, 1932)),
        ((576, 1280), (588, 1288)),
        ((1440, 3120), (1428, 3108)),
        ((14, 2800), (28, 2800)),
        ((42, 70), (224, 364)),
        ((100, 100), (280, 280)),
        ((8000, 8000), (3584, 3584)),
        ((5000, 10000), (2520, 5068)),
    ],
)
def test_smart_resize_rounds_as_the_reference_does(size: tuple[int, int], resized: tuple[int, int]) -> None:
    assert smart_resize(*size, factor=28, least=100 * PATCH, most=16384 * PATCH) == resized


@given(width=st.integers(28, 20000), height=st.integers(28, 20000))
def test_smart_resize_gives_whole_patches_within_the_area(width: int, height: int) -> None:
    across, down = smart_resize(width, height, factor=28, least=100 * PATCH, most=16384 * PATCH)

    assert across % 28 == down % 28 == 0
    assert across * down >= 100 * PATCH
    assert across * down <= 16384 * PATCH or 28 in (across, down)
    assert smart_resize(across, down, factor=28, least=100 * PATCH, most=16384 * PATCH) == (across, down)


@pytest.mark.parametrize("name", ["ui_tars_1_5", "qwen2_5_vl"])
async def test_the_sent_picture_has_exactly_the_size_that_the_family_sees(name: str) -> None:
    resize = registry.get(name).space.resize

    settings = ModelSettings(image_side=1280)
    frame = await ImageEncoder(settings, resize).frame_of(screen(screenshot=png(1080, 2400)))

    assert (frame.width, frame.height) == decoded(frame).size == (588, 1288)
    assert replace(await ImageEncoder(settings, resize).frame_of(screen()), url=frame.url) == frame


async def test_a_picture_is_made_small_enough_for_claude() -> None:
    settings = ModelSettings(image_side=2000)

    frame = await ImageEncoder(settings, registry.get("claude").space.resize).frame_of(
        screen(screenshot=png(2000, 2000))
    )

    assert decoded(frame).size == (1072, 1072)


async def test_the_frame_knows_the_listed_elements() -> None:
    button = element(0, -1, "Button", (0, 0, 1080, 240), text="Search", clickable=True)

    assert (await ImageEncoder(ModelSettings()).frame_of(screen(button))).centres == (Point(0.5, 0.05),)


async def test_a_screenshot_seen_early_is_sent_as_it_would_be_later() -> None:
    shot = png(1080, 2400)
    early, late = ImageEncoder(SETTINGS), ImageEncoder(SETTINGS)

    early.expect(shot)

    assert await early.frame_of(screen(screenshot=shot)) == await late.frame_of(screen(screenshot=shot))


async def test_the_screen_that_is_sent_is_never_an_earlier_one() -> None:
    first, second = png(300, 200), png(200, 300)
    darkroom = ImageEncoder(SETTINGS)

    darkroom.expect(first)
    darkroom.expect(second)
    frame = await darkroom.frame_of(screen(screenshot=second))

    assert (frame.width, frame.height) == (200, 300)
    await darkroom.close()


async def test_a_black_screen_is_not_sent_though_its_picture_was_made() -> None:
    shot = png(1080, 2400)
    darkroom = ImageEncoder(SETTINGS)

    darkroom.expect(shot)

    assert not (await darkroom.frame_of(screen(screenshot=shot, secure=True))).url
    await darkroom.close()
