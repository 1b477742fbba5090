"""Saying where the user is; Enter takes a scenario, which holds until the phone is somewhere else."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.language import _, later
from assistant.records import SCENARIOS

_BACK = later("leave it to the phone")


class WhereScreen(ModalScreen[str | None]):
    """Answers a scenario, an empty text to take back what was said, or None."""

    CSS_PATH = "where.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f12,q", "dismiss", "Close", show=False)]

    def compose(self) -> ComposeResult:
        """The list."""
        options = [Option(Content(_(words))) for words in (*SCENARIOS, _BACK)]
        choices = OptionList(*options, id="where", markup=False)
        choices.border_title = _("Where are you?")
        choices.border_subtitle = _("enter picks · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Hand the answer back."""
        self.dismiss((*SCENARIOS, "")[message.option_index])
