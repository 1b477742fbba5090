"""The screen as a picture."""

from __future__ import annotations

from PIL import Image

from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.window import Window


def black(screen: Screen) -> Image.Image:
    """What a secure window or a sleeping screen gives."""
    return Image.new("RGBA", (screen.width, screen.height), (0, 0, 0, 255))


def frame(desk: Desk, screen: Screen, windows: list[Window], toast: str, turning: int) -> Image.Image:
    """All windows over each other."""
    return Image.new("RGBA", (screen.width, screen.height), (240, 240, 240, 255))
