"""The part of the screenshot that a decision is about, small, beside the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.tui.hanging import Row, wrap_rows
from assistant.tui.pictures.box import Box
from assistant.tui.pictures.pixels import fit_image, open_image
from assistant.tui.widgets.phone_screen import DrawnPicture

MOST_ROWS = 6
LEAST_ROWS = 4
"""With fewer rows nothing can be recognised."""

TEXT_COLUMNS = 48
"""Columns reserved for the text."""

_GAP = 1


@dataclass(frozen=True, slots=True)
class Beside:
    """An image and its size in cells; both empty without room or without an image."""

    picture: bytes = b""
    cells: Box | None = None


def place_crop(picture: bytes, text: Sequence[Row], columns: int, rows: int) -> Beside:
    """The image with the size that it may have beside a text.

    Args:
        picture: an image file; empty for none.
        text: the text beside it, which must not need scrolling because of the image.
        columns: for text and image together.
        rows: for the text.
    """
    room = Box(columns - TEXT_COLUMNS - _GAP, min(rows, MOST_ROWS))
    image = open_image(picture) if picture and room.width > 1 and room.height >= LEAST_ROWS else None
    if image is None:
        return Beside()
    cells = fit_image(image.size, room)
    fits = cells.height >= LEAST_ROWS and len(wrap_rows(text, columns - cells.width - _GAP)) <= rows
    return Beside(picture, cells) if fits else Beside()


class CropPicture(DrawnPicture):
    """Shown at the right of a prompt; takes no room without an image."""

    SMALL = True

    def __init__(self) -> None:
        super().__init__("decision-crop")
        self.styles.padding = (0, 0, 0, _GAP)

    def show(self, placement: Beside) -> None:
        """Draw this image; without one, take no room."""
        self.styles.width = placement.cells.width + _GAP if placement.cells else 0
        self.styles.height = placement.cells.height if placement.cells else 0
        self.set_class(placement.cells is not None, "-drawn")
        self.draw_picture(placement.picture)
