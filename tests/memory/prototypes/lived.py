"""Small lives for the tests of prototypes: a hashing embedder and records that are quickly written."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

import numpy as np

from assistant.embedding.embedder import Vectors
from assistant.memory.prototypes.similarity import RecordFeatures, extract_features
from assistant.memory.prototypes.terms import main_clause, word_set
from assistant.records import Action, Click, Finished, OpenApp, Outcome, Point, Record, TypeText

ZONE = timezone(timedelta(hours=8))
MONDAY = datetime(2026, 3, 2, 12, 5, tzinfo=ZONE)
ORDER = "Order beef noodles without coriander on Eats"
CANCEL = "Cancel the order of beef noodles on Eats"
COFFEE = "Order a flat white with oat milk on Beans"


class Hashing:
    """Embeds the words of a text, each at one place: deterministic, quick, and blind to meaning."""

    model_id = "hashing"
    dimensions = 256

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.1
            for word in word_set(text):
                row[zlib.crc32(word.encode()) % self.dimensions] += 1.0
            row /= np.linalg.norm(row)
        return rows


def trail(app: str, item: str, aside: float = 0.0) -> tuple[Action, ...]:
    return (
        OpenApp(name=app),
        Click(point=Point(0.5 + aside, 0.1), content="Search"),
        TypeText(text=item),
        Click(point=Point(0.5, 0.3 + aside)),
        Click(point=Point(0.9 - aside, 0.9), content="Order"),
        Finished(),
    )


def record(
    name: str,
    instruction: str = ORDER,
    *,
    day: int = 0,
    minutes: int = 0,
    user_id: str = "1",
    app: str = "Eats",
    item: str = "beef noodles",
    scenario: str = "office",
    outcome: Outcome | None = Outcome.SUCCESS,
    actions: tuple[Action, ...] | None = None,
) -> Record:
    return Record(
        id=name,
        user_id=user_id,
        time=MONDAY + timedelta(days=day, minutes=minutes),
        scenario=scenario,
        app=app,
        package=f"com.example.{app.lower()}",
        instruction=instruction,
        outcome=outcome,
        actions=trail(app, item) if actions is None else actions,
    )


def readings(*records: Record) -> list[RecordFeatures]:
    vectors = Hashing().embed([main_clause(record.instruction) for record in records])
    return [extract_features(record, vector) for record, vector in zip(records, vectors, strict=True)]
