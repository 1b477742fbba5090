"""`assistant simulate life`: synthetic people as files, or their records as lines."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from assistant.simulator.life.living import lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.writing import record_line, write


class Languages(StrEnum):
    """What language people speak; mixed alternates from one person to the next."""

    EN = "en"
    ZH = "zh"
    MIXED = "mixed"


def life_command(
    seed: Annotated[int, typer.Option(help="The same seed gives the same lives.")] = 0,
    weeks: Annotated[int, typer.Option(min=2, max=520, help="How long each life lasts.")] = 8,
    locale: Annotated[Languages, typer.Option(help="What language people speak.")] = Languages.MIXED,
    people: Annotated[int, typer.Option(min=1, max=1000, help="How many people live.")] = 1,
    hard: Annotated[
        bool, typer.Option("--hard", help="Looser times, missed days, a week away, places often unknown.")
    ] = False,
    routines: Annotated[
        bool, typer.Option("--routines/--no-routines", help="Whether people have routines at all.")
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            metavar="FOLDER",
            help="Write records, truth, habits, commands and states there, as JSON lines.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the records, one JSON object a line, for memory import.")
    ] = False,
) -> None:
    """People with preferences, routines and one-offs, as records with the truth beside them."""
    if out is None and not as_json:
        raise typer.BadParameter("Give --out FOLDER for files, or --json for records on standard output.")
    lived = list(lives(LifeOptions(seed, weeks, locale.value, hard, people, routines)))
    if as_json:
        for life in lived:
            for record in life.records:
                typer.echo(record_line(record))
    if out is not None:
        try:
            counts = write(lived, out)
        except OSError as error:
            typer.echo(f"{out} cannot be written: {error.strerror}. Choose another folder.", err=True)
            raise typer.Exit(1) from error
        summary = ", ".join(f"{count} {name}" for name, count in counts.items())
        typer.echo(f"{out}: {summary}", err=True)
