"""MASSIVE and CLINC150 as benchmarks read them: from a folder outside the project, never copied into it."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.embedding.heldout import CLINC_DOMAINS, CLINC_HELD_OUT, MASSIVE_HELD_OUT, held_out_intents

MASSIVE = "massive-en-zh.tsv.gz"
CLINC = "clinc150.json.gz"


class DataMissing(Exception):
    """The corpora cannot be read; the message says where they were looked for."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence and what it wants.

    Attributes:
        english: the sentence.
        chinese: its translation; empty in CLINC150.
        intent: what it wants.
        domain: what the intent is about.
    """

    english: str
    chinese: str
    intent: str
    domain: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus.

    Attributes:
        name: how it is called in tables.
        train: utterances to be found.
        test: utterances to be judged by.
        unseen: intents that no training of the bundled model has seen.
    """

    name: str
    train: tuple[Utterance, ...]
    test: tuple[Utterance, ...]
    unseen: frozenset[str]

    @property
    def bilingual(self) -> bool:
        """Whether every utterance has a translation."""
        return all(one.chinese for one in self.test)


def read_massive(folder: Path) -> Corpus:
    """MASSIVE 1.0 in English and Chinese (FitzGerald et al. 2022), joined by id.

    Raises:
        DataMissing: it cannot be read.
    """
    rows = [(row["split"], _of_row(row)) for row in _table(folder / MASSIVE)]
    return _corpus("MASSIVE", rows, MASSIVE_HELD_OUT)


def read_clinc(folder: Path) -> Corpus:
    """CLINC150 (Larson et al. 2019), without what is out of its scope.

    Raises:
        DataMissing: it cannot be read.
    """
    domains = {intent: name for name, intents in CLINC_DOMAINS.items() for intent in intents}
    try:
        with gzip.open(folder / CLINC, "rt", encoding="utf-8") as file:
            splits: dict[str, list[tuple[str, str]]] = json.load(file)
    except OSError as error:
        raise _missing(folder / CLINC, error) from error
    rows = [
        (split, Utterance(text, "", intent, domains[intent]))
        for split in ("train", "test")
        for text, intent in splits[split]
    ]
    return _corpus("CLINC150", rows, CLINC_HELD_OUT)


def _corpus(name: str, rows: Sequence[tuple[str, Utterance]], held_out: int) -> Corpus:
    return Corpus(
        name,
        tuple(one for split, one in rows if split == "train"),
        tuple(one for split, one in rows if split == "test"),
        held_out_intents((one.intent for _, one in rows), held_out),
    )


def _of_row(row: dict[str, str]) -> Utterance:
    return Utterance(row["en"], row["zh"], row["intent"], row["scenario"])


def _table(path: Path) -> Iterator[dict[str, str]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    except OSError as error:
        raise _missing(path, error) from error


def _missing(path: Path, error: OSError) -> DataMissing:
    return DataMissing(
        f"{path} cannot be read: {error.strerror or error}. Name the folder of the corpora with --data."
    )
