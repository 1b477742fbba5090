"""Lets the user state their location; the scenario holds until the phone is elsewhere."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.i18n import _, later
from assistant.records import SCENARIOS

_BACK = later("leave it to the phone")


class WhereScreen(ModalScreen[str | None]):
    """Returns a scenario, an empty text to undo an earlier statement, or None."""

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
        """Return the chosen scenario."""
        self.dismiss((*SCENARIOS, "")[message.option_index])
