"""The sections of the memory in one line; the open one is marked."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from assistant.i18n import _
from assistant.memory_view.items import Section
from assistant.tui.memory.widgets import SECTIONS

_OPEN, _GAP = "▸", " "
_SECTIONS = list(Section)
_MORE = 2


class MemorySections(Widget):
    """A click opens a section. If not all fit, those around the open one are shown."""

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
        """As many names as fit, with signs for hidden ones."""
        first, last = self._window(self.content_size.width)
        names = [self._format_section(section) for section in _SECTIONS[first : last + 1]]
        before = "‹ " if first else ""
        after = " ›" if last + 1 < len(_SECTIONS) else ""
        line = Content.assemble((before, "bold"), Content(_GAP).join(names), (after, "bold"))
        return line.truncate(self.content_size.width, ellipsis=True)

    def on_click(self, event: events.Click) -> None:
        """Open the section under the pointer; the signs at the ends open the next hidden one."""
        first, last = self._window(self.content_size.width)
        end = _MORE if first else 0
        if event.x < end:
            self.post_message(self.Picked(_SECTIONS[first - 1]))
            return
        for section in _SECTIONS[first : last + 1]:
            end += self._format_section(section).cell_length + 1
            if event.x < end:
                self.post_message(self.Picked(section))
                return
        if last + 1 < len(_SECTIONS):
            self.post_message(self.Picked(_SECTIONS[last + 1]))

    def _format_section(self, section: Section) -> Content:
        name = _(SECTIONS[section])
        if section is self._section:
            return Content.styled(_OPEN + name, "bold $text-accent")
        return Content.styled(_GAP + name, "$foreground-muted")

    def _window(self, width: int) -> tuple[int, int]:
        """The first and last visible section: as many as fit around the open one."""
        widths = [self._format_section(section).cell_length + 1 for section in _SECTIONS]
        if sum(widths) - 1 <= width:
            return 0, len(_SECTIONS) - 1
        first = last = _SECTIONS.index(self._section)
        room = width - 2 * _MORE - widths[first]
        if first and widths[first - 1] <= room:
            first -= 1
            room -= widths[first]
        while last + 1 < len(_SECTIONS) and widths[last + 1] <= room:
            last += 1
            room -= widths[last]
        while first and widths[first - 1] <= room:
            first -= 1
            room -= widths[first]
        return first, last
