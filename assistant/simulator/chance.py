"""Numbers that look random and are the same each time they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def share(*about: object) -> float:
    """A number in 0..1 that belongs to what it is about."""
    digest = blake2b(repr(about).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def whole(low: int, high: int, *about: object) -> int:
    """A whole number in low..high, the end excluded."""
    return low + int(share(*about) * (high - low))


def pick(items: Sequence[Item], *about: object) -> Item:
    """One of several items."""
    return items[whole(0, len(items), *about)]


class Chance(Random):
    """A generator that is always made from a seed: the same one gives the same numbers. Not for secrets."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
