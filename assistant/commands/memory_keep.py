"""`assistant memory keep`: how long screenshots and what was sent are kept."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from assistant.commands.memory_items import viewed
from assistant.commands.options import ConfigOption, JsonOption, StoreOption, settings_of
from assistant.i18n import _
from assistant.memory_view.retention import LIMITS, MOST
from assistant.settings.load import save
from assistant.settings.schema import MemorySettings
from assistant.settings.table import setting
from assistant.text_layout import padded

_WIDTH = 28


def memory_keep(
    screenshots: Annotated[
        int | None,
        typer.Option(
            "--screenshots",
            metavar="DAYS",
            min=0,
            max=MOST,
            help="How long screenshots stay; 0 for no limit.",
        ),
    ] = None,
    megabytes: Annotated[
        int | None,
        typer.Option(
            "--megabytes",
            metavar="NUMBER",
            min=0,
            max=MOST,
            help="Room for screenshots, the oldest go first; 0 for no limit.",
        ),
    ] = None,
    sent: Annotated[
        int | None,
        typer.Option(
            "--sent", metavar="DAYS", min=0, max=MOST, help="How long what was sent stays; 0 for no limit."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without a question what does not stay.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """How long screenshots and what was sent are kept; with a limit, set it and delete what is beyond it."""
    before = settings_of(store, "", config).memory
    typed = {"screenshot_days": screenshots, "screenshot_megabytes": megabytes, "sent_days": sent}
    changes = {name: number for name, number in typed.items() if number is not None}
    wanted = before.model_copy(update=changes)
    told = []
    with viewed(store, config) as view:
        keeping = view.care.keeping
        if changes:
            if not yes:
                _confirm(keeping.goes_with(wanted))
            file = save({"memory": changes}, config)
            told.append(_("Kept in {file}.").format(file=file))
            wanted = settings_of(store, "", config).memory
            if outvoted := [name for name in changes if getattr(wanted, name) != changes[name]]:
                listed = ", ".join(setting(f"memory.{name}").variable for name in outvoted)
                unset = _(" The environment still says otherwise: unset {listed}.")
                told.append(unset.format(listed=listed).strip())
            told.append(keeping.sweep(wanted))
        told.append(keeping.there())
    _tell(wanted, told, as_json)


def _confirm(deleted: str) -> None:
    """Have it agreed to that something goes for good."""
    if not deleted:
        return
    if not sys.stdin.isatty():
        raise typer.TyperException(_("{deleted} Add --yes to do it all the same.").format(deleted=deleted))
    typer.confirm(_("{deleted} Do it?").format(deleted=deleted), abort=True, err=True)


def _tell(limits: MemorySettings, told: list[str], as_json: bool) -> None:
    if as_json:
        numbers = {name: getattr(limits, name) for name in LIMITS.values()}
        typer.echo(json.dumps({**numbers, "told": told}, ensure_ascii=False))
        return
    for label, name in LIMITS.items():
        number = getattr(limits, name)
        typer.echo(f"{padded(_(label), _WIDTH)} {number or _('no limit'):>8}")
    typer.echo("\n".join(told))
