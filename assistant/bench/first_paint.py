"""`bench first-paint`: from starting the program to its first painted field, and to the whole interface.

The baseline is an empty Textual app, started alike right after. Keys are typed as soon as the field is
painted; they must stand in the field of the whole interface. The first start of both is not counted: it fills
the caches.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from tempfile import TemporaryDirectory

from assistant.bench.report import Report, progress, spread
from assistant.bench.terminal import Terminal, TerminalFailed, in_terminal

BUDGET_MILLISECONDS = 1000.0
_LIMIT = 60.0
_COLUMNS, _ROWS = 80, 24
_FIELD, _READY = b"What should the phone do?", b" commands"
_TYPED = b"typed ahead"
_EMPTY = """
from textual.app import App
from textual.widgets import Input

class Empty(App):
    def compose(self):
        yield Input(placeholder="What should the phone do?")

Empty().run()
"""


async def run(times: int) -> Report:
    """Start both so many times, one after the other.

    Raises:
        TerminalFailed: a program ended, or did not show its field in time.
    """
    fields: list[float] = []
    wholes: list[float] = []
    empty: list[float] = []
    kept = 0
    for number in range(times + 1):
        progress(f"start {number} of {times}")
        with TemporaryDirectory(prefix="assistant-bench-") as home:
            environment = {
                "HOME": home,
                "XDG_CONFIG_HOME": home,
                "ASSISTANT_STORE": f"{home}/store",
                # Nobody listens there, so that no adb server is started or asked.
                "ASSISTANT_PHONE__ADB_PORT": "1",
                "LANG": "C.UTF-8",
            }
            field, whole, is_kept = await _ours(environment)
            bare = await _bare(environment)
        if number:
            fields.append(field)
            wholes.append(whole)
            empty.append(bare)
            kept += is_kept
    return report(fields, wholes, empty, kept)


async def _ours(environment: Mapping[str, str]) -> tuple[float, float, bool]:
    """Seconds to the field and to the whole interface, and whether what was typed between is in its field."""
    async with _started([sys.executable, "-m", "assistant"], environment) as (terminal, begun):
        field = await terminal.paints(_FIELD, _LIMIT) - begun
        terminal.press(_TYPED)
        whole = await terminal.paints(_READY, _LIMIT) - begun
        terminal.forget()
        # Whatever follows the keys is drawn with them, in the field of the whole interface.
        terminal.press(b"!")
        try:
            await terminal.paints(_TYPED + b"!", _LIMIT)
        except TerminalFailed:
            return field, whole, False
        return field, whole, True


async def _bare(environment: Mapping[str, str]) -> float:
    async with _started([sys.executable, "-c", _EMPTY], environment) as (terminal, begun):
        return await terminal.paints(_FIELD, _LIMIT) - begun


@asynccontextmanager
async def _started(
    command: Sequence[str], environment: Mapping[str, str]
) -> AsyncIterator[tuple[Terminal, float]]:
    """A program in a terminal, and the moment before it was started."""
    begun = time.monotonic()
    async with in_terminal(command, _COLUMNS, _ROWS, environment) as terminal:
        yield terminal, begun


def report(fields: Sequence[float], wholes: Sequence[float], empty: Sequence[float], kept: int) -> Report:
    """The times from seconds; good if the field is there in time and no key was lost."""
    first = spread(fields)
    values = {
        "first_paint": first,
        "whole_interface": spread(wholes),
        "baseline": spread(empty),
        "typed_ahead_kept": kept,
        "budget_ms": BUDGET_MILLISECONDS,
    }
    return Report(values, first["p95_ms"] <= BUDGET_MILLISECONDS and kept == len(fields), simulated="")
