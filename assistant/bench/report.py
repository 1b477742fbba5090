"""How every benchmark reports: tables and sentences for people, or one JSON object."""

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

from assistant.simulator.world import SIMULATED

SYNTHETIC = "Synthetic lives (assistant simulate life)"
"""What a report says that is about generated records instead of the simulated phone."""

_WIDTH_OF_FILES = 140

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
class Table:
    """Rows of figures under one title; a row is a mapping from column to figure, the first column names it.

    Times are shown as median and 95th percentile; other mappings and lists are left to the JSON object.
    """

    title: str
    rows: Sequence[Mapping[str, Any]]

    def as_text(self) -> RichTable:
        """The table; nothing in it is markup."""
        shown = [{name: _cell(value) for name, value in row.items()} for row in self.rows]
        columns = dict.fromkeys(name for row in shown for name, cell in row.items() if cell is not None)
        table = RichTable(title=Text(self.title), title_justify="left", box=None, pad_edge=False)
        for place, column in enumerate(columns):
            number = place > 0 and not any(isinstance(row.get(column), str) for row in self.rows)
            table.add_column(
                Text(column), justify="right" if number else "left", no_wrap=number or place == 0
            )
        for row in shown:
            table.add_row(*(Text(row.get(column) or "") for column in columns))
        return table


def _cell(value: object) -> str | None:
    match value:
        case {"count": 0, "median_ms": _}:
            return "–"
        case {"median_ms": median, "p95_ms": p95}:
            return f"{median:.1f}, p95 {p95:.1f}"
        case Mapping() | list() | tuple():
            return None
        case float():
            return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}".rstrip("0").rstrip(".")
        case None:
            return "–"
    return str(value)


def named(rows: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows for a table from figures by name."""
    return [{"": name, **row} for name, row in rows.items()]


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark measured.

    Attributes:
        values: all figures, for the JSON object.
        tables: what of them people are shown.
        lines: sentences below the tables.
        good: false when something is not as it should be.
        simulated: what of it was simulated; empty for nothing.
    """

    values: Mapping[str, Any]
    tables: Sequence[Table]
    lines: Sequence[str]
    good: bool
    simulated: str = SIMULATED

    def as_json(self) -> str:
        """One JSON object that says what is simulated and whether all is well."""
        return json.dumps({"simulated": self.simulated, "good": self.good, **self.values}, ensure_ascii=False)

    def print(self, console: Console) -> None:
        """Tables and sentences for a person. Nothing in them is markup."""
        console.print(Text(self.simulated))
        for table in self.tables:
            console.print(table.as_text())
            console.print()
        for line in self.lines:
            console.print(Text(line))

    def finish(self, as_json: bool) -> None:
        """Print the report and end with 1 when something is not as it should be.

        Raises:
            typer.Exit: always.
        """
        if as_json:
            typer.echo(self.as_json())
        else:
            width = None if sys.stdout.isatty() else _WIDTH_OF_FILES
            self.print(Console(markup=False, highlight=False, emoji=False, width=width))
        raise typer.Exit(0 if self.good else 1)
