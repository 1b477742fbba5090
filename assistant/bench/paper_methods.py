"""How regular a record is in a user's history: Q_score and its three modes (PersonalAlign 4.1).

What the paper compares with: recent records, and those of the nearest embeddings (PersonalAlign A.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from assistant.memory.prototypes.model import HOURS, SCENARIO_COUNT, entropy
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


NEAREST = 10
"""k of the most similar records (PersonalAlign A.2)."""
WEIGHTS = (1.0, 0.1, 0.1)
"""What S_cos and the two entropies count (PersonalAlign A.2)."""


@dataclass(frozen=True, slots=True)
class Quality:
    """S_cos, ΔH_t and ΔH_s of a record, each 0..1 (PersonalAlign Eq. 2, 3)."""

    cosine: float
    time_entropy: float
    scenario_entropy: float

    def score(self, weights: tuple[float, float, float] = WEIGHTS, *, as_printed: bool = False) -> float:
        """Q_score, normalised to 0..1 by the sum of the weights.

        Eq. 4 adds the entropies, though the text says that lower ones are the more stable. Here one minus the
        entropy is added; `as_printed` adds the entropy itself.
        """
        time, scenario = self.time_entropy, self.scenario_entropy
        if not as_printed:
            time, scenario = 1.0 - time, 1.0 - scenario
        total = self.cosine * weights[0] + time * weights[1] + scenario * weights[2]
        return total / sum(weights)


@dataclass(frozen=True, slots=True)
class DistributionMode:
    """One bell of a mixture: its share of all values, its middle and its width (standard deviation)."""

    share: float
    mean: float
    width: float


def quality(
    vector: NDArray[np.float32],
    time: datetime,
    scenario: str,
    history: NDArray[np.float32],
    states: Sequence[tuple[datetime, str]],
    nearest: int = NEAREST,
) -> Quality:
    """The quality of a record against a user's history.

    Args:
        vector: the unit vector of its instruction.
        time: its time.
        scenario: its scenario.
        history: unit rows of the records before it.
        states: time and scenario of each row.
        nearest: how many of the most similar records count.

    Raises:
        ValueError: rows and states do not match.
    """
    if len(history) != len(states):
        raise ValueError(f"{len(history)} rows want as many states, not {len(states)}.")
    if not states:
        return Quality(0.0, 1.0, 1.0)
    cosines = history @ vector
    best = np.argsort(-cosines, kind="stable")[:nearest]
    chosen = [states[place] for place in best]
    hours = [(when.hour - time.hour) % HOURS for when, _ in chosen]
    offsets = [other == scenario or other for _, other in chosen]
    return Quality(
        cosine=float(np.clip(cosines[best], 0.0, 1.0).mean()),
        time_entropy=entropy(hours, HOURS),
        scenario_entropy=entropy(offsets, SCENARIO_COUNT),
    )


def modes(values: Sequence[float], count: int = 3, rounds: int = 200) -> tuple[DistributionMode, ...]:
    """Fit bells to some values (expectation maximisation from evenly spaced quantiles), lowest mean first.

    Raises:
        ValueError: there are fewer values than bells.
    """
    data = np.asarray(values, np.float64)
    if len(data) < count:
        raise ValueError(f"{count} modes want at least as many values, not {len(data)}.")
    means = np.quantile(data, (np.arange(count) + 0.5) / count)
    least = max(1e-3, 0.02 * float(np.ptp(data)))
    widths = np.full(count, max(least, float(data.std()) / count))
    shares = np.full(count, 1.0 / count)
    for _ in range(rounds):
        belongs = _densities(data, shares, means, widths)
        belongs /= belongs.sum(axis=1, keepdims=True)
        mass = belongs.sum(axis=0) + 1e-9
        before = means
        shares, means = mass / mass.sum(), (belongs * data[:, None]).sum(axis=0) / mass
        spread = (belongs * (data[:, None] - means) ** 2).sum(axis=0) / mass
        widths = np.maximum(np.sqrt(spread), least)
        if np.abs(means - before).max() < 1e-7:
            break
    order = np.argsort(means)
    return tuple(DistributionMode(float(shares[at]), float(means[at]), float(widths[at])) for at in order)


def boundaries(fitted: Sequence[DistributionMode]) -> tuple[float, ...]:
    """Where neighbouring modes are equally likely: the values that part moment, preference and routine."""
    crossings = []
    shares, means, widths = (
        np.array([getattr(mode, name) for mode in fitted]) for name in ("share", "mean", "width")
    )
    for low in range(len(fitted) - 1):
        line = np.linspace(means[low], means[low + 1], 257)
        densities = _densities(line, shares, means, widths)
        higher = densities[:, low + 1] >= densities[:, low]
        crossings.append(float(line[int(np.argmax(higher))] if higher.any() else means[low + 1]))
    return tuple(crossings)


def _densities(
    values: NDArray[np.float64],
    shares: NDArray[np.float64],
    means: NDArray[np.float64],
    widths: NDArray[np.float64],
) -> NDArray[np.float64]:
    apart = (values[:, None] - means) / widths
    densities: NDArray[np.float64] = shares * np.exp(-0.5 * apart**2) / widths + 1e-300
    return densities
