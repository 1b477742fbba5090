"""The command of a turn, what its parts stand for, and the instruction that they make."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from assistant.tui.turn_log import TurnLog
from assistant.tui.understood_lines import command_lines

_LEAST = 4
_SHARE = 3
_STEPS_LEAST = 4


class CommandView(Widget):
    """As high as what it shows, within a share of the panel; while nothing runs yet, nearly all of it."""

    def __init__(self) -> None:
        super().__init__(id="command")
        self._record = TurnLog()
        self._panel = 0

    def show(self, record: TurnLog) -> None:
        """Show a turn's command; it has changed."""
        self._record = record
        self.refresh(layout=True)

    def fit(self, panel: int) -> None:
        """The panel has another height."""
        if panel != self._panel:
            self._panel = panel
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are."""
        return len(self._lines(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        share = self._panel - _STEPS_LEAST if self._record.understood.open else self._panel // _SHARE
        return command_lines(self._record, max(width, 24), max(_LEAST, share))
