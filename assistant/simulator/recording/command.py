"""`assistant simulate phone --recording FOLDER`: a phone that shows recorded screens."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import typer

from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.recording.folders import UnreadableRecording, read_recording
from assistant.simulator.recording.phone import RecordedPhoneOptions, serve_recording
from assistant.simulator.recording.screens import RecordedInput, RecordedScreen
from assistant.simulator.serving import serve_until_told, tell


def show_recording(
    folder: Path, options: RecordedPhoneOptions, adb_server: bool, as_json: bool, until_stdin_closes: bool
) -> None:
    """Show a recording until the end; what reaches the phone is told on standard error."""

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
        serve_until_told(serve_recording(recording, options, ready, log), until_stdin_closes)


def _tell_of(about: dict[str, Any], as_json: bool, sentence: str, ready: dict[str, Any]) -> None:
    tell(about | ready, as_json, sentence)
