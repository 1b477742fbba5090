"""The scripted tasks through the engine, each from a fresh phone, judged by what the phone then holds.

The baseline is doing nothing: how many tasks' expectations the fresh phone meets already. With faults, each
trajectory is also compared with that of the same task undisturbed (Type, SSR, CSR of PersonalAlign 6.1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.bench.faults import happened, mix
from assistant.bench.figures import spread
from assistant.bench.report import Grid, Report
from assistant.bench.scoring import Mark, Run, faultless, honest, tally
from assistant.bench.stage import Stage, open_stage
from assistant.bench.success_rates import SuccessRates, mean_rates, success_rates
from assistant.bench.tasks import BenchTask, check
from assistant.engine import Engine
from assistant.events import StepFinished, TurnFinished
from assistant.records import Action, Outcome
from assistant.simulator.model.faults import Fault
from assistant.simulator.model.options import ControlChange
from assistant.simulator.world import WorldOptions

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How the tasks are run: with which faults and delays, and the seconds after which one counts as hung.

    An empty `dialect` is chosen by the model's name, as usual.
    """

    faults: bool = False
    delays: float = 0.0
    seed: int = 0
    cap: float = 120.0
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A task's run, and whether the fresh phone met its expectations before.

    `actions` are those performed; `rates` compares them with the undisturbed ones where there was a fault.
    """

    run: Run
    idle_holds: bool
    actions: tuple[Action, ...] = ()
    rates: SuccessRates | None = None


async def run_tasks(
    numbered: Sequence[tuple[int, BenchTask]],
    options: TaskOptions,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Scored]:
    """Run tasks one after another, one phone for each language, in the given order within it.

    Args:
        numbered: tasks with their places in the whole list, by which their faults are chosen.
        options: how they are run.
        tell: is told of each task that has ended.

    Raises:
        WorldFailed: the simulated world does not start.
    """
    scored: dict[str, Scored] = {}
    for locale in dict.fromkeys(task.locale for _, task in numbered):
        world = WorldOptions(locale=locale, delays=options.delays, seed=options.seed)
        async with open_stage(world, {"dialect": options.dialect}) as stage:
            for place, task in numbered:
                if task.locale != locale:
                    continue
                scored[task.id] = await _run_task(stage, task, [], options)
                if options.faults:
                    golden = scored[task.id].actions
                    disturbed = await _run_task(stage, task, mix(place, options.seed), options)
                    scored[task.id] = _compared(disturbed, golden)
                tell(f"{len(scored)}/{len(numbered)} {task.id}: {scored[task.id].run.mark}")
    return [scored[task.id] for _, task in numbered]


def report(scored: Sequence[Scored], options: TaskOptions) -> Report:
    """The table, its sums and the judgement over all."""
    runs = [one.run for one in scored]
    counts = tally(runs)
    idle = sum(one.idle_holds for one in scored)
    lies = [run for run in runs if run.lied_to]
    false_of_lies = sum(run.mark is Mark.FALSE_SUCCESS for run in lies)
    good = honest(runs) if options.faults else faultless(runs)
    lines = [
        f"{counts[Mark.AS_EXPECTED]} of {len(runs)} end as they should; "
        f"baseline, doing nothing: {idle} of {len(runs)}.",
        f"Failed honestly {counts[Mark.HONEST_FAILURE]}, false success {counts[Mark.FALSE_SUCCESS]}, "
        f"wrong {counts[Mark.WRONG]}, hung {counts[Mark.HANG]}.",
    ]
    if options.faults:
        lines.append(
            f"In {len(lies)} tasks the model claimed an end that it knew to be false: {false_of_lies} false "
            f"successes. In the others: {counts[Mark.FALSE_SUCCESS] - false_of_lies}."
        )
    rates = [one.rates for one in scored if one.rates is not None]
    if rates:
        mean = mean_rates(rates)
        lines.append(
            f"Beside the same {len(rates)} tasks undisturbed: Type {100 * mean.type:.1f} %, "
            f"SSR {100 * mean.step:.1f} %, CSR {100 * mean.cumulative:.1f} %; baseline, doing nothing: 0 %."
        )
    values = {
        "benchmark": "tasks",
        "faults": options.faults,
        "seed": options.seed,
        "delays": options.delays,
        "tasks": [_as_json(one) for one in scored],
        "total": {
            "tasks": len(runs),
            **{mark.name.lower(): count for mark, count in counts.items()},
            "model_lied": len(lies),
            "false_success_where_model_lied": false_of_lies,
            "seconds": round(sum(run.seconds for run in runs), 2),
            "task_time": spread(run.seconds for run in runs).as_json(),
        },
        "baseline": {"what": "doing nothing", "as_expected": idle},
        **({"rates": mean_rates(rates).as_json()} if rates else {}),
    }
    return Report(values, [_grid(runs, options.faults)], lines, good)


async def _run_task(stage: Stage, task: BenchTask, planned: list[Fault], options: TaskOptions) -> Scored:
    before = await stage.prepare(task.setup)
    await stage.model.change(ControlChange(clear=True, faults=planned, seed=options.seed))
    async with stage.engine(task.approvals) as engine:
        finished, actions = await followed(engine, task.instruction, options.cap)
    met = happened(planned, (await stage.model.status()).faults)
    answer = finished.answer if finished else ""
    run = Run(
        task_id=task.id,
        expected=task.outcome,
        outcome=finished.outcome if finished else None,
        steps=finished.steps if finished else 0,
        seconds=finished.seconds if finished else options.cap,
        answer=answer,
        unmet=tuple(check(task, await stage.phone.state(), answer)),
        met=met,
    )
    return Scored(run, task.outcome is Outcome.SUCCESS and not check(task, before, ""), actions)


async def followed(engine: Engine, said: str, cap: float) -> tuple[TurnFinished | None, tuple[Action, ...]]:
    """Carry one command out; None when it has not ended after `cap` seconds. Also the actions performed.

    Raises:
        NotReady: the phone or the model is missing.
    """
    actions: list[Action] = []
    engine.run(said)
    try:
        async with asyncio.timeout(cap):
            async for event in engine.events():
                if isinstance(event, StepFinished) and not event.error:
                    actions.append(event.action)
                if isinstance(event, TurnFinished):
                    return event, tuple(actions)
    except TimeoutError:
        pass
    return None, tuple(actions)


def _compared(disturbed: Scored, golden: tuple[Action, ...]) -> Scored:
    """The run with its rates against the undisturbed actions; without them where nothing was to be done."""
    needed = any(action.type not in ("wait", "finished") for action in golden)
    return replace(disturbed, rates=success_rates(golden, disturbed.actions)) if needed else disturbed


def _as_json(scored: Scored) -> dict[str, Any]:
    run = scored.run
    return {
        "id": run.task_id,
        "mark": run.mark.name.lower(),
        "outcome": run.outcome,
        "expected": run.expected,
        "steps": run.steps,
        "seconds": round(run.seconds, 2),
        "answer": run.answer,
        "unmet": list(run.unmet),
        "faults": list(run.met),
        "idle_holds": scored.idle_holds,
        **(scored.rates.as_json() if scored.rates else {}),
    }


def _grid(runs: Sequence[Run], faults: bool) -> Grid:
    columns = ("task", "judged", "outcome", "steps", "seconds", *(("faults met",) if faults else ()), "unmet")
    rows = []
    for run in runs:
        reasons = list(run.unmet)
        if run.mark in (Mark.HONEST_FAILURE, Mark.WRONG):
            reasons.insert(0, f"said: {run.answer}")
        met = (", ".join(run.met),) if faults else ()
        shown = (run.task_id, run.mark.value, run.outcome or "none", str(run.steps), f"{run.seconds:.1f}")
        words = "" if run.mark is Mark.AS_EXPECTED else "; ".join(reasons)
        rows.append((*shown, *met, words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"))
    return Grid("Scripted tasks", columns, tuple(rows), frozenset({"steps", "seconds"}))
