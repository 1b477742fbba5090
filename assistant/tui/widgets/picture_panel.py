"""The phone's latest screen with the tap marked, shrunk in a thread and drawn in half blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events as textual_events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from assistant import events
from assistant.observations import Observation
from assistant.records import Action, Click, LongClick, Point, Swipe
from assistant.tui.picture import draw

_NONE_YET = "No picture yet."
_SECURE = "This screen allows no pictures."


def marks(action: Action) -> tuple[Point, ...]:
    """The points that an action touches."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return (point,)
        case Swipe(start=start, end=end):
            return start, end
        case _:
            return ()


class PicturePanel(Widget):
    """Draws one picture at a time, and only while it is shown."""

    ALLOW_SELECT = False

    @dataclass
    class Drawn(Message):
        """A picture is ready for a size."""

        strips: list[Strip]
        size: Size

    def __init__(self) -> None:
        super().__init__(id="picture")
        self.border_title = "phone"
        self._observation: Observation | None = None
        self._marks: Sequence[Point] = ()
        self._strips: list[Strip] = []
        self._drawing = False
        self._stale = False

    def heed(self, event: events.Event) -> None:
        """Take in what concerns the picture."""
        match event:
            case events.ScreenObserved(observation=observation):
                self._observation, self._marks = observation, ()
            case events.ActionChosen(action=action) | events.ApprovalRequested(action=action):
                self._marks = marks(action)
            case _:
                return
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
                size, observation = self.content_size, self._observation
                shot = observation.screenshot if observation and not observation.secure else b""
                strips = await asyncio.to_thread(draw, shot, size.width, size.height, self._marks)
                self.post_message(self.Drawn(strips, size))
        finally:
            self._drawing = False

    def on_picture_panel_drawn(self, message: Drawn) -> None:
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
            secure = self._observation is not None and self._observation.secure
            words = (_SECURE if secure else _NONE_YET) if y == 0 else ""
            return Strip([Segment(words[:width].ljust(width), base)], width)
        top = max(0, (height - len(self._strips)) // 2)
        if not 0 <= y - top < len(self._strips):
            return Strip.blank(width, base)
        strip = self._strips[y - top]
        left = max(0, (width - strip.cell_length) // 2)
        return Strip.join(
            [Strip.blank(left, base), strip, Strip.blank(width - left - strip.cell_length, base)]
        )
