"""An embedder that embeds each text once: people say the same things again and again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assistant.embedding.embeds import Embeds, Vectors


class Remembering:
    """Keeps every vector it has made for as long as it lives.

    Args:
        embeds: makes the vectors.
    """

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self._known: dict[str, Vectors] = {}

    @property
    def model_id(self) -> str:
        """As `Embeds` says."""
        return self._embeds.model_id

    @property
    def dimensions(self) -> int:
        """As `Embeds` says."""
        return self._embeds.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embeds` says."""
        if missing := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known |= dict(zip(missing, self._embeds.embed(missing), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return np.stack([self._known[text] for text in texts])
