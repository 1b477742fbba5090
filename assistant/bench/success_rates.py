"""Type accuracy, step-wise and cumulative success of a trajectory (PersonalAlign 6.1, A.2).

The paper shows a model the golden screens, so that both trajectories have the same length. A trajectory of a
whole turn has its own: the two are aligned at the least cost first, and each golden step is compared with
the step that stands beside it. Steps that are not needed cost nothing here, missing ones count as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from statistics import fmean

from assistant.memory.him.actions import Step, distance, path_of
from assistant.records import Action

_GAP = 0.75


@dataclass(frozen=True, slots=True)
class SuccessRates:
    """Shares of golden steps, 0..1.

    Attributes:
        type: those of the right type (Type).
        step: those that are the same by the step success rule (SSR).
        cumulative: the same with weights that fall exponentially along the trajectory, so that early errors
            count more (CSR).
    """

    type: float
    step: float
    cumulative: float

    def as_json(self) -> dict[str, float]:
        """Plain values, rounded."""
        return {
            "type": round(self.type, 4),
            "ssr": round(self.step, 4),
            "csr": round(self.cumulative, 4),
        }


NOTHING = SuccessRates(0.0, 0.0, 0.0)
"""The rates of a trajectory without a right step: the baseline of doing nothing."""


def success_rates(golden: Sequence[Action], done: Sequence[Action]) -> SuccessRates:
    """How far a trajectory follows the golden one. Waiting and finishing are no steps.

    Raises:
        ValueError: the golden trajectory has no step.
    """
    wanted, made = path_of(golden), path_of(done)
    if not wanted:
        raise ValueError("A golden trajectory needs at least one step.")
    beside = aligned(wanted, made)
    types = [
        found is not None and found.type == want.type for want, found in zip(wanted, beside, strict=True)
    ]
    steps = [
        found is not None and distance(want, found) == 0.0 for want, found in zip(wanted, beside, strict=True)
    ]
    weights = [exp(-place / len(wanted)) for place in range(len(wanted))]
    kept = sum(weight for weight, right in zip(weights, steps, strict=True) if right)
    return SuccessRates(fmean(types), fmean(steps), kept / sum(weights))


def mean_rates(rates: Iterable[SuccessRates]) -> SuccessRates:
    """The means over trajectories; zeros where there are none."""
    known = list(rates)
    if not known:
        return NOTHING
    return SuccessRates(
        fmean(one.type for one in known),
        fmean(one.step for one in known),
        fmean(one.cumulative for one in known),
    )


def aligned(golden: Sequence[Step], done: Sequence[Step]) -> list[Step | None]:
    """For each golden step the step beside it, None where there is none; both orders are kept."""
    table = [[_GAP * column for column in range(len(done) + 1)]]
    for row, want in enumerate(golden, start=1):
        line = [_GAP * row]
        for column, made in enumerate(done, start=1):
            beside = table[row - 1][column - 1] + distance(want, made)
            line.append(min(beside, table[row - 1][column] + _GAP, line[-1] + _GAP))
        table.append(line)
    found: list[Step | None] = [None] * len(golden)
    row, column = len(golden), len(done)
    while row and column:
        here = table[row][column]
        if here == table[row - 1][column - 1] + distance(golden[row - 1], done[column - 1]):
            row, column = row - 1, column - 1
            found[row] = done[column]
        elif here == table[row - 1][column] + _GAP:
            row -= 1
        else:
            column -= 1
    return found
