"""One step or note of a turn, and what the model is thinking in the running one."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.timer import Timer
from textual.widget import Widget

from assistant.tui.step_lines import entry_lines, thought_lines
from assistant.tui.turn_log import Entry, Step

_FLUSH = 0.1


class EntryRow(Widget):
    """A step or note. A change of its height alone makes the panel lay out anew."""

    def __init__(self, entry: Entry, thoughts: bool) -> None:
        super().__init__(classes="entry")
        self.entry = entry
        self._thoughts = thoughts
        self._height = 1

    def changed(self, thoughts: bool) -> None:
        """Draw the entry again."""
        self._thoughts = thoughts
        width = self.content_size.width
        grown = bool(width) and self._lines(width).plain.count("\n") + 1 != self._height
        self.refresh(layout=grown)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the text has at this width."""
        self._height = self._lines(width).plain.count("\n") + 1
        return self._height

    def render(self) -> Content:
        """The lines."""
        return self._lines(self.content_size.width)

    def _lines(self, width: int) -> Content:
        return entry_lines(self.entry, max(width, 24), self._thoughts)


class ThoughtView(Widget):
    """The last lines of the running step's thought, drawn at most ten times a second."""

    def __init__(self) -> None:
        super().__init__(id="thought")
        self._step: Step | None = None
        self._pending: Timer | None = None
        self._height = 0
        self.most = 4

    def follow(self, step: Step | None) -> None:
        """Show this step's thought from now on, or nothing."""
        if step is not self._step:
            self._step = step
            self._draw()

    def streamed(self) -> None:
        """More of the thought has arrived."""
        if self._pending is None:
            self._pending = self.set_timer(_FLUSH, self._draw)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as are shown."""
        return self._height

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self._lines())

    def _draw(self) -> None:
        if self._pending is not None:
            self._pending.stop()
            self._pending = None
        height = len(self._lines())
        grown, self._height = height != self._height, height
        self.refresh(layout=grown)

    def _lines(self) -> list[Content]:
        width = self.container_size.width
        if self._step is None or not width:
            return []
        return thought_lines(self._step.thought, width, self.most)
