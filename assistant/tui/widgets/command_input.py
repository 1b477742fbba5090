"""The input field: commands, messages to the running turn, answers. Enter sends, up and down recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from assistant.i18n import _, later
from assistant.presentation.text import safe
from assistant.presentation.ui_state import Field
from assistant.tui.keymap import with_user_keys
from assistant.tui.recall import Recall

_TITLES = {
    Field.COMMAND: "",
    Field.SAY: later("enter says it, ctrl+g queues it as the next command"),
    Field.SAY_LATER: later("enter says it, ctrl+g queues it as the next command"),
    Field.ANSWER: later("answer"),
    Field.INSTEAD: later("enter: no, do this instead"),
    Field.MEANING: later("do this · edit it here"),
}
_PLACEHOLDERS = {
    Field.COMMAND: later("What should the phone do?"),
    Field.SAY: later("Say something while it works, or queue the next command"),
    Field.SAY_LATER: later("Say something for when it goes on, or queue the next command"),
    Field.ANSWER: later("Your answer to the question above"),
    Field.INSTEAD: later("What should it do instead?"),
    Field.MEANING: later("What it should do"),
}


class CommandInput(TextArea):
    """A field that grows to a few lines. Its title says what its text is for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,shift+enter,alt+enter", "new_line", "New line", show=False),
    ]

    @dataclass
    class Sent(Message):
        """Enter was pressed with some text."""

        text: str

    @dataclass
    class Typed(Message):
        """A key or a paste changed the field."""

    @dataclass
    class Escaped(Message):
        """Escape was received together with a following letter, because the terminal delayed it."""

    @dataclass
    class NothingToUndo(Message):
        """Undo was pressed with nothing to undo."""

    def __init__(self, history: Callable[[], Sequence[str]]) -> None:
        super().__init__(
            id="input", compact=True, highlight_cursor_line=False, placeholder=_(_PLACEHOLDERS[Field.COMMAND])
        )
        self.cursor_blink = False
        self._history = history
        self._recall = Recall()
        self._recalling = False
        self._proposed = ""
        self._serves: Field | None = None

    def serve(self, field: Field) -> None:
        """Show what the field's text is for."""
        if field is self._serves:
            return
        self._serves = field
        self.border_title = with_user_keys(_(_TITLES[field]))
        self.placeholder = _(_PLACEHOLDERS[field])
        self.set_class(field in (Field.ANSWER, Field.INSTEAD, Field.MEANING), "-asked")

    def fill(self, text: str) -> None:
        """Replace the field's text."""
        self.load_text(safe(text))
        self.move_cursor(self.document.end)

    def propose(self, text: str) -> bool:
        """Put a text into the empty field for editing; returns whether it was empty."""
        if self.text:
            return False
        self.fill(text)
        self._proposed = self.text
        return True

    def withdraw(self) -> None:
        """Remove the proposed text, unless it was changed."""
        if self._proposed and self.text == self._proposed:
            # Undo must not restore it as if it had been typed.
            self.fill("")
        self._proposed = ""

    async def on_key(self, event: events.Key) -> None:
        """Enter sends; all other keys are the text area's own."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            if self.text.strip():
                self.post_message(self.Sent(self.text.strip()))
            return
        if event.key.startswith("alt+") and event.is_printable:
            self.post_message(self.Escaped())
        self._recalling = self._recalling and event.key in ("up", "down")
        self.post_message(self.Typed())

    async def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text with its lines, without control characters."""
        event.stop()
        event.prevent_default()
        self.replace(safe(event.text), *self.selection, maintain_selection_offset=False)
        self.post_message(self.Typed())

    def action_undo(self) -> None:
        """Undo typing, if there is any."""
        if self.history.undo_stack:
            super().action_undo()
        else:
            self.post_message(self.NothingToUndo())

    def action_new_line(self) -> None:
        """Insert a line break."""
        self.insert("\n")

    def action_cursor_up(self, select: bool = False) -> None:
        """In the first line, recall the previous command."""
        if select or not self.cursor_at_first_line:
            super().action_cursor_up(select)
            return
        if not self._recalling:
            self._recall.start(self._history())
            self._recalling = True
        older = self._recall.older(self.text)
        if older is not None:
            self.fill(older)

    def action_cursor_down(self, select: bool = False) -> None:
        """In the last line, recall the next command."""
        if select or not self._recalling or not self.cursor_at_last_line:
            super().action_cursor_down(select)
            return
        newer = self._recall.newer()
        if newer is not None:
            self.fill(newer)
