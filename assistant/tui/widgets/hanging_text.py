"""A text of labelled rows, wrapped to the available width."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from assistant.tui.hanging import Row, wrap_rows


class HangingText(Widget):
    """As high as its lines."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._rows: Sequence[Row] = ()

    def show(self, rows: Sequence[Row]) -> None:
        """Show these rows."""
        self._rows = rows
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines at this width."""
        return len(wrap_rows(self._rows, width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(wrap_rows(self._rows, self.content_size.width))
