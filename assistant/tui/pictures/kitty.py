"""Pictures in Kitty's graphics protocol, placed by placeholder characters.

The terminal draws an image wherever its placeholders stand, so it moves, is clipped and is covered like
text. Format: https://sw.kovidgoyal.net/kitty/graphics-protocol/, "Unicode placeholders".
"""

from __future__ import annotations

import base64
import io

from PIL import Image

from assistant.tui.pictures.box import Box
from assistant.tui.pictures.pixels import resize_image

_CHUNK = 4096
_PLACEHOLDER = "\U0010eeee"
_FEW_COLOURS = 4096
"""An image with more colours is reduced to 256, which compress much faster."""
_SMALLER = 0.75
_LEAST_WIDTH = 80

_CODES = """
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
_NUMBERS = "".join(chr(int(code, 16)) for code in _CODES.split())

MOST_CELLS = len(_NUMBERS)
"""The most rows and columns of a picture."""


def encode_png(image: Image.Image, limit: int) -> str:
    """An image as PNG in Base64; reduces colours, then size, until it fits the limit.

    Returns:
        The text; empty if even a small image exceeds the limit.
    """
    if image.getcolors(_FEW_COLOURS) is not None and len(text := _in_base64(image)) <= limit:
        return text
    while True:
        text = _in_base64(image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))
        if len(text) <= limit:
            return text
        if image.width < _LEAST_WIDTH:
            return ""
        image = resize_image(image, round(image.width * _SMALLER), max(1, round(image.height * _SMALLER)))


def _in_base64(image: Image.Image) -> str:
    file = io.BytesIO()
    image.save(file, "PNG")
    return base64.standard_b64encode(file.getvalue()).decode("ascii")


def send_sequence(number: int, text: str, cells: Box) -> str:
    """The escape sequence that sends an image, to be drawn over a number of cells; it is not answered.

    Args:
        number: the image's number, 1 to 0xFFFFFF.
        text: a PNG in Base64.
        cells: at most `MOST_CELLS` each way.
    """
    chunks = [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK)]
    keys = f"a=T,U=1,q=2,f=100,i={number},c={cells.width},r={cells.height},"
    return "".join(
        f"\x1b_G{keys if place == 0 else 'q=2,'}m={int(place < len(chunks) - 1)};{chunk}\x1b\\"
        for place, chunk in enumerate(chunks)
    )


def delete_sequence(number: int) -> str:
    """The escape sequence that deletes an image from the terminal."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def placeholders(number: int, row: int, start: int, end: int) -> str:
    """The text that displays the columns `start` to `end` of one row of an image."""
    cells = "".join(_PLACEHOLDER + _NUMBERS[row] + _NUMBERS[column] for column in range(start, end))
    return f"\x1b[38;2;{number >> 16 & 255};{number >> 8 & 255};{number & 255}m{cells}\x1b[39m"
