"""The title of the terminal's window or tab: how the turn stands, for who looks at something else."""

from __future__ import annotations

from textual.app import App

from assistant.language import _
from assistant.tui.situation import Asking, Situation, headline
from assistant.tui.terminal import restore_title, save_title, set_title

_CALLING = (Asking.APPROVAL, Asking.QUESTION)


def title_of(situation: Situation) -> str:
    """The program's name, after the sign of the turn; or that the user is needed."""
    if situation.asking in _CALLING:
        return _("● assistant needs you")
    sign = "" if situation.state is None else headline(situation.state, situation.cause)[0]
    return f"{sign} {_('assistant')}".lstrip()


class WindowTitle:
    """Written when it changes, and taken back while the shell has the terminal."""

    def __init__(self) -> None:
        self._title = title_of(Situation())

    def begin(self, app: App[None]) -> None:
        """Show the title in place of the terminal's own, which the terminal keeps."""
        save_title(app)
        set_title(app, self._title)

    def show(self, app: App[None], situation: Situation) -> None:
        """Tell a change."""
        title = title_of(situation)
        if title != self._title:
            self._title = title
            set_title(app, title)

    def leave(self, app: App[None]) -> None:
        """Give the terminal its own title back."""
        restore_title(app)
