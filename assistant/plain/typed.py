"""Lines from standard input, while other things go on."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator

_PIECE = 4096


async def typed_lines(descriptor: int) -> AsyncIterator[str]:
    """Each line that is typed, until the input ends.

    A thread waits for the input; it ends with the program, since nothing can wake it from reading.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def hand_over(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        kept = b""
        try:
            while piece := os.read(descriptor, _PIECE):
                *whole, kept = (kept + piece).split(b"\n")
                for line in whole:
                    hand_over(line.decode("utf-8", "replace"))
        except OSError:
            # The terminal is gone: the same as the end of the input.
            pass
        if kept:
            hand_over(kept.decode("utf-8", "replace"))
        hand_over(None)

    # With the descriptor and not with `sys.stdin`, whose lock would be held when the program ends.
    threading.Thread(target=read, name="standard input", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line
