"""The sections of the memory in one line; the one that is open is marked."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from assistant.memory_view.items import Section

_OPEN, _GAP = "▸", " "


class MemorySections(Widget):
    """A click opens a section."""

    ALLOW_SELECT = False

    @dataclass
    class Picked(Message):
        """A section was clicked."""

        section: Section

    def __init__(self) -> None:
        super().__init__(id="memory-sections")
        self._section = Section.PREFERENCES

    def show(self, section: Section) -> None:
        """Mark the open section."""
        self._section = section
        self.refresh()

    def render(self) -> Content:
        """The names, as many as fit."""
        names = [
            Content.styled(_OPEN + one, "bold $text-accent")
            if one is self._section
            else Content.styled(_GAP + one, "$foreground-muted")
            for one in Section
        ]
        line = Content.assemble(Content(_GAP).join(names), ("  ← →", "$foreground-muted"))
        return line.truncate(self.content_size.width, ellipsis=True)

    def on_click(self, event: events.Click) -> None:
        """Open the section under the pointer."""
        end = 0
        for section in Section:
            end += cell_len(section) + 2
            if event.x < end:
                self.post_message(self.Picked(section))
                return
