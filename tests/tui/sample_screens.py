"""Pictures of a phone that does not exist."""

from __future__ import annotations

import io
from functools import cache

from PIL import Image, ImageDraw


@cache
def phone_picture(width: int = 270, height: int = 600) -> bytes:
    """A list of four cards below a coloured bar, as a PNG."""
    image = Image.new("RGB", (width, height), "#f4f4f6")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, height // 9), fill="#2f6f4f")
    for row in range(4):
        top = height // 7 + row * height // 5
        draw.rounded_rectangle(
            (12, top, width - 12, top + height // 6), 10, fill="#ffffff", outline="#d0d0d8"
        )
        draw.rectangle((24, top + 14, 84, top + 74), fill=("#c9a36a", "#a5553f", "#5f7f9f", "#7c6a9c")[row])
        draw.rectangle((100, top + 20, width - 40, top + 32), fill="#50505a")
        draw.rectangle((100, top + 46, width - 90, top + 54), fill="#a0a0aa")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


@cache
def pay_button(width: int = 640, height: int = 256) -> bytes:
    """The lower end of a page with one green button, as a PNG."""
    image = Image.new("RGB", (width, height), "#f4f4f6")
    draw = ImageDraw.Draw(image)
    draw.rectangle((40, 30, 300, 50), fill="#50505a")
    draw.rounded_rectangle((40, 90, width - 40, 190), 20, fill="#2f6f4f")
    draw.rectangle((240, 130, 400, 150), fill="#ffffff")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
