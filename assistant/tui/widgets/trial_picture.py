"""The sample screen of a test call, with the place marked that the model would tap."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from assistant.model.sample import sample_screen
from assistant.records import Point
from assistant.tui.picture import draw


class TrialPicture(Widget):
    """Drawn in half blocks, at the left."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="trial-picture")
        self._point: Point | None = None
        self._strips: list[Strip] = []
        self._drawn: tuple[int, int, Point | None] | None = None

    def show(self, point: Point | None) -> None:
        """Mark a point, or none."""
        self._point = point
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the picture."""
        width, height = self.content_size
        if self._drawn != (width, height, self._point):
            self._drawn = (width, height, self._point)
            marks = (self._point,) if self._point is not None else ()
            self._strips = draw(sample_screen().screenshot, width, height, marks)
        base = self.visual_style.rich_style
        if y >= len(self._strips):
            return Strip.blank(width, base)
        return self._strips[y].adjust_cell_length(width, base)
