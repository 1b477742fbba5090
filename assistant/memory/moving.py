"""When another embedding model takes over: search with the earlier one until the new one has caught up."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

from assistant.embedding.embeds import Embeds
from assistant.embedding.errors import EmbeddingError
from assistant.embedding.late import LateEmbedder
from assistant.embedding.library import Library, Model
from assistant.memory.derived import RECORD_VECTOR
from assistant.memory.store import Store, StoreError
from assistant.memory.vectors import Progress, VectorCache, coverage
from assistant.settings.schema import EmbeddingSettings

_log = logging.getLogger(__name__)


def earlier_model(store: Store, embeds: Embeds, library: Library) -> Model | None:
    """The model before the one in use, while its vectors of records are more and it is still installed.

    Raises:
        EmbeddingError: a manifest of the library cannot be read.
    """
    counts = coverage(store, RECORD_VECTOR)
    done = counts.pop(embeds.model_id, 0)
    for model_id in sorted(counts, key=lambda one: (-counts[one], one)):
        if counts[model_id] > done and (model := library.of_vectors(model_id)) is not None:
            return model
    return None


def catch_up(store: Store, embeds: Embeds) -> Iterator[Progress]:
    """Embed all records with the model in use.

    A few texts and one small transaction lie between two steps; what was done stays done when the iteration
    is left. What other models made stays searchable.

    Raises:
        EmbeddingError: the model cannot be run.
        StoreError: the store cannot be written.
    """
    texts = {record.id: record.instruction for record in store.records.of()}
    yield from VectorCache(store, embeds).fill(RECORD_VECTOR, texts)


class ChosenEmbedder:
    """The sentence embedder of a store, loaded in the background when it is first asked for.

    After a change of model it stays the earlier one for as long as the program runs, while the new one embeds
    all records in a thread; once that is through, the next start takes the new one.

    Args:
        store: whose vectors these are.
        settings: which model is chosen.
        library: where models are looked for.
        moves: whether a new model may take over; a command that only looks leaves that to the next start.
    """

    def __init__(
        self,
        store: Store,
        settings: EmbeddingSettings,
        library: Library | None = None,
        *,
        moves: bool = True,
    ) -> None:
        self._store = store
        self._settings = settings
        self._library = library or Library()
        self._moves = moves
        self._late: LateEmbedder | None = None
        self._moving: threading.Thread | None = None
        self._stopped = threading.Event()

    def current(self) -> LateEmbedder:
        """The embedder to use; asking for it begins to load it."""
        if self._late is None:
            self._late = LateEmbedder(self._load)
        return self._late

    def close(self) -> None:
        """Leave a move where it is; it goes on next time."""
        self._stopped.set()
        self.settle()

    def settle(self) -> None:
        """Wait until no move is under way."""
        if self._moving is not None:
            self._moving.join()

    def _load(self) -> Embeds:
        chosen = self._library.load(self._settings)
        earlier = earlier_model(self._store, chosen, self._library)
        if earlier is None:
            if self._moves:
                self._tidy(chosen)
            return chosen
        if not self._moves:
            return earlier.load()
        self._moving = threading.Thread(target=self._move, args=(chosen,), name="moving", daemon=True)
        self._moving.start()
        return earlier.load()

    def _tidy(self, chosen: Embeds) -> None:
        """Drop what earlier models made: everything is there in the vectors of the one in use."""
        counts = coverage(self._store, RECORD_VECTOR)
        if counts.pop(chosen.model_id, 0) and counts:
            try:
                VectorCache(self._store, chosen).drop_others(RECORD_VECTOR)
            except StoreError as problem:
                _log.warning("vectors of an earlier model stay for now: %s", problem)

    def _move(self, chosen: Embeds) -> None:
        try:
            for _ in catch_up(self._store, chosen):
                if self._stopped.is_set():
                    return
        except (EmbeddingError, StoreError) as problem:
            _log.warning("the new embedding model does not take over: %s", problem)
