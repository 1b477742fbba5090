"""Keep the catalogues of the interface in step with the sources: `python -m tools.language`.

It reads the marked messages out of the sources, adds what is new to each catalogue, drops what is gone, and
compiles. What then lacks a translation is printed, and makes the exit code 1.
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
from collections.abc import Iterable, Iterator, Set
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from assistant.i18n import DOMAIN, LOCALES

SOURCES = LOCALES.parent
_HEADER = """msgid ""
msgstr ""
"Project-Id-Version: assistant\\n"
"Language: {language}\\n"
"Plural-Forms: {plural}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""
_NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
MARKS = {"_": 1, "later": 1, "translated": 1, "ngettext": 2, "later_many": 2}
"""What marks messages: the functions by name, and how many of their arguments are messages."""
PLACES = {"Option": "help", "Argument": "help", "Typer": "help", "Commands": "help", "Field": "description"}
"""What is a message by its place: an argument by name, of these calls."""
ENGLISH = ("bench", "simulator")
"""Rooms whose words by place stay English: they are for those who build this."""
_SCHEMA = Path("settings", "schema.py")
"""Where the descriptions of fields are messages."""


@cache
def parsed(sources: Path = SOURCES) -> dict[Path, ast.Module]:
    """The sources that may hold messages, by file."""
    texts = {file: file.read_text("utf-8") for file in sorted(sources.rglob("*.py"))}
    return {
        file: ast.parse(text)
        for file, text in texts.items()
        if file.relative_to(sources).parts[0] not in ENGLISH or "assistant.i18n" in text
    }


@cache
def calls(sources: Path = SOURCES) -> dict[Path, list[ast.Call]]:
    """All calls in the sources, by file."""
    return {
        file: [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for file, tree in parsed(sources).items()
    }


def marked(sources: Path = SOURCES) -> Catalog:
    """The messages of the sources, without translations."""
    found = Catalog(project=DOMAIN, charset="utf-8")
    commands = {
        name for file, tree in parsed(sources).items() for name in commands_of(tree, calls(sources)[file])
    }
    for file, tree in parsed(sources).items():
        for texts in _messages(calls(sources)[file]):
            found.add(texts if len(texts) > 1 else texts[0])
        if file.relative_to(sources).parts[0] not in ENGLISH:
            for text in _placed(calls(sources)[file], fields=file.relative_to(sources) == _SCHEMA):
                found.add(text)
            for text in _documented(tree, commands):
                found.add(text)
    return found


def _messages(calls: Iterable[ast.Call]) -> Iterator[tuple[str, ...]]:
    """What is marked as a message."""
    for call in calls:
        if name_of(call.func) in MARKS:
            texts = tuple(_said(call.args[: MARKS[name_of(call.func)]]))
            if texts and all(texts):
                yield texts


def _placed(calls: Iterable[ast.Call], *, fields: bool) -> Iterator[str]:
    """What is a message by its place: help, and the descriptions of settings."""
    for call in calls:
        if fields or name_of(call.func) != "Field":
            wanted = PLACES.get(name_of(call.func))
            yield from _said([one.value for one in call.keywords if one.arg == wanted])


def _documented(tree: ast.Module, commands: Set[str]) -> Iterator[str]:
    """The docstrings of commands, which are their help: the first paragraph of each."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name in commands:
            words = inspect.cleandoc(ast.get_docstring(function) or "")
            yield " ".join(words.partition("\n\n")[0].split())


def commands_of(tree: ast.Module, calls: Iterable[ast.Call]) -> Iterator[str]:
    """The names of functions that become commands: decorated, given to `command`, or in the table."""
    for node in (*tree.body, *calls):
        match node:
            case ast.FunctionDef(name=name, decorator_list=marks) if any(map(_registers, marks)):
                yield name
            case ast.Call(func=registers, args=[ast.Name(id=name)]) if _registers(registers):
                yield name
            case ast.Assign(targets=[ast.Name(id="_COMMANDS")], value=ast.Dict(values=late)):
                yield from (str(ast.literal_eval(one)[1]) for one in late)


def _registers(node: ast.expr) -> bool:
    """Whether this registers a command: `app.command(…)` or `app.callback(…)`."""
    return isinstance(node, ast.Call) and name_of(node.func) in ("command", "callback")


def name_of(function: ast.expr) -> str:
    """The name by which a function is called, without what it belongs to."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _said(arguments: list[ast.expr]) -> Iterator[str]:
    """The texts of arguments that are written out."""
    for one in arguments:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def catalogues() -> Iterator[Path]:
    """The catalogues, as people write them."""
    return LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po")


def read(file: Path) -> Catalog:
    """A catalogue."""
    with file.open("rb") as source:
        return read_po(source, locale=file.parent.parent.name)


def updated(catalogue: Catalog, template: Catalog) -> Catalog:
    """The catalogue with the messages of the template and no others."""
    catalogue.update(template, no_fuzzy_matching=True, update_header_comment=False)
    catalogue.obsolete.clear()
    return catalogue


def written(catalogue: Catalog) -> bytes:
    """The catalogue as people write it: in the order of the messages, without dates."""
    file = io.BytesIO()
    header = _HEADER.format(language=catalogue.locale_identifier, plural=catalogue.plural_forms)
    write_po(file, catalogue, width=110, no_location=True, omit_header=True, sort_output=True)
    return header.encode() + file.getvalue().strip() + b"\n"


def compiled(catalogue: Catalog) -> bytes:
    """The catalogue as gettext reads it; the same bytes for the same messages."""
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def troubles(catalogue: Catalog) -> Iterator[str]:
    """Messages that are missing, fuzzy, or whose placeholders are not those of the English words."""
    for message in catalogue:
        if not message.id:
            continue
        if message.fuzzy or not all(_texts(message.string or "")):
            yield f"not translated: {message.id}"
        elif any(_places(text) != _places(_texts(message.id)[-1]) for text in _texts(message.string or "")):
            yield f"other placeholders: {message.id}"


def main() -> int:
    """Bring all catalogues up to date."""
    template, failed = marked(), False
    for file in catalogues():
        catalogue = updated(read(file), template)
        file.write_bytes(written(catalogue))
        file.with_suffix(".mo").write_bytes(compiled(read(file)))
        for trouble in troubles(catalogue):
            failed = True
            sys.stdout.write(f"{file.parent.parent.name}: {trouble}\n")
    return int(failed)


def _texts(texts: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


if __name__ == "__main__":
    sys.exit(main())
