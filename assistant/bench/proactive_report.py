"""The report of `assistant bench proactive`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assistant.bench.him import SYNTHETIC
from assistant.bench.proactive_changes import Changed
from assistant.bench.proactive_lived import PROTOTYPES, Changes, Lived
from assistant.bench.proactive_scores import Scores
from assistant.bench.report import Grid, Report
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import AskedState

PAPER = {"f1": 0.797, "false_alarms": 0.49}
HEARTBEAT_MS = 5.0


@dataclass(frozen=True, slots=True)
class Marks:
    """What is aimed at (issue of the proactive room)."""

    f1: float
    false_alarms: float
    right: float


MARKS = {False: Marks(0.96, 0.05, 0.97), True: Marks(0.84, 0.08, 0.0)}
"""By whether the lives are hard."""
_STATES = {
    "least": "speaks from",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "false_alarms": "false alarms",
    "right": "right",
    "cosine": "cosine",
    "edit": "edit",
    "sim1": "Sim1",
}
_LIVED = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "a_day": "a day",
    "needless_a_day": "needless a day",
    "minutes_ahead": "minutes ahead",
    "sim1": "Sim1",
}


def report(
    options: LifeOptions, model: str, asked: Sequence[AskedState], scores: Sequence[Scores], lived: Lived
) -> Report:
    """All figures beside their baselines.

    Args:
        options: the lives.
        model: the embedding model's id.
        asked: the states.
        scores: of each way of judging states, ours first.
        lived: what came of living days again.
    """
    marks, best = MARKS[options.hard], scores[0]
    told = best.identified
    good = told.f1 >= marks.f1 and told.false_alarms <= marks.false_alarms and best.right >= marks.right
    positive = sum(one.cluster is not None for one in asked)
    title = f"{options.people} {'hard ' if options.hard else ''}lives of {options.weeks} weeks"
    return Report(
        values={
            "benchmark": "proactive",
            "model": model,
            "seed": options.seed,
            "people": options.people,
            "weeks": options.weeks,
            "hard": options.hard,
            "states": {"positive": positive, "quiet": len(asked) - positive},
            "methods": [one.as_json() for one in scores],
            "replay": [
                {**row, "a_day_without_routines": round(calm, 3)}
                for row, calm in zip(lived.replayed, lived.calm, strict=True)
            ],
            "calibration": {"ours": lived.ours.as_json(), "frequency": lived.frequency.as_json()},
            "changes": [one.as_json() for one in lived.changes],
            "marks": {**asdict(marks), "heartbeat_ms": HEARTBEAT_MS},
            "paper": PAPER,
        },
        grids=[
            _grid(
                f"{title}: states judged one by one", _STATES, [{"name": s.name, **s.values} for s in scores]
            ),
            _lived_grid(lived),
            _changes_grid(lived.changes),
        ],
        lines=[
            *lived.ours.lines(),
            f"Expected calibration error {lived.ours.error:.3f}, Brier {lived.ours.brier:.3f}; "
            f"recency-weighted frequency {lived.frequency.error:.3f} and {lived.frequency.brier:.3f}.",
            "",
            f"{positive} positive and {len(asked) - positive} quiet states, weighted to the paper's balance.",
            "Ours speaks from the threshold of the settings; the others from their best in hindsight.",
            "Days pass with the product's own rules for all: once an occasion, near its usual time, the"
            " budget and quiet hours. A suggestion is right when the person does it within the hour.",
            f"Marks: F1 {marks.f1}, false alarms {marks.false_alarms}, right {marks.right}, a look"
            f" {HEARTBEAT_MS} ms. The paper has F1 0.797 and false alarms 0.49 on its own data.",
        ],
        good=good,
        simulated=SYNTHETIC,
    )


def _lived_grid(lived: Lived) -> Grid:
    rows = [
        {**row, "name": row["method"], "calm": calm}
        for row, calm in zip(lived.replayed, lived.calm, strict=True)
    ]
    return _grid("days lived again, with answers", {**_LIVED, "calm": "a day, no routines"}, rows)


def _changes_grid(changes: Sequence[Changes]) -> Grid:
    columns = ("method", "silent", "at the new time", "silent at the old", f"ms a look, {PROTOTYPES:,}")
    rows = tuple(
        (one.name, _days(one.stopped), _days(one.moved), _days(one.left), f"{one.look:.2f}")
        for one in changes
    )
    return Grid(
        "days after a routine stops or moves: median (followed)", columns, rows, frozenset(columns[1:])
    )


def _days(changed: Changed) -> str:
    told = changed.as_json()
    return f"{told['median_days']} ({told['followed']} of {told['routines']})" if changed.days else "never"


def _grid(title: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> Grid:
    heads = ("method", *columns.values())
    cells = tuple((str(row["name"]), *(_number(row[name]) for name in columns)) for row in rows)
    return Grid(title, heads, cells, frozenset(heads[1:]))


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
