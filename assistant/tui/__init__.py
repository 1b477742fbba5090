"""The terminal interface. It sits on the engine and knows nothing else of the program."""

from __future__ import annotations

import os

from assistant.setup.core import Setup
from assistant.tui.door import EngineDoor

RESTART = 75
"""What `run_tui` returns when setting up has changed what the engine was made of."""


async def run_tui(engine: EngineDoor, setup: Setup | None = None) -> int:
    """Show the interface until the user leaves it, then close the engine.

    Args:
        engine: runs the turns.
        setup: what the setup screen works with; without it there is none.

    Returns:
        The exit code: 0, 1 when the interface itself broke, or `RESTART`.
    """
    _prepare()
    from assistant.tui.app import show

    return await show(engine, setup)


async def run_setup(setup: Setup) -> bool:
    """Show the setup screen alone until the user leaves it; whether it went well."""
    _prepare()
    from assistant.tui.setup_app import show_setup

    return await show_setup(setup)


def _prepare() -> None:
    """Before Textual is imported: how long a lone Escape waits for the rest of a sequence.

    Textual reads it once, when it is imported, and looks ten times a second: with its own 100 ms two rounds
    could pass before Escape stops the phone.
    """
    os.environ.setdefault("ESCDELAY", "30")
