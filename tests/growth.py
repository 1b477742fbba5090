"""How the time that some work takes grows with its size, whatever the machine and its other work."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TypeVar

T = TypeVar("T")

_TRIES = 3
_LEAST = 0.002
"""Seconds of processor time; less is not told from nothing."""


def growth(work: Callable[[T], object], small: T, large: T) -> float:
    """How many times as long the larger takes. Four times the size: about 4, or 16 for a quadratic step."""
    work(small)
    return max(_LEAST, _seconds(work, large)) / max(_LEAST, _seconds(work, small))


def _seconds(work: Callable[[T], object], size: T) -> float:
    """The least processor time of some tries."""
    tries = []
    for _ in range(_TRIES):
        before = process_time()
        work(size)
        tries.append(process_time() - before)
    return min(tries)
