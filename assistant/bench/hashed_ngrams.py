"""Character n-grams hashed into a vector: the baseline that needs no training."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from assistant.embedding.embeds import Vectors

_DIMENSIONS = 2048
_CHINESE = re.compile(r"[\u3400-\u9fff]")


class HashedNgrams:
    """Counts of 2- to 4-grams, of 1- to 3-grams where there are Chinese characters, by the CRC-32 of each."""

    model_id = f"hashed-ngrams-{_DIMENSIONS}"
    dimensions = _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows; zeros for a text that is too short."""
        rows = np.zeros((len(texts), _DIMENSIONS), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for gram in _ngrams(text):
                row[zlib.crc32(gram.encode("utf-8", "surrogatepass")) % _DIMENSIONS] += 1.0
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
        return rows


def _ngrams(text: str) -> Iterator[str]:
    sizes = (1, 2, 3) if _CHINESE.search(text) else (2, 3, 4)
    padded = f" {' '.join(text.lower().split())} "
    for size in sizes:
        for start in range(len(padded) - size + 1):
            yield padded[start : start + size]
