"""`assistant simulate …`: the simulated phone, the scripted model and synthetic lives as programs."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from assistant.i18n import later
from assistant.simulator.adb_server import AdbServerFailed, PrivateAdbServer
from assistant.simulator.adbd.auth import AuthMode
from assistant.simulator.android.profiles import Profile, Release, named_profiles
from assistant.simulator.apps.host import Locale
from assistant.simulator.life.commands import life_command
from assistant.simulator.model.eye import can_read
from assistant.simulator.model.families import families
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import SCATTER, ModelAddress, ModelOptions

# For start-up time: only a phone that shows a recording reads these.
if TYPE_CHECKING:
    from assistant.simulator.recording.phone import RecordedPhoneOptions
    from assistant.simulator.recording.screens import RecordedInput, RecordedScreen

PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes any free one.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same behaviour.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Say where it is as one JSON line.")]
StdinOption = Annotated[
    bool,
    typer.Option("--until-stdin-closes", help="End when standard input is closed, not only by a signal."),
]


def _fault(text: str) -> Fault:
    kind, _, times = text.partition(":")
    try:
        return Fault(kind=FaultKind(kind), times=None if times == "all" else int(times or 1))
    except ValueError as error:
        kinds = ", ".join(FaultKind)
        raise typer.BadParameter(f"{text} is not KIND or KIND:TIMES with one of {kinds}.") from error


def find_profile(name: str) -> Profile:
    """The profile with a name; without a name a phone that is none of those that are sold.

    Raises:
        BadParameter: there is none of that name.
    """
    if name and name not in named_profiles():
        raise typer.BadParameter(f"There is no profile {name}. There are: {', '.join(named_profiles())}.")
    return named_profiles()[name] if name else Profile()


simulate_app = typer.Typer(
    help=later("A simulated phone, a scripted model, synthetic lives."),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
simulate_app.command("life")(life_command)


@simulate_app.command("phone")
def phone_command(
    port: PortOption = 0,
    control_port: PortOption = 0,
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="A phone that is sold, with its screen, Android and quirks.")
    ] = "",
    android: Annotated[
        int, typer.Option(help="Android version: 9, 12 or 16; 0 takes the profile's, or 12.")
    ] = 0,
    locale: Annotated[str, typer.Option(help="The phone's language: en or zh.")] = "en",
    delays: Annotated[float, typer.Option(min=0, help="A real phone's delays times this; 0 for none.")] = 0.0,
    auth: Annotated[AuthMode, typer.Option(help="How it treats adb keys.")] = AuthMode.OPEN,
    seed: SeedOption = 0,
    scale: Annotated[
        float, typer.Option(min=0.25, max=2, help="The screen beside one of 1080 x 2400.")
    ] = 1.0,
    difficulties: Annotated[
        bool,
        typer.Option(
            "--difficulties/--no-difficulties",
            help="What trips agents: advertisements, permission dialogs, spinners, late content and so on.",
        ),
    ] = True,
    at: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M"], help="Its date and time at the start; by default now."),
    ] = None,
    recording: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Show recorded screens and follow what was recorded: past turns (assistant memory export "
            "--fingertip FOLDER), FingerTip's episodes, DroidBot's output.",
        ),
    ] = None,
    adb_server: Annotated[
        bool, typer.Option("--adb-server", help="Run a private adb server beside it, on a port of its own.")
    ] = False,
    as_json: JsonOption = False,
    until_stdin_closes: StdinOption = False,
) -> None:
    """A phone that the real adb server accepts: adb connect 127.0.0.1:PORT."""
    # For start-up time: the demo waits for both children, and each needs only its own half.
    from assistant.simulator.apps.core import Difficulties
    from assistant.simulator.phone import PhoneOptions, serve_phone

    like = find_profile(profile)
    if recording is not None:
        shown = replace(like, release=cast(Release, android or like.release))
        # For start-up time: reading recordings takes code of memory and phone that no other phone needs.
        from assistant.simulator.recording.phone import RecordedPhoneOptions

        phone = RecordedPhoneOptions(port, shown, cast(Locale, locale), delays, auth)
        _serve_recording(recording, phone, adb_server, as_json, until_stdin_closes)
        return
    try:
        options = PhoneOptions(
            port=port,
            control_port=control_port,
            android=cast(Release, android or like.release),
            profile=like,
            locale=cast(Locale, locale),
            delays=delays,
            auth=auth,
            seed=seed,
            size=(round(like.size[0] * scale), round(like.size[1] * scale)),
            density=round(like.density * scale),
            start=at.astimezone() if at else None,
            difficulties=Difficulties() if difficulties else Difficulties.none(),
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with ExitStack() as stack:
        about: dict[str, Any] = {"simulated": True}
        if adb_server:
            about["adb_port"] = stack.enter_context(PrivateAdbServer()).port
        _serve(
            serve_phone(
                options,
                lambda ready: _tell(
                    about | ready,
                    as_json,
                    "Simulated phone: adb connect {serial}\nControl: {control} with X-Control-Token: {token}",
                ),
            ),
            until_stdin_closes,
        )


def _serve_recording(
    folder: Path, options: RecordedPhoneOptions, adb_server: bool, as_json: bool, until_stdin_closes: bool
) -> None:
    """Show a recording until the end; what reaches the phone is told on standard error."""
    # For start-up time, as above.
    from assistant.simulator.recording.folders import UnreadableRecording, read_recording
    from assistant.simulator.recording.phone import serve_recording

    def log(happened: RecordedInput, screen: RecordedScreen, recorded: bool) -> None:
        typer.echo(f"{'recorded' if recorded else 'not recorded'}: {happened} -> {screen.name}", err=True)

    try:
        recording = read_recording(folder)
    except UnreadableRecording as error:
        raise typer.BadParameter(str(error), param_hint="--recording") from error
    with ExitStack() as stack:
        about: dict[str, Any] = {"simulated": True, "recording": str(folder)}
        if adb_server:
            about["adb_port"] = stack.enter_context(PrivateAdbServer()).port
        sentence = "Recorded phone, {screens} screens, {moves} moves: adb connect {serial}"
        ready = partial(_tell_of, about, as_json, sentence)
        _serve(serve_recording(recording, options, ready, log), until_stdin_closes)


def _tell_of(about: dict[str, Any], as_json: bool, sentence: str, ready: dict[str, Any]) -> None:
    _tell(about | ready, as_json, sentence)


@simulate_app.command("model")
def model_command(
    port: PortOption = 0,
    key: Annotated[str, typer.Option(help="A key that requests must carry.")] = "",
    pace: Annotated[float, typer.Option(min=0, help="Tokens per second; 0 for at once.")] = 0.0,
    first_token: Annotated[float, typer.Option(min=0, help="Seconds before each reply begins.")] = 0.0,
    seed: SeedOption = 0,
    family: Annotated[
        str,
        typer.Option(help="Write as this family; by default as the model's name in the request says."),
    ] = "",
    scatter: Annotated[
        float,
        typer.Option(min=0, max=0.2, help="How far beside the middle it taps, as a share."),
    ] = SCATTER,
    ocr: Annotated[
        bool,
        typer.Option(
            "--ocr",
            help="Read the picture where a request has no list of elements (assistant[ocr]).",
        ),
    ] = False,
    fault: Annotated[
        list[Fault] | None,
        typer.Option(
            parser=_fault,
            metavar="KIND[:TIMES]",
            help=f"Spoil the next TIMES requests (1, or all), again for more: {', '.join(FaultKind)}.",
        ),
    ] = None,
    as_json: JsonOption = False,
    until_stdin_closes: StdinOption = False,
) -> None:
    """A scripted model behind an OpenAI-compatible endpoint; it knows the simulated apps' tasks."""
    # For start-up time.
    from assistant.simulator.model.server import serve_model

    if family and family not in families():
        raise typer.BadParameter(f"There is no family {family}. There are: {', '.join(families())}.")
    if ocr and not can_read():
        raise typer.BadParameter("reading pictures takes the extra: pip install 'assistant[ocr]'")
    options = ModelOptions(
        port=port,
        key=key,
        pace=pace,
        first_token=first_token,
        seed=seed,
        faults=tuple(fault or ()),
        family=family,
        scatter=scatter,
        reads=ocr,
    )

    def ready(address: ModelAddress) -> None:
        about = {"simulated": True, "base_url": address.base_url, "port": address.port}
        _tell(about, as_json, "Scripted model: {base_url}")

    _serve(serve_model(options, ready), until_stdin_closes)


def _wait_for_end() -> None:
    sys.stdin.buffer.read()


def _tell(about: dict[str, Any], as_json: bool, sentence: str) -> None:
    typer.echo(json.dumps(about) if as_json else sentence.format_map(about))


def _serve(server: Coroutine[Any, Any, None], until_stdin_closes: bool) -> None:
    async def until_told() -> None:
        serving = asyncio.ensure_future(server)
        ends = [serving]
        if until_stdin_closes:
            ends.append(asyncio.ensure_future(asyncio.to_thread(_wait_for_end)))
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        serving.cancel()
        await asyncio.wait([serving])
        for task in done:
            task.result()

    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(until_told())
    except OSError as error:
        typer.echo(f"It cannot listen there: {error.strerror or error}. Choose another port.", err=True)
        raise typer.Exit(1) from error
    except AdbServerFailed as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from error
