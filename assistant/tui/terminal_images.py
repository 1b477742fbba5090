"""Draws images in the terminal: as half blocks, in Kitty's graphics protocol, or as Sixel.

An image is fitted into cells, encoded in the format that the terminal supports, and shown as `ImageStrip`s.
Textual cuts, joins, tints and exports them as cells in half blocks; only what is written to the terminal
passes through `render`. So whatever covers an image hides it, and a screenshot of the interface shows half
blocks.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, UnidentifiedImageError
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from assistant.records import Point
from assistant.settings.schema import Picture
from assistant.tui.terminal_probe import ImageSize, ImageTerminal

_RED, _WHITE, _CLEAR = "#c01c28", "#ffffff", (0, 0, 0, 0)
_RINGS = ((0.0, _WHITE), (0.05, _RED), (0.15, _WHITE), (0.19, _CLEAR), (0.4, _WHITE), (0.43, _RED))
"""Discs from the outermost in: the part of the mark's width at which each begins, and its colour."""
_MARK_SCALE = 3
"""Factor by which a mark is drawn larger before it is shrunk, for smooth edges."""


TWICE_AS_HIGH = ImageSize(1, 2)
"""The aspect ratio of a cell whose size is not known."""


def open_image(picture: bytes) -> Image.Image | None:
    """The image of an image file; None if the bytes cannot be read completely as an image."""
    try:
        with Image.open(io.BytesIO(picture)) as image:
            return image.convert("RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
        return None


def fit_image(size: tuple[int, int], room: ImageSize, cell: ImageSize = TWICE_AS_HIGH) -> ImageSize:
    """The most whole cells of `room` that an image fills, keeping its aspect ratio as closely as cells allow.

    Args:
        size: the image, in pixels.
        room: in cells, at least one in each direction.
        cell: in pixels, or only its aspect ratio.
    """
    scale = min(room.width * cell.width / size[0], room.height * cell.height / size[1])
    return ImageSize(
        max(1, min(room.width, round(size[0] * scale / cell.width))),
        max(1, min(room.height, round(size[1] * scale) // cell.height)),
    )


def resize_image(image: Image.Image, width: int, height: int) -> Image.Image:
    """The image resized to a size in pixels."""
    return image.resize((width, height), Image.Resampling.BOX, reducing_gap=2.0)


def mark_points(image: Image.Image, marks: Sequence[Point]) -> Image.Image:
    """The image with a ring and a dot around each point, easy to see."""
    if not marks:
        return image
    radius = max(4, image.width // 14)
    side = 2 * radius + 1
    whole = side * _MARK_SCALE
    stamp = Image.new("RGBA", (whole, whole))
    pen = ImageDraw.Draw(stamp)
    for inset, colour in _RINGS:
        edge = inset * whole
        pen.ellipse((edge, edge, whole - 1 - edge, whole - 1 - edge), fill=colour)
    small = stamp.resize((side, side), Image.Resampling.LANCZOS)
    result = image.copy()
    for point in marks:
        x, y = round(point.x * (image.width - 1)), round(point.y * (image.height - 1))
        result.paste(small, (x - radius, y - radius), small)
    return result


_HALF_BLOCK = "▀"
_MARK = "◎"
_MARK_STYLE = Style(color="#ffffff", bgcolor="#c01c28", bold=True)

Pixel = tuple[int, int, int]


def draw_image(picture: bytes, columns: int, rows: int, marks: Sequence[Point] = ()) -> list[Strip]:
    """Shrink an image file to fit `columns` by `rows` cells, keeping its aspect ratio, and mark points.

    Returns:
        At most `rows` strips of equal width; none without room, or if the bytes are not an image.
    """
    image = open_image(picture) if columns > 1 and rows > 0 else None
    return (
        draw_half_blocks(image, fit_image(image.size, ImageSize(columns, rows)), marks)
        if image is not None
        else []
    )


def draw_half_blocks(image: Image.Image, cells: ImageSize, marks: Sequence[Point] = ()) -> list[Strip]:
    """An image shrunk to a number of cells, with points marked on it."""
    width = cells.width
    data = resize_image(image, width, cells.height * 2).tobytes()
    pixels = [(data[i], data[i + 1], data[i + 2]) for i in range(0, len(data), 3)]
    marked_cells = {_cell_of_point(point, width, cells.height) for point in marks}
    return [
        _half_block_strip(
            pixels[y * width : (y + 1) * width],
            pixels[(y + 1) * width : (y + 2) * width],
            y // 2,
            marked_cells,
        )
        for y in range(0, cells.height * 2, 2)
    ]


def _cell_of_point(point: Point, columns: int, rows: int) -> tuple[int, int]:
    return min(columns - 1, int(point.x * columns)), min(rows - 1, int(point.y * rows))


def _half_block_strip(
    upper: Sequence[Pixel], lower: Sequence[Pixel], row: int, marks: set[tuple[int, int]]
) -> Strip:
    cells = [
        (_MARK, _MARK_STYLE) if (column, row) in marks else (_HALF_BLOCK, _half_block_style(*pair))
        for column, pair in enumerate(zip(upper, lower, strict=True))
    ]
    segments = [
        Segment(character * len(list(run)), style)
        for (character, style), run in groupby(cells, lambda cell: cell)
    ]
    return Strip(segments, len(upper))


@lru_cache(maxsize=4096)
def _half_block_style(upper: Pixel, lower: Pixel) -> Style:
    return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))


_CHUNK_LENGTH = 4096
_PLACEHOLDER = "\U0010eeee"
_FEW_COLOURS = 4096
"""An image with more colours is reduced to 256, which compress much faster."""
_SHRINK_FACTOR = 0.75
_MIN_WIDTH = 80

_NUMBER_CODES = """
    305 30d 30e 310 312 33d 33e 33f 346 34a 34b 34c 350 351 352 357 35b 363 364 365 366 367 368 369 36a
    36b 36c 36d 36e 36f 483 484 485 486 487 592 593 594 595 597 598 599 59c 59d 59e 59f 5a0 5a1 5a8 5a9
    5ab 5ac 5af 5c4 610 611 612 613 614 615 616 617 657 658 659 65a 65b 65d 65e 6d6 6d7 6d8 6d9 6da 6db
    6dc 6df 6e0 6e1 6e2 6e4 6e7 6e8 6eb 6ec 730 732 733 735 736 73a 73d 73f 740 741 743 745 747 749 74a
    7eb 7ec 7ed 7ee 7ef 7f0 7f1 7f3 816 817 818 819 81b 81c 81d 81e 81f 820 821 822 823 825 826 827 829
    82a 82b 82c 82d 951 953 954 f82 f83 f86 f87 135d 135e 135f 17dd 193a 1a17 1a75 1a76 1a77 1a78 1a79
    1a7a 1a7b 1a7c 1b6b 1b6d 1b6e 1b6f 1b70 1b71 1b72 1b73 1cd0 1cd1 1cd2 1cda 1cdb 1ce0 1dc0 1dc1 1dc3
    1dc4 1dc5 1dc6 1dc7 1dc8 1dc9 1dcb 1dcc 1dd1 1dd2 1dd3 1dd4 1dd5 1dd6 1dd7 1dd8 1dd9 1dda 1ddb 1ddc
    1ddd 1dde 1ddf 1de0 1de1 1de2 1de3 1de4 1de5 1de6 1dfe 20d0 20d1 20d4 20d5 20d6 20d7 20db 20dc 20e1
    20e7 20e9 20f0 2cef 2cf0 2cf1 2de0 2de1 2de2 2de3 2de4 2de5 2de6 2de7 2de8 2de9 2dea 2deb 2dec 2ded
    2dee 2def 2df0 2df1 2df2 2df3 2df4 2df5 2df6 2df7 2df8 2df9 2dfa 2dfb 2dfc 2dfd 2dfe 2dff a66f a67c
    a67d a6f0 a6f1 a8e0 a8e1 a8e2 a8e3 a8e4 a8e5 a8e6 a8e7 a8e8 a8e9 a8ea a8eb a8ec a8ed a8ee a8ef a8f0
    a8f1 aab0 aab2 aab3 aab7 aab8 aabe aabf aac1 fe20 fe21 fe22 fe23 fe24 fe25 fe26 10a0f 10a38 1d185
    1d186 1d187 1d188 1d189 1d1aa 1d1ab 1d1ac 1d1ad 1d242 1d243 1d244
"""
"""The combining characters that encode 0, 1, 2, …, in the protocol's order."""
_NUMBER_CHARACTERS = "".join(chr(int(code, 16)) for code in _NUMBER_CODES.split())

MOST_CELLS = len(_NUMBER_CHARACTERS)
"""The most rows and columns of an image in Kitty's protocol."""


def encode_png(image: Image.Image, limit: int) -> str:
    """An image as PNG in Base64; reduces colours, then size, until it fits the limit.

    Returns:
        The text; empty if even a small image exceeds the limit.
    """
    if image.getcolors(_FEW_COLOURS) is not None and len(text := _png_as_base64(image)) <= limit:
        return text
    while True:
        text = _png_as_base64(image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))
        if len(text) <= limit:
            return text
        if image.width < _MIN_WIDTH:
            return ""
        image = resize_image(
            image, round(image.width * _SHRINK_FACTOR), max(1, round(image.height * _SHRINK_FACTOR))
        )


def _png_as_base64(image: Image.Image) -> str:
    file = io.BytesIO()
    image.save(file, "PNG")
    return base64.standard_b64encode(file.getvalue()).decode("ascii")


def send_sequence(number: int, text: str, cells: ImageSize) -> str:
    """The Kitty escape sequence that sends an image, to be drawn over a number of cells; it is not answered.

    The terminal draws the image wherever its placeholders are, so it moves, is clipped and is covered like
    text. Format: https://sw.kovidgoyal.net/kitty/graphics-protocol/, "Unicode placeholders".

    Args:
        number: the image's number, 1 to 0xFFFFFF.
        text: a PNG in Base64.
        cells: at most `MOST_CELLS` each way.
    """
    chunks = [text[start : start + _CHUNK_LENGTH] for start in range(0, len(text), _CHUNK_LENGTH)]
    keys = f"a=T,U=1,q=2,f=100,i={number},c={cells.width},r={cells.height},"
    return "".join(
        f"\x1b_G{keys if index == 0 else 'q=2,'}m={int(index < len(chunks) - 1)};{chunk}\x1b\\"
        for index, chunk in enumerate(chunks)
    )


def delete_sequence(number: int) -> str:
    """The escape sequence that deletes an image from the terminal."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def placeholders(number: int, row: int, start: int, end: int) -> str:
    """The text that displays the columns `start` to `end` of one row of an image."""
    cells = "".join(
        _PLACEHOLDER + _NUMBER_CHARACTERS[row] + _NUMBER_CHARACTERS[column] for column in range(start, end)
    )
    return f"\x1b[38;2;{number >> 16 & 255};{number >> 8 & 255};{number & 255}m{cells}\x1b[39m"


_BAND_HEIGHT = 6
_FIRST_SIXEL = ord("?")
_MAX_COLOURS = 256
_SHORT_RUN = 3
"""Runs up to this length are written out; a repeat count would be no shorter."""

_QUALITY_STEPS = ((256, 1), (64, 1), (32, 1), (32, 2), (16, 3))
"""Number of colours, and how many pixels in each direction are merged; best quality first."""


def encode_sixel(image: Image.Image, colours: int, limit: int) -> str:
    """An image as one Sixel escape sequence; quality is reduced until it fits the limit.

    Sixel: bands of six lines, each with one row of characters per colour. Format: DEC STD 070, chapter 9;
    raster attributes and colour numbers as in the VT340 programmer's manual.

    Args:
        image: RGB.
        colours: the most colours that the terminal can show at once.
        limit: the most characters; each is one byte.

    Returns:
        The sequence; empty if even the lowest quality exceeds the limit.
    """
    for fewer, grain in _QUALITY_STEPS:
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
    """An image with a palette as one Sixel escape sequence.

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
    return f'\x1bP0;1;0q"1;1;{width};{height}{registers}{_encode_bands(pixels)}\x1b\\'


def _encode_bands(pixels: NDArray[np.uint8]) -> str:
    height, width = pixels.shape
    # One row of characters per colour of each band: `key` selects the row, `rows` holds six bits a column.
    key = (np.arange(height) // _BAND_HEIGHT)[:, None] * _MAX_COLOURS + pixels
    keys, index = _distinct_values(key, -(-height // _BAND_HEIGHT) * _MAX_COLOURS)
    rows = np.zeros((len(keys), width), dtype=np.uint8)
    column = np.arange(width)[None, :]
    for bit in range(_BAND_HEIGHT):
        # Among every sixth line, no two pixels share a row and column, so no write overlaps another.
        rows[index[key[bit::_BAND_HEIGHT]], column] |= 1 << bit
    return _join_rows(rows, (keys // _MAX_COLOURS).tolist(), (keys % _MAX_COLOURS).tolist())


def _join_rows(rows: NDArray[np.uint8], bands: list[int], colours: list[int]) -> str:
    count, width = rows.shape
    begins = np.ones((count, width), dtype=bool)
    begins[:, 1:] = rows[:, 1:] != rows[:, :-1]
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, count * width))
    values = rows.reshape(-1)[starts]
    kind = values.astype(np.intp) * (width + 1) + lengths
    kinds, index = _distinct_values(kind, (1 << _BAND_HEIGHT) * (width + 1))
    texts = np.array([_encode_run(*divmod(run_key, width + 1)) for run_key in kinds.tolist()], dtype=object)[
        index[kind]
    ]
    texts[(values == 0) & ((starts + lengths) % width == 0)] = ""
    heads = [
        ("" if number == 0 else "$" if bands[number - 1] == bands[number] else "-") + f"#{colours[number]}"
        for number in range(count)
    ]
    first = np.flatnonzero(starts % width == 0)
    texts[first] = np.array(heads, dtype=object) + texts[first]
    return "".join(texts.tolist())


def _distinct_values(values: NDArray[np.intp], end: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The distinct values below `end`, and for each value its index among them."""
    present = np.zeros(end, dtype=bool)
    present[values] = True
    different = np.flatnonzero(present)
    index = np.zeros(end, dtype=np.intp)
    index[different] = np.arange(len(different))
    return different, index


def _encode_run(value: int, length: int) -> str:
    character = chr(_FIRST_SIXEL + value)
    return character * length if length <= _SHORT_RUN else f"!{length}{character}"


_DEFAULT_CELL = ImageSize(10, 20)
"""Cell size assumed for a terminal that scales images itself and need not report it."""


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """What to draw, and how.

    Args:
        shot: an image file; empty for none.
        marks: points to mark on it.
        room: available size, in cells.
        terminal: how it draws images.
    """

    shot: bytes
    marks: tuple[Point, ...]
    room: ImageSize
    terminal: ImageTerminal


@dataclass(frozen=True, slots=True)
class EncodedImage:
    """An encoded image, ready to be shown.

    Args:
        strips: the image in half blocks; none without an image or without room.
        way: the format used.
        data: for `KITTY` a PNG in Base64, for `SIXEL` the sequence, otherwise empty.
    """

    strips: tuple[Strip, ...] = ()
    way: Picture = Picture.BLOCKS
    data: str = ""

    @property
    def cells(self) -> ImageSize:
        """The size in cells."""
        return ImageSize(self.strips[0].cell_length if self.strips else 0, len(self.strips))


def encode_image(request: DrawRequest) -> EncodedImage:
    """Encode an image; in half blocks where the requested format does not fit."""
    image = open_image(request.shot) if request.room.width > 1 and request.room.height > 0 else None
    if image is None:
        return EncodedImage()
    terminal = request.terminal
    cell = terminal.cell or (_DEFAULT_CELL if terminal.way is Picture.KITTY else TWICE_AS_HIGH)
    cells = fit_image(image.size, _limit_room(request.room, terminal, cell), cell)
    strips = tuple(draw_half_blocks(image, cells, request.marks))
    data = ""
    if terminal.way in (Picture.KITTY, Picture.SIXEL):
        small = resize_image(image, cells.width * cell.width, cells.height * cell.height)
        data = _encode_data(mark_points(small, request.marks), cells, terminal)
    return EncodedImage(strips, terminal.way if data else Picture.BLOCKS, data)


def _limit_room(room: ImageSize, terminal: ImageTerminal, cell: ImageSize) -> ImageSize:
    largest = terminal.largest
    if terminal.way is not Picture.SIXEL or largest is None:
        return room
    return ImageSize(
        max(1, min(room.width, largest.width // cell.width)),
        max(1, min(room.height, largest.height // cell.height)),
    )


def _encode_data(image: Image.Image, cells: ImageSize, terminal: ImageTerminal) -> str:
    if terminal.way is Picture.KITTY:
        fits = max(cells.width, cells.height) <= MOST_CELLS
        return encode_png(image, terminal.limit) if fits else ""
    return encode_sixel(image, terminal.colours, terminal.limit) if terminal.cell is not None else ""


@dataclass(frozen=True, slots=True)
class ImageRow:
    """Where the image lies in a line, and what happens when the line is written.

    Args:
        left: the first column of the picture.
        right: the column after its last one.
        instead: returns the text for some columns of the image, counted from its left; None for half blocks.
        written: called when part of the line was written.
    """

    left: int
    right: int
    instead: Callable[[int, int], str] | None = None
    written: Callable[[], None] | None = None


class ImageStrip(Strip):
    """A line, or part of one, that contains a row of an image.

    Args:
        strip: the cells, with the row in half blocks.
        row: the row.
        start: the column of the line at which the first cell lies.
    """

    __slots__ = ("_row", "_start")

    def __init__(self, strip: Strip, row: ImageRow, start: int = 0) -> None:
        super().__init__(strip, strip.cell_length)
        self._row = row
        self._start = start

    def render(self, console: Console) -> str:
        """The text for the terminal."""
        row, length = self._row, self.cell_length
        left = min(max(row.left - self._start, 0), length)
        right = min(max(row.right - self._start, 0), length)
        if left >= right:
            return super().render(console)
        if row.written is not None:
            row.written()
        if row.instead is None:
            return super().render(console)
        first = self._start + left - row.left
        instead = row.instead(first, first + right - left)
        return "".join((self._cells(0, left, console), instead, self._cells(right, length, console)))

    def _cells(self, start: int, end: int, console: Console) -> str:
        return super().crop(start, end).render(console) if start < end else ""

    def crop(self, start: int, end: int | None = None) -> Strip:
        """A part of the line, with its part of the image."""
        piece = super().crop(start, end)
        return piece if piece is self else ImageStrip(piece, self._row, self._start + max(0, start))

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """The parts between cuts, each with its part of the image."""
        pieces: list[Strip] = []
        start = self._start
        for piece in super().divide(cuts):
            pieces.append(piece if piece is self else ImageStrip(piece, self._row, start))
            start += piece.cell_length
        return pieces
