"""`assistant usage`: tokens, time and money by day and model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from assistant.commands.options import ConfigOption, JsonOption, StoreOption, settings_of
from assistant.i18n import _
from assistant.memory.request_log import DaySpending, costs
from assistant.memory.store import open_store
from assistant.records import in_words


def usage_command(
    days: Annotated[int, typer.Option(min=1, help="How many days, today included.")] = 30,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """What the model was used for: tokens, waiting time and money by day and model."""
    settings = settings_of(store, config=config)
    memory = open_store(settings)
    since = _today() - timedelta(days=days - 1)
    spending = memory.ledger.days(settings.user_id, since)
    memory.close()
    if as_json:
        typer.echo(json.dumps(_as_json(spending), ensure_ascii=False))
    elif not spending:
        typer.echo(_("Nothing was used since {day}.").format(day=since.isoformat()))
    else:
        Console(markup=False, highlight=False, emoji=False).print(_table(spending))
        if any(day.cost is None for day in spending):
            typer.echo(_unpriced(spending), err=True)


def _today() -> date:
    return datetime.now().astimezone().date()


def _table(spending: Sequence[DaySpending]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column(_("day"))
    table.add_column(_("model"), overflow="fold")
    figures = (_("turns"), _("steps"), _("in"), _("out"), _("first token"), _("waited"), _("cost"))
    for name in figures:
        table.add_column(name, justify="right")
    for day in spending:
        first = day.seconds_to_first_token
        table.add_row(
            day.day.isoformat(),
            day.model,
            str(day.turns),
            str(day.steps),
            f"{day.usage.prompt_tokens:,}",
            f"{day.usage.completion_tokens:,}",
            _("{seconds:.1f} s").format(seconds=first) if first is not None else "-",
            _("{seconds:.0f} s").format(seconds=day.seconds),
            in_words(day.cost) if day.cost else "-",
        )
    sums = " + ".join(in_words(cost) for cost in costs(spending)) or "-"
    table.add_row(
        _("all"),
        "",
        str(sum(day.turns for day in spending)),
        str(sum(day.steps for day in spending)),
        f"{sum(day.usage.prompt_tokens for day in spending):,}",
        f"{sum(day.usage.completion_tokens for day in spending):,}",
        "",
        _("{seconds:.0f} s").format(seconds=sum(day.seconds for day in spending)),
        sums,
    )
    return table


def _as_json(spending: Sequence[DaySpending]) -> dict[str, Any]:
    return {
        "days": [
            {
                "day": day.day.isoformat(),
                "model": day.model,
                "turns": day.turns,
                "steps": day.steps,
                **day.usage.model_dump(),
                "seconds": round(day.seconds, 3),
                "seconds_to_first_token": (
                    None if day.seconds_to_first_token is None else round(day.seconds_to_first_token, 3)
                ),
                "cost": day.cost.model_dump() if day.cost else None,
            }
            for day in spending
        ],
        "tokens": sum(day.usage.total_tokens for day in spending),
        "costs": [cost.model_dump() for cost in costs(spending)],
    }


def _unpriced(spending: Sequence[DaySpending]) -> str:
    names = sorted({day.model for day in spending if day.cost is None})
    return _(
        'No price is set for {models}. Set prices."MODEL".input and .output in the settings file.'
    ).format(models=", ".join(names))
