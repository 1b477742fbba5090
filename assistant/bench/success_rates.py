"""Type accuracy, step-wise and cumulative success of a trajectory (PersonalAlign 6.1, A.2).

The paper shows a model the golden screens, so that both trajectories have the same length. A trajectory of a
whole turn has its own: the two are aligned at the least cost first, and each golden step is compared with
the step that stands beside it. Steps that are not needed cost nothing here, missing ones count as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp
from statistics import fmean

from assistant.memory.prototypes.similarity import ActionStep, distance, path_of
from assistant.records import Action

Rates = dict[str, float]
"""Shares of golden steps, 0..1, by `type`, `ssr` and `csr`.

Type: of the right type. SSR: the same by the step success rule. CSR: the same with weights that fall
exponentially along the trajectory, so that early errors count more.
"""

NOTHING: Rates = {"type": 0.0, "ssr": 0.0, "csr": 0.0}
"""The rates of a trajectory without a right step: the baseline of doing nothing."""

_GAP = 0.75


def success_rates(golden: Sequence[Action], done: Sequence[Action]) -> Rates:
    """How far a trajectory follows the golden one. Waiting and finishing are no steps.

    Raises:
        ValueError: the golden trajectory has no step.
    """
    steps = path_of(golden)
    if not steps:
        raise ValueError("A golden trajectory needs at least one step.")
    pairs = list(zip(steps, aligned(steps, path_of(done)), strict=True))
    right = [made is not None and distance(step, made) == 0.0 for step, made in pairs]
    weights = [exp(-place / len(steps)) for place in range(len(steps))]
    return {
        "type": fmean(made is not None and made.type == step.type for step, made in pairs),
        "ssr": fmean(right),
        "csr": sum(weight for weight, same in zip(weights, right, strict=True) if same) / sum(weights),
    }


def mean_rates(rates: Iterable[Rates]) -> Rates:
    """The means over trajectories; zeros where there are none."""
    rows = list(rates) or [NOTHING]
    return {name: fmean(row[name] for row in rows) for name in NOTHING}


def aligned(golden: Sequence[ActionStep], done: Sequence[ActionStep]) -> list[ActionStep | None]:
    """For each golden step the step beside it, None where there is none; both orders are kept."""
    table = [[_GAP * column for column in range(len(done) + 1)]]
    for row, step in enumerate(golden, start=1):
        line = [_GAP * row]
        for column, made in enumerate(done, start=1):
            beside = table[row - 1][column - 1] + distance(step, made)
            line.append(min(beside, table[row - 1][column] + _GAP, line[-1] + _GAP))
        table.append(line)
    matches: list[ActionStep | None] = [None] * len(golden)
    row, column = len(golden), len(done)
    while row and column:
        here = table[row][column]
        if here == table[row - 1][column - 1] + distance(golden[row - 1], done[column - 1]):
            row, column = row - 1, column - 1
            matches[row] = done[column]
        elif here == table[row - 1][column] + _GAP:
            row -= 1
        else:
            column -= 1
    return matches
