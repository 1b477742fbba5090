"""Help and wrong usage of the command line, told in the language of the interface.

The sources hold the English words: texts given as `help`, and the docstrings of commands.
"""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import typer
from rich.cells import cell_len
from typer.core import TyperCommand, TyperGroup

from assistant.i18n import _, later, retold
from assistant.text_layout import padded, wrap

_WIDEST = 100
_NAMES = 30
"""Names of options that are longer, in cells, stand on a line of their own."""

_USAGE = (
    later("No such option: {name} (Possible options: {near})"),
    later("No such option: {name}"),
    later("No such command {name}. Did you mean {near}?"),
    later("No such command {name}."),
    later("Missing argument {name}."),
    later("Missing option {name}."),
    later("Missing command."),
    later("Option {name} requires an argument."),
    later("Option {name} does not take a value."),
    later("Got unexpected extra argument ({text})"),
    later("Got unexpected extra arguments ({text})"),
    later("Got unexpected extra argument(s) ({text})"),
    later("Invalid value for {name}: {reason}"),
)
"""What the library says of wrong usage."""

_EXTRAS = (later("[default: {value}]"), later("[required]"))

_OWN_HELP = (
    later("Show this message and exit."),
    later("Install completion for the current shell."),
    later("Show completion for the current shell, to copy it or customize the installation."),
)


def usage_problem(error: typer.TyperException) -> str:
    """What is wrong with the arguments, and where to look; the help where that is what was wanted."""
    message = error.format_message()
    if "\n" in message:
        return message
    problem = retold(message, _USAGE).rstrip(".。")
    return _("{problem}. See --help.").format(problem=problem)


class SpokenCommand(TyperCommand):
    """A command whose help is translated when it is shown."""

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """All of the help."""
        return "\n".join(_help(self, ctx))


class SpokenGroup(TyperGroup):
    """A group of commands whose help is translated when it is shown."""

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """All of the help."""
        return "\n".join([*_help(self, ctx), *self._commands(ctx)])

    def _commands(self, ctx: typer.Context) -> Iterator[str]:
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, _first(one.help)) for name, one in found if one is not None and not one.hidden]
        yield from _section(_("Commands"), rows)


class Commands(typer.Typer):
    """A Typer application of spoken commands; takes what Typer takes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"cls": SpokenGroup, "rich_markup_mode": None, "add_completion": False, **options})

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Register a function as a command."""
        return super().command(name, **{"cls": SpokenCommand, **options})


def _help(command: TyperCommand | TyperGroup, context: typer.Context) -> Iterator[str]:
    """Usage, what it does, its arguments and options."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from wrap(_("Usage: {usage}").format(usage=usage), _width())
    yield ""
    for line in wrap(_(_paragraph(command.help)), _width() - 2):
        yield f"  {line}"
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, str]] = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            english = getattr(parameter, "help", None) or ""
            extra = retold(record[1].removeprefix(english).strip(), _EXTRAS)
            row = (record[0], f"{_(english)}  {extra}".strip())
            (arguments if parameter.param_type_name == "argument" else options).append(row)
    yield from _section(_("Arguments"), arguments)
    yield from _section(_("Options"), options)


def _section(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A title, and below it names with what they mean."""
    rows = list(rows)
    if not rows:
        return
    column = 2 + min(_NAMES, max(cell_len(name) for name, _words in rows))
    yield ""
    yield _("{title}:").format(title=title)
    for name, words in rows:
        lines = wrap(words, max(20, _width() - column - 2)) or [""]
        if cell_len(name) > column - 2:
            yield f"  {name}"
            name = ""
        yield f"  {padded(name, column)}{lines[0]}".rstrip()
        for line in lines[1:]:
            yield f"  {'':{column}}{line}"


def _first(text: str | None) -> str:
    """The first sentence of a help."""
    words = _(_paragraph(text))
    for end in (". ", "。"):
        words = words.partition(end)[0]
    return words.rstrip(".。")


def _paragraph(text: str | None) -> str:
    """The first paragraph of a help, on one line."""
    return " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())


def _width() -> int:
    return max(50, min(_WIDEST, shutil.get_terminal_size().columns - 2))
