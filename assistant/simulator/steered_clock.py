"""A clock that runs in real time and can be moved ahead."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from assistant.simulator.android.clock import RealClock


@dataclass(slots=True, order=True)
class _Due:
    """A callback that waits for an uptime; `forget` takes it off the list when it was cancelled."""

    uptime: float
    number: int
    callback: Callable[[], None] = field(compare=False)
    forget: Callable[[_Due], None] = field(compare=False)
    handle: asyncio.TimerHandle | None = field(default=None, compare=False)

    def cancel(self) -> None:
        """Make sure that it never comes."""
        if self.handle is not None:
            self.handle.cancel()
        self.forget(self)


class SteeredClock(RealClock):
    """A real clock with `advance`; what falls due on the way comes in order, each at its own time."""

    def __init__(self, start: datetime | None = None) -> None:
        super().__init__(start)
        self._ahead = 0.0
        self._numbers = itertools.count()
        self._waiting: list[_Due] = []

    def _elapsed(self) -> float:
        return super()._elapsed() + self._ahead

    def later(self, seconds: float, callback: Callable[[], None]) -> _Due:
        """Call back on the running event loop, or when `advance` passes the time."""
        due = _Due(self.uptime() + max(0.0, seconds), next(self._numbers), callback, self._forget)
        self._waiting.append(due)
        self._schedule(due)
        return due

    def advance(self, seconds: float) -> None:
        """Move ahead."""
        target = self.uptime() + seconds
        while self._waiting and (first := min(self._waiting)).uptime <= target:
            self._ahead += max(0.0, first.uptime - self.uptime())
            self._fire(first)
        self._ahead += max(0.0, target - self.uptime())
        for due in self._waiting:
            self._schedule(due)

    def _schedule(self, due: _Due) -> None:
        if due.handle is not None:
            due.handle.cancel()
        loop = asyncio.get_running_loop()
        due.handle = loop.call_later(max(0.0, due.uptime - self.uptime()), self._fire, due)

    def _fire(self, due: _Due) -> None:
        due.cancel()
        due.callback()

    def _forget(self, due: _Due) -> None:
        if due in self._waiting:
            self._waiting.remove(due)
