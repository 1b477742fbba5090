"""The session of lines on standard input and output."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.cells import cell_len

from assistant.plain.session import PlainSession
from assistant.plain.typed import typed_lines
from assistant.presentation.engine_protocol import EngineProtocol
from assistant.text_layout import wrap


async def run_plain(engine: EngineProtocol, config: Path | None = None) -> int:
    """Run a session until the user leaves, then close the engine.

    Args:
        engine: runs the turns.
        config: the settings file, for the commands on the memory.

    Returns:
        The exit code.
    """
    person = sys.stdin.isatty()
    store = engine.settings.store
    session = PlainSession(
        engine, _say, time.monotonic, _memory(store, config), typed_ahead=not person, bell=_bell
    )

    def interrupt() -> None:
        if person:
            # Ends the line in which the terminal shows the key.
            _say("")
        session.interrupt()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        await session.run(typed_lines(sys.stdin.fileno()))
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        await engine.close()
    return 0


def _say(line: str) -> None:
    sys.stdout.write(in_columns(line, _columns()) + "\n")
    sys.stdout.flush()


def in_columns(line: str, columns: int) -> str:
    """A line with its words kept whole where the terminal would break them; 0 columns for no terminal."""
    return "\n".join(wrap(line, columns)) if 0 < columns < cell_len(line) else line


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0


def _bell() -> None:
    if sys.stdout.isatty():
        sys.stdout.write("\a")
        sys.stdout.flush()


def _memory(store: Path, config: Path | None) -> Callable[[str], Awaitable[None]]:
    """`assistant memory` with some words, as a program of its own on the same store."""

    async def run(words: str) -> None:
        environment = {**os.environ, "ASSISTANT_STORE": str(store)}
        try:
            parts = shlex.split(words)
        except ValueError:
            parts = words.split()
        command = [sys.executable, "-m", "assistant", "memory", *parts]
        named = ["--config", str(config)] if config is not None else []
        process = await asyncio.create_subprocess_exec(
            *command, *named, stdin=asyncio.subprocess.DEVNULL, env=environment
        )
        await process.wait()

    return run
