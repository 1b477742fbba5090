"""Encodes images as Sixel: bands of six lines, each with one row of characters per colour.

Format: DEC STD 070, chapter 9; raster attributes and colour numbers as in the VT340 programmer's manual.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from assistant.tui.pictures.pixels import resize_image

_BAND = 6
_FIRST = ord("?")
_COLOURS = 256
_SHORT = 3
"""Runs up to this length are written out; a repeat count would be no shorter."""

_STEPS = ((256, 1), (64, 1), (32, 1), (32, 2), (16, 3))
"""Number of colours, and how many pixels in each direction are merged; best quality first."""


def encode_sixel(image: Image.Image, colours: int, limit: int) -> str:
    """An image as one escape sequence; quality is reduced until it fits the limit.

    Args:
        image: RGB.
        colours: the most colours that the terminal can show at once.
        limit: the most characters; each is one byte.

    Returns:
        The sequence; empty if even the lowest quality exceeds the limit.
    """
    for fewer, grain in _STEPS:
        coarse = (
            resize_image(image, -(-image.width // grain), -(-image.height // grain)) if grain > 1 else image
        )
        reduced = coarse.quantize(min(fewer, colours), Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        whole = reduced.resize(image.size, Image.Resampling.NEAREST) if grain > 1 else reduced
        text = encode_indexed(np.asarray(whole, dtype=np.uint8), _palette(reduced))
        if len(text) <= limit:
            return text
    return ""


def _palette(image: Image.Image) -> NDArray[np.uint8]:
    return np.array(image.getpalette() or [], dtype=np.uint8).reshape(-1, 3)


def encode_indexed(pixels: NDArray[np.uint8], palette: NDArray[np.uint8]) -> str:
    """An indexed image as one escape sequence.

    Args:
        pixels: height by width, colour indices.
        palette: colours by 3, red, green, blue up to 255.
    """
    height, width = pixels.shape
    used = np.unique(pixels)
    levels = np.rint(palette[used].astype(float) * 100 / 255).astype(int)
    registers = "".join(
        f"#{number};2;{red};{green};{blue}"
        for number, (red, green, blue) in zip(used.tolist(), levels.tolist(), strict=True)
    )
    # The second parameter keeps unpainted pixels unchanged; the raster attributes declare square pixels.
    return f'\x1bP0;1;0q"1;1;{width};{height}{registers}{_bands(pixels)}\x1b\\'


def _bands(pixels: NDArray[np.uint8]) -> str:
    height, width = pixels.shape
    # One row of characters per colour of each band: `key` selects the row, `rows` holds six bits a column.
    key = (np.arange(height) // _BAND)[:, None] * _COLOURS + pixels
    keys, place = _numbered(key, -(-height // _BAND) * _COLOURS)
    rows = np.zeros((len(keys), width), dtype=np.uint8)
    column = np.arange(width)[None, :]
    for bit in range(_BAND):
        # Among every sixth line, no two pixels share a row and column, so no write overlaps another.
        rows[place[key[bit::_BAND]], column] |= 1 << bit
    return _joined(rows, (keys // _COLOURS).tolist(), (keys % _COLOURS).tolist())


def _joined(rows: NDArray[np.uint8], bands: list[int], colours: list[int]) -> str:
    count, width = rows.shape
    begins = np.ones((count, width), dtype=bool)
    begins[:, 1:] = rows[:, 1:] != rows[:, :-1]
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, count * width))
    values = rows.reshape(-1)[starts]
    kind = values.astype(np.intp) * (width + 1) + lengths
    kinds, place = _numbered(kind, (1 << _BAND) * (width + 1))
    texts = np.array([_run(*divmod(run_key, width + 1)) for run_key in kinds.tolist()], dtype=object)[
        place[kind]
    ]
    texts[(values == 0) & ((starts + lengths) % width == 0)] = ""
    heads = [
        ("" if number == 0 else "$" if bands[number - 1] == bands[number] else "-") + f"#{colours[number]}"
        for number in range(count)
    ]
    first = np.flatnonzero(starts % width == 0)
    texts[first] = np.array(heads, dtype=object) + texts[first]
    return "".join(texts.tolist())


def _numbered(values: NDArray[np.intp], end: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The distinct values below `end`, and for each value its index among them."""
    present = np.zeros(end, dtype=bool)
    present[values] = True
    different = np.flatnonzero(present)
    place = np.zeros(end, dtype=np.intp)
    place[different] = np.arange(len(different))
    return different, place


def _run(value: int, length: int) -> str:
    character = chr(_FIRST + value)
    return character * length if length <= _SHORT else f"!{length}{character}"
