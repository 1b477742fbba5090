from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest_asyncio

from assistant.proactive.schedule import Cause, Schedule


class Heard:
    """What was notified, to be awaited."""

    def __init__(self) -> None:
        self.causes: list[Cause] = []
        self._news = asyncio.Event()

    def __call__(self, cause: Cause) -> None:
        self.causes.append(cause)
        self._news.set()

    async def next(self) -> Cause:
        async with asyncio.timeout(10):
            self._news.clear()
            await self._news.wait()
        return self.causes[-1]


@pytest_asyncio.fixture
async def heard() -> Heard:
    return Heard()


@pytest_asyncio.fixture
async def schedule(heard: Heard) -> AsyncIterator[Schedule]:
    made = Schedule(heard, UTC)
    made.start()
    yield made
    await made.stop()


def soon(seconds: float = 0.02) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def test_a_moment_is_told_in_the_loop(schedule: Schedule, heard: Heard) -> None:
    schedule.set_moments([soon()])
    assert await heard.next() is Cause.MOMENT
    assert schedule.moments() == []


async def test_a_moment_that_has_just_passed_is_told_at_once(schedule: Schedule, heard: Heard) -> None:
    schedule.set_moments([soon(-30)])
    assert await heard.next() is Cause.MOMENT


async def test_moments_replace_those_before(schedule: Schedule) -> None:
    one, two, three = (soon(minutes * 60) for minutes in (10, 20, 30))
    schedule.set_moments([one, two])
    schedule.set_moments([two, three, three])
    assert schedule.moments() == [two, three]


async def test_the_heartbeat_goes_on(heard: Heard) -> None:
    schedule = Schedule(heard, UTC, heartbeat=0.01)
    schedule.start()
    assert [await heard.next(), await heard.next()] == [Cause.HEARTBEAT] * 2
    await schedule.stop()
    told = len(heard.causes)
    await asyncio.sleep(0)
    assert len(heard.causes) == told


async def test_after_the_end_nothing_is_told(heard: Heard) -> None:
    schedule = Schedule(heard, UTC)
    schedule.start()
    schedule.set_moments([soon()])
    await schedule.stop()
    await schedule.stop()
    assert heard.causes == []
