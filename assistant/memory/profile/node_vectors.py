"""The vectors of a profile's nodes: one resident matrix, made anew where a node's text changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embeds import Embeds, Vectors
from assistant.embedding.index import VectorIndex
from assistant.memory.derived import NODE_VECTOR
from assistant.memory.profile.describing import Facts
from assistant.memory.store import Store
from assistant.memory.vectors import VectorCache


class NodeVectors:
    """A row for every node that may be found; hidden ones have none.

    The embedder is asked for nothing before the first search, so that the graph need not wait for it.
    """

    def __init__(self, store: Store, embeds: Embeds, facts: Facts) -> None:
        self._facts = facts
        self._cache = VectorCache(store, embeds)
        self._embeds = embeds
        self._made: VectorIndex[str] | None = None
        self._texts: dict[str, str] = {}
        self._stale: dict[str, None] = {node.id: None for node in facts.graph.nodes()}

    def __len__(self) -> int:
        return len(self._index) if self._made is not None else 0

    @property
    def _index(self) -> VectorIndex[str]:
        if self._made is None:
            self._made = VectorIndex(self._embeds.dimensions)
        return self._made

    def touch(self, node_ids: Iterable[str]) -> None:
        """Note that the texts of some nodes may have changed."""
        self._stale.update(dict.fromkeys(node_ids))

    def refresh(self, most: int | None = None) -> bool:
        """Bring the matrix up to date, or `most` nodes of it; whether nothing is left to do.

        Raises:
            EmbeddingError: the model cannot be run.
            StoreError: the store cannot be written.
        """
        fresh: dict[str, str] = {}
        gone: list[str] = []
        looked_at = list(islice(self._stale, most))
        for node_id in looked_at:
            node = self._facts.graph.node(node_id)
            if node is None or node.hidden:
                gone.append(node_id)
            elif (text := self._facts.text(node)) != self._texts.get(node_id):
                fresh[node_id] = text
        if gone and self._index.remove(gone):
            self._cache.forget(NODE_VECTOR, gone)
        if fresh:
            self._index.add(list(fresh), self._cache.vectors(NODE_VECTOR, fresh))
        for node_id in gone:
            self._texts.pop(node_id, None)
        self._texts.update(fresh)
        for node_id in looked_at:
            self._stale.pop(node_id, None)
        return not self._stale

    def nearest(self, vector: NDArray[np.float32], k: int) -> tuple[list[str], NDArray[np.float32]]:
        """The k nodes nearest to a vector, and their cosines."""
        return self._index.search(vector, k)

    def vectors(self, node_ids: Sequence[str]) -> Vectors:
        """The vectors of some nodes, in order.

        Raises:
            KeyError: one has none.
        """
        return np.stack([self._index.vector(node_id) for node_id in node_ids])
