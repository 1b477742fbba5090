"""Time of day and scenario of records: how stable they are, and how near another state is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from datetime import datetime
from math import cos, exp, log2, pi

HOURS = 24
SCENARIOS = 13
"""The scenarios of FingerTip A.4, unknown among them."""
UNKNOWN = "unknown"
_SHARPNESS = 12.0
"""Of the bell around an hour: about one hour wide."""


def hour_of(time: datetime) -> float:
    """The local time of day in hours, 0 up to 24."""
    return time.hour + time.minute / 60 + time.second / 3600


def entropy(values: Iterable[Hashable], among: int) -> float:
    """The entropy of some values over that of `among` equally frequent ones, 0..1 (PersonalAlign 4.1)."""
    counts = Counter(values)
    total = sum(counts.values())
    if total == 0 or among < 2:
        return 0.0
    bits = -sum(count / total * log2(count / total) for count in counts.values())
    return min(1.0, bits / log2(among))


def hour_density(hours: Sequence[float], hour: float, weights: Sequence[float] | None = None) -> float:
    """How much denser some times of day lie around an hour than if they were spread evenly; 1 is evenly.

    A kernel on the circle (von Mises), mixed with one even value so that a few hours do not claim everything.
    """
    given = weights if weights is not None else [1.0] * len(hours)
    total = sum(given)
    bell = sum(
        weight * exp(_SHARPNESS * (cos((one - hour) * 2 * pi / HOURS) - 1.0))
        for one, weight in zip(hours, given, strict=True)
    )
    return (bell / _EVEN + 1.0) / (total + 1.0)


def shortest_span(hours: Sequence[float], wanted: int) -> tuple[float, float]:
    """The shortest stretch of the day that holds so many of some times of day, across midnight too.

    Returns:
        Its start, 0 up to 24, and its length, both in hours.
    """
    around = sorted(hours)
    circle = [*around, *(hour + HOURS for hour in around)]
    length, start = min((circle[at + wanted - 1] - circle[at], circle[at]) for at in range(len(around)))
    return start, length


def clock(hour: float) -> str:
    """A time of day in hours as `HH:MM`."""
    minutes = round(hour * 60) % (HOURS * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def share(values: Iterable[str], value: str) -> float:
    """The share of a value among some known ones, drawn towards an even share; `unknown` is not compared."""
    known = [one for one in values if one != UNKNOWN]
    if value == UNKNOWN or not known:
        return 1.0 / SCENARIOS
    return (known.count(value) + 1.0 / SCENARIOS) / (len(known) + 1.0)


def most_frequent(values: Iterable[str]) -> tuple[str, int]:
    """The most frequent value and how often it is there; the first of equal ones, nothing for no value."""
    counted = Counter(values).most_common(1)
    return counted[0] if counted else ("", 0)


_EVEN = sum(exp(_SHARPNESS * (cos(step * 2 * pi / 360) - 1.0)) for step in range(360)) / 360
