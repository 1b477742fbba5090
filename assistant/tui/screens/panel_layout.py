"""The layout of the main screen: the panels beside the turn, or in its place in a small terminal."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Size
from textual.screen import Screen

from assistant.i18n import _
from assistant.memory_view.items import ItemLocation, Section
from assistant.tui.memory.jobs import Where
from assistant.tui.memory.panel import MemoryPanel
from assistant.tui.screens.why import ReasonsPanel
from assistant.tui.widgets.phone_screen import PicturePanel

ROOMY = 120
"""Columns from which the memory is shown beside the turn instead of in its place."""

_NARROWEST = 60
"""Columns below which the phone screen would leave too little room for the steps."""

SIDES = 140
"""Columns from which the reasons stand below the phone's screen."""

_PICTURE_WIDEST, _TEXT_NARROWEST, _TEXT_WIDEST = 44, 30, 52
_TEXT_SHARE = 0.45
"""The columns of the phone's screen: as pixels, and as text, which may take this share of the terminal."""

_ROWS_BESIDE_PICTURE = 8
_COLUMNS_A_ROW = 0.9

WIDTHS = [(0, "-narrow"), (110, "-wide")]
"""Style classes by columns; in a wide terminal the phone's screen is shown by default."""
HEIGHTS = [(0, "-tiny"), (8, "-short"), (21, "-medium"), (36, "-tall")]
"""Style classes by lines."""
_ROOM, _SIDES = [(0, "-full"), (ROOMY, "-roomy")], [(0, "-one-side"), (SIDES, "-sides")]


class PanelLayout:
    """Opens and closes the two panels.

    Args:
        screen: carries the style classes that show them.
        picture: the phone screen panel.
        reasons: the panel below it.
        memory: the memory panel.
        hint: shows a message for a few seconds.
    """

    def __init__(
        self,
        screen: Screen[None],
        picture: PicturePanel,
        reasons: ReasonsPanel,
        memory: MemoryPanel,
        hint: Callable[[str], None],
    ) -> None:
        self._screen = screen
        self._picture = picture
        self._reasons = reasons
        self._memory = memory
        self._hint = hint

    def fit(self, size: Size, update: bool = True) -> None:
        """Fit the panels to the terminal; a screenshot keeps a phone's aspect ratio.

        All style classes of a size are set together, since each change of one restyles every widget.
        """
        classes: dict[str, bool] = {}
        widths = ((size.width, steps) for steps in (WIDTHS, _ROOM, _SIDES))
        for length, steps in (*widths, (size.height, HEIGHTS)):
            reached = max((step for step in steps if step[0] <= length), default=None)
            classes.update({step[1]: step is reached for step in steps})
        self._screen.update_classes(classes, update=update)
        sides = size.width >= SIDES
        rows = max(1, size.height - _ROWS_BESIDE_PICTURE)
        width = min(_PICTURE_WIDEST, round(rows * _COLUMNS_A_ROW) + 2)
        if sides:
            width = _TEXT_WIDEST
        elif self._picture.in_text:
            width = max(_TEXT_NARROWEST, min(_PICTURE_WIDEST, round(size.width * _TEXT_SHARE)))
        self._picture.styles.width = self._reasons.styles.width = width

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

    def show_memory(self, words: str = "", section: Section | None = None) -> None:
        """Open the memory, at a section where one is given; with words, at what they find."""
        self._screen.add_class("-memory")
        self._memory.open(section)
        if words:
            self._memory.search(words)

    def show_to_forget(self, words: str) -> None:
        """Open the memory where something stands that holds the words, to be forgotten there."""
        if words:
            self.open_memory(lambda view: view.to_forget(words))
        else:
            note = _("w wipes the whole memory; it says what goes, and asks first.")
            self.open_memory(lambda _view: ItemLocation(Section.RECORDS, "", note))

    def open_memory(self, where: Where) -> None:
        """Open the memory at a location."""
        self._screen.add_class("-memory")
        self._memory.open_where(where)

    def close_memory(self) -> None:
        """Close the memory."""
        self._screen.remove_class("-memory")
