"""Finding entries by what a user types, in either language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

_WORD = re.compile(r"[a-z0-9]+|[㐀-鿿]+")


def _pieces(query: str) -> list[str]:
    """Words of a query; Chinese runs as pairs of characters, since they carry no spaces."""
    pieces = []
    for word in _WORD.findall(query.lower()):
        if word.isascii() or len(word) <= 2:
            pieces.append(word)
        else:
            pieces.extend(word[at : at + 2] for at in range(len(word) - 1))
    return pieces


def score(query: str, *texts: str) -> float:
    """How well texts answer a query: the share of its words found, and one more for the whole phrase."""
    where = " ".join(texts).lower()
    phrase = query.strip().lower()
    pieces = _pieces(query)
    if not phrase or not pieces:
        return 0.0
    share = sum(_found(piece, where) for piece in pieces) / len(pieces)
    return share + (1.0 if phrase in where else 0.0)


def _found(piece: str, where: str) -> bool:
    singular = piece[:-1] if len(piece) > 3 and piece.endswith("s") and piece.isascii() else piece
    return singular in where


def find(query: str, items: Iterable[Item], texts: Callable[[Item], Iterable[str]]) -> list[Item]:
    """The items that answer at least half of a query, best first, else in their own order.

    One text that holds all words counts for more than words scattered over several.
    """
    ranked = [(_best(query, list(texts(item))), item) for item in items]
    kept = [(points, item) for points, item in ranked if points >= 0.5]
    kept.sort(key=lambda pair: -pair[0])
    return [item for _, item in kept]


def _best(query: str, texts: list[str]) -> float:
    return max([score(query, text) for text in texts] + [0.9 * score(query, *texts)])
