"""The search field of the memory panel; shown only while searching."""

from __future__ import annotations

from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from assistant.i18n import _

_TYPING_PAUSE = 0.06


class MemoryFind(Input):
    """Posts a message when typing pauses, and remembers the last search that was answered."""

    class Rested(Message):
        """Typing has paused; the search is to be run."""

    def __init__(self) -> None:
        super().__init__(id="memory-find", placeholder=_("Find"), compact=True, select_on_focus=False)
        self.cursor_blink = False
        self._answered_text = ""
        self._typed: Timer | None = None

    @property
    def finding(self) -> bool:
        """Whether the field is shown."""
        return self.has_class("-finding")

    @property
    def waiting(self) -> bool:
        """Whether the text has not been searched for yet."""
        return self.finding and self.value != self._answered_text

    def begin(self) -> None:
        """Show the field and focus it."""
        self.add_class("-finding")
        self.focus()

    def end(self) -> None:
        """Empty and hide the field."""
        self.remove_class("-finding")
        self.value = self._answered_text = ""

    def answered(self, text: str) -> None:
        """The results for a text have arrived."""
        self._answered_text = text

    def on_input_changed(self) -> None:
        """Wait until typing pauses."""
        if self.finding:
            if self._typed is not None:
                self._typed.stop()
            self._typed = self.set_timer(_TYPING_PAUSE, self._rest)

    def _rest(self) -> None:
        self.post_message(self.Rested())
