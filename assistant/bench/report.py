"""How every benchmark tells its results: a sentence on what is simulated, tables, or one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assistant.simulator.world import SIMULATED


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of plain text. Columns named in `numbers` are aligned to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark found.

    Attributes:
        good: false when something is not as it should be.
        simulated: what of it was simulated; empty for nothing.
    """

    values: Mapping[str, Any]
    grids: Sequence[Grid]
    lines: Sequence[str]
    good: bool
    simulated: str = SIMULATED

    def as_json(self) -> str:
        """One JSON object that says what is simulated and whether all is well."""
        return json.dumps({"simulated": self.simulated, "good": self.good, **self.values}, ensure_ascii=False)

    def print(self, console: Console) -> None:
        """Tables and sentences for a person. Nothing in them is markup."""
        if self.simulated:
            console.print(Text(self.simulated))
        for grid in self.grids:
            table = Table(title=Text(grid.title), title_justify="left", box=None, pad_edge=False)
            for place, column in enumerate(grid.columns):
                right = column in grid.numbers
                whole = right or place == 0
                table.add_column(Text(column), justify="right" if right else "left", no_wrap=whole)
            for row in grid.rows:
                table.add_row(*map(Text, row))
            console.print()
            console.print(table)
        console.print()
        for line in self.lines:
            console.print(Text(line))
