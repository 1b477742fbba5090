"""What apps have asked to be called back for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime

from assistant.simulator.android.services import Services

ROUNDS = 25
"""How often callbacks without delay may cause each other before the rest waits for the next touch."""

Callback = Callable[[], None]


class Plans:
    """Callbacks by the app that wants them. `act` runs one in an app's name, then redraws."""

    def __init__(self, services: Services, act: Callable[[str, Callback], None]) -> None:
        self.last_late_change = float("-inf")
        self._services = services
        self._act = act
        self._pending: list[Callback] = []
        self._cleared: Counter[str] = Counter()
        self._over = False

    def end(self) -> None:
        """Let nothing come any more."""
        self._over = True

    def forget(self, package: str) -> None:
        """Let nothing come that an app has asked for so far."""
        self._cleared[package] += 1

    def later(self, package: str, seconds: float, callback: Callback) -> None:
        """Call back after a delay, scaled like all delays; without delays when the present touch is over."""
        factor = self._services.delays.factor
        due = self._due(package, callback)
        if factor <= 0:
            self._pending.append(due)
            return

        def late() -> None:
            self.last_late_change = self._services.clock.uptime()
            due()

        self._services.clock.later(seconds * factor, late)

    def at(self, package: str, moment: datetime, callback: Callback) -> None:
        """Call back when the phone's clock reaches a moment."""
        clock = self._services.clock
        clock.later((moment - clock.now()).total_seconds(), self._due(package, callback))

    def settle(self) -> None:
        """Run what waits without delay."""
        for _ in range(ROUNDS):
            waiting, self._pending = self._pending, []
            for callback in waiting:
                callback()
            if not self._pending:
                break

    def _due(self, package: str, callback: Callback) -> Callback:
        cleared = self._cleared[package]

        def due() -> None:
            if not self._over and cleared == self._cleared[package]:
                self._act(package, callback)

        return due
