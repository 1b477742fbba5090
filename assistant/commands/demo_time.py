"""The demo's time: a clock that its user steers, on which the person of the simulated phone lives on."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

from assistant.memory.store import open_store
from assistant.presentation.time_travel import TimeSpan, TimeTravelResult
from assistant.simulator.demo_clock import DemoClock

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
        from assistant.demo.time_travel import PassingTime
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
