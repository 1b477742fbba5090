"""`assistant skills`: what the assistant has learnt to do, and whether a target is found again."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, TextIO

import typer

from assistant.cli.help import Commands, JsonOption
from assistant.i18n import _
from assistant.model.types import one_line
from assistant.skills.match_file import match_lines

skills_app = Commands(help="What the assistant has learnt to do, as skills.", no_args_is_help=True)


@skills_app.command("match")
def skills_match(
    file: Annotated[
        Path,
        typer.Option(help="JSON lines with “recorded” and “now”, XML, and “point”; - reads standard input."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Whether the target of a recorded tap is found again on another screen, and where."""
    unreadable = False
    try:
        with _opened(file) as lines:
            for number, answer in enumerate(match_lines(lines), 1):
                unreadable |= "error" in answer
                if as_json:
                    typer.echo(json.dumps(answer, ensure_ascii=False))
                else:
                    words = answer.get("error") or answer.get("refused")
                    typer.echo(f"{number:4}  {one_line(words or '{:.4f}, {:.4f}'.format(*answer['point']))}")
    except (OSError, UnicodeDecodeError) as error:
        typer.echo(
            _("{file} cannot be read: {reason}").format(file=file, reason=one_line(str(error))), err=True
        )
        raise typer.Exit(1) from error
    if unreadable:
        raise typer.Exit(1)


def _opened(file: Path) -> AbstractContextManager[TextIO]:
    return nullcontext(sys.stdin) if str(file) == "-" else file.open(encoding="utf-8-sig")
