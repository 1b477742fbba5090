"""Small screens over the main one: those in which one thing is picked from a list, and the help.

`SuggestionsScreen` has past suggestions, newest first: Enter puts one into the input field. `PhonesScreen`
has the connected phones: Enter selects one, and the choice is remembered. `RulesScreen` has the rules by
which deeds are always allowed: Enter takes one back. `WhereScreen` lets users say where they are; that
scenario holds until the phone is elsewhere.

`HelpScreen` tells keys and states, built from the program's own tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.events import Answer, Cause, TurnState
from assistant.i18n import _, later, moment, padded, wrap
from assistant.memory.store import StandingApproval
from assistant.phone.errors import PhoneStatus
from assistant.presentation.text import clip, format_headline, format_kind, one_line
from assistant.presentation.ui_state import InputTarget, UiState
from assistant.proactive.suggestions import Suggestion
from assistant.records import SCENARIOS
from assistant.tui.keys import HISTORY, KEYS, QUEUE, SETTINGS, TYPING, ListKey, shown_key, with_user_keys
from assistant.tui.memory.jobs import MEMORY
from assistant.tui.widgets.input_lists import SLASH_COMMANDS
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


_STATES = (
    (None, None),
    (TurnState.RESOLVING, Cause.COMMAND),
    (TurnState.RUNNING, Cause.THINKING),
    (TurnState.RUNNING, Cause.ACTING),
    (TurnState.RUNNING, Cause.OBSERVING),
    (TurnState.WAITING, Cause.APPROVAL),
    (TurnState.WAITING, Cause.QUESTION),
    (TurnState.WAITING, Cause.MEANING),
    (TurnState.WAITING, Cause.PHONE),
    (TurnState.WAITING, Cause.MODEL),
    (TurnState.PAUSING, Cause.USER_PAUSED),
    (TurnState.PAUSED, Cause.USER_PAUSED),
    (TurnState.PAUSED, Cause.HANDED_OVER),
    (TurnState.FINISHED, Cause.DONE),
    (TurnState.FAILED, Cause.DONE),
    (TurnState.CANCELLED, Cause.DONE),
    (TurnState.UNCONFIRMED, Cause.DONE),
)
_BY_ACCIDENT = later(
    "A decision does not take the focus, and plain letters do not answer it. Its keys work half a second "
    "after it appears and one second after the last letter typed, so that nothing is approved by accident."
)
_MEANING = later(
    "A command that was filled in from memory is shown before it runs, and goes on after a few seconds "
    "(turn.confirm_meaning_seconds). Typing stops the count: the field then says what to do."
)


_ENTER = {
    InputTarget.COMMAND: later("Start what is in the field"),
    InputTarget.SAY: later("Tell the running turn; a command of its own can be the next one"),
    InputTarget.SAY_LATER: later("Tell the turn, which reads it when it continues"),
    InputTarget.ANSWER: later("Answer the question with the words in the field"),
    InputTarget.INSTEAD: later("Refuse, and do what is in the field instead"),
    InputTarget.MEANING: later("Do what is in the field"),
}


class HelpScreen(ModalScreen[None]):
    """Closed with Escape or F1; the turn goes on behind it.

    Args:
        situation: the state of the interface.
        memory: the active keys of the memory panel, if it has the focus.
    """

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q", "dismiss", "Close", show=False)]

    def __init__(self, situation: UiState, memory: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._situation = situation
        self._memory = memory

    def compose(self) -> ComposeResult:
        """One scrolling text, beginning with what can be done now."""
        with VerticalScroll(id="help-box") as box:
            box.border_title = _("Help")
            box.border_subtitle = _("esc closes")
            yield Static(id="help", markup=False)

    def on_resize(self) -> None:
        """Break the lines for the new width, once the box has it."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        width = self.query_one("#help-box").scrollable_content_region.width
        self.query_one("#help", Static).update(_format_help(self._situation, self._memory, width))


def _format_help(situation: UiState, memory: Sequence[tuple[str, str]], width: int) -> Content:
    keys = [(shown_key(key), _(key.help)) for key in KEYS if key.help and shown_key(key)]
    commands = [(f"/{command.name}", command.about) for command in SLASH_COMMANDS]
    sign, state = format_headline(situation.state, situation.cause)
    signs = [format_headline(state, cause) for state, cause in _STATES]
    rows = partial(_rows, width=width)
    return Content("\n").join(
        [
            _heading(_("Now: {state}").format(state=f"{sign} {state}")),
            *([_heading(_("In the memory, now")), *rows(list(memory))] if memory else ()),
            *rows(_active_keys(situation)),
            _heading("\n" + _("Keys")),
            *rows(keys),
            _heading("\n" + _("Commands")),
            *rows(commands),
            _heading("\n" + _("Typing")),
            *rows([(_(shown), _(words)) for shown, words in TYPING]),
            _heading("\n" + _("In the memory (f2), while its list has the focus")),
            *rows([(_(key.shown), _(key.help)) for key in MEMORY if key.help]),
            _heading("\n" + _("In the past turns (/history)")),
            *rows(_describe_keys(HISTORY)),
            _heading("\n" + _("In the queue of commands (/queue)")),
            *rows(_describe_keys(QUEUE)),
            _heading("\n" + _("In the settings (/settings)")),
            *rows(_describe_keys(SETTINGS)),
            _heading("\n" + _("Decisions")),
            Content(_(_BY_ACCIDENT)),
            Content(_(_MEANING)),
            _heading("\n" + _("States")),
            *(Content(f"  {sign} {words}") for sign, words in signs),
        ]
    )


def _active_keys(situation: UiState) -> list[tuple[str, str]]:
    """What Enter does now, and the keys that are active only now."""
    help_by_key = {key.shown: _(key.help) for key in KEYS if key.help and key.when(situation)}
    pressing = [(key.shown, _(key.words)) for key in KEYS if key.words and key.when(situation)]
    rows = [("enter", _(_ENTER[situation.field]))]
    rows += [
        (with_user_keys(_(shown)), help_by_key.get(shown, words))
        for shown, words in pressing
        if shown != "f1"
    ]
    return list(dict.fromkeys(rows))


def _describe_keys(keys: Sequence[ListKey]) -> list[tuple[str, str]]:
    return [(_(key.shown), _(key.help)) for key in keys if key.help]


def _heading(words: str) -> Content:
    return Content.styled(with_user_keys(words), "bold $text-accent")


_WORDS_AT = 13
"""The column at which the words behind a key begin."""


def _rows(rows: Iterable[tuple[str, str]], width: int) -> list[Content]:
    """A key and its words each; further lines of the words begin where the first does."""
    return [
        Content.assemble(
            "  ",
            (padded(shown, _WORDS_AT - 2), "bold"),
            ("\n" + " " * _WORDS_AT).join(wrap(words, max(1, width - max(_WORDS_AT, cell_len(shown) + 2)))),
        )
        for shown, words in rows
    ]
