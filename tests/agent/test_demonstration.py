"""A task that the user shows on the simulated phone, by touches that `getevent` reports."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from assistant.bench.harness import LocalPhone, open_own_phone, started
from assistant.events import Event, StepFinished
from assistant.records import Observation, Source
from assistant.simulator.android.touches import RawEvent, Touches

Item = TypeVar("Item")


async def _next(queue: asyncio.Queue[Item]) -> Item:
    return await asyncio.wait_for(queue.get(), 20)


class User:
    """Touches the phone once its touches are read; gets the screens that the recorder sees."""

    def __init__(self, local: LocalPhone, observe: Callable[[], Awaitable[Observation]]) -> None:
        self._local = local
        self._observe = observe
        self.read = asyncio.Event()
        self.screens: asyncio.Queue[Observation] = asyncio.Queue()

    async def observe(self) -> Observation:
        screen = await self._observe()
        self.screens.put_nowait(screen)
        return screen

    async def touch(self, screen: Observation, text: str) -> None:
        await asyncio.wait_for(self.read.wait(), 20)
        self._local.phone.person.tap(*next(e for e in screen.elements if e.text == text).bounds.centre)


async def test_what_the_user_shows_becomes_a_skill(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_own_phone() as local:
        engine = local.engine(local.settings)
        async with started(engine):
            steps: asyncio.Queue[Event] = asyncio.Queue()

            async def listen() -> None:
                async for event in engine.events():
                    if isinstance(event, StepFinished):
                        assert event.source is Source.USER
                        steps.put_nowait(event)

            phone, subscribe = engine.current_phone, Touches.subscribe
            assert phone is not None
            user = User(local, phone.observe)

            @contextmanager
            def noting(touches: Touches) -> Iterator[asyncio.Queue[RawEvent]]:
                with subscribe(touches) as queue:
                    user.read.set()
                    yield queue

            monkeypatch.setattr(Touches, "subscribe", noting)
            monkeypatch.setattr(phone, "observe", user.observe)
            listening, over = asyncio.create_task(listen()), asyncio.Event()
            recording = asyncio.create_task(engine.record("look at my alarms", over.wait()))
            await user.touch(await _next(user.screens), "Clock")
            await _next(steps)
            await user.touch(await _next(user.screens), "Timer")
            await _next(steps)
            over.set()
            template = await asyncio.to_thread(engine.keep_skill, await recording, "alarms")
            listening.cancel()
    assert template.plan == ("open Clock", "tap “Timer”")
    assert template.app == "Clock"
    assert all(step.before is not None for step in template.steps)
