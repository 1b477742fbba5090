"""The items of a section of the memory. Only the visible lines are rendered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from assistant.memory_view.items import Item
from assistant.tui.memory.widgets import format_item_row

_HERE, _ELSEWHERE = "› ", "  "


class MemoryList(Widget, can_focus=True):
    """One line per item. The left and right keys belong to the panel."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("home", "go(0)", show=False),
        Binding("end", "go(-1)", show=False),
        Binding("ctrl+down", "jump(1)", show=False),
        Binding("ctrl+up", "jump(-1)", show=False),
    ]

    class Looked(Message):
        """The selection has changed."""

    @dataclass
    class Chosen(Message):
        """The selected item was clicked again."""

        item: Item

    def __init__(self) -> None:
        super().__init__(id="memory-list")
        self.items: Sequence[Item] = ()
        self.highlighted = 0
        self.marked = ""
        self._top = 0

    @property
    def item(self) -> Item | None:
        """The selected item."""
        return self.items[self.highlighted] if self.highlighted < len(self.items) else None

    def show(self, items: Sequence[Item], item_id: str = "") -> None:
        """List items and select the one with this id, else the one selected before."""
        before = self.item
        keep = item_id or (before.id if before is not None else "")
        grew = len(items) != len(self.items)
        self.items = items
        place = next((at for at, item in enumerate(items) if item.id == keep), None)
        self.highlighted = place if place is not None else min(self.highlighted, max(0, len(items) - 1))
        if place is None and before is not None:
            self.highlighted = 0
        self._scroll_to_selection()
        self.refresh(layout=grew)
        if self.item != before:
            self.post_message(self.Looked())

    def action_move(self, step: int) -> None:
        """Select the next or previous item."""
        self._go(self.highlighted + step)

    def action_jump(self, direction: int) -> None:
        """Move the selection by a page."""
        self._go(self.highlighted + direction * max(1, self.content_size.height - 1))

    def action_go(self, place: int) -> None:
        """Select the first or last item."""
        self._go(place if place >= 0 else len(self.items) - 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of items; the style sheet sets the maximum."""
        return max(1, len(self.items))

    def render(self) -> Content:
        """The visible lines."""
        self._scroll_to_selection()
        width = self.content_size.width
        shown = self.items[self._top : self._top + self.content_size.height]
        return Content("\n").join(self._line(self._top + at, item, width) for at, item in enumerate(shown))

    def on_click(self, event: events.Click) -> None:
        """Select the clicked item; a click on the selected one opens it."""
        at = self._top + event.y
        if at < len(self.items):
            if at == self.highlighted and self.has_focus:
                self.post_message(self.Chosen(self.items[at]))
            self._go(at)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move the selection down by three."""
        event.stop()
        self._go(self.highlighted + 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move the selection up by three."""
        event.stop()
        self._go(self.highlighted - 3)

    def on_focus(self) -> None:
        """Redraw: the marker shows whether the list has the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """Redraw: the marker shows whether the list has the focus."""
        self.refresh()

    def _line(self, at: int, item: Item, width: int) -> Content:
        here = at == self.highlighted
        sign = "⊕ " if item.id == self.marked else _HERE if here else _ELSEWHERE
        line = format_item_row(item, max(8, width - 2))
        content = Content.assemble(sign, line, " " * max(0, width - 2 - line.cell_length))
        if here:
            return content.stylize(
                "bold" if not self.has_focus else "$block-cursor-foreground on $block-cursor-background"
            )
        return content

    def _go(self, place: int) -> None:
        place = max(0, min(place, len(self.items) - 1))
        if place != self.highlighted and self.items:
            self.highlighted = place
            self.refresh()
            self.post_message(self.Looked())

    def _scroll_to_selection(self) -> None:
        """Scroll so that the selected item is visible."""
        height = max(1, self.content_size.height)
        self._top = max(0, min(self._top, len(self.items) - height))
        self._top = min(max(self._top, self.highlighted - height + 1), self.highlighted)
