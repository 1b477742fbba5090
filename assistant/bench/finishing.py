"""How a benchmark's command ends: its report on standard output, progress on standard error, an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from assistant.bench.report import Report

_WIDTH_OF_FILES = 140


def progress(line: str) -> None:
    """Tell how far it is."""
    typer.echo(line, err=True)


@contextmanager
def counted(total: int) -> Iterator[Callable[[int, str], None]]:
    """A bar on standard error with the time that is left; where nobody watches, a line each time.

    What it gives is told how many of the `total` are done, and what was done last.
    """
    console = Console(stderr=True, markup=False, highlight=False)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)

        def tell(done: int, words: str) -> None:
            bar.update(task, completed=done, description=words)
            if not console.is_terminal:
                progress(f"{done}/{total} {words}")

        yield tell


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
