"""`bench tasks` and `bench dialects`: scripted tasks through the engine, judged by the phone's state.

The baseline of the tasks is doing nothing: how many expectations the fresh phone meets already.
The dialects are judged by families of models: the scripted model writes as the family whose name the
settings carry, and the assistant finds the dialect by that name. Their baseline is function calls: the same
outcomes are due however a model writes its actions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_task, total
from assistant.bench.harness import Stage, carry_out, open_stage
from assistant.bench.report import Report, progress, spread
from assistant.bench.tasks import BenchTask, check
from assistant.model.dialects import registry
from assistant.records import Outcome
from assistant.simulator.chance import pick, whole
from assistant.simulator.model.families import families
from assistant.simulator.model.faults import HABITS, Fault, FaultKind
from assistant.simulator.model.options import SCATTER, ControlChange
from assistant.simulator.world import WorldOptions

BASELINE = "any"
"""The family of models for everything."""

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
_READING_SECONDS = 60.0
"""How long a picture may be read; the first waits for the models, too."""


class Mark(StrEnum):
    """How a run is judged."""

    AS_EXPECTED = "as expected"
    HONEST_FAILURE = "failed honestly"
    FALSE_SUCCESS = "false success"
    UNCONFIRMED = "done, not confirmed"
    BEYOND = "did more than it should"
    WRONG = "wrong"
    HANG = "hang"


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How the tasks are run: with which faults and delays, and the seconds after which one counts as hung.

    `habits` are bad ones of models; a `liar` claims success in every reply and does nothing, or no more than
    `after` right steps. `model` is the name of the model, by which both sides know its family; `scatter` is
    how far it taps beside the middle. `profile` names the phone, by default none that is sold. `reads`: where
    a family is sent no list of elements, the scripted model reads the picture; else it is told what it shows.
    `helper`: the phone is seen and driven through the resident helper.
    """

    faults: bool = False
    habits: bool = False
    liar: bool = False
    after: int = 0
    delays: float = 0.0
    seed: int = 0
    cap: float = 120.0
    model: str = "scripted"
    scatter: float = SCATTER
    profile: str = ""
    reads: bool = False
    helper: bool = False

    @property
    def model_settings(self) -> dict[str, Any]:
        """Values of the section `model`; while a picture is read nothing is answered for seconds."""
        patient = {"stall_timeout": _READING_SECONDS} if self.reads else {}
        return {"name": self.model, "dialect": "", **patient}

    def plan(self, place: int) -> list[Fault]:
        """What goes wrong in the task with the number `place`."""
        if self.liar:
            return [Fault(kind=FaultKind.FALSE_SUCCESS, times=None, skip=self.after)]
        kinds = (*(FAULT_KINDS if self.faults else ()), *(HABITS if self.habits else ()))
        return plan_faults(place, self.seed, tuple(dict.fromkeys(kinds))) if kinds else []


@dataclass(frozen=True, slots=True)
class Run:
    """One task carried out once. `outcome` is None when it had to be ended at the cap.

    Attributes:
        unmet: what the phone's state and the answer lack, in words.
        deeds: what was done, and what of it the task does not want.
        prompt_tokens, cached_tokens, completion_tokens: what the model was sent, which part of it began as an
            earlier request did, and what it wrote.
        faults: the kinds of fault that really happened.
        changes: whether the task changes something on the phone, and does not only ask.
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
    deeds: DeedCount = NO_DEEDS
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    changes: bool = True

    @property
    def mark(self) -> Mark:
        """The judgement."""
        return judge(self.expected, self.outcome, self.unmet, self.deeds.beyond)

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
            "beyond": list(self.deeds.beyond),
            "faults": list(self.faults),
            "idle_holds": self.idle_holds,
        }


def judge(expected: Outcome, outcome: Outcome | None, unmet: Sequence[str], more: Sequence[str] = ()) -> Mark:
    """Judge an outcome; None stands for a run that had to be ended. `more` is what was done beyond the task.

    A success that was to be a failure is false even if nothing else is wrong. A failure is honest: it claims
    nothing. It is wrong where the task was to fail and its reason or the phone's state is another one. What
    was done beyond the task makes a failure of any end, except that a false claim is the worse one.
    """
    if outcome is Outcome.SUCCESS and (unmet or expected is not outcome):
        return Mark.FALSE_SUCCESS
    if more:
        return Mark.BEYOND
    if outcome is None:
        return Mark.HANG
    if outcome is expected and not unmet:
        return Mark.AS_EXPECTED
    if outcome is Outcome.UNCONFIRMED and expected is Outcome.SUCCESS and not unmet:
        return Mark.UNCONFIRMED
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
        world = WorldOptions(
            locale=locale,
            delays=options.delays,
            seed=options.seed,
            profile=options.profile,
            start=_today_at_noon(),
        )
        async with open_stage(world, options.model_settings) as opened:
            driven = opened.settings.overridden({"phone": {"resident_helper": options.helper}})
            stage = replace(opened, settings=driven)
            for place, task in numbered:
                if task.locale != locale:
                    continue
                run = runs[task.id] = await _run_task(stage, task, options.plan(place), options)
                progress(f"{run.mark}: {task.id}, {run.steps} steps, {run.seconds:.1f} s")
    return [runs[task.id] for _, task in numbered]


def _today_at_noon() -> datetime:
    """When the tasks are given: by night “tomorrow at half past seven” is another day than by day."""
    return datetime.now().astimezone().replace(hour=12, minute=0, second=0, microsecond=0)


async def _run_task(stage: Stage, task: BenchTask, planned: list[Fault], options: TaskOptions) -> Run:
    before = await stage.prepare(task.setup)
    change = ControlChange(
        clear=True, faults=planned, seed=options.seed, scatter=options.scatter, reads=options.reads
    )
    spent = await stage.model.change(change)
    async with stage.engine(task.approvals) as engine:
        finished = await carry_out(engine, task.instruction, options.cap)
    answer = finished.answer if finished else ""
    state, status = await stage.phone.state(), await stage.model.status()
    return Run(
        task_id=task.id,
        expected=task.outcome,
        outcome=finished.outcome if finished else None,
        steps=finished.steps if finished else 0,
        seconds=finished.seconds if finished else options.cap,
        answer=answer,
        unmet=tuple(check(task, state, answer)),
        deeds=of_task(task, before, state),
        faults=happened(planned, status.faults),
        prompt_tokens=status.prompt_tokens - spent.prompt_tokens,
        cached_tokens=status.cached_tokens - spent.cached_tokens,
        completion_tokens=status.completion_tokens - spent.completion_tokens,
        changes=not (task.answer and task.outcome is Outcome.SUCCESS),
        idle_holds=task.outcome is Outcome.SUCCESS and not check(task, before, ""),
    )


def plan_faults(place: int, seed: int, among: Sequence[FaultKind] = FAULT_KINDS) -> list[Fault]:
    """The faults for the task with the number `place`, each within its first requests.

    A task has half of the kinds, which often happen twice, so that every second task has a certain kind.
    """
    kinds = sorted(among, key=lambda kind: whole(0, 1_000_000, seed, place // 2, kind))
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
        "habits": options.habits,
        "liar": options.liar,
        "after": options.after,
        "model": options.model,
        "seed": options.seed,
        "delays": options.delays,
        "tasks": [run.as_json() for run in runs],
        "total": {
            "tasks": len(runs),
            **counts,
            "model_lied": len(lies),
            "false_success_where_model_lied": believed,
            **(_lies(runs) if options.liar else {}),
            "seconds": round(sum(run.seconds for run in runs), 2),
            "task_time": spread(run.seconds for run in runs),
            "deeds": total(run.deeds for run in runs).as_json(),
            **_tokens(runs),
        },
        "baseline": {"what": "doing nothing", "as_expected": idle},
    }
    good = (
        not counts["false_success"] and not counts["hang"] and not counts["beyond"]
        if options.faults or options.habits or options.liar
        else counts["as_expected"] == len(runs)
    )
    return Report(values, good)


def _lies(runs: Sequence[Run]) -> dict[str, Any]:
    """How the claims of an insistent liar ended, of the tasks that change something and of the others.

    What it had really done before it lied is no lie, and is not counted.
    """
    lied = [run for run in runs if run.unmet or run.expected is not Outcome.SUCCESS]
    parts = {name: [run for run in lied if run.changes is changes] for name, changes in _LIES.items()}
    return {
        name: {
            "tasks": len(part),
            "believed": sum(run.outcome is Outcome.SUCCESS for run in part),
            "unconfirmed": sum(run.outcome is Outcome.UNCONFIRMED for run in part),
        }
        for name, part in parts.items()
    }


_LIES = {"lies_about_changes": True, "lies_about_answers": False}


def _tokens(runs: Sequence[Run]) -> dict[str, float]:
    """Tokens sent and written for a step, and the share of those sent that a prefix cache holds."""
    steps = max(1, sum(run.steps for run in runs))
    sent = sum(run.prompt_tokens for run in runs)
    return {
        "prompt_tokens_a_step": round(sent / steps),
        "completion_tokens_a_step": round(sum(run.completion_tokens for run in runs) / steps),
        "cached_share": round(sum(run.cached_tokens for run in runs) / max(1, sent), 3),
    }


async def run_dialects(
    numbered: Sequence[tuple[int, BenchTask]], names: Sequence[str], options: TaskOptions
) -> Report:
    """The tasks with each family of models, or with those whose own or whose dialect's name is given.

    The baseline comes first. A family whose name the assistant does not know is left out, and named.

    Raises:
        UnknownDialect: there is no dialect or family of a name.
        WorldFailed: the simulated world does not start.
    """
    dialects = {name: registry.choose("", family.example).name for name, family in families().items()}
    requested_names = {name if name in dialects else registry.get(name).name for name in names}
    strange = [name for name in dialects if name != BASELINE and dialects[name] == dialects[BASELINE]]
    chosen = [name for name in dialects if not requested_names or {name, dialects[name]} & requested_names]
    runs: dict[str, list[Run]] = {}
    for name in dict.fromkeys(
        [BASELINE, *(name for name in chosen if name not in strange or name in requested_names)]
    ):
        progress(f"{name} in dialect {dialects[name]}")
        runs[name] = await run_tasks(numbered, replace(options, model=families()[name].example))
    return report_dialects(runs, dialects, strange)


def report_dialects(
    runs_by_family: Mapping[str, Sequence[Run]], dialects: Mapping[str, str], strange: Sequence[str] = ()
) -> Report:
    """A line a family, and how many tasks end otherwise than in the baseline."""
    usual = {run.task_id: run.mark for run in runs_by_family[BASELINE]}
    values = {
        name: {
            "dialect": dialects[name],
            **count_marks(runs),
            "steps": sum(run.steps for run in runs),
            "deeds": total(run.deeds for run in runs).as_json(),
            "otherwise": sum(run.mark is not usual[run.task_id] for run in runs),
            **_tokens(runs),
        }
        for name, runs in runs_by_family.items()
    }
    failed = [
        {"family": name, **run.as_json()}
        for name, runs in runs_by_family.items()
        for run in runs
        if run.mark is not Mark.AS_EXPECTED
    ]
    return Report(
        {
            "benchmark": "dialects",
            "baseline": BASELINE,
            "families": values,
            "failed": failed,
            "not_recognised": list(strange),
        },
        not failed,
    )
