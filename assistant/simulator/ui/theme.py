"""Colours of the light and the dark theme, and how an app's own colours follow them."""

from __future__ import annotations

import colorsys
import re
from dataclasses import dataclass
from functools import lru_cache

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours that a window uses where a node names none."""

    dark: bool
    window: Colour
    surface: Colour
    field: Colour
    tonal: Colour
    text: Colour
    line: Colour
    accent: Colour


LIGHT = Theme(
    dark=False,
    window=(247, 248, 251),
    surface=(255, 255, 255),
    field=(233, 236, 242),
    tonal=(214, 226, 252),
    text=(27, 29, 34),
    line=(214, 218, 226),
    accent=(38, 99, 222),
)
DARK = Theme(
    dark=True,
    window=(18, 19, 23),
    surface=(28, 30, 35),
    field=(44, 47, 55),
    tonal=(44, 62, 103),
    text=(232, 234, 240),
    line=(60, 64, 74),
    accent=(138, 177, 255),
)


@lru_cache(maxsize=512)
def rgb(colour: str) -> Colour:
    """`#rrggbb` or `#rgb` as three numbers. Raises `ValueError` for anything else."""
    digits = colour.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    if not re.fullmatch("[0-9a-fA-F]{6}", digits):
        raise ValueError(f"not a colour: {colour!r}")
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


def luminance(colour: Colour) -> float:
    """Perceived brightness in 0..1."""
    red, green, blue = colour
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """A colour between two; `share` is how much of the other it has."""
    return (
        round(first[0] + (second[0] - first[0]) * share),
        round(first[1] + (second[1] - first[1]) * share),
        round(first[2] + (second[2] - first[2]) * share),
    )


def ink_on(background: Colour) -> Colour:
    """The text colour that reads well on a background."""
    return LIGHT.text if luminance(background) > 0.55 else DARK.text


@lru_cache(maxsize=1024)
def adapted(colour: Colour, dark: bool) -> Colour:
    """An app's surface colour in a theme: on dark, light greys and pastels darken; strong colours stay."""
    if not dark:
        return colour
    hue, lightness, saturation = colorsys.rgb_to_hls(*(part / 255 for part in colour))
    chroma = (max(colour) - min(colour)) / 255
    if chroma > 0.25 or lightness < 0.5:
        return colour
    flipped = 0.13 + 0.5 * (1 - lightness)
    red, green, blue = colorsys.hls_to_rgb(hue, flipped, min(saturation, 0.35))
    return round(red * 255), round(green * 255), round(blue * 255)
