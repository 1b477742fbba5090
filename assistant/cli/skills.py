"""`assistant skills`: what the assistant has learnt to do, and whether a target is found again.

`assistant record`: a task that the user shows becomes a skill. `assistant replay`: a skill is carried out.

`assistant schedule`: what is carried out at set times, and what became of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.cli.account import allowances_of, match_lines, print_answers
from assistant.cli.help import (
    EXIT_CODES,
    Commands,
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    YesOption,
    demo_settings,
    echo_json,
    event_json,
    in_world,
    name_of,
    refused_turn,
    settings_of,
    simulated_sentence,
)
from assistant.engine import Engine
from assistant.events import ActionChosen, TurnFinished, TurnStarted
from assistant.i18n import UserError, _, counted, labelled, later, padded
from assistant.memory.store import local_time, open_store, owner_of
from assistant.memory_view.items import DryRun
from assistant.memory_view.labels import format_dry_run
from assistant.model.types import one_line
from assistant.phone.errors import PhoneError
from assistant.plain.output import format_line
from assistant.presentation.text import format_kind
from assistant.proactive.schedule_events import UnreadableTime, format_sender
from assistant.proactive.schedules import (
    Schedule,
    Schedules,
    format_run,
    format_schedule,
)
from assistant.records import Outcome
from assistant.safety.amounts import Allowance
from assistant.secrets import SecretStore
from assistant.settings.schema import Settings
from assistant.skills.service import SkillMemory, UnknownTurn
from assistant.skills.skill_step import WEB
from assistant.skills.slots import with_values
from assistant.skills.storage import (
    describe_outcomes,
    export_skill,
    find_skill_folders,
    import_skill,
    skill_as_json,
)
from assistant.skills.template import PlannedStep, SkillState, SkillTemplate, plan_replay
from assistant.turn_runner import NotReady

skills_app = Commands(help="What the assistant has learnt to do, as skills.")

STATES = {
    SkillState.PROBATION: later("on probation"),
    SkillState.TRUSTED: later("trusted"),
    SkillState.RETIRED: later("retired"),
}

SkillArgument = Annotated[
    str, typer.Argument(metavar="SKILL", help="Its number in the list, its name, or its id.")
]


@skills_app.command("list")
def skills_list(as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None) -> None:
    """The skills, with how far each is trusted."""
    with _opened_skills(store, config) as skills:
        listed = skills.repository.with_counts()
    for template, number, counts in listed:
        if as_json:
            echo_json(skill_as_json(template, number, counts))
        else:
            typer.echo(_line(template, number))
            if counts.runs_needed:
                typer.echo(f"    {one_line(describe_outcomes(counts, template))}")
    if not listed and not as_json:
        typer.echo(_("No skills yet. A turn that ends well teaches one."))


def _line(template: SkillTemplate, number: int) -> str:
    return f"{number:>2}  {padded(name_of(_(STATES[template.state])), 13)} {one_line(template.name)}"


def _print_kept(template: SkillTemplate, number: int, as_json: bool) -> None:
    """What was kept, which words of it may be others, and how to try it."""
    if as_json:
        echo_json(skill_as_json(template, number))
        return
    typer.echo(_("Kept as skill {number}: {name}").format(number=number, name=one_line(template.name)))
    steps = counted(len(template.steps), "step")
    if template.pattern.slots:
        order = one_line(template.pattern.text)
        typer.echo(_("{steps}, also for other values: {order}").format(steps=steps, order=order))
    else:
        typer.echo(_("{steps}, for just this order").format(steps=steps))
    typer.echo(_("What it would do: {command}").format(command=f"assistant replay {number} --dry-run"))


@skills_app.command("show")
def skills_show(
    skill: SkillArgument, as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """One skill: its instruction with slots, its steps, and what it rests on."""
    with _opened_skills(store, config) as skills:
        template, number = _require_skill(skills, skill)
        counts = skills.repository.outcomes(template.package)
    if as_json:
        echo_json(skill_as_json(template, number, counts))
        return
    typer.echo(f"{one_line(template.name)}\n{one_line(template.pattern.text)}")
    typer.echo(
        _("{state}; {runs} runs ended well, {failures} failed in a row; {replayed} steps repeated").format(
            state=_(STATES[template.state]),
            runs=template.runs,
            failures=template.failures,
            replayed=template.replayed,
        )
    )
    for place, words in enumerate(template.plan, 1):
        step = template.steps[place - 1]
        marks = [_("optional")] * step.optional
        if step.shortcut:
            address = _("the address that was typed") if step.shortcut == WEB else step.shortcut
            marks.append(_("at once by {address}, if that shows the same page").format(address=address))
        typer.echo(f"{place:3}. {one_line(words)}" + (f"  ({', '.join(marks)})" if marks else ""))
    if outcomes := describe_outcomes(counts, template):
        typer.echo(one_line(labelled(template.app or template.package, outcomes)))
    if template.evidence:
        typer.echo(_("learnt from {turns}").format(turns=", ".join(template.evidence)))


@skills_app.command("edit")
def skills_edit(
    skill: SkillArgument,
    name: Annotated[str, typer.Option(help="A new name.")] = "",
    retire: Annotated[bool, typer.Option("--retire", help="Use it no more.")] = False,
    use: Annotated[bool, typer.Option("--use", help="Use a retired one again, on probation.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Delete it.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Rename, retire, use again or delete a skill. `assistant memory undo` takes it back."""
    if not (name or retire or use or delete) or (retire and use):
        raise typer.TyperException(_("Give one of --name, --retire, --use, --delete."))
    with _opened_skills(store, config) as skills:
        template, number = _require_skill(skills, skill)
        if delete:
            skills.delete(template)
        if name and not delete:
            skills.rename(template, name)
            template, number = _require_skill(skills, template.id)
        if (retire or use) and not delete:
            skills.retire(template, retired=retire)
            template, number = _require_skill(skills, template.id)
    if as_json:
        echo_json({**skill_as_json(template, number), "deleted": delete})
    else:
        typer.echo(_("Deleted. Undo brings it back.") if delete else _line(template, number))


@skills_app.command("keep")
def skills_keep(
    turn: Annotated[
        str, typer.Argument(metavar="TURN", help="The id of a past turn: see assistant history.")
    ],
    name: Annotated[str, typer.Option(help="What the skill is called.")] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Keep a past turn as a skill."""
    with _opened_skills(store, config) as skills:
        try:
            template = skills.keep(turn, name)
        except UnknownTurn as error:
            raise UserError(
                _("There is no turn {turn} that could be a skill. See “assistant history list”.").format(
                    turn=turn
                )
            ) from error
        number = skills.repository.numbers()[template.id]
    _print_kept(template, number, as_json)


@skills_app.command("export")
def skills_export(
    skill: SkillArgument,
    folder: Annotated[
        Path,
        typer.Argument(
            help="The skill is written to a folder of its own in this one, which is made if it is missing."
        ),
    ] = Path(),
    replace: Annotated[bool, typer.Option("--replace", help="Write over a folder that is there.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write a skill as a folder with SKILL.md and steps.yaml, without recorded screens and values."""
    with _opened_skills(store, config) as skills:
        template, _number = _require_skill(skills, skill)
        is_new = not folder.exists()
        written = export_skill(template, folder, replaces=replace)
    if as_json:
        echo_json({"id": template.id, "folder": str(written)})
        return
    typer.echo(written)
    if is_new:
        typer.echo(_("The folder {folder} was made for it.").format(folder=folder), err=True)


@skills_app.command("import")
def skills_import(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A folder with SKILL.md, and steps.yaml where it has steps; or one that holds such folders."
        ),
    ],
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Read a skill, or all that were exported to a folder. They are on probation."""
    settings = settings_of(store=store, config=config)
    # One that cannot be read keeps back all of them.
    read = [import_skill(each, settings.user_id, local_time()) for each in find_skill_folders(folder)]
    with _opened_skills(store, config) as skills:
        for template in read:
            skills.repository.put(template, "asked by the user", "Import a skill")
        numbers = skills.repository.numbers()
    for template in read:
        _print_kept(template, numbers[template.id], as_json)


@skills_app.command("match")
def skills_match(
    file: Annotated[
        Path,
        typer.Option(help="JSON lines with “recorded” and “now”, XML, and “point”; - reads standard input."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Whether the target of a recorded tap is found again on another screen, and where."""
    print_answers(file, match_lines, _match_in_words, as_json=as_json)


def _match_in_words(answer: dict[str, Any]) -> str:
    return str(answer.get("refused") or "{:.4f}, {:.4f}".format(*answer["point"]))


def record_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What the task is called, best as you would order it.")
    ],
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Show a task on the phone; it becomes a skill.

    Words of NAME that you type or tap on the phone become its slots. Enter ends the recording. What goes into
    password fields, and named secrets, are not recorded.
    """
    settings = settings_of(store, serial, config)
    if demo:
        settings = demo_settings(settings, store)

    async def work(ready: Settings) -> tuple[SkillTemplate, int]:
        async with _started(ready, demo=demo) as engine:
            if engine.current_phone is not None:
                typer.echo(_("Show it on the phone now, then press Enter here."), err=True)
            line = asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
            telling = asyncio.create_task(_tell_steps(engine))
            turn_id = await engine.record(name, line)
            telling.cancel()
            template = await asyncio.to_thread(engine.keep_skill, turn_id, name)
            with _opened_skills(ready.store, config) as skills:
                return template, skills.repository.numbers()[template.id]

    try:
        template, number = asyncio.run(in_world(settings, work, demo=demo))
    except UnknownTurn as error:
        raise UserError(error.reason) from error
    except (NotReady, PhoneError) as error:
        raise UserError(str(error)) from error
    _print_kept(template, number, as_json)


async def _tell_steps(engine: Engine) -> None:
    """Say what was recorded, until cancelled: whoever shows a task sees that a touch was read."""
    async for event in engine.events():
        if isinstance(event, ActionChosen):
            typer.echo(format_line(event), err=True)


def replay_command(
    skill: Annotated[str, typer.Argument(metavar="SKILL|TURN", help="A skill, or the id of a past turn.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    start: Annotated[int, typer.Option("--from", min=1, metavar="STEP", help="Begin with this step.")] = 1,
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="SLOT=VALUE", help="A value; again for more slots.")
    ] = None,
    until: Annotated[int, typer.Option("--until", min=0, metavar="STEP", help="End with this step.")] = 0,
    then: Annotated[str, typer.Option("--then", metavar="TEXT", help="Then do this instead.")] = "",
    yes: YesOption = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Carry out a skill, or a past turn, again.

    Sensitive steps are asked for as always, and the model does what does not look as it did, or --yes allows.
    """
    allowances = allowances_of(yes)
    settings = settings_of(store, serial, config)
    if demo:
        settings = demo_settings(settings, store)
    chosen = dict(_slot_value(words) for words in values or ())
    if bool(until) is not bool(then.strip()):
        raise typer.TyperException(_("--until and --then go together."))
    with _opened_skills(settings.store, config) as skills:
        template = skills.find(skill)
        if template is None:
            sentence = _("There is no skill or past turn {name}. List them with: {skills}, {turns}")
            lists = {"skills": "assistant skills list", "turns": "assistant history list"}
            raise UserError(sentence.format(name=skill, **lists))
        needed = chosen | ({slot.name: "?" for slot in template.pattern.slots} if dry_run else {})
        if problem := template.why_not(needed, start, until or None):
            raise UserError(problem)
        if dry_run:
            filled, day = template.filled(chosen), local_time().date()
            translated = str if as_json else _
            plan = plan_replay(skills.repository.screen, template, filled, day, until or None, translated)
            if then.strip():
                plan.append(PlannedStep(then.strip(), why_model=_("said anew")))
            order = with_values(template.pattern.text, {k: v for k, v in filled.items() if v})
            _print_plan(DryRun(order, filled, plan), start, as_json)
            return

    def start_replay(engine: Engine) -> None:
        engine.replay(skill, chosen, start, until or None, then.strip())

    raise typer.Exit(_run_turn(settings, start_replay, demo=demo, as_json=as_json, allowances=allowances))


def _run_turn(
    settings: Settings,
    start: Callable[[Engine], None],
    *,
    demo: bool,
    as_json: bool,
    allowances: Sequence[Allowance] = (),
    started: Callable[[Settings, TurnStarted], None] = lambda _settings, _event: None,
) -> int:
    """Start a turn, print its events, and return the exit code of its outcome.

    Args:
        settings: the settings, those of the demo with `demo`.
        start: starts the turn.
        demo: whether to run it on the simulated phone.
        as_json: whether to print a line of JSON for each event, instead of words.
        allowances: the sensitive actions that need no approval.
        started: called with the settings in use when the turn has started.

    Raises:
        UserError: the turn cannot begin, or the phone failed.
    """

    async def work(ready: Settings) -> Outcome:
        async with _started(ready, demo=demo, allowances=allowances) as engine:
            start(engine)
            async for event in engine.events():
                if isinstance(event, TurnStarted):
                    started(ready, event)
                line = json.dumps(event_json(event), ensure_ascii=False) if as_json else format_line(event)
                if line:
                    typer.echo(line)
                if isinstance(event, TurnFinished):
                    return event.outcome
        return Outcome.FAILED

    try:
        outcome = asyncio.run(in_world(settings, work, demo=demo))
    except (NotReady, PhoneError) as error:
        if not as_json:
            raise UserError(str(error)) from error
        echo_json(event_json(refused_turn(error)))
        outcome = Outcome.FAILED
    return EXIT_CODES[outcome]


def _print_plan(run: DryRun, start: int, as_json: bool) -> None:
    """Each step, who takes it and why, and what is asked; in words the order and its values before them."""
    if as_json:
        for number, step in enumerate(run.steps[start - 1 :], start):
            echo_json({"step": number, "from_memory": not step.why_model, **asdict(step)})
        return
    for line in format_dry_run(run, format_kind, start):
        typer.echo(line)


def _slot_value(words: str) -> tuple[str, str]:
    name, sign, value = words.partition("=")
    if not (sign and name.strip() and value.strip()):
        raise typer.TyperException(_("--set takes SLOT=VALUE, such as item=tea."))
    return name.strip(), value.strip()


@asynccontextmanager
async def _started(
    settings: Settings, *, demo: bool, allowances: Sequence[Allowance] = ()
) -> AsyncIterator[Engine]:
    """An engine that knows its phone, as one command without the interface has it."""
    engine = Engine(
        settings,
        now=local_time,
        attended=False,
        allowances=allowances,
        simulated=simulated_sentence() if demo else "",
        secrets=None if demo else SecretStore(),
    )
    try:
        await engine.start()
        await engine.wait_for_phone()
        yield engine
    finally:
        await engine.close()


@contextmanager
def _opened_skills(store: Path | None, config: Path | None) -> Iterator[SkillMemory]:
    settings = settings_of(store=store, config=config)
    opened = open_store(settings)
    try:
        yield SkillMemory(opened, owner_of(opened, settings.user_id))
    finally:
        opened.close()


def _require_skill(skills: SkillMemory, name: str) -> tuple[SkillTemplate, int]:
    """A skill and the number that the user calls it by."""
    template = skills.repository.get(name)
    if template is None:
        raise UserError(
            _("There is no skill {name}, or more than one. See “assistant skills list”.").format(name=name)
        )
    return template, skills.repository.numbers()[template.id]


def describe_skills(settings: Settings) -> list[dict[str, Any]]:
    """The skills, as `assistant skills list --json` prints them.

    Raises:
        StoreError: the memory cannot be opened or read.
    """
    store = open_store(settings)
    try:
        repository = SkillMemory(store, owner_of(store, settings.user_id)).repository
        return [skill_as_json(*skill) for skill in repository.with_counts()]
    finally:
        store.close()


schedule_app = Commands(help="What the assistant does by itself at set times.")

_ScheduleArgument = Annotated[
    str,
    typer.Argument(metavar="SCHEDULE", help="Its number in the list, or words of it."),
]


@schedule_app.command("add")
def schedule_add(
    times: Annotated[
        str,
        typer.Argument(help="When: “every weekday at 8”, “when I get home”, “when the bank texts”, or cron."),
    ],
    instruction: Annotated[str, typer.Argument(metavar="TEXT", help="What to do then.")],
    zone: Annotated[
        str, typer.Option(help="The time zone, such as Europe/Berlin; this machine's by default.")
    ] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Have something done at set times, while the assistant or `assistant watch` runs."""
    settings = settings_of(store=store, config=config)
    with _opened_schedules(settings) as schedules:
        try:
            schedule = schedules.add(times, instruction, local_time(), zone)
            unknown_place = schedules.tell_unknown_place(schedule.rule)
        except UnreadableTime as problem:
            raise typer.TyperException(str(problem)) from None
    if as_json:
        echo_json(_schedule_json(schedule))
        return
    typer.echo(f"{schedule.number:>2}  {one_line(format_schedule(schedule, local_time()))}")
    if unknown_place:
        typer.echo(unknown_place)
    if sender := format_sender(schedule.rule):
        typer.echo(one_line(sender))
    elif schedule.rule.event and not settings.proactive.enabled:
        typer.echo(_("Places are followed only while proactive.enabled is true in the settings."), err=True)


@schedule_app.command("list")
def schedule_list(
    as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """The schedules, when each comes next, and how it went last."""
    now = local_time()
    with _opened_schedules(settings_of(store=store, config=config)) as schedules:
        listed = schedules.all()
        last = {run.schedule_id: run for run in reversed(schedules.history(count=1000))}
    for schedule in listed:
        run = last.get(schedule.id)
        if as_json:
            line = {**_schedule_json(schedule), "last": run.as_json() if run else None}
            echo_json(line)
        else:
            typer.echo(f"{schedule.number:>2}  {one_line(format_schedule(schedule, now, run))}")
    if not listed and not as_json:
        typer.echo(
            _('Nothing is scheduled. assistant schedule add "every weekday at 8" "order my usual coffee"')
        )


@schedule_app.command("pause")
def schedule_pause(
    schedule: _ScheduleArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Pause a schedule until it is resumed."""
    _set_paused(schedule, store, config, paused=True, as_json=as_json)


@schedule_app.command("resume")
def schedule_resume(
    schedule: _ScheduleArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Resume a paused schedule. What fell into the pause is not done later."""
    _set_paused(schedule, store, config, paused=False, as_json=as_json)


@schedule_app.command("remove")
def schedule_remove(
    schedule: _ScheduleArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Remove a schedule. The others keep their numbers, and `assistant memory undo` brings it back."""
    with _opened_schedules(settings_of(store=store, config=config)) as schedules:
        removed = schedules.find(schedule)
        change = schedules.remove(removed)
    if as_json:
        echo_json({**_schedule_json(removed), "removed": True, "change": change})
        return
    typer.echo(
        _("Removed {number}: {schedule}").format(number=removed.number, schedule=one_line(removed.words))
    )
    typer.echo(_("Undo it with: assistant memory undo {change}").format(change=change))


@schedule_app.command("history")
def schedule_history(
    schedule: Annotated[
        str, typer.Argument(metavar="[SCHEDULE]", help="Only of this one; by default of all.")
    ] = "",
    count: Annotated[int, typer.Option(min=1, help="At most so many, the newest first.")] = 50,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """What became of each occasion: its outcome, or why it was missed."""
    with _opened_schedules(settings_of(store=store, config=config)) as schedules:
        chosen = schedules.find(schedule).id if schedule else ""
        runs = schedules.history(chosen, count)
    for run in runs:
        line = json.dumps(run.as_json(), ensure_ascii=False) if as_json else one_line(format_run(run))
        typer.echo(line)
    if not runs and not as_json:
        typer.echo(_("No schedule has come due yet."))


@schedule_app.command("run")
def schedule_run(
    schedule: _ScheduleArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Carry out a schedule now, as `assistant run` does. Its next time stays."""
    settings = settings_of(store, serial, config)
    if demo:
        settings = demo_settings(settings, store)
    with _opened_schedules(settings) as schedules:
        chosen = schedules.find(schedule)

    def note_run(ready: Settings, event: TurnStarted) -> None:
        with _opened_schedules(ready) as schedules:
            schedules.note_run(chosen, event.turn_id, event.time)

    def start_turn(engine: Engine) -> None:
        engine.run(chosen.instruction)

    raise typer.Exit(_run_turn(settings, start_turn, demo=demo, as_json=as_json, started=note_run))


def _set_paused(name: str, store: Path | None, config: Path | None, *, paused: bool, as_json: bool) -> None:
    now = local_time()
    with _opened_schedules(settings_of(store=store, config=config)) as schedules:
        schedule = schedules.find(name)
        changed = schedules.pause(schedule, paused=paused, now=now)
        schedule = schedules.find(schedule.id)
    if as_json:
        echo_json({**_schedule_json(schedule), "changed": changed})
    else:
        typer.echo(one_line(format_schedule(schedule, now)) if changed else _("Nothing to change."))


@contextmanager
def _opened_schedules(settings: Settings) -> Iterator[Schedules]:
    opened = open_store(settings)
    try:
        yield Schedules(opened, settings.user_id)
    finally:
        opened.close()


def _schedule_json(schedule: Schedule) -> dict[str, Any]:
    return {
        "id": schedule.id,
        "number": schedule.number,
        "times": schedule.times,
        "rule": schedule.rule.as_json(),
        "zone": schedule.zone,
        "instruction": schedule.instruction,
        "paused": schedule.paused,
        "next": [time.isoformat() for time in schedule.upcoming(local_time())],
    }
