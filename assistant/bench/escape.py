"""From the Escape key in the real terminal interface to the last request that the phone receives."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable

from assistant.bench.stage import Stage
from assistant.bench.tasks import BenchTask
from assistant.bench.terminal import Terminal, TerminalFailed, in_terminal
from assistant.config import Settings
from assistant.simulator.chance import share

_START_LIMIT = 30.0
_LIMIT = 20.0
_QUIET = 0.3
_SOON = 2.0
_EARLIEST, _LATEST = 0.3, 5.0


async def escapes(
    stage: Stage,
    task: BenchTask,
    times: int,
    seed: int,
    tell: Callable[[int], None] = lambda _done: None,
) -> list[float]:
    """Seconds from each Escape to the last request; 0 where none came after it.

    The command of a task that needs no yes is typed, Escape pressed at a random moment of its turn, and
    once more to end it. `tell` hears how many times that was done.

    Raises:
        TerminalFailed: the interface does not show what it should.
    """
    settings = stage.settings
    file = settings.store / "bench.toml"
    file.write_text(_as_toml(settings), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "assistant",
        "--store",
        str(settings.store / "tui"),
        "--config",
        str(file),
    ]
    taken = []
    async with in_terminal(command, 100, 30, {"HOME": str(settings.store)}) as terminal:
        # The status bar names the phone as soon as a turn can run.
        await terminal.paints(b"Sim Phone", _START_LIMIT)
        await terminal.quiet(0.5, _START_LIMIT)
        for number in range(times):
            await stage.prepare(task.setup)
            delay = _EARLIEST + share(seed, "escape", number) * (_LATEST - _EARLIEST)
            taken.append(await _escape(stage, terminal, task.instruction, delay))
            tell(len(taken))
    return taken


def _as_toml(settings: Settings) -> str:
    """The settings file that leads to this phone and this model."""
    phone, model = settings.phone, settings.model
    return (
        f"[phone]\nserial = {json.dumps(phone.serial)}\nadb_port = {phone.adb_port}\n"
        f"[model]\nbase_url = {json.dumps(model.base_url)}\nname = {json.dumps(model.name)}\n"
    )


async def _escape(stage: Stage, terminal: Terminal, said: str, delay: float) -> float:
    terminal.forget()
    begun = terminal.press(said.encode() + b"\r")
    await terminal.paints(b"Running", _LIMIT)
    await asyncio.sleep(delay)
    terminal.forget()
    pressed = terminal.press(b"\x1b")
    await terminal.paints(b"Paused by you", _LIMIT)
    await asyncio.sleep(_QUIET)
    traffic = await stage.phone.traffic(since=begun)
    terminal.forget()
    terminal.press(b"\x1b")
    try:
        await terminal.paints(b"Cancelled", _SOON)
    except TerminalFailed:
        # So long after the first it counts as a first one itself.
        terminal.press(b"\x1b")
        await terminal.paints(b"Cancelled", _LIMIT)
    await terminal.quiet(0.2, _LIMIT)
    return max(0.0, traffic.last_request - pressed)
