"""A picture to draw on, with smooth corners, cached text and clipping."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from PIL import Image, ImageDraw

from assistant.records import Bounds
from assistant.simulator.ui.icons import icon
from assistant.simulator.ui.layout import intersection
from assistant.simulator.ui.text import DRAWN, bold_stroke, font, line_height, line_width
from assistant.simulator.ui.theme import Colour

OVERSAMPLING = 4


@lru_cache(maxsize=256)
def corner(radius: int, width: int = 0) -> Image.Image:
    """The upper left quarter of a disc as a mask, or of a ring of a width."""
    side = radius * 2 * OVERSAMPLING
    mask = Image.new("L", (side, side), 0)
    pen = ImageDraw.Draw(mask)
    if width:
        pen.ellipse((0, 0, side - 1, side - 1), outline=255, width=width * OVERSAMPLING)
    else:
        pen.ellipse((0, 0, side - 1, side - 1), fill=255)
    return mask.crop((0, 0, side // 2, side // 2)).reduce(OVERSAMPLING)


@lru_cache(maxsize=64)
def rounded_mask(width: int, height: int, radius: int) -> Image.Image:
    """A rectangle with round corners as a mask."""
    mask = Image.new("L", (width, height), 255)
    quarter = corner(radius)
    mask.paste(quarter, (0, 0))
    mask.paste(quarter.transpose(Image.Transpose.FLIP_LEFT_RIGHT), (width - radius, 0))
    mask.paste(quarter.transpose(Image.Transpose.FLIP_TOP_BOTTOM), (0, height - radius))
    mask.paste(quarter.transpose(Image.Transpose.ROTATE_180), (width - radius, height - radius))
    return mask


@lru_cache(maxsize=3000)
def line_mask(text: str, size: int, bold: bool) -> Image.Image:
    """A line of text as a mask, a line's height high. Bold is struck twice."""
    width = int(line_width(text, size, bold)) + size // 2 + 2
    height = line_height(size)
    mask = Image.new("L", (max(1, width), height), 0)
    pen = ImageDraw.Draw(mask)
    baseline = round(height / 2 + size * 0.36)
    if bold:
        for shift in (0.0, bold_stroke(size), 2 * bold_stroke(size)):
            layer = Image.new("L", mask.size, 0)
            ImageDraw.Draw(layer).text((shift, baseline), text, font=font(size), fill=255, anchor="ls")
            mask.paste(255, (0, 0), layer)
    else:
        pen.text((0, baseline), text, font=font(size), fill=255, anchor="ls")
    return mask


class Canvas:
    """Draws in the screen's coordinates on an opaque RGBA image that may show only a part of the screen."""

    def __init__(self, image: Image.Image, origin: tuple[int, int] = (0, 0)) -> None:
        self.image = image
        self._pen = ImageDraw.Draw(image)
        self._left, self._top = origin

    def _moved(self, box: Bounds) -> tuple[int, int, int, int]:
        return box.left - self._left, box.top - self._top, box.right - self._left, box.bottom - self._top

    @contextmanager
    def clipped(self, box: Bounds) -> Iterator[Canvas]:
        """A canvas whose drawing appears only inside a rectangle."""
        part = self._moved(box)
        inner = Canvas(self.image.crop(part), (box.left, box.top))
        yield inner
        self.image.paste(inner.image, part[:2])

    def fill(self, box: Bounds, colour: Colour, radius: int = 0) -> None:
        """A filled rectangle with round corners."""
        left, top, right, bottom = self._moved(box)
        if right <= left or bottom <= top:
            return
        radius = min(radius, (right - left) // 2, (bottom - top) // 2)
        if radius < 2:
            self._pen.rectangle((left, top, right - 1, bottom - 1), fill=colour)
            return
        self._block(left + radius, top, right - radius, bottom, colour)
        self._block(left, top + radius, right, bottom - radius, colour)
        self._corners(box, colour, radius, 0)

    def outline(self, box: Bounds, colour: Colour, radius: int, width: int) -> None:
        """A rectangle's border with round corners, inside its edge."""
        left, top, right, bottom = self._moved(box)
        if right - left < 2 * width or bottom - top < 2 * width:
            return
        radius = min(radius, (right - left) // 2, (bottom - top) // 2)
        if radius < 2:
            self._pen.rectangle((left, top, right - 1, bottom - 1), outline=colour, width=width)
            return
        self._block(left + radius, top, right - radius, top + width, colour)
        self._block(left + radius, bottom - width, right - radius, bottom, colour)
        self._block(left, top + radius, left + width, bottom - radius, colour)
        self._block(right - width, top + radius, right, bottom - radius, colour)
        self._corners(box, colour, radius, width)

    def _block(self, left: int, top: int, right: int, bottom: int, colour: Colour) -> None:
        if right > left and bottom > top:
            self._pen.rectangle((left, top, right - 1, bottom - 1), fill=colour)

    def _corners(self, box: Bounds, colour: Colour, radius: int, width: int) -> None:
        left, top, right, bottom = self._moved(box)
        quarter = corner(radius, width)
        turned = Image.Transpose
        self.image.paste(colour, (left, top), quarter)
        self.image.paste(colour, (right - radius, top), quarter.transpose(turned.FLIP_LEFT_RIGHT))
        self.image.paste(colour, (left, bottom - radius), quarter.transpose(turned.FLIP_TOP_BOTTOM))
        self.image.paste(colour, (right - radius, bottom - radius), quarter.transpose(turned.ROTATE_180))

    def picture(self, picture: Image.Image, box: Bounds, radius: int = 0) -> None:
        """A picture of the rectangle's size."""
        left, top, right, bottom = self._moved(box)
        radius = min(radius, (right - left) // 2, (bottom - top) // 2)
        if radius < 2:
            self.image.paste(picture, (left, top))
        else:
            self.image.paste(picture, (left, top), rounded_mask(right - left, bottom - top, radius))

    def icon(self, name: str, left: int, top: int, side: int, colour: Colour) -> None:
        """A pictogram."""
        self.image.paste(colour, (left - self._left, top - self._top), icon(name, side))

    def text(self, line: str, left: int, top: int, size: int, colour: Colour, *, bold: bool = False) -> None:
        """One line of text; `top` is the upper edge of the line."""
        if line in DRAWN:
            self.icon(DRAWN[line], left, top + (line_height(size) - size) // 2, size, colour)
        elif line.strip():
            self.image.paste(colour, (left - self._left, top - self._top), line_mask(line, size, bold))

    def arc(self, box: Bounds, start: float, end: float, colour: Colour, width: int) -> None:
        """Part of a circle's outline, smooth."""
        side = min(box.width, box.height)
        mask = Image.new("L", (side * 2, side * 2), 0)
        ImageDraw.Draw(mask).arc((0, 0, side * 2 - 1, side * 2 - 1), start, end, fill=255, width=width * 2)
        left, top, _, _ = self._moved(box)
        self.image.paste(colour, (left, top), mask.reduce(2))

    def dim(self, share: float) -> None:
        """Darken everything drawn so far."""
        kept = round(256 * (1 - share))
        darker = [value * kept // 256 for value in range(256)]
        self.image.paste(self.image.point([*darker, *darker, *darker, *range(256)]))

    def sees(self, box: Bounds) -> bool:
        """Whether any of a rectangle lies on this canvas."""
        whole = Bounds(self._left, self._top, self._left + self.image.width, self._top + self.image.height)
        return intersection(whole, box).area > 0
