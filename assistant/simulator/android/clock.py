"""The phone's clock: it tells the local time and calls back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

_ETC_HOURS = 12


class Timer(Protocol):
    """A callback that has not come yet."""

    def cancel(self) -> None:
        """Make sure that it never comes."""


class Clock(Protocol):
    """What services, windows and apps may ask of time."""

    def now(self) -> datetime:
        """The phone's local time, with its zone."""

    def uptime(self) -> float:
        """Seconds since the phone started."""

    def later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back after `seconds`."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""


class RealClock:
    """Runs as fast as the computer's clock. It may start at any moment, such as noon of a demo's day."""

    def __init__(self, start: datetime | None = None, uptime: float = 3600.0) -> None:
        self._start = start or datetime.now().astimezone()
        self._zero = time.monotonic()
        self._uptime = uptime

    def _elapsed(self) -> float:
        return time.monotonic() - self._zero

    def now(self) -> datetime:
        """The start plus what has passed since."""
        return self._start + timedelta(seconds=self._elapsed())

    def uptime(self) -> float:
        """Seconds since the phone started."""
        return self._uptime + self._elapsed()

    def later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back on the running event loop."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    async def sleep(self, seconds: float) -> None:
        """Sleep in real time."""
        await asyncio.sleep(seconds)


def zone_id(moment: datetime) -> str:
    """Android's name for the time zone of a local time; one that has only an offset is called by it."""
    if isinstance(moment.tzinfo, ZoneInfo) and moment.tzinfo.key:
        return moment.tzinfo.key
    minutes = round((moment.utcoffset() or timedelta()) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    if not minutes:
        return "UTC"
    if not rest and hours <= _ETC_HOURS:
        # In these names the sign is that of the way back to Greenwich.
        return f"Etc/GMT{'-' if minutes > 0 else '+'}{hours}"
    return f"GMT{'+' if minutes > 0 else '-'}{hours:02}:{rest:02}"
