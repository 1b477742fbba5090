"""Coordinate spaces: what the numbers of a family of models count."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from assistant.model.dialects.base import MalformedReply
from assistant.model.frame import Frame, Resize, as_it_is, smart_resize
from assistant.records import Point


@dataclass(frozen=True, slots=True)
class Space:
    """How a family counts.

    `units` is the largest coordinate on both axes; 0 stands for pixels of the sent picture. `yx` writes y
    before x. `decimals` are kept when a coordinate is written. `resize` gives the size that a picture must
    have when it is sent.
    """

    units: int = 0
    yx: bool = False
    decimals: int = 0
    resize: Resize = as_it_is

    def size(self, frame: Frame) -> tuple[int, int]:
        """The largest x and y. A picture that was not sent in the family's size counts as if it had been."""
        return (self.units, self.units) if self.units else self.resize(frame.width, frame.height)

    def place(self, point: Point, frame: Frame) -> tuple[float, float]:
        """A point's coordinates, in the family's order."""
        width, height = self.size(frame)
        x, y = self._rounded(point.x * width), self._rounded(point.y * height)
        return (y, x) if self.yx else (x, y)

    def point(self, first: float, second: float, frame: Frame) -> Point:
        """The point of two coordinates in the family's order; a unit outside is forgiven.

        Raises:
            MalformedReply: coordinates that lie outside, count something else, or are no numbers.
        """
        x, y = (second, first) if self.yx else (first, second)
        width, height = self.size(frame)
        if not (math.isfinite(x) and math.isfinite(y)):
            raise MalformedReply("The coordinates are not numbers.")
        if not self.decimals and (x % 1 or y % 1) and 0 <= x <= 1 and 0 <= y <= 1:
            raise MalformedReply(f"Coordinates go to {width} and {height}; they are no fractions of one.")
        slack = 10**-self.decimals
        if not (-slack <= x <= width + slack and -slack <= y <= height + slack):
            raise MalformedReply(
                f"The coordinates ({x:g}, {y:g}) lie outside: x goes from 0 to {width}, y from 0 to {height}."
            )
        return Point(min(1.0, max(0.0, x / width)), min(1.0, max(0.0, y / height)))

    def _rounded(self, value: float) -> float:
        return round(value, self.decimals) if self.decimals else round(value)


THOUSANDTHS = Space(1000)
"""0..1000, the corner included."""

UNIT = Space(1, decimals=3)
"""Fractions of the picture."""

PIXELS = Space()
"""Pixels of the picture as it is."""


def patches(factor: int, least: int, most: int) -> Space:
    """Pixels of the picture in Qwen's size, multiples of `factor`; areas in pixels."""
    return Space(resize=partial(smart_resize, factor=factor, least=least, most=most))
