"""`bench tasks` and `bench dialects`: scripted tasks through the engine, judged by the phone's state.

The baseline of the tasks is doing nothing: how many expectations the fresh phone meets already.
The baseline of the dialects is tool calls, the dialect for models that were not trained on phones: the same
outcomes are due however a model writes its actions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.bench.harness import Stage, carry_out, open_stage
from assistant.bench.report import Report, progress, spread
from assistant.bench.tasks import BenchTask, check
from assistant.model.dialects import registry
from assistant.records import Outcome
from assistant.simulator.chance import pick, whole
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ControlChange
from assistant.simulator.world import WorldOptions

BASELINE = "tool_calls"
FAULT_KINDS = (
    FaultKind.ERROR,
    FaultKind.RATE_LIMIT,
    FaultKind.STALL,
    FaultKind.CUT,
    FaultKind.MALFORMED,
    FaultKind.HOSTILE,
    FaultKind.WRONG,
    FaultKind.FALSE_SUCCESS,
)
_LATEST_REQUEST = 7
_STALL_SECONDS = 30.0


class Mark(StrEnum):
    """How a run is judged."""

    AS_EXPECTED = "as expected"
    HONEST_FAILURE = "failed honestly"
    FALSE_SUCCESS = "false success"
    WRONG = "wrong"
    HANG = "hang"


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
class Run:
    """One task carried out once. `outcome` is None when it had to be ended at the cap.

    Attributes:
        unmet: what the phone's state and the answer lack, in words.
        faults: the kinds of fault that really happened.
        idle_holds: whether the fresh phone met the expectations before.
    """

    task_id: str
    expected: Outcome
    outcome: Outcome | None
    steps: int
    seconds: float
    answer: str = ""
    unmet: tuple[str, ...] = ()
    faults: tuple[FaultKind, ...] = ()
    idle_holds: bool = False

    @property
    def mark(self) -> Mark:
        """The judgement."""
        return judge(self.expected, self.outcome, self.unmet)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "id": self.task_id,
            "mark": self.mark.name.lower(),
            "outcome": self.outcome,
            "expected": self.expected,
            "steps": self.steps,
            "seconds": round(self.seconds, 2),
            "answer": self.answer,
            "unmet": list(self.unmet),
            "faults": list(self.faults),
            "idle_holds": self.idle_holds,
        }


def judge(expected: Outcome, outcome: Outcome | None, unmet: Sequence[str]) -> Mark:
    """Judge an outcome; None stands for a run that had to be ended.

    A success that was to be a failure is false even if nothing else is wrong. A failure is honest: it claims
    nothing. It is wrong where the task was to fail and its reason or the phone's state is another one.
    """
    if outcome is None:
        return Mark.HANG
    if outcome is expected and not unmet:
        return Mark.AS_EXPECTED
    if outcome is Outcome.SUCCESS:
        return Mark.FALSE_SUCCESS
    return Mark.WRONG if expected is outcome else Mark.HONEST_FAILURE


def count_marks(runs: Sequence[Run]) -> dict[str, int]:
    """How many runs have each mark, by its name in JSON."""
    counts = Counter(run.mark for run in runs)
    return {mark.name.lower(): counts[mark] for mark in Mark}


async def run_tasks(numbered: Sequence[tuple[int, BenchTask]], options: TaskOptions) -> list[Run]:
    """Run tasks one after another, one phone for each language, in the given order within it.

    Args:
        numbered: tasks with their places in the whole list, by which their faults are chosen.
        options: how they are run.

    Raises:
        WorldFailed: the simulated world does not start.
    """
    runs: dict[str, Run] = {}
    for locale in dict.fromkeys(task.locale for _, task in numbered):
        world = WorldOptions(locale=locale, delays=options.delays, seed=options.seed)
        async with open_stage(world, {"dialect": options.dialect}) as stage:
            for place, task in numbered:
                if task.locale != locale:
                    continue
                planned = plan_faults(place, options.seed) if options.faults else []
                run = runs[task.id] = await _run_task(stage, task, planned, options)
                progress(f"{run.mark}: {task.id}, {run.steps} steps, {run.seconds:.1f} s")
    return [runs[task.id] for _, task in numbered]


async def _run_task(stage: Stage, task: BenchTask, planned: list[Fault], options: TaskOptions) -> Run:
    before = await stage.prepare(task.setup)
    await stage.model.change(ControlChange(clear=True, faults=planned, seed=options.seed))
    async with stage.engine(task.approvals) as engine:
        finished = await carry_out(engine, task.instruction, options.cap)
    answer = finished.answer if finished else ""
    return Run(
        task_id=task.id,
        expected=task.outcome,
        outcome=finished.outcome if finished else None,
        steps=finished.steps if finished else 0,
        seconds=finished.seconds if finished else options.cap,
        answer=answer,
        unmet=tuple(check(task, await stage.phone.state(), answer)),
        faults=happened(planned, (await stage.model.status()).faults),
        idle_holds=task.outcome is Outcome.SUCCESS and not check(task, before, ""),
    )


def plan_faults(place: int, seed: int) -> list[Fault]:
    """The faults for the task with the number `place`, each within its first requests.

    A task has four kinds that often happen twice, so that every second task has a certain kind.
    """
    kinds = sorted(FAULT_KINDS, key=lambda kind: whole(0, 1_000_000, seed, place // 2, kind))
    half = len(kinds) // 2
    return [
        Fault(
            kind=kind,
            skip=whole(0, _LATEST_REQUEST, seed, place, kind, number),
            seconds=_STALL_SECONDS if kind is FaultKind.STALL else 0.0,
            status=pick((500, 502, 503), seed, place, number),
        )
        for kind in (kinds[:half] if place % 2 else kinds[half:])
        for number in range(1 if kind is FaultKind.FALSE_SUCCESS else whole(1, 3, seed, place, kind))
    ]


def happened(planned: Sequence[Fault], pending: Sequence[Fault]) -> tuple[FaultKind, ...]:
    """The kinds of which at least one planned fault is not pending any more, in order of first mention."""
    left = Counter(fault.kind for fault in pending)
    counts = Counter(fault.kind for fault in planned)
    return tuple(kind for kind, count in counts.items() if left[kind] < count)


async def run(numbered: Sequence[tuple[int, BenchTask]], options: TaskOptions) -> Report:
    """The scripted tasks."""
    return report(await run_tasks(numbered, options), options)


def report(runs: Sequence[Run], options: TaskOptions) -> Report:
    """Each run, their sum, and how many tasks doing nothing would fulfil.

    With faults a run may fail, but neither hang nor claim a success that is none.
    """
    counts = count_marks(runs)
    lies = [run for run in runs if FaultKind.FALSE_SUCCESS in run.faults]
    believed = sum(run.mark is Mark.FALSE_SUCCESS for run in lies)
    idle = sum(run.idle_holds for run in runs)
    values = {
        "benchmark": "tasks",
        "faults": options.faults,
        "seed": options.seed,
        "delays": options.delays,
        "tasks": [run.as_json() for run in runs],
        "total": {
            "tasks": len(runs),
            **counts,
            "model_lied": len(lies),
            "false_success_where_model_lied": believed,
            "seconds": round(sum(run.seconds for run in runs), 2),
            "task_time": spread(run.seconds for run in runs),
        },
        "baseline": {"what": "doing nothing", "as_expected": idle},
    }
    good = (
        not counts["false_success"] and not counts["hang"]
        if options.faults
        else counts["as_expected"] == len(runs)
    )
    return Report(values, good)


async def run_dialects(numbered: Sequence[tuple[int, BenchTask]], names: Sequence[str], seed: int) -> Report:
    """The tasks in the dialects of these names, all of them for none, the baseline first.

    Raises:
        UnknownDialect: there is no dialect of a name.
        WorldFailed: the simulated world does not start.
    """
    chosen = [registry.get(name).name for name in names] or [dialect.name for dialect in registry.available()]
    runs: dict[str, list[Run]] = {}
    for name in dict.fromkeys([BASELINE, *chosen]):
        progress(f"dialect {name}")
        runs[name] = await run_tasks(numbered, TaskOptions(seed=seed, dialect=name))
    return report_dialects(runs)


def report_dialects(runs_by_dialect: Mapping[str, Sequence[Run]]) -> Report:
    """A line a dialect, and how many tasks end otherwise than in the baseline."""
    usual = {run.task_id: run.mark for run in runs_by_dialect[BASELINE]}
    values = {
        name: {
            **count_marks(runs),
            "steps": sum(run.steps for run in runs),
            "otherwise": sum(run.mark is not usual[run.task_id] for run in runs),
        }
        for name, runs in runs_by_dialect.items()
    }
    same = all(value["otherwise"] == 0 for value in values.values())
    good = same and all(run.mark is Mark.AS_EXPECTED for runs in runs_by_dialect.values() for run in runs)
    return Report({"benchmark": "dialects", "baseline": BASELINE, "dialects": values}, good)
