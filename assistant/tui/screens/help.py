"""The help: keys and states, built from the program's own tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.events import Cause, TurnState
from assistant.i18n import _, later, padded, wrap
from assistant.presentation.text import format_headline
from assistant.presentation.ui_state import InputTarget, UiState
from assistant.tui.keys import HISTORY, KEYS, QUEUE, SETTINGS, TYPING, ListKey, shown_key, with_user_keys
from assistant.tui.memory.jobs import MEMORY
from assistant.tui.widgets.input_lists import SLASH_COMMANDS

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
