"""A screenshot with marks, encoded in a thread and drawn in the terminal's best format."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from textual import events as textual_events
from textual.app import App
from textual.geometry import Offset, Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from assistant.records import Point
from assistant.settings.schema import Picture
from assistant.tui.picture_app import PictureApp
from assistant.tui.pictures import kitty
from assistant.tui.pictures.asking import cell_size
from assistant.tui.pictures.box import Box
from assistant.tui.pictures.developing import Drawing, Order, encode_image
from assistant.tui.pictures.strips import PictureRow, PictureStrip
from assistant.tui.terminal import write
from assistant.tui.terminal_probe import PictureTerminal

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

        order: Order
        drawing: Drawing

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._shot = b""
        self._marks: Sequence[Point] = ()
        self._instead = ""
        self._latest: Order | None = None
        self._picture = Drawing()
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
            write(self.app, kitty.delete_sequence(self._number))
        self._latest, self._picture, self._number = None, Drawing(), 0

    def on_mount(self) -> None:
        """Delete the image when the terminal is left for a while, and redraw it afterwards."""
        self.app.app_suspend_signal.subscribe(self, self._app_suspended, immediate=True)
        if isinstance(self.app, PictureApp):
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
                self._show(encode_image(order) if order.shot else Drawing())
        elif self.display and self.is_mounted and not self._drawing and self.content_size.area:
            self._drawing = True
            self.run_worker(self._draw(), group="picture", exit_on_error=False)

    @property
    def colourless(self) -> bool:
        """Whether the terminal shows no colours, and so no images."""
        return self._terminal.way is Picture.OFF

    @property
    def _terminal(self) -> PictureTerminal:
        return self.app.picture_terminal if isinstance(self.app, PictureApp) else PictureTerminal()

    def _order(self) -> Order:
        terminal = self._terminal
        if terminal.way in (Picture.KITTY, Picture.SIXEL):
            terminal = replace(terminal, cell=cell_size(sys.__stderr__) or terminal.cell)
        return Order(self._shot, tuple(self._marks), Box(*self.content_size), terminal)

    async def _draw(self) -> None:
        try:
            while self._stale:
                self._stale = False
                order = self._order()
                if order != self._latest:
                    self._latest = order
                    drawing = await asyncio.to_thread(encode_image, order) if order.shot else Drawing()
                    self.post_message(self.Drawn(order, drawing))
        finally:
            self._drawing = False

    def on_drawn_picture_drawn(self, message: Drawn) -> None:
        """Show an encoded image."""
        message.stop()
        if self._latest is None:
            # The image was dropped meanwhile.
            return
        if message.order.room != Box(*self.content_size) or not self.display:
            self._latest = None
            return
        self._show(message.drawing)

    def _show(self, drawing: Drawing) -> None:
        before = self._number
        self._picture, self._number = drawing, 0
        if drawing.way is Picture.KITTY:
            self._number = next(_numbers) & 0xFFFFFF or next(_numbers)
            write(self.app, kitty.send_sequence(self._number, drawing.data, drawing.cells))
        self.refresh()
        if before:
            # Delete the old image only after the new one is drawn.
            self.call_after_refresh(write, self.app, kitty.delete_sequence(before))

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
            PictureStrip(strip, self._row(y - corner.y, left))
            if 0 <= y - corner.y < self._picture.cells.height
            else strip
            for y, strip in enumerate(strips, start=crop.y)
        ]

    def _row(self, row: int, left: int) -> PictureRow:
        right = left + self._picture.cells.width
        if self._picture.way is Picture.KITTY:
            return PictureRow(left, right, instead=partial(kitty.placeholders, self._number, row))
        return PictureRow(left, right, written=self._schedule_send)

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
