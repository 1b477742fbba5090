"""How every benchmark reports: one JSON object, or the same figures in tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
import typer
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from assistant.simulator import SIMULATED

SYNTHETIC = "Synthetic lives (assistant simulate life)"
"""What a report says that is about generated records instead of the simulated phone."""

_WIDTH_OF_FILES = 140
_MOST_ROWS, _MOST_COLUMNS = 50, 8
"""Of a table for people; one with more columns than this and than rows lies on its side."""

Item = TypeVar("Item")

Times = dict[str, float]
"""How long something takes: `count` measurements with `median_ms`, `p95_ms` and `max_ms`."""


def spread(seconds: Iterable[float]) -> Times:
    """Times in milliseconds, rounded to a tenth, from times in seconds; zeros when there are none."""
    milliseconds = [1000 * taken for taken in seconds]
    median, p95 = np.percentile(milliseconds or [0.0], (50, 95))
    figures = {"median_ms": median, "p95_ms": p95, "max_ms": max(milliseconds, default=0.0)}
    return {"count": len(milliseconds), **{name: round(float(value), 1) for name, value in figures.items()}}


def time_each(
    work: Callable[[Item], object], items: Iterable[Item], clock: Callable[[], float] = perf_counter
) -> tuple[float, ...]:
    """How long some work takes with each item, in seconds of the clock."""
    taken = []
    for item in items:
        began = clock()
        work(item)
        taken.append(clock() - began)
    return tuple(taken)


def ratio(ours: float, baseline: float) -> float | None:
    """Ours as a multiple of the baseline; None where the baseline is zero."""
    return ours / baseline if baseline else None


def rounded(figures: Mapping[str, Any], digits: int = 4) -> dict[str, Any]:
    """The same figures with their fractions rounded."""
    return {
        name: round(value, digits) if isinstance(value, float) else value for name, value in figures.items()
    }


def progress(line: str) -> None:
    """Tell on standard error how far a benchmark is."""
    typer.echo(line, err=True)


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark measured.

    Attributes:
        values: all figures, as the JSON object has them.
        good: false when something is not as it should be.
        simulated: what of it was simulated; empty for nothing.
    """

    values: Mapping[str, Any]
    good: bool
    simulated: str = SIMULATED

    def as_json(self) -> str:
        """One JSON object that says what is simulated and whether all is well."""
        return json.dumps({"simulated": self.simulated, "good": self.good, **self.values}, ensure_ascii=False)

    def print(self, console: Console) -> None:
        """The same for a person: tables where figures have rows, lines elsewhere. Nothing in it is markup."""
        for name, value in {"simulated": self.simulated, "good": self.good, **self.values}.items():
            _print_value(console, name, value)

    def finish(self, as_json: bool) -> None:
        """Print the report and end with 1 when something is not as it should be.

        Raises:
            typer.Exit: always.
        """
        if as_json:
            typer.echo(self.as_json())
        else:
            width = None if sys.stdout.isatty() else _WIDTH_OF_FILES
            self.print(Console(markup=False, highlight=False, emoji=False, color_system=None, width=width))
        raise typer.Exit(0 if self.good else 1)


def _print_value(console: Console, name: str, value: Any) -> None:
    """Print a table for rows of figures, else a line for each value; empty ones are left out."""
    title = name.replace("_", " ")
    match value:
        case Mapping() if value and all(
            isinstance(row, Mapping) and "what" not in row for row in value.values()
        ):
            _print_table(console, title, [{"": row_name, **row} for row_name, row in value.items()])
        case Mapping() if "median_ms" not in value:
            for key, part in value.items():
                _print_value(console, f"{name} {key}", part)
        case [Mapping(), *_]:
            _print_table(console, title, value)
        case [] | "" | None:
            pass
        case _:
            console.print(Text(f"{title}: {_format_cell(value)}"))


def _print_table(console: Console, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows of figures, the first column naming them; on its side where figures outnumber the rows."""
    shown = [_flatten(row) for row in rows[:_MOST_ROWS]]
    columns = list(dict.fromkeys(name for row in shown for name in row))
    cells = [columns, *([row.get(name, "") for name in columns] for row in shown)]
    if len(columns) > max(len(rows), _MOST_COLUMNS):
        cells = [list(line) for line in zip(*cells, strict=True)]
    table = RichTable(title=Text(title), title_justify="left", box=None, pad_edge=False)
    for column in cells[0]:
        table.add_column(Text(column))
    for line in cells[1:]:
        table.add_row(*map(Text, line))
    console.print(table)
    if len(rows) > _MOST_ROWS:
        console.print(Text(f"{len(rows) - _MOST_ROWS} more rows with --json"))


def _flatten(row: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """The cells of a row by column; nested figures get a column each, and nested tables are left to JSON."""
    cells: dict[str, str] = {}
    for name, value in row.items():
        match value:
            case Mapping() if "median_ms" not in value:
                cells |= _flatten(value, f"{prefix}{name} ")
            case [Mapping(), *_]:
                pass
            case _:
                cells[f"{prefix}{name}".replace("_", " ")] = _format_cell(value)
    return cells


def _format_cell(value: object) -> str:
    match value:
        case {"count": 0, "median_ms": _} | None:
            return "–"
        case {"median_ms": median, "p95_ms": p95}:
            return f"{median:.1f}, p95 {p95:.1f}"
        case float():
            return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}".rstrip("0").rstrip(".")
        case list() | tuple():
            return ", ".join(map(_format_cell, value))
    return str(value)
