"""One phone with two other displays, for `bench parallel`: how much faster, and what faults do.

The simulated phone has the restrictions of a real one: UiAutomation serves one dump at a time, whichever
display it is for, keys without a display go to the one that was touched last, and an app has one task. So
what is gained is bounded by the dumps. Making the displays is part of the time.

A wrong display is counted from what the phone noted of each input: one that came to a display unnamed, or met
another app there than that of a sub-task that ran on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from assistant.agent.plans.planner import split_command
from assistant.bench.parallel import (
    APPS,
    KINDS,
    SERIAL,
    THINKING,
    Command,
    CommandRun,
    FaultTally,
    Lab,
    Mode,
    critical_path,
    end_of,
    find_stored_end,
    has_ended,
    make_command,
    open_lab,
    replace_patience,
    run_command,
)
from assistant.bench.report import Report, progress, rounded
from assistant.records import Outcome
from assistant.settings.schema import OtherDisplays
from assistant.simulator.chance import pick, whole
from assistant.simulator.orders import Bring, EndDisplay, Lock, SetQuirks, Unlock

DISPLAYS = Mode("displays", 1, displays=True)
KIND = "multi-shop + social"

FAULTS = ("dies", "all die", "moves", "own app in front", "black", "main only", "locks", "killed", "none")
"""What happens at a random moment: one display dies, or all; the user opens the app of a sub-task on the own
screen, before or after; a display is black, an app may not be opened there, the phone locks for a moment, the
program is killed."""

_PACKAGES = {"Contacts": "com.example.contacts", "Maps": "com.example.maps", "Notes": "com.example.notes"}


async def measure_displays(times: int, seed: int, delays: float) -> dict[str, Any]:
    """The kind with two look-ups on one phone: in turn, and with two displays; medians."""
    serial, apart, shares, read_apart = [], [], [], 0
    well = 0
    async with open_lab(delays, THINKING, 1, displays=OtherDisplays.SCRCPY) as lab:
        await lab.warm_up()
        for number in range(times):
            command = make_command(KIND, seed, number)
            plan = split_command(command.said, APPS)
            if plan is None:
                raise ValueError(f"no plan for {command.said}")
            in_turn = await run_command(lab, command, SERIAL)
            shown = await run_command(lab, command, DISPLAYS)
            well += sum(run.outcome is Outcome.SUCCESS for run in (in_turn, shown))
            serial.append(in_turn.seconds)
            apart.append(shown.seconds)
            read_apart += len({branch for branch, _app, place in shown.places if "display" in place})
            bound = critical_path(plan, in_turn.durations(), shown.needed_at(plan))
            shares.append(bound / shown.seconds)
    return rounded(
        {
            "kind": KIND,
            "in turn s": median(serial),
            "displays s": median(apart),
            "times as fast": median(map(_over, serial, apart)),
            "share of bound": median(shares),
            "sub-tasks on displays": read_apart / times,
            "ended well": well / (2 * times),
        },
        3,
    )


def _over(serial: float, other: float) -> float:
    return serial / other


async def measure_display_faults(count: int, seed: int) -> dict[str, Any]:
    """Runs with faults on one phone, half with each way to make displays, without delays."""
    tally, wrong = FaultTally(), 0
    numbers = iter(range(count))

    async def lane(way: OtherDisplays) -> None:
        nonlocal wrong
        async with open_lab(0.0, 0.05, 1, displays=way) as lab:
            lab = replace_patience(lab)
            for number in numbers:
                kind = pick(tuple(KINDS), seed, number, "kind")
                fault = FAULTS[number % len(FAULTS)]
                wrong += await _fault_run(lab, make_command(kind, seed, number), fault, seed, number, tally)

    await asyncio.gather(*(lane(way) for way in (OtherDisplays.SCRCPY, OtherDisplays.OVERLAY)[:count]))
    return {
        "runs": tally.runs,
        "outcomes": tally.outcomes,
        "inputs on a wrong display": wrong,
        "deeds done twice": tally.doubled,
        "hung": tally.hung,
        "longest s": round(tally.longest, 1),
    }


async def _fault_run(
    lab: Lab, command: Command, fault: str, seed: int, number: int, tally: FaultTally
) -> int:
    """One command while something goes wrong with displays; returns the inputs on a wrong one."""
    (phone,) = lab.phones
    await phone.perform(SetQuirks(black_displays=False, main_only=""))
    await lab.prepare(command.wish, command.dinner)
    (before,) = await lab.traces(command.who)
    run = CommandRun()
    plan = split_command(command.said, APPS)
    apps = [_PACKAGES[task.app] for task in plan.tasks if task.app in _PACKAGES] if plan else []
    app = pick(tuple(apps), seed, number, "app")
    if fault in ("black", "main only"):
        await phone.perform(SetQuirks(black_displays=fault == "black", main_only=app))
    elif fault == "own app in front":
        await phone.perform(Bring(package=app))
    turn = lab.make_turn(command.said, DISPLAYS, run)
    loop = asyncio.get_running_loop()
    began = run.heard = loop.time()
    running = asyncio.create_task(turn.run())
    moment = whole(1, 60, seed, number, "moment") / 10
    await asyncio.wait([running], timeout=moment)
    match fault:
        case "dies" | "all die":
            await phone.perform(EndDisplay(display=_first_display(run) if fault == "dies" else 0))
        case "moves":
            await phone.perform(Bring(package=app))
        case "locks":
            await phone.perform(Lock())
            await asyncio.wait([running], timeout=1.0)
            await phone.perform(Unlock())
    if fault == "killed" and not running.done():
        running.cancel()
        await has_ended(running, run)
        left = lab.store.turns.newest_open("me")
        if left is not None:
            turn = lab.make_turn(command.said, DISPLAYS, run, left)
            running = asyncio.create_task(turn.run())
    outcome = find_stored_end(lab, turn) if running.cancelled() else await end_of(running, run)
    tally.count(outcome, loop.time() - began)
    (after,) = await lab.traces(command.who)
    doubled = max(0, after.messages - before.messages - 1) + max(0, after.orders - before.orders - 1)
    tally.doubled += doubled
    wrong = count_wrong((await phone.state())["displays"], run)
    progress(
        f"{tally.runs} {command.kind}, {fault} at {moment} s: {outcome}, {wrong} wrong, {doubled} twice, "
        f"{[place.rpartition('·')[2].strip() for _, _, place in run.places]}. {turn.answer[:80]}"
    )
    return wrong


def _first_display(run: CommandRun) -> int:
    """A display on which a sub-task has begun; 2, the first number, where none has."""
    numbers = [place.rpartition(" ")[2] for _branch, _app, place in run.places if "display" in place]
    return int(numbers[0]) if numbers else 2


def count_wrong(displays: Mapping[str, Any], run: CommandRun) -> int:
    """The inputs that met a wrong display, of those that the phone noted in a run."""
    allowed: dict[int, set[str]] = {}
    for _branch, app, place in run.places:
        if "display" in place:
            allowed.setdefault(int(place.rpartition(" ")[2]), set()).add(_PACKAGES.get(app, app))
    return sum(
        display != 0 and (not named or package not in allowed.get(display, set()))
        for display, named, package in displays["inputs"]
    )


async def run(times: int, faults: int, seed: int, delays: float, _only: Sequence[str]) -> Report:
    """Carry out the kind with two look-ups `times` times on one phone, then the runs with faults."""
    values: dict[str, Any] = {"model seconds": THINKING, "delays": delays}
    good = True
    if times:
        values["one phone"] = row = await measure_displays(times, seed, delays)
        good = row["ended well"] == 1
    if faults:
        values["faults"] = tally = await measure_display_faults(faults, seed)
        good = good and not (tally["inputs on a wrong display"] or tally["deeds done twice"] or tally["hung"])
    return Report(values, good)
