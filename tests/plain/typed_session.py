"""A session in lines whose lines are typed by a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from assistant.plain.session import PlainSession
from tests.tui.scripted import Clock, ScriptedEngine

_LONG = 10.0


@dataclass
class TypedSession:
    """A session whose lines are typed by a test."""

    engine: ScriptedEngine
    clock: Clock = field(default_factory=Clock)
    printed: list[str] = field(default_factory=list)
    memory_commands: list[str] = field(default_factory=list)
    bells: int = 0
    piped: bool = False
    _typed: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.plain_session = PlainSession(
            self.engine,
            self.printed.append,
            self.clock,
            self._memory,
            typed_ahead=self.piped,
            bell=self._ring,
        )

    async def lines(self) -> AsyncIterator[str]:
        while (line := await self._typed.get()) is not None:
            yield line

    async def type(self, line: str | None) -> None:
        self.clock.advance(_LONG)
        self._typed.put_nowait(line)
        await self.settle()

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    @property
    def text(self) -> str:
        return "\n".join(self.printed)

    async def _memory(self, words: str) -> None:
        self.memory_commands.append(words)

    def _ring(self) -> None:
        self.bells += 1


@asynccontextmanager
async def open_session(engine: ScriptedEngine | None = None) -> AsyncIterator[TypedSession]:
    session = TypedSession(engine or ScriptedEngine())
    running = asyncio.create_task(session.plain_session.run(session.lines()))
    await session.settle()
    yield session
    if not running.done():
        await session.type("quit")
    await asyncio.wait_for(running, 5)
