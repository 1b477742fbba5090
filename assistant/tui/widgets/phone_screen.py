"""A screenshot with marks, encoded in a thread and drawn in the terminal's best format.

The phone's latest screenshot, with the next touch marked on it.

The sample screenshot of a test call, with the model's tap marked.

Base class of apps that draw images: knows how the terminal draws them, and removes them on exit.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, ClassVar, Generic

from rich.cells import set_cell_size
from rich.console import RenderableType
from rich.segment import Segment
from textual import events as textual_events
from textual.app import App, ReturnType
from textual.geometry import Offset, Region
from textual.message import Message
from textual.signal import Signal
from textual.strip import Strip
from textual.widget import Widget

from assistant import events
from assistant.i18n import _, later
from assistant.model.text_requests import sample_screen
from assistant.records import Point, touched
from assistant.settings.schema import Picture
from assistant.tui import terminal_images
from assistant.tui.terminal import write
from assistant.tui.terminal_images import DrawRequest, EncodedImage, ImageRow, ImageStrip, encode_image
from assistant.tui.terminal_probe import ImageSize, ImageTerminal, cell_size


class ImageApp(App[ReturnType], Generic[ReturnType]):
    """An app with pictures.

    Args:
        terminal: how the terminal draws pictures; in half blocks by default.
    """

    def __init__(self, terminal: ImageTerminal | None = None) -> None:
        super().__init__()
        self.picture_terminal = terminal or ImageTerminal()
        self.leaving: Signal[App[Any]] = Signal(self, "leaving")

    def exit(
        self,
        result: ReturnType | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """Remove every image from the terminal while we still control it, then leave."""
        self.leaving.publish(self)
        super().exit(result, return_code, message)


_numbers = count(1 + (os.getpid() << 8 & 0xFFFF00))
"""Images of one terminal need different numbers, also those of different programs in it."""


class DrawnPicture(Widget):
    """Draws one image at a time, centred, and only while it is shown."""

    ALLOW_SELECT = False
    SMALL: ClassVar = False
    """Whether its half blocks can be drawn at once, without a thread."""

    @dataclass
    class Drawn(Message):
        """An image has been encoded."""

        order: DrawRequest
        drawing: EncodedImage

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._shot = b""
        self._marks: Sequence[Point] = ()
        self._instead = ""
        self._latest: DrawRequest | None = None
        self._picture = EncodedImage()
        self._number = 0
        self._drawing = False
        self._stale = False
        self._sending = False

    def draw_picture(self, shot: bytes, marks: Sequence[Point] = (), instead: str = "") -> None:
        """Draw an image file with marks, or show the text `instead` without one."""
        if instead != self._instead:
            self.refresh()
        self._shot, self._marks, self._instead = shot, marks, instead
        self._redraw()

    def forget(self) -> None:
        """Show nothing, and delete the image from the terminal; the next image is drawn again."""
        if self._number:
            write(self.app, terminal_images.delete_sequence(self._number))
        self._latest, self._picture, self._number = None, EncodedImage(), 0

    def on_mount(self) -> None:
        """Delete the image when the terminal is left for a while, and redraw it afterwards."""
        self.app.app_suspend_signal.subscribe(self, self._app_suspended, immediate=True)
        if isinstance(self.app, ImageApp):
            self.app.leaving.subscribe(self, self._app_suspended)
        self.app.app_resume_signal.subscribe(self, self._app_resumed)

    def on_unmount(self) -> None:
        """Delete the image from the terminal."""
        self.forget()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Encode the image for the new size."""
        self._redraw()

    def on_show(self) -> None:
        """Draw the image that was set while hidden."""
        self._redraw()

    def on_hide(self) -> None:
        """Delete the hidden image from the terminal."""
        self.forget()

    def _app_suspended(self, app: App[Any]) -> None:
        self.forget()

    def _app_resumed(self, app: App[Any]) -> None:
        self._redraw()

    def _redraw(self) -> None:
        self._stale = True
        if self.SMALL and self.is_attached and self._terminal.way is Picture.BLOCKS:
            if self.display and self.content_size.area and (order := self._order()) != self._latest:
                self._latest = order
                self._show(encode_image(order) if order.shot else EncodedImage())
        elif self.display and self.is_mounted and not self._drawing and self.content_size.area:
            self._drawing = True
            self.run_worker(self._draw(), group="picture", exit_on_error=False)

    @property
    def colourless(self) -> bool:
        """Whether the terminal shows no colours, and so no images."""
        return self._terminal.way is Picture.OFF

    @property
    def _terminal(self) -> ImageTerminal:
        return self.app.picture_terminal if isinstance(self.app, ImageApp) else ImageTerminal()

    def _order(self) -> DrawRequest:
        terminal = self._terminal
        if terminal.way in (Picture.KITTY, Picture.SIXEL):
            terminal = replace(terminal, cell=cell_size(sys.__stderr__) or terminal.cell)
        return DrawRequest(self._shot, tuple(self._marks), ImageSize(*self.content_size), terminal)

    async def _draw(self) -> None:
        try:
            while self._stale:
                self._stale = False
                order = self._order()
                if order != self._latest:
                    self._latest = order
                    drawing = await asyncio.to_thread(encode_image, order) if order.shot else EncodedImage()
                    self.post_message(self.Drawn(order, drawing))
        finally:
            self._drawing = False

    def on_drawn_picture_drawn(self, message: Drawn) -> None:
        """Show an encoded image."""
        message.stop()
        if self._latest is None:
            # The image was dropped meanwhile.
            return
        if message.order.room != ImageSize(*self.content_size) or not self.display:
            self._latest = None
            return
        self._show(message.drawing)

    def _show(self, drawing: EncodedImage) -> None:
        before = self._number
        self._picture, self._number = drawing, 0
        if drawing.way is Picture.KITTY:
            self._number = next(_numbers) & 0xFFFFFF or next(_numbers)
            write(self.app, terminal_images.send_sequence(self._number, drawing.data, drawing.cells))
        self.refresh()
        if before:
            # Delete the old image only after the new one is drawn.
            self.call_after_refresh(write, self.app, terminal_images.delete_sequence(before))

    def corner(self) -> Offset:
        """Position of the image within the content."""
        cells, (width, height) = self._picture.cells, self.content_size
        return Offset(max(0, (width - cells.width) // 2), max(0, (height - cells.height) // 2))

    def render_line(self, y: int) -> Strip:
        """One line of the image, or of the text shown instead."""
        width = self.content_size.width
        base = self.visual_style.rich_style
        if not self._picture.strips:
            words = self._instead if y == 0 else ""
            return Strip([Segment(set_cell_size(words, width), base)], width)
        left, top = self.corner()
        if not 0 <= y - top < len(self._picture.strips):
            return Strip.blank(width, base)
        strip = self._picture.strips[y - top]
        return Strip.join([Strip.blank(left, base), strip]).adjust_cell_length(width, base)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines, with the terminal's own image format where it is used."""
        strips = super().render_lines(crop)
        if self._picture.way is Picture.BLOCKS:
            return strips
        corner = self.corner() + self.gutter.top_left
        left = corner.x - crop.x
        return [
            ImageStrip(strip, self._row(y - corner.y, left))
            if 0 <= y - corner.y < self._picture.cells.height
            else strip
            for y, strip in enumerate(strips, start=crop.y)
        ]

    def _row(self, row: int, left: int) -> ImageRow:
        right = left + self._picture.cells.width
        if self._picture.way is Picture.KITTY:
            return ImageRow(left, right, instead=partial(terminal_images.placeholders, self._number, row))
        return ImageRow(left, right, written=self._schedule_send)

    def _schedule_send(self) -> None:
        """Cells of the image were overwritten, which erases it there; send it again."""
        if not self._sending:
            self._sending = True
            self.call_after_refresh(self._send)

    def _send(self) -> None:
        self._sending = False
        corner = self._visible_corner()
        if self._picture.way is Picture.SIXEL and corner is not None:
            # Restore the cursor position that Textual expects.
            write(self.app, f"\x1b7\x1b[{corner.y + 1};{corner.x + 1}H{self._picture.data}\x1b8")

    def _visible_corner(self) -> Offset | None:
        """Position of the image on the screen; None unless it is fully visible."""
        if not self.is_attached or not self.screen.is_current:
            return None
        cells, content = self._picture.cells, self.content_region
        place = Region.from_offset(content.offset + self.corner(), (cells.width, cells.height))
        # An image that reaches the last line would make the terminal scroll.
        if not content.contains_region(place) or place.bottom >= self.screen.size.height:
            return None
        for widget, (region, clip) in self.screen._compositor.visible_widgets.items():
            if widget is self:
                return place.offset if clip.contains_region(place) else None
            if region.intersection(clip).overlaps(place):
                return None
        return None


_NONE_YET = later("No picture yet.")
_SECURE = later("This screen allows no pictures.")


class PicturePanel(DrawnPicture):
    """Shows the screenshots of the turn."""

    def __init__(self) -> None:
        super().__init__("picture")
        self.border_title = _("phone")
        self._instead = _(_NONE_YET)

    def handle_event(self, event: events.Event) -> None:
        """Update the screenshot."""
        match event:
            case events.ScreenObserved(observation=observation):
                shot = b"" if observation.secure else observation.screenshot
                self.draw_picture(shot, (), _(_SECURE if observation.secure else _NONE_YET))
            case events.ActionChosen(action=action) | events.ApprovalRequested(action=action):
                self.draw_picture(self._shot, touched(action), self._instead)


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
