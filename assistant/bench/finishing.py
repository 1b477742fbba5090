"""How a benchmark's command ends: its report on standard output, progress on standard error, an exit code."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from assistant.bench.report import Report

_WIDTH_OF_FILES = 140


def progress(line: str) -> None:
    """Tell how far it is."""
    typer.echo(line, err=True)


def finish(report: Report, as_json: bool) -> None:
    """Print the report and end with 1 when something is not as it should be.

    Raises:
        typer.Exit: always.
    """
    if as_json:
        typer.echo(report.as_json())
    else:
        width = None if sys.stdout.isatty() else _WIDTH_OF_FILES
        report.print(Console(markup=False, highlight=False, emoji=False, width=width))
    raise typer.Exit(0 if report.good else 1)
