"""Shows the command of a turn, the meaning of its parts, and the resulting instruction."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from assistant.presentation.turn_log import TurnLog
from assistant.tui.understood_lines import format_command

_LEAST = 4
_SHARE = 3
_STEPS_LEAST = 4


class CommandView(Widget):
    """As high as its content, up to a share of the panel; before the turn runs, nearly all of it."""

    def __init__(self) -> None:
        super().__init__(id="command")
        self._record = TurnLog()
        self._panel = 0

    def show(self, record: TurnLog) -> None:
        """Show a turn's command, which has changed."""
        self._record = record
        self.refresh(layout=True)

    def fit(self, panel: int) -> None:
        """The panel's height has changed."""
        if panel != self._panel:
            self._panel = panel
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines."""
        return len(self._lines(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        share = self._panel - _STEPS_LEAST if self._record.understood.open else self._panel // _SHARE
        return format_command(self._record, max(width, 24), max(_LEAST, share))
