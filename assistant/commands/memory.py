"""`assistant memory`: the local memory from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.commands.options import ConfigOption, JsonOption, StoreOption, settings_of
from assistant.memory.store import Store

memory_app = typer.Typer(help="The local memory.", no_args_is_help=True)


@memory_app.command("list")
def memory_list(
    newest: Annotated[int, typer.Option(help="How many of the latest records.")] = 20,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """The latest records, oldest first."""
    memory = Store(settings_of(store, "", config).store)
    for record in memory.records.of(newest=newest):
        if as_json:
            typer.echo(record.model_dump_json(exclude_none=True))
        else:
            when = record.time.astimezone().strftime("%Y-%m-%d %H:%M")
            typer.echo(f"{when}  {record.outcome or '?':9}  {record.app or '-':12}  {record.instruction}")


@memory_app.command("export")
def memory_export(
    as_json: JsonOption = True,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """All records in the exchange format, one JSON object a line."""
    for record in Store(settings_of(store, "", config).store).records.of():
        typer.echo(record.model_dump_json(exclude_none=True))
