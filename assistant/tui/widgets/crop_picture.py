"""The piece of the screen that a decision is about, small, beside the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.tui.hanging import Row, wrap_rows
from assistant.tui.pictures.box import Box
from assistant.tui.pictures.pixels import fitted, opened
from assistant.tui.widgets.drawn_picture import DrawnPicture

MOST_ROWS = 6
LEAST_ROWS = 4
"""With fewer rows nothing can be made out."""

TEXT_COLUMNS = 48
"""So many columns stay for the words."""

_GAP = 1


@dataclass(frozen=True, slots=True)
class Beside:
    """A picture and the cells that it may have; none of either where there is no room, or no picture."""

    picture: bytes = b""
    cells: Box | None = None


def beside(picture: bytes, text: Sequence[Row], columns: int, rows: int) -> Beside:
    """The picture in the size that it may have beside a text.

    Args:
        picture: an image file; empty for none.
        text: the words beside it, which must not have to be scrolled because of the picture.
        columns: for both.
        rows: for the text.
    """
    room = Box(columns - TEXT_COLUMNS - _GAP, min(rows, MOST_ROWS))
    image = opened(picture) if picture and room.width > 1 and room.height >= LEAST_ROWS else None
    if image is None:
        return Beside()
    cells = fitted(image.size, room)
    fits = cells.height >= LEAST_ROWS and len(wrap_rows(text, columns - cells.width - _GAP)) <= rows
    return Beside(picture, cells) if fits else Beside()


class CropPicture(DrawnPicture):
    """At the right of a prompt; takes no room without a picture."""

    SMALL = True

    def __init__(self) -> None:
        super().__init__("decision-crop")
        self.styles.padding = (0, 0, 0, _GAP)

    def show(self, what: Beside) -> None:
        """Draw this; nothing hides the picture."""
        self.styles.width = what.cells.width + _GAP if what.cells else 0
        self.styles.height = what.cells.height if what.cells else 0
        self.set_class(what.cells is not None, "-drawn")
        self.draw_picture(what.picture)
