"""Finds where prose ends in a growing text whose actions begin lines."""

from __future__ import annotations

import re


def before_line(opening: re.Pattern[str], text: str, start: int, undecided: int) -> int:
    """How many leading characters stand before the first line that `opening` matches.

    The first `start` are known to. A last line of at most `undecided` characters may still become one.
    """
    line = text.rfind("\n", 0, start) + 1
    while not opening.match(text, line):
        newline = text.find("\n", max(line, start))
        if newline < 0:
            return line if len(text) - line <= undecided else len(text)
        line = newline + 1
    return line
