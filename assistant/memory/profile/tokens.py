"""Counting tokens without a tokenizer: what a model's prompt will need, about."""

from __future__ import annotations

import re
from functools import lru_cache

_PIECES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[A-Za-z]+|\d+|[^\sA-Za-z0-9]")
_LETTERS = 6


@lru_cache(maxsize=16384)
def tokens(text: str) -> int:
    """About how many tokens a text has: one for a Chinese character, a sign, three digits, a short word."""
    count = 0
    for piece in _PIECES.findall(text):
        if piece.isdigit():
            count += -(-len(piece) // 3)
        elif piece.isascii() and piece.isalpha():
            count += -(-len(piece) // _LETTERS)
        else:
            count += 1
    return count
