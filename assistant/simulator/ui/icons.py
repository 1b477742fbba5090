"""Pictograms drawn from a table of simple shapes on a 24 by 24 grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import cos, pi, sin

from PIL import Image, ImageDraw

from assistant.files import read_words
from assistant.simulator.ui.text import font

GRID = 24
STROKE = 2.0
OVERSAMPLING = 4


@dataclass(frozen=True, slots=True)
class Table:
    """The pictograms' shapes by name, and other names for them."""

    shapes: Mapping[str, str]
    aliases: Mapping[str, str]

    def find(self, name: str) -> str | None:
        """The shapes of a pictogram, None for an unknown one."""
        return self.shapes.get(self.aliases.get(name, name))


@cache
def table() -> Table:
    """The table that comes with the package."""
    content = read_words("assistant.simulator.ui", "icons.yaml")
    aliases = {alias: name for name, others in content["aliases"].items() for alias in others}
    return Table(content["shapes"], aliases)


class Pen:
    """Draws shapes of the grid on an oversampled mask; erases while `value` is 0."""

    def __init__(self, side: int) -> None:
        self.mask = Image.new("L", (side * OVERSAMPLING, side * OVERSAMPLING), 0)
        self.value = 255
        self._unit = side * OVERSAMPLING / GRID
        self._pen = ImageDraw.Draw(self.mask)

    def _at(self, *numbers: float) -> list[float]:
        return [number * self._unit for number in numbers]

    def _stroke(self) -> int:
        return max(1, round(STROKE * self._unit))

    def disc(self, x: float, y: float, radius: float) -> None:
        """A filled circle."""
        self._pen.ellipse(self._at(x - radius, y - radius, x + radius, y + radius), fill=self.value)

    def ring(self, x: float, y: float, radius: float) -> None:
        """A circle's outline; the radius is the stroke's middle."""
        outer = radius + STROKE / 2
        box = self._at(x - outer, y - outer, x + outer, y + outer)
        self._pen.ellipse(box, outline=self.value, width=self._stroke())

    def oval(self, left: float, top: float, right: float, bottom: float) -> None:
        """An ellipse's outline."""
        self._pen.ellipse(self._at(left, top, right, bottom), outline=self.value, width=self._stroke())

    def arc(self, x: float, y: float, radius: float, start: float, end: float) -> None:
        """Part of a circle's outline, clockwise in degrees from the right."""
        outer = radius + STROKE / 2
        box = self._at(x - outer, y - outer, x + outer, y + outer)
        self._pen.arc(box, start, end, fill=self.value, width=self._stroke())

    def arcw(self, x: float, y: float, radius: float, start: float, end: float, width: float) -> None:
        """An arc with a width of its own."""
        outer = radius + width / 2
        box = self._at(x - outer, y - outer, x + outer, y + outer)
        self._pen.arc(box, start, end, fill=self.value, width=round(width * self._unit))

    def half(self, x: float, y: float, radius: float, start: float, end: float) -> None:
        """A filled part of a circle between two angles."""
        self._pen.chord(self._at(x - radius, y - radius, x + radius, y + radius), start, end, fill=self.value)

    def line(self, *numbers: float) -> None:
        """A stroke through points, with round ends."""
        points = self._at(*numbers)
        self._pen.line(points, fill=self.value, width=self._stroke(), joint="curve")
        for x, y in (numbers[:2], numbers[-2:]):
            self.disc(x, y, STROKE / 2)

    def area(self, *numbers: float) -> None:
        """A filled polygon."""
        self._pen.polygon(self._at(*numbers), fill=self.value)

    def box(self, left: float, top: float, right: float, bottom: float, radius: float) -> None:
        """A filled rectangle."""
        self._pen.rounded_rectangle(self._at(left, top, right, bottom), radius * self._unit, fill=self.value)

    def frame(self, left: float, top: float, right: float, bottom: float, radius: float) -> None:
        """A rectangle's outline."""
        box = self._at(left, top, right, bottom)
        self._pen.rounded_rectangle(box, radius * self._unit, outline=self.value, width=self._stroke())

    def rays(self, x: float, y: float, inner: float, outer: float, count: float) -> None:
        """Strokes away from a point."""
        for step in range(int(count)):
            dx, dy = _turned(step / count)
            self.line(x + inner * dx, y + inner * dy, x + outer * dx, y + outer * dy)

    def gear(self, x: float, y: float, outer: float, inner: float) -> None:
        """A disc with eight teeth."""
        self.disc(x, y, inner)
        for step in range(8):
            (ax, ay), (bx, by) = _turned((step - 0.28) / 8), _turned((step + 0.28) / 8)
            (cx, cy), (dx, dy) = _turned((step + 0.18) / 8), _turned((step - 0.18) / 8)
            self.area(
                *(x + inner * 0.95 * ax, y + inner * 0.95 * ay, x + inner * 0.95 * bx, y + inner * 0.95 * by),
                *(x + outer * cx, y + outer * cy, x + outer * dx, y + outer * dy),
            )


def _turned(share: float) -> tuple[float, float]:
    """The direction after a share of a full turn."""
    return cos(2 * pi * share), sin(2 * pi * share)


@lru_cache(maxsize=512)
def icon(name: str, side: int) -> Image.Image:
    """A pictogram as a mask of `side` by `side` pixels; an unknown name gives its first letter on a disc."""
    pen = Pen(max(1, side))
    shapes = table().find(name)
    if shapes is None:
        pen.disc(12, 12, 11)
        _letter(pen, name[:1].upper() or "?", side)
    else:
        for shape in filter(None, map(str.strip, shapes.split(";"))):
            word, *numbers = shape.split()
            pen.value = 0 if word.startswith("-") else 255
            draw: Callable[..., None] = getattr(pen, word.removeprefix("-"))
            draw(*map(float, numbers))
    return pen.mask.reduce(OVERSAMPLING)


def _letter(pen: Pen, letter: str, side: int) -> None:
    middle = side * OVERSAMPLING / 2
    typeface = font(round(side * OVERSAMPLING * 0.6))
    ImageDraw.Draw(pen.mask).text((middle, middle), letter, font=typeface, fill=0, anchor="mm")
