"""Lets the time of the demo pass: its person lives on, and whoever suggests looks at every moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Protocol

from assistant.memory.store import Store
from assistant.records import Record
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.living_on import LivingOn

_JUST = timedelta(hours=3)
_MOMENT = timedelta(seconds=1)
_AT_MOST = timedelta(days=7)
_PHONE_EVERY = 1.0
"""Real seconds after which the phone hears how much time has passed, while it passes quickly."""


class Suggesting(Protocol):
    """Whoever offers routines, as far as time that passes concerns them."""

    def wake(self) -> None:
        """Look soon."""
        ...

    async def settled(self) -> None:
        """Return when everything has been looked at."""
        ...

    def moments(self) -> list[datetime]:
        """When there will be something to look at."""
        ...


async def _no_phone(_: float) -> None:
    """There is no phone whose clock could agree."""


class PassingTime:
    """Moves a clock from one moment at which something happens to the next.

    Something happens where the person does what they do, or whoever suggests wants to look. What was done a
    short while ago by accepting a suggestion is not done once more.

    Args:
        clock: the clock that is moved.
        life: what the person does.
        store: where their records are kept.
        suggesting: looks at every moment.
        phone: hears how many seconds have passed.
    """

    def __init__(
        self,
        clock: DemoClock,
        life: LivingOn,
        store: Store,
        suggesting: Suggesting,
        phone: Callable[[float], Awaitable[None]] = _no_phone,
    ) -> None:
        self._clock = clock
        self._life = life
        self._store = store
        self._suggesting = suggesting
        self._phone = phone
        self._behind = 0.0
        self._told = 0.0

    async def until(self, end: datetime, seconds: float = 0.0) -> None:
        """Let the time pass up to a moment.

        Args:
            end: the moment.
            seconds: how long that may take at least, evenly; nothing waits where it is 0.
        """
        begin, real = self._clock(), time.monotonic()
        while (now := self._clock()) < end:
            moment = self._next(now, end)
            if seconds:
                due = real + seconds * ((moment - begin) / (end - begin))
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            await self._step(now, moment)
        await self._tell_phone()

    async def until_likely(self) -> datetime:
        """Let the time pass up to the next moment at which there is something to look at; returns it."""
        self._suggesting.wake()
        await self._suggesting.settled()
        now = self._clock()
        moment = min((one for one in self._suggesting.moments() if one > now), default=now + _AT_MOST)
        await self.until(moment)
        return moment

    def _next(self, now: datetime, end: datetime) -> datetime:
        done = [one.time for one in self._life.between(now, min(end, now + timedelta(days=1)))]
        looks = [one for one in self._suggesting.moments() if one > now]
        # A moment later, since a suggestion is of use up to its end.
        return min([*(one + _MOMENT for one in (*done, *looks)), end])

    async def _step(self, now: datetime, moment: datetime) -> None:
        self._clock.move_to(moment)
        self._behind += (moment - now).total_seconds()
        if time.monotonic() - self._told > _PHONE_EVERY:
            await self._tell_phone()
        done = [one for one in self._life.between(now, moment) if not self._was_done(one)]
        if done:
            await asyncio.to_thread(self._store.records.add, done, "Live on", "the demo's time passes")
        self._suggesting.wake()
        await self._suggesting.settled()

    async def _tell_phone(self) -> None:
        behind, self._behind = self._behind, 0.0
        await self._phone(behind)
        self._told = time.monotonic()

    def _was_done(self, record: Record) -> bool:
        latest = self._store.records.of(record.user_id, newest=10)
        return any(
            one.instruction == record.instruction and abs(record.time - one.time) < _JUST for one in latest
        )
