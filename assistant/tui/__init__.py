"""The terminal interface. It sits on the engine and knows nothing else of the program."""

from __future__ import annotations

import io
import os
import sys

from assistant.language import _, later
from assistant.setup.core import Setup
from assistant.tui.door import EngineDoor
from assistant.tui.passing import Steering
from assistant.tui.pictures.asking import begin, find_out
from assistant.tui.typed_ahead import typed_ahead

RESTART = 75
"""What `run_tui` returns when setting up has changed what the engine was made of."""

DEMO = 76
"""What `run_tui` returns when the user wants to try it on a simulated phone."""

NO_TERMINAL = later(
    "The interface needs a terminal: standard input to read keys from, standard error to draw on. "
    'Without one there is: assistant run "TEXT".'
)


async def run_tui(engine: EngineDoor, setup: Setup | None = None, steering: Steering | None = None) -> int:
    """Show the interface until the user leaves it, then close the engine.

    Args:
        engine: runs the turns.
        setup: what the setup screen works with; without it there is none.
        steering: makes time pass, in the demo.

    Returns:
        The exit code: 0, 1 when the interface itself broke or there is no terminal, `RESTART` or `DEMO`.
    """
    if not _prepare():
        await engine.close()
        return 1
    typed = typed_ahead()
    wished = engine.settings.interface.picture
    begin(typed, wished, os.environ)
    try:
        from assistant.tui.app import show

        return await show(engine, setup, steering, typed, find_out(typed, wished, os.environ))
    finally:
        typed.end()


async def run_setup(setup: Setup) -> bool:
    """Show the setup screen alone until the user leaves it; whether it went well."""
    if not _prepare():
        return False
    typed = typed_ahead()
    wished = setup.settings.interface.picture
    try:
        begin(typed, wished, os.environ)
        from assistant.tui.setup_app import show_setup

        terminal = find_out(typed, wished, os.environ)
    finally:
        # Keys pressed before the screen is there mean nothing on it.
        typed.end()
    return await show_setup(setup, terminal)


def _prepare() -> bool:
    """Make the terminal fit before Textual is imported; false, and told, where there is none."""
    # How long a lone Escape waits for the rest of a sequence. Textual reads it once, when it is imported, and
    # looks ten times a second: with its own 100 ms two rounds could pass before Escape stops the phone.
    os.environ.setdefault("ESCDELAY", "30")
    if os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver"):
        # A browser draws, through textual-serve.
        return True
    # Textual reads keys from standard input and draws on standard error.
    drawn = sys.__stderr__
    if not all(stream is not None and stream.isatty() for stream in (sys.__stdin__, drawn)):
        sys.stderr.write(_(NO_TERMINAL) + "\n")
        return False
    # A locale that knows few characters says nothing about the terminal.
    if isinstance(drawn, io.TextIOWrapper):
        drawn.reconfigure(encoding="utf-8", errors="replace")
    return True
