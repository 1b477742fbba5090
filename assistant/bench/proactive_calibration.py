"""Whether chances are what they say: how often what was given a chance then happened, by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np

from assistant.bench.proactive_days import Day
from assistant.bench.proactive_methods import Known, recency_share
from assistant.proactive.habits import Floats
from assistant.proactive.likelihood import USUAL, Recent, chances
from assistant.records import State

_BINS = 10
_EVERY = 30
_AWAKE = range(6 * 60, 23 * 60, _EVERY)
_SOON = timedelta(minutes=90)
"""A chance is that of a habit's coming up from now on within this time."""
_LEAST = 0.02
_WIDE = 40

Chanced = Callable[[Known, State, Recent], Floats]


@dataclass(frozen=True, slots=True)
class Bin:
    """Chances in one tenth: how many, their mean, and the share of what happened. Empty bins have zeros."""

    count: int
    said: float
    happened: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A calibration curve. `error` is the expected calibration error, `brier` the mean squared error."""

    bins: tuple[Bin, ...]
    error: float
    brier: float

    def as_json(self) -> dict[str, Any]:
        """Plain values, rounded."""
        return {
            "error": round(self.error, 4),
            "brier": round(self.brier, 4),
            "bins": [
                {"count": one.count, "said": round(one.said, 4), "happened": round(one.happened, 4)}
                for one in self.bins
            ],
        }

    def lines(self) -> list[str]:
        """The curve as a plot: a bar for what happened, and a mark where it should end."""
        drawn = ["chance said   what of it happened; | marks what was said"]
        for place, one in enumerate(self.bins):
            bar = list(("█" * round(one.happened * _WIDE)).ljust(_WIDE, "·"))
            if one.count:
                bar[min(_WIDE - 1, round(one.said * _WIDE))] = "|"
            told = f"{one.happened:.2f} of {one.count}" if one.count else "none"
            drawn.append(f"  {place / _BINS:.1f} to {(place + 1) / _BINS:.1f}  {''.join(bar)} {told}")
        return drawn


def product(known: Known, state: State, recent: Recent) -> Floats:
    """The product's chances."""
    return chances(known.table, state, USUAL, known.feedback, recent).chance


def frequency(known: Known, state: State, recent: Recent) -> Floats:
    """The faded share of days of this kind on which each habit came up about now, as a chance."""
    return recency_share(known, state)


def pairs(days: Iterable[Day], chanced: Chanced) -> Iterator[tuple[float, bool]]:
    """Chances of habits at every half hour awake, and whether each then came up soon."""
    for day in days:
        for minute in _AWAKE:
            now = day.midnight + timedelta(minutes=minute)
            found = chanced(day.known, State(time=now, scenario=day.scenario(now)), day.recent(now))
            soon = {one.cluster for one in day.done if timedelta() <= one.record.time - now <= _SOON}
            for place in np.flatnonzero(found >= _LEAST):
                yield float(found[place]), day.clusters[day.known.table.ids[place]] in soon


def curve(found: Sequence[tuple[float, bool]]) -> Curve:
    """The calibration of some chances."""
    if not found:
        return Curve((Bin(0, 0.0, 0.0),) * _BINS, 0.0, 0.0)
    said = np.clip(np.array([one for one, _ in found]), 0.0, 1.0)
    came = np.array([one for _, one in found], dtype=np.float64)
    place = np.minimum(_BINS - 1, (said * _BINS).astype(np.int64))
    bins = []
    for one in range(_BINS):
        here = place == one
        count = int(here.sum())
        bins.append(Bin(count, float(said[here].mean()), float(came[here].mean())) if count else Bin(0, 0, 0))
    error = sum(one.count * abs(one.said - one.happened) for one in bins) / len(found)
    return Curve(tuple(bins), error, float(((said - came) ** 2).mean()))
