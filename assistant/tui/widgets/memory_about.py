"""The details of the selected item, below the list."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from assistant.memory_view.items import Item, ItemDetails
from assistant.presentation.text import one_line
from assistant.tui.memory.widgets import format_details

_NARROWEST = 20


class MemoryAbout(VerticalScroll):
    """One item in full. Never takes the focus; the panel scrolls it."""

    def __init__(self) -> None:
        self._text = Static(id="memory-text", markup=False)
        super().__init__(self._text, id="memory-about", can_focus=False)

    def show(self, item: Item, details: ItemDetails | None) -> None:
        """Show an item, with its details once they are loaded."""
        self._text.update(format_details(item, details, max(_NARROWEST, self.size.width - 1)))

    def show_note(self, note: str) -> None:
        """Show why there is no item."""
        self._text.update(Content.styled(one_line(note), "$foreground-muted"))

    def scroll_page(self, direction: int) -> None:
        """Scroll by the visible height, less a line."""
        self.scroll_relative(y=direction * max(1, self.size.height - 1), animate=False)
