"""Q_score of records against a person's history, and the three modes of PersonalAlign's Figure 3, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp
from statistics import fmean
from typing import Any

import numpy as np

from assistant.bench.report import Grid
from assistant.memory.him.prototype import Kind
from assistant.memory.him.quality import Mode, boundaries, modes, quality
from assistant.memory.him.reading import Reading

_BINS = 25
_BAR = 60
_MARKS = {Kind.MOMENT: "m", Kind.PREFERENCE: "p", Kind.ROUTINE: "R"}


@dataclass(frozen=True, slots=True)
class Scored:
    """A record after the split: its true kind, its Q_score, and the score as Eq. 4 is printed."""

    kind: Kind
    score: float
    printed: float


def score_records(readings: Sequence[Reading], split: datetime, kinds: Mapping[str, Kind]) -> list[Scored]:
    """Q_score of each record after the split against those before it."""
    history = [one for one in readings if one.time < split]
    if not history:
        return []
    rows = np.stack([one.vector for one in history])
    states = [(one.time, one.scenario) for one in history]
    found = []
    for one in readings:
        if one.time >= split:
            value = quality(one.vector, one.time, one.scenario, rows, states)
            found.append(Scored(kinds[one.record_id], value.score(), value.score(as_printed=True)))
    return found


def quality_values(scored: Sequence[Scored]) -> dict[str, Any]:
    """Means by true kind, the fitted modes, and how well their boundaries tell the kinds."""
    fitted = modes([one.score for one in scored])
    told = _told(scored, boundaries(fitted))
    return {
        "mean": {kind: round(_mean(scored, kind), 4) for kind in Kind},
        "mean_as_printed": {
            kind: round(fmean(one.printed for one in scored if one.kind is kind), 4)
            for kind in Kind
            if any(one.kind is kind for one in scored)
        },
        "modes": [
            {"share": round(one.share, 3), "mean": round(one.mean, 3), "width": round(one.width, 3)}
            for one in fitted
        ],
        "boundaries": [round(value, 3) for value in boundaries(fitted)],
        "right": round(fmean(told), 4),
    }


def quality_grid(scored: Sequence[Scored]) -> Grid:
    """The mean score of each true kind beside the fitted mode at its place."""
    fitted = modes([one.score for one in scored])
    rows = [
        (
            kind.value,
            str(sum(one.kind is kind for one in scored)),
            f"{_mean(scored, kind):.3f}",
            f"{mode.mean:.3f} ± {mode.width:.3f}",
            f"{100 * mode.share:.0f}",
        )
        for kind, mode in zip(Kind, fitted, strict=True)
    ]
    columns = ("Q_score", "records", "mean", "fitted mode", "share %")
    return Grid("Q_score of records after the split (Eq. 4)", columns, tuple(rows), frozenset(columns[1:]))


def quality_lines(scored: Sequence[Scored]) -> list[str]:
    """Figure 3 as text: a bar for each range of scores, by true kind, with the fitted curve as a dot."""
    values = [one.score for one in scored]
    fitted = modes(values)
    low, high = min(values), max(values)
    width = (high - low) / _BINS or 1.0
    bins: list[list[Kind]] = [[] for _ in range(_BINS)]
    for one in scored:
        bins[min(_BINS - 1, int((one.score - low) / width))].append(one.kind)
    scale = _BAR / max(map(len, bins))
    parts = boundaries(fitted)
    lines = ["Q_score, m moment, p preference, R routine, · the three fitted modes, ─ their boundaries:"]
    for place, kinds in enumerate(bins):
        left = low + place * width
        bar = "".join(
            mark * round(scale * sum(kind is one for kind in kinds)) for one, mark in _MARKS.items()
        )
        curve = round(scale * len(values) * width * sum(_density(mode, left + width / 2) for mode in fitted))
        row = list(bar.ljust(_BAR + 1))
        row[min(_BAR, curve)] = "·"
        edge = "─" if any(left <= part < left + width for part in parts) else " "
        lines.append(f"{left:6.3f} {edge}{''.join(row).rstrip()}")
    right = fmean(_told(scored, parts))
    lines.append(f"The boundaries alone tell {100 * right:.1f} % of these records' kinds.")
    return lines


def _told(scored: Sequence[Scored], parts: Sequence[float]) -> list[bool]:
    order = list(Kind)
    return [order[sum(one.score >= part for part in parts)] is one.kind for one in scored]


def _mean(scored: Sequence[Scored], kind: Kind) -> float:
    return fmean([one.score for one in scored if one.kind is kind] or [0.0])


def _density(mode: Mode, at: float) -> float:
    scaled = (at - mode.mean) / mode.width
    return float(mode.share * exp(-0.5 * scaled**2) / (mode.width * 2.5066282746))
