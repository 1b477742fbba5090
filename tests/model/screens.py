"""Small screens to ask about."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

from PIL import Image, ImageDraw

from assistant.model.types import StepRequest
from assistant.records import Bounds, Element, ForegroundApp, Observation

EATS = ForegroundApp("com.example.eats", ".Main", "Eats")


@cache
def png(width: int, height: int) -> bytes:
    """A picture with something on it."""
    picture = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(picture).rectangle((0, 0, width // 2, height // 2), fill="navy")
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


def element(
    index: int, parent: int, class_name: str, bounds: tuple[int, int, int, int], **rest: Any
) -> Element:
    """An element of the Android widget classes."""
    return Element(index, parent, f"android.widget.{class_name}", Bounds(*bounds), **rest)


def screen(*elements: Element, screenshot: bytes = b"", secure: bool = False) -> Observation:
    """A phone's screen of 1080 x 2400."""
    return Observation(1080, 2400, screenshot, elements, EATS, secure=secure)


def request(*elements: Element, instruction: str = "order noodles", screenshot: bytes = b"") -> StepRequest:
    """A first step on such a screen."""
    return StepRequest(instruction, screen(*elements, screenshot=screenshot))
