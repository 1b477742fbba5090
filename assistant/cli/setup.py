"""`assistant setup`: find a phone, choose a model, see that both work.

`assistant doctor`: what works, what does not, and the command that mends it; also how images are drawn in the
terminal, and how tmux affects keys and characters.

`run_tui` and `run_setup` open the interface: they prepare the terminal before Textual is imported.

`assistant devices`: the phones that are connected, what each can do, and how fast it is. The speed is
measured with requests that change nothing on the phone: a look reads picture and tree side by side, as a
turn does; an input is a key without effect, which is handled like a tap. It takes one second, or as long as
one look does where that is slower. Screen readers are silenced while a tree is read (AOSP
`UiAutomation.connect` without flags), so no tree is read while one is on.
"""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.help import (
    BEFORE_COMMAND,
    NOT_KEPT,
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    echo_json,
    in_world,
    settings_of,
    simulated_sentence,
)
from assistant.doctor import MEASURING, Abilities, Check, Speed, examine, measure_abilities
from assistant.engine import Engine
from assistant.events import PhoneState
from assistant.factories import RequestLogger
from assistant.i18n import _, later
from assistant.model.types import one_line
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.device import Phone
from assistant.phone.displays import MAX_DISPLAYS, find_display_problem, say_stream
from assistant.phone.errors import HELPER_TIMES, HelperNotes, PhoneError, PhoneStatus
from assistant.presentation.ui_state import PaletteCommand
from assistant.settings.load import SettingsError
from assistant.settings.schema import OtherDisplays, PhoneSettings, Picture, Settings
from assistant.setup.core import Setup
from assistant.setup.plain import NoMoreAnswers, PlainSetup, Terminal, offer_helper
from assistant.tui.terminal_probe import (
    ImageTerminal,
    begin_query,
    collect_typed_ahead,
    expand_tmux_format,
    find_picture_terminal,
)


def setup_command(
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Line by line, for simple terminals and answers on standard input."),
    ] = False,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Find a phone, pair with it, choose a model, and see that both work."""
    settings = settings_to_begin_with(serial, config)

    async def work(ready: Settings) -> bool:
        setup = _demo_setup(ready, config) if demo else Setup(ready, config)
        if plain or BEFORE_COMMAND.plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
            if demo:
                typer.echo(simulated_sentence())
            return await PlainSetup(setup, Terminal()).run()
        return await run_setup(setup)

    done = asyncio.run(in_world(settings, work, demo=demo))
    raise typer.Exit(0 if done else 1)


def _demo_setup(settings: Settings, config: Path | None) -> Setup:
    """A setup on the simulated phone, which keeps nothing."""
    return Setup(settings, config, not_kept=NOT_KEPT, simulated=simulated_sentence())


def settings_to_begin_with(serial: str, config: Path | None) -> Settings:
    """The settings; a file that is named need not be there yet."""
    missing = config is not None and not config.exists()
    return settings_of(None, serial, Path(os.devnull) if missing else config)


def doctor_command(
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """What works, what does not, and the command that fixes it. The model gets one test call."""
    try:
        settings = settings_of(store, serial, config)
    except SettingsError as error:
        mend = _("Fix or remove each where it stands, named behind it.")
        _show_findings([Check("settings", False, str(error), mend)], as_json=as_json, demo=demo)
        raise typer.Exit(1) from error

    async def work(ready: Settings) -> bool:
        findings = await examine(ready, config, None if demo else RequestLogger(ready))
        findings += check_terminal(ready.interface.picture)
        findings += tmux_findings(os.environ) if sys.stdout.isatty() else []
        _show_findings(findings, as_json=as_json, demo=demo)
        if not as_json:
            setup = _demo_setup(ready, config) if demo else Setup(ready, config)
            with suppress(NoMoreAnswers):
                await offer_helper(setup, findings, Terminal(), again=False)
        return all(finding.good for finding in findings)

    raise typer.Exit(0 if asyncio.run(in_world(settings, work, demo=demo)) else 1)


def _show_findings(findings: Sequence[Check], *, as_json: bool, demo: bool) -> None:
    if as_json:
        for finding in findings:
            echo_json(finding.as_json())
        return
    if demo:
        typer.echo(simulated_sentence())
    for finding in findings:
        typer.echo(finding.line())


def devices_command(
    as_json: JsonOption = False,
    config: ConfigOption = None,
    demo: DemoOption = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only list them; do not try what they can do.")
    ] = False,
    helper: Annotated[
        bool,
        typer.Option(
            "--helper",
            help="Time the resident helper too, also where it is off; for these seconds every program on the "
            "phone and in its network could use it.",
        ),
    ] = False,
) -> None:
    """List the phones that are connected, what each can do, and how fast it is."""
    settings = settings_of(config=config)

    async def work(ready: Settings) -> bool:
        try:
            phones = await connected(ready.phone)
        except PhoneError as problem:
            typer.echo(problem.sentence, err=True)
            return False
        measurable = ready.phone.model_copy(update={"resident_helper": True}) if helper else ready.phone
        measured = {} if quick else await measure_ready(measurable, phones)
        await _note_helpers(ready, measured)
        displays = {serial: await say_displays(ready.phone, serial) for serial in measured}
        streams = {serial: await say_stream(ready.phone, serial) for serial in measured}
        if as_json:
            for phone in phones:
                others = {"displays": displays.get(phone.serial, ""), "stream": streams.get(phone.serial, "")}
                echo_json(_plain(phone, measured.get(phone.serial)) | others)
        if not phones:
            sentence = _("No phone is connected. Plug one in with USB debugging on, or run: assistant setup")
            typer.echo(sentence, err=as_json)
        for phone in () if as_json else phones:
            typer.echo(_line(phone))
            for line in ability_lines(measured.get(phone.serial)):
                typer.echo(f"    {line}")
            if phone.serial in displays:
                typer.echo(f"    {displays[phone.serial]}")
                typer.echo(f"    {streams[phone.serial]}")
        return bool(phones)

    ready = asyncio.run(in_world(settings, work, demo=demo))
    raise typer.Exit(0 if ready else 1)


async def connected(settings: PhoneSettings) -> list[PhoneStatus]:
    """Every phone that the adb server lists; a configured one on the network is connected first.

    Raises:
        PhoneError: there is no adb server.
    """
    adb = AdbServer(settings.adb_host, settings.adb_port)
    serial = settings.serial
    if ":" in serial and all(device.serial != serial for device in await adb.devices()):
        await adb.connect(serial)
    listed = await adb.devices()
    statuses = await asyncio.gather(*(Phone(adb, device.serial, settings).status() for device in listed))
    return [
        replace(status, serial=device.serial, model=status.model or device.model)
        for device, status in zip(listed, statuses, strict=True)
    ]


def _line(phone: PhoneStatus) -> str:
    battery = f"{phone.battery}%" if phone.battery is not None else ""
    model = one_line(phone.model) or _("phone")
    android = f"Android {one_line(phone.android)}" if phone.android else ""
    parts = (one_line(phone.serial), model, android, battery, one_line(phone.sentence))
    return "  ".join(part for part in parts if part)


def _plain(phone: PhoneStatus, abilities: Abilities | None) -> dict[str, object]:
    return {
        "serial": phone.serial,
        "model": phone.model,
        "android": phone.android,
        "battery": phone.battery,
        "state": phone.state.value,
        "sentence": phone.sentence,
        "abilities": asdict(abilities) if abilities else None,
    }


async def measure_ready(settings: PhoneSettings, phones: Sequence[PhoneStatus]) -> dict[str, Abilities]:
    """What each phone that is ready can do, by serial; one that is lost meanwhile has no entry."""
    adb = AdbServer(settings.adb_host, settings.adb_port)
    measured = {}
    for phone in phones:
        if phone.state in (PhoneState.READY, PhoneState.NO_INPUT_PERMISSION):
            with suppress(PhoneError):
                measured[phone.serial] = await measure_abilities(adb, phone.serial, settings)
    return measured


async def _note_helpers(settings: Settings, measured: Mapping[str, Abilities]) -> None:
    """Note what the resident helper gains where it was measured, for `setup` and `doctor`."""
    adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)
    notes = HelperNotes(settings.store / HELPER_TIMES)
    for serial, abilities in measured.items():
        if abilities.both_looks is not None:
            phone = Phone(adb, serial, settings.phone)
            await phone.read_identity()
            notes.note(phone.identity or serial, *abilities.both_looks)


async def say_displays(settings: PhoneSettings, serial: str) -> str:
    """Whether other displays of a phone are used beside its own screen, in a line for a person."""
    if settings.displays is OtherDisplays.OFF:
        return _("other displays: off by the setting phone.displays (not yet tried on a real phone)")
    shell = Shell(AdbServer(settings.adb_host, settings.adb_port), serial, settings.command_deadline)
    try:
        problem = await find_display_problem(shell, settings)
    except PhoneError as error:
        problem = error.sentence
    if problem:
        return _("other displays: not used, {reason}").format(reason=problem)
    words = _("other displays: up to {count}, by {way} (not yet tried on a real phone)")
    return words.format(count=MAX_DISPLAYS, way=settings.displays.value)


def ability_lines(abilities: Abilities | None) -> list[str]:
    """What a phone can do and how fast, in lines for a person; none where it was not tried."""
    if abilities is None:
        return []
    lines = [_("plain adb: {speed}").format(speed=_speed(abilities.plain))]
    if abilities.png_seconds is not None and abilities.packed_seconds is not None:
        words = _(
            "a picture over plain adb takes {png:.2f} s as PNG, {packed:.2f} s as packed pixels; "
            "the quicker way is used"
        )
        lines.append(words.format(png=abilities.png_seconds, packed=abilities.packed_seconds))
    helper = _(abilities.helper_problem) if abilities.helper_problem else _speed(abilities.helper)
    lines.append(_("resident helper: {speed}").format(speed=helper))
    typing = abilities.typing_problem
    lines += [
        sentence
        for missing, sentence in (
            (abilities.pictures is False, _("gives no pictures of its screen")),
            (abilities.trees is False, _("gives no list of screen elements")),
            (abilities.input is False, _("forbids taps and typing over adb")),
            (bool(typing), _(typing) if typing else ""),
            (
                abilities.screen_reader,
                _("a screen reader or the like is on; it falls silent while the list of elements is read"),
            ),
        )
        if missing
    ]
    return lines


def _speed(speed: Speed) -> str:
    parts = []
    if speed.look is not None:
        is_slow = speed.look > MEASURING
        words = _("a look takes {seconds:.2f} s (measured once, as it is longer than 1 s)") if is_slow else ""
        parts.append((words or _("a look takes {seconds:.2f} s")).format(seconds=speed.look))
    if speed.input is not None:
        parts.append(_("a key takes {seconds:.2f} s").format(seconds=speed.input))
    return _(", ").join(parts) or _("does not work")


_PICTURES_PART = later("pictures")
_WAYS = {
    Picture.KITTY: later("as Kitty graphics"),
    Picture.SIXEL: later("as Sixel"),
    Picture.BLOCKS: later("in half blocks"),
    Picture.OFF: later("not drawn: the terminal shows no colours"),
}


def check_terminal(setting: Picture) -> list[Check]:
    """The check of the terminal in use; empty without one."""
    typed = collect_typed_ahead()
    try:
        if not typed.is_terminal:
            return []
        begin_query(typed, setting, os.environ)
        return [format_finding(setting, find_picture_terminal(typed, setting, os.environ))]
    finally:
        typed.end()


def format_finding(setting: Picture, terminal: ImageTerminal) -> Check:
    """How images are drawn, with the terminal's name if it reported one."""
    if setting is Picture.OFF:
        return Check(_PICTURES_PART, True, _("off by the setting interface.picture"))
    way = _(_WAYS[terminal.way])
    if terminal.name:
        way = _("{way}, in {terminal}").format(way=way, terminal=one_line(terminal.name))
    return Check(_PICTURES_PART, True, way)


_TMUX_PART = later("tmux")
_ASKED = "#{escape-time} #{client_utf8}"
_SOON = 100
"""Milliseconds by which Escape may be delayed without making a pause noticeably slow."""


def tmux_findings(
    environment: Mapping[str, str], expand: Callable[[str], str] = expand_tmux_format
) -> list[Check]:
    """Settings of tmux that slow down or garble the interface, and commands that fix them; empty without it.

    Args:
        environment: tells whether tmux is running.
        expand: expands a tmux format string; empty if that fails.
    """
    if not environment.get("TMUX"):
        return []
    escape_delay, _gap, utf8 = expand(_ASKED).partition(" ")
    findings = []
    if escape_delay.isdecimal() and int(escape_delay) > _SOON:
        words = _("holds Escape back for {time} ms, and with it a pause (for good: in ~/.tmux.conf)")
        findings.append(
            Check(_TMUX_PART, False, words.format(time=escape_delay), "tmux set -s escape-time 20")
        )
    if utf8 == "0":
        words = _("takes its terminal for one without UTF-8 and shows _ for signs")
        findings.append(Check(_TMUX_PART, False, words, "tmux detach; tmux -u attach"))
    return findings or [Check(_TMUX_PART, True, _("lets Escape and signs through"))]


NO_TERMINAL = later(
    "The interface needs a terminal: standard input to read keys from, standard error to draw on. "
    'Without one there is: assistant run "TEXT".'
)


async def run_tui(
    engine: Engine,
    setup: Setup | None = None,
    commands: Sequence[PaletteCommand] = (),
    guide: Sequence[str] = (),
) -> int:
    """Show the interface until the user leaves it, then close the engine.

    Args:
        engine: runs the turns.
        setup: what the setup screen works with; without it there is none.
        commands: more entries for the command palette.
        guide: lines that the welcome shows in place of its examples.

    Returns:
        The exit code: 0, 1 when the interface failed or there is no terminal, `RESTART` or `DEMO`.
    """
    return await _show(engine.settings.interface.picture, engine, setup, commands, guide)


async def run_setup(setup: Setup) -> bool:
    """Show only the setup screen until the user leaves it; returns whether it ended without an error."""
    return not await _show(setup.settings.interface.picture, None, setup)


async def _show(
    picture_setting: Picture,
    engine: Engine | None,
    setup: Setup | None,
    commands: Sequence[PaletteCommand] = (),
    guide: Sequence[str] = (),
) -> int:
    """Ask the terminal what it can show, then run the app, without an engine its setup screen alone."""
    if not _prepare_terminal():
        if engine is not None:
            await engine.close()
        return 1
    typed = collect_typed_ahead()
    try:
        begin_query(typed, picture_setting, os.environ)
        # For start-up time: the terminal answers while Textual is imported.
        from assistant.tui.app import run_app

        terminal = find_picture_terminal(typed, picture_setting, os.environ)
        return await run_app(engine, setup, commands, typed, terminal, guide)
    finally:
        typed.end()


def _prepare_terminal() -> bool:
    """Prepare the terminal before Textual is imported; prints a message and returns False without one."""
    # How long a lone Escape waits for the rest of a sequence. Textual reads it once, at import, and polls
    # ten times a second: with its default of 100 ms, Escape could need two polls to stop the phone.
    os.environ.setdefault("ESCDELAY", "30")
    if os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver"):
        # A browser draws, through textual-serve.
        return True
    # Textual reads keys from standard input and draws on standard error.
    output = sys.__stderr__
    if not all(stream is not None and stream.isatty() for stream in (sys.__stdin__, output)):
        sys.stderr.write(_(NO_TERMINAL) + "\n")
        return False
    # A locale such as C restricts the encoding, but the terminal still displays UTF-8.
    if isinstance(output, io.TextIOWrapper):
        output.reconfigure(encoding="utf-8", errors="replace")
    return True
