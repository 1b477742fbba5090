"""Sixel pictures, read back by a decoder that knows only the format."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image

from assistant.tui.terminal_images import encode_indexed, encode_sixel

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


def noise(width: int, height: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 255, (height, width, 3), dtype=np.uint8))


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
