from __future__ import annotations

import io

import pytest
from PIL import Image
from rich.style import Style

from assistant.records import Point
from assistant.tui.terminal_images import draw_image

from .sample_screens import phone_picture


def two_colours(width: int = 100, height: int = 200) -> bytes:
    image = Image.new("RGB", (width, height), "#ff0000")
    image.paste("#0000ff", (0, height // 2, width, height))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def test_a_picture_fits_and_keeps_its_shape() -> None:
    strips = draw_image(phone_picture(270, 600), 42, 40)
    assert len(strips) == 40
    assert {strip.cell_length for strip in strips} == {36}
    landscape = draw_image(phone_picture(600, 270), 42, 40)
    assert {strip.cell_length for strip in landscape} == {42}
    assert len(landscape) == 9


def test_upper_and_lower_halves_have_the_pixels_colours() -> None:
    top, bottom = draw_image(two_colours(2, 4), 2, 2)
    styles = [segment.style for strip in (top, bottom) for segment in strip]
    assert styles == [Style(color="#ff0000", bgcolor="#ff0000"), Style(color="#0000ff", bgcolor="#0000ff")]


@pytest.mark.parametrize("point", [Point(0, 0), Point(1, 1), Point(0.5, 0.25)])
def test_a_mark_stands_where_the_point_is(point: Point) -> None:
    strips = draw_image(two_colours(), 20, 20, [point])
    rows = [strip.text for strip in strips]
    row = next(index for index, text in enumerate(rows) if "◎" in text)
    assert row == min(len(rows) - 1, int(point.y * len(rows)))
    assert rows[row].index("◎") == min(len(rows[row]) - 1, int(point.x * len(rows[row])))


@pytest.mark.parametrize("picture", [b"", b"GIF89a", phone_picture()[:300]])
def test_what_is_no_picture_draws_nothing(picture: bytes) -> None:
    assert draw_image(picture, 20, 20) == []


def test_no_room_draws_nothing() -> None:
    assert draw_image(two_colours(), 1, 0) == []
