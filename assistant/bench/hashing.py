"""A sentence embedder without a model: hashed characters and words. The baseline of the real one."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log1p

import numpy as np

from assistant.config import EmbeddingSettings
from assistant.embedding.embeds import Embeds, Vectors
from assistant.embedding.library import Library

HASHING = "hashing"
"""The name by which a benchmark is asked to do without a model."""

_LENGTHS = (1, 2, 3)


class HashingEmbedder:
    """Counts character n-grams, one to three long, in hashed buckets with a hashed sign.

    Args:
        dimensions: how many buckets there are.
    """

    def __init__(self, dimensions: int = 384) -> None:
        self._dimensions = dimensions

    @property
    def model_id(self) -> str:
        """As `Embeds` says."""
        return f"hashed-characters-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """As `Embeds` says."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embeds` says."""
        rows = np.zeros((len(texts), self._dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for gram, count in Counter(_grams(text)).items():
                digest = zlib.crc32(gram.encode())
                sign = 1.0 if digest & 1 else -1.0
                row[(digest >> 1) % self._dimensions] += sign * log1p(count) * len(gram)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        vectors: Vectors = rows / np.maximum(norms, np.float32(1e-9))
        return vectors


def load_embedder(name: str) -> Embeds:
    """The embedder of that name; the bundled one where it is empty, and the one above for `HASHING`.

    Raises:
        EmbeddingError: it cannot be found or used.
    """
    return HashingEmbedder() if name == HASHING else Library().load(EmbeddingSettings(model=name))


def _grams(text: str) -> Iterator[str]:
    padded = f" {' '.join(text.casefold().split())} "
    for length in _LENGTHS:
        for start in range(len(padded) - length + 1):
            if gram := padded[start : start + length].strip():
                yield gram
