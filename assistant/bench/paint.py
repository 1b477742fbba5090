"""From a key press to the letter on the screen, with many steps shown, idle and while thoughts stream.

The interface runs in a terminal of its own, over an engine that only plays.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.bench.playing import THOUGHT
from assistant.bench.terminal import Terminal, in_terminal

_START_LIMIT = 240.0
_LIMIT = 10.0
_SETTLING = 1.0
_BETWEEN = 0.15
# These neither occur in what the interface says nor end a terminal's control sequences.
_LETTERS = "QZXVWY"
# The interface and the benchmarks do not know each other: only the child process joins them.
_PROGRAM = """
import asyncio
from assistant.bench.playing import PlayingEngine
from assistant.tui import run_tui

asyncio.run(run_tui(PlayingEngine({steps})))
"""
_COLUMNS, _ROWS = 160, 50


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """Seconds from key to paint with so many steps in the panel, and the bytes of memory held with them.

    `little_memory` is held with a quarter of the steps: what more takes, the further steps take.
    """

    steps: int
    streaming: tuple[float, ...]
    idle: tuple[float, ...]
    memory: int = 0
    little_memory: int = 0


async def time_keys(steps: int, presses: int, home: Path) -> KeyTimes:
    """Type letters that stand nowhere else on the screen.

    Args:
        steps: how many steps the panel shows.
        presses: letters typed while idle, and as many while thoughts stream.
        home: a folder for what the interface wants to keep.

    Raises:
        TerminalFailed: the interface does not start, or does not paint a letter.
    """
    async with _showing(max(1, steps // 4), home) as terminal:
        little_memory = terminal.memory()
    async with _showing(steps, home) as terminal:
        memory = terminal.memory()
        idle = await _typed(terminal, presses)
        terminal.press(b"go\r")
        await terminal.paints(THOUGHT.split()[-1].encode(), _LIMIT)
        await asyncio.sleep(_SETTLING)
        streaming = await _typed(terminal, presses)
        return KeyTimes(steps, streaming, idle, memory, little_memory)


@asynccontextmanager
async def _showing(steps: int, home: Path) -> AsyncIterator[Terminal]:
    """The interface with so many steps in its panel."""
    command = [sys.executable, "-c", _PROGRAM.format(steps=steps)]
    async with in_terminal(command, _COLUMNS, _ROWS, {"HOME": str(home)}) as terminal:
        await terminal.paints(f"Page {steps - 1}".encode() if steps > 1 else b"Running", _START_LIMIT)
        await asyncio.sleep(_SETTLING)
        yield terminal


async def _typed(terminal: Terminal, presses: int) -> tuple[float, ...]:
    return tuple([await _key(terminal, _LETTERS[place % len(_LETTERS)]) for place in range(presses)])


async def _key(terminal: Terminal, letter: str) -> float:
    """Type a letter that is painted nowhere else, and delete it again."""
    await asyncio.sleep(_BETWEEN)
    terminal.forget()
    began = terminal.press(letter.encode())
    painted = await terminal.paints(letter.encode(), _LIMIT)
    terminal.press(b"\x7f")
    return painted - began
