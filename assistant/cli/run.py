"""`assistant`, `assistant demo`, `assistant serve`: the interface, in the terminal, in lines or in a browser.

`assistant run`: one command without the interface.

`assistant mcp`, `assistant acp`: turns and memory as tools of other programs, and as an agent in them.
"""

from __future__ import annotations

import asyncio
import json
import os
import selectors
import shlex
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, time
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated, Any, NoReturn

import typer

from assistant import i18n
from assistant.cli.account import allowances_of
from assistant.cli.help import (
    BEFORE_COMMAND,
    EXIT_CODES,
    NOT_KEPT,
    ConfigOption,
    DemoOption,
    JsonOption,
    LocaleOption,
    PlainOption,
    SerialOption,
    StoreOption,
    YesOption,
    demo_settings,
    event_json,
    in_world,
    local_time,
    refused_turn,
    server_address,
    settings_of,
    simulated_sentence,
)
from assistant.cli.resolve import resolve_one
from assistant.cli.setup import run_tui
from assistant.cli.skills import describe_skills
from assistant.cli.suggest import suggest_one
from assistant.conversation.routing import Route, route, without_opening
from assistant.conversation.service import WITHOUT_PHONE
from assistant.engine import Engine
from assistant.events import Answered, Cause, Event, PhoneStateChanged, StateChanged, TurnFinished, TurnState
from assistant.factories import format_rule, open_conversation
from assistant.i18n import Language, UserError, _, later, sentences
from assistant.phone.adb import AdbServer
from assistant.phone.errors import PhoneError
from assistant.plain.output import format_line
from assistant.plain.session import run_plain
from assistant.presentation.ui_state import DEMO, RESTART, PaletteCommand
from assistant.records import Outcome, Usage
from assistant.safety.amounts import Allowance
from assistant.secrets import SecretStore
from assistant.settings.load import load_what_is_right
from assistant.settings.schema import Settings
from assistant.setup.core import Setup
from assistant.tui.first_paint import end_first_paint, say_first
from assistant.turn_runner import EngineBusy, NotReady

INTERRUPTED = 130
"""The exit code of a program that control-C ended, as shells give it."""

_DELAYS = 0.2
_PACE = 40.0
"""The demo's delays and its model's tokens per second where nothing else is said."""


def open_terminal(store: Path | None, serial: str, config: Path | None, *, plain: bool) -> NoReturn:
    """Run the interface until the user leaves it."""
    _run(settings_of(store, serial, config, lenient=True), config, plain)


def demo_command(
    store: StoreOption = None,
    config: ConfigOption = None,
    locale: LocaleOption = Language.AUTO,
    delays: Annotated[float, typer.Option(help="A real phone's delays times this; 0 for none.")] = _DELAYS,
    pace: Annotated[
        float, typer.Option(help="The scripted model's tokens per second; 0 for at once.")
    ] = _PACE,
    at: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M"], help="Its date and time at the start; by default now."),
    ] = None,
    plain: PlainOption = False,
) -> None:
    """The terminal interface on a simulated phone, with a scripted model.

    Its memory begins anew at each start; one that is named with --store is kept.
    """
    BEFORE_COMMAND.take(
        store or BEFORE_COMMAND.store,
        plain=plain or BEFORE_COMMAND.plain,
        locale=BEFORE_COMMAND.locale if locale is Language.AUTO else locale,
    )
    settings = settings_of(None, "", config, lenient=True)
    start = at.astimezone() if at else None
    _run_demo(
        settings,
        BEFORE_COMMAND.store,
        config,
        BEFORE_COMMAND.plain,
        delays=delays,
        pace=pace,
        start=start,
    )


def _run(settings: Settings, config: Path | None, plain: bool) -> NoReturn:
    """Run the interface with the user's phone and model; the process exits with its code."""

    async def show() -> int:
        setup = Setup(settings, config)
        setup.broken = load_what_is_right(config)[1]
        code = RESTART
        while code == RESTART:
            engine = Engine(setup.settings, now=local_time, secrets=SecretStore(), schedules=True)
            code = await _show(engine, setup, plain)
        return code

    code = asyncio.run(show())
    if code == DEMO:
        _run_demo(settings, None, config, plain, delays=_DELAYS, pace=_PACE)
    raise typer.Exit(code)


def _run_demo(
    settings: Settings,
    store: Path | None,
    config: Path | None,
    plain: bool,
    *,
    delays: float,
    pace: float,
    start: datetime | None = None,
) -> NoReturn:
    """Run the interface on the simulated phone, in its language; the process exits with its code."""
    # The demo is optional.
    from assistant.demo import memory, session

    locale = i18n.spoken().value
    options = session.WorldOptions(locale=locale, delays=delays, pace=pace, start=start)

    async def show() -> int:
        starting = _("Starting a simulated phone and a scripted model.")
        _say_at_start(starting)
        with memory.fresh_demo_store(settings, store, locale) as own:
            async with session.World(options, _say_at_start) as world:
                setup = Setup(
                    own.overridden(world.settings), config, not_kept=NOT_KEPT, simulated=session.SIMULATED
                )
                setup.broken = load_what_is_right(config)[1]
                code = RESTART
                while code == RESTART:
                    shown = session.DemoSession(setup.settings, world, options)
                    code = await _show(shown.engine, setup, plain, shown.commands, session.GUIDE)
                    shown.close()
                return code

    raise typer.Exit(asyncio.run(show()))


def _say_at_start(sentence: str) -> None:
    """Say what is waited for, in the first drawing or on standard error."""
    if not say_first(sentence):
        typer.echo(sentence, err=True)


def _keep_rules(setup: Setup, changes: Mapping[str, bool | time]) -> str:
    """Write settings of suggestions that take effect at once; returns where they are kept."""
    kept = [
        setup.choose(
            f"proactive.{name}", format_rule(value) if isinstance(value, time) else value, "", at_once=True
        )
        for name, value in changes.items()
    ]
    return sentences(*dict.fromkeys(kept))


async def _show(
    engine: Engine,
    setup: Setup,
    plain: bool,
    commands: Sequence[PaletteCommand] = (),
    guide: Sequence[str] = (),
) -> int:
    """Show the interface until the user leaves it or it must start anew; returns its exit code."""
    engine.keep_settings = partial(_keep_rules, setup)
    if plain or os.environ.get("TERM") == "dumb":
        end_first_paint()
        return await run_plain(engine, setup.file)
    return await run_tui(engine, setup, commands, guide)


def run_command(
    said: Annotated[str, typer.Argument(metavar="TEXT", help="The command.")] = "",
    yes: YesOption = None,
    continued: Annotated[bool, typer.Option("--continue", help="Go on with the interrupted turn.")] = False,
    as_said: Annotated[
        bool, typer.Option("--as-said", help="Carry it out as it is typed: memory completes nothing.")
    ] = False,
    on: Annotated[
        str,
        typer.Option(
            metavar="all|SERIAL,SERIAL", help="Carry it out on several phones at once, a turn on each."
        ),
    ] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Carry out one command without the terminal interface, streaming what happens."""
    if bool(said.strip()) == continued:
        raise typer.TyperException(_("Give either a TEXT or --continue."))
    if on and (continued or serial or demo):
        raise typer.TyperException(_("Give --on without --continue, --serial and --demo."))
    allowances = allowances_of(yes)
    settings = settings_of(store, serial, config)
    if as_said:
        settings = settings.overridden({"understanding": {"enabled": False}})
    if demo:
        settings = demo_settings(settings, store, [said])
    line = route(said)
    said = said if as_said else without_opening(said)
    outcome: Outcome | None
    if line.kind in WITHOUT_PHONE and not (as_said or continued):
        outcome = asyncio.run(_answer(settings, line, as_json))
    elif on:
        outcome = asyncio.run(run_on_several(settings, said, allowances, on, as_json=as_json))
    else:
        kept = not demo or bool(store or BEFORE_COMMAND.store)
        again = _continue_command(store, serial, config, demo=demo) if kept else ""
        outcome = asyncio.run(_run_once(settings, said, allowances, demo, as_json, again))
    raise typer.Exit(INTERRUPTED if outcome is None else EXIT_CODES[outcome])


def _continue_command(store: Path | None, serial: str, config: Path | None, *, demo: bool) -> str:
    """The command that goes on with the turn that was interrupted, for a shell."""
    words = ["assistant", "run", "--continue", *(["--demo"] if demo else [])]
    store, serial = store or BEFORE_COMMAND.store, serial or BEFORE_COMMAND.serial
    options = (("--store", store), ("--config", config), ("--serial", serial))
    for option, value in options:
        words += [option, str(value)] if value else []
    return shlex.join(words)


async def _answer(settings: Settings, line: Route, as_json: bool) -> Outcome:
    """Answer a line that needs no phone; the outcome is a success if the answer is known."""
    async with open_conversation(settings) as conversation:
        reply = await asyncio.to_thread(conversation.reply, line)
    now = local_time()
    answered = Answered(
        time=now, said=line.text, text=reply.text, known=reply.is_answered, evidence=reply.evidence
    )
    _print_event(answered, as_json)
    outcome = Outcome.SUCCESS if reply.is_answered else Outcome.FAILED
    if as_json:
        finished = TurnFinished(
            time=now, turn_id="", outcome=outcome, answer=reply.text, steps=0, usage=Usage(), seconds=0.0
        )
        _print_event(finished, as_json)
    return outcome


class Interruption:
    """What control-C does to a turn: it is left where it stands; a second one ends the program at once."""

    def __init__(self, engine: Engine, work: asyncio.Task[Any] | None) -> None:
        self.begun = False
        self._engine = engine
        self._work = work

    def __call__(self) -> None:
        """Let an action in progress end and stop; without one there is nothing to wait for."""
        at_rest = self._engine.state in (None, TurnState.PAUSED)
        if self._work is not None and (self.begun or at_rest):
            self._work.cancel()
        self.begun = True
        self._engine.pause()


async def _run_once(
    settings: Settings,
    said: str,
    allowances: Sequence[Allowance],
    demo: bool,
    as_json: bool,
    again: str,
) -> Outcome | None:
    """Run one command and print its events; None when the user interrupted it, which leaves its turn open.

    Args:
        settings: all settings.
        said: the command; empty goes on with the interrupted turn.
        allowances: the sensitive actions that need no approval.
        demo: whether the phone is a simulated one, in the language of the command.
        as_json: whether events are printed as JSON.
        again: the command that goes on with an interrupted turn; empty where nothing is kept of it.
    """

    async def work(ready: Settings) -> Outcome | None:
        simulated = simulated_sentence() if demo else ""
        if simulated:
            typer.echo(_(simulated), err=True)
        async with _unattended(ready, allowances, simulated) as engine:
            interruption = Interruption(engine, asyncio.current_task())
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interruption)
            outcome = None
            try:
                await engine.wait_for_phone()
                outcome = await stream_turn(engine, said, as_json, interruption)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if not interruption.begun or task is None:
                    raise
                task.uncancel()
            if outcome is None and interruption.begun:
                _say_interrupted(engine, again)
            return outcome

    return await in_world(settings, work, demo=demo, said=[said])


def _say_interrupted(engine: Engine, again: str) -> None:
    begun = engine.state is not None
    sentence = _("Interrupted. Nothing more is done on the phone.")
    if begun and again:
        sentence += " " + _("Go on with: {command}").format(command=again)
    typer.echo(sentence, err=True)


@asynccontextmanager
async def _unattended(
    settings: Settings, allowances: Sequence[Allowance], simulated: str = ""
) -> AsyncIterator[Engine]:
    """A started engine without a user to ask."""
    engine = Engine(
        settings,
        now=local_time,
        attended=False,
        allowances=allowances,
        simulated=simulated,
        secrets=None if simulated else SecretStore(),
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(engine.close)
        await engine.start()
        yield engine


_BAD_FIRST = (Outcome.FAILED, Outcome.UNCONFIRMED, Outcome.CANCELLED, Outcome.SUCCESS)


async def run_on_several(
    settings: Settings, said: str, allowances: Sequence[Allowance], phones: str, *, as_json: bool
) -> Outcome:
    """Run one command on several phones at once, a turn on each; returns the worst outcome.

    What `--yes` allows, it allows on each of them. All learn into the same memory.

    Raises:
        TyperException: no phone is connected, or one that was named is not.
    """
    try:
        listed = await AdbServer(settings.phone.adb_host, settings.phone.adb_port).devices()
    except PhoneError as problem:
        raise typer.TyperException(problem.sentence) from None
    ready = [phone.serial for phone in listed if phone.state == "device"]
    serials = ready if phones == "all" else list(dict.fromkeys(filter(None, phones.split(","))))
    if missing := [serial for serial in serials if serial not in ready]:
        raise typer.TyperException(
            _("{serial} is not connected. List the phones with: assistant devices").format(serial=missing[0])
        )
    if not serials:
        raise typer.TyperException(_("No phone is connected."))
    async with AsyncExitStack() as stack:
        engines: dict[str, Engine] = {}
        for serial in serials:
            own = settings.overridden({"phone": {"serial": serial}})
            engines[serial] = await stack.enter_async_context(_unattended(own, allowances))

        def cancel() -> None:
            for engine in engines.values():
                engine.cancel()

        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, cancel)
        outcomes = await asyncio.gather(
            *(_stream_on(engine, said, as_json, serial) for serial, engine in engines.items())
        )
    return min((outcome or Outcome.CANCELLED for outcome in outcomes), key=_BAD_FIRST.index)


async def _stream_on(engine: Engine, said: str, as_json: bool, serial: str) -> Outcome | None:
    await engine.wait_for_phone()
    return await stream_turn(engine, said, as_json, Interruption(engine, None), serial)


async def stream_turn(
    engine: Engine, said: str, as_json: bool, interruption: Interruption, phone: str = ""
) -> Outcome | None:
    """Carry out a command, or the interrupted turn, and print its events; None when it was interrupted.

    Each line names the `phone`, where one is given.
    """
    try:
        if said:
            engine.run(said)
        elif left := engine.interrupted_turn():
            engine.continue_turn(left.turn_id)
        else:
            raise NotReady(_("There is no interrupted turn to continue."))
    except (EngineBusy, NotReady) as problem:
        refused = refused_turn(problem)
        _print_event(refused, as_json, phone)
        return refused.outcome
    phone_sentence = ""
    async for event in engine.events():
        if isinstance(event, PhoneStateChanged):
            # adb's list changes with every phone on it: what is as it was needs no line.
            if event.sentence == phone_sentence and not as_json:
                continue
            phone_sentence = event.sentence
        _print_event(event, as_json, phone)
        if isinstance(event, TurnFinished):
            return Outcome.SUCCESS if event.cause is Cause.ANSWERED else event.outcome
        if interruption.begun and isinstance(event, StateChanged) and event.state is TurnState.PAUSED:
            return None
    return Outcome.FAILED


def _print_event(event: Event, as_json: bool, phone: str = "") -> None:
    if as_json:
        values = event_json(event)
        typer.echo(json.dumps({"phone": phone, **values} if phone else values, ensure_ascii=False))
    elif line := format_line(event):
        typer.echo(f"{phone}  {line}" if phone else line)


MISSING = later("The browser interface needs textual-serve: pip install 'assistant[serve]'")
OPEN = later(
    "Warning: whoever reaches {host} and has the address can use your phone and read your memory. "
    "The connection is not encrypted: use it in a network that you trust, or through a tunnel."
)
_DRIVER = "assistant.tui.terminal:WebDriver"
_HERE = ("127.0.0.1", "localhost", "::1")


def serve_command(
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; by default only this computer can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 for any.")] = 8765,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="Another name that browsers reach it by, such as that of a tunnel."),
    ] = None,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """The interface in a browser, until ctrl+c. Every tab is a program of its own on the same memory."""
    # Settings that cannot be read are told here, not in each tab.
    settings_of(store, serial, config)
    if find_spec("textual_serve") is None:
        typer.echo(_(MISSING), err=True)
        raise typer.Exit(1)
    # Its library is an extra of the package.
    from assistant.web import ListenAddress, serve

    if host not in _HERE:
        typer.echo(_(OPEN).format(host=host), err=True)
    named = socket.gethostname() if _everywhere(host) else host
    address = ListenAddress(host, port, named, tuple(name or ()))
    try:
        command = interface_command(store, serial, config, demo=demo)
        serve(command, address, typer.echo)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error


def _everywhere(host: str) -> bool:
    """Whether a host such as 0.0.0.0 stands for all addresses of this computer; browsers cannot open it."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def interface_command(store: Path | None, serial: str, config: Path | None, *, demo: bool) -> str:
    """The command that each tab runs, for a shell."""
    words = [
        "env",
        f"TEXTUAL_DRIVER={_DRIVER}",
        sys.executable,
        "-m",
        "assistant",
        *(["demo"] if demo else []),
    ]
    for option, value in (("--store", store), ("--config", config)):
        if value is not None:
            words += [option, server_address(value) or str(value.resolve())]
    if serial and not demo:
        words += ["--serial", serial]
    return shlex.join(words)


MISSING_ACP = later("The Agent Client Protocol needs its package: pip install 'assistant[acp]'")
MISSING_MCP = later("Other programs connect through the package mcp: pip install 'assistant[mcp]'")
_KEY = "ASSISTANT_MCP_KEY"


def mcp_command(
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP on this computer instead of standard input.")
    ] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 for any.")] = 8766,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Turns and memory as tools of other programs (MCP). What needs a yes asks their user."""
    settings = _server_settings("mcp", MISSING_MCP, settings_of(store, serial, config), store, demo=demo)
    try:
        listener = socket.create_server((_HERE[0], port)) if http else None
    except OSError as error:
        raise _cannot_listen(_HERE[0], port, error) from error

    async def work(ready: Settings) -> None:
        await _serve_mcp(ready, listener, demo=demo)

    asyncio.run(in_world(settings, work, demo=demo))


def acp_command(
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """The assistant in a terminal or an editor that speaks the Agent Client Protocol (ACP)."""
    settings = _server_settings("acp", MISSING_ACP, settings_of(store, serial, config), store, demo=demo)
    _require_pollable_streams()

    async def work(ready: Settings) -> None:
        # Its library is an extra of the package.
        from assistant.protocols.acp_agent import AssistantAgent, serve_stdio

        async with _started(ready, demo=demo) as engine:
            await serve_stdio(AssistantAgent(engine, metadata.version("assistant")))

    asyncio.run(in_world(settings, work, demo=demo))


def _require_pollable_streams() -> None:
    """Exit with a sentence where standard input or output is a file, or closed: neither can be waited for."""
    for stream, event in ((sys.stdin, selectors.EVENT_READ), (sys.stdout, selectors.EVENT_WRITE)):
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(stream, event)
        except (OSError, ValueError) as error:
            sentence = _(
                "An editor talks to this command through pipes; its input or output is a file, or closed. "
                "Start it from the editor."
            )
            typer.echo(sentence, err=True)
            raise typer.Exit(1) from error


def _server_settings(
    library: str, missing: str, settings: Settings, store: Path | None, *, demo: bool
) -> Settings:
    """The settings of a server for other programs, those of the demo with `demo`.

    Exits where the library of its protocol, an extra of the package, is not installed; `missing` says so.
    """
    if find_spec(library) is None:
        typer.echo(_(missing), err=True)
        raise typer.Exit(1)
    if not demo:
        return settings
    typer.echo(simulated_sentence(), err=True)
    return demo_settings(settings, store)


def _cannot_listen(host: str, port: int, error: OSError) -> typer.Exit:
    """Print why an address cannot be listened on; returns the exit to raise."""
    sentence = _("{host}:{port} cannot be listened on: {reason}. Choose another --port.")
    typer.echo(sentence.format(host=host, port=port, reason=error.strerror or error), err=True)
    return typer.Exit(1)


@asynccontextmanager
async def _started(settings: Settings, *, demo: bool) -> AsyncIterator[Engine]:
    """A started engine whose questions go to a person."""
    engine = Engine(
        settings,
        now=local_time,
        simulated=simulated_sentence() if demo else "",
        secrets=None if demo else SecretStore(),
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(engine.close)
        await engine.start()
        yield engine


async def _serve_mcp(settings: Settings, listener: socket.socket | None, *, demo: bool) -> None:
    """Serve until the client leaves, or over HTTP until control-C."""
    # Its library is an extra of the package.
    from assistant.protocols.mcp_server import PATH, TurnDriver, build_server, serve_http, serve_stdio

    async with _started(settings, demo=demo) as engine:
        driver, version = TurnDriver(engine), metadata.version("assistant")
        look_ups = _CommandLookUps(settings)
        if listener is None:
            await serve_stdio(build_server(driver, engine, look_ups, version), driver)
            return
        host, number = listener.getsockname()
        url = f"http://{host}:{number}{PATH}"
        key = os.environ.get(_KEY) or token_urlsafe(24)
        typer.echo(_("Listening at {url}").format(url=url), err=True)
        if _KEY not in os.environ:
            typer.echo(_("Send the header “Authorization: Bearer {key}”.").format(key=key), err=True)
        await serve_http(build_server(driver, engine, look_ups, version, key, url), driver, listener)


class _CommandLookUps:
    """Looks up what the commands `resolve`, `suggest` and `skills list` print."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def resolve(self, command: str) -> dict[str, Any]:
        """What a command means for the user."""
        return resolve_one(self._settings, command)

    def suggest(self, at: str, scenario: str) -> dict[str, Any]:
        """What would be suggested."""
        try:
            return suggest_one(self._settings, at, scenario)
        except typer.TyperException as error:
            raise UserError(str(error)) from error

    def skills(self) -> list[dict[str, Any]]:
        """The skills."""
        return describe_skills(self._settings)
