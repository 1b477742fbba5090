"""A phone's clock that stands still until a test advances it."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from datetime import datetime, timedelta

from assistant.simulator.android.clock import Timer


class ManualTimer:
    """A callback that waits for a manual clock to reach its time."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Make sure that it never comes."""
        self._callback = None

    def fire(self) -> None:
        """Call back, once."""
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class ManualClock:
    """Stands still until `advance` is called. Sleeping advances it, so nothing ever waits in real time."""

    def __init__(self, start: datetime, uptime: float = 3600.0) -> None:
        self._now = start if start.tzinfo else start.astimezone()
        self._uptime = uptime
        self._order = itertools.count()
        self._waiting: list[tuple[float, int, ManualTimer]] = []

    def now(self) -> datetime:
        """The time that was reached."""
        return self._now

    def uptime(self) -> float:
        """Seconds since the phone started."""
        return self._uptime

    def later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back when `advance` has reached `seconds` from now."""
        timer = ManualTimer(callback)
        heapq.heappush(self._waiting, (self._uptime + max(0.0, seconds), next(self._order), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Move on, calling what falls due on the way in order; a callback sees the time it asked for."""
        target = self._uptime + seconds
        while self._waiting and self._waiting[0][0] <= target:
            due, _, timer = heapq.heappop(self._waiting)
            self._move_to(due)
            timer.fire()
        self._move_to(target)

    def _move_to(self, uptime: float) -> None:
        if uptime > self._uptime:
            self._now += timedelta(seconds=uptime - self._uptime)
            self._uptime = uptime

    async def sleep(self, seconds: float) -> None:
        """Advance, and let others run."""
        self.advance(seconds)
        await asyncio.sleep(0)
