"""`assistant doctor`: what works, what does not, and the command that mends it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from functools import partial

import typer

from assistant.commands.options import (
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    in_world,
    settings_of,
)
from assistant.doctor import Check, examine
from assistant.factories import SentNote
from assistant.i18n import _
from assistant.settings.load import SettingsError
from assistant.simulator.world import SIMULATED, WorldOptions
from assistant.tui.terminal_checks import check_terminal, tmux_findings


def doctor_command(
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """What works, what does not, and the command that mends it. The model gets one test call."""
    try:
        settings = settings_of(store, serial, config)
    except SettingsError as error:
        findings = [
            Check("settings", False, str(error), _("Mend or remove these lines of the settings file."))
        ]
    else:
        world = WorldOptions() if demo else None
        findings = asyncio.run(
            in_world(
                settings, world, partial(examine, file=config, tell=None if demo else SentNote(settings))
            )
        )
        findings += check_terminal(settings.interface.picture)
        findings += tmux_findings(os.environ) if sys.stdout.isatty() else []
    if as_json:
        typer.echo(json.dumps([finding.as_json() for finding in findings], ensure_ascii=False))
    else:
        if demo:
            typer.echo(_(SIMULATED))
        for finding in findings:
            typer.echo(finding.line())
    raise typer.Exit(0 if all(finding.good for finding in findings) else 1)
