"""The title of the terminal window: the turn's state, for a user who looks at another window."""

from __future__ import annotations

from textual.app import App

from assistant.i18n import _
from assistant.presentation.ui_state import Asking, Situation, format_headline
from assistant.tui.terminal import restore_title, save_title, set_title

_CALLING = (Asking.APPROVAL, Asking.QUESTION)


def format_title(situation: Situation) -> str:
    """The sign of the turn and the program's name; or that the program needs the user."""
    if situation.asking in _CALLING:
        return _("● assistant needs you")
    sign = "" if situation.state is None else format_headline(situation.state, situation.cause)[0]
    return f"{sign} {_('assistant')}".lstrip()


class WindowTitle:
    """Writes the title when it changes, and restores the shell's title while the shell has the terminal."""

    def __init__(self) -> None:
        self._title = format_title(Situation())

    def begin(self, app: App[None]) -> None:
        """Save the terminal's title, and show our own."""
        save_title(app)
        set_title(app, self._title)

    def show(self, app: App[None], situation: Situation) -> None:
        """Update the title."""
        title = format_title(situation)
        if title != self._title:
            self._title = title
            set_title(app, title)

    def leave(self, app: App[None]) -> None:
        """Restore the terminal's title."""
        restore_title(app)
