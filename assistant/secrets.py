"""Secrets by name: where values come from that are typed on the phone and never shown, logged or sent."""

from __future__ import annotations

from typing import Protocol


class Secrets(Protocol):
    """Looks secrets up by the name under which the user stored them."""

    def get(self, name: str) -> str | None:
        """The value, None when no secret has this name."""
        ...
