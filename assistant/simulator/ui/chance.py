"""Numbers for what only has to look random."""

from __future__ import annotations

from random import Random


class Chance(Random):
    """A generator that is always made from a seed: the same one gives the same numbers. Not for secrets."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
