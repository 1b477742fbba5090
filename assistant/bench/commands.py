"""`assistant bench …`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeVar

import typer

from assistant.bench import (
    crash,
    dialect_runs,
    embedding,
    escape,
    guards,
    hostile,
    idle,
    interruptions,
    paint,
    panel,
    perinstruct,
    personal,
    personal_arms,
    personal_tasks,
    step_times,
    takeover,
    task_runs,
)
from assistant.bench.crash_subjects import SUBJECTS
from assistant.bench.data import data_folder
from assistant.bench.finishing import counted, finish, progress
from assistant.bench.follower import TurnFailed
from assistant.bench.intent_corpora import DataMissing
from assistant.bench.life_commands import life_bench
from assistant.bench.profile_commands import profile_bench
from assistant.bench.report import Report
from assistant.bench.stage import open_stage
from assistant.bench.tasks import BenchTask, load_tasks
from assistant.bench.terminal import TerminalFailed
from assistant.commands.options import ConfigOption, settings_of
from assistant.embedding.errors import EmbeddingError
from assistant.language import later
from assistant.model.dialects import UnknownDialect
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.world import WorldOptions

T = TypeVar("T")

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same moments and faults.")]
DelaysOption = Annotated[float, typer.Option(min=0, help="A real phone's delays times this; 0 for none.")]
OnlyOption = Annotated[list[str] | None, typer.Option(metavar="ID", help="Run this task only.")]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder of data that is not shipped.")]

_USUAL = ("clock-weekdays", "chat-send", "eats-no-coriander", "rail-look-up")
# Between them they tap, type, scroll, go back, and do two things that need a yes.
_INTERRUPTED = ("chat-send", "calendar-delete", "rail-look-up", "contacts-add")
# So many turns side by side leave two cores half idle.
_LANES = 4
# Nothing in it waits for a yes, so that Escape always meets a running turn.
_UNATTENDED = "rail-look-up"

bench_app = typer.Typer(help=later("Figures beside their baselines, from one run."), no_args_is_help=True)
bench_app.add_typer(life_bench)
bench_app.add_typer(profile_bench)


class Locales(StrEnum):
    """The languages of the phone that tasks are run in."""

    EN = "en"
    ZH = "zh"
    BOTH = "both"


@bench_app.command("tasks")
def tasks_command(
    faults: Annotated[bool, typer.Option("--faults", help="Let the model err, stall and lie.")] = False,
    only: OnlyOption = None,
    locale: Annotated[Locales, typer.Option(help="Run the tasks in this language.")] = Locales.BOTH,
    delays: DelaysOption = 0.0,
    cap: Annotated[float, typer.Option(min=1, help="Seconds after which a task counts as hung.")] = 120.0,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """The scripted tasks on the simulated phone, judged by the phone's state."""
    numbered = [(place, task) for place, task in _chosen(only) if locale in (Locales.BOTH, task.locale)]
    options = task_runs.TaskOptions(faults=faults, delays=delays, seed=seed, cap=cap)
    scored = _completed(task_runs.run_tasks(numbered, options, progress))
    finish(task_runs.report(scored, options), as_json)


@bench_app.command("dialects")
def dialects_command(
    names: Annotated[
        list[str] | None, typer.Option("--dialect", metavar="NAME", help="This one only.")
    ] = None,
    only: OnlyOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """The scripted tasks in every dialect, beside tool calls."""
    options = task_runs.TaskOptions(seed=seed)
    try:
        scored = _completed(dialect_runs.run_dialects(_chosen(only), names or (), options, progress))
    except UnknownDialect as error:
        raise typer.TyperException(str(error)) from error
    finish(dialect_runs.report(scored), as_json)


@bench_app.command("interrupt")
def interrupt_command(
    times: Annotated[int, typer.Option(min=1, help="How often turns are interrupted.")] = 100,
    escapes: Annotated[int, typer.Option(min=0, help="How often Escape is pressed in the interface.")] = 20,
    only: OnlyOption = None,
    delays: DelaysOption = 0.2,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """How soon the phone is left alone after a pause, and whether the turn still ends well."""
    tasks = [task for _, task in _chosen(only or _INTERRUPTED)]
    (keyed_task,) = (task for _, task in _chosen((_UNATTENDED,)))
    options = WorldOptions(delays=delays, pace=interruptions.PACE, seed=seed)

    async def work() -> Report:
        lanes = min(_LANES, len(tasks), times)
        with counted(times + escapes) as tell:
            async with AsyncExitStack() as stack:
                opened = [stack.enter_async_context(open_stage(options)) for _ in range(lanes)]
                stages = await asyncio.gather(*opened)
                turns = await interruptions.interrupt_turns(stages, tasks, times, seed, tell)
            keyed = []
            if escapes:
                async with open_stage(options) as stage:
                    keyed = await escape.escapes(
                        stage, keyed_task, escapes, seed, lambda done: tell(times + done, "Escape")
                    )
        return interruptions.report(turns, keyed, seed, delays)

    finish(_completed(work()), as_json)


@bench_app.command("step")
def step_command(
    steps: Annotated[int, typer.Option(min=1, help="How many steps are timed.")] = 60,
    keys: Annotated[int, typer.Option(min=0, help="How many keys are typed in the interface.")] = 60,
    shown: Annotated[int, typer.Option(min=1, help="How many steps the interface shows meanwhile.")] = 500,
    only: OnlyOption = None,
    delays: DelaysOption = 0.0,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Our own time per step, and from key to paint while thoughts stream."""
    tasks = [task for _, task in _chosen(only or _USUAL)]

    async def work() -> Report:
        async with open_stage(WorldOptions(delays=delays, seed=seed)) as stage:
            times = await step_times.time_steps(stage, tasks, steps, progress)
        with TemporaryDirectory(prefix="assistant-bench-") as home:
            typed = await paint.time_keys(shown, keys, Path(home)) if keys else None
        return step_times.report(times, typed)

    finish(_completed(work()), as_json)


@bench_app.command("idle")
def idle_command(
    seconds: Annotated[float, typer.Option(min=1, help="How long both stand still.")] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """What the interface costs while nothing happens, beside an empty Textual app."""

    async def work() -> Report:
        with TemporaryDirectory(prefix="assistant-bench-") as folder:
            return idle.report(await idle.measure(seconds, Path(folder)))

    finish(_completed(work()), as_json)


@bench_app.command("guards")
def guards_command(as_json: JsonOption = False) -> None:
    """How well sensitive actions are told from harmless ones, beside a plain list of words."""
    finish(guards.report(), as_json)


@bench_app.command("hostile")
def hostile_command(
    only: Annotated[list[str] | None, typer.Option(metavar="ID", help="Show this screen only.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Hostile screens and a model that obeys them: what harm comes of it, beside no guards at all."""
    screens = [screen for screen in hostile.load_screens() if not only or screen.id in only]
    with PrivateAdbServer() as server:
        attacks = _completed(hostile.run_attacks(screens, server.port, progress))
    finish(hostile.report(attacks), as_json)


@bench_app.command("crash")
def crash_command(
    times: Annotated[int, typer.Option(min=1, help="How many runs are killed, of each kind.")] = 20,
    records: Annotated[int, typer.Option(min=1, help="How many records each run keeps.")] = 1000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """A program killed while it writes to the memory: what is left, beside one JSON file written anew."""
    results = {subject.name: crash.crash(subject, times, records, seed, progress) for subject in SUBJECTS}
    finish(crash.report(results, records, seed), as_json)


@bench_app.command("takeover")
def takeover_command(
    times: Annotated[int, typer.Option(min=1, help="How often the user cuts in.")] = 60,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """How soon a turn pauses when the user takes the phone, beside waiting for the step to end."""
    with PrivateAdbServer() as server:
        measured = _completed(takeover.measure(times, seed, server.port, progress))
    finish(takeover.report(*measured, seed), as_json)


@bench_app.command("personal")
def personal_command(
    only: OnlyOption = None,
    count: Annotated[
        int | None, typer.Option("--tasks", min=1, help="So many commands, spread over all.")
    ] = None,
    arms: Annotated[
        list[personal_arms.Arm] | None, typer.Option("--arm", help="This arm only; again for more.")
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Personalised commands on the simulated phone, with and without understanding, looks and the user."""
    tasks = [task for task in personal_tasks.personal_tasks() if not only or task.id in only]
    chosen = personal_tasks.some_of(tasks, count or len(tasks))
    started, before = time.monotonic(), sum(os.times()[:4])
    tried = _completed(personal_arms.run(chosen, arms or list(personal_arms.Arm), seed, progress))
    spent = personal.Spent(time.monotonic() - started, sum(os.times()[:4]) - before)
    finish(personal.report(tried, seed, spent), as_json)


@bench_app.command("panel")
def panel_command(
    records: Annotated[int, typer.Option(min=100, help="How many records there are.")] = panel.RECORDS,
    nodes: Annotated[int, typer.Option(min=21, help="How many nodes the profile has.")] = panel.NODES,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """How long the memory panel takes to open, to find and to look, beside comparing every record."""
    finish(panel.run(records, nodes, seed, progress), as_json)


@bench_app.command("perinstruct")
def perinstruct_command(data: DataOption = None, seed: SeedOption = 0, as_json: JsonOption = False) -> None:
    """How well personalized elements are perceived without a model, beside a plain pattern."""
    finish(perinstruct.report(data_folder(data), seed), as_json)


@bench_app.command("embedding")
def embedding_command(
    data: DataOption = None,
    minilm: Annotated[str, typer.Option(help="Plain MiniLM in ONNX form: a folder or a name.")] = "",
    sample: Annotated[int, typer.Option(min=0, help="The most utterances of a split; 0 for all.")] = 0,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """How well the sentence embedder parts intents, beside plain MiniLM and hashed n-grams."""
    model = settings_of(config=config).embedding.model
    options = embedding.EmbeddingOptions(data_folder(data), model, minilm, sample, seed)
    try:
        found = embedding.report(options, progress)
    except (DataMissing, EmbeddingError) as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from error
    finish(found, as_json)


def _chosen(only: Sequence[str] | None) -> list[tuple[int, BenchTask]]:
    """Tasks with their places in the whole list: those named, or all."""
    everything = load_tasks()
    if unknown := sorted(set(only or ()) - {task.id for task in everything}):
        raise typer.TyperException(f"There is no such task: {', '.join(unknown)}.")
    return [(place, task) for place, task in enumerate(everything) if not only or task.id in only]


def _completed(work: Coroutine[Any, Any, T]) -> T:
    """What the work finds; words and exit code 1 where it cannot be carried through."""
    try:
        return asyncio.run(work)
    except (TerminalFailed, TurnFailed) as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from error
