"""Layout of the phone screen and memory panels: beside the turn, or instead of it in a small terminal."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Size
from textual.screen import Screen

from assistant.i18n import _
from assistant.tui.memory.panel import MemoryPanel
from assistant.tui.memory_work import Where
from assistant.tui.widgets.picture_panel import PicturePanel

ROOMY = 120
"""Columns from which the memory is shown beside the turn instead of in its place."""

_NARROWEST = 60
"""Columns below which the phone screen would leave too little room for the steps."""

_PICTURE_WIDEST = 44
_ROWS_BESIDE_PICTURE = 8
_COLUMNS_A_ROW = 0.9


class Sides:
    """Opens and closes the two panels.

    Args:
        screen: carries the style classes that show them.
        picture: the phone screen panel.
        memory: the memory panel.
        hint: shows a message for a few seconds.
    """

    def __init__(
        self, screen: Screen[None], picture: PicturePanel, memory: MemoryPanel, hint: Callable[[str], None]
    ) -> None:
        self._screen = screen
        self._picture = picture
        self._memory = memory
        self._hint = hint

    def fit(self, size: Size) -> None:
        """Fit the panels to the terminal; the phone screen panel keeps a phone's aspect ratio."""
        roomy = size.width >= ROOMY
        self._screen.update_classes({"-roomy": roomy, "-full": not roomy})
        rows = max(1, size.height - _ROWS_BESIDE_PICTURE)
        self._picture.styles.width = min(_PICTURE_WIDEST, round(rows * _COLUMNS_A_ROW) + 2)

    def hide_picture(self) -> None:
        """Hide the phone's screen even where there is room."""
        self._screen.add_class("-no-picture")

    def toggle_picture(self) -> None:
        """Show or hide the phone's screen."""
        shown = bool(self._picture.display)
        if not shown and self._picture.colourless:
            self._hint(_("The phone's screen needs colours, which are off here."))
            return
        if not shown and self._screen.size.width < _NARROWEST:
            message = _("The phone's screen needs {needed} columns; there are {columns}.")
            self._hint(message.format(needed=_NARROWEST, columns=self._screen.size.width))
            return
        self._screen.set_class(shown, "-no-picture")
        self._screen.set_class(not shown, "-picture")

    def toggle_memory(self) -> None:
        """Open the memory and focus it; if focused, close it."""
        if self._memory.focused:
            self._memory.back()
        else:
            self._screen.add_class("-memory")
            self._memory.open()

    def open_memory(self, where: Where) -> None:
        """Open the memory at a location."""
        self._screen.add_class("-memory")
        self._memory.open_where(where)

    def close_memory(self) -> None:
        """Close the memory."""
        self._screen.remove_class("-memory")
