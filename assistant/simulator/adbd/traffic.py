"""What hosts have sent: proof that nothing more was sent after a certain moment."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A service that a host asked for, such as `shell,v2:input tap 1 2`, at a `time.monotonic()` moment."""

    time: float
    service: str


class Traffic:
    """A bounded log of requests. Times are `time.monotonic()`, which all processes of a computer share.

    `last_byte` is when anything at all arrived, acknowledgements included; `last_request` when a service was
    asked for or data was sent to one.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._opened: deque[Opened] = deque(maxlen=KEPT)
        self.bytes = 0
        self.last_byte = 0.0
        self.last_request = 0.0

    def received(self, size: int, *, request: bool) -> None:
        """Count bytes that arrived."""
        self.bytes += size
        self.last_byte = self._now()
        if request:
            self.last_request = self.last_byte

    def opened(self, service: str) -> None:
        """Log a request for a service, which the bytes counted last asked for."""
        self._opened.append(Opened(self.last_byte, service))

    def since(self, moment: float = 0.0) -> list[Opened]:
        """Requests after a moment, oldest first."""
        return [connection for connection in self._opened if connection.time > moment]
