"""What the interface costs while nothing happens: the phone is followed and routines are looked for.

The baseline is an empty Textual app in a terminal of the same size, at the same time. Both tell their own
processor seconds, which do not grow when other programs want the processor too.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assistant.bench.report import Grid, Report
from assistant.bench.terminal import Terminal, TerminalFailed, in_terminal
from assistant.commands.demo_memory import live_in
from assistant.config import Settings
from assistant.simulator.world import World, WorldOptions

BUDGET = 0.01
"""Of one core: DESIGN section 10."""
_SETTLING = 15.0
_PATIENCE = 60.0
_COLUMNS, _ROWS = 160, 50
_MEASURE = """
import asyncio, time
from pathlib import Path

async def measure(file, settling, seconds):
    await asyncio.sleep(settling)
    begun = time.process_time()
    await asyncio.sleep(seconds)
    Path(file).write_text(str(time.process_time() - begun))

async def both(running, file, settling, seconds):
    measuring = asyncio.create_task(measure(file, settling, seconds))
    await running
"""
_OURS = """
from datetime import datetime
from assistant.config import load
from assistant.engine import Engine
from assistant.tui import run_tui

engine = Engine(load(), now=lambda: datetime.now().astimezone(), simulated="Simulated phone")
asyncio.run(both(run_tui(engine), {file!r}, {settling}, {seconds}))
"""
_EMPTY = """
from textual.app import App

asyncio.run(both(App().run_async(), {file!r}, {settling}, {seconds}))
"""


@dataclass(frozen=True, slots=True)
class IdleTimes:
    """Processor seconds of the interface and of an empty app within so many seconds."""

    seconds: float
    ours: float
    empty: float


async def measure(seconds: float, folder: Path) -> IdleTimes:
    """Let both stand still for a while.

    Args:
        seconds: how long; a minute has a heartbeat and a look at the phone's surroundings in it.
        folder: an empty folder for memory and results.

    Raises:
        TerminalFailed: a program ended or told nothing.
        WorldFailed: the simulated phone does not start.
        StoreError: the memory cannot be filled.
    """
    store = folder / "store"
    options = WorldOptions()
    await asyncio.to_thread(live_in, Settings(store=store), options, lambda: datetime.now().astimezone())
    async with World(options) as world:
        phone, model = world.settings["phone"], world.settings["model"]
        environment = {
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "ASSISTANT_STORE": str(store),
            "ASSISTANT_PHONE__SERIAL": phone["serial"],
            "ASSISTANT_PHONE__ADB_PORT": str(phone["adb_port"]),
            "ASSISTANT_MODEL__BASE_URL": model["base_url"],
            "ASSISTANT_MODEL__NAME": model["name"],
        }
        ours, empty = await asyncio.gather(
            _cpu(_OURS, folder / "ours", seconds, environment),
            _cpu(_EMPTY, folder / "empty", seconds, environment),
        )
    return IdleTimes(seconds, ours, empty)


async def _cpu(program: str, file: Path, seconds: float, environment: Mapping[str, str]) -> float:
    code = _MEASURE + program.format(file=str(file), settling=_SETTLING, seconds=seconds)
    command = [sys.executable, "-c", code]
    async with in_terminal(command, _COLUMNS, _ROWS, environment) as terminal:
        return await _told(terminal, file, _SETTLING + seconds + _PATIENCE)


async def _told(terminal: Terminal, file: Path, limit: float) -> float:
    async with asyncio.timeout(limit):
        while (told := await asyncio.to_thread(_read, file)) is None:
            await terminal.quiet(1.0, 1.0)
            if terminal.ended:
                raise TerminalFailed("The interface ended before it was measured.")
    return told


def _read(file: Path) -> float | None:
    """What a program wrote, None before it has."""
    text = file.read_text() if file.is_file() else ""
    return float(text) if text else None


def report(times: IdleTimes) -> Report:
    """The shares of a core, and whether ours is within the budget."""
    ours, empty = times.ours / times.seconds, times.empty / times.seconds
    rows = (
        ("the interface, phone followed, routines looked for", f"{ours:.2%}", f"{times.ours:.2f} s"),
        ("an empty Textual app", f"{empty:.2%}", f"{times.empty:.2f} s"),
    )
    columns = ("", "of a core", f"in {times.seconds:g} s")
    good = ours <= BUDGET
    word = "within" if good else "over"
    return Report(
        {
            "seconds": times.seconds,
            "share": round(ours, 5),
            "baseline_share": round(empty, 5),
            "budget": BUDGET,
        },
        [Grid("Idle", columns, rows, frozenset(columns[1:]))],
        [f"The mark is {BUDGET:.0%} of a core: {ours:.2%} is {word} it."],
        good,
        simulated="Simulated phone and memory",
    )
