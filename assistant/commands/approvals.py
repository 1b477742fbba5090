"""`assistant approvals …`: what needs no asking any more, and taking it back."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from assistant.cli.help import Commands
from assistant.commands.options import ConfigOption, JsonOption, StoreOption, settings_of
from assistant.commands.words import name_of
from assistant.events import ActionKind
from assistant.i18n import _
from assistant.memory.store import open_store
from assistant.model.types import one_line
from assistant.text_layout import padded

approvals_app = Commands(
    help="Kinds of sensitive action that are always allowed in an app.", no_args_is_help=True
)


@approvals_app.command("list")
def approvals_list(
    as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """What you allow always, app by app."""
    settings = settings_of(store, config=config)
    memory = open_store(settings)
    standing = memory.approvals.of(settings.user_id)
    memory.close()
    if as_json:
        lines = [
            {"package": one.package, "app": one.app, "kind": one.kind, "since": one.time.isoformat()}
            for one in standing
        ]
        typer.echo(json.dumps(lines, ensure_ascii=False))
        return
    for one in standing:
        typer.echo(
            _("{kind}  {app}  {package}  since {time:%Y-%m-%d}").format(
                kind=padded(name_of(one.kind), 10),
                app=padded(one_line(one.app), 16),
                package=padded(one_line(one.package), 32),
                time=one.time,
            )
        )
    if not standing:
        typer.echo(_("Nothing is always allowed. Every sensitive action is asked for."))


@approvals_app.command("revoke")
def approvals_revoke(
    package: Annotated[str, typer.Argument(metavar="[PACKAGE]", help="The app; all apps if left out.")] = "",
    kind: Annotated[ActionKind | None, typer.Option(help="Only this kind of action.")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Ask again from now on."""
    settings = settings_of(store, config=config)
    memory = open_store(settings)
    ended = memory.approvals.revoke(settings.user_id, package or None, kind)
    memory.close()
    typer.echo(
        _("{ended} taken back.").format(ended=ended) if ended else _("There was nothing to take back.")
    )
