"""What the other rooms need of a sentence embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Unit rows, one for each text: shape (texts, dimensions)."""


class Embeds(Protocol):
    """Turns sentences into vectors whose dot product is their cosine."""

    @property
    def model_id(self) -> str:
        """Names the model and its version; vectors of different ids are not comparable."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of some texts, in order. The same text gives the same vector in any company."""
