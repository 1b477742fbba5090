"""The sentences that the model is trained on, without those that it is judged on."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from assistant.bench.corpora import CLINC_HELD_OUT, MASSIVE_HELD_OUT, clinc_domains, held_out_intents

VALIDATION_SEED = 1
MASSIVE_VALIDATION = 10
CLINC_VALIDATION = 20
_MASSIVE = "massive-en-zh.tsv.gz"
_TATOEBA = "tatoeba-en-zh.tsv.gz"
_CLINC = "clinc150.json.gz"


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence with what it wants. The intent's name carries its corpus; Chinese is empty in CLINC150."""

    english: str
    chinese: str
    intent: str
    domain: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence in both languages."""

    english: str
    chinese: str


@dataclass(frozen=True, slots=True)
class Corpora:
    """What one run sees.

    Attributes:
        train: utterances of the intents that are trained on.
        validation: utterances to choose settings by: the dev splits, without the held-out intents.
        kept_back: the intents of `validation` that are not in `train`; none unless settings are being chosen.
        test: MASSIVE's and CLINC150's test utterances of all intents.
        pairs: translated sentences: those of `train`, Tatoeba's, and the glossary's.
        held_out: intents that no run is trained on.
    """

    train: tuple[Utterance, ...]
    validation: tuple[Utterance, ...]
    kept_back: frozenset[str]
    test: tuple[Utterance, ...]
    pairs: tuple[Pair, ...]
    held_out: frozenset[str]


def read_corpora(folder: Path, *, selection: bool = False) -> Corpora:
    """Read the three corpora and the glossary.

    Utterances of held-out intents are left out of `train` and `pairs` whatever their split, as is any
    sentence that a test set holds word for word.

    Args:
        folder: where the corpora lie.
        selection: keep a second set of intents, and MASSIVE's dev split, out of training, to choose settings
            by; without it they are trained on.

    Raises:
        OSError: a file is missing.
    """
    massive = list(_massive(folder / _MASSIVE))
    clinc = list(_clinc(folder / _CLINC))
    held_out = _choose(massive, MASSIVE_HELD_OUT) | _choose(clinc, CLINC_HELD_OUT)
    rest = [(split, one) for split, one in massive + clinc if one.intent not in held_out]
    kept_back = _validation_intents(rest) if selection else frozenset()
    test = tuple(one for split, one in massive + clinc if split == "test")
    tested = {text for one in test for text in (one.english, one.chinese) if text}
    validation = tuple(one for split, one in rest if split in ("dev", "val"))
    train = tuple(
        one
        for split, one in rest
        if (split == "train" or (not selection and split != "test"))
        and one.intent not in kept_back
        and one.english not in tested
        and one.chinese not in tested
    )
    pairs = tuple(Pair(one.english, one.chinese) for one in train if one.chinese)
    return Corpora(train, validation, kept_back, test, pairs + _other_pairs(folder, tested), held_out)


def glossary() -> Iterator[Pair]:
    """Our own list of a phone's words in both languages."""
    text = (resources.files(__package__) / "glossary.tsv").read_text("utf-8")
    for line in text.splitlines()[1:]:
        chinese, english = line.split("\t")
        yield Pair(english, chinese)


def _other_pairs(folder: Path, tested: set[str]) -> tuple[Pair, ...]:
    rows = _table(folder / _TATOEBA)
    tatoeba = (Pair(row["en"], row["zh"]) for row in rows)
    return (
        *(pair for pair in tatoeba if pair.english not in tested and pair.chinese not in tested),
        *glossary(),
    )


def _choose(rows: Iterable[tuple[str, Utterance]], count: int) -> frozenset[str]:
    """The held-out intents of one corpus, chosen by their bare names."""
    names = {one.intent.partition(":")[2]: one.intent for _, one in rows}
    return frozenset(names[name] for name in held_out_intents(names, count))


def _validation_intents(rows: Iterable[tuple[str, Utterance]]) -> frozenset[str]:
    names = {one.intent for _, one in rows}
    massive = [name for name in names if name.startswith("massive:")]
    clinc = [name for name in names if name.startswith("clinc:")]
    chosen = held_out_intents(massive, MASSIVE_VALIDATION, VALIDATION_SEED)
    return chosen | held_out_intents(clinc, CLINC_VALIDATION, VALIDATION_SEED)


def _massive(path: Path) -> Iterator[tuple[str, Utterance]]:
    for row in _table(path):
        domain = f"massive:{row['scenario']}"
        yield row["split"], Utterance(row["en"], row["zh"], f"massive:{row['intent']}", domain)


def _clinc(path: Path) -> Iterator[tuple[str, Utterance]]:
    domains = {intent: name for name, intents in clinc_domains().items() for intent in intents}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        splits: dict[str, list[tuple[str, str]]] = json.load(file)
    for split in ("train", "val", "test"):
        for text, intent in splits[split]:
            yield split, Utterance(text, "", f"clinc:{intent}", f"clinc:{domains[intent]}")


def _table(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
