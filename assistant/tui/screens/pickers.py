"""Small screens in which one thing is picked from a list.

`SuggestionsScreen` has past suggestions, newest first: Enter puts one into the input field. `PhonesScreen`
has the connected phones: Enter selects one, and the choice is remembered. `RulesScreen` has the rules by
which deeds are always allowed: Enter takes one back. `WhereScreen` lets users say where they are; that
scenario holds until the phone is elsewhere.
"""

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
from assistant.i18n import _, later, moment, padded
from assistant.memory.store import StandingApproval
from assistant.phone.errors import PhoneStatus
from assistant.presentation.text import clip, format_kind, one_line
from assistant.proactive.suggestions import Suggestion
from assistant.records import SCENARIOS
from assistant.tui.widgets.status import format_phone_state

_NAME, _SERIAL = 18, 24


class PhonesScreen(ModalScreen[str | None]):
    """Returns the serial of the chosen phone, or None.

    Args:
        phones: the phones, in any state.
        used: the serial of the one in use.
    """

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

    def __init__(self, phones: Sequence[PhoneStatus], used: str) -> None:
        super().__init__()
        self._phones = list(phones)
        self._used = used

    def compose(self) -> ComposeResult:
        """The list, with the phone in use highlighted."""
        choices = OptionList(
            *(Option(self._row(phone)) for phone in self._phones), id="phones-list", markup=False
        )
        serials = [phone.serial for phone in self._phones]
        choices.highlighted = serials.index(self._used) if self._used in serials else 0
        choices.border_title = _("Phones")
        choices.border_subtitle = _("enter uses one · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Return the serial."""
        self.dismiss(self._phones[message.option_index].serial)

    def _row(self, phone: PhoneStatus) -> Content:
        battery = f"{phone.battery}%" if phone.battery is not None else ""
        state = format_phone_state(phone.state) or _("ready")
        in_use = _("in use") if phone.serial == self._used else ""
        return Content.assemble(
            (padded(clip(one_line(phone.model) or _("phone"), _NAME - 2), _NAME), "bold"),
            padded(clip(one_line(phone.serial), _SERIAL - 2), _SERIAL),
            padded(battery, 6),
            " · ".join(words for words in (state, in_use) if words),
        )


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

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", show=False),
        Binding("w,f8", "why", "Why", show=False),
    ]

    def __init__(self, past: Sequence[Suggestion]) -> None:
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


def _format_suggestion(suggestion: Suggestion) -> Content:
    return Content.assemble(
        (f"{moment(suggestion.made)}  ", "$foreground-muted"),
        (padded(_(_WORDS[suggestion.answer]), 12), "bold"),
        clip(one_line(suggestion.instruction), _LENGTH),
    )


_BACK = later("leave it to the phone")


class RulesScreen(ModalScreen[StandingApproval | None]):
    """Returns the rule to take back, or None."""

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

    def __init__(self, rules: Sequence[StandingApproval]) -> None:
        super().__init__()
        self._rules = list(rules)

    def compose(self) -> ComposeResult:
        """The rules, app by app."""
        choices = OptionList(
            *(Option(Content(_format_rule(rule))) for rule in self._rules), id="phones-list", markup=False
        )
        choices.border_title = _("Allowed always")
        choices.border_subtitle = _("enter takes one back · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Return the rule."""
        self.dismiss(self._rules[message.option_index])


def _format_rule(rule: StandingApproval) -> str:
    whom = one_line(f"{rule.recipient} {rule.item}")
    parts = (format_kind(rule.kind), one_line(rule.app or rule.package), whom)
    return " · ".join(part for part in parts if part)


class WhereScreen(ModalScreen[str | None]):
    """Returns a scenario, an empty text to undo an earlier statement, or None."""

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

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
