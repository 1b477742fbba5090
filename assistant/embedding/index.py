"""Exact nearest neighbours over vectors that stay in memory."""

from __future__ import annotations

import threading
from collections.abc import Collection, Hashable, Sequence
from functools import cache
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from assistant.embedding.embedder import Vectors

Key = TypeVar("Key", bound=Hashable)

_FIRST_ROWS = 256
# The number of BLAS threads belongs to the whole process: one search at a time sets it and sets it back.
_PINNED = threading.Lock()


class VectorIndex(Generic[Key]):
    """Unit vectors under keys, searched by their dot product. May be used from several threads.

    Rows are appended, and the matrix doubles when it is full. A removed row is overwritten with zeros at once
    and left out of every search; the matrix closes up when half of its rows are such gaps.

    Args:
        dimensions: the length of a vector.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._matrix = np.zeros((_FIRST_ROWS, dimensions), np.float32)
        self._keys: list[Key | None] = []
        self._rows: dict[Key, int] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def add(self, keys: Sequence[Key], vectors: Vectors) -> None:
        """Add vectors, one row for each key; a key that is there already gets the new vector.

        Raises:
            ValueError: the vectors do not have the shape (keys, dimensions).
        """
        if vectors.shape != (len(keys), self.dimensions):
            raise ValueError(
                f"{len(keys)} keys want vectors of shape {(len(keys), self.dimensions)}, not {vectors.shape}."
            )
        with self._lock:
            self._reserve(len(self._keys) + len(keys))
            for key, vector in zip(keys, vectors, strict=True):
                row = self._rows.setdefault(key, len(self._keys))
                if row == len(self._keys):
                    self._keys.append(key)
                self._matrix[row] = vector

    def remove(self, keys: Collection[Key]) -> int:
        """Remove what is there under some keys. Returns how many were there."""
        with self._lock:
            rows = [self._rows.pop(key) for key in set(keys) if key in self._rows]
            for row in rows:
                self._keys[row] = None
            self._matrix[rows] = 0.0
            if len(self._rows) * 2 < len(self._keys):
                self._close_up()
        return len(rows)

    def vector(self, key: Key) -> NDArray[np.float32]:
        """The vector under a key.

        Raises:
            KeyError: there is none.
        """
        with self._lock:
            vector: NDArray[np.float32] = self._matrix[self._rows[key]].copy()
            return vector

    def search(
        self,
        vector: NDArray[np.float32],
        k: int,
        *,
        at_least: float = -1.0,
        within: Collection[Key] | None = None,
    ) -> tuple[list[Key], NDArray[np.float32]]:
        """The k nearest keys and their cosines, best first; equal ones in the order they were added.

        Args:
            vector: a unit vector.
            k: the most that are found.
            at_least: the smallest cosine that counts.
            within: the keys to choose from, by default all.

        Raises:
            ValueError: the vector has another length.
        """
        if vector.shape != (self.dimensions,):
            raise ValueError(f"A vector of shape {(self.dimensions,)} is wanted, not {vector.shape}.")
        with self._lock:
            with _PINNED, _blas().limit(limits=1, user_api="blas"):
                scores = self._matrix[: len(self._keys)] @ vector
            counted = scores >= at_least
            if within is not None:
                counted &= self._mask(within)
            elif len(self._rows) < len(self._keys):
                counted &= self._mask(self._rows)
            best = _best(scores, np.flatnonzero(counted), k)
            return [key for row in best if (key := self._keys[row]) is not None], scores[best]

    def _mask(self, keys: Collection[Key]) -> NDArray[np.bool_]:
        """Which rows belong to some keys."""
        mask = np.zeros(len(self._keys), np.bool_)
        mask[[self._rows[key] for key in keys if key in self._rows]] = True
        return mask

    def _reserve(self, rows: int) -> None:
        if rows > len(self._matrix):
            grown = np.zeros((max(rows, 2 * len(self._matrix)), self.dimensions), np.float32)
            grown[: len(self._keys)] = self._matrix[: len(self._keys)]
            self._matrix = grown

    def _close_up(self) -> None:
        kept = [row for row, key in enumerate(self._keys) if key is not None]
        matrix = np.zeros((max(_FIRST_ROWS, len(kept)), self.dimensions), np.float32)
        matrix[: len(kept)] = self._matrix[kept]
        self._matrix = matrix
        self._keys = [self._keys[row] for row in kept]
        self._rows = {key: row for row, key in enumerate(self._keys) if key is not None}


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def _best(scores: NDArray[np.float32], places: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """Of some places, given in order, those of the k largest scores: largest first, equal ones in order."""
    if k <= 0:
        return places[:0]
    if k < len(places):
        lowest = np.partition(scores[places], len(places) - k)[len(places) - k]
        places = places[scores[places] >= lowest]
    return places[np.argsort(-scores[places], kind="stable")][:k]
