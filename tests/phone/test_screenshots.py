"""Screenshots: complete or not, the same or moved, black or merely dark."""

from __future__ import annotations

import gzip
import io
import struct
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from assistant.phone.pictures import (
    NotAPicture,
    blackened,
    decode_grey,
    find_png,
    is_secure,
    only_restless_differs,
    picture_size,
    unmoved,
    unpack_picture,
)
from assistant.records import Bounds
from tests.phone.scripted import png
from tests.tables import each


@cache
def drawn(*boxes: tuple[tuple[int, int, int, int], str], background: str = "white") -> bytes:
    image = Image.new("RGBA", (1080, 2400), background)
    pen = ImageDraw.Draw(image)
    for box, colour in boxes:
        pen.rectangle(box, fill=colour)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def test_a_picture_among_other_words() -> None:
    picture = png(12, 34)
    assert find_png(b"[Warning] Multiple displays were found\n" + picture + b"\n") == picture
    assert picture_size(picture) == (12, 34)


@each("printed", [b"", b"Failed", png(9, 9)[:-6], b"\x89PNG\r\n\x1a\n" + b"IEND\xaeB`\x82"])
def test_what_is_no_picture(printed: bytes) -> None:
    with pytest.raises(NotAPicture):
        find_png(printed)


@given(st.binary(max_size=100), st.integers(0, 400))
def test_no_bytes_break_the_decoder(noise: bytes, at: int) -> None:
    picture = png(20, 20)
    damaged = picture[:at] + noise + picture[at + len(noise) :]
    try:
        decode_grey(find_png(damaged))
    except NotAPicture:
        return


def packed(
    picture: Image.Image, kind: int = 1, *, more: bytes = b"\0\0\0\0", before: bytes = b"", cut: int = 0
) -> bytes:
    """What `screencap | gzip -1` prints; `more` is the colour space, which Android 9 brought."""
    if kind == 4:
        red, green, blue = np.moveaxis(np.asarray(picture.convert("RGB")).astype(np.uint16), 2, 0)
        pixels = ((red >> 3 << 11) | (green >> 2 << 5) | blue >> 3).astype("<u2").tobytes()
    else:
        pixels = picture.convert("RGBA").tobytes()
    raw = before + struct.pack("<3I", *picture.size, kind) + more + pixels
    return gzip.compress(raw[: len(raw) - cut], 1)


PANELS = b"[Warning] Multiple displays were found\nA display ID can be specified\n"


@each("kind", [1, 2, 4])
@each("more", [b"", b"\x01\0\0\0"])
@each("before", [b"", PANELS])
def test_packed_pixels_are_the_picture(kind: int, more: bytes, before: bytes) -> None:
    screen = drawn(((100, 300, 500, 700), "#d04020"), background="#e8f0ff")
    picture = Image.open(io.BytesIO(screen)).reduce(4)
    taken, words = unpack_picture(packed(picture, kind, more=more, before=before))
    assert (picture_size(taken), words) == (picture.size, before)
    shown = Image.open(io.BytesIO(taken)).convert("RGB")
    assert shown.getpixel((75, 125)) == pytest.approx((0xD0, 0x40, 0x20), abs=6)
    assert shown.getpixel((225, 500)) == pytest.approx((0xE8, 0xF0, 0xFF), abs=6)


def test_packed_pixels_show_the_same_screen_as_a_png() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 200, 3), np.uint8)
    picture = Image.fromarray(noise).resize((1080, 2400))
    png_picture = io.BytesIO()
    picture.save(png_picture, "PNG", compress_level=1)
    taken = unpack_picture(packed(picture))[0]
    assert only_restless_differs(png_picture.getvalue(), [taken])
    assert len(taken) < len(png_picture.getvalue())


def test_a_jpeg_is_compared_by_the_means_of_its_cells() -> None:
    noise = np.random.default_rng(2).integers(0, 256, (300, 135, 3), np.uint8)
    picture = Image.fromarray(noise).resize((1080, 2400))
    before, after = io.BytesIO(), io.BytesIO()
    picture.save(before, "JPEG", quality=80)
    picture.save(after, "PNG", compress_level=1)
    assert only_restless_differs(before.getvalue(), [after.getvalue()])
    assert not unmoved(before.getvalue(), before.getvalue()[:20_000])


def test_what_may_be_a_page_that_forbids_screenshots_stays_exact() -> None:
    page = drawn(((0, 0, 1080, 100), "white"), ((0, 2280, 1080, 2400), "#3060a0"), background="black")
    taken = unpack_picture(packed(Image.open(io.BytesIO(page))))[0]
    assert np.array_equal(decode_grey(taken), decode_grey(page))
    assert is_secure(taken, (), 1080, 2400)


NO_PIXELS: dict[str, Callable[[], bytes]] = {
    "nothing": bytes,
    "no gzip on the phone": lambda: b"/system/bin/sh: gzip: not found\n",
    "cut off when packed": lambda: packed(Image.new("RGB", (20, 30)))[:-9],
    "cut off before that": lambda: packed(Image.new("RGB", (20, 30)), cut=1),
    "an unknown format": lambda: packed(Image.new("RGB", (20, 30)), 22),
    "nothing packed": lambda: gzip.compress(b""),
    "words": lambda: gzip.compress(b"Capturing failed.\n" * 9),
    "no size": lambda: gzip.compress(struct.pack("<4I", 0, 0, 1, 0)),
    "an absurd size": lambda: gzip.compress(struct.pack("<4I", 1 << 31, 1 << 31, 1, 0) + bytes(64)),
    "a bomb": lambda: gzip.compress(bytes((1 << 26) + 1), 1),
}


@each("case", NO_PIXELS)
def test_what_are_no_packed_pixels(case: str) -> None:
    with pytest.raises(NotAPicture):
        unpack_picture(NO_PIXELS[case]())


@given(st.binary(max_size=60), st.integers(0, 200))
def test_no_bytes_break_the_unpacker(noise: bytes, at: int) -> None:
    whole = packed(Image.new("RGB", (20, 30), "white"))
    for damaged in (whole[:at] + noise + whole[at + len(noise) :], gzip.compress(noise)):
        try:
            assert picture_size(unpack_picture(damaged)[0]) == (20, 30)
        except NotAPicture:
            continue


def test_grey_of_a_picture() -> None:
    assert decode_grey(png(4, 3, "black")).shape == (3, 4)
    assert np.all(decode_grey(png(4, 3)) == 255)


def test_the_clock_does_not_move_the_screen() -> None:
    assert unmoved(drawn(), drawn(((60, 20, 200, 100), "black")))


def test_a_blinking_cursor_does_not_move_the_screen() -> None:
    assert unmoved(drawn(), drawn(((300, 900, 303, 960), "black")))


def test_a_typed_letter_moves_the_screen() -> None:
    assert not unmoved(drawn(), drawn(((300, 900, 335, 945), "black")))


_CURSOR = (300, 900, 303, 960)
_DIGIT = (60, 1200, 74, 1222)


def test_a_digit_is_another_screen_where_only_pictures_tell() -> None:
    before, after = drawn(), drawn((_DIGIT, "black"))
    assert only_restless_differs(before, [before, before, before])
    assert unmoved(before, after)  # No more than a cursor does.
    assert not only_restless_differs(before, [after, after, after])
    assert not only_restless_differs(before, [before, b"", before])
    assert not only_restless_differs(png(100, 200), [png(200, 100)])


def test_what_moves_by_itself_may_differ_if_it_is_little() -> None:
    shown, hidden = drawn((_CURSOR, "black")), drawn()
    assert only_restless_differs(shown, [hidden, shown, hidden])
    assert only_restless_differs(hidden, [hidden, hidden, shown])
    exchanged = drawn((_CURSOR, "black"), (_DIGIT, "black"))
    assert not only_restless_differs(shown, [exchanged, drawn((_DIGIT, "black")), exchanged])
    large = drawn(((100, 500, 400, 900), "black"))
    assert not only_restless_differs(hidden, [hidden, large, hidden])


SIZES = [(360, 800), (480, 1067), (720, 1600), (1080, 2400)]
_ON_SCREEN = Bounds(60, 2100, 1020, 2240)


def checkout(size: tuple[int, int], words: str, *, clock: str = "12:41", cursor: bool = False) -> bytes:
    """A page with a field and a button, as large on each screen."""
    scale = min(size) / 1080
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)

    def write(left: float, top: float, text: str, colour: str, height: float = 42) -> None:
        pen.text((left * scale, top * scale), text, colour, ImageFont.load_default(round(height * scale)))

    write(60, 28, clock, "black", 36)
    write(60, 240, "Your order", "black", 60)
    if cursor:
        pen.rectangle([edge * scale for edge in (300, 900, 303, 960)], "black")
    pen.rectangle([edge * scale for edge in _ON_SCREEN], "#2060d0")
    write(400, 2145, words, "white")
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=1)
    return data.getvalue()


@each("size", SIZES)
@each("words", ["Pay ¥9,999", "Continue"])
def test_other_words_on_a_button_move_the_screen_on_phones_of_any_size(
    size: tuple[int, int], words: str
) -> None:
    assert not unmoved(checkout(size, "Pay ¥1"), checkout(size, words))


@each("size", SIZES)
def test_a_clock_and_a_cursor_move_no_screen_of_any_size(size: tuple[int, int]) -> None:
    before, after = checkout(size, "Pay ¥1"), checkout(size, "Pay ¥1", clock="12:42", cursor=True)
    assert unmoved(before, after)
    assert unmoved(before, after, _ON_SCREEN, 1080)
    assert only_restless_differs(before, [after, before, after])


@each("size", SIZES)
def test_a_digit_counts_where_the_touch_goes(size: tuple[int, int]) -> None:
    before, after = checkout(size, "Pay ¥1"), checkout(size, "Pay ¥7")
    assert not unmoved(before, after, _ON_SCREEN, 1080)
    assert unmoved(before, after, Bounds(60, 240, 1020, 340), 1080)


@each(
    ("size", "button"),
    [
        ((1080, 2400), Bounds(60, 66, 1020, 130)),
        ((2400, 1080), Bounds(60, 20, 1020, 130)),
        ((1600, 2560), Bounds(60, 40, 1540, 136)),
    ],
)
def test_a_touch_at_the_height_of_a_status_bar_goes_to_what_was_seen(
    size: tuple[int, int], button: Bounds
) -> None:
    send, delete = (written(size, button, words) for words in ("Send to Ann", "Delete all"))
    assert unmoved(send, delete)  # A clock may change there.
    assert not unmoved(send, delete, button, size[0])


def written(size: tuple[int, int], at: Bounds, words: str) -> bytes:
    """A page with nothing but words."""
    image, data = Image.new("RGB", size, "white"), io.BytesIO()
    ImageDraw.Draw(image).text((at.left + 20, at.bottom - 54), words, "black", ImageFont.load_default(40))
    image.save(data, "PNG", compress_level=1)
    return data.getvalue()


@each("size", SIZES)
def test_a_jpeg_of_any_size_shows_what_the_png_does(size: tuple[int, int]) -> None:
    taken, jpeg = checkout(size, "Continue"), io.BytesIO()
    Image.open(io.BytesIO(taken)).save(jpeg, "JPEG", quality=80)
    assert only_restless_differs(taken, [jpeg.getvalue()])
    assert not unmoved(checkout(size, "Pay ¥1"), jpeg.getvalue())


def test_another_rotation_is_another_screen() -> None:
    assert not unmoved(png(100, 200), png(200, 100))


def test_an_unreadable_picture_has_moved() -> None:
    assert not unmoved(png(), b"")


TEXTS = [Bounds(100, 400, 600, 460), Bounds(100, 600, 600, 660), Bounds(100, 800, 600, 860)]


def test_a_forbidden_page_is_black_where_text_should_be() -> None:
    assert blackened(drawn(((0, 0, 1080, 90), "white"), background="black"), TEXTS)


def test_a_dark_page_shows_its_text() -> None:
    letters = [((b.left, b.top, b.left + 40, b.bottom), "#303030") for b in TEXTS]
    assert not blackened(drawn(*letters, background="black"), TEXTS)


def test_without_text_nothing_is_known() -> None:
    assert not blackened(drawn(background="black"), [])


def test_without_text_a_forbidden_page_is_black_but_for_bars_and_keyboard() -> None:
    bars = (((0, 0, 1080, 80), "white"), ((0, 2290, 1080, 2400), "white"))
    keyboard = ((0, 1500, 1080, 2400), "grey")
    assert is_secure(drawn(*bars, background="black"), (), 1080, 2400)
    assert not is_secure(drawn(*bars, keyboard, background="black"), (), 1080, 2400)
    assert is_secure(drawn(*bars, keyboard, background="black"), (), 1080, 2400, keyboard_shown=True)
    assert not is_secure(drawn(((500, 900, 540, 930), "#303030"), background="black"), (), 1080, 2400)


def test_regions_follow_the_size_of_the_picture() -> None:
    picture = Image.new("L", (540, 1200), 0)
    picture.paste(255, (0, 500, 540, 1200))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    assert blackened(buffer.getvalue(), TEXTS, 0.5)
    assert not blackened(buffer.getvalue(), [Bounds(0, 1100, 100, 1200)], 0.5)
