"""The data that benchmarks read: files of the checkout, and public corpora from a folder outside of it.

Which intents the embedding model never sees while it is trained, so that it can be judged on them.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

HELD_OUT_SEED = 0
MASSIVE_HELD_OUT = 12
"""Of MASSIVE's 60 intents."""
CLINC_HELD_OUT = 30
"""Of CLINC150's 150 intents."""


def clinc_domains() -> dict[str, tuple[str, ...]]:
    """The intents of CLINC150 by domain, as in table 1 of Larson et al. 2019.

    Raises:
        DataMissing: there is no checkout.
    """
    return {domain: tuple(intents.split()) for domain, intents in read_yaml("clinc_domains.yaml").items()}


def held_out_intents(names: Iterable[str], count: int, seed: int = HELD_OUT_SEED) -> frozenset[str]:
    """A choice of intents that depends on nothing but their names and the seed.

    The names are ranked by the SHA-256 of `seed:name`, and the first `count` of them are held out.
    """
    ranked = sorted(set(names), key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())
    return frozenset(ranked[:count])


MASSIVE = "massive-en-zh.tsv.gz"
CLINC = "clinc150.json.gz"


class DataMissing(Exception):
    """Data cannot be read; the message says where it was looked for and what to do."""


def read_text(name: str) -> str:
    """A file of `assistant/bench/data`.

    Raises:
        DataMissing: the program runs from an installed package, which has no data for benchmarks.
    """
    file = files("assistant.bench") / "data" / name
    try:
        return file.read_text("utf-8")
    except FileNotFoundError as error:
        raise DataMissing(
            f"The data of this benchmark, {name}, is not part of the installed package. Run the benchmark "
            "from a checkout of the project: `python -m assistant bench …` in its folder."
        ) from error


def read_yaml(name: str) -> Any:
    """The parsed YAML of a file of `assistant/bench/data`.

    Raises:
        DataMissing: see `read_text`.
    """
    return yaml.load(read_text(name), Loader=yaml.CSafeLoader)


def read_json_lines(name: str) -> list[dict[str, Any]]:
    """The objects in a file of `assistant/bench/data`, one a line.

    Raises:
        DataMissing: see `read_text`.
    """
    return [json.loads(line) for line in read_text(name).splitlines()]


def data_folder(given: Path | None = None) -> Path:
    """The folder of the public corpora: the one given, else ASSISTANT_DATA, else `../shared/data`.

    The last one lies beside the checkout. Nothing says that the folder exists.
    """
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return given or Path(os.environ.get("ASSISTANT_DATA") or beside)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence with its intent and the intent's domain; `chinese` is its translation, if there is one."""

    english: str
    chinese: str
    intent: str
    domain: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus of intents.

    Attributes:
        name: how it is called in tables.
        train: the utterances among which is searched.
        test: the utterances that are looked up.
        unseen: intents that no training of the bundled model has seen.
    """

    name: str
    train: tuple[Utterance, ...]
    test: tuple[Utterance, ...]
    unseen: frozenset[str]

    @property
    def bilingual(self) -> bool:
        """Whether every utterance has a translation."""
        return all(utterance.chinese for utterance in self.test)


def read_massive(folder: Path) -> Corpus:
    """MASSIVE 1.0 in English and Chinese (FitzGerald et al. 2022), joined by id.

    Raises:
        DataMissing: it cannot be read.
    """
    rows = [
        (row["split"], Utterance(row["en"], row["zh"], row["intent"], row["scenario"]))
        for row in massive_rows(folder)
    ]
    return _corpus("MASSIVE", rows, MASSIVE_HELD_OUT)


def massive_rows(folder: Path) -> Iterator[dict[str, str]]:
    """The lines of MASSIVE by column: id, split, intent, scenario, en, zh.

    Raises:
        DataMissing: it cannot be read.
    """
    try:
        with gzip.open(folder / MASSIVE, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    except OSError as error:
        raise _missing(folder / MASSIVE, error) from error


def read_clinc(folder: Path) -> Corpus:
    """CLINC150 (Larson et al. 2019), without what is out of its scope.

    Raises:
        DataMissing: it cannot be read.
    """
    domains = {intent: name for name, intents in clinc_domains().items() for intent in intents}
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
    train, test = (
        tuple(utterance for split, utterance in rows if split == part) for part in ("train", "test")
    )
    unseen = held_out_intents((utterance.intent for _, utterance in rows), held_out)
    return Corpus(name, train, test, unseen)


def _missing(path: Path, error: OSError) -> DataMissing:
    return DataMissing(
        f"{path} cannot be read: {error.strerror or error}. Name the folder of the corpora with --data."
    )
