"""The screen as it is sent to the model: the space that the model's coordinates live in."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.records import Point

Resize = Callable[[int, int], tuple[int, int]]
"""Width and height of a picture made fit for a family of models."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Width and height of the sent picture in pixels, and the picture as a data URL.

    Without a picture `url` is empty, and the size is what a picture of this screen would have had.
    `centres` are those of the listed elements, the first for number 1.
    """

    width: int
    height: int
    url: str = field(default="", repr=False)
    centres: tuple[Point, ...] = field(default=(), repr=False)


def scaled(width: int, height: int, longest: int) -> tuple[int, int]:
    """The size after scaling the longest side down to `longest`; never enlarged, never below one pixel."""
    side = max(width, height)
    if side <= longest:
        return width, height
    return max(1, round(width * longest / side)), max(1, round(height * longest / side))


def as_it_is(width: int, height: int) -> tuple[int, int]:
    """The same size: for families that take pictures of any size."""
    return width, height


def smart_resize(width: int, height: int, factor: int, least: int, most: int) -> tuple[int, int]:
    """The size in which Qwen's image processor sees a picture (`smart_resize` of qwen-vl-utils).

    Both sides become multiples of `factor`, the area lies between `least` and `most` pixels, the shape stays
    about the same. Halves go to the even multiple, as Python's `round` has it: 1522 x 1022 becomes 1512 x
    1008 with factor 28.
    """
    across, down = (max(factor, round(side / factor) * factor) for side in (width, height))
    if across * down > most:
        shrink = math.sqrt(width * height / most)
        across, down = (max(factor, math.floor(side / shrink / factor) * factor) for side in (width, height))
    elif across * down < least:
        grow = math.sqrt(least / (width * height))
        across, down = (math.ceil(side * grow / factor) * factor for side in (width, height))
    return across, down
