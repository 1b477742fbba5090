"""The matcher: says how well the instructions of a habit fit a command, which may share no word with them.

A network turns commands and instructions into vectors, so that "eggs are in" comes near "Mark the egg
delivery as received". It was trained on pairs of a command and a habit, and reads the embedder's word
vectors. It also says how little a command sounds like any habit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.tagger import TokenEncoder

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_MOST_TEXTS = 5_000
"""Number of texts whose vectors are kept: the instructions of all habits are compared with each command."""
_BEST_SHARE = 0.7
"""How much the best of several instructions of a habit counts; the rest is their mean."""


class HabitMatcher(Protocol):
    """Says how well habits fit a command."""

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        """How well each habit fits, given some of its instructions.

        Raises:
            EmbeddingError: the network cannot be run.
        """


@dataclass(frozen=True, slots=True)
class Matches:
    """How well habits fit a command.

    Attributes:
        fits: for each habit the cosine of the command and its instructions, -1..1.
        none: how little the command sounds like any habit, as a logit.
    """

    fits: tuple[float, ...]
    none: float


class Matcher:
    """The trained `HabitMatcher`. May be used from several threads.

    Args:
        session: the network: input `words`, outputs `vector` and `none`.
        encoder: gives the word vectors.
        tensor: the encoder's tensor that has them.
    """

    def __init__(self, session: InferenceSession, encoder: TokenEncoder, tensor: str) -> None:
        self._session = session
        self._encoder = encoder
        self._tensor = tensor
        self._encoded: OrderedDict[str, tuple[NDArray[np.float32], float]] = OrderedDict()
        self._lock = Lock()

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        """See `HabitMatcher`."""
        vector, none = self._encode(command)
        fits = []
        for instructions in habits:
            cosines = [float(self._encode(text)[0] @ vector) for text in dict.fromkeys(instructions)]
            mean = sum(cosines) / max(len(cosines), 1)
            fits.append(_BEST_SHARE * max(cosines, default=0.0) + (1 - _BEST_SHARE) * mean)
        return Matches(tuple(fits), none)

    def _encode(self, text: str) -> tuple[NDArray[np.float32], float]:
        with self._lock:
            if text in self._encoded:
                self._encoded.move_to_end(text)
                return self._encoded[text]
        encoded = self._run(text)
        with self._lock:
            self._encoded[text] = encoded
            if len(self._encoded) > _MOST_TEXTS:
                self._encoded.popitem(last=False)
        return encoded

    def _run(self, text: str) -> tuple[NDArray[np.float32], float]:
        rows, _ = self._encoder.tensor_of(text, self._tensor)
        if not len(rows):
            return np.zeros(rows.shape[1], np.float32), 0.0
        vector, none = self._session.run(["vector", "none"], {"words": rows[None]})
        return np.asarray(vector[0], np.float32), float(none[0, 0])
