from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from assistant.proactive.service import _NIGHTLY, WakeReason, WakeScheduler


class Heard:
    """What was notified, to be awaited."""

    def __init__(self) -> None:
        self.causes: list[WakeReason] = []
        self._news = asyncio.Event()

    def __call__(self, cause: WakeReason) -> None:
        self.causes.append(cause)
        self._news.set()

    async def next(self) -> WakeReason:
        async with asyncio.timeout(10):
            self._news.clear()
            await self._news.wait()
        return self.causes[-1]


@pytest_asyncio.fixture
async def heard() -> Heard:
    return Heard()


@pytest_asyncio.fixture
async def schedule(heard: Heard) -> AsyncIterator[WakeScheduler]:
    made = WakeScheduler(heard, machine_time)
    made.start()
    yield made
    await made.stop()


def machine_time() -> datetime:
    return datetime.now(UTC)


def soon(seconds: float = 0.02) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def test_a_moment_is_told_in_the_loop(schedule: WakeScheduler, heard: Heard) -> None:
    schedule.set_moments([soon()])
    assert await heard.next() is WakeReason.MOMENT
    assert schedule.moments() == []


async def test_a_moment_that_has_just_passed_is_told_at_once(schedule: WakeScheduler, heard: Heard) -> None:
    schedule.set_moments([soon(-30)])
    assert await heard.next() is WakeReason.MOMENT


async def test_moments_replace_those_before(schedule: WakeScheduler) -> None:
    one, two, three = (soon(minutes * 60) for minutes in (10, 20, 30))
    schedule.set_moments([one, two])
    schedule.set_moments([two, three, three])
    assert schedule.moments() == [two, three]


async def test_new_moments_leave_the_nights(schedule: WakeScheduler) -> None:
    nights = [job for job in schedule._scheduler.get_jobs() if job.id == _NIGHTLY]
    schedule.set_moments([soon(600)])
    schedule.set_moments([])
    assert [job.next_run_time for job in schedule._scheduler.get_jobs()] == [nights[0].next_run_time]


async def test_the_heartbeat_goes_on(heard: Heard) -> None:
    schedule = WakeScheduler(heard, machine_time, heartbeat=0.01)
    schedule.start()
    assert [await heard.next(), await heard.next()] == [WakeReason.HEARTBEAT] * 2
    await schedule.stop()
    told = len(heard.causes)
    await asyncio.sleep(0)
    assert len(heard.causes) == told


async def test_after_the_end_nothing_is_told(heard: Heard) -> None:
    schedule = WakeScheduler(heard, machine_time)
    schedule.start()
    schedule.set_moments([soon()])
    await schedule.stop()
    await schedule.stop()
    assert heard.causes == []


async def test_moments_are_those_of_a_clock_that_is_ahead(heard: Heard) -> None:
    weeks = timedelta(days=21)
    schedule = WakeScheduler(heard, lambda: datetime.now(UTC) + weeks)
    schedule.start()
    schedule.set_moments([soon() + weeks, later := soon(600) + weeks])
    assert await heard.next() is WakeReason.MOMENT
    assert schedule.moments() == [later]
    await schedule.stop()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system has no TZ variable")
async def test_the_zone_follows_the_machine_on_its_travels(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = WakeScheduler(heard, machine_time, heartbeat=0.01)
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        schedule.start()
        await heard.next()
        assert datetime.now().astimezone().utcoffset() == timedelta(hours=9)
        await schedule.stop()
    time.tzset()
