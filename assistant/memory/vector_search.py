"""Searching stored texts by meaning, also while another model takes over."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping

from assistant.embedding.embeds import Embeds
from assistant.embedding.errors import EmbeddingError
from assistant.embedding.library import Library
from assistant.memory.store import Store
from assistant.memory.vectors import Progress, VectorCache, coverage


class VectorSearch:
    """The texts of one kind of owner, resident and searchable.

    Args:
        store: where the vectors are kept.
        kind: of the owners, such as "record".
        embeds: the model in use.
        previous: the model before it, where its vectors are still the more complete: searched until `move` is
            through. Without it only what the new model has done is found meanwhile.
    """

    def __init__(self, store: Store, kind: str, embeds: Embeds, previous: Embeds | None = None) -> None:
        self._kind = kind
        self._new = VectorCache(store, embeds)
        self._writing = threading.Lock()
        self._to_move: dict[str, str] = {}
        counts = coverage(store, kind)
        ahead = previous is not None and counts.get(previous.model_id, 0) > counts.get(embeds.model_id, 0)
        cache = VectorCache(store, previous) if previous is not None and ahead else self._new
        # One attribute, so that a search needs no lock to see a cache with its own index.
        self._active = (cache, cache.index(kind))

    @property
    def model_id(self) -> str:
        """The model that searches use now."""
        return self._active[0].embeds.model_id

    def __len__(self) -> int:
        return len(self._active[1])

    def search(
        self, text: str, k: int, *, at_least: float = -1.0, within: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """The owners whose texts are nearest to a text, with their cosines, best first.

        Raises:
            EmbeddingError: the model cannot be run.
        """
        cache, index = self._active
        owners, scores = index.search(cache.embeds.embed([text])[0], k, at_least=at_least, within=within)
        return list(zip(owners, scores.tolist(), strict=True))

    def add(self, texts: Mapping[str, str]) -> None:
        """Keep new or changed texts, by their owners' ids, and make them searchable at once.

        Raises:
            StoreError: the store cannot be written.
            EmbeddingError: the model cannot be run.
        """
        with self._writing:
            self._leave_alone(texts)
            cache, index = self._active
            index.add(list(texts), cache.vectors(self._kind, texts))
            if cache is not self._new:
                self._new.vectors(self._kind, texts)

    def remove(self, owners: Collection[str]) -> None:
        """Forget some owners at once, in memory and in the store.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._writing:
            self._leave_alone(owners)
            self._active[1].remove(owners)
            self._new.forget(self._kind, list(owners))

    def move(self, texts: Mapping[str, str]) -> Iterator[Progress]:
        """Embed what the model in use has not done yet, and search with it from the last step on.

        A few texts are done between two steps; searches, `add` and `remove` go on meanwhile. What was done
        stays done when the iteration is left. One at a time.

        Args:
            texts: of all owners of the kind.

        Raises:
            StoreError: the store cannot be written.
            EmbeddingError: the model cannot be run.
        """
        self._to_move = dict(texts)
        steps = self._new.fill(self._kind, self._to_move)
        while (step := self._step(steps)) is not None:
            yield step

    def _step(self, steps: Iterator[Progress]) -> Progress | None:
        with self._writing:
            step = next(steps, None)
            if step is None:
                self._new.drop_others(self._kind)
                self._active = (self._new, self._new.index(self._kind))
        return step

    def _leave_alone(self, owners: Collection[str]) -> None:
        """Keep the move from writing what these owners had when it began."""
        for owner in owners:
            self._to_move.pop(owner, None)


def open_search(store: Store, kind: str, embeds: Embeds, library: Library) -> VectorSearch:
    """A search with the model in use, and with an earlier one that is still there while its vectors are more.

    Args:
        store: where the vectors are kept.
        kind: of the owners.
        embeds: the model in use.
        library: where an earlier model is looked for.

    Raises:
        EmbeddingError: the library cannot be read.
    """
    counts = coverage(store, kind)
    done = counts.pop(embeds.model_id, 0)
    for model_id in sorted(counts, key=lambda one: -counts[one]):
        model = library.of_vectors(model_id) if counts[model_id] > done else None
        if model is not None:
            try:
                return VectorSearch(store, kind, embeds, previous=model.load())
            except EmbeddingError:
                # An earlier model that is damaged is as good as gone.
                continue
    return VectorSearch(store, kind, embeds)
