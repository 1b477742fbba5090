"""Lets the time of the demo pass: its person lives on, and whoever suggests looks at every moment.

The demo's time: a clock that its user steers, on which the person of the simulated phone lives on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol, cast

from assistant.memory.store import Store, open_store
from assistant.presentation.time_travel import TimeSpan, TimeTravelResult
from assistant.records import Record
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.living_on import LivingOn

if TYPE_CHECKING:
    from assistant.engine import Engine
    from assistant.simulator.apps.host import Locale
    from assistant.simulator.world import World


_log = logging.getLogger(__name__)
_A_MINUTE = 60.0
_FIXED = {
    TimeSpan.HOUR: timedelta(hours=1),
    TimeSpan.DAY: timedelta(days=1),
    TimeSpan.WEEKS: timedelta(days=21),
}


class DemoTime:
    """Steers the clock of a demo's engine. All methods belong to the event loop's thread.

    Args:
        world: the world whose phone's clock follows.
        locale: the language of the phone.
        start: the local time it begins at.
    """

    def __init__(self, world: World, locale: str, start: datetime) -> None:
        self._world = world
        self._locale = cast("Locale", locale)
        self._clock = DemoClock(start)
        self._engine: Engine | None = None

    def now(self) -> datetime:
        """The time in the demo."""
        return self._clock()

    def attend(self, engine: Engine) -> None:
        """Steer for an engine, which was made with this clock."""
        self._engine = engine

    async def let_pass(self, passage: TimeSpan) -> TimeTravelResult:
        """Let time pass; returns what came of it.

        Raises:
            StoreError: the memory cannot be written.
        """
        # All of this takes longer to import than the interface may take to its first paint.
        from assistant.proactive.suggestions import Stage, Suggestions
        from assistant.simulator.living_on import LivingOn

        engine = self._engine
        if engine is None or engine.companion is None:
            return TimeTravelResult()
        begin, user = self._clock(), engine.settings.user_id
        store = open_store(engine.settings, self._clock)
        try:
            life = LivingOn(user, self._locale)
            passing = PassingTime(self._clock, life, store, engine.companion, self._move_phone)
            if passage is TimeSpan.LIKELY:
                await passing.until_likely()
            else:
                real = _A_MINUTE if passage is TimeSpan.WEEKS else 0.0
                await passing.until(begin + _FIXED[passage], real)
            now = self._clock()
            coming = min((one for one in engine.companion.moments() if one > now), default=None)
            look = coming.astimezone(now.tzinfo) if coming is not None else None
            made = Suggestions(store, user).since(begin)
            return TimeTravelResult(len(made), look, waits=any(one.stage is Stage.SHOWN for one in made))
        finally:
            store.close()

    async def catch_up(self) -> None:
        """Go on where an earlier demo with the same memory ended, if that lies ahead."""
        if self._engine is None:
            return
        settings = self._engine.settings
        store = open_store(settings, self._clock)
        latest = next((one.time for one in store.records.of(settings.user_id, newest=1)), None)
        store.close()
        if latest is not None and latest > self._clock():
            await self._move_phone((latest - self._clock()).total_seconds())
            self._clock.move_to(latest)

    async def _move_phone(self, seconds: float) -> None:
        # As above.
        from assistant.simulator.control import ControlClient, ControlFailed
        from assistant.simulator.orders import Advance

        phone = self._world.phone
        try:
            async with ControlClient(phone["control"], phone["token"]) as client:
                await client.perform(Advance(seconds=max(0.0, seconds)))
        except ControlFailed as problem:
            _log.warning("the simulated phone's clock stays behind: %s", problem)


_JUST = timedelta(hours=3)
_MOMENT = timedelta(seconds=1)
_AT_MOST = timedelta(days=7)
_PHONE_EVERY = 1.0
"""Real seconds after which the phone hears how much time has passed, while it passes quickly."""


class SuggestionSource(Protocol):
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
        suggesting: SuggestionSource,
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
