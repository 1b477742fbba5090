"""`assistant setup`: find a phone, choose a model, see that both work."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from assistant.commands.options import ConfigOption, DemoOption, SerialOption, in_world, settings_of
from assistant.i18n import _
from assistant.settings.schema import Settings
from assistant.setup.core import Setup
from assistant.setup.plain import PlainSetup, Terminal
from assistant.simulator.world import SIMULATED, WorldOptions
from assistant.tui.launch import run_setup


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
        setup = Setup(ready, config, keep=not demo, simulated=SIMULATED if demo else "")
        if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
            if demo:
                typer.echo(_(SIMULATED))
            return await PlainSetup(setup, Terminal()).run()
        return await run_setup(setup)

    done = asyncio.run(in_world(settings, WorldOptions() if demo else None, work))
    raise typer.Exit(0 if done else 1)


def settings_to_begin_with(serial: str, config: Path | None) -> Settings:
    """The settings; a file that is named need not be there yet."""
    missing = config is not None and not config.exists()
    return settings_of(None, serial, Path(os.devnull) if missing else config)
