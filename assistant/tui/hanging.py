"""Rows of a name and a text: the text's further lines stand below its first word, not below the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual.content import Content

_LEAST = 8
"""Columns that a text has at least, however long the name before it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A text, which may have several lines, and the name before it, which may be empty."""

    name: Content
    text: Content

    @property
    def plain(self) -> str:
        """Both, without looks and not laid out."""
        return self.name.plain + self.text.plain


def row(text: Content) -> Row:
    """A row without a name."""
    return Row(Content(""), text)


def laid_out(rows: Iterable[Row], width: int) -> list[Content]:
    """The lines of some rows in `width` cells."""
    return [line for one in rows for line in _lines(one, width)]


def _lines(one: Row, width: int) -> Iterator[Content]:
    indent = one.name.cell_length
    first, *more = one.text.wrap(max(_LEAST, width - indent)) or [Content("")]
    yield one.name + first
    yield from (Content(" " * indent) + line for line in more)
