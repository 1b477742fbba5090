"""The sample screenshot of a test call, with the model's tap marked."""

from __future__ import annotations

from textual.geometry import Offset

from assistant.model.text_requests import sample_screen
from assistant.records import Point
from assistant.tui.widgets.phone_screen import DrawnPicture


class TrialPicture(DrawnPicture):
    """Drawn at the left."""

    SMALL = True

    def __init__(self) -> None:
        super().__init__("trial-picture")
        self.show(None)

    def show(self, point: Point | None) -> None:
        """Mark a point, or none."""
        self.draw_picture(sample_screen().screenshot, () if point is None else (point,))

    def corner(self) -> Offset:
        """The first cell."""
        return Offset(0, 0)
