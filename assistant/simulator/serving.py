"""How the simulated phone and the scripted model run as programs: common options, and when they end."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Annotated, Any

import typer

from assistant.simulator.adb_server import AdbServerFailed

PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes any free one.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same behaviour.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Say where it is as one JSON line.")]
StdinOption = Annotated[
    bool,
    typer.Option("--until-stdin-closes", help="End when standard input is closed, not only by a signal."),
]


def tell(about: dict[str, Any], as_json: bool, sentence: str) -> None:
    """Print where a server is: as one JSON line, or as a sentence that names keys of `about`."""
    typer.echo(json.dumps(about) if as_json else sentence.format_map(about))


def serve_until_told(server: Coroutine[Any, Any, None], until_stdin_closes: bool) -> None:
    """Run a server until a signal ends it, or until standard input closes.

    Raises:
        Exit: it cannot listen, or adb cannot be run; standard error says why.
    """

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


def _wait_for_end() -> None:
    sys.stdin.buffer.read()
