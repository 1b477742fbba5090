"""Starts the terminal interface: prepares the terminal before Textual is imported, then runs the app."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from assistant.engine import Engine
from assistant.i18n import _, later
from assistant.presentation.ui_state import PaletteCommand
from assistant.settings.schema import Picture
from assistant.setup.core import Setup
from assistant.tui.terminal_probe import begin_query, collect_typed_ahead, find_picture_terminal

NO_TERMINAL = later(
    "The interface needs a terminal: standard input to read keys from, standard error to draw on. "
    'Without one there is: assistant run "TEXT".'
)


async def run_tui(
    engine: Engine,
    setup: Setup | None = None,
    commands: Sequence[PaletteCommand] = (),
    guide: Sequence[str] = (),
) -> int:
    """Show the interface until the user leaves it, then close the engine.

    Args:
        engine: runs the turns.
        setup: what the setup screen works with; without it there is none.
        commands: more entries for the command palette.
        guide: lines that the welcome shows in place of its examples.

    Returns:
        The exit code: 0, 1 when the interface failed or there is no terminal, `RESTART` or `DEMO`.
    """
    return await _show(engine.settings.interface.picture, engine, setup, commands, guide)


async def run_setup(setup: Setup) -> bool:
    """Show only the setup screen until the user leaves it; returns whether it ended without an error."""
    return not await _show(setup.settings.interface.picture, None, setup)


async def _show(
    picture_setting: Picture,
    engine: Engine | None,
    setup: Setup | None,
    commands: Sequence[PaletteCommand] = (),
    guide: Sequence[str] = (),
) -> int:
    """Ask the terminal what it can show, then run the app, without an engine its setup screen alone."""
    if not _prepare_terminal():
        if engine is not None:
            await engine.close()
        return 1
    typed = collect_typed_ahead()
    try:
        begin_query(typed, picture_setting, os.environ)
        # For start-up time: the terminal answers while Textual is imported.
        from assistant.tui.app import run_app

        terminal = find_picture_terminal(typed, picture_setting, os.environ)
        return await run_app(engine, setup, commands, typed, terminal, guide)
    finally:
        typed.end()


def _prepare_terminal() -> bool:
    """Prepare the terminal before Textual is imported; prints a message and returns False without one."""
    # How long a lone Escape waits for the rest of a sequence. Textual reads it once, at import, and polls
    # ten times a second: with its default of 100 ms, Escape could need two polls to stop the phone.
    os.environ.setdefault("ESCDELAY", "30")
    if os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver"):
        # A browser draws, through textual-serve.
        return True
    # Textual reads keys from standard input and draws on standard error.
    output = sys.__stderr__
    if not all(stream is not None and stream.isatty() for stream in (sys.__stdin__, output)):
        sys.stderr.write(_(NO_TERMINAL) + "\n")
        return False
    # A locale such as C restricts the encoding, but the terminal still displays UTF-8.
    if isinstance(output, io.TextIOWrapper):
        output.reconfigure(encoding="utf-8", errors="replace")
    return True
