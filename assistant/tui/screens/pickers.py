"""Past suggestions, newest first; Enter puts one into the input field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.events import Answer
from assistant.i18n import _, later, moment
from assistant.presentation.engine_protocol import PastSuggestion
from assistant.presentation.text import clip, one_line
from assistant.text_layout import padded

_LENGTH = 160
_WORDS = {
    Answer.NONE: later("undecided"),
    Answer.ACCEPTED: later("accepted"),
    Answer.EDITED: later("edited"),
    Answer.NOT_NOW: later("not now"),
    Answer.NEVER: later("never"),
    Answer.DONE: later("done by you"),
    Answer.LAPSED: later("no answer"),
}


@dataclass(frozen=True, slots=True)
class PickedSuggestion:
    """A suggestion to use again; `why` is its id if its evidence is to be shown in the memory."""

    instruction: str
    why: str = ""


class SuggestionsScreen(ModalScreen[PickedSuggestion | None]):
    """Returns the chosen suggestion, or None."""

    CSS_PATH = "suggestions.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f7,q", "dismiss", "Close", show=False),
        Binding("w,f8", "why", "Why", show=False),
    ]

    def __init__(self, past: Sequence[PastSuggestion]) -> None:
        super().__init__()
        self._past = list(past)
        self._choices = OptionList(
            *(Option(_format_suggestion(suggestion)) for suggestion in self._past),
            id="suggestions",
            markup=False,
        )

    def compose(self) -> ComposeResult:
        """The list."""
        choices = self._choices
        choices.border_title = _("Past suggestions")
        choices.border_subtitle = _("enter picks · w why · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Return the chosen instruction."""
        self.dismiss(PickedSuggestion(self._past[message.option_index].instruction))

    def action_why(self) -> None:
        """Show the suggestion's evidence in the memory."""
        if (place := self._choices.highlighted) is not None:
            suggestion = self._past[place]
            self.dismiss(PickedSuggestion(suggestion.instruction, suggestion.id))


def _format_suggestion(suggestion: PastSuggestion) -> Content:
    return Content.assemble(
        (f"{moment(suggestion.made)}  ", "$foreground-muted"),
        (padded(_(_WORDS[suggestion.answer]), 12), "bold"),
        clip(one_line(suggestion.instruction), _LENGTH),
    )
