from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from assistant.simulator.steered_clock import SteeredClock

NOON = datetime(2026, 3, 9, 12, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


async def test_it_starts_when_told_and_moves_ahead() -> None:
    clock = SteeredClock(NOON)
    before = clock.uptime()
    clock.advance(3600)
    assert timedelta(hours=1) <= clock.now() - NOON < timedelta(hours=1, minutes=1)
    assert 3600 <= clock.uptime() - before < 3660


async def test_what_falls_due_comes_in_order_and_sees_its_own_time() -> None:
    clock = SteeredClock(NOON)
    seen: list[tuple[str, int]] = []
    start = clock.uptime()

    def note(name: str) -> None:
        seen.append((name, round(clock.uptime() - start)))
        if name == "first":
            clock.later(20, lambda: note("caused"))

    clock.later(60, lambda: note("last"))
    clock.later(10, lambda: note("first"))
    never = clock.later(15, lambda: note("never"))
    clock.later(1000, lambda: note("much later"))
    never.cancel()
    clock.advance(100)
    assert seen == [("first", 10), ("caused", 30), ("last", 60)]


async def test_without_steering_time_passes_by_itself() -> None:
    clock = SteeredClock()
    came = asyncio.Event()
    clock.later(0.01, came.set)
    await asyncio.wait_for(came.wait(), 5)


async def test_moving_ahead_brings_the_rest_nearer() -> None:
    clock = SteeredClock()
    came = asyncio.Event()
    clock.later(1000.05, came.set)
    clock.advance(1000)
    assert not came.is_set()
    await asyncio.wait_for(came.wait(), 5)
