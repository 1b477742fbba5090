"""Keep the catalogues of the interface in step with the sources: `python -m tools.language`.

It reads the marked messages out of the sources, adds what is new to each catalogue, drops what is gone, and
compiles. What then lacks a translation is printed, and makes the exit code 1.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from assistant.language import DOMAIN, LOCALES

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
_MARKS = {"_": 1, "later": 1, "translated": 1, "ngettext": 2}
"""What marks messages: the functions by name, and how many of their arguments are messages."""


def marked(sources: Path = SOURCES) -> Catalog:
    """The messages that are marked in the sources, without translations."""
    found = Catalog(project=DOMAIN, charset="utf-8")
    for file in sorted(sources.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _MARKS:
                texts = tuple(_said(call.args[: _MARKS[call.func.id]]))
                if texts and all(texts):
                    found.add(texts if len(texts) > 1 else texts[0])
    return found


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
        elif any(_places(text) != _places(_texts(message.id)[-1]) for text in _texts(message.string)):
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
