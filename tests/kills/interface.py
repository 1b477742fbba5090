"""The terminal interface killed in a turn, and the turn that is continued.

A message is sent as a user does it, by keys in a real terminal. The kills are spread evenly over the life of
the turn by its events, each with a random delay: from the Enter that begins it, over the approval, the intent
in the memory and the arrival of the message on the simulated phone, to a little after its end. Then the
memory must open and be sound, a turn that the interface showed as running must be known, and continuing it
must have sent the message once.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.bench.harness import Stage, open_stage
from assistant.bench.terminal import Terminal, TerminalFailed, in_terminal
from assistant.memory.database import StoreError
from assistant.memory.store import Store, local_time
from assistant.presentation.ui_state import SETTLING
from assistant.settings.schema import Settings
from assistant.simulator.chance import share
from assistant.simulator.world import WorldOptions

from .memory import is_sound
from .turns import ERRANDS, HAS_INTENT, IS_OPEN, LANES, continue_turn, find_in_turns

_SEND = ERRANDS[0]
_START_LIMIT, _PAINT_LIMIT = 180.0, 90.0
_POLL = 0.004


class Moment(StrEnum):
    """The event in the life of a turn that a kill waits for, in the order in which they come."""

    ENTERED = "command entered"
    SHOWN = "shown as running"
    ASKED = "approval asked"
    APPROVED = "approved"
    INTENT = "intent stored"
    ARRIVED = "message arrived"
    ENDED = "turn ended"


_DELAYS = {
    Moment.ENTERED: 0.6,
    Moment.SHOWN: 4.0,
    Moment.ASKED: 0.5,
    Moment.APPROVED: 0.4,
    Moment.INTENT: 0.15,
    Moment.ARRIVED: 0.5,
    Moment.ENDED: 0.5,
}
"""The longest delay after each event, in seconds."""


@dataclass(frozen=True, slots=True)
class Kill:
    """When the interface is killed: so many seconds after a moment of the turn."""

    moment: Moment
    seconds: float


@dataclass(frozen=True, slots=True)
class KilledInterface:
    """What a killed interface left.

    `moment` is where in the turn it was killed, `shown` whether it said that the turn runs, `remembered`
    whether the memory knows of the turn; `before` and `after` how often the message was sent before and after
    it was continued.
    """

    moment: Moment
    sound: bool
    shown: bool
    remembered: bool
    before: int
    after: int

    @property
    def good(self) -> bool:
        """Whether nothing is lost, and nothing done twice."""
        times = 1 if self.remembered else 0
        return self.sound and (self.remembered or not self.shown) and self.after == times


async def kill_interfaces(times: int, seed: int) -> list[KilledInterface]:
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
                with TemporaryDirectory(prefix="assistant-kills-", ignore_cleanup_errors=True) as folder:
                    await stage.prepare()
                    killed.append(await _kill(stage, Path(folder), draw_kill(number, seed)))

    await asyncio.gather(*(lane() for _ in range(min(LANES, times))))
    return killed


def draw_kill(number: int, seed: int) -> Kill:
    """The moment of one kill; each moment has its turn."""
    moment = tuple(Moment)[number % len(Moment)]
    return Kill(moment, _DELAYS[moment] * share(seed, "interface", number))


async def _kill(stage: Stage, folder: Path, kill: Kill) -> KilledInterface:
    settings = stage.settings.model_copy(update={"store": folder / "store"})
    command = [sys.executable, "-m", "assistant", "--config", str(_write_config(settings, folder))]
    command += ["--store", str(settings.store)]
    async with in_terminal(command, 100, 30, {"HOME": str(folder)}) as terminal:
        await terminal.paints(b"Sim Phone", _START_LIMIT)
        await terminal.quiet(0.3, _START_LIMIT)
        await _reach(kill.moment, terminal, stage, settings)
        await asyncio.sleep(kill.seconds)
        terminal.kill()
        shown = b"Running" in terminal.painted
    before = _SEND.count(await stage.phone.state())
    try:
        sound = await asyncio.to_thread(is_sound, settings.store)
        remembered = await asyncio.to_thread(_has_turn, settings)
        await continue_turn(stage, settings, _SEND)
    except StoreError:
        return KilledInterface(kill.moment, False, shown, False, before, before)
    after = _SEND.count(await stage.phone.state())
    return KilledInterface(kill.moment, sound, shown, remembered, before, after)


async def _reach(moment: Moment, terminal: Terminal, stage: Stage, settings: Settings) -> None:
    """Type the command and say yes to the message, as far as that moment of the turn.

    Raises:
        TerminalFailed: the interface does not come so far.
    """
    place = tuple(Moment).index
    terminal.forget()
    terminal.press(_SEND.said.encode() + b"\r")
    if place(moment) >= place(Moment.SHOWN):
        await terminal.paints(b"Running", _PAINT_LIMIT)
    if place(moment) >= place(Moment.ASKED):
        await terminal.paints(b"this once", _PAINT_LIMIT)
        # Keys that come with a question answer nothing.
        await terminal.quiet(SETTLING + 0.1, _PAINT_LIMIT)
    if place(moment) >= place(Moment.APPROVED):
        # One key marks the answer, Enter gives it.
        terminal.press(b"y")
        await terminal.quiet(0.1, _PAINT_LIMIT)
        terminal.press(b"\r")
    if place(moment) >= place(Moment.INTENT):
        await _wait_in_deed(moment, stage, settings)


async def _wait_in_deed(moment: Moment, stage: Stage, settings: Settings) -> None:
    """Wait after the yes for the intent, the arrival or the end of the turn.

    Raises:
        TerminalFailed: it does not come.
    """
    end = time.monotonic() + _PAINT_LIMIT
    while not await _has_come(moment, stage, settings):
        if time.monotonic() > end:
            raise TerminalFailed(f"The turn does not come to this: {moment}.")
        await asyncio.sleep(_POLL)


async def _has_come(moment: Moment, stage: Stage, settings: Settings) -> bool:
    if moment is Moment.ENDED:
        return not await asyncio.to_thread(find_in_turns, settings, IS_OPEN)
    if moment is Moment.INTENT and await asyncio.to_thread(find_in_turns, settings, HAS_INTENT):
        return True
    # An intent may stand too shortly to be seen; then the arrival is as near as can be.
    return _SEND.count(await stage.phone.state()) > 0


def _write_config(settings: Settings, folder: Path) -> Path:
    file = folder / "settings.toml"
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
