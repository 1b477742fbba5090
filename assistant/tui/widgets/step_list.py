"""The steps and notes of a turn as a list that draws only the visible lines.

So a turn of thousands of steps costs no more to show than one of fifty.
"""

from __future__ import annotations

from textual import events as textual_events
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.timer import Timer
from textual.visual import Visual

from assistant.tui.entries import Entries, Entry, Step
from assistant.tui.line_map import LineMap
from assistant.tui.turn_lines import format_entry, format_thought

DRAWN_MOST = 128
"""The number of entries whose drawn lines are cached."""

_FLUSH = 0.1
"""Seconds between two redraws of a thought while it is received."""

_NARROWEST = 24


class StepList(ScrollView, can_focus=False):
    """Follows the newest line until the user scrolls away from it.

    Below the entries stand the last lines of the running step's thought; if all thoughts are shown, each
    step has its own below it instead.
    """

    ALLOW_SELECT = True

    def __init__(self, entries: Entries) -> None:
        super().__init__(id="steps")
        self._entries = entries
        self._lines = LineMap()
        self._thinking: Step | None = None
        self._below: list[Content] = []
        self._below_most = 4
        self._drawn: LRUCache[int, list[Strip]] = LRUCache(DRAWN_MOST)
        self._follows = True
        self._painting = False
        self._pending: Timer | None = None

    @property
    def settled(self) -> bool:
        """Whether all received text is drawn."""
        return self._pending is None

    @property
    def thoughts(self) -> bool:
        """Whether the model's thoughts are shown below every step."""
        return self._lines.thoughts

    def show(self, entries: Entries) -> None:
        """Show these entries, and follow them."""
        self._entries, self._thinking = entries, None
        self._follows = True
        self._draw_all()

    def changed(self, entry: Entry, thinking: Step | None) -> None:
        """An entry was added, changed, or moved to the end; `thinking` is the step being thought about."""
        self._thinking = thinking
        if isinstance(entry, Step) and entry.last:
            self._draw_live()
        else:
            place = self._entries.place(entry)
            self._drawn.discard(place)
            self._lay_out(place)

    def streamed(self) -> None:
        """More of the running step's thought has arrived; redrawn at most ten times a second."""
        if self._pending is None:
            self._pending = self.set_timer(_FLUSH, self._draw_streamed)

    def show_thoughts(self, shown: bool) -> None:
        """Show or hide the model's thoughts in all steps."""
        self._lines.thoughts = shown
        self._draw_all()

    def fit(self, below: int) -> None:
        """Set the most lines of a thought below the entries."""
        if below != self._below_most:
            self._below_most = below
            self._lay_out(len(self._entries))

    def keep_up(self) -> None:
        """Scroll to the newest line, unless the user has scrolled away from it."""
        if self._follows and self.scroll_y < self.max_scroll_y:
            self.scroll_end(animate=False, immediate=True, x_axis=False, force=True)

    def over(self) -> None:
        """The turn is over, which may have changed its last entries."""
        self._thinking = None
        self._draw_live()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Rewrap the lines for the new width."""
        width = max(self.scrollable_content_region.width, _NARROWEST)
        if width != self._lines.width:
            self._lines.width = width
            self._draw_all()
        else:
            self._lay_out(len(self._entries))

    def notify_style_update(self) -> None:
        """Redraw for the new colours."""
        super().notify_style_update()
        self._drawn.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolling up stops following; scrolling to the end resumes it."""
        super().watch_scroll_y(old_value, new_value)
        if new_value >= self.max_scroll_y:
            self._follows = True
        elif new_value < old_value:
            self._follows = False

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, including lines that are not visible."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self.virtual_size.height - 1
        lines = [self._content(line).plain for line in range(first, min(last + 1, self.virtual_size.height))]
        start = Offset(selection.start.x, 0) if selection.start is not None else None
        end = Offset(selection.end.x, last - first) if selection.end is not None else None
        return Selection(start, end).extract("\n".join(lines)), "\n"

    def render_lines(self, crop: Region) -> list[Strip]:
        """Lines for painting, without their offsets: with offsets, each line would need cached styles."""
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def render_line(self, y: int) -> Strip:
        """One visible line; for mouse selection, with its offset."""
        line = y + self.scroll_offset.y
        if line >= self.virtual_size.height:
            return Strip([])
        strip = self._strip(line).crop(0, self._lines.width)
        return strip if self._painting else strip.apply_offsets(0, line)

    def _strip(self, line: int) -> Strip:
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        if span is not None:
            start, end = span
            selection_style = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            content = self._content(line)
            content = content.stylize(selection_style, start, len(content) if end == -1 else end)
            return self._strips(content)[0]
        if line >= self._lines.height:
            return self._strips(self._content(line))[0]
        place = self._lines.place(line)
        strips = self._drawn.get(place)
        if strips is None:
            strips = self._drawn[place] = self._strips(self._entry_lines(place))
        return strips[line - self._lines.start(place)]

    def _content(self, line: int) -> Content:
        """The text of a line."""
        if line >= self._lines.height:
            return self._below[line - self._lines.height]
        place = self._lines.place(line)
        return self._entry_lines(place).split(allow_blank=True)[line - self._lines.start(place)]

    def _entry_lines(self, place: int) -> Content:
        return format_entry(self._entries[place], self._lines.width, self._lines.thoughts)

    def _strips(self, content: Content) -> list[Strip]:
        return Visual.to_strips(
            self, content, self._lines.width, None, self.visual_style, apply_selection=False
        )

    def _draw_streamed(self) -> None:
        if self._pending is not None:
            self._pending.stop()
            self._pending = None
        if self._thinking is not None and self.thoughts:
            self.changed(self._thinking, self._thinking)
        else:
            self._lay_out(len(self._entries))

    def _draw_live(self) -> None:
        """Redraw and measure the entries that can have changed."""
        self._drawn.clear()
        self._lay_out(self._entries.packed)

    def _draw_all(self) -> None:
        """Redraw and measure everything; an entry that the user has scrolled to stays visible."""
        top = None if self._follows else self._lines.place(self.scroll_offset.y)
        self._drawn.clear()
        self._lay_out(0)
        if top is not None and top < len(self._entries):
            self.scroll_to(y=self._lines.start(top), animate=False, force=True)

    def _lay_out(self, first: int) -> None:
        """Measure the entries from an index on and the thought below; stay at the end if following."""
        if not self._lines.width:
            return
        self._lines.measure(self._entries, first)
        thought = self._thinking.thought if self._thinking is not None and not self.thoughts else ""
        self._below = format_thought(thought, self._lines.width, self._below_most)
        follows = self._follows
        self.virtual_size = Size(self._lines.width, self._lines.height + len(self._below))
        self._refresh_from(self._lines.start(first))
        self._follows = follows
        self.keep_up()

    def _refresh_from(self, line: int) -> None:
        """Redraw the visible lines from this one on."""
        top = max(0, line - self.scroll_offset.y)
        if top < self.size.height:
            self.refresh(Region(0, top, self.size.width, self.size.height - top))
