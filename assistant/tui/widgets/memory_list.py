"""The items of a section of the memory. Only the lines in sight are made, however many items there are."""

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
from assistant.tui.memory_lines import format_item_row

_HERE, _ELSEWHERE = "› ", "  "


class MemoryList(Widget, can_focus=True):
    """One line an item. Left and right are the panel's."""

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
        """Another item is looked at, or there is none."""

    @dataclass
    class Chosen(Message):
        """An item that was looked at already was clicked again."""

        item: Item

    def __init__(self) -> None:
        super().__init__(id="memory-list")
        self.items: Sequence[Item] = ()
        self.highlighted = 0
        self.marked = ""
        self._top = 0

    @property
    def item(self) -> Item | None:
        """The item that is looked at."""
        return self.items[self.highlighted] if self.highlighted < len(self.items) else None

    def show(self, items: Sequence[Item], wanted: str = "") -> None:
        """List items, and look at the one of an id, else at the same as before."""
        before = self.item
        keep = wanted or (before.id if before is not None else "")
        grew = len(items) != len(self.items)
        self.items = items
        place = next((at for at, one in enumerate(items) if one.id == keep), None)
        self.highlighted = place if place is not None else min(self.highlighted, max(0, len(items) - 1))
        if place is None and before is not None:
            self.highlighted = 0
        self._follow()
        self.refresh(layout=grew)
        if self.item != before:
            self.post_message(self.Looked())

    def action_move(self, step: int) -> None:
        """To the next item, or the one before."""
        self._go(self.highlighted + step)

    def action_jump(self, direction: int) -> None:
        """As many items on as are in sight."""
        self._go(self.highlighted + direction * max(1, self.content_size.height - 1))

    def action_go(self, place: int) -> None:
        """To the first item, or the last."""
        self._go(place if place >= 0 else len(self.items) - 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are items; the style sheet sets the most."""
        return max(1, len(self.items))

    def render(self) -> Content:
        """The lines in sight."""
        self._follow()
        width = self.content_size.width
        shown = self.items[self._top : self._top + self.content_size.height]
        return Content("\n").join(self._line(self._top + at, one, width) for at, one in enumerate(shown))

    def on_click(self, event: events.Click) -> None:
        """Look at what was clicked; once more opens it."""
        at = self._top + event.y
        if at < len(self.items):
            if at == self.highlighted and self.has_focus:
                self.post_message(self.Chosen(self.items[at]))
            self._go(at)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three items on."""
        event.stop()
        self._go(self.highlighted + 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three items back."""
        event.stop()
        self._go(self.highlighted - 3)

    def on_focus(self) -> None:
        """The mark of the item tells whether keys go here."""
        self.refresh()

    def on_blur(self) -> None:
        """As above."""
        self.refresh()

    def _line(self, at: int, item: Item, width: int) -> Content:
        here = at == self.highlighted
        sign = "⊕ " if item.id == self.marked else _HERE if here else _ELSEWHERE
        line = format_item_row(item, max(8, width - 2))
        told = Content.assemble(sign, line, " " * max(0, width - 2 - line.cell_length))
        if here:
            return told.stylize(
                "bold" if not self.has_focus else "$block-cursor-foreground on $block-cursor-background"
            )
        return told

    def _go(self, place: int) -> None:
        place = max(0, min(place, len(self.items) - 1))
        if place != self.highlighted and self.items:
            self.highlighted = place
            self.refresh()
            self.post_message(self.Looked())

    def _follow(self) -> None:
        """Keep the item in sight."""
        height = max(1, self.content_size.height)
        self._top = max(0, min(self._top, len(self.items) - height))
        self._top = min(max(self._top, self.highlighted - height + 1), self.highlighted)
