"""Styled text as Textual's content, and its lines at a width in cells.

Rows of a label and a text are wrapped with a hanging indent: further lines begin below the text, not below
the label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content

from assistant.presentation.text import LabelValueRow, StyledText, TextStyle

_TEXTUAL_STYLES = {
    TextStyle.NORMAL: "",
    TextStyle.STRONG: "bold",
    TextStyle.MUTED: "$foreground-muted",
    TextStyle.CHOICE: "bold $text-accent",
}
_LEAST_TEXT_WIDTH = 8
"""Columns reserved for the text, however long the label is."""


def as_content(text: StyledText) -> Content:
    """The text with Textual's styles."""
    return Content.assemble(*((span.text, _TEXTUAL_STYLES[span.style]) for span in text.spans))


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a text wrapped to a width in cells; wide characters count double."""
    return [line.plain for line in Content(text).wrap(max(2, width))]


def wrap_rows(rows: Iterable[LabelValueRow], width: int) -> list[Content]:
    """The lines of the rows, wrapped to `width` cells."""
    return [line for label_row in rows for line in _wrap_row(label_row, width)]


def _wrap_row(label_row: LabelValueRow, width: int) -> Iterator[Content]:
    label = as_content(label_row.label)
    indent = label.cell_length
    first, *more = as_content(label_row.value).wrap(max(_LEAST_TEXT_WIDTH, width - indent)) or [Content("")]
    yield label + first
    yield from (Content(" " * indent) + line for line in more)
