"""Wording of an approval prompt: what is asked, and how far each answer reaches."""

from __future__ import annotations

from rich.cells import cell_len

from assistant.events import ActionKind
from assistant.i18n import _, later
from assistant.presentation.text import one_line
from assistant.records import ForegroundApp
from assistant.text_layout import shortened

ROOM = 74
"""Cells available for a row of choices in a terminal of 80 columns."""

_TITLES = {
    ActionKind.PAY: later("Pay?"),
    ActionKind.SEND: later("Send or call?"),
    ActionKind.DELETE: later("Delete?"),
    ActionKind.INSTALL: later("Install?"),
    ActionKind.GRANT: later("Grant permission?"),
    ActionKind.SECURITY: later("Change a security setting?"),
    ActionKind.PASSWORD: later("Enter a password or code?"),
}
_YES = (
    later("ctrl+y yes, once  ctrl+t all {kind} this turn  ctrl+o always in {app}"),
    later("ctrl+y once  ctrl+t {kind} this turn  ctrl+o always in {app}"),
)
"""Templates, longest first: the first that fits is used; in the last one the app's name is shortened."""


_KINDS = {
    ActionKind.PAY: later("payments"),
    ActionKind.SEND: later("sends and calls"),
    ActionKind.DELETE: later("deletions"),
    ActionKind.INSTALL: later("installs"),
    ActionKind.GRANT: later("permissions"),
    ActionKind.SECURITY: later("security changes"),
    ActionKind.PASSWORD: later("passwords"),
}


def format_title(kind: ActionKind) -> str:
    """The kind of action, as a question."""
    return _(_TITLES[kind])


def format_kind(kind: ActionKind) -> str:
    """The plural noun for a kind of action, such as "payments"."""
    return _(_KINDS[kind])


def format_app(app: ForegroundApp) -> str:
    """The app's display name; empty where the app is unknown, so that no approval is offered for it."""
    return one_line(app.title) if app.package else ""


def format_choices(kind: ActionKind, app: ForegroundApp) -> str:
    """The keys of the decision: a row of answers that allow, and a row of answers that refuse."""
    refusing = _("ctrl+n no, and pause  ctrl+e no, do instead what you type")
    return f"{_format_allowing(format_kind(kind), format_app(app))}\n{refusing}"


def _format_allowing(kind: str, app: str) -> str:
    if not app:
        return _("ctrl+y yes, once  ctrl+t all {kind} this turn").format(kind=kind)
    rows = [_(template).format(kind=kind, app=app) for template in _YES]
    short = shortened(app, max(1, cell_len(app) - (cell_len(rows[-1]) - ROOM)))
    fitting = (row for row in rows if cell_len(row) <= ROOM)
    return next(fitting, _(_YES[-1]).format(kind=kind, app=short))
