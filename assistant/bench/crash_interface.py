"""`bench crash --interface`: the terminal interface killed in a turn, and the turn that is continued.

A message is sent as a user does it, by keys in a real terminal. The program is killed at a random moment: as
it begins, while it works, or after the yes. Then the memory must open and be sound, a turn that the interface
showed as running must be known, and continuing it must have sent the message once.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.bench.crash import is_sound
from assistant.bench.crash_turns import ERRANDS, LANES, continue_turn
from assistant.bench.harness import Stage, open_stage
from assistant.bench.report import Report, progress
from assistant.bench.terminal import Terminal, in_terminal
from assistant.memory.database import StoreError
from assistant.memory.store import Store, local_time
from assistant.settings.schema import Settings
from assistant.simulator.chance import share
from assistant.simulator.world import WorldOptions

_SEND = ERRANDS[0]
_START_LIMIT, _PAINT_LIMIT = 180.0, 90.0
_STAGES = 3
_SECONDS = (0.6, 4.0, 1.5)
"""For how long after Enter, after the turn shows, and after the yes it is killed."""


@dataclass(frozen=True, slots=True)
class KilledInterface:
    """What a killed interface left.

    `shown` tells whether it said that the turn runs, `remembered` whether the memory knows of the turn;
    `before` and `after` how often the message was sent before and after it was continued.
    """

    sound: bool
    shown: bool
    remembered: bool
    before: int
    after: int

    @property
    def good(self) -> bool:
        """Whether nothing is lost, and nothing done twice."""
        wanted = 1 if self.remembered else 0
        return self.sound and (self.remembered or not self.shown) and self.after == wanted


async def run(times: int, seed: int) -> Report:
    """Kill the interface so many times.

    Raises:
        TerminalFailed: the interface does not start.
        WorldFailed: the simulated world does not start.
    """
    killed: list[KilledInterface] = []
    numbers = iter(range(times))

    async def lane() -> None:
        async with open_stage(WorldOptions(seed=seed, scale=0.5)) as stage:
            for number in numbers:
                with TemporaryDirectory(prefix="assistant-bench-", ignore_cleanup_errors=True) as folder:
                    await stage.prepare()
                    killed.append(await _kill(stage, Path(folder), number, seed))
                if len(killed) % max(1, times // 10) == 0:
                    progress(f"interface: {len(killed)} of {times} killed")

    await asyncio.gather(*(lane() for _ in range(min(LANES, times))))
    return report(killed, seed)


def report(killed: Sequence[KilledInterface], seed: int) -> Report:
    """What came of the kills."""
    values = {
        "killed": len(killed),
        "sound": sum(left.sound for left in killed),
        "shown": sum(left.shown for left in killed),
        "remembered": sum(left.remembered for left in killed),
        "forgotten": sum(left.shown and not left.remembered for left in killed),
        "done_before_the_kill": sum(left.before > 0 for left in killed),
        "done_twice": sum(left.after > 1 for left in killed),
        "lost": sum(left.remembered and left.after == 0 for left in killed),
    }
    good = bool(killed) and all(left.good for left in killed)
    return Report({"benchmark": "crash --interface", "seed": seed, **values}, good)


async def _kill(stage: Stage, folder: Path, number: int, seed: int) -> KilledInterface:
    settings = stage.settings.model_copy(update={"store": folder / "store"})
    stage_of_turn = int(share(seed, "interface", number, "stage") * _STAGES)
    moment = _SECONDS[stage_of_turn] * share(seed, "interface", number)
    command = [sys.executable, "-m", "assistant", "--config", str(_write_config(settings, folder))]
    command += ["--store", str(settings.store)]
    async with in_terminal(command, 100, 30, {"HOME": str(folder)}) as terminal:
        await terminal.paints(b"Sim Phone", _START_LIMIT)
        await terminal.quiet(0.3, _START_LIMIT)
        await _work_until(terminal, stage_of_turn)
        await asyncio.sleep(moment)
        terminal.kill()
        shown = b"Running" in terminal.painted
    before = _SEND.count(await stage.phone.state())
    try:
        sound = await asyncio.to_thread(is_sound, settings.store)
        remembered = await asyncio.to_thread(_has_turn, settings)
        await continue_turn(stage, settings, _SEND)
    except StoreError:
        return KilledInterface(False, shown, False, before, before)
    return KilledInterface(sound, shown, remembered, before, _SEND.count(await stage.phone.state()))


async def _work_until(terminal: Terminal, stage_of_turn: int) -> None:
    """Type the command; wait until it runs, and say yes to the message, as far as that stage of the turn."""
    terminal.forget()
    terminal.press(_SEND.said.encode() + b"\r")
    if stage_of_turn > 0:
        await terminal.paints(b"Running", _PAINT_LIMIT)
    if stage_of_turn > 1:
        await terminal.paints(b"this once", _PAINT_LIMIT)
        await terminal.quiet(0.3, _PAINT_LIMIT)
        terminal.press(b"y")


def _write_config(settings: Settings, folder: Path) -> Path:
    file = folder / "bench.toml"
    phone, model = settings.phone, settings.model
    file.write_text(
        f"[phone]\nserial = {json.dumps(phone.serial)}\nadb_port = {phone.adb_port}\n"
        f"[model]\nbase_url = {json.dumps(model.base_url)}\nname = {json.dumps(model.name)}\n",
        encoding="utf-8",
    )
    return file


def _has_turn(settings: Settings) -> bool:
    """Whether the memory knows of a turn, open or ended."""
    store = Store(settings.store, local_time)
    try:
        return bool(store.turns.commands(settings.user_id))
    finally:
        store.close()
