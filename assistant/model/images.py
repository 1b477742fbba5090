"""Screenshots made ready to be sent: scaled down, compressed, and written as a data URL."""

from __future__ import annotations

import base64
import io

from PIL import Image

from assistant.model.frame import Frame, Resize, as_it_is, scaled
from assistant.settings.schema import ImageFormat, ModelSettings


def encode(png: bytes, settings: ModelSettings, resize: Resize = as_it_is) -> Frame | None:
    """Scale and compress a PNG; None when it cannot be decoded. Slow: not for the event loop.

    Args:
        png: the screenshot.
        settings: the longest side, and how the picture is compressed.
        resize: gives the exact size that is sent, from the size scaled down to the longest side.
    """
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as opened:
            picture = opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
    size = resize(*scaled(picture.width, picture.height, settings.image_side))
    if size != picture.size:
        # Far closer to Lanczos than what the compression changes, in half the time.
        picture = picture.resize(size, Image.Resampling.HAMMING)
    data = io.BytesIO()
    if settings.image_format is ImageFormat.PNG:
        picture.save(data, "PNG")
    else:
        picture.save(data, settings.image_format.value.upper(), quality=settings.image_quality)
    text = base64.b64encode(data.getvalue()).decode("ascii")
    return Frame(*size, url=f"data:image/{settings.image_format.value};base64,{text}")
