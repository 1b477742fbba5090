"""`assistant models`: models and how they write actions."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from assistant.commands.options import JsonOption
from assistant.model import dialects
from assistant.model.dialects.base import MalformedReply, Reply
from assistant.model.frame import Frame
from assistant.model.thinking import split_thought
from assistant.records import describe

models_app = typer.Typer(help="Models and how they write actions.", no_args_is_help=True)


@models_app.command("dialects")
def models_dialects(as_json: JsonOption = False) -> None:
    """The ways of writing actions that are understood."""
    for dialect in dialects.available():
        line = {"name": dialect.name, "title": dialect.title}
        typer.echo(json.dumps(line, ensure_ascii=False) if as_json else f"{dialect.name:13}  {dialect.title}")


@models_app.command("parse")
def models_parse(
    dialect: Annotated[str, typer.Option(help="How the reply is written.")],
    screen: Annotated[str, typer.Option(metavar="WxH", help="Size of the picture that was sent, in pixels.")],
    as_json: JsonOption = False,
) -> None:
    """Read one model reply from standard input and print its action."""
    width, _, height = screen.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise typer.TyperException("--screen takes a size in pixels, such as 1080x2400.")
    frame = Frame(int(width), int(height))
    try:
        action = dialects.get(dialect).parse(Reply(split_thought(sys.stdin.read())[1]), frame)
    except dialects.UnknownDialect as error:
        raise typer.TyperException(str(error)) from None
    except MalformedReply as reason:
        malformed = json.dumps({"malformed": str(reason)}, ensure_ascii=False)
        typer.echo(malformed if as_json else f"malformed: {reason}")
        return
    plain = action.model_dump(mode="json", exclude_none=True)
    typer.echo(json.dumps([plain], ensure_ascii=False) if as_json else describe(action))
