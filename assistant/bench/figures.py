"""Small statistics over measured times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Spread:
    """How a quantity is spread over `count` measurements, in milliseconds; zeros when there are none."""

    count: int = 0
    median: float = 0.0
    p95: float = 0.0
    largest: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Plain values, rounded to a tenth of a millisecond."""
        return {
            "count": self.count,
            "median_ms": round(self.median, 1),
            "p95_ms": round(self.p95, 1),
            "max_ms": round(self.largest, 1),
        }


def spread(seconds: Iterable[float]) -> Spread:
    """The spread of times given in seconds."""
    ordered = sorted(1000 * one for one in seconds)
    if not ordered:
        return Spread()
    return Spread(len(ordered), percentile(ordered, 0.5), percentile(ordered, 0.95), ordered[-1])


def percentile(ordered: list[float], fraction: float) -> float:
    """The value that a fraction in 0..1 of sorted values lies at or below, between two where it falls so.

    Raises:
        ValueError: there are no values.
    """
    if not ordered:
        raise ValueError("a percentile needs at least one value")
    place = fraction * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def ratio(ours: float, baseline: float) -> float | None:
    """Ours as a multiple of the baseline; None where the baseline is zero."""
    return ours / baseline if baseline else None
