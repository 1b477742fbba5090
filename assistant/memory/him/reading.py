"""What comparing needs of a record: its words, verbs, path and vector, worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embeds import Embeds
from assistant.memory.him.actions import Step, path_of
from assistant.memory.him.verbs import Signature, signature
from assistant.memory.him.words import word_set
from assistant.records import Click, LongClick, OpenApp, Outcome, Record, TypeText

_BATCH = 512
_CACHED_TEXTS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A record as the aggregation sees it. `path` is empty where nothing was carried out to its end.

    `arguments` are the words of the instruction that its actions typed, opened or touched: what it is about,
    not how it is put. `known` are all words of instruction and actions.
    """

    record_id: str
    user_id: str
    time: datetime
    scenario: str
    app: str
    text: str
    words: frozenset[str]
    verbs: Signature
    path: tuple[Step, ...]
    arguments: frozenset[str]
    known: frozenset[str]
    vector: NDArray[np.float32]

    @property
    def day(self) -> date:
        """The date in the user's zone."""
        return self.time.date()


class Reader:
    """Makes readings; every text is embedded once as long as it is remembered.

    Args:
        embeds: the sentence embedder.
    """

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def read(self, records: Iterable[Record]) -> Iterator[Reading]:
        """Readings of some records, in order, a batch at a time."""
        waiting = iter(records)
        while batch := list(islice(waiting, _BATCH)):
            vectors = self.vectors([record.instruction for record in batch])
            yield from (read(record, vector) for record, vector in zip(batch, vectors, strict=True))

    def vectors(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """The vectors of some texts, in order."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        fresh = dict(zip(missing, self._embeds.embed(missing), strict=True)) if missing else {}
        found = [fresh[text] if text in fresh else self._vectors[text] for text in texts]
        self._vectors |= fresh
        while len(self._vectors) > _CACHED_TEXTS:
            self._vectors.pop(next(iter(self._vectors)))
        return found


def read(record: Record, vector: NDArray[np.float32]) -> Reading:
    """A record with the vector of its instruction."""
    words = word_set(record.instruction)
    done = word_set(" . ".join(_texts(record)))
    broken_off = record.outcome in (Outcome.FAILED, Outcome.CANCELLED)
    return Reading(
        record_id=record.id,
        user_id=record.user_id,
        time=record.time,
        scenario=record.scenario,
        app=record.app or record.package,
        text=record.instruction,
        words=words,
        verbs=signature(record.instruction),
        path=() if broken_off else path_of(record.actions),
        arguments=words & done,
        known=words | done,
        vector=vector,
    )


def _texts(record: Record) -> Iterator[str]:
    """The texts that the actions typed, opened or touched."""
    for action in record.actions:
        match action:
            case Click(content=text) | LongClick(content=text):
                yield text
                if action.target:
                    yield action.target.label
            case TypeText(text=text) | OpenApp(name=text):
                yield text
