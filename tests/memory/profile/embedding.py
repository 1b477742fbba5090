"""An embedder of word counts for tests: no model, the same each time."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from assistant.embedding.embedder import Vectors

_WORDS = re.compile(r"[a-z]+|[\u4e00-\u9fff]|\d+")


class WordEmbedder:
    model_id = "words"
    dimensions = 512

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORDS.findall(text.lower()):
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
            if not row.any():
                row[0] = 1
            row /= np.linalg.norm(row)
        return rows
