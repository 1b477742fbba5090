"""The last line: the active keys, or a message for a few seconds."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from assistant.presentation.text import one_line
from assistant.presentation.ui_state import Situation
from assistant.tui.keymap import with_user_keys
from assistant.tui.keys import format_footer

_HINT_STAYS = 5.0


class KeyLine(Widget):
    """Built from the table of keys."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._situation = Situation()
        self._hint = ""
        self._fading: Timer | None = None

    def show(self, situation: Situation) -> None:
        """Show the keys for a situation."""
        if situation != self._situation:
            self._situation, self._hint = situation, ""
            self.refresh()

    def hint(self, sentence: str) -> None:
        """Show a message for a few seconds."""
        self._hint = with_user_keys(one_line(sentence))
        if self._fading is not None:
            self._fading.stop()
        self._fading = self.set_timer(_HINT_STAYS, self._fade)
        self.refresh()

    def _fade(self) -> None:
        self._hint = ""
        self.refresh()

    def render(self) -> Content:
        """The message first, then as many keys as fit."""
        width = self.content_size.width
        line = Content.assemble(" ", (self._hint, "bold $text-warning")) if self._hint else Content("")
        for default_key, words in format_footer(self._situation):
            shown = with_user_keys(default_key)
            gap = " · " if line else " "
            if line.cell_length + cell_len(f"{gap}{shown} {words}") > width:
                break
            line += Content.assemble(
                (gap, "$foreground-muted"), (shown, "bold"), (f" {words}", "$foreground-muted")
            )
        return line.truncate(width, ellipsis=True)
