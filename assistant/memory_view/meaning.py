"""Finding records by what they mean: their vectors, resident while the memory does not change."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from assistant.embedding.embeds import Embeds
from assistant.embedding.index import VectorIndex
from assistant.memory.derived import RECORD_VECTOR
from assistant.memory.store import Store
from assistant.memory.vectors import VectorCache
from assistant.memory_view.part import newest_change

LIKE_ENOUGH = 0.35
"""The cosine from which something is near enough in meaning to be shown."""


class RecordMeanings:
    """The vectors of records that the memory has made.

    Args:
        store: where the vectors are kept.
        embeds: embeds what is searched for.
    """

    def __init__(self, store: Store, embeds: Embeds) -> None:
        self._store = store
        self._embeds = embeds
        self._index: VectorIndex[str] | None = None
        self._mark = -1

    def nearest(self, words: str, most: int, within: Iterable[str]) -> list[str]:
        """The records of some that are near in meaning to some words, nearest first.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        index = self._ready()
        chosen: Collection[str] = [one for one in within if one in index]
        if not chosen:
            return []
        vector = self._embeds.embed([words])[0]
        keys, _ = index.search(vector, most, at_least=LIKE_ENOUGH, within=chosen)
        return keys

    def _ready(self) -> VectorIndex[str]:
        mark = newest_change(self._store)
        if self._index is None or mark != self._mark:
            self._index = VectorCache(self._store, self._embeds).index(RECORD_VECTOR)
            self._mark = mark
        return self._index
