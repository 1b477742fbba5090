"""What PersonalAlign compares with (A.1): recent records, and those of the nearest embeddings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.memory.prototypes.similarity import RecordFeatures


def recent(history: Sequence[RecordFeatures], top: int) -> list[RecordFeatures]:
    """The newest records, newest first, each instruction once."""
    return _once(sorted(history, key=lambda reading: reading.time, reverse=True), top)


def nearest(history: Sequence[RecordFeatures], vector: NDArray[np.float32], top: int) -> list[RecordFeatures]:
    """The records nearest to the vector of a command, nearest first, each instruction once."""
    if not history:
        return []
    cosines = np.stack([reading.vector for reading in history]) @ vector
    newest = sorted(range(len(history)), key=lambda place: history[place].time, reverse=True)
    order = sorted(newest, key=lambda place: -float(cosines[place]))
    return _once([history[place] for place in order], top)


def _once(readings: Sequence[RecordFeatures], top: int) -> list[RecordFeatures]:
    first_by_text: dict[str, RecordFeatures] = {}
    for reading in readings:
        first_by_text.setdefault(reading.text, reading)
        if len(first_by_text) == top:
            break
    return list(first_by_text.values())[:top]
