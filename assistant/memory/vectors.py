"""The vectors of stored texts, computed once for each embedding model, and again when the text changes.

`VectorIndex` finds exact nearest neighbours among vectors in memory, `VectorCache` stores vectors in the
database. When another model is chosen, `StoreEmbedder` keeps using the earlier one until all records have new
vectors.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, select
from threadpoolctl import ThreadpoolController

from assistant.embedding.embedder import Embedder, EmbeddingError, LazyEmbedder, Vectors
from assistant.embedding.models import InstalledModel, ModelRegistry
from assistant.memory import schema
from assistant.memory.database import StoreError, portions
from assistant.memory.prototypes.terms import main_clause
from assistant.memory.schema import NODE_VECTOR, RECORD_VECTOR
from assistant.memory.store import Store
from assistant.settings.schema import EmbeddingSettings

Key = TypeVar("Key", bound=Hashable)

_FIRST_ROWS = 256
# The number of BLAS threads belongs to the whole process: one search at a time sets it and sets it back.
_PINNED = threading.Lock()


class VectorIndex(Generic[Key]):
    """Unit vectors by key, searched by dot product. Thread-safe.

    Rows are appended, and the matrix doubles when it is full. A removed row is overwritten with zeros and
    skipped by searches; the matrix is compacted when half of its rows are removed ones.

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
        """Add vectors, one row for each key; the vector of an existing key is replaced.

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
        """Remove the vectors of some keys. Returns the number of keys that existed."""
        with self._lock:
            rows = [self._rows.pop(key) for key in set(keys) if key in self._rows]
            for row in rows:
                self._keys[row] = None
            self._matrix[rows] = 0.0
            if len(self._rows) * 2 < len(self._keys):
                self._close_up()
        return len(rows)

    def vector(self, key: Key) -> NDArray[np.float32]:
        """The vector of a key, of shape (dimensions,).

        Raises:
            KeyError: there is no such key.
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
        """The k nearest keys and their cosines, best first; keys with equal cosines in the order of adding.

        Args:
            vector: a unit vector of shape (dimensions,).
            k: maximum number of results.
            at_least: minimum cosine.
            within: the keys to choose from; None for all.

        Raises:
            ValueError: the vector has another length than `dimensions`.
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
        """The rows of some keys, as a mask."""
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
    """The `places` (row indices, ascending) of the k largest scores: largest first, equal scores in order."""
    if k <= 0:
        return places[:0]
    if k < len(places):
        lowest = np.partition(scores[places], len(places) - k)[len(places) - k]
        places = places[scores[places] >= lowest]
    return places[np.argsort(-scores[places], kind="stable")][:k]


_STORED = np.dtype("<f4")
_AT_ONCE = 64
"""How many texts are embedded for one transaction; it bounds the time for which other writers wait."""


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """The progress of a long job, in texts or records."""

    done: int
    total: int


class VectorCache:
    """The vectors of one model for everything in the store that has a text.

    The owner of a vector is given by a kind ("record", "prototype", "node") and an id. A vector is stale if
    the hash of the owner's text has changed; it is then computed again. Equal texts of several owners are
    embedded once.

    Args:
        store: where the vectors are stored. As derived data, only their number is in the audit.
        embeds: computes missing vectors.
    """

    def __init__(self, store: Store, embeds: Embedder) -> None:
        self.embeds = embeds
        self._store = store

    def vectors(self, kind: str, texts: Mapping[str, str]) -> Vectors:
        """The vectors of some texts, one row each, in order; missing and stale ones are computed and stored.

        Args:
            kind: the kind of the owners.
            texts: the text of each owner, by id.

        Raises:
            StoreError: the store cannot be written.
            EmbeddingError: the model cannot be run.
        """
        for _ in self.fill(kind, texts):
            pass
        vectors = self._stored(kind, texts)
        # Those that were forgotten meanwhile are not stored.
        forgotten = {text_hash(texts[owner]): texts[owner] for owner in texts if owner not in vectors}
        unstored = self._made(forgotten) if forgotten else {}
        rows = [vectors[owner] if owner in vectors else unstored[text_hash(texts[owner])] for owner in texts]
        return np.stack(rows) if rows else np.zeros((0, self.embeds.dimensions), np.float32)

    def fill(self, kind: str, texts: Mapping[str, str]) -> Iterator[EmbeddingProgress]:
        """Compute missing and stale vectors, with one small transaction for each step of the iteration.

        What was stored stays when the iteration is abandoned or the program ends. Owners that the caller
        removes from `texts` between two steps are skipped, and those that were forgotten meanwhile: nothing
        would delete their vectors any more.

        Raises:
            StoreError: the store cannot be written.
            EmbeddingError: the model cannot be run.
        """
        stored = self._stored(kind, texts)
        missing = [owner for owner in texts if owner not in stored]
        done = len(texts) - len(missing)
        yield EmbeddingProgress(done, len(texts))
        change_id: int | None = None
        for portion in portions(missing, _AT_ONCE):
            if left := {owner: texts[owner] for owner in portion if owner in texts}:
                rows = self._rows(kind, left)
                with self._store.change("make vectors", "texts or their model are new", change_id) as change:
                    owners = _find_owners(change.connection, kind, list(left))
                    change.replace(schema.vectors, [row for row in rows if row["owner"] in owners])
                change_id = change.id
            done += len(portion)
            yield EmbeddingProgress(done, len(texts))

    def drop_others(self, kind: str) -> None:
        """Delete the vectors of one kind that other models made.

        Raises:
            StoreError: the store cannot be written.
        """
        table = schema.vectors
        old = delete(table).where(table.c.kind == kind, table.c.model_id != self.embeds.model_id)
        with self._store.change("drop the vectors of another model", "the model changed") as change:
            change.rebuild(table, old)

    def index(self, kind: str) -> VectorIndex[str]:
        """An index of all vectors of one kind and this model, by owner."""
        table = schema.vectors
        query = select(table.c.owner, table.c.vector).where(
            table.c.kind == kind, table.c.model_id == self.embeds.model_id
        )
        index: VectorIndex[str] = VectorIndex(self.embeds.dimensions)
        with self._store.reader() as connection:
            for portion in portions(connection.execute(query.order_by(table.c.owner)), 10_000):
                index.add(
                    [row.owner for row in portion], np.stack([_decode_vector(row.vector) for row in portion])
                )
        return index

    def forget(self, kind: str, owners: Sequence[str]) -> None:
        """Delete the vectors of some owners, whichever model made them.

        Raises:
            StoreError: the store cannot be written.
        """
        table = schema.vectors
        with self._store.change("drop vectors", "their owners are gone") as change:
            for portion in portions(owners):
                change.rebuild(table, delete(table).where(table.c.kind == kind, table.c.owner.in_(portion)))

    def _stored(self, kind: str, texts: Mapping[str, str]) -> dict[str, NDArray[np.float32]]:
        """The stored vectors that are not stale, by owner."""
        table = schema.vectors
        query = select(table.c.owner, table.c.text_hash, table.c.vector).where(
            table.c.kind == kind, table.c.model_id == self.embeds.model_id
        )
        vectors: dict[str, NDArray[np.float32]] = {}
        with self._store.reader() as connection:
            for portion in portions(texts):
                for row in connection.execute(query.where(table.c.owner.in_(portion))):
                    if row.text_hash == text_hash(texts[row.owner]):
                        vectors[row.owner] = _decode_vector(row.vector)
        return vectors

    def _rows(self, kind: str, texts: Mapping[str, str]) -> list[dict[str, object]]:
        """The rows to store for some owners' vectors."""
        hashes = {owner: text_hash(text) for owner, text in texts.items()}
        by_hash = self._made(dict(zip(hashes.values(), texts.values(), strict=True)))
        return [
            {
                "kind": kind,
                "owner": owner,
                "model_id": self.embeds.model_id,
                "text_hash": hashed,
                "vector": by_hash[hashed].astype(_STORED).tobytes(),
            }
            for owner, hashed in hashes.items()
        ]

    def _made(self, texts: Mapping[str, str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of some texts by their hashes: stored ones of any owner, else computed."""
        table = schema.vectors
        query = select(table.c.text_hash, table.c.vector).where(
            table.c.model_id == self.embeds.model_id, table.c.text_hash.in_(list(texts))
        )
        with self._store.reader() as connection:
            by_hash = {str(row.text_hash): _decode_vector(row.vector) for row in connection.execute(query)}
        missing = [hashed for hashed in texts if hashed not in by_hash]
        vectors = self.embeds.embed([texts[hashed] for hashed in missing])
        return {**by_hash, **dict(zip(missing, vectors, strict=True))}


_OWNERS = {RECORD_VECTOR: schema.records, NODE_VECTOR: schema.profile_nodes}
"""The tables of those owners that can be forgotten, by kind."""


def _find_owners(connection: Connection, kind: str, owners: Collection[str]) -> Collection[str]:
    """Those of some owners that are still there."""
    table = _OWNERS.get(kind)
    if table is None:
        return owners
    return frozenset(connection.execute(select(table.c.id).where(table.c.id.in_(owners))).scalars())


def coverage(store: Store, kind: str) -> dict[str, int]:
    """The number of vectors of one kind, by the id of the model that made them."""
    table = schema.vectors
    query = select(table.c.model_id, func.count()).where(table.c.kind == kind).group_by(table.c.model_id)
    with store.reader() as connection:
        return {str(model_id): int(count) for model_id, count in connection.execute(query)}


def text_hash(text: str) -> str:
    """The hash with which a text's vector is stored."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _decode_vector(blob: bytes) -> NDArray[np.float32]:
    return np.frombuffer(blob, _STORED).astype(np.float32)


_log = logging.getLogger(__name__)


def earlier_model(store: Store, embeds: Embedder, library: ModelRegistry) -> InstalledModel | None:
    """The previous model, if it is still installed and has made more record vectors than the one in use.

    Raises:
        EmbeddingError: a manifest of the library cannot be read.
    """
    counts = coverage(store, RECORD_VECTOR)
    done = counts.pop(embeds.model_id, 0)
    for model_id in sorted(counts, key=lambda candidate: (-counts[candidate], candidate)):
        if counts[model_id] > done and (model := library.find_by_vectors(model_id)) is not None:
            return model
    return None


def catch_up(store: Store, embeds: Embedder) -> Iterator[EmbeddingProgress]:
    """Embed what all records do with the model in use; see `VectorCache.fill`.

    Vectors of other models stay searchable. The text is that of which prototypes are made, because a vector
    of another text is stale.

    Raises:
        EmbeddingError: the model cannot be run.
        StoreError: the store cannot be written.
    """
    texts = {record.id: main_clause(record.instruction) for record in store.records.of()}
    yield from VectorCache(store, embeds).fill(RECORD_VECTOR, texts)


class StoreEmbedder:
    """The sentence embedder of a store, loaded in the background when it is first used.

    After a change of model, the earlier model stays in use until the program ends, while the new one embeds
    all records in a thread. When that is done, the next start uses the new model.

    Args:
        store: the store that has the vectors.
        settings: which model is chosen.
        library: the installed models.
        moves: whether to embed all records with a new model; false for commands that only read.
    """

    def __init__(
        self,
        store: Store,
        settings: EmbeddingSettings,
        library: ModelRegistry | None = None,
        *,
        moves: bool = True,
    ) -> None:
        self._store = store
        self._settings = settings
        self._library = library or ModelRegistry()
        self._moves = moves
        self._late: LazyEmbedder | None = None
        self._moving: threading.Thread | None = None
        self._stopped = threading.Event()

    def current(self) -> LazyEmbedder:
        """The embedder in use; the first call starts to load it."""
        if self._late is None:
            self._late = LazyEmbedder(self._load)
        return self._late

    def close(self) -> None:
        """Stop embedding records with a new model; the next start continues."""
        self._stopped.set()
        self.settle()

    def settle(self) -> None:
        """Wait until all records are embedded with the new model, if that is going on."""
        if self._moving is not None:
            self._moving.join()

    def _load(self) -> Embedder:
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

    def _tidy(self, chosen: Embedder) -> None:
        """Delete the vectors of earlier models, once all records have vectors of the one in use."""
        counts = coverage(self._store, RECORD_VECTOR)
        if counts.pop(chosen.model_id, 0) and counts:
            try:
                VectorCache(self._store, chosen).drop_others(RECORD_VECTOR)
            except StoreError as problem:
                _log.warning("vectors of an earlier model stay for now: %s", problem)

    def _move(self, chosen: Embedder) -> None:
        try:
            for _ in catch_up(self._store, chosen):
                if self._stopped.is_set():
                    return
        except (EmbeddingError, StoreError) as problem:
            _log.warning("the new embedding model does not take over: %s", problem)
