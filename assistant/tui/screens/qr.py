"""A QR code for the phone to read."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.i18n import _
from assistant.phone.pairing import Invitation, qr_lines


class QrScreen(ModalScreen[None]):
    """Stays until the phone is paired or the user closes it."""

    CSS_PATH = "qr.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

    def __init__(self, invitation: Invitation) -> None:
        super().__init__()
        self._lines = qr_lines(invitation.payload)

    def compose(self) -> ComposeResult:
        """Instructions above the code."""
        words = _("Developer options, Wireless debugging, Pair device with QR code. esc closes.")
        with Vertical(id="qr-box"):
            yield Static(words, id="qr-words", markup=False)
            yield Static("\n".join(self._lines), id="qr", markup=False)
