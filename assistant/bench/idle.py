"""`bench idle`: what the interface costs while nothing happens, beside an empty Textual app.

The baseline is an empty Textual app in a terminal of the same size, at the same time. Both tell their own
processor seconds, which do not grow when other programs want the processor too.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.bench.report import Report
from assistant.bench.terminal import TerminalFailed, in_terminal
from assistant.demo.memory import live_in
from assistant.settings.schema import Settings
from assistant.simulator.world import World, WorldOptions

BUDGET = 0.005
"""Of one core."""
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
from assistant.settings.load import load
from assistant.engine import Engine
from assistant.cli.setup import run_tui

engine = Engine(load(), now=lambda: datetime.now().astimezone(), simulated="Simulated phone")
asyncio.run(both(run_tui(engine), {file!r}, {settling}, {seconds}))
"""
_EMPTY = """
from textual.app import App

asyncio.run(both(App().run_async(), {file!r}, {settling}, {seconds}))
"""


async def run(seconds: float) -> Report:
    """Let both stand still for so many seconds; a minute has a heartbeat in it.

    Raises:
        TerminalFailed: a program ended or told nothing.
        WorldFailed: the simulated phone does not start.
        StoreError: the memory cannot be filled.
    """
    with TemporaryDirectory(prefix="assistant-bench-") as home:
        folder, options = Path(home), WorldOptions()
        store = folder / "store"
        await asyncio.to_thread(live_in, Settings(store=store), options, lambda: datetime.now().astimezone())
        async with World(options) as world:
            phone, model = world.settings["phone"], world.settings["model"]
            environment = {
                "HOME": home,
                "XDG_CONFIG_HOME": home,
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
    return report(seconds, ours, empty)


async def _cpu(program: str, file: Path, seconds: float, environment: Mapping[str, str]) -> float:
    """Processor seconds of a program, which writes them to a file."""
    code = _MEASURE + program.format(file=str(file), settling=_SETTLING, seconds=seconds)
    command = [sys.executable, "-c", code]
    async with (
        in_terminal(command, _COLUMNS, _ROWS, environment) as terminal,
        asyncio.timeout(_SETTLING + seconds + _PATIENCE),
    ):
        while not (text := await asyncio.to_thread(_read, file)):
            await terminal.quiet(1.0, 1.0)
            if terminal.ended:
                raise TerminalFailed("The interface ended before it was measured.")
    return float(text)


def _read(file: Path) -> str:
    return file.read_text() if file.is_file() else ""


def report(seconds: float, ours: float, empty: float) -> Report:
    """The shares of a core from processor seconds, and whether ours is within the budget."""
    share = ours / seconds
    values = {
        "seconds": seconds,
        "share": round(share, 5),
        "baseline_share": round(empty / seconds, 5),
        "budget": BUDGET,
    }
    return Report(values, share <= BUDGET, simulated="Simulated phone and memory")
