"""Whether somebody types: words that were begun and not sent hold suggestions back for a while."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

_GIVEN_UP = timedelta(minutes=2)
"""Half a sentence that nobody went on with for so long is no typing any more."""


class Typing:
    """Follows what stands in the input field."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._since: datetime | None = None

    def note(self, unsent: bool) -> None:
        """The field has changed; `unsent` when there is something in it."""
        self._since = self._now() if unsent else None

    @property
    def active(self) -> bool:
        """Whether somebody types."""
        return self._since is not None and self._now() - self._since < _GIVEN_UP
