"""`assistant secret …`: values that the model may ask for by name and never sees."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from assistant.cli.help import Commands
from assistant.commands.options import JsonOption
from assistant.commands.words import name_of
from assistant.i18n import _
from assistant.secrets import (
    SecretError,
    SecretKind,
    SecretLocation,
    SecretStore,
    keyring_problem,
    variable_of,
)
from assistant.text_layout import padded

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="What the model calls it.")]

secret_app = Commands(
    help="Secrets that are typed on the phone by name, and never shown, logged or sent.", no_args_is_help=True
)


@secret_app.command("add")
def secret_add(
    name: NameArgument,
    in_file: Annotated[
        bool, typer.Option("--file", help="Keep it in a file that only you can read, not in the keyring.")
    ] = False,
) -> None:
    """Keep a secret. The value is asked for, or read from standard input; it is never an argument."""
    problem = "" if in_file else keyring_problem()
    if problem:
        variable = SecretKind.TYPED.variable + variable_of(name)
        raise SecretError(
            _(
                "{problem} Set the environment variable {variable} instead, or keep it in a file "
                "that only you can read: add --file."
            ).format(problem=problem, variable=variable)
        )
    store = SecretStore()
    store.add(name, _value(name), SecretLocation.FILE if in_file else SecretLocation.KEYRING)
    where = _("the file {file}").format(file=store.file) if in_file else _("the system's keyring")
    typer.echo(_("“{name}” is kept in {where}.").format(name=name, where=where))


@secret_app.command("list")
def secret_list(as_json: JsonOption = False) -> None:
    """The names of the secrets, and where each is kept. Values are never shown."""
    names = SecretStore().names()
    if as_json:
        typer.echo(json.dumps([{"name": name, "place": place} for name, place in names.items()]))
    else:
        for name, place in names.items():
            typer.echo(f"{padded(name, 24)}  {name_of(place)}")


@secret_app.command("remove")
def secret_remove(name: NameArgument) -> None:
    """Forget a secret."""
    if not SecretStore().remove(name):
        raise SecretError(_("There is no secret “{name}”.").format(name=name))
    typer.echo(_("“{name}” is forgotten.").format(name=name))


def _value(name: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(_("Value of “{name}”").format(name=name), hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")
