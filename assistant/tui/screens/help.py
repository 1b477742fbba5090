"""The help: keys and states, made from the tables that the program itself uses."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.events import Cause, TurnState
from assistant.language import _, later
from assistant.tui.keys import KEYS, TYPING
from assistant.tui.memory_keys import MEMORY
from assistant.tui.situation import headline
from assistant.tui.words import padded

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
)
_BY_ACCIDENT = later(
    "A decision takes no focus and no plain letter. Its keys count half a second after it appears and one "
    "second after the last letter typed, so that nothing is approved by accident."
)
_MEANING = later(
    "A command that was filled in from memory is shown before it runs, and goes on after a few seconds "
    "(turn.confirm_meaning_seconds). Typing stops the count: the field then says what to do."
)


class HelpScreen(ModalScreen[None]):
    """Closed with Escape or F1; the turn goes on behind it."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q", "dismiss", "Close", show=False)]

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="help-box") as box:
            box.border_title = _("Help")
            box.border_subtitle = _("esc closes")
            yield Static(_text(), id="help", markup=False)


def _text() -> Content:
    keys = [(_(key.shown), _(key.help)) for key in KEYS if key.help and key.key]
    signs = [headline(state, cause) for state, cause in _STATES]
    return Content("\n").join(
        [
            _heading(_("Keys")),
            *_rows(keys),
            _heading("\n" + _("Typing")),
            *_rows([(_(shown), _(words)) for shown, words in TYPING]),
            _heading("\n" + _("In the memory (f2), while its list has the focus")),
            *_rows([(_(key.shown), _(key.help)) for key in MEMORY if key.help]),
            _heading("\n" + _("Decisions")),
            Content(_(_BY_ACCIDENT)),
            Content(_(_MEANING)),
            _heading("\n" + _("States")),
            *(Content(f"  {sign} {words}") for sign, words in signs),
        ]
    )


def _heading(words: str) -> Content:
    return Content.styled(words, "bold $text-accent")


def _rows(rows: tuple[tuple[str, str], ...] | list[tuple[str, str]]) -> list[Content]:
    return [Content.assemble("  ", (padded(shown, 11), "bold"), words) for shown, words in rows]
