"""What is drawn of a screenshot, in which way, and how its lines are cut."""

from __future__ import annotations

import base64
import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from assistant.records import Bounds, Element, Point
from assistant.settings.schema import InterfaceSettings, Picture, Settings
from assistant.tui.app import AssistantApp
from assistant.tui.terminal_images import (
    DrawRequest,
    EncodedImage,
    ImageRow,
    ImageStrip,
    draw_image,
    encode_image,
)
from assistant.tui.terminal_probe import ImageSize, ImageTerminal
from tests.tables import each
from tests.tui.scripted import Clock, ScriptedEngine

from .app_fixture import Desk
from .sample_screens import phone_picture
from .test_terminal_image_protocols import decoded


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


CONSOLE = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True)
LINE = Strip([Segment("ab"), Segment("▀" * 5), Segment("yz")])


def letters(start: int, end: int) -> str:
    return "PICTU"[start:end]


@settings(max_examples=30)
@given(st.lists(st.integers(1, 9), unique=True).map(sorted))
def test_pieces_together_show_the_line(cuts: list[int]) -> None:
    strip = ImageStrip(LINE, ImageRow(2, 7, instead=letters))
    pieces = strip.divide([*(cut for cut in cuts if cut < 9), 9])
    assert "".join(piece.render(CONSOLE) for piece in pieces) == "abPICTUyz"
    assert Strip.join(pieces).text == "ab▀▀▀▀▀yz"


@settings(max_examples=30)
@given(st.integers(-2, 11), st.integers(-2, 11), st.integers(0, 9))
def test_a_piece_of_a_piece_shows_its_part(start: int, end: int, more: int) -> None:
    strip = ImageStrip(LINE, ImageRow(2, 7, instead=letters))
    shown = "abPICTUyz"[max(0, start) : max(0, end)]
    piece = strip.crop(start, end)
    assert piece.render(CONSOLE) == shown
    assert piece.crop(more).render(CONSOLE) == shown[more:]


def test_only_what_holds_some_of_the_picture_is_told_of() -> None:
    written: list[str] = []
    strip = ImageStrip(LINE, ImageRow(2, 7, written=lambda: written.append("")))
    assert strip.crop(0, 2).render(CONSOLE) == "ab"
    assert not written
    assert strip.crop(0, 3).render(CONSOLE) == "ab▀"
    assert len(written) == 1
    # What is drawn from cells alone, as a picture of the screen is, does not count.
    assert Strip.join([strip]).render(CONSOLE) == strip.text
    assert len(written) == 1


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


@each("terminal", [KITTY, SIXEL])
@each("point", [Point(0.25, 0.5), Point(0, 0), Point(1, 1)])
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


@each(
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


async def test_without_colours_the_phone_is_shown_in_words_and_never_as_a_picture() -> None:
    shop = Element(0, -1, "android.widget.TextView", Bounds(0, 0, 1080, 200), text="Corner Noodles")
    for way, in_words in ((Picture.AUTO, True), (Picture.BLOCKS, False)):
        engine, clock = ScriptedEngine(Settings(interface=InterfaceSettings(picture=way))), Clock()
        app = AssistantApp(engine, clock, picture_terminal=ImageTerminal(Picture.OFF))
        async with app.run_test(size=(160, 50)) as pilot:
            desk = Desk(app, pilot, engine, clock)
            desk.engine.observe(1, picture=phone_picture(), elements=(shop,))
            await desk.settle()
            assert app.main.picture.display is in_words
            assert ("Corner Noodles" in desk.text) is in_words
            if not in_words:
                await desk.press("f3")
                assert "The phone's screen needs colours" in desk.text
                assert not app.main.picture.display
