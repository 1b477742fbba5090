"""`bench personal`: vague commands on the simulated phone, with and without memory, with and without a look.

The commands are ours, in the manner of PerInstruct (PerPilot), fitted to the three lived weeks of the demo,
and judged by what the phone then holds. The scripted model knows the phone's apps and other names of its
contacts and places, so that the figures are about what is understood, not about a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import cast

from assistant.bench.report import Grid, Report
from assistant.bench.stage import Stage, open_stage
from assistant.bench.task_runs import followed
from assistant.bench.tasks import BenchTask, check, load_tasks
from assistant.commands.demo_memory import know_apps, live_in
from assistant.config import MemorySettings
from assistant.events import ActionKind
from assistant.records import Outcome
from assistant.simulator.android.profiles import Locale
from assistant.simulator.world import WorldOptions

_CAP = 60.0
_MOST_STEPS = 30
"""The longest command takes 18 steps; one that leads nowhere need not be watched for longer."""


class Known(StrEnum):
    """What is known before a command: nothing, the apps that can be looked into, or three weeks as well."""

    NOTHING = "as it is said"
    APPS = "with looks into apps"
    WEEKS = "with memory and looks"


@dataclass(frozen=True, slots=True)
class Tried:
    """A task, and what it left unmet with what was known; empty where it was done."""

    task: BenchTask
    unmet: dict[Known, tuple[str, ...]]


def personal_tasks() -> tuple[BenchTask, ...]:
    """The commands and their expectations."""
    return load_tasks(Path(str(files("assistant.bench").joinpath("personal.yaml"))))


async def run(tasks: Sequence[BenchTask], seed: int, tell: Callable[[str], None]) -> list[Tried]:
    """Carry out each command with each kind of knowledge, on a fresh phone each time.

    Raises:
        WorldFailed: the simulated world does not start.
        EmbeddingError: the embedder cannot be loaded.
    """
    tried = []
    for locale in dict.fromkeys(task.locale for task in tasks):
        options = WorldOptions(locale=locale, seed=seed)
        async with open_stage(options) as stage:
            stages = {known: await asyncio.to_thread(_knowing, stage, known, options) for known in Known}
            for task in (one for one in tasks if one.locale == locale):
                unmet = {known: await _unmet(stages[known], task) for known in Known}
                tried.append(Tried(task, unmet))
                done = ", ".join(known for known in Known if not unmet[known]) or "never done"
                tell(f"{len(tried)}/{len(tasks)} {task.id}: {done}")
    return tried


def report(tried: Sequence[Tried], seed: int) -> Report:
    """A row for each command, and the sums. Good when memory does all that it can know of."""
    totals = {known: sum(not one.unmet[known] for one in tried) for known in Known}
    rows = [
        (one.task.instruction, *("-" if one.unmet[known] else "done" for known in Known)) for one in tried
    ]
    lines = [f"{known}: {total} of {len(tried)} done" for known, total in totals.items()]
    values = {
        "benchmark": "personal",
        "seed": seed,
        "tasks": [
            {
                "id": one.task.id,
                "said": one.task.instruction,
                "unmet": {known.name.lower(): list(one.unmet[known]) for known in Known},
            }
            for one in tried
        ],
        "done": {known.name.lower(): total for known, total in totals.items()},
        "count": len(tried),
    }
    grid = Grid("Vague commands", ("command", *Known), tuple(rows))
    return Report(values, [grid], lines, totals[Known.WEEKS] > totals[Known.NOTHING])


def _knowing(stage: Stage, known: Known, options: WorldOptions) -> Stage:
    """The stage with a memory of its own, in which so much is known."""
    settings = stage.settings.overridden(
        {"store": stage.settings.store / known.name.lower(), "turn": {"max_steps": _MOST_STEPS}}
    )
    if known is Known.WEEKS:
        live_in(settings, options, lambda: datetime.now().astimezone())
    elif known is Known.APPS:
        know_apps(settings, cast(Locale, options.locale))
    return replace(stage, settings=settings.model_copy(update={"memory": MemorySettings(learning=False)}))


async def _unmet(stage: Stage, task: BenchTask) -> tuple[str, ...]:
    """What the task leaves unmet where every sensitive action is allowed."""
    await stage.prepare(task.setup)
    async with stage.engine(tuple(ActionKind)) as engine:
        finished, _ = await followed(engine, task.instruction, _CAP)
    if finished is None or finished.outcome is not Outcome.SUCCESS:
        return (finished.answer if finished else "it took too long",)
    return tuple(check(task, await stage.phone.state(), finished.answer))
