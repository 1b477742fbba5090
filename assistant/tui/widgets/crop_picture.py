"""The piece of the screen that a decision is about, small, beside the words."""

from __future__ import annotations

from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from assistant.tui.picture import draw

MOST_ROWS = 6
LEAST_ROWS = 4
"""With fewer rows nothing can be made out."""

TEXT_COLUMNS = 48
"""So many columns stay for the words."""

_GAP = 1


def beside(picture: bytes, text: Content, columns: int, rows: int) -> list[Strip]:
    """The picture in the size that it may have beside a text.

    Args:
        picture: an image file; empty for none.
        text: the words beside it, which must not have to be scrolled because of the picture.
        columns: for both.
        rows: for the text.

    Returns:
        Strips of equal width; none where there is no room, or no picture.
    """
    strips = draw(picture, columns - TEXT_COLUMNS - _GAP, min(rows, MOST_ROWS)) if picture else []
    if len(strips) < LEAST_ROWS:
        return []
    left = columns - strips[0].cell_length - _GAP
    return strips if len(text.wrap(left)) <= rows else []


class CropPicture(Widget):
    """Draws strips in half blocks at the right of a prompt; takes no room without any."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="decision-crop")
        self._strips: list[Strip] = []

    def show(self, strips: list[Strip]) -> None:
        """Draw these; none hides the picture."""
        self._strips = strips
        self.styles.width = strips[0].cell_length + _GAP if strips else 0
        self.styles.height = len(strips)
        self.set_class(bool(strips), "-drawn")
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the picture, after the gap."""
        width = self.content_size.width
        base = self.visual_style.rich_style
        if y >= len(self._strips):
            return Strip.blank(width, base)
        return Strip.join([Strip.blank(_GAP, base), self._strips[y]]).adjust_cell_length(width, base)
