"""What a section is searched by, and the pairs of letters that tell which texts are worth comparing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

_SHARED = 0.34
"""The least share of the words' pairs of letters that a text has which may be written alike."""
_COMPARED = 1000
"""The most texts that are worth comparing, those with most pairs first."""
_ASKED = 8
"""About so many pairs of the words are looked for."""
_FACTOR = 31


class Texts:
    """Keys, and a text in lower case for each."""

    def __init__(self, keys: Sequence[str], texts: Sequence[str]) -> None:
        self.keys = keys
        self.texts = texts

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of letters of the texts."""
        return Pairs(self.texts)


class Pairs:
    """Each two letters that follow each other in some texts, as one number of 16 bits.

    Two pairs may have the same number: then a text more is compared, never one less. To look through the
    numbers of 100,000 texts takes some milliseconds, in which other threads go on.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
        self._count = len(texts)
        self._numbers = _numbers("\n".join(texts))
        self._whose = np.repeat(np.arange(len(texts), dtype=np.uint32), lengths)[: len(self._numbers)]

    def sharing(self, words: str) -> list[int]:
        """The places of the texts that share pairs of letters with some words, in the order of the texts."""
        wanted = np.unique(_numbers(words))
        wanted = wanted[:: max(1, round(len(wanted) / _ASKED))]
        counts = np.zeros(self._count, np.uint16)
        for number in wanted:
            # A text that has the pair twice is counted once: of equal indices one addition is made.
            counts[self._whose[self._numbers == number]] += 1
        likely = np.flatnonzero(counts >= max(1, round(_SHARED * len(wanted))))
        if len(likely) > _COMPARED:
            best = np.argpartition(counts[likely], -_COMPARED)[-_COMPARED:]
            likely = likely[np.sort(best)]
        return [int(one) for one in likely]


def _numbers(text: str) -> NDArray[np.uint16]:
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return (letters[:-1] * np.uint32(_FACTOR) + letters[1:]).astype(np.uint16)
