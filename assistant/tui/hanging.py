"""Rows of a label and a text, with a hanging indent: wrapped lines align with the text, not the label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual.content import Content

_LEAST = 8
"""Columns reserved for the text, however long the label is."""


@dataclass(frozen=True, slots=True)
class Row:
    """A text of one or several lines, and the label before it, which may be empty."""

    name: Content
    text: Content

    @property
    def plain(self) -> str:
        """Label and text, without styles, not wrapped."""
        return self.name.plain + self.text.plain


def unlabelled_row(text: Content) -> Row:
    """A row without a label."""
    return Row(Content(""), text)


def wrap_rows(rows: Iterable[Row], width: int) -> list[Content]:
    """The lines of the rows, wrapped to `width` cells."""
    return [line for label_row in rows for line in _wrap_row(label_row, width)]


def _wrap_row(label_row: Row, width: int) -> Iterator[Content]:
    indent = label_row.name.cell_length
    first, *more = label_row.text.wrap(max(_LEAST, width - indent)) or [Content("")]
    yield label_row.name + first
    yield from (Content(" " * indent) + line for line in more)
