"""The terminal interface. It sits on the engine and knows nothing else of the program."""

from __future__ import annotations

import os

from assistant.tui.door import EngineDoor


async def run_tui(engine: EngineDoor) -> int:
    """Show the interface until the user leaves it, then close the engine.

    Returns:
        The exit code: 0, or 1 when the interface itself broke.
    """
    # How long a lone Escape waits for the rest of a sequence. Textual reads it once, when it is imported, and
    # looks ten times a second: with its own 100 ms two rounds could pass before Escape stops the phone.
    os.environ.setdefault("ESCDELAY", "30")
    from assistant.tui.app import show

    return await show(engine)
