"""The items of a section of the memory, as far as some words find them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.memory_view.items import Item, matching
from assistant.tui.memory_lines import row

SHOWN = 500
"""The most items that are listed at once."""


class MemoryList(OptionList, inherit_bindings=False):
    """One line an item. Left and right are the panel's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "cursor_down", show=False),
        Binding("up", "cursor_up", show=False),
        Binding("home", "first", show=False),
        Binding("end", "last", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="memory-list", markup=False, compact=True)
        self.items: list[Item] = []

    @property
    def item(self) -> Item | None:
        """The item that is looked at."""
        at = self.highlighted
        return self.items[at] if at is not None and at < len(self.items) else None

    def show(self, items: Sequence[Item], words: str) -> int:
        """List what the words find, and look at the same item as before; returns how many were found."""
        before = self.item
        found = matching(items, words)
        self.items = found[:SHOWN]
        width = max(12, self.size.width - 2)
        self.set_options([Option(row(one, width)) for one in self.items])
        ids = [one.id for one in self.items]
        if ids:
            self.highlighted = ids.index(before.id) if before and before.id in ids else 0
        return len(found)
