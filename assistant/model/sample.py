"""A sample screen with a button at a known place, to see where a model would tap."""

from __future__ import annotations

import io
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from assistant.records import Bounds, Element, ForegroundApp, Observation

WIDTH, HEIGHT = 1080, 2400

BUTTON = "Continue"
"""The button to tap. It lies off the middle, so that coordinates read in a wrong scale miss it."""

INSTRUCTION = f"Tap the button “{BUTTON}”."

_TITLE = ("Sample screen", Bounds(60, 150, 700, 240))
_TEXT = ("This screen is not on your phone. It shows where the model would tap.", Bounds(60, 290, 1020, 350))
_BUTTONS = {
    "Details": Bounds(60, 520, 500, 660),
    "Help": Bounds(580, 900, 1020, 1040),
    "Change": Bounds(60, 1280, 500, 1420),
    BUTTON: Bounds(620, 1840, 1020, 1980),
    "Cancel": Bounds(60, 2140, 460, 2280),
}
_PACKAGE = "com.example.sample"
_PAPER, _INK, _PLAIN, _STRONG = "#f4f4f6", "#20242c", "#dfe3ea", "#2456b8"


@cache
def sample_screen() -> Observation:
    """The screen as an observation: a PNG, and the elements as a phone would list them."""
    texts = [
        Element(index, 0, "android.widget.TextView", bounds, text=words, package=_PACKAGE)
        for index, (words, bounds) in enumerate((_TITLE, _TEXT), start=1)
    ]
    buttons = [
        Element(index, 0, "android.widget.Button", bounds, text=words, package=_PACKAGE, clickable=True)
        for index, (words, bounds) in enumerate(_BUTTONS.items(), start=3)
    ]
    root = Element(0, -1, "android.widget.FrameLayout", Bounds(0, 0, WIDTH, HEIGHT), package=_PACKAGE)
    return Observation(
        WIDTH,
        HEIGHT,
        _draw(),
        (root, *texts, *buttons),
        ForegroundApp(_PACKAGE, ".Main", "Sample"),
    )


def button_bounds() -> Bounds:
    """Where the button to tap lies, in pixels of the screen."""
    return _BUTTONS[BUTTON]


def _draw() -> bytes:
    picture = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(picture)
    pen.text((_TITLE[1].left, _TITLE[1].top), _TITLE[0], _INK, ImageFont.load_default(72))
    pen.text((_TEXT[1].left, _TEXT[1].top), _TEXT[0], _INK, ImageFont.load_default(28))
    for words, bounds in _BUTTONS.items():
        meant = words == BUTTON
        pen.rounded_rectangle(bounds, 28, _STRONG if meant else _PLAIN)
        pen.text(bounds.centre, words, _PAPER if meant else _INK, ImageFont.load_default(56), "mm")
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()
