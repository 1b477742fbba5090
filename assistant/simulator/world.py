"""A simulated phone, its adb server and a scripted model as child processes, for the demo and `--demo`.

The children are ordinary `assistant simulate …` commands. They end when their standard input closes, so
nothing is left behind even when this process is killed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from assistant.i18n import UserError, _
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.options import ControlChange, PhoneView

_IDLE_LIMIT = 60.0
"""Seconds without any work of a starting child after which it is given up; a busy machine makes it slow."""
_LOOK_EVERY = 3.0
_STOP_LIMIT = 5.0


class WorldFailed(UserError):
    """A child did not start; the message carries what it printed."""


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """What the world is like.

    `delays` scales a real phone's delays: 0 for none, 1 for real ones. `pace` is the model's speed in tokens
    per second, 0 for at once. `scale` is the phone's screen beside one of 1080 x 2400: a smaller one is drawn
    and read faster, and lays out the same. `profile` names a phone that is sold, `android` 0 takes the one of
    that, or 12. `start` is the phone's local time at the start, by default now.
    """

    android: int = 0
    profile: str = ""
    locale: str = "en"
    delays: float = 0.0
    pace: float = 0.0
    seed: int = 0
    scale: float = 1.0
    start: datetime | None = None


class SimulatorProcesses:
    """Programs of the simulator that end with this one. An asynchronous context manager, which ends them.

    Args:
        tell: hears what is waited for, every few seconds while one is slow to start.
    """

    def __init__(self, tell: Callable[[str], None] | None = None) -> None:
        self._tell = tell or (lambda _sentence: None)
        self._children: list[asyncio.subprocess.Process] = []
        self._drains: list[asyncio.Task[None]] = []

    async def start(self, *arguments: str) -> dict[str, Any]:
        """Start `assistant simulate` with these arguments; what the program says when it is ready.

        Raises:
            WorldFailed: it does not start.
        """
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "assistant", "simulate", *arguments, "--json", "--until-stdin-closes"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # Ctrl+C is for us: the phone must still be there while the turn ends.
            start_new_session=True,
        )
        self._children.append(child)
        if child.stdout is None or child.stderr is None:
            raise WorldFailed("A child process was started without pipes.")
        first_line = asyncio.create_task(child.stdout.readline())
        try:
            line = await self._wait_while_it_works(first_line, child.pid, arguments[0])
        finally:
            first_line.cancel()
        printed = b"" if line else await child.stderr.read()
        if not line:
            raise WorldFailed(
                _("assistant simulate {name} ended: {reason}").format(
                    name=arguments[0], reason=printed.decode(errors="replace").strip()
                )
            )
        self._drains.append(asyncio.create_task(_drain(child.stderr)))
        ready: dict[str, Any] = json.loads(line)
        return ready

    async def _wait_while_it_works(self, line: asyncio.Task[bytes], process: int, name: str) -> bytes:
        """The first line of a child, however long it takes as long as the child works on it.

        Raises:
            WorldFailed: it has stood still.
        """
        begun = worked_at = time.monotonic()
        work = ""
        while not (await asyncio.wait([line], timeout=_LOOK_EVERY))[0]:
            now = time.monotonic()
            if (done := await _processor_time(process)) != work:
                work, worked_at = done, now
            if now - worked_at > _IDLE_LIMIT:
                raise WorldFailed(
                    _(
                        "assistant simulate {name} does not start: it has stood still for {seconds:.0f} s."
                    ).format(name=name, seconds=now - worked_at)
                )
            slow = _("Starting the simulated phone, {seconds:.0f} s so far: this machine is busy.")
            if name != "phone":
                slow = _("Starting the scripted model, {seconds:.0f} s so far: this machine is busy.")
            self._tell(slow.format(seconds=now - begun))
        return line.result()

    async def stop(self) -> None:
        """End all of them; again is harmless."""
        for child in self._children:
            if child.stdin is not None:
                child.stdin.close()
        for child in self._children:
            try:
                async with asyncio.timeout(_STOP_LIMIT):
                    await child.wait()
            except TimeoutError:
                child.kill()
                await child.wait()
        self._children.clear()
        if self._drains:
            await asyncio.wait(self._drains)
        self._drains.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


class World:
    """An asynchronous context manager; inside it the phone is connected and the model answers.

    Args:
        options: what the world is like.
        tell: hears what is waited for, every few seconds while a child is slow to start.
    """

    def __init__(self, options: WorldOptions, tell: Callable[[str], None] | None = None) -> None:
        self._options = options
        self._children = SimulatorProcesses(tell)
        self.phone: dict[str, Any] = {}
        self.model: dict[str, Any] = {}

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that lead to this world and nowhere else."""
        return {
            "phone": {
                "serial": self.phone["serial"],
                "adb_host": "127.0.0.1",
                "adb_port": self.phone["adb_port"],
            },
            "model": {
                "base_url": self.model["base_url"],
                "name": "scripted",
                "dialect": "tool_calls",
                "api_key": "",
            },
        }

    async def __aenter__(self) -> Self:
        options = self._options
        async with AsyncExitStack() as unless_started:
            unless_started.push_async_callback(self._children.stop)
            self.phone, self.model = await asyncio.gather(
                self._children.start(
                    "phone",
                    "--adb-server",
                    f"--android={options.android}",
                    f"--profile={options.profile}",
                    f"--locale={options.locale}",
                    f"--delays={options.delays}",
                    f"--seed={options.seed}",
                    f"--scale={options.scale}",
                    *([f"--at={options.start:%Y-%m-%dT%H:%M}"] if options.start else []),
                ),
                self._children.start("model", f"--pace={options.pace}", f"--seed={options.seed}"),
            )
            async with ScriptedModelClient(self.model["base_url"]) as model:
                view = PhoneView(url=self.phone["control"], token=self.phone["token"])
                await model.change(ControlChange(phone=view))
            unless_started.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._children.stop()


async def _drain(stream: asyncio.StreamReader) -> None:
    """Read to the end: a child whose warnings nobody reads would stand still in the middle of one."""
    while await stream.read(1 << 16):
        pass


async def _processor_time(process: int) -> str:
    """How long a process has computed, from `/proc`, else in the words of `ps`; empty where neither tells."""
    if (ticks := _processor_ticks(process)) is not None:
        return ticks
    with suppress(OSError):
        ps = await asyncio.create_subprocess_exec(
            *("ps", "-o", "time=", "-p", str(process)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        return (await ps.communicate())[0].decode(errors="replace").strip()
    return ""


def _processor_ticks(process: int) -> str | None:
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return " ".join(fields[11:13])
