"""Bars of several shades for a terminal: one row for each group, its parts side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

SHADES = "█▓▒░"


def stacked(rows: Mapping[str, Sequence[float]], names: Sequence[str], width: int = 40) -> list[str]:
    """A legend and a line for each row; a full bar is the largest sum.

    Args:
        rows: the parts of each row by its label, none of them negative.
        names: what the parts are, at most as many as there are shades.
        width: how many characters the longest bar has.

    Raises:
        ValueError: more parts than shades, or a row with more or fewer parts than names.
    """
    if len(names) > len(SHADES) or any(len(parts) != len(names) for parts in rows.values()):
        raise ValueError(f"bars have {len(SHADES)} parts at most, and each row as many as there are names")
    most = max((sum(parts) for parts in rows.values()), default=0)
    label_width = max(map(len, rows), default=0)
    lines = ["  ".join(f"{shade} {name}" for shade, name in zip(SHADES, names, strict=False))]
    for label, parts in rows.items():
        edges = [round(width * edge / most) if most else 0 for edge in accumulate(parts, initial=0)]
        bar = "".join(
            shade * (end - start) for shade, (start, end) in zip(SHADES, pairwise(edges), strict=False)
        )
        figures = "  ".join(f"{part:.3g}" for part in parts)
        lines.append(f"{label:>{label_width}}  {bar:<{width}}  {figures}")
    return lines
