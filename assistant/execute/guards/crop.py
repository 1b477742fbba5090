"""The piece of the screen around an element, as an approval shows it."""

from __future__ import annotations

import io

from PIL import Image, UnidentifiedImageError

from assistant.records import Bounds, Observation

_MARGIN = 0.06
_LEAST_HEIGHT = 0.18
_WIDTH = 640


def crop_around(seen: Observation, bounds: Bounds | None) -> bytes:
    """A PNG of the full width of the screen around an element. Decodes a picture: slow.

    Empty where the screen forbids pictures, gave none, or no element is known.
    """
    if bounds is None or seen.secure or not seen.screenshot:
        return b""
    try:
        with Image.open(io.BytesIO(seen.screenshot)) as picture:
            scale = picture.width / seen.width
            top, bottom = _span(bounds, seen.height)
            piece = picture.convert("RGB").crop((0, round(top * scale), picture.width, round(bottom * scale)))
    except (UnidentifiedImageError, OSError, ValueError):
        return b""
    if piece.width > _WIDTH:
        piece = piece.resize((_WIDTH, max(1, round(piece.height * _WIDTH / piece.width))))
    out = io.BytesIO()
    piece.save(out, "PNG")
    return out.getvalue()


def _span(bounds: Bounds, height: int) -> tuple[float, float]:
    """Upper and lower edge: the element with a margin, and not lower than is good to look at."""
    margin = max(_MARGIN * height, (_LEAST_HEIGHT * height - bounds.height) / 2)
    top = max(0.0, bounds.top - margin)
    bottom = min(float(height), bounds.bottom + margin)
    return (top, bottom) if bottom - top >= 1 else (0.0, float(height))
