"""How the time that some work takes grows with its size, whatever the machine and its other work."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TypeVar

T = TypeVar("T")

_TRIES = 3
_LONG = 0.1
"""Seconds of processor time that one try of the smaller measures well enough."""
_LEAST = 0.002
"""Seconds of processor time; less is not told from nothing."""
_CLEAR = 6.0
"""Growth that is told after one try of the larger: it is not quadratic, and more tries only lower it."""


def growth(work: Callable[[T], object], small: T, large: T) -> float:
    """How many times as long the larger takes. Four times the size: about 4, or 16 for a quadratic step."""
    work(small)
    tries = [_seconds(work, small)]
    while len(tries) < _TRIES and tries[0] < _LONG:
        tries.append(_seconds(work, small))
    least = max(_LEAST, min(tries))
    ratios: list[float] = []
    while len(ratios) < _TRIES and min(ratios, default=_CLEAR) >= _CLEAR:
        ratios.append(max(_LEAST, _seconds(work, large)) / least)
    return min(ratios)


def _seconds(work: Callable[[T], object], size: T) -> float:
    """The processor time of one try."""
    before = process_time()
    work(size)
    return process_time() - before
