"""`bench takeover`: how soon a turn pauses when the user takes the phone.

Turns run on a phone in this process; at random moments the user touches it, switches it off, is called, or
pulls the cable. The baseline is to notice at the next observation of the screen: what is left of the step.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_list
from assistant.bench.harness import Follower, LocalPhone, TurnFailed, following, open_own_phone, started
from assistant.bench.report import Report, progress, spread
from assistant.events import Cause, TurnState
from assistant.settings.schema import TurnSettings
from assistant.simulator.chance import Chance
from assistant.simulator.model.options import ControlChange

BUDGET_MILLISECONDS = 300.0
"""From the event to the pause, at the 95th percentile."""

_COMMAND = "set an alarm for 7:30 on weekdays"
_PACE = 60.0
_LIMIT = 60.0
_LONGEST_MOMENT = 0.6
_STOPPED = (TurnState.PAUSING, TurnState.WAITING)


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
_SHARES = {Cut.TOUCH: 0.6, Cut.POWER: 0.15, Cut.CALL: 0.15, Cut.CABLE: 0.1}


@dataclass(frozen=True, slots=True)
class Notice:
    """One time that the user cut in: how, seconds until the turn stood, and the cause it gave."""

    cut: Cut
    seconds: float
    cause: Cause


async def run(count: int, seed: int) -> Report:
    """Cut in `count` times, each in a turn of its own.

    Raises:
        TurnFailed: a turn hangs, or ends before it notices.
    """
    chance = Chance(seed)
    notices: list[Notice] = []
    async with open_own_phone() as local:
        await local.model.change(ControlChange(clear=True, pace=_PACE))
        undisturbed, _, unasked, did = await _turn(local, None, 0, 0.0)
        for number in range(1, count + 1):
            (cut,) = chance.choices(list(_SHARES), list(_SHARES.values()))
            step = chance.randint(1, max(1, len(undisturbed) - 1))
            _, notice, more, others = await _turn(local, cut, step, chance.uniform(0, _LONGEST_MOMENT))
            notices += notice
            unasked += more
            did += others
            progress(f"{number}/{count} {cut}: {notices[-1].seconds * 1000:.0f} ms")
    return report(notices, undisturbed, unasked, seed, did)


async def _turn(
    local: LocalPhone, cut: Cut | None, step: int, moment: float
) -> tuple[list[float], list[Notice], int, DeedCount]:
    """A turn into which the user cuts, some seconds after a step ended and the next began.

    Returns:
        The seconds of its steps, what it noticed, how often it paused before anything happened, what it did.
    """
    local.phone.reset()
    local.phone.person.hang_up()
    await local.connect()
    held = local.phone.state()
    turn_settings = TurnSettings(confirm=False, confirm_meaning_seconds=0)
    engine = local.engine(local.settings.overridden({"turn": turn_settings.model_dump()}))
    notices: list[Notice] = []
    async with started(engine), following(engine) as turn:
        engine.run(_COMMAND)
        try:
            async with asyncio.timeout(_LIMIT):
                await turn.until(lambda: cut is not None and len(turn.steps) >= step and turn.step > step)
                if cut is not None:
                    await asyncio.sleep(moment)
                before = len(turn.states)
                if cut is not None:
                    notices.append(await _cut_in(local, turn, cut))
        except TimeoutError as error:
            raise TurnFailed(f"The turn hangs in step {turn.step}.") from error
        finally:
            engine.cancel()
    unasked = sum(state in _STOPPED for _, state, _ in turn.states[:before])
    did = of_list(held, local.phone.state(), {"apps/com.example.clock/alarms": 1})
    return [finished.seconds for finished in turn.steps], notices, unasked, did


async def _cut_in(local: LocalPhone, turn: Follower, cut: Cut) -> Notice:
    before, began = len(turn.states), time.monotonic()
    match cut:
        case Cut.TOUCH:
            local.phone.person.tap(540, 1200)
        case Cut.POWER:
            local.phone.person.press_power()
        case Cut.CALL:
            local.phone.person.call("Mom")
        case Cut.CABLE:
            local.phone.daemon.faults.drop()
    await turn.until(lambda: any(state in _STOPPED for _, state, _ in turn.states[before:]))
    for stopped, state, cause in turn.states[before:]:
        if state in _STOPPED:
            return Notice(cut, stopped - began, cause)
    raise TurnFailed(f"The turn ended before it noticed the {cut}.")


def report(
    notices: Sequence[Notice], steps: Sequence[float], unasked: int, seed: int, did: DeedCount = NO_DEEDS
) -> Report:
    """How soon each way of cutting in was noticed, beside noticing at the end of the step."""
    chance = Chance(seed)
    lengths = chance.choices(steps, weights=steps, k=max(1, len(notices)))
    baseline = spread([chance.uniform(0, length) for length in lengths])
    rows = {"all": spread(notice.seconds for notice in notices)}
    rows |= {cut.value: spread(notice.seconds for notice in notices if notice.cut is cut) for cut in Cut}
    wrong = sum(notice.cause is not _CAUSES[notice.cut] for notice in notices)
    values = {
        "noticed": rows,
        "baseline": baseline,
        "budget_ms": BUDGET_MILLISECONDS,
        "paused_unasked": unasked,
        "wrong_cause": wrong,
        "deeds": did.as_json(),
        "seed": seed,
    }
    good = rows["all"]["p95_ms"] <= BUDGET_MILLISECONDS and unasked == 0 and not wrong
    return Report(values, good)
