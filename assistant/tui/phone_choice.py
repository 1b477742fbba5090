"""Choosing one of the connected phones."""

from __future__ import annotations

from assistant.engine import EngineBusy
from assistant.i18n import _
from assistant.presentation.engine_protocol import EngineDoor
from assistant.tui.screens.main import MainScreen
from assistant.tui.screens.phones import PhonesScreen


class PhoneChoice:
    """Shows the phones above the main screen.

    Args:
        engine: lists the phones, and switches to one.
        main: shows messages; while another screen is above it, nothing is shown.
    """

    def __init__(self, engine: EngineDoor, main: MainScreen) -> None:
        self._engine = engine
        self._main = main

    async def show_phones(self) -> None:
        """List the connected phones, and let the user choose one."""
        phones = await self._engine.phones()
        if not self._main.is_active:
            return
        if phones:
            used = self._main.status.status.serial
            self._main.app.push_screen(PhonesScreen(phones, used), self._use_phone)
        else:
            self._main.hint(_("No phone is connected."))

    def _use_phone(self, serial: str | None) -> None:
        if not serial:
            return
        try:
            self._engine.use_phone(serial)
        except EngineBusy as refusal:
            self._main.hint(str(refusal))
        except OSError as error:
            self._main.hint(_("Used, but not remembered: {reason}.").format(reason=error.strerror))
