"""The `assistant` command. Results go to standard output, everything else to standard error.

Commands that are imported only when they are called: the interface must not wait for the benchmarks.

Standard output and error where the locale knows few characters: nothing that is said ends the program.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer
from typer.main import get_command

from assistant import i18n
from assistant.cli.account import approvals_app, secret_app, usage_command
from assistant.cli.help import (
    Commands,
    ConfigOption,
    DemoOption,
    JsonOption,
    PlainOption,
    SerialOption,
    SpokenGroup,
    StoreOption,
    in_world,
    settings_of,
    usage_problem,
)
from assistant.demo.memory import demo_store, fill, locale_of
from assistant.demo.session import NOT_KEPT, DemoSession
from assistant.engine import Engine, NotReady
from assistant.events import ActionKind, Event, TurnFinished, event_json
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.plain.output import format_line
from assistant.presentation.ui_state import DEMO, RESTART
from assistant.records import Outcome, Usage
from assistant.secrets import SecretError, SecretStore
from assistant.settings.load import SettingsError
from assistant.settings.schema import Settings
from assistant.settings.table import language_of, load_what_is_right
from assistant.simulator.world import SIMULATED, World, WorldFailed, WorldOptions
from assistant.tui.launch import run_tui

_LATE = {
    "resolve": ("assistant.cli.resolve", "resolve_command"),
    "simulate": ("assistant.simulator.commands", "simulate_app"),
    "bench": ("assistant.bench.commands", "bench_app"),
    "devices": ("assistant.cli.setup", "devices_command"),
    "doctor": ("assistant.cli.setup", "doctor_command"),
    "memory": ("assistant.cli.memory", "memory_app"),
    "models": ("assistant.cli.models", "models_app"),
    "suggest": ("assistant.cli.suggest", "suggest_command"),
    "watch": ("assistant.cli.suggest", "watch_command"),
    "history": ("assistant.cli.history", "history_app"),
    "places": ("assistant.cli.suggest", "places_app"),
    "serve": ("assistant.cli.serve", "serve_command"),
    "settings": ("assistant.cli.account", "settings_app"),
    "setup": ("assistant.cli.setup", "setup_command"),
}
"""Where each command is: a module, and in it a Typer application or a function."""


class LazyGroup(SpokenGroup):
    """The top level of the command line; knows the late commands by name."""

    def make_context(self, info_name: str | None, args: list[str], *others: Any, **extra: Any) -> Any:
        """Decide the language before anything is said."""
        i18n.use(language_of(_settings_file(args)))
        return super().make_context(info_name, args, *others, **extra)

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """All names, in the order of the help."""
        return [*_LATE, *super().list_commands(ctx)]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """A command by its name, imported now if it is a late one."""
        if cmd_name not in _LATE:
            return super().get_command(ctx, cmd_name)
        module, name = _LATE[cmd_name]
        target = getattr(import_module(module), name)
        if not isinstance(target, typer.Typer):
            single = Commands(pretty_exceptions_enable=False)
            single.command(cmd_name)(target)
            target = single
        command = get_command(target)
        command.name = cmd_name
        return command


def _settings_file(arguments: list[str]) -> Path | None:
    """The file that `--config` names, wherever it stands."""
    for argument, following in zip(arguments, [*arguments, ""][1:], strict=True):
        if argument == "--config":
            return Path(following)
        if argument.startswith("--config="):
            return Path(argument.partition("=")[2])
    return None


def say_what_can_be_said(streams: Iterable[TextIO]) -> None:
    """Replace what a terminal's encoding lacks; what goes elsewhere, as into a file, is whole in UTF-8."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="replace")


_DEMO = WorldOptions(delays=0.2, pace=40.0)
"""The demo's world where nothing else is said."""
EXIT_CODES = {Outcome.SUCCESS: 0, Outcome.FAILED: 1, Outcome.CANCELLED: 2}
USAGE_EXIT_CODE = 64
"""What wrong usage exits with (BSD's EX_USAGE), since 2 tells a cancelled turn."""

app = Commands(
    name="assistant",
    cls=LazyGroup,
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
        from assistant.setup.core import Setup

        simulated, not_kept = (SIMULATED, NOT_KEPT) if world else ("", "")
        setup = Setup(ready, config, not_kept=not_kept, simulated=simulated)
        setup.broken = load_what_is_right(config)[1]
        code = RESTART
        while code == RESTART:
            demo = DemoSession(setup.settings, world, options) if world and options else None
            engine = demo.engine if demo else Engine(setup.settings, now=_local_time, secrets=SecretStore())
            if in_lines:
                # Not before it is wanted, since it takes long to import.
                from assistant.plain.session import run_plain

                code = await run_plain(engine, config)
            else:
                code = await run_tui(engine, setup, demo.commands if demo else ())
            if demo is not None:
                demo.close()
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
            await engine.wait_for_phone()
            return await _stream_turn(engine, said, as_json)

    return await in_world(settings, options, work)


async def _stream_turn(engine: Engine, said: str, as_json: bool) -> Outcome:
    try:
        if said:
            engine.run(said)
        elif left := engine.interrupted_turn():
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
    line = json.dumps(event_json(event), ensure_ascii=False) if as_json else format_line(event)
    if line:
        typer.echo(line)
