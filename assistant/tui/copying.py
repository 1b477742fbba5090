"""Copies turns to the clipboard, and appends finished turns to the transcript file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.presentation.engine_protocol import EngineDoor
from assistant.tui import clipboard
from assistant.tui.transcript import append_turn


class Copying:
    """Copies text and writes the transcript, and shows the result.

    Args:
        engine: gives past turns, and the setting for the transcript file.
        ask_terminal: sends a text to the terminal's clipboard by OSC 52.
        hint: shows a message for a few seconds.
    """

    def __init__(
        self, engine: EngineDoor, ask_terminal: Callable[[str], None], hint: Callable[[str], None]
    ) -> None:
        self._engine = engine
        self._ask_terminal = ask_terminal
        self._hint = hint

    async def copy(self, text: str) -> None:
        """Copy a text."""
        job = partial(clipboard.copy, text, self._ask_terminal, os.environ, clipboard.run_program)
        self._hint(await asyncio.to_thread(job))

    async def append_to_transcript(self, turn_id: str) -> None:
        """Append a finished turn to the transcript file."""
        file = Path(self._engine.settings.interface.transcript)
        try:
            await asyncio.to_thread(append_turn, self._engine.past_turns(), turn_id, file)
        except (OSError, StoreError) as problem:
            self._hint(_("The transcript is not written: {reason}").format(reason=problem))
