"""Screenshots made ready to be sent: scaled down, compressed, and written as a data URL."""

from __future__ import annotations

import asyncio
import base64
import io
from dataclasses import replace

from PIL import Image

from assistant.config import ImageFormat, ModelSettings
from assistant.model.elements import listed
from assistant.model.frame import Frame, Resize, as_it_is, scaled
from assistant.observations import Observation


async def frame_of(observation: Observation, settings: ModelSettings, resize: Resize = as_it_is) -> Frame:
    """The screen as it is sent. A secure screen's black picture, or a broken one, is left out.

    Args:
        observation: the screen.
        settings: the longest side, and how the picture is compressed.
        resize: gives the exact size that is sent, from the size scaled down to the longest side.
    """
    frame = None
    if observation.screenshot and not observation.secure:
        frame = await asyncio.to_thread(encode, observation.screenshot, settings, resize)
    if frame is None:
        size = scaled(observation.width, observation.height, settings.image_side)
        frame = Frame(*resize(*size))
    return replace(frame, centres=tuple(row.centre for row in listed(observation)[0]))


def encode(png: bytes, settings: ModelSettings, resize: Resize = as_it_is) -> Frame | None:
    """Scale and compress a PNG; None when it cannot be decoded."""
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
