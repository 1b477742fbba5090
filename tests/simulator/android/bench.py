"""Runs command lines on the simulated shell and keeps what they print."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from assistant.simulator.adbd.backend import Fd
from assistant.simulator.android.interpreter import Bytes
from assistant.simulator.android.services import Services
from assistant.simulator.android.shell import Shell
from tests.simulator.manual_clock import ManualClock

from .screen import Screen


@dataclass
class Printed:
    raw: dict[Fd, bytes] = field(default_factory=lambda: {Fd.STDOUT: b"", Fd.STDERR: b""})
    code: int = -1
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def write(self, descriptor: Fd, data: bytes) -> None:
        self.raw[descriptor] += data
        self.news.set()

    @property
    def out(self) -> str:
        return self.raw[Fd.STDOUT].decode()

    @property
    def error(self) -> str:
        return self.raw[Fd.STDERR].decode()

    async def until(self, text: str) -> str:
        while text not in self.out:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 5)
        return self.out


class Bench:
    def __init__(self, services: Services, screen: Screen) -> None:
        self.services = services
        self.screen = screen
        self.shell = Shell(services, screen)

    @property
    def clock(self) -> ManualClock:
        assert isinstance(self.services.clock, ManualClock)
        return self.services.clock

    async def run(self, line: str, stdin: bytes = b"") -> Printed:
        printed = Printed()
        printed.code = await self.shell.run(line, Bytes(stdin), printed.write)
        return printed

    async def out(self, line: str, stdin: bytes = b"") -> str:
        printed = await self.run(line, stdin)
        assert (printed.error, printed.code) == ("", 0)
        return printed.out

    @asynccontextmanager
    async def stream(self, line: str) -> AsyncIterator[Printed]:
        printed = Printed()
        task = asyncio.create_task(self.shell.run(line, Bytes(), printed.write))
        try:
            yield printed
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
