"""`assistant settings`: what can be set, what is set, and setting it."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from assistant.cli.help import Commands
from assistant.commands.options import ConfigOption, JsonOption
from assistant.commands.words import name_of
from assistant.i18n import _
from assistant.model.types import one_line
from assistant.settings.load import SettingsError, save
from assistant.settings.schema import Settings
from assistant.settings.table import (
    Setting,
    load_what_is_right,
    named,
    origin,
    parsed,
    placed,
    setting,
    shown,
    table,
    values_of,
)
from assistant.text_layout import padded, wrap

_WIDTH = 96
"""How wide descriptions may be, in cells."""

settings_app = Commands(help="The settings.", no_args_is_help=True)

PathArgument = Annotated[str, typer.Argument(metavar="NAME", help="Such as turn.max_steps.")]


@settings_app.command("list")
def settings_list(
    text: Annotated[
        str, typer.Option("--text", help="Only those whose name or description holds this.")
    ] = "",
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """All settings with their values; what cannot be used comes first."""
    settings, broken = load_what_is_right(config)
    file = values_of(config)
    rows = [
        one
        for one in (*table(), *_named(settings))
        if text.lower() in f"{one.path} {one.description} {_(one.description)}".lower()
    ]
    if as_json:
        wrong = [{"name": one.path, "value": one.value, "problem": one.reason} for one in broken]
        known = [_as_json(settings, file, one) for one in rows]
        typer.echo(json.dumps({"broken": wrong, "settings": known}, ensure_ascii=False))
        return
    for one in broken:
        typer.echo(f"✗ {one_line(one.path)} = {one_line(one.value)}: {one.reason}")
    for row in rows:
        value = padded(one_line(shown(settings, row)) or "-", 24)
        typer.echo(f"{row.path:36} {value} {name_of(origin(row, file).value)}")
        for line in wrap(_(row.description), _WIDTH):
            typer.echo(f"{'':4}{line}")


@settings_app.command("get")
def settings_get(path: PathArgument, as_json: JsonOption = False, config: ConfigOption = None) -> None:
    """One setting."""
    settings, _broken = load_what_is_right(config)
    one, file = setting(path, _named(settings)), values_of(config)
    if as_json:
        typer.echo(json.dumps(_as_json(settings, file, one), ensure_ascii=False))
    else:
        typer.echo(one_line(shown(settings, one)))


@settings_app.command("set")
def settings_set(
    path: PathArgument,
    value: Annotated[str, typer.Argument(help="The new value.")] = "",
    default: Annotated[bool, typer.Option("--default", help="Back to its default.")] = False,
    config: ConfigOption = None,
) -> None:
    """Change a setting in the settings file; comments and everything else there stay."""
    section, name = placed(path)
    if default:
        new: Any = None
    else:
        one = setting(path, _named(Settings.model_construct(), path))
        if one.secret:
            raise SettingsError(_("Secrets do not belong in the settings file: assistant setup keeps them."))
        new = parsed(one, value)
    file = save({section: {name: new}} if section else {name: new}, config)
    typer.echo(
        _("{path} is {words}, kept in {file}.").format(
            path=path, words=_("its default again") if default else one_line(value), file=file
        )
    )


def _named(settings: Settings, path: str = "") -> list[Setting]:
    """Keys and prices; with a path, also that of a model that is not known yet."""
    # Not before it is wanted, since it takes long to import.
    from assistant.tui.keys import ACTIONS

    section, name = placed(path)
    prices = {section: {name: {"input": 0, "output": 0}}} if section == "prices" else {}
    return list(named(settings.overridden(prices), ACTIONS))


def _as_json(settings: Settings, file: dict[str, Any], one: Setting) -> dict[str, Any]:
    return {
        "name": one.path,
        "value": shown(settings, one),
        "default": one.default,
        "from": origin(one, file).value,
        "kind": one.kind,
        "choices": list(one.choices),
        "secret": one.secret,
        "description": one.description,
    }
