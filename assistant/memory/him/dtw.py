"""Dynamic time warping over two trajectories (PersonalAlign 5.2, Eq. 6)."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.memory.him.actions import Step, distance


def path_similarity(left: Sequence[Step], right: Sequence[Step]) -> float:
    """1 − DTW / |path|, 0..1; 0 when one trajectory is empty."""
    if not left or not right:
        return 0.0
    cost, length = warp([distances(step, right) for step in left])
    return max(0.0, 1.0 - cost / length)


def distances(step: Step, others: Sequence[Step]) -> list[float]:
    """The distances of a step from some others, each 0..1."""
    kind = step[0]
    # Most pairs are of different types: this saves a call for each.
    return [1.0 if other[0] != kind else distance(step, other) for other in others]


def warp(costs: Sequence[Sequence[float]]) -> tuple[float, int]:
    """The least cost of aligning two sequences, and how many pairs that alignment has.

    Args:
        costs: the distance of each item of one (rows) from each of the other (columns); not empty.
    """
    table: list[list[float]] = []
    above: list[float] = []
    for row in costs:
        total = row[0] + (above[0] if above else 0.0)
        line = [total]
        if not above:
            for cost in row[1:]:
                total += cost
                line.append(total)
        else:
            diagonal = above[0]
            for up, cost in zip(above[1:], row[1:], strict=True):
                best = diagonal if diagonal <= up else up
                total = cost + (best if best <= total else total)
                line.append(total)
                diagonal = up
        table.append(line)
        above = line
    return above[-1], _length(table)


def _length(table: Sequence[Sequence[float]]) -> int:
    """The number of pairs of the best alignment, walked back from its end; diagonal steps come first."""
    row, column = len(table) - 1, len(table[0]) - 1
    length = 1
    while row and column:
        diagonal, up, back = table[row - 1][column - 1], table[row - 1][column], table[row][column - 1]
        if diagonal <= up and diagonal <= back:
            row, column = row - 1, column - 1
        elif up <= back:
            row -= 1
        else:
            column -= 1
        length += 1
    return length + row + column
