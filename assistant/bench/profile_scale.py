"""`bench profile-scale`: update and retrieval of the profile at 100 to 100,000 nodes (MobiMem, Table 3).

Beside ours: chromadb, where it is installed, and the naive store that reads every vector from SQLite for each
query. Node vectors are drawn around centres, as embedding so many texts would only measure the embedder;
queries are embedded for real.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert

from assistant.bench.report import Report, progress, spread, time_each
from assistant.embedding.embedder import Embedder, Vectors
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.profile.graph import NodeKind, Strength, make_node_id, make_value_id
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.records import Record

SIZES = (100, 1_000, 10_000, 100_000)
PAPER = {100: 8.77, 1_000: 21.11, 10_000: 178.40, 100_000: 1291.28}
"""Milliseconds of Table 3's search for the starts, by the number of nodes."""

SMALL_BUDGET_MILLISECONDS = 10.0
LARGE_BUDGET_MILLISECONDS = 1291.28 / 20
"""At 100 and at 100,000 nodes."""

_USER = "me"
_STARTED = datetime(2026, 3, 9, 12, tzinfo=UTC)
_PER_CONCEPT = 20
_QUERIES = 20
_STARTS = 10
_TASKS = (
    "order me something for dinner",
    "book a hotel for the weekend",
    "buy a present for my mom",
    "晚上帮我点个外卖",
    "find me something to watch",
)


class DrawnEmbedder:
    """Embeds one text for real and many as drawn vectors around a few hundred centres."""

    def __init__(self, embeds: Embedder, seed: int) -> None:
        self.model_id = f"{embeds.model_id}-drawn"
        self.dimensions = embeds.dimensions
        self._embeds = embeds
        self._chance = np.random.default_rng(seed)
        self._centres = self._chance.standard_normal((256, embeds.dimensions), np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One text for real, several drawn."""
        if len(texts) == 1:
            return self._embeds.embed(texts)
        noise = self._chance.standard_normal((len(texts), self.dimensions), np.float32)
        rows = self._centres[self._chance.integers(len(self._centres), size=len(texts))] + noise
        drawn: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return drawn


def run(embeds: Embedder, sizes: Sequence[int], seed: int, chroma: bool = True) -> Report:
    """Measure each size in a store of its own."""
    rows = []
    for nodes in sizes:
        with TemporaryDirectory(prefix="assistant-bench-") as folder:
            drawn = DrawnEmbedder(embeds, seed)
            rows.append(_measure(Path(folder), drawn, embeds, nodes, chroma and has_chroma()))
        progress(f"{nodes} nodes: {rows[-1]['retrieval']['median_ms']:.1f} ms")
    return report(rows, embeds.model_id)


def _measure(
    folder: Path, drawn: DrawnEmbedder, embeds: Embedder, nodes: int, chroma: bool
) -> dict[str, Any]:
    """What is measured at one number of nodes; `retrieval_cpu` is a retrieval's processor time."""
    store = Store(folder / "memory")
    fill_profile(store, nodes)
    Profile(store, drawn, _USER).facts_for("warm up")
    profile = Profile(store, drawn, _USER)
    (load,) = time_each(profile.facts_for, ["warm up"])
    tasks = [_TASKS[number % len(_TASKS)] for number in range(_QUERIES)]
    file = folder / "memory" / "memory.sqlite"
    embedding = time_each(lambda task: embeds.embed([task]), tasks)
    retrieval = time_each(profile.facts_for, tasks)
    cpu = time_each(profile.facts_for, tasks, thread_time)
    update = time_each(profile.learn, map(_record, range(_QUERIES)))
    megabytes = file.stat().st_size / 1e6
    naive = time_each(lambda task: _search_naively(file, embeds.embed([task])[0]), tasks)
    by_chroma = _search_chroma(folder, file, embeds, tasks) if chroma else ()
    store.close()
    return {
        "nodes": nodes,
        "update": spread(update),
        "retrieval": spread(retrieval),
        "retrieval_cpu": spread(cpu),
        "embedding": spread(embedding),
        "naive": spread(naive),
        "chromadb": spread(by_chroma) if chroma else None,
        "paper_search_ms": PAPER.get(nodes),
        "load_s": round(load, 2),
        "storage_mb": round(megabytes, 1),
    }


def _record(number: int) -> Record:
    said = (
        f"Order noodles number {number}, not too spicy, deliver it to the office. I always pay with Alipay."
    )
    time = _STARTED + timedelta(hours=number)
    return Record(id=f"r{number}", user_id=_USER, time=time, said=said, instruction=said)


def fill_profile(store: Store, count: int) -> None:
    """Write concepts and entities with a value each, straight into the tables."""
    nodes: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []
    evidence: list[dict[str, Any]] = []
    concept = ""
    for number in range(count):
        is_concept = number % (_PER_CONCEPT + 1) == 0
        kind = NodeKind.CONCEPT if is_concept else NodeKind.ENTITY
        name = f"{kind} {number}"
        node = make_node_id(_USER, kind, name)
        nodes.append(
            {"id": node, "user_id": _USER, "kind": kind.value, "name": name, "pinned": False, "hidden": False}
        )
        if concept:
            links.append({"one": min(node, concept), "other": max(node, concept)})
        if is_concept:
            concept = node
            continue
        value, sense = make_value_id(node, "note", str(number)), str(number)
        fact = {"key": "note", "text": f"what is worth knowing about number {number}", "sense": sense}
        values.append({"id": value, "node_id": node, **fact, "single": True, "hidden": False})
        source = {"record_id": f"old{number}", "time": _STARTED.isoformat()}
        evidence.append({"value_id": value, **source, "strength": Strength.IMPLIED.value})
    with store.database.write() as connection:
        for table, rows in zip(schema.PROFILE_TABLES, (nodes, links, values, evidence), strict=True):
            for portion in portions(rows, 5_000):
                connection.execute(insert(table), portion)


def _vectors(file: Path) -> Iterator[tuple[str, bytes]]:
    connection = sqlite3.connect(file)
    yield from connection.execute("SELECT owner, vector FROM vectors WHERE kind = 'node'")
    connection.close()


def _search_naively(file: Path, query: NDArray[np.float32]) -> list[str]:
    rows = list(_vectors(file))
    matrix = np.frombuffer(b"".join(blob for _, blob in rows), "<f4").reshape(len(rows), -1)
    return [rows[place][0] for place in np.argsort(-(matrix @ query))[:_STARTS]]


def has_chroma() -> bool:
    """Whether chromadb can be compared here."""
    return find_spec("chromadb") is not None


def _search_chroma(folder: Path, file: Path, embeds: Embedder, tasks: Sequence[str]) -> tuple[float, ...]:
    chromadb: Any = import_module("chromadb")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(folder / "chroma"), settings)
    collection = client.create_collection("nodes", metadata={"hnsw:space": "ip"}, embedding_function=None)
    for portion in portions(_vectors(file), 5_000):
        vectors = [np.frombuffer(blob, "<f4") for _, blob in portion]
        collection.add(ids=[owner for owner, _ in portion], embeddings=vectors)

    def search(task: str) -> object:
        return collection.query(query_embeddings=[embeds.embed([task])[0]], n_results=_STARTS)

    search("warm up")
    return time_each(search, tasks)


def report(rows: Sequence[Mapping[str, Any]], model_id: str) -> Report:
    """Table 3 with ours, the baselines and the paper's search."""
    marks = {SIZES[0]: SMALL_BUDGET_MILLISECONDS, SIZES[-1]: LARGE_BUDGET_MILLISECONDS}
    good = all(row["retrieval_cpu"]["median_ms"] <= marks.get(row["nodes"], inf) for row in rows)
    values = {"benchmark": "profile-scale", "model": model_id, "sizes": rows}
    return Report(values, good)
