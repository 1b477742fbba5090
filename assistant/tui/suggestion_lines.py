"""The suggestion that waits, in as few lines as tell it whole: what it is, the offer, and how to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from assistant.cells import broken, shortened

OFFER_LINES = 2
"""The offer takes no more lines than this; the keys may take one more."""
_SIGN, _INDENT, _EDGE, _GAP = " ◷ ", 3, 1, 2


@dataclass(frozen=True, slots=True)
class OfferWords:
    """What is to be told, on one line each.

    Attributes:
        head: that it is a suggestion, where it comes from, and when it was made.
        short_head: the same in fewer words.
        offer: what would be done, as a question.
        answers: how to answer and what happens without an answer, the most telling words first.
        short_answers: the same where there is only one line.
    """

    head: str
    short_head: str
    offer: str
    answers: Sequence[str]
    short_answers: str


def suggestion_lines(words: OfferWords, width: int, most: int = OFFER_LINES + 1) -> list[Content]:
    """The lines, at most so many; the offer is cut only where it does not fit into its own.

    Args:
        words: what is to be told.
        width: in cells.
        most: how many lines there are room for, at least one.
    """
    if most > 1:
        offer = _offer_lines(words, width)
        for answers in (words.answers, [words.short_answers]):
            for count in range(len(offer), most + 1):
                for keys in answers:
                    lines = _with_keys(offer, keys, width)
                    if len(lines) == count and all(line.cell_length <= width for line in lines):
                        return lines
    whole = _with_keys(_styled([_sentence(words.head, words.offer)], words.head), words.answers[0], width)
    if len(whole) == 1:
        return whole
    room = width - _INDENT - _EDGE - _GAP - cell_len(_sentence(words.short_head, words.short_answers))
    cut = _sentence(words.short_head, shortened(words.offer, max(_GAP, room)))
    return [_beside(_styled([cut], words.short_head)[0], words.short_answers, width).truncate(width)]


def _sentence(head: str, rest: str) -> str:
    """Both in one; a wide sign at the end of the head brings its own blank."""
    return head + rest if cell_len(head[-1:]) == _GAP else f"{head} {rest}"


def _offer_lines(words: OfferWords, width: int) -> list[Content]:
    room = max(_GAP, width - _INDENT - _EDGE)
    lines = broken(_sentence(words.head, words.offer), room)
    if len(lines) > OFFER_LINES:
        lines = [*lines[: OFFER_LINES - 1], shortened(" ".join(lines[OFFER_LINES - 1 :]), room)]
    return _styled(lines, words.head)


def _styled(lines: Sequence[str], head: str) -> list[Content]:
    """The lines with the sign before the first; the head may go on in the next one."""
    found, left = [], len(head)
    for number, line in enumerate(lines):
        begin = Content.styled(_SIGN if number == 0 else " " * _INDENT, "bold $text-accent")
        found.append(begin + Content.assemble((line[:left], "$text-accent"), (line[left:], "bold")))
        # The blank at which a line was broken is gone.
        left = max(0, left - len(line) - 1)
    return found


def _with_keys(offer: list[Content], keys: str, width: int) -> list[Content]:
    """The keys at the end of the last line if there is room, else on a line of their own."""
    if offer[-1].cell_length + _GAP + cell_len(keys) + _EDGE <= width:
        return [*offer[:-1], _beside(offer[-1], keys, width)]
    return [*offer, Content.assemble(" " * _INDENT, (keys, "$foreground-muted"))]


def _beside(line: Content, keys: str, width: int) -> Content:
    gap = max(_EDGE, width - line.cell_length - cell_len(keys) - _EDGE)
    return Content.assemble(line, " " * gap, (keys, "$foreground-muted"))
