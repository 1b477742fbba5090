"""The field for words that items of the memory are found by; it is shown only while one finds."""

from __future__ import annotations

from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from assistant.language import _

_TYPING_PAUSE = 0.06


class MemoryFind(Input):
    """Asks for what is typed once the fingers rest, and remembers what was found last."""

    class Rested(Message):
        """What is typed is to be looked for."""

    def __init__(self) -> None:
        super().__init__(id="memory-find", placeholder=_("Find"), compact=True, select_on_focus=False)
        self.cursor_blink = False
        self._found = ""
        self._typed: Timer | None = None

    @property
    def finding(self) -> bool:
        """Whether the field is shown."""
        return self.has_class("-finding")

    @property
    def waiting(self) -> bool:
        """Whether what is typed has not been looked for yet."""
        return self.finding and self.value != self._found

    def begin(self) -> None:
        """Show the field, and take the keys."""
        self.add_class("-finding")
        self.focus()

    def end(self) -> None:
        """Empty the field, and show it no more."""
        self.remove_class("-finding")
        self.value = self._found = ""

    def answered(self, text: str) -> None:
        """What these words find is known."""
        self._found = text

    def on_input_changed(self) -> None:
        """Wait until the fingers rest."""
        if self.finding:
            if self._typed is not None:
                self._typed.stop()
            self._typed = self.set_timer(_TYPING_PAUSE, self._rest)

    def _rest(self) -> None:
        self.post_message(self.Rested())
