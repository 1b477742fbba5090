"""From a key press to the letter on the screen, with many steps shown, idle and while thoughts stream.

The interface runs in a terminal of its own, over an engine that only plays. The baseline is a Textual app of
one field, in a terminal of the same size: each key is pressed there too, right before.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.bench.figures import Spread, ratio, spread
from assistant.bench.playing import THOUGHT
from assistant.bench.report import Grid
from assistant.bench.terminal import Terminal, in_terminal

BUDGET_MILLISECONDS = 50.0
"""DESIGN section 10."""

_START_LIMIT = 240.0
_LIMIT = 10.0
SETTLING = 1.0
"""The seconds that the interface is left alone before it is measured."""

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
_EMPTY = """
from textual.app import App
from textual.widgets import Input

class Empty(App):
    def compose(self):
        yield Input(placeholder="Nothing")

Empty().run()
"""
_COLUMNS, _ROWS = 160, 50


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """Seconds from key to paint with so many steps in the panel, and in the empty app at the same time.

    `processor` seconds are what a key takes while nothing streams; they do not grow when other programs want
    the processor too. `memory` is in bytes, `little_memory` that with a quarter of the steps: what more it
    takes, the further steps take.
    """

    steps: int
    streaming: tuple[float, ...]
    idle: tuple[float, ...]
    empty: tuple[float, ...]
    processor: float = 0.0
    empty_processor: float = 0.0
    memory: int = 0
    little_memory: int = 0

    @property
    def bytes_a_step(self) -> float:
        """What one further step takes; 0 where the system does not tell."""
        more = self.steps - _little(self.steps)
        return (self.memory - self.little_memory) / more if more else 0.0


async def time_keys(steps: int, presses: int, home: Path, settling: float = SETTLING) -> KeyTimes:
    """Type letters that stand nowhere else on the screen.

    Args:
        steps: how many steps the panel shows.
        presses: letters typed while idle, and as many while thoughts stream.
        home: a folder for what the interface wants to keep.
        settling: the seconds that the interface is left alone before it is measured.

    Raises:
        TerminalFailed: the interface does not start, or does not paint a letter.
    """
    async with _showing(_little(steps), home, settling) as terminal:
        little_memory = terminal.memory()
    async with _showing(steps, home, settling) as terminal, _empty(home, settling) as empty:
        memory = terminal.memory()
        before = terminal.processor(), empty.processor()
        idle, empty_idle = await _typed(terminal, empty, presses)
        processor = terminal.processor() - before[0]
        empty_processor = empty.processor() - before[1]
        terminal.press(b"go\r")
        await terminal.paints(THOUGHT.split()[-1].encode(), _LIMIT)
        await asyncio.sleep(settling)
        streaming, empty_meanwhile = await _typed(terminal, empty, presses)
    return KeyTimes(
        steps,
        streaming,
        idle,
        empty_idle + empty_meanwhile,
        processor / presses,
        empty_processor / presses,
        memory,
        little_memory,
    )


@dataclass(frozen=True, slots=True)
class KeyReport:
    """What is said of keys: a table, sentences, plain values, and whether they are within the budget."""

    grid: Grid
    lines: tuple[str, ...]
    values: dict[str, Any]
    good: bool


def report(keys: KeyTimes) -> KeyReport:
    """Key to paint beside the empty app, and what a further step takes."""
    streaming, idle, empty = spread(keys.streaming), spread(keys.idle), spread(keys.empty)
    rows = {"while thoughts stream": streaming, "idle": idle, "baseline: an empty app": empty}
    lines = [
        f"Key to paint while streaming: median {streaming.median:.0f} ms, p95 {streaming.p95:.0f} ms; "
        f"the mark is {BUDGET_MILLISECONDS:.0f} ms. "
        f"An empty app takes {empty.median:.0f} and {empty.p95:.0f} ms.",
        f"Processor time of a key: {1000 * keys.processor:.1f} ms, "
        f"in the empty app {1000 * keys.empty_processor:.1f} ms.",
    ]
    values: dict[str, Any] = {
        "key_to_paint": {
            "steps": keys.steps,
            "streaming": streaming.as_json(),
            "idle": idle.as_json(),
            "cpu_ms_per_key": round(1000 * keys.processor, 2),
            "baseline": {
                "what": "an empty Textual app at the same time",
                **empty.as_json(),
                "ratio_median": ratio(streaming.median, empty.median),
                "ratio_p95": ratio(streaming.p95, empty.p95),
                "cpu_ms_per_key": round(1000 * keys.empty_processor, 2),
            },
            "budget_ms": BUDGET_MILLISECONDS,
        }
    }
    if keys.memory and keys.little_memory:
        grown = keys.memory / keys.little_memory
        lines.append(
            f"The interface holds {keys.memory / 1e6:.0f} MB with {keys.steps} steps, {grown:.2f} times what "
            f"it holds with {_little(keys.steps)}: {keys.bytes_a_step / 1e3:.1f} kB more for each step."
        )
        values["memory"] = {
            "steps": keys.steps,
            "megabytes": round(keys.memory / 1e6, 1),
            "baseline": {
                "what": "a quarter of the steps",
                "megabytes": round(keys.little_memory / 1e6, 1),
                "ratio": round(grown, 3),
            },
            "bytes_per_step": round(keys.bytes_a_step),
        }
    return KeyReport(
        grid(f"Key to paint, {keys.steps} steps", rows),
        tuple(lines),
        values,
        streaming.p95 <= BUDGET_MILLISECONDS,
    )


def grid(title: str, rows: dict[str, Spread]) -> Grid:
    """Times as a table."""
    columns = ("", "count", "median ms", "p95 ms", "max ms")
    shown = tuple(
        (name, str(one.count), f"{one.median:.1f}", f"{one.p95:.1f}", f"{one.largest:.1f}")
        for name, one in rows.items()
    )
    return Grid(title, columns, shown, frozenset(columns[1:]))


def _little(steps: int) -> int:
    return max(1, steps // 4)


@asynccontextmanager
async def _showing(steps: int, home: Path, settling: float) -> AsyncIterator[Terminal]:
    """The interface with so many steps in its panel."""
    command = [sys.executable, "-c", _PROGRAM.format(steps=steps)]
    async with in_terminal(command, _COLUMNS, _ROWS, {"HOME": str(home)}) as terminal:
        await terminal.paints(f"Page {steps - 1}".encode() if steps > 1 else b"Running", _START_LIMIT)
        await asyncio.sleep(settling)
        yield terminal


@asynccontextmanager
async def _empty(home: Path, settling: float) -> AsyncIterator[Terminal]:
    command = [sys.executable, "-c", _EMPTY]
    async with in_terminal(command, _COLUMNS, _ROWS, {"HOME": str(home)}) as terminal:
        await terminal.paints(b"Nothing", _START_LIMIT)
        await asyncio.sleep(settling)
        yield terminal


async def _typed(
    ours: Terminal, empty: Terminal, presses: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The same letters in both, in turn."""
    taken: list[float] = []
    baseline: list[float] = []
    for place in range(presses):
        letter = _LETTERS[place % len(_LETTERS)]
        baseline.append(await _key(empty, letter))
        taken.append(await _key(ours, letter))
    return tuple(taken), tuple(baseline)


async def _key(terminal: Terminal, letter: str) -> float:
    """Type a letter that is painted nowhere else, and delete it again."""
    await asyncio.sleep(_BETWEEN)
    terminal.forget()
    began = terminal.press(letter.encode())
    painted = await terminal.paints(letter.encode(), _LIMIT)
    terminal.press(b"\x7f")
    return painted - began
