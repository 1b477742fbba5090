"""The `assistant` command. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from assistant import i18n
from assistant.cli.help import Commands, usage_problem
from assistant.commands.approvals import approvals_app
from assistant.commands.demo_time import DemoTime
from assistant.commands.late import LateGroup
from assistant.commands.options import (
    ConfigOption,
    DemoOption,
    JsonOption,
    PlainOption,
    SerialOption,
    StoreOption,
    in_world,
    settings_of,
)
from assistant.commands.secret import secret_app
from assistant.commands.streams import say_what_can_be_said
from assistant.commands.usage import usage_command
from assistant.demo.memory import demo_store, fill, locale_of
from assistant.engine import Engine, NotReady
from assistant.events import ActionKind, Event, TurnFinished, event_json
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.printing import line_of
from assistant.records import Outcome, Usage
from assistant.secrets import SecretError, SecretStore
from assistant.settings.load import SettingsError
from assistant.settings.schema import Settings
from assistant.settings.table import load_what_is_right
from assistant.simulator.world import SIMULATED, World, WorldFailed, WorldOptions
from assistant.tui.launch import DEMO, RESTART, run_tui

_DEMO = WorldOptions(delays=0.2, pace=40.0)
"""The demo's world where nothing else is said."""
EXIT_CODES = {Outcome.SUCCESS: 0, Outcome.FAILED: 1, Outcome.CANCELLED: 2}
USAGE_EXIT_CODE = 64
"""What wrong usage exits with (BSD's EX_USAGE), since 2 tells a cancelled turn."""

app = Commands(
    name="assistant",
    cls=LateGroup,
    help="A personal assistant in the terminal that operates your Android phone.",
    no_args_is_help=False,
    add_completion=True,
    pretty_exceptions_enable=False,
)
app.add_typer(secret_app, name="secret")
app.add_typer(approvals_app, name="approvals")
app.command("usage")(usage_command)


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    say_what_can_be_said((sys.stdout, sys.stderr))
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        typer.echo(usage_problem(error), err=True)
        code = USAGE_EXIT_CODE
    except typer.Abort:
        code = EXIT_CODES[Outcome.CANCELLED]
    except (SecretError, SettingsError, StoreError, WorldFailed) as error:
        typer.echo(error, err=True)
        code = EXIT_CODES[Outcome.FAILED]
    except BrokenPipeError:
        sys.stderr.close()
        code = EXIT_CODES[Outcome.FAILED]
    sys.exit(code if isinstance(code, int) else 0)


@app.callback(invoke_without_command=True)
def terminal(
    context: typer.Context,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
    plain: PlainOption = False,
) -> None:
    """Without a command: the terminal interface."""
    if context.invoked_subcommand is None:
        settings = settings_of(store, serial, config, lenient=True)
        if demo:
            settings = demo_store(settings, store)
        _run_terminal(settings, WorldOptions() if demo else None, config, plain)


@app.command("demo")
def demo_command(
    store: StoreOption = None,
    config: ConfigOption = None,
    locale: Annotated[
        str, typer.Option(help="The phone's language: en or zh; by default the interface's.")
    ] = "",
    delays: Annotated[
        float, typer.Option(help="A real phone's delays times this; 0 for none.")
    ] = _DEMO.delays,
    pace: Annotated[
        float, typer.Option(help="The scripted model's tokens per second; 0 for at once.")
    ] = _DEMO.pace,
    at: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M"], help="Its date and time at the start; by default now."),
    ] = None,
    plain: PlainOption = False,
) -> None:
    """The terminal interface on a simulated phone, with a scripted model."""
    settings = settings_of(store, "", config, lenient=True)
    locale = locale or i18n.spoken().value
    settings = demo_store(settings, store, locale)
    start = at.astimezone() if at else None
    _run_terminal(settings, WorldOptions(locale=locale, delays=delays, pace=pace, start=start), config, plain)


@app.command("run")
def run_command(
    said: Annotated[str, typer.Argument(metavar="TEXT", help="The command.")] = "",
    yes: Annotated[list[ActionKind] | None, typer.Option("--yes", help="Allow this kind of action.")] = None,
    continued: Annotated[bool, typer.Option("--continue", help="Go on with the interrupted turn.")] = False,
    as_said: Annotated[
        bool, typer.Option("--as-said", help="Carry it out as it is typed: memory completes nothing.")
    ] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Carry out one command without the terminal interface, streaming what happens."""
    if bool(said.strip()) == continued:
        raise typer.TyperException(_("Give either a TEXT or --continue."))
    settings = settings_of(store, serial, config)
    if as_said:
        settings = settings.overridden({"understanding": {"enabled": False}})
    world = None
    if demo:
        world = WorldOptions(locale=locale_of([said]))
        settings = demo_store(settings, store, world.locale)
        fill(settings, world)
    outcome = asyncio.run(_run_once(settings, world, said, frozenset(yes or ()), as_json))
    raise typer.Exit(EXIT_CODES[outcome])


def _local_time() -> datetime:
    return datetime.now().astimezone()


def _run_terminal(
    settings: Settings, options: WorldOptions | None, config: Path | None, plain: bool
) -> NoReturn:
    in_lines = plain or os.environ.get("TERM") == "dumb"

    async def work(ready: Settings, world: World | None = None) -> int:
        simulated = SIMULATED if world else ""
        from assistant.setup.core import Setup

        setup = Setup(ready, config, keep=options is None, simulated=simulated)
        setup.broken = load_what_is_right(config)[1]
        code = RESTART
        while code == RESTART:
            secrets = None if options else SecretStore()
            demo = None
            if world and options:
                demo = DemoTime(world, options.locale, options.start or _local_time())
            now = demo.now if demo else _local_time
            engine = Engine(setup.settings, now=now, simulated=simulated, secrets=secrets)
            filling = asyncio.create_task(_fill_later(engine, options, demo)) if options and demo else None
            if filling is not None:
                engine.fill_first(filling)
            if in_lines:
                # Not before it is wanted, since it takes long to import.
                from assistant.plain.run import run_plain

                code = await run_plain(engine, config)
            else:
                code = await run_tui(engine, setup, demo)
            if filling is not None:
                filling.cancel()
        return code

    async def play(demo: WorldOptions) -> int:
        typer.echo(_("Starting a simulated phone and a scripted model."), err=True)
        async with World(demo) as world:
            return await work(settings.overridden(world.settings), world)

    code = asyncio.run(play(options) if options else work(settings))
    if code == DEMO:
        world = replace(_DEMO, locale=i18n.spoken().value)
        _run_terminal(demo_store(settings, None, world.locale), world, config, plain)
    raise typer.Exit(code)


async def _fill_later(engine: Engine, options: WorldOptions, time: DemoTime) -> None:
    """Fill the demo's memory once the interface stands, which takes longer than the first paint may.

    The engine lets commands wait for that.
    """
    await engine.phone_known()
    try:
        await asyncio.to_thread(fill, engine.settings, options)
        time.attend(engine)
        await time.catch_up()
    except StoreError as error:
        typer.echo(error, err=True)


async def _run_once(
    settings: Settings,
    options: WorldOptions | None,
    said: str,
    approved: frozenset[ActionKind],
    as_json: bool,
) -> Outcome:
    async def work(ready: Settings) -> Outcome:
        simulated = SIMULATED if options else ""
        engine = Engine(
            ready,
            now=_local_time,
            attended=False,
            approved=approved,
            simulated=simulated,
            secrets=None if options else SecretStore(),
        )
        if simulated:
            typer.echo(_(simulated), err=True)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(engine.close)
            await engine.start()
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, engine.cancel)
            await engine.phone_known()
            return await _stream_turn(engine, said, as_json)

    return await in_world(settings, options, work)


async def _stream_turn(engine: Engine, said: str, as_json: bool) -> Outcome:
    try:
        if said:
            engine.run(said)
        elif left := engine.interrupted():
            engine.continue_turn(left.turn_id)
        else:
            raise NotReady(_("There is no interrupted turn to continue."))
    except NotReady as problem:
        refused = TurnFinished(
            time=_local_time(),
            turn_id="",
            outcome=Outcome.FAILED,
            answer=str(problem),
            steps=0,
            usage=Usage(),
            seconds=0.0,
        )
        _print_event(refused, as_json)
        return refused.outcome
    async for event in engine.events():
        _print_event(event, as_json)
        if isinstance(event, TurnFinished):
            return event.outcome
    return Outcome.FAILED


def _print_event(event: Event, as_json: bool) -> None:
    line = json.dumps(event_json(event), ensure_ascii=False) if as_json else line_of(event)
    if line:
        typer.echo(line)
