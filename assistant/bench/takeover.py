"""How soon a turn pauses when the user takes the phone, and whether its own touches ever count as theirs.

Turns run on a phone in this process; at random moments the user touches it, switches it off, is called, or
pulls the cable. The baseline is to notice at the next look at the screen: what is left of the step.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from assistant.bench.figures import spread
from assistant.bench.hostile import START, Arena, open_arena
from assistant.bench.report import Grid, Report
from assistant.config import TurnSettings
from assistant.engine import Engine
from assistant.events import Cause, Event, StateChanged, StepFinished, StepStarted, TurnFinished, TurnState
from assistant.execute.calls import IDLE_INTERVAL
from assistant.simulator.chance import Chance
from assistant.simulator.model.options import ControlChange

BUDGET_MILLISECONDS = 300.0
"""From the event to the pause, at the 95th percentile."""

_COMMAND = "set an alarm for 7:30 on weekdays"
_PACE = 60.0
_LIMIT = 60.0
_LONGEST_MOMENT = 0.6


class Cut(StrEnum):
    """How the user cuts in."""

    TOUCH = "touch"
    POWER = "power button"
    CALL = "call"
    CABLE = "cable"


_CAUSES = {
    Cut.TOUCH: Cause.TOUCHED,
    Cut.POWER: Cause.PHONE,
    Cut.CALL: Cause.CALL,
    Cut.CABLE: Cause.PHONE,
}
_SHARES = ((Cut.TOUCH, 0.6), (Cut.POWER, 0.15), (Cut.CALL, 0.15), (Cut.CABLE, 0.1))


@dataclass(frozen=True, slots=True)
class Noticed:
    """One time that the user cut in: how, seconds until the turn stood, and the cause it gave."""

    cut: Cut
    seconds: float
    cause: Cause


@dataclass
class _Listener:
    """Follows one turn."""

    steps: list[float] = field(default_factory=list)
    paused_unasked: int = 0
    stood: asyncio.Future[tuple[float, Cause]] | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    step_began: asyncio.Event = field(default_factory=asyncio.Event)

    async def reached(self, step: int) -> None:
        """Wait until a step begins."""
        while len(self.steps) < step:
            self.step_began.clear()
            await self.step_began.wait()

    def take(self, event: Event) -> None:
        """Take one event."""
        match event:
            case StepStarted():
                self.step_began.set()
            case StepFinished(seconds=seconds):
                self.steps.append(seconds)
            case StateChanged(state=TurnState.PAUSING | TurnState.WAITING, cause=cause):
                if self.stood is not None and not self.stood.done():
                    self.stood.set_result((time.perf_counter(), cause))
                elif self.stood is None:
                    self.paused_unasked += 1
            case TurnFinished():
                self.ended.set()
            case _:
                pass


async def measure(
    count: int, seed: int, adb_port: int, told: Callable[[str], None]
) -> tuple[list[Noticed], list[float], int]:
    """Cut in `count` times, each in a turn of its own.

    Returns:
        What was noticed, the seconds of undisturbed steps, and how often a turn paused by itself.
    """
    chance = Chance(seed)
    noticed: list[Noticed] = []
    with tempfile.TemporaryDirectory(prefix="assistant-bench-", ignore_cleanup_errors=True) as folder:
        async with open_arena(adb_port, Path(folder)) as arena:
            await arena.model.change(ControlChange(clear=True, pace=_PACE))
            undisturbed = await _turn(arena, None, 0, 0.0)
            for number in range(1, count + 1):
                cut = chance.choices([one for one, _ in _SHARES], [share for _, share in _SHARES])[0]
                step = chance.randint(1, max(1, len(undisturbed.steps) - 1))
                listener = await _turn(arena, cut, step, chance.uniform(0, _LONGEST_MOMENT), noticed)
                undisturbed.paused_unasked += listener.paused_unasked
                told(f"{number}/{count} {cut}: {noticed[-1].seconds * 1000:.0f} ms")
    return noticed, undisturbed.steps, undisturbed.paused_unasked


async def _turn(
    arena: Arena, cut: Cut | None, step: int, moment: float, noticed: list[Noticed] | None = None
) -> _Listener:
    arena.phone.reset()
    arena.phone.person.hang_up()
    await arena.connect()
    turn = TurnSettings(confirm=False, confirm_meaning_seconds=0)
    settings = arena.settings.overridden({"turn": turn.model_dump()})
    engine = Engine(settings, now=lambda: datetime.now(START.tzinfo))
    listener = _Listener()

    async def listen() -> None:
        async for event in engine.events():
            listener.take(event)

    listening = asyncio.create_task(listen())
    try:
        await engine.start()
        await engine.phone_known()
        engine.run(_COMMAND)
        async with asyncio.timeout(_LIMIT):
            if cut is None:
                await listener.ended.wait()
            elif noticed is not None:
                await listener.reached(step)
                await asyncio.sleep(moment)
                noticed.append(await _cut_in(arena, listener, cut))
    finally:
        engine.cancel()
        await engine.close()
        await listening
    return listener


async def _cut_in(arena: Arena, listener: _Listener, cut: Cut) -> Noticed:
    listener.stood = asyncio.get_running_loop().create_future()
    person, began = arena.phone.person, time.perf_counter()
    match cut:
        case Cut.TOUCH:
            person.tap(540, 1200)
        case Cut.POWER:
            person.press_power()
        case Cut.CALL:
            person.call("Mom")
        case Cut.CABLE:
            arena.phone.daemon.faults.drop()
    stood, cause = await listener.stood
    return Noticed(cut, stood - began, cause)


def report(noticed: Sequence[Noticed], steps: Sequence[float], unasked: int, seed: int) -> Report:
    """How soon each way of cutting in was noticed, beside noticing at the end of the step."""
    chance = Chance(seed)
    left = [chance.uniform(0, one) for one in chance.choices(steps, weights=steps, k=max(1, len(noticed)))]
    ours, baseline = spread(one.seconds for one in noticed), spread(left)
    wrong = [one for one in noticed if one.cause is not _CAUSES[one.cut]]
    rows = [("all", ours), *((cut.value, spread(n.seconds for n in noticed if n.cut is cut)) for cut in Cut)]
    shown = [*rows, ("baseline: end of the step", baseline)]
    return Report(
        values={
            "noticed": {name: one.as_json() for name, one in rows},
            "baseline": baseline.as_json(),
            "budget_ms": BUDGET_MILLISECONDS,
            "paused_unasked": unasked,
            "wrong_cause": len(wrong),
            "seed": seed,
        },
        grids=[
            Grid(
                "From the event to the pause, ms",
                ("", "times", "median", "p95", "max"),
                tuple(
                    (name, str(one.count), f"{one.median:.0f}", f"{one.p95:.0f}", f"{one.largest:.0f}")
                    for name, one in shown
                ),
                frozenset({"times", "median", "p95", "max"}),
            )
        ],
        lines=[
            f"Budget: {BUDGET_MILLISECONDS:.0f} ms at p95. The phone tells all by itself, a call in its log.",
            f"A phone that keeps its log to itself is asked for calls every {1000 * IDLE_INTERVAL:.0f} ms.",
            f"Times that the wrong cause was given: {len(wrong)}.",
            f"Pauses that nobody caused: {unasked}.",
        ],
        good=ours.p95 <= BUDGET_MILLISECONDS and unasked == 0 and not wrong,
    )
