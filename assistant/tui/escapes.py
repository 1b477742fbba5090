"""Double press of Escape: the second press counts only within a few seconds of the first."""

from __future__ import annotations

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.timer import Timer

WITHIN = 4.0
"""Seconds within which the second press must come."""

_TICK = 0.25


class Escapes:
    """Remembers a key press for a few seconds.

    Args:
        owner: runs the timer.
        clock: monotonic seconds.
        over: called when the time has elapsed without a second press.
    """

    def __init__(self, owner: MessagePump, clock: Callable[[], float], over: Callable[[], None]) -> None:
        self._owner = owner
        self._clock = clock
        self._over = over
        self._pressed = float("-inf")
        self._ticking: Timer | None = None

    @property
    def armed(self) -> bool:
        """Whether a press now would be the second one."""
        return self._clock() - self._pressed < WITHIN

    def arm(self) -> None:
        """Register the first press."""
        self._pressed = self._clock()
        if self._ticking is None:
            self._ticking = self._owner.set_interval(_TICK, self.tick)

    def tick(self) -> None:
        """Check whether the time has elapsed."""
        if not self.armed and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
            self._over()
