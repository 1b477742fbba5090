"""The queued commands, above the input field: always visible, editable while focused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.i18n import _
from assistant.presentation.text import clip, one_line
from assistant.tui.keymap import with_user_keys
from assistant.tui.list_keys import QUEUE, list_bindings, list_footer

_LENGTH = 200


class QueueList(OptionList):
    """Takes no room while the queue is empty."""

    BINDINGS: ClassVar[list[BindingType]] = list(list_bindings(QUEUE))

    @dataclass
    class Wished(Message):
        """The user's choice for a queued command: go, edit, drop, up, down, leave."""

        wish: str
        place: int

    def __init__(self) -> None:
        super().__init__(id="queue", markup=False, compact=True)
        self._title = ""

    def show(self, commands: Sequence[str], held: str) -> None:
        """Show the commands; `held` says why the next one does not start, if so."""
        place = self.highlighted
        self.clear_options()
        self.add_options(
            [
                Option(Content(f"{number}  {clip(one_line(command), _LENGTH)}"))
                for number, command in enumerate(commands, start=1)
            ]
        )
        self._title = held or _("next")
        self.set_class(bool(commands), "-open")
        self.set_class(bool(held), "-held")
        if commands:
            self.highlighted = min(place or 0, len(commands) - 1)
        self._show_title()

    def on_focus(self) -> None:
        """Show the active keys."""
        self._show_title()

    def on_blur(self) -> None:
        """Show how to focus the queue."""
        self._show_title()

    def action_wish(self, wish: str) -> None:
        """Post the user's choice."""
        if self.highlighted is not None:
            self.post_message(self.Wished(wish, self.highlighted))

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Enter releases a held queue."""
        message.stop()
        self.post_message(self.Wished("go", message.option_index))

    def _show_title(self) -> None:
        keys = list_footer(QUEUE) if self.has_focus else _("ctrl+g with an empty field changes it")
        self.border_title = f"{self._title} · {with_user_keys(keys)}"
