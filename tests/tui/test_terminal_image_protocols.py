"""Images in Kitty graphics and Sixel, read back by decoders that know only the format."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image

from assistant.records import Point
from assistant.settings.schema import Picture
from assistant.tui.terminal_images import (
    MOST_CELLS,
    delete_sequence,
    encode_indexed,
    encode_png,
    encode_sixel,
    open_image,
    placeholders,
    send_sequence,
)
from assistant.tui.terminal_probe import ImageSize, ImageTerminal

from .image_protocols import WiredApp, on_the_wire, pictures
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


_TOKEN = re.compile(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|(\$)|(-)")


def decoded(text: str) -> NDArray[np.int16]:
    """Height by width by 3, red, green, blue in percent; -1 where nothing was painted."""
    head = re.match(r'\x1bP0;1;0q"1;1;(\d+);(\d+)', text)
    assert head is not None
    assert text.endswith("\x1b\\")
    width, height = int(head[1]), int(head[2])
    body = text[head.end() : -2]
    painted = np.full((height + 6, width, 3), -1, dtype=np.int16)
    colours: dict[int, tuple[int, ...]] = {}
    x = y = colour = 0
    for token in _TOKEN.finditer(body):
        defined, red, green, blue, chosen, times, repeated, single, back, down = token.groups()
        if defined:
            colours[int(defined)] = int(red), int(green), int(blue)
        elif chosen:
            colour = int(chosen)
        elif repeated or single:
            count = int(times or 1)
            for bit in range(6):
                if (ord(repeated or single) - 63) >> bit & 1:
                    painted[y + bit, x : x + count] = colours[colour]
            x += count
        elif back:
            x = 0
        elif down:
            x, y = 0, y + 6
    assert "".join(token[0] for token in _TOKEN.finditer(body)) == body
    assert (painted[height:] == -1).all()
    return painted[:height]


@settings(max_examples=30)
@given(arrays(np.uint8, st.tuples(st.integers(1, 14), st.integers(1, 20)), elements=st.integers(0, 4)))
def test_every_pixel_is_painted_in_its_colour(pixels: NDArray[np.uint8]) -> None:
    palette = np.array([(0, 0, 0), (255, 255, 255), (255, 0, 0), (10, 20, 30), (1, 2, 3)], dtype=np.uint8)
    expected = np.rint(palette.astype(float) * 100 / 255).astype(np.int16)[pixels]
    assert (decoded(encode_indexed(pixels, palette)) == expected).all()


@pytest.mark.parametrize("limit", [40_000, 12_000, 7_000])
def test_what_exceeds_the_limit_is_made_coarser_in_the_same_size(limit: int) -> None:
    text = encode_sixel(noise(90, 120), 256, limit)
    assert 0 < len(text) <= limit
    assert decoded(text).shape == (120, 90, 3)
    assert (decoded(text) >= 0).all()


def test_what_exceeds_the_limit_in_any_way_is_not_drawn() -> None:
    assert encode_sixel(noise(90, 120), 256, 500) == ""


def test_no_more_colours_are_used_than_the_terminal_has() -> None:
    assert len(np.unique(decoded(encode_sixel(noise(60, 60), 16, 10**6)).reshape(-1, 3), axis=0)) <= 16


SHOT = phone_picture()


def sent(text: str) -> list[str]:
    return re.findall(r"\x1b_Ga=T[^;]*,i=(\d+),", text)


def deleted(text: str) -> list[str]:
    return re.findall(r"\x1b_Ga=d,d=I,i=(\d+),", text)


async def test_kitty_pictures_are_sent_once_and_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WiredApp(ImageTerminal(Picture.KITTY))
    async with on_the_wire(app, monkeypatch) as wire:
        app.picture.draw_picture(SHOT)
        await wire.until(lambda text: text.count("\U0010eeee") >= 32)
        # The terminal has the picture before it is asked to show it.
        assert wire.written.index("\x1b_Ga=T") < wire.written.index("\U0010eeee")
        app.picture.draw_picture(SHOT)
        await wire.settled()
        first = sent(wire.written)
        assert len(first) == 1
        assert not deleted(wire.written)
        app.picture.draw_picture(SHOT, [Point(0.5, 0.5)])
        await wire.until(deleted)
        assert deleted(wire.written) == first
        assert len(set(sent(wire.written))) == 2
        # In a picture of the screen there are half blocks.
        assert "▀" in app.export_screenshot()
        assert "\U0010eeee" not in app.export_screenshot()

        start = len(wire.written)
        wire.type("\x1bOQ")
        above = await wire.shows("above", start)
        await wire.settled()
        assert "\U0010eeee" not in above
        app.pop_screen()
        await wire.shows("\U0010eeee", len(wire.written))
        wire.type("\x1bOR")
        await wire.until(lambda text: len(deleted(text)) == 2)
        wire.type("\x1bOR")
        await wire.until(lambda text: len(sent(text)) == 3)
    left = wire.written.index("\x1b[?1049l")
    assert sorted(sent(wire.written)) == sorted(deleted(wire.written[:left]))


async def test_sixel_pictures_are_written_where_they_are_seen_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WiredApp(ImageTerminal(Picture.SIXEL))
    async with on_the_wire(app, monkeypatch) as wire:
        app.picture.draw_picture(SHOT)
        await wire.until(pictures)
        # Eight rows of 16 pixels, of 7 columns of 8; the border and the room beside it come before.
        assert '"1;1;56;128' in pictures(wire.written)[0]
        assert pictures(wire.written)[0].startswith("\x1b7\x1b[2;27H")
        app.picture.draw_picture(SHOT)
        await wire.settled()
        assert len(pictures(wire.written)) == 1

        # Under a screen, and under a patch on one corner, there are half blocks.
        for number, (key, shown) in enumerate((("\x1bOQ", "above"), ("\x1bOS", "patch"))):
            before = len(wire.written)
            wire.type(key)
            await wire.shows(shown, before)
            app.picture.draw_picture(SHOT, [Point(0.1, 0.1 * number)])
            await wire.settled()
            assert not pictures(wire.written[before:])
            wire.type("\x1b[24~" if shown == "above" else key)
            await wire.until(pictures, before)
    assert wire.written.rindex("\x1bP") < wire.written.index("\x1b[?1049l")


async def test_half_blocks_need_no_more_than_text(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WiredApp(ImageTerminal())
    async with on_the_wire(app, monkeypatch) as wire:
        app.picture.draw_picture(SHOT, [Point(0.5, 0.5)])
        await wire.until(lambda text: "▀" in text and "◎" in text)
    assert "\x1b_G" not in wire.written
    assert "\x1bP" not in wire.written
