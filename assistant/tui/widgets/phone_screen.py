"""Screenshots in the terminal, encoded in a thread and drawn in the best format that the terminal has.

`PicturePanel` shows the phone's latest screen with the next touch marked on it, as lines of text where the
terminal draws no pixels. `TrialPicture` shows the sample screen of a test call with the model's tap.
`ImageApp` is the base of apps with images: it knows how the terminal draws them, and removes them on exit.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, ClassVar, Generic

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.segment import Segment
from textual import events as textual_events
from textual.app import App, ReturnType
from textual.content import Content
from textual.geometry import Offset, Region
from textual.message import Message
from textual.signal import Signal
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget
from textual.worker import Worker

from assistant import events
from assistant.events import TurnState
from assistant.i18n import _, later, shortened
from assistant.model.tap_test import sample_screen
from assistant.phone.displays import StreamEnded
from assistant.presentation.text import clip, format_app_title, one_line
from assistant.records import Bounds, Element, Observation, Point, TypeText, touched
from assistant.safety.secret_entry import takes_secret
from assistant.secrets import find_secret_names
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

    def _fatal_error(self) -> None:
        """End without Textual's report, which shows local variables; `raise_crash` passes the error on."""
        self.bell()
        self._close_messages_no_wait()

    def raise_crash(self) -> None:
        """Raise the error that ended the app, if one did, once the terminal is as it was."""
        if self._exception is not None:
            raise self._exception

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
    def has_pixels(self) -> bool:
        """Whether the terminal draws real images, and not only half blocks."""
        return self._terminal.way in (Picture.KITTY, Picture.SIXEL)

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
        for widget, (region, clipped) in self.screen._compositor.visible_widgets.items():
            if widget is self:
                return place.offset if clipped.contains_region(place) else None
            if region.intersection(clipped).overlaps(place):
                return None
        return None


_LINE_SHARE = 0.012
"""How far apart, as a share of the screen's height, the middles of texts on one line may be: half a line."""

_TEXT_KEPT = 200
_BUTTONS = ("Button",)
_SWITCHES = ("CheckBox", "Switch", "RadioButton", "ToggleButton")


@dataclass(frozen=True, slots=True)
class _ScreenText:
    """A text on the phone's screen, with where it is in pixels."""

    words: str
    bounds: Bounds
    pressable: bool
    marked: bool = False


def format_screen(
    observation: Observation, columns: int, rows: int, marks: Sequence[Point] = ()
) -> list[Content]:
    """The phone's screen as lines of text, each text about where it is on the phone.

    What can be pressed is underlined, fields and switches have their signs, and the next touch has a ring.
    Where there are more lines than rows, those around the touch are kept.

    Args:
        observation: the screen.
        columns: the width in cells.
        rows: the most lines.
        marks: where it is touched next.
    """
    lines = _group_lines(_screen_texts(observation, marks), observation.height)
    if not lines or rows < 1 or columns < 1:
        return []
    if len(lines) > rows:
        touched_line = next((at for at, line in enumerate(lines) if any(text.marked for text in line)), 0)
        first = min(max(0, touched_line - rows // 2), len(lines) - rows)
        lines = lines[first : first + rows]
    places = _place_lines([_middle(line[0]) / observation.height for line in lines], rows)
    drawn = dict(zip(places, lines, strict=True))
    return [
        _draw_line(drawn.get(row, ()), columns, observation.width)
        for row in range(max(places, default=-1) + 1)
    ]


def _screen_texts(observation: Observation, marks: Sequence[Point]) -> list[_ScreenText]:
    """The texts of a screen; a mark that hits none of them gets a ring of its own."""
    pixels = [observation.pixels(point) for point in marks]
    elements = [element for element in observation.with_picture_texts.elements if element.bounds.area]
    pressable = {element.index for element in elements if element.clickable}
    hit = {
        min(holding, key=lambda element: element.bounds.area).index
        for x, y in pixels
        if (holding := [each for each in elements if _label(each) and each.bounds.contains(x, y)])
    }
    texts = [
        _ScreenText(
            _label(element),
            element.bounds,
            element.index in pressable or element.parent in pressable,
            element.index in hit,
        )
        for element in elements
        if _label(element)
    ]
    if texts and pixels and not hit:
        texts += [_ScreenText("", Bounds(x, y, x + 1, y + 1), True, True) for x, y in pixels]
    return texts


def _label(element: Element) -> str:
    """What an element says, with its sign; empty for one without words."""
    words = "" if element.password else clip(one_line(element.text or element.description), _TEXT_KEPT)
    if element.editable:
        typed = "••••" if element.password and element.text else words or one_line(element.hint)
        return f"[{typed}_]"
    if element.class_name.endswith(_SWITCHES):
        return f"{'☑' if element.checked else '☐'} {words}".rstrip()
    return f"[ {words} ]" if words and element.class_name.endswith(_BUTTONS) else words


def _middle(text: _ScreenText) -> float:
    return (text.bounds.top + text.bounds.bottom) / 2


def _group_lines(texts: Sequence[_ScreenText], height: int) -> list[list[_ScreenText]]:
    """The texts line by line, from left to right."""
    lines: list[list[_ScreenText]] = []
    for text in sorted(texts, key=_middle):
        if lines and _middle(text) - _middle(lines[-1][0]) <= _LINE_SHARE * height:
            lines[-1].append(text)
        else:
            lines.append([text])
    return [sorted(line, key=lambda text: text.bounds.left) for line in lines]


def _place_lines(middles: Sequence[float], rows: int) -> list[int]:
    """A row for each line, in order and near its place on the screen, as a share from the top."""
    places: list[int] = []
    for number, middle in enumerate(middles):
        latest = rows - (len(middles) - number)
        place = min(round(middle * (rows - 1)), latest)
        places.append(max(place, places[-1] + 1 if places else 0))
    return places


def _draw_line(texts: Sequence[_ScreenText], columns: int, width: int) -> Content:
    """The texts of a line at their columns; each gives way to the next, and none is drawn over another."""
    line = Content("")
    for number, text in enumerate(texts):
        words = f"◎ {text.words}".rstrip() if text.marked else text.words
        following = (
            texts[number + 1].bounds.left / width * columns if number + 1 < len(texts) else columns + 1
        )
        free = line.cell_length + bool(line)
        end = min(columns, max(round(following) - 1, free + _LEAST_CELLS))
        start = max(free, min(round(text.bounds.left / width * columns), end - cell_len(words)))
        if end - start < 2:
            break
        plain = "underline $foreground" if text.pressable else "$foreground"
        style = "bold reverse" if text.marked else plain
        gap = Content(" " * (start - line.cell_length))
        line += gap + Content.styled(shortened(words, end - start), style)
    return line


_LEAST_CELLS = 6
"""What a text is given of a crowded line, at the cost of those to its right."""


_NONE_YET = later("No picture yet.")
_SECURE = later("This screen allows no pictures.")


Stream = Callable[[], AsyncGenerator[bytes]]
"""Pictures of the phone's screen as it changes; raises `StreamEnded`."""


class PicturePanel(DrawnPicture):
    """Shows the screens of the turn: screenshots, or their elements as text where the terminal has no pixels.

    A stream may show what happens between two of them, while the turn runs. It ends while the user has the
    phone, and where a screen's picture is hidden or may show a password or code; a secret of the user's that
    is typed ends it for the turn, since nothing paints it over. Where it fails, the steps' screens go on.

    Args:
        blocks: whether the user wants half blocks instead of text there.
        stream: makes a stream; None for no stream.
    """

    def __init__(self, blocks: bool = False, stream: Stream | None = None) -> None:
        super().__init__("picture")
        self.border_title = _("phone")
        self._instead = _(_NONE_YET)
        self._blocks = blocks
        self._make_stream = stream
        self._streaming: Worker[None] | None = None
        self._is_running = self._is_streamable = self._ended = False
        self._step_shot = b""
        self._observed: Observation | None = None
        self._lines: list[Content] = []

    @property
    def in_text(self) -> bool:
        """Whether the phone's screen is drawn as text, where it has any."""
        return not self._blocks and not self.has_pixels

    @property
    def colourless(self) -> bool:
        """Whether nothing can be shown for want of colours; text needs none."""
        return super().colourless and not self.in_text

    def draw_picture(self, shot: bytes, marks: Sequence[Point] = (), instead: str = "") -> None:
        """Draw the screen with marks; a screen without words, such as a map, as a picture."""
        self._marks = marks
        self._draw_text()
        if not self._lines:
            super().draw_picture(b"" if super().colourless else shot, marks, instead)

    def on_resize(self, event: textual_events.Resize) -> None:
        """Draw for the new size."""
        self._draw_text()

    def _draw_text(self) -> None:
        """Lay the words of the screen out for the size; none where it is drawn as a picture."""
        observation, (width, height) = self._observed, self.content_size
        self._lines = (
            format_screen(observation, width, height, self._marks) if observation and self.in_text else []
        )
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        if not self._lines:
            return super().render_line(y)
        width, style = self.content_size.width, self.visual_style
        line = self._lines[y] if y < len(self._lines) else Content("")
        (strip,) = Visual.to_strips(self, line, width, 1, style, apply_selection=False)
        return strip

    @property
    def is_empty(self) -> bool:
        """Whether no screen was shown yet."""
        return self._observed is None

    def clear(self) -> None:
        """Show no screen, because another phone is used."""
        self._end_stream()
        self._observed = None
        self._is_running, self._step_shot = False, b""
        self.border_title = _("phone")
        self.draw_picture(b"", (), _(_NONE_YET))

    def show(self, observation: Observation) -> None:
        """Show a screen."""
        self._observed = observation
        app = clip(format_app_title(observation.app), 30)
        read = _("read from the picture") if observation.picture_texts else ""
        # Content, for a text would be read as markup.
        self.border_title = Content(" · ".join(part for part in (_("phone"), app, read) if part))
        self._step_shot = b"" if observation.secure else observation.screenshot
        self.draw_picture(self._step_shot, (), _(_SECURE if observation.secure else _NONE_YET))

    def handle_event(self, event: events.Event) -> None:
        """Update the screen."""
        match event:
            case events.TurnStarted():
                self._is_streamable = self._ended = False
                self.border_subtitle = ""
            case events.StateChanged(state=state):
                self._is_running = state is TurnState.RUNNING
                # What the user has on the screen meanwhile is not known before the next step's look.
                self._is_streamable &= state in (TurnState.RUNNING, TurnState.WAITING)
                self._follow_stream()
            case events.TurnFinished():
                self._is_streamable = False
                self._follow_stream()
            case events.ScreenObserved(observation=observation, branch=branch):
                self.show(observation)
                # Several sub-tasks may have several screens.
                may_be_shown = self._make_stream is not None and not branch
                self._is_streamable = may_be_shown and not takes_secret(observation)
                self._follow_stream()
            case events.ActionChosen(action=action) | events.ApprovalRequested(action=action):
                if isinstance(action, TypeText) and find_secret_names(action.text):
                    self._ended = True
                    self._end_stream()
                self.draw_picture(self._step_shot, touched(action), self._instead)

    def on_show(self) -> None:
        """Draw the image that was set while hidden, and begin the stream again."""
        super().on_show()
        self._follow_stream()

    def on_hide(self) -> None:
        """Delete the hidden image from the terminal, and end the stream."""
        super().on_hide()
        self._end_stream()

    def _follow_stream(self) -> None:
        """Begin a stream where it may be shown, and end it where it may not; it outlasts a question."""
        may_be_shown = self._is_streamable and not self._ended and bool(self.display) and not self.in_text
        if not may_be_shown:
            self._end_stream()
        elif self._is_running and self._streaming is None and self._make_stream is not None:
            self._streaming = self.run_worker(self._show_stream(self._make_stream()), exit_on_error=False)

    def _end_stream(self) -> None:
        streaming, self._streaming = self._streaming, None
        if streaming is not None:
            streaming.cancel()
            self.border_subtitle = ""
            self.draw_picture(self._step_shot, self._marks, self._instead)

    async def _show_stream(self, stream: AsyncGenerator[bytes]) -> None:
        try:
            async with aclosing(stream) as pictures:
                async for picture in pictures:
                    if self._is_running:
                        self.border_subtitle = _("as it changes")
                        self.draw_picture(picture, self._marks, self._instead)
        except StreamEnded as ended:
            self._streaming, self._ended = None, True
            self.draw_picture(self._step_shot, self._marks, self._instead)
            words = _("only each step's screen: {reason}").format(reason=one_line(str(ended)))
            self.border_subtitle = Content(words)


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
