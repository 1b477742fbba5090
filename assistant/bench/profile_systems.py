"""What the profile benchmark compares: the profile graph, and three ways of keeping the same instructions.

All embed with the same embedder, count tokens alike, and return text within the same budget.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from assistant.embedding.embeds import Embeds
from assistant.embedding.index import VectorIndex
from assistant.memory.profile.extract import findings
from assistant.memory.profile.profile import Profile
from assistant.memory.profile.tokens import tokens
from assistant.memory.store import Store
from assistant.records import Record

OURS = "profile graph"
RAW = "vectors, instructions"
FLAT = "vectors, extracted facts"
MEM0 = "mem0, infer=False"

_MOST = 400


class System(Protocol):
    """Something that takes in instructions and gives back what is worth knowing for a task."""

    def learn(self, record: Record) -> None:
        """Take one instruction in; afterwards it can be found."""

    def recall(self, task: str, budget: int) -> str:
        """What is known for a task, within a budget of tokens."""

    def close(self) -> None:
        """Let go of files."""


class ProfileSystem:
    """Ours, without a language model."""

    def __init__(self, folder: Path, embeds: Embeds, user_id: str) -> None:
        self._store = Store(folder)
        self.profile = Profile(self._store, embeds, user_id)

    def learn(self, record: Record) -> None:
        """Extract, write, embed what changed."""
        self.profile.learn(record)

    def recall(self, task: str, budget: int) -> str:
        """Starts, walks, shares."""
        return self.profile.facts_for(task, budget).text

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class RawSystem:
    """Plain vector retrieval over the instructions as they were typed, in memory."""

    def __init__(self, _folder: Path, embeds: Embeds, _user_id: str) -> None:
        self._embeds = embeds
        self._index: VectorIndex[str] = VectorIndex(embeds.dimensions)

    def learn(self, record: Record) -> None:
        """Embed the instruction."""
        self.add([record.said])

    def add(self, lines: list[str]) -> None:
        """Embed lines that are not there yet."""
        if new := [line for line in dict.fromkeys(lines) if line not in self._index]:
            self._index.add(new, self._embeds.embed(new))

    def recall(self, task: str, budget: int) -> str:
        """The nearest lines."""
        lines, _ = self._index.search(self._embeds.embed([task])[0], _MOST)
        return within(lines, budget)

    def close(self) -> None:
        """Nothing to close."""


class FlatSystem(RawSystem):
    """Plain vector retrieval over the same extracted facts, kept as a store that only adds keeps them."""

    def learn(self, record: Record) -> None:
        """Extract as ours does, and embed every fact."""
        self.add([f"{one.entity} · {one.key}: {one.text}" for one in findings(record)])


class Mem0System:
    """mem0 with its default vector store on disk, the same embedder, and no model that infers."""

    def __init__(self, folder: Path, embeds: Embeds, user_id: str) -> None:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder))
        os.environ.setdefault("OPENAI_API_KEY", "none")
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": embeds.dimensions, "on_disk": True}
        self._memory: Any = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Mem0Embedder(embeds)
        self._user_id = user_id

    def learn(self, record: Record) -> None:
        """Add the instruction as the user's message."""
        self._memory.add([{"role": "user", "content": record.said}], user_id=self._user_id, infer=False)

    def recall(self, task: str, budget: int) -> str:
        """Its own search."""
        found = self._memory.search(task, filters={"user_id": self._user_id}, top_k=_MOST, threshold=0.0)
        return within((one["memory"] for one in found["results"]), budget)

    def close(self) -> None:
        """Close its files."""
        self._memory.vector_store.client.close()


class _Mem0Embedder:
    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self._embeds.embed([text])[0].tolist()
        return vector

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        vectors: list[list[float]] = self._embeds.embed(texts).tolist()
        return vectors


def systems() -> dict[str, Callable[[Path, Embeds, str], System]]:
    """The systems that can run here; mem0 only where it is installed."""
    found: dict[str, Callable[[Path, Embeds, str], System]] = {
        OURS: ProfileSystem,
        RAW: RawSystem,
        FLAT: FlatSystem,
    }
    if find_spec("mem0") is not None:
        found[MEM0] = Mem0System
    return found


def within(lines: Iterable[str], budget: int) -> str:
    """As many of the first lines as fit."""
    kept: list[str] = []
    for line in lines:
        budget -= tokens(line) + 1
        if budget < 0:
            break
        kept.append(line)
    return "\n".join(kept)
