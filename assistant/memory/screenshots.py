"""Pictures of screens, kept small and for the user alone."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from urllib.parse import quote

from PIL import Image

_WIDTH = 540
_QUALITY = 70
_LONGEST_NAME, _SHOWN = 150, 100


def safe_name(text: str) -> str:
    """Any text as the name of one file or folder, never of another place; the same for the same text."""
    name = quote(text, safe=" @+-_,", errors="surrogatepass")
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_SHOWN]}-{hashlib.blake2b(name.encode(), digest_size=12).hexdigest()}"
    return name if name.strip(".") else name.replace(".", "%2E")


def file_name(turn_id: str, step: int) -> str:
    """The name of the picture of what was seen before a step."""
    return f"{safe_name(turn_id)}-{step:03}.jpg"


def keep(file: Path, jpeg: bytes) -> None:
    """Write a picture for the user alone.

    Raises:
        OSError: the file cannot be written.
    """
    file.touch(mode=0o600)
    file.write_bytes(jpeg)


def smaller(picture: bytes) -> bytes:
    """A picture as a JPEG of at most 540 pixels in width.

    Raises:
        OSError: it is no picture that can be read.
        Image.DecompressionBombError: it is far too large.
    """
    with Image.open(io.BytesIO(picture)) as image:
        small = image.convert("RGB")
    if (times := small.width // _WIDTH) > 1:
        # Ten times as quick as resampling, and this is done for every step.
        small = small.reduce(times)
    small.thumbnail((_WIDTH, _WIDTH * 4))
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()
