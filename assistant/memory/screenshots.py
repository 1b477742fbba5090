"""Pictures of screens, kept small and for the user alone."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

_WIDTH = 540
_QUALITY = 70


def keep(file: Path, picture: bytes) -> None:
    """Write a picture as a JPEG, made smaller.

    Raises:
        OSError: it is no picture that can be read, or the file cannot be written.
        Image.DecompressionBombError: it is far too large.
    """
    small = smaller(picture)
    file.touch(mode=0o600)
    file.write_bytes(small)


def smaller(picture: bytes) -> bytes:
    """A picture as a JPEG of at most 540 pixels in width."""
    with Image.open(io.BytesIO(picture)) as image:
        small = image.convert("RGB")
    if (times := small.width // _WIDTH) > 1:
        # Ten times as quick as resampling, and this is done for every step.
        small = small.reduce(times)
    small.thumbnail((_WIDTH, _WIDTH * 4))
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()
