"""What a step costs beside waiting for the model and the phone.

The baseline is the same observation and tap with plain adbutils, one call after the other, on the same
phone: a screenshot, the UI tree, the app in front, a tap.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import adbutils

from assistant.bench import paint
from assistant.bench.figures import ratio, spread
from assistant.bench.follower import following
from assistant.bench.report import Report
from assistant.bench.stage import Stage
from assistant.bench.tasks import BenchTask
from assistant.config import PhoneSettings
from assistant.events import StepFinished

OWN_BUDGET_MILLISECONDS = 50.0
"""DESIGN section 10."""

_LIMIT = 120.0
_BASELINE_PER_TURN = 4
# The clock in the status bar: a tap there does nothing.
_HARMLESS = (20, 20)


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Steps of turns, and seconds of the baseline's steps between those turns.

    `cpu` and `baseline_cpu` are seconds of processor time that one step takes in this process on average:
    unlike times by the clock they do not grow when other programs want the processor too.
    """

    steps: tuple[StepFinished, ...]
    baseline: tuple[float, ...]
    cpu: float = 0.0
    baseline_cpu: float = 0.0


async def time_steps(
    stage: Stage, tasks: Sequence[BenchTask], count: int, tell: Callable[[str], None] = lambda _: None
) -> StepTimes:
    """Run the tasks in rotation until `count` steps are done; after each turn some steps of the baseline.

    Raises:
        TurnFailed: a turn did not succeed.
    """
    steps: list[StepFinished] = []
    baseline: list[float] = []
    turns = 0
    cpu = baseline_cpu = 0.0
    while len(steps) < count:
        task = tasks[turns % len(tasks)]
        turns += 1
        await stage.prepare(task.setup)
        async with stage.engine(task.approvals) as engine, following(engine) as turn:
            began = time.process_time()
            engine.run(task.instruction)
            steps += await turn.succeeded(_LIMIT)
            cpu += time.process_time() - began
        began = time.process_time()
        baseline += await asyncio.to_thread(_plain_steps, stage.settings.phone, _BASELINE_PER_TURN)
        baseline_cpu += time.process_time() - began
        tell(f"{len(steps)}/{count} {task.id}")
    return StepTimes(tuple(steps[:count]), tuple(baseline), cpu / len(steps), baseline_cpu / len(baseline))


def _plain_steps(phone: PhoneSettings, count: int) -> list[float]:
    device = adbutils.AdbClient(host=phone.adb_host, port=phone.adb_port).device(phone.serial)
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        device.screenshot(error_ok=False)
        device.dump_hierarchy()
        device.app_current()
        device.click(*_HARMLESS)
        taken.append(time.perf_counter() - began)
    return taken


def report(times: StepTimes, keys: paint.KeyTimes | None) -> Report:
    """Own, model and phone time per step beside the baseline, and keys to paint while thoughts stream."""
    own = spread(step.own_seconds for step in times.steps)
    rows = {
        "our own": own,
        "waiting for the model": spread(step.model_seconds for step in times.steps),
        "waiting for the phone": spread(step.phone_seconds for step in times.steps),
        "whole step": spread(step.seconds for step in times.steps),
    }
    without_model = spread(step.seconds - step.model_seconds for step in times.steps)
    baseline = spread(times.baseline)
    compared = {"step without the model": without_model, "baseline: plain adbutils": baseline}
    grids = [paint.grid("Time per step", {**rows, **compared})]
    share = ratio(without_model.median, baseline.median)
    good = own.median <= OWN_BUDGET_MILLISECONDS
    lines = [
        f"A step without the model takes {share or 0:.2f} times what plain adbutils takes.",
        f"Processor time of this process: {1000 * times.cpu:.0f} ms per step, "
        f"baseline {1000 * times.baseline_cpu:.0f} ms.",
        f"Our own time: median {own.median:.0f} ms; the mark is {OWN_BUDGET_MILLISECONDS:.0f} ms.",
    ]
    values = {
        "benchmark": "step",
        "own": own.as_json(),
        "model": rows["waiting for the model"].as_json(),
        "phone": rows["waiting for the phone"].as_json(),
        "step": rows["whole step"].as_json(),
        "step_without_model": without_model.as_json(),
        "cpu_ms_per_step": round(1000 * times.cpu, 1),
        "baseline": {
            "what": "plain adbutils",
            **baseline.as_json(),
            "ratio_median": share,
            "cpu_ms_per_step": round(1000 * times.baseline_cpu, 1),
        },
        "own_budget_ms": OWN_BUDGET_MILLISECONDS,
    }
    if keys is not None:
        told = paint.report(keys)
        grids.append(told.grid)
        lines += told.lines
        values |= told.values
        good = good and told.good
    return Report(values, grids, lines, good)
