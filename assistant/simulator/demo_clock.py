"""The local time of the demo: that of the machine, until it is moved ahead."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta


class DemoClock:
    """A local time with its zone that runs on by itself and can be moved ahead, never back.

    Args:
        start: the time it begins at.
        seconds: seconds that only grow; a constant makes a clock that stands still until it is moved.
    """

    def __init__(self, start: datetime, seconds: Callable[[], float] = time.monotonic) -> None:
        self._start = start
        self._seconds = seconds
        self._zero = seconds()

    def __call__(self) -> datetime:
        """The time it is."""
        return self._start + timedelta(seconds=self._seconds() - self._zero)

    def move_to(self, moment: datetime) -> None:
        """Move ahead to a moment; one that has passed changes nothing."""
        self._start += max(timedelta(), moment - self())
