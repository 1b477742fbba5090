"""Illustrations drawn from a seed: the same words always give the same picture."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable
from functools import cache, lru_cache
from random import Random
from zlib import crc32

from PIL import Image, ImageDraw, ImageFilter

from assistant.files import read_words
from assistant.simulator.chance import Chance
from assistant.simulator.ui.icons import icon
from assistant.simulator.ui.text import font
from assistant.simulator.ui.theme import Colour, mix

DETAIL = 360
"""The longer side at which pictures are drawn before they are brought to size."""


@cache
def _subjects() -> dict[str, str]:
    """What a word shows: the name of a kind, or of a pictogram after a colon."""
    content = read_words("assistant.simulator.ui", "pictures.yaml")
    objects = {word: f":{name}" for name, words in content["objects"].items() for word in words}
    return objects | {word: name for name, words in content["kinds"].items() for word in words}


def subject(seed: str) -> str:
    """What a seed's picture shows, by its last known word, or else its first; empty for none."""
    words = [word.removesuffix("s") for word in re.findall("[a-z]+", seed.lower())]
    subjects = _subjects()
    if words and subjects.get(words[0]) in LEADING:
        return subjects[words[0]]
    return next((subjects[word] for word in reversed(words) if word in subjects), "")


@lru_cache(maxsize=96)
def picture(seed: str, width: int, height: int) -> Image.Image:
    """An RGB illustration: what English words of the seed name, else a landscape or shapes."""
    width, height = max(1, width), max(1, height)
    shrink = min(1.0, DETAIL / max(width, height))
    small = max(2, round(width * shrink)), max(2, round(height * shrink))
    random, shown = _random(seed), subject(seed)
    if shown.startswith(":"):
        image = _object(random, *small, shown.removeprefix(":"))
    elif shown == "letter":
        image = _letter(random, *small, seed.partition(" ")[2][:1] or "?")
    else:
        image = KINDS.get(shown, random.choice((_landscape, _bubbles)))(random, *small)
    smooth = Image.Resampling.NEAREST if shown == "qr" else Image.Resampling.BICUBIC
    return image.resize((width, height), smooth)


def _random(seed: str) -> Random:
    return Chance(crc32(seed.encode()))


def _colour(hue: float, lightness: float, saturation: float) -> Colour:
    red, green, blue = colorsys.hls_to_rgb(hue % 1.0, lightness, saturation)
    return round(red * 255), round(green * 255), round(blue * 255)


def gradient(width: int, height: int, top: Colour, bottom: Colour) -> Image.Image:
    """From one colour at the top to another at the bottom."""
    strip = Image.new("RGB", (1, 64))
    for row in range(64):
        strip.putpixel((0, row), mix(top, bottom, row / 63))
    return strip.resize((width, height), Image.Resampling.BILINEAR)


def _landscape(random: Random, width: int, height: int) -> Image.Image:
    hue = random.random()
    image = gradient(width, height, _colour(hue, 0.72, 0.6), _colour(hue + 0.1, 0.86, 0.7))
    pen = ImageDraw.Draw(image)
    x, radius = random.uniform(0.2, 0.8) * width, 0.11 * min(width, height)
    y = random.uniform(0.2, 0.4) * height
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_colour(hue + 0.5, 0.9, 0.8))
    for layer in range(3):
        base, swing = (0.55 + 0.16 * layer) * height, 0.14 * height
        points = [(step * width / 6, base - random.uniform(0, swing)) for step in range(7)]
        pen.polygon(
            [(0, height), *points, (width, height)], fill=_colour(hue + 0.05, 0.55 - 0.12 * layer, 0.45)
        )
    return image


def _bubbles(random: Random, width: int, height: int) -> Image.Image:
    hue = random.random()
    image = gradient(width, height, _colour(hue, 0.45, 0.55), _colour(hue + 0.14, 0.62, 0.6))
    layer = image.copy()
    pen = ImageDraw.Draw(layer)
    for _ in range(7):
        x, y = random.uniform(0, width), random.uniform(0, height)
        radius = random.uniform(0.1, 0.4) * min(width, height)
        pen.ellipse(
            (x - radius, y - radius, x + radius, y + radius),
            fill=_colour(hue + random.uniform(-0.1, 0.3), 0.7, 0.6),
        )
    return Image.blend(image, layer, 0.55)


def _dish(random: Random, width: int, height: int) -> Image.Image:
    hue = random.uniform(0.02, 0.15)
    image = gradient(width, height, _colour(hue + 0.03, 0.87, 0.4), _colour(hue, 0.76, 0.4))
    pen = ImageDraw.Draw(image)
    x, y, plate = width / 2, height / 2, 0.44 * min(width, height)
    for radius, fill in (
        (plate, (252, 252, 250)),
        (plate * 0.82, (236, 236, 232)),
        (plate * 0.76, _colour(hue, 0.5, 0.6)),
    ):
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)
    for _ in range(16):
        dx, dy = random.uniform(-0.5, 0.5) * plate, random.uniform(-0.5, 0.5) * plate
        radius = random.uniform(0.06, 0.17) * plate
        fill = _colour(random.choice((0.02, 0.08, 0.12, 0.3)) + random.uniform(-0.02, 0.02), 0.5, 0.65)
        pen.ellipse((x + dx - radius, y + dy - radius, x + dx + radius, y + dy + radius), fill=fill)
    return image


def _face(random: Random, width: int, height: int) -> Image.Image:
    hue = random.random()
    image = gradient(width, height, _colour(hue, 0.66, 0.5), _colour(hue, 0.52, 0.5))
    pen = ImageDraw.Draw(image)
    x, side = width / 2, min(width, height)
    skin = _colour(random.uniform(0.05, 0.09), random.uniform(0.55, 0.82), 0.5)
    pen.ellipse(
        (x - 0.38 * side, 0.68 * height, x + 0.38 * side, 1.3 * height), fill=_colour(hue + 0.4, 0.4, 0.4)
    )
    pen.ellipse(
        (x - 0.25 * side, 0.12 * height, x + 0.25 * side, 0.6 * height), fill=_colour(hue + 0.07, 0.2, 0.3)
    )
    pen.ellipse((x - 0.2 * side, 0.22 * height, x + 0.2 * side, 0.7 * height), fill=skin)
    return image


def _map(random: Random, width: int, height: int) -> Image.Image:
    image = Image.new("RGB", (width, height), (240, 238, 232))
    pen = ImageDraw.Draw(image)
    for _ in range(5):
        x, y = random.uniform(0, width), random.uniform(0, height)
        size = random.uniform(0.1, 0.25) * width
        pen.rectangle((x, y, x + size, y + size * 0.7), fill=(205, 232, 200))
    y = random.uniform(0.2, 0.7) * height
    river = [(step * width / 5, y + random.uniform(-0.1, 0.1) * height) for step in range(6)]
    pen.line(river, fill=(170, 212, 240), width=max(3, width // 22), joint="curve")
    for number in range(9):
        wide = number % 3 == 0
        stroke, fill = max(2, width // (36 if wide else 70)), (252, 226, 150) if wide else (255, 255, 255)
        start, tilt = random.uniform(0, 1), random.uniform(-0.12, 0.12)
        if number % 2:
            pen.line((0, start * height, width, (start + tilt) * height), fill=fill, width=stroke)
        else:
            pen.line((start * width, 0, (start + tilt) * width, height), fill=fill, width=stroke)
    return image


def _squares(random: Random, width: int, height: int) -> Image.Image:
    count = 25
    cell = max(1, min(width, height) // (count + 2))
    image = Image.new("RGB", (width, height), (255, 255, 255))
    pen = ImageDraw.Draw(image)
    left, top = (width - count * cell) // 2, (height - count * cell) // 2

    def square(x: int, y: int, size: int, fill: Colour) -> None:
        pen.rectangle(
            (left + x * cell, top + y * cell, left + (x + size) * cell - 1, top + (y + size) * cell - 1),
            fill=fill,
        )

    for index in range(count * count):
        if random.random() < 0.48:
            square(index % count, index // count, 1, (20, 20, 24))
    for x, y in ((0, 0), (count - 7, 0), (0, count - 7)):
        square(x, y, 7, (20, 20, 24))
        square(x + 1, y + 1, 5, (255, 255, 255))
        square(x + 2, y + 2, 3, (20, 20, 24))
    return image


def _offer(random: Random, width: int, height: int) -> Image.Image:
    image = gradient(width, height, (255, 94, 58), (255, 180, 60))
    pen = ImageDraw.Draw(image)
    for _ in range(26):
        x, y = random.uniform(0, width), random.uniform(0, height)
        radius = random.uniform(0.01, 0.05) * width
        fill = _colour(random.random(), 0.75, 0.8)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)
    side = 0.24 * min(width, height)
    x, y = width / 2, height / 2
    pen.rounded_rectangle((x - side, y - side * 0.6, x + side, y + side), side / 8, fill=(214, 34, 60))
    pen.rectangle((x - side / 7, y - side * 0.6, x + side / 7, y + side), fill=(255, 220, 120))
    pen.rectangle((x - side * 1.1, y - side * 0.85, x + side * 1.1, y - side * 0.4), fill=(236, 60, 80))
    return image


def _preview(random: Random, width: int, height: int) -> Image.Image:
    image = Image.new("RGB", (width, height), (246, 247, 250))
    pen = ImageDraw.Draw(image)
    hue = random.random()
    pen.rectangle((0, 0, width, height * 0.18), fill=_colour(hue, 0.8, 0.5))
    for row in range(4):
        y = height * (0.28 + 0.18 * row)
        pen.ellipse(
            (width * 0.04, y, width * 0.04 + height * 0.1, y + height * 0.1), fill=_colour(hue, 0.7, 0.4)
        )
        length = random.uniform(0.4, 0.85)
        pen.rectangle(
            (width * 0.15, y + height * 0.02, width * length, y + height * 0.08), fill=(214, 218, 226)
        )
    return image


def _route(random: Random, width: int, height: int) -> Image.Image:
    image = _map(random, width, height)
    pen = ImageDraw.Draw(image)
    points = [
        (width * (0.15 + 0.14 * step), height * (0.8 - 0.12 * step + random.uniform(-0.06, 0.06)))
        for step in range(6)
    ]
    pen.line(points, fill=(38, 99, 222), width=max(3, width // 50), joint="curve")
    for (x, y), fill in ((points[0], (24, 128, 56)), (points[-1], (217, 48, 37))):
        radius = max(3, width // 40)
        pen.ellipse(
            (x - radius, y - radius, x + radius, y + radius), fill=fill, outline=(255, 255, 255), width=2
        )
    return image


def _object(random: Random, width: int, height: int, name: str) -> Image.Image:
    """One thing on a plain ground."""
    hue = random.random()
    image = gradient(width, height, _colour(hue, 0.93, 0.5), _colour(hue, 0.84, 0.5))
    side = round(0.56 * min(width, height))
    place = ((width - side) // 2, (height - side) // 2)
    image.paste(_colour(hue + random.uniform(-0.06, 0.06), 0.36, 0.5), place, icon(name, max(1, side)))
    return image


def _letter(random: Random, width: int, height: int, letter: str) -> Image.Image:
    """An app's icon: its first letter."""
    hue = random.random()
    image = gradient(width, height, _colour(hue, 0.5, 0.65), _colour(hue + 0.08, 0.4, 0.65))
    typeface = font(max(1, round(0.56 * min(width, height))))
    ImageDraw.Draw(image).text(
        (width / 2, height / 2), letter.upper(), font=typeface, fill="white", anchor="mm"
    )
    return image


KINDS: dict[str, Callable[[Random, int, int], Image.Image]] = {
    "face": _face,
    "map": _map,
    "qr": _squares,
    "offer": _offer,
    "preview": _preview,
    "dish": _dish,
    "route": _route,
    "bubbles": _bubbles,
}
LEADING = frozenset({"face", "route", "offer", "preview", "letter", "bubbles"})
"""Kinds that a seed's first word alone decides; the rest of such a seed is a name."""


@lru_cache(maxsize=4)
def wallpaper(width: int, height: int, dark: bool, veiled: bool) -> Image.Image:
    """The picture behind the launcher; `veiled` when a panel of the system lies over it."""
    top, bottom = ((16, 22, 40), (44, 40, 70)) if dark else ((38, 62, 116), (128, 112, 168))
    image = gradient(width // 4, height // 4, top, bottom)
    pen = ImageDraw.Draw(image)
    random = _random("wallpaper")
    for layer in range(3):
        base = (0.6 + 0.13 * layer) * image.height
        points = [
            (step * image.width / 6, base - random.uniform(0, 0.12) * image.height) for step in range(7)
        ]
        fill = mix(bottom, (20, 24, 48), 0.35 + 0.2 * layer)
        pen.polygon([(0, image.height), *points, (image.width, image.height)], fill=fill)
    if veiled:
        image = Image.blend(image, Image.new("RGB", image.size, (18, 22, 34)), 0.72)
        image = image.filter(ImageFilter.GaussianBlur(10))
    return image.resize((width, height), Image.Resampling.BICUBIC)
