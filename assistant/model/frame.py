"""The screen as it is sent to the model: the space that the model's coordinates live in."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Frame:
    """Width and height of the sent picture in pixels, and the picture as a data URL.

    Without a picture `url` is empty, and the size is what a picture of this screen would have had.
    """

    width: int
    height: int
    url: str = field(default="", repr=False)


def scaled(width: int, height: int, longest: int) -> tuple[int, int]:
    """The size after scaling the longest side down to `longest`; never enlarged, never below one pixel."""
    side = max(width, height)
    if side <= longest:
        return width, height
    return max(1, round(width * longest / side)), max(1, round(height * longest / side))
