"""A program with a turn on each of two phones, to be killed: it loads the engine, and no interface."""

from __future__ import annotations

import asyncio
from datetime import datetime
from multiprocessing.connection import Connection

from assistant.engine import Engine
from assistant.events import ApprovalRequested
from assistant.settings.schema import Settings


def run_until_killed(
    settings: Settings, first: str, second: str, start: datetime, parent: Connection
) -> None:
    """Both turns wait for an approval, which the parent is told; its time of day is that of `start`."""

    async def run() -> None:
        engine = Engine(settings, now=lambda: datetime.now(start.tzinfo))
        await engine.start()
        await engine.wait_for_phone()
        waiting: set[str] = set()
        told = False
        engine.run("text Mom that I'll be late")
        engine.switch_phone(second)
        engine.run("text Dad that I'll be late")
        async for event in engine.events():
            if isinstance(event, ApprovalRequested):
                waiting.add(event.turn_phone)
            if waiting == {first, second} and not told:
                parent.send("waiting")
                told = True

    asyncio.run(run())
