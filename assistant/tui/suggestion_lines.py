"""Formats the open suggestion in as few lines as possible: heading, offer, and how to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from assistant.text_layout import shortened, wrap

OFFER_LINES = 2
"""The most lines of the offer; the keys may take one more."""
_SIGN, _INDENT, _EDGE, _GAP = " ◷ ", 3, 1, 2


@dataclass(frozen=True, slots=True)
class OfferWords:
    """The texts to show, each on one line.

    Attributes:
        head: heading with the source and the time of the suggestion.
        short_head: a shorter heading.
        offer: what would be done, as a question.
        answers: how to answer, and what happens without an answer; the most informative first.
        short_answers: the same for a single line.
    """

    head: str
    short_head: str
    offer: str
    answers: Sequence[str]
    short_answers: str


def format_suggestion(words: OfferWords, width: int, most: int = OFFER_LINES + 1) -> list[Content]:
    """The lines, at most `most`; the offer is shortened only if it does not fit into its own lines.

    Args:
        words: the texts.
        width: in cells.
        most: the available lines, at least one.
    """
    if most > 1:
        offer = _offer_lines(words, width)
        for answers in (words.answers, [words.short_answers]):
            for count in range(len(offer), most + 1):
                for keys in answers:
                    lines = _append_keys(offer, keys, width)
                    if len(lines) == count and all(line.cell_length <= width for line in lines):
                        return lines
    whole = _append_keys(_styled([_join(words.head, words.offer)], words.head), words.answers[0], width)
    if len(whole) == 1:
        return whole
    room = width - _INDENT - _EDGE - _GAP - cell_len(_join(words.short_head, words.short_answers))
    cut = _join(words.short_head, shortened(words.offer, max(_GAP, room)))
    return [_align_right(_styled([cut], words.short_head)[0], words.short_answers, width).truncate(width)]


def _join(head: str, rest: str) -> str:
    """Heading and rest joined; a wide character at the end of the heading needs no space after it."""
    return head + rest if cell_len(head[-1:]) == _GAP else f"{head} {rest}"


def _offer_lines(words: OfferWords, width: int) -> list[Content]:
    room = max(_GAP, width - _INDENT - _EDGE)
    lines = wrap(_join(words.head, words.offer), room)
    if len(lines) > OFFER_LINES:
        lines = [*lines[: OFFER_LINES - 1], shortened(" ".join(lines[OFFER_LINES - 1 :]), room)]
    return _styled(lines, words.head)


def _styled(lines: Sequence[str], head: str) -> list[Content]:
    """The lines with the sign before the first; the heading may continue on the next line."""
    styled, left = [], len(head)
    for number, line in enumerate(lines):
        begin = Content.styled(_SIGN if number == 0 else " " * _INDENT, "bold $text-accent")
        styled.append(begin + Content.assemble((line[:left], "$text-accent"), (line[left:], "bold")))
        # Wrapping removed the space at which the line was broken.
        left = max(0, left - len(line) - 1)
    return styled


def _append_keys(offer: list[Content], keys: str, width: int) -> list[Content]:
    """The keys at the end of the last line if they fit, else on a line of their own."""
    if offer[-1].cell_length + _GAP + cell_len(keys) + _EDGE <= width:
        return [*offer[:-1], _align_right(offer[-1], keys, width)]
    return [*offer, Content.assemble(" " * _INDENT, (keys, "$foreground-muted"))]


def _align_right(line: Content, keys: str, width: int) -> Content:
    gap = max(_EDGE, width - line.cell_length - cell_len(keys) - _EDGE)
    return Content.assemble(line, " " * gap, (keys, "$foreground-muted"))
