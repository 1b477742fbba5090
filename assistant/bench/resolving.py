"""What becomes of commands through `resolve`, the path of users: as said, asked, filled right or wrong.

The baseline has the nearest record by the embedder alone. It is as cautious as ours: it fills as many
commands as ours, those whose record is nearest, and asks about none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    """What becomes of a command that needs the memory."""

    RIGHT = "right"
    WRONG = "wrong"
    ASKED = "asked"
    AS_SAID = "as_said"


@dataclass(frozen=True, slots=True)
class Nearest:
    """The record nearest to a command: the cosine, and whether it is what is meant."""

    likeness: float
    is_right: bool


def shares(fates: Iterable[Fate]) -> dict[str, float]:
    """The share of each fate; what is not taken as said is recognised."""
    counts = Counter(fates)
    total = max(counts.total(), 1)
    figures = {fate.value: counts[fate] / total for fate in Fate}
    return {"commands": counts.total(), "recognised": 1 - figures[Fate.AS_SAID], **figures}


def fill_nearest(nearest: Sequence[Nearest], filled: int) -> list[Fate]:
    """The fates of commands if the nearest record fills the `filled` commands to which it is nearest."""
    by_likeness = sorted(nearest, key=lambda record: -record.likeness)
    return [
        (Fate.RIGHT if record.is_right else Fate.WRONG) if place < filled else Fate.AS_SAID
        for place, record in enumerate(by_likeness)
    ]
