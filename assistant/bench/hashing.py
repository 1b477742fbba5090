"""Sentence embedders without a model: hashed characters. The baselines of the real one."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log1p

import numpy as np

from assistant.embedding.embedder import Embedder, Vectors
from assistant.embedding.models import ModelRegistry
from assistant.settings.schema import EmbeddingSettings

HASHING = "hashing"
"""The name by which a benchmark is asked to do without a model."""

_NGRAM_DIMENSIONS = 2048
_CHINESE = re.compile(r"[\u3400-\u9fff]")


class HashingEmbedder:
    """Counts character n-grams, one to three long, in hashed buckets with a hashed sign.

    Small and quick: what benchmarks and tests of the memory use in place of a model.
    """

    def __init__(self, dimensions: int = 384) -> None:
        self.dimensions = dimensions
        self.model_id = f"hashed-characters-{dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            grams = Counter(filter(None, map(str.strip, _ngrams(text.casefold(), (1, 2, 3)))))
            for gram, count in grams.items():
                digest = zlib.crc32(gram.encode())
                sign = 1.0 if digest & 1 else -1.0
                row[(digest >> 1) % self.dimensions] += sign * log1p(count) * len(gram)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        vectors: Vectors = rows / np.maximum(norms, np.float32(1e-9))
        return vectors


class HashedNgrams:
    """Counts of 2- to 4-grams, of 1- to 3-grams where there are Chinese characters, by the CRC-32 of each.

    The usual plain baseline of `bench embedding`.
    """

    model_id = f"hashed-ngrams-{_NGRAM_DIMENSIONS}"
    dimensions = _NGRAM_DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows; zeros for a text that is too short."""
        rows = np.zeros((len(texts), _NGRAM_DIMENSIONS), np.float32)
        for row, text in zip(rows, texts, strict=True):
            sizes = (1, 2, 3) if _CHINESE.search(text) else (2, 3, 4)
            for gram in _ngrams(text.lower(), sizes):
                row[zlib.crc32(gram.encode("utf-8", "surrogatepass")) % _NGRAM_DIMENSIONS] += 1.0
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
        return rows


def load_embedder(name: str) -> Embedder:
    """The embedder of that name; the bundled one where it is empty, and hashed characters for `HASHING`.

    Raises:
        EmbeddingError: it cannot be found or used.
    """
    return HashingEmbedder() if name == HASHING else ModelRegistry().load(EmbeddingSettings(model=name))


def _ngrams(text: str, sizes: Sequence[int]) -> Iterator[str]:
    padded = f" {' '.join(text.split())} "
    for size in sizes:
        for start in range(len(padded) - size + 1):
            yield padded[start : start + size]
