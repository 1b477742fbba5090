"""What the paper compares with: recent records, and those of the nearest embeddings (PersonalAlign A.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.memory.him.reading import Reading


def recent(history: Sequence[Reading], top: int) -> list[Reading]:
    """The newest records, newest first, each instruction once."""
    return _once(sorted(history, key=lambda reading: reading.time, reverse=True), top)


def nearest(history: Sequence[Reading], vector: NDArray[np.float32], top: int) -> list[Reading]:
    """The records nearest to the vector of a command, nearest first, each instruction once."""
    if not history:
        return []
    cosines = np.stack([reading.vector for reading in history]) @ vector
    newest = sorted(range(len(history)), key=lambda place: history[place].time, reverse=True)
    order = sorted(newest, key=lambda place: -float(cosines[place]))
    return _once([history[place] for place in order], top)


def _once(readings: Sequence[Reading], top: int) -> list[Reading]:
    found: dict[str, Reading] = {}
    for reading in readings:
        found.setdefault(reading.text, reading)
        if len(found) == top:
            break
    return list(found.values())[:top]
