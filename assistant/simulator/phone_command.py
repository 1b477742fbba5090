"""`assistant simulate phone`: a phone that the real adb server accepts."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.adbd.auth import AuthMode
from assistant.simulator.android.profiles import Profile, Release, named_profiles
from assistant.simulator.apps.core import Difficulties
from assistant.simulator.apps.host import Locale
from assistant.simulator.phone import PhoneOptions, serve_phone
from assistant.simulator.serving import (
    JsonOption,
    PortOption,
    SeedOption,
    StdinOption,
    serve_until_told,
    tell,
)


def find_profile(name: str) -> Profile:
    """The profile with a name; without a name a phone that is none of those that are sold.

    Raises:
        BadParameter: there is none of that name.
    """
    if name and name not in named_profiles():
        raise typer.BadParameter(f"There is no profile {name}. There are: {', '.join(named_profiles())}.")
    return named_profiles()[name] if name else Profile()


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
    like = find_profile(profile)
    if recording is not None:
        shown = replace(like, release=cast(Release, android or like.release))
        # For start-up time: reading recordings takes code of memory and phone that no other phone needs.
        from assistant.simulator.recording import command, phone

        shown_by = phone.RecordedPhoneOptions(port, shown, cast(Locale, locale), delays, auth)
        command.show_recording(recording, shown_by, adb_server, as_json, until_stdin_closes)
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
        serve_until_told(
            serve_phone(
                options,
                lambda ready: tell(
                    about | ready,
                    as_json,
                    "Simulated phone: adb connect {serial}\nControl: {control} with X-Control-Token: {token}",
                ),
            ),
            until_stdin_closes,
        )
