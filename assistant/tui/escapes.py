"""Two Escapes cancel a turn only where the second comes soon after the first."""

from __future__ import annotations

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.timer import Timer

WITHIN = 4.0
"""Seconds in which the second Escape must come."""

_TICK = 0.25


class Escapes:
    """Remembers for a few seconds that Escape was pressed.

    Args:
        owner: runs the timer.
        clock: seconds that only grow.
        over: hears that the time is up.
    """

    def __init__(self, owner: MessagePump, clock: Callable[[], float], over: Callable[[], None]) -> None:
        self._owner = owner
        self._clock = clock
        self._over = over
        self._pressed = float("-inf")
        self._ticking: Timer | None = None

    @property
    def armed(self) -> bool:
        """Whether an Escape now would be the second one."""
        return self._clock() - self._pressed < WITHIN

    def arm(self) -> None:
        """Escape was pressed."""
        self._pressed = self._clock()
        if self._ticking is None:
            self._ticking = self._owner.set_interval(_TICK, self.tick)

    def tick(self) -> None:
        """Time has passed."""
        if not self.armed and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
            self._over()
