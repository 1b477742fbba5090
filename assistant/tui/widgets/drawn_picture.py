"""A picture of a phone's screen with marks, shrunk in a thread and drawn in half blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import set_cell_size
from rich.segment import Segment
from textual import events as textual_events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from assistant.records import Point
from assistant.tui.picture import draw


class DrawnPicture(Widget):
    """Draws one picture at a time, in the middle, and only while it is shown."""

    ALLOW_SELECT = False

    @dataclass
    class Drawn(Message):
        """A picture is ready for a size."""

        strips: list[Strip]
        size: Size

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._shot = b""
        self._marks: Sequence[Point] = ()
        self._instead = ""
        self._strips: list[Strip] = []
        self._drawing = False
        self._stale = False

    def draw_picture(self, shot: bytes, marks: Sequence[Point] = (), instead: str = "") -> None:
        """Draw an image file with marks, or say something `instead` where there is none."""
        self._shot, self._marks, self._instead = shot, marks, instead
        self._redraw()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Another size needs another picture."""
        self._redraw()

    def on_show(self) -> None:
        """Catch up with what came while hidden."""
        self._redraw()

    def _redraw(self) -> None:
        self._stale = True
        if self.display and self.is_mounted and not self._drawing and self.content_size.area:
            self._drawing = True
            self.run_worker(self._draw(), group="picture", exit_on_error=False)

    async def _draw(self) -> None:
        try:
            while self._stale:
                self._stale = False
                size, shot, marks = self.content_size, self._shot, self._marks
                strips = await asyncio.to_thread(draw, shot, size.width, size.height, marks) if shot else []
                self.post_message(self.Drawn(strips, size))
        finally:
            self._drawing = False

    def on_drawn_picture_drawn(self, message: Drawn) -> None:
        """Show a finished picture."""
        message.stop()
        if message.size == self.content_size:
            self._strips = message.strips
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the picture, or words where there is none."""
        width, height = self.content_size
        base = self.visual_style.rich_style
        if not self._strips:
            words = self._instead if y == 0 else ""
            return Strip([Segment(set_cell_size(words, width), base)], width)
        top = max(0, (height - len(self._strips)) // 2)
        if not 0 <= y - top < len(self._strips):
            return Strip.blank(width, base)
        strip = self._strips[y - top]
        left = max(0, (width - strip.cell_length) // 2)
        return Strip.join(
            [Strip.blank(left, base), strip, Strip.blank(width - left - strip.cell_length, base)]
        )
