"""Past commands in a list, the newest first; Enter puts one into the input field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.tui.words import clip, one_line

_SHOWN = 500
_LENGTH = 200


class HistoryScreen(ModalScreen[str | None]):
    """Answers the picked command, or None."""

    CSS_PATH = "history.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f4,q", "dismiss", "Close", show=False)]

    def __init__(self, commands: Sequence[str]) -> None:
        super().__init__()
        self._commands = list(dict.fromkeys(reversed(commands)))[:_SHOWN]

    def compose(self) -> ComposeResult:
        """The list."""
        options = [Option(Content(clip(one_line(command), _LENGTH))) for command in self._commands]
        choices = OptionList(*options, id="history", markup=False)
        choices.border_title = "Past commands"
        choices.border_subtitle = "enter picks · esc closes"
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Hand the picked command back."""
        self.dismiss(self._commands[message.option_index])
