"""`assistant bench …`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from assistant.bench import (
    demonstrations,
    embedding,
    first_paint,
    follow_ups,
    guard_pictures,
    guard_screens,
    guards,
    him,
    hostile,
    idle,
    interrupt,
    matching,
    parallel,
    parallel_displays,
    perinstruct,
    personal,
    personalalign,
    proactive,
    proactive_log,
    profile,
    profile_scale,
    resolving,
    reuse,
    scale,
    shared_memory,
    slot_scores,
    step,
    takeover,
    task_runs,
)
from assistant.bench.corpora import DataMissing, data_folder
from assistant.bench.harness import TurnFailed
from assistant.bench.hashing import HASHING, load_embedder
from assistant.bench.personal_runs import Arm
from assistant.bench.report import Report, progress
from assistant.bench.tasks import BenchTask, load_tasks
from assistant.bench.terminal import TerminalFailed
from assistant.cli.help import ConfigOption, settings_of
from assistant.embedding.embedder import Embedder, EmbeddingError
from assistant.embedding.models import bundled_matcher, bundled_tagger
from assistant.i18n import later
from assistant.model.dialects.registry import UnknownDialect
from assistant.settings.schema import ModelSettings, ProactiveSettings
from assistant.simulator.life.commands import Languages
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.model.eye import can_read
from assistant.simulator.phone_command import find_profile

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same moments and faults.")]
DelaysOption = Annotated[float, typer.Option(min=0, help="A real phone's delays times this; 0 for none.")]
HabitsOption = Annotated[bool, typer.Option("--habits", help="Give the model the bad habits of real ones.")]
CapOption = Annotated[float, typer.Option(min=1, help="Seconds after which a task counts as hung.")]
OnlyOption = Annotated[list[str] | None, typer.Option(metavar="ID", help="This one only; again for more.")]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder of data that is not shipped.")]
ModelOption = Annotated[
    str, typer.Option(metavar="NAME", help=f"Embedding model; {HASHING} for characters without a model.")
]
PeopleOption = Annotated[int, typer.Option(min=1, help="How many people live.")]
WeeksOption = Annotated[int, typer.Option(min=3, help="How long each life lasts.")]
LocaleOption = Annotated[Languages, typer.Option(help="What language people speak.")]
HardOption = Annotated[bool, typer.Option("--hard", help="Looser lives, the scenario often unknown.")]
LifeSeedOption = Annotated[
    int, typer.Option("--seed", help="Which lives; settings were found on seeds 100 to 109, take others.")
]

LlmUmOption = Annotated[
    bool,
    typer.Option(
        "--llm-um",
        help="Also have a model write a profile of each person and ask it about states; the scripted one "
        "without --config.",
    ),
]
ModelConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Settings whose model is asked with --llm-um.")
]
StatesOption = Annotated[
    int,
    typer.Option(
        "--states", min=2, help="About how many states a model is asked, one call each; the paper's number."
    ),
]

_STEPPED = ("clock-weekdays", "chat-send", "eats-no-coriander", "rail-look-up")
# Between them they tap, type, scroll, go back, and do two things that need an approval.
_INTERRUPTED = ("chat-send", "calendar-delete", "rail-look-up", "contacts-add")
_QUICK = ("chat-send", "chat-new-conversation-zh", "eats-note", "contacts-add", "paybox-balance")
# Between them: a message, one to somebody new, a paid order, two fields, and an answer that is read.
# Nothing in it waits for an approval, so that Escape always meets a running turn.
_ATTENDED = "rail-look-up"

bench_app = typer.Typer(
    help=later("Figures beside their baselines, from one run."),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


class Locales(StrEnum):
    """The languages of the phone that tasks are run in."""

    EN = "en"
    ZH = "zh"
    BOTH = "both"


@bench_app.command("tasks")
def tasks_command(
    faults: Annotated[bool, typer.Option("--faults", help="Let the model err, stall and lie.")] = False,
    habits: HabitsOption = False,
    liar: Annotated[
        bool, typer.Option("--liar", help="The model claims success again and again and does nothing.")
    ] = False,
    after: Annotated[int, typer.Option(min=0, help="The right steps that a liar takes first.")] = 0,
    model: Annotated[
        str, typer.Option(help="A model's name; the scripted model writes as its family.")
    ] = "scripted",
    only: OnlyOption = None,
    locale: Annotated[Locales, typer.Option(help="Run the tasks in this language.")] = Locales.BOTH,
    delays: DelaysOption = 0.0,
    cap: CapOption = 120.0,
    helper: Annotated[
        bool, typer.Option("--helper", help="See and drive the phone through the resident helper.")
    ] = False,
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="A phone that is sold, with its screen, Android and quirks.")
    ] = "",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """The scripted tasks on the simulated phone, judged by the phone's state."""
    find_profile(profile)
    options = task_runs.TaskOptions(
        faults=faults,
        habits=habits,
        liar=liar,
        after=after,
        model=model,
        delays=delays,
        seed=seed,
        cap=cap,
        profile=profile,
        helper=helper,
    )
    tasks = [(place, task) for place, task in _tasks(only) if locale in (Locales.BOTH, task.locale)]
    _finish(as_json, task_runs.run, tasks, options)


@bench_app.command("dialects")
def dialects_command(
    names: Annotated[
        list[str] | None,
        typer.Option("--dialect", metavar="NAME", help="This dialect or family of models only."),
    ] = None,
    only: OnlyOption = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only five tasks of different kinds: a quarter of an hour.")
    ] = False,
    habits: HabitsOption = False,
    ocr: Annotated[
        bool,
        typer.Option(
            "--ocr",
            help="The scripted model reads the pictures (assistant[ocr]); else it is told what they show.",
        ),
    ] = False,
    cap: CapOption = 120.0,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """The scripted tasks with every family of models, each in its own words, beside function calls."""
    if ocr and not can_read():
        raise typer.BadParameter("reading pictures takes the extra: pip install 'assistant[ocr]'")
    options = task_runs.TaskOptions(habits=habits, seed=seed, cap=cap, reads=ocr)
    tasks = _tasks(only or (_QUICK if quick else None))
    _finish(as_json, task_runs.run_dialects, tasks, names or (), options)


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
    tasks = [task for _, task in _tasks(only or _INTERRUPTED)]
    ((_, attended),) = _tasks((_ATTENDED,))
    _finish(as_json, interrupt.run, tasks, attended, times, escapes, delays, seed)


@bench_app.command("parallel")
def parallel_command(
    times: Annotated[int, typer.Option(min=0, help="How often each kind of command is carried out.")] = 3,
    faults: Annotated[int, typer.Option(min=0, help="How many runs with faults follow.")] = 100,
    learnt: Annotated[bool, typer.Option(help="Measure again with a memory that has learnt.")] = True,
    helper: Annotated[bool, typer.Option(help="Read the phones through the resident helper.")] = False,
    displays: Annotated[
        bool, typer.Option(help="One phone with two other displays, instead of four phones.")
    ] = False,
    kind: Annotated[list[str] | None, typer.Option(help="This kind only; again for more.")] = None,
    delays: DelaysOption = 1.0,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Commands over several apps on four simulated phones, or displays of one, beside the same in turn."""
    if unknown := [name for name in kind or () if name not in parallel.KINDS]:
        raise typer.BadParameter(f"{unknown[0]} is none of {', '.join(parallel.KINDS)}")
    four = partial(parallel.run, learnt=learnt, helper=helper)
    measure = parallel_displays.run if displays else four
    _finish(as_json, measure, times, faults, seed, delays, tuple(kind or ()))


@bench_app.command("step")
def step_command(
    steps: Annotated[int, typer.Option(min=1, help="How many steps are timed.")] = 60,
    keys: Annotated[int, typer.Option(min=0, help="How many keys are typed in the interface.")] = 60,
    shown: Annotated[int, typer.Option(min=1, help="How many steps the interface shows meanwhile.")] = 500,
    only: OnlyOption = None,
    delays: DelaysOption = 0.0,
    helper: Annotated[bool, typer.Option(help="Time the steps again with the resident helper.")] = False,
    family: Annotated[
        str, typer.Option(help="Time the steps again with this family of models, such as qwen3_vl.")
    ] = "",
    pace: Annotated[float, typer.Option(min=0, help="The model's tokens per second; 0 for at once.")] = 0.0,
    nodes: Annotated[
        int, typer.Option(min=0, help="Time the steps again with so many more nodes on each page.")
    ] = 0,
    restless: Annotated[
        bool, typer.Option("--restless", help="Time the steps again with pages that never rest.")
    ] = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Our own time per step, and from key to paint while thoughts stream."""
    tasks = [task for _, task in _tasks(only or _STEPPED)]
    _finish(as_json, step.run, tasks, steps, keys, shown, delays, seed, helper, family, pace, nodes, restless)


@bench_app.command("idle")
def idle_command(
    seconds: Annotated[float, typer.Option(min=1, help="How long both stand still.")] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """What the interface costs while nothing happens, beside an empty Textual app."""
    _finish(as_json, idle.run, seconds)


@bench_app.command("first-paint")
def first_paint_command(
    times: Annotated[int, typer.Option(min=1, help="How many starts are measured.")] = 10,
    as_json: JsonOption = False,
) -> None:
    """From starting the program to its first painted field, beside an empty Textual app."""
    _finish(as_json, first_paint.run, times)


@bench_app.command("guards")
def guards_command(
    pictures: Annotated[
        bool,
        typer.Option("--pictures", help="The drawn pages by their pictures alone; needs assistant[ocr]."),
    ] = False,
    screens: Annotated[
        Path | None,
        typer.Option("--screens", help="A folder with UI trees and labels.jsonl of your own."),
    ] = None,
    form: Annotated[
        guard_pictures.PictureForm,
        typer.Option(
            help="With --pictures, how they come: PNG, packed pixels, the JPEG of the resident helper."
        ),
    ] = guard_pictures.PictureForm.PNG,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="With --screens, list what is judged otherwise.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """How well sensitive actions are told from harmless ones, beside a plain list of words."""
    if screens is not None:
        _finish(as_json, guard_screens.run_on_screens, screens, verbose)
        return
    if pictures:
        _finish(as_json, guard_pictures.run, form)
        return
    _finish(as_json, guards.run)


@bench_app.command("hostile")
def hostile_command(
    only: OnlyOption = None,
    through_mcp: Annotated[
        bool, typer.Option("--mcp", help="Have an MCP client drive the turns; its user declines.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Hostile screens and a model that obeys them: what harm comes of it, beside no guards at all."""
    if through_mcp:
        # Its library is an extra of the package.
        from assistant.bench import hostile_mcp

        _finish(as_json, hostile_mcp.run, only or ())
        return
    _finish(as_json, hostile.run, only or ())


@bench_app.command("shared")
def shared_command(
    database: Annotated[str, typer.Option(help="An empty database, as postgresql://me@host/name.")],
    times: Annotated[int, typer.Option(min=0, help="How many writers are killed, two at a time.")] = 100,
    records: Annotated[int, typer.Option(min=1, help="How many records are read from.")] = 1000,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """A memory on a PostgreSQL server: killed writers, and reading beside a file."""
    _finish(as_json, shared_memory.run, database, times, records, seed)


@bench_app.command("reuse")
def reuse_command(
    orders: Annotated[
        int, typer.Option(min=8, help="How many orders, of eight categories in the paper's proportions.")
    ] = 64,
    only: Annotated[str, typer.Option(help="One category alone, such as mail.")] = "",
    kept: Annotated[
        Path | None,
        typer.Option(help="A folder that keeps each memory's run when it is whole, and gives it again."),
    ] = None,
    in_a_row: Annotated[
        bool, typer.Option("--in-a-row", help="Do not reset the phone between orders, as for a user.")
    ] = False,
    each: Annotated[
        int, typer.Option(min=0, help="Only the first so many orders of each category; 0 for all.")
    ] = 0,
    redesign: Annotated[
        bool,
        typer.Option("--redesign", help="From the third of each category on, the apps' own pages differ."),
    ] = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Steps that need no decision of the model again, beside the paper's rules and no memory."""
    _finish(as_json, partial(reuse.run, each=each, redesign=redesign), orders, seed, only, kept, in_a_row)


@bench_app.command("demonstrations")
def demonstrations_command(
    times: Annotated[
        int,
        typer.Option(min=0, help="How many tasks are shown by a way of the model, beside those by hand."),
    ] = 20,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Tasks shown by hand, replayed with other values, beside the model alone."""
    _finish(as_json, demonstrations.run, times, seed)


@bench_app.command("match")
def match_command(
    data: DataOption = None,
    listed: Annotated[bool, typer.Option("--list", help="Print each target that is not found.")] = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Recorded targets looked for on real screens that changed, beside the recorded point."""
    _finish(as_json, matching.run, data_folder(data), seed, listed)


@bench_app.command("templates")
def templates_command(
    data: DataOption = None,
    orders: Annotated[
        int, typer.Option(min=0, help="So many seen and unseen orders of each kind; 0 for slots only.")
    ] = 2,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Slots found in instructions of AndroidWorld, and what templates are worth to a forgetful model."""
    _finish(as_json, slot_scores.run, data_folder(data), seed, orders)


@bench_app.command("takeover")
def takeover_command(
    times: Annotated[int, typer.Option(min=1, help="How often the user cuts in.")] = 60,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """How soon a turn pauses when the user takes the phone, beside waiting for the step to end."""
    _finish(as_json, takeover.run, times, seed)


@bench_app.command("personal")
def personal_command(
    only: OnlyOption = None,
    count: Annotated[
        int | None, typer.Option("--tasks", min=1, help="So many commands, spread over all.")
    ] = None,
    arms: Annotated[list[Arm] | None, typer.Option("--arm", help="This arm only; again for more.")] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Personalised commands on the simulated phone, with and without understanding, looks and the user."""
    _finish(as_json, personal.run, only or (), count, arms or (), seed)


@bench_app.command("perinstruct")
def perinstruct_command(data: DataOption = None, seed: SeedOption = 0, as_json: JsonOption = False) -> None:
    """How well personalized elements are perceived without a model, beside a plain pattern."""
    _finish(as_json, perinstruct.run, data_folder(data), seed)


@bench_app.command("follow-ups")
def follow_ups_command(
    data: DataOption = None,
    silent: Annotated[bool, typer.Option(help="List no lines.")] = False,
    prompts: Annotated[
        Path | None, typer.Option(help="Write what a model is told of lines that may order nothing.")
    ] = None,
    answers: Annotated[Path | None, typer.Option(help="Take these answers to them.")] = None,
    as_json: JsonOption = False,
) -> None:
    """What becomes of lines that go on from the turn before, or may order nothing."""
    _finish(as_json, follow_ups.run, data_folder(data), silent, prompts, answers)


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
    _finish(as_json, embedding.run, options)


@bench_app.command("him")
def him_command(
    people: PeopleOption = 12,
    weeks: WeeksOption = 8,
    locale: LocaleOption = Languages.MIXED,
    hard: HardOption = False,
    model: ModelOption = "",
    seed: LifeSeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Clusters, kinds and vague commands on synthetic lives, beside baselines."""
    language: Literal["en", "zh", "mixed"] = locale.value
    options = LifeOptions(seed, weeks, language, hard, people)
    networks = bundled_tagger(progress), bundled_matcher(progress)
    _finish(as_json, him.run, options, _embedder(model), None, *networks)


@bench_app.command("resolve")
def resolve_command(
    folder: Annotated[Path, typer.Argument(help="Has life1.jsonl, commands1.jsonl and so on.")],
    silent: Annotated[bool, typer.Option(help="List no commands, so that they stay unseen.")] = False,
    facts: Annotated[
        bool, typer.Option("--facts/--no-facts", help="Whether factsN.txt beside a life is imported, too.")
    ] = True,
    config: Annotated[
        Path | None, typer.Option(help="Settings whose model reads what the memory is not sure of.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """What `assistant resolve` makes of the commands in a folder, with the lives there as memory."""
    _finish(as_json, resolving.run, folder, silent, facts, config)


@bench_app.command("proactive")
def proactive_command(
    people: PeopleOption = 12,
    weeks: WeeksOption = 10,
    locale: LocaleOption = Languages.MIXED,
    hard: HardOption = False,
    routines: Annotated[
        bool, typer.Option("--routines/--no-routines", help="Whether people have routines at all.")
    ] = True,
    model: ModelOption = "",
    seed: LifeSeedOption = 0,
    seeds: Annotated[
        int, typer.Option(min=1, help="Take so many people of each of the next seeds, too, as one set.")
    ] = 1,
    logs: Annotated[
        list[Path] | None,
        typer.Option("--log", metavar="FILE", help="Judge this person's log instead; again for more."),
    ] = None,
    days: Annotated[
        int, typer.Option(min=1, help="With --log: how many days at the end are judged; before is learnt.")
    ] = 7,
    llm_um: LlmUmOption = False,
    config: ModelConfigOption = None,
    asked: StatesOption = personalalign.DUE + personalalign.QUIET,
    as_json: JsonOption = False,
) -> None:
    """When to suggest what, on states of synthetic lives, beside the paper's way and simple rules."""
    if logs:
        _finish(as_json, proactive_log.run, logs, days, _embedder(model), ProactiveSettings())
    language: Literal["en", "zh", "mixed"] = locale.value
    options = LifeOptions(seed, weeks, language, hard, people, routines)
    profile = proactive.ModelProfile(_model_of(config), asked) if llm_um else None
    _finish(as_json, proactive.run, options, _embedder(model), ProactiveSettings(), seeds, profile)


@bench_app.command("personalalign")
def personalalign_command(
    people: PeopleOption = 11,
    weeks: WeeksOption = 10,
    locale: LocaleOption = Languages.MIXED,
    hard: HardOption = False,
    model: ModelOption = "",
    seed: LifeSeedOption = 0,
    llm_um: LlmUmOption = False,
    config: ModelConfigOption = None,
    asked: StatesOption = personalalign.DUE + personalalign.QUIET,
    as_json: JsonOption = False,
) -> None:
    """PersonalAlign's Tables 4 to 6 and C.1 to C.3 on synthetic lives, beside the paper's figures."""
    language: Literal["en", "zh", "mixed"] = locale.value
    options = LifeOptions(seed, weeks, language, hard, people)
    endpoint = _model_of(config) if llm_um else None
    arguments = (options, _embedder(model), ProactiveSettings(), llm_um, endpoint, asked)
    _finish(as_json, personalalign.run, *arguments)


@bench_app.command("scale")
def scale_command(
    sizes: Annotated[
        list[int] | None, typer.Option("--size", min=100, metavar="N", help="This many records only.")
    ] = None,
    huge: Annotated[bool, typer.Option("--huge", help=f"Also {scale.LARGEST:,} records.")] = False,
    model: ModelOption = "",
    seed: Annotated[int, typer.Option(help="Which lives.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """How time and memory grow with records: import, vectors, aggregation, one more day."""
    _embedder(model)
    chosen = [*(sizes or scale.SIZES), *((scale.LARGEST,) if huge else ())]
    _finish(as_json, scale.run, chosen, seed, model)


@bench_app.command("profile")
def profile_command(
    people: Annotated[int, typer.Option(min=1, help="How many people.")] = 20,
    seed: Annotated[
        int, typer.Option(help="The first person; below 50 are those that rules were developed on.")
    ] = profile.FIRST_SEED,
    model: ModelOption = "",
    as_json: JsonOption = False,
) -> None:
    """What vague tasks need to know, retrieved within 2,000 tokens, beside plain vectors."""
    _finish(as_json, profile.run, _embedder(model), range(seed, seed + people))


@bench_app.command("profile-scale")
def profile_scale_command(
    sizes: Annotated[
        list[int] | None, typer.Option("--nodes", metavar="N", min=21, help="Measure this size only.")
    ] = None,
    chroma: Annotated[bool, typer.Option(help="Compare chromadb, where it is installed.")] = True,
    model: ModelOption = "",
    seed: Annotated[int, typer.Option(help="Draws the vectors.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Update and retrieval at 100 to 100,000 nodes, beside chromadb and the naive store."""
    _finish(as_json, profile_scale.run, _embedder(model), sizes or profile_scale.SIZES, seed, chroma)


def _tasks(only: Sequence[str] | None) -> list[tuple[int, BenchTask]]:
    """Tasks with their places in the whole list: those named, or all."""
    try:
        everything = load_tasks()
    except DataMissing as error:
        raise _failure(error) from error
    if unknown := sorted(set(only or ()) - {task.id for task in everything}):
        raise typer.TyperException(f"There is no such task: {', '.join(unknown)}.")
    return [(place, task) for place, task in enumerate(everything) if not only or task.id in only]


def _model_of(config: Path | None) -> ModelSettings | None:
    """The model that some settings name; None without settings."""
    return None if config is None else settings_of(config=config).model


def _embedder(name: str) -> Embedder:
    try:
        return load_embedder(name)
    except EmbeddingError as error:
        raise _failure(f"{error} Or measure without a model: --model {HASHING}") from error


def _finish(
    as_json: bool, run: Callable[..., Report | Coroutine[Any, Any, Report]], *arguments: object
) -> None:
    """Measure and report; words and exit code 1 where that cannot be carried through."""
    try:
        result = run(*arguments)
        report = result if isinstance(result, Report) else asyncio.run(result)
    except UnknownDialect as error:
        raise typer.TyperException(str(error)) from error
    except (TerminalFailed, TurnFailed, DataMissing, EmbeddingError) as error:
        raise _failure(error) from error
    report.finish(as_json)


def _failure(reason: object) -> typer.Exit:
    typer.echo(reason, err=True)
    return typer.Exit(1)
