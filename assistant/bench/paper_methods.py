"""PersonalAlign's own rules, beside which ours are measured.

What it compares with (A.1): recent records, and those of the nearest embeddings. Its routines (5.3): the
proactive confidence Φ above a boundary, at exactly the most frequent hour and scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from assistant.memory.prototypes.model import (
    STABLE,
    Confidence,
    Prototype,
    RecordKind,
    confidence,
    most_frequent_state,
)
from assistant.memory.prototypes.similarity import RecordFeatures

BOUNDARY = 0.6
"""Φ above which a prototype is a routine (PersonalAlign A.2)."""


@dataclass(frozen=True, slots=True)
class Routine:
    """A prototype that is regular enough to be suggested, with its most frequent state (T_c, S_c).

    `hour` is the full hour of local time, 0..23.
    """

    prototype: Prototype
    confidence: Confidence
    hour: int
    scenario: str

    @property
    def evidence(self) -> tuple[str, ...]:
        """The ids of the records behind it, newest first."""
        return self.prototype.evidence


def routines(prototypes: Iterable[Prototype], boundary: float = BOUNDARY) -> list[Routine]:
    """The prototypes with Φ above the boundary, highest Φ first, without archived and hidden ones."""
    preferences = []
    for prototype in prototypes:
        if prototype.archived or prototype.hidden or not prototype.members:
            continue
        sure = confidence(prototype.members)
        if sure.phi > boundary:
            preferences.append(Routine(prototype, sure, *most_frequent_state(prototype.members)))
    return sorted(preferences, key=lambda routine: routine.confidence.phi, reverse=True)


def at_state(candidates: Iterable[Routine], now: datetime, scenario: str) -> list[Routine]:
    """The routines whose most frequent hour and scenario are the current ones (PersonalAlign 5.3)."""
    return [
        routine
        for routine in candidates
        if routine.hour == now.hour and routine.scenario in (scenario, "unknown")
    ]


def kind_by_confidence(prototype: Prototype, boundary: float = BOUNDARY) -> RecordKind:
    """The kind of a prototype's records by the paper's rule: routines have Φ above the boundary."""
    if len(prototype.members) < STABLE:
        return RecordKind.MOMENT
    return RecordKind.ROUTINE if confidence(prototype.members).phi > boundary else RecordKind.PREFERENCE


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
