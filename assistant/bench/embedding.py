"""The sentence embedder beside plain MiniLM and hashed n-grams: what it parts and finds, size and times."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from assistant.bench.embedding_measures import CorpusVectors, beaten, measured
from assistant.bench.figures import Spread, spread
from assistant.bench.hashed_ngrams import HashedNgrams
from assistant.bench.intent_corpora import Corpus, Utterance, read_clinc, read_massive
from assistant.bench.report import Grid, Report
from assistant.embedding.embeds import Embeds, Vectors
from assistant.embedding.errors import EmbeddingError
from assistant.embedding.library import Library, Model

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
LARGEST = 40_000_000
"""The most bytes that the bundled model and its tokenizer may have."""
_HASHED = "hashed n-grams"
_TIMED = 300
_WARM_UP = 20
_COLD_START = """
import sys, time
start = time.perf_counter()
from assistant.embedding.library import Library
Library().find(sys.argv[1]).load().embed(["set an alarm for seven"])
print(time.perf_counter() - start)
"""


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """What is measured.

    Attributes:
        data: the folder of the corpora.
        model: the embedder in use, as the settings name it.
        minilm: plain MiniLM in ONNX form: a folder, or an installed model's name; empty for the one installed
            under its own name, if there is one.
        sample: the most utterances of each split that are drawn; 0 for all.
        seed: of that draw.
    """

    data: Path
    model: str = ""
    minilm: str = ""
    sample: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Contender:
    """One embedder with its figures.

    Attributes:
        name: how it is called in the tables.
        size: bytes of its files; None for one without.
        cold: seconds from nothing to the first vector, in a process of its own; None for one without files.
        each: one text at a time, on one thread.
        figures: by corpus and measure.
    """

    name: str
    size: int | None
    cold: float | None
    each: Spread
    figures: dict[str, dict[str, float]]


def report(options: EmbeddingOptions, tell: Callable[[str], None]) -> Report:
    """Measure the embedder and its baselines.

    Raises:
        DataMissing: a corpus cannot be read.
        EmbeddingError: the embedder in use cannot be loaded.
    """
    library = Library()
    corpora = [_sampled(corpus, options) for corpus in (read_massive(options.data), read_clinc(options.data))]
    ours = library.find(options.model)
    contenders = [_measured(ours.name, ours.load(), ours, corpora, tell)]
    note = ""
    try:
        minilm = _minilm(library, options.minilm)
        contenders.append(_measured("MiniLM", minilm.load(), minilm, corpora, tell))
    except EmbeddingError as error:
        note = f"Plain MiniLM is not compared: {error}"
    contenders.append(_measured(_HASHED, HashedNgrams(), None, corpora, tell))
    return _report(contenders, corpora, note)


def _minilm(library: Library, named: str) -> Model:
    try:
        return library.find(named or MINILM)
    except EmbeddingError as error:
        if named:
            raise
        raise EmbeddingError(
            f"install it with `assistant models install {MINILM}`, "
            "or write it with `python -m tools.minilm FOLDER` and give --minilm FOLDER."
        ) from error


def _sampled(corpus: Corpus, options: EmbeddingOptions) -> Corpus:
    def drawn(split: tuple[Utterance, ...]) -> tuple[Utterance, ...]:
        if not options.sample or options.sample >= len(split):
            return split
        places = np.random.default_rng(options.seed).choice(len(split), options.sample, replace=False)
        return tuple(split[place] for place in sorted(places.tolist()))

    return replace(corpus, train=drawn(corpus.train), test=drawn(corpus.test))


def _measured(
    name: str, embeds: Embeds, model: Model | None, corpora: Sequence[Corpus], tell: Callable[[str], None]
) -> Contender:
    texts = [one.english for corpus in corpora for one in corpus.test][: _TIMED + _WARM_UP]
    each = _timed(embeds, texts)
    figures = {}
    for corpus in corpora:
        tell(f"{name}: {corpus.name}")
        figures[corpus.name] = measured(corpus, _vectors(embeds, corpus))
    return Contender(
        name, _size(model) if model else None, _cold_start(model) if model else None, each, figures
    )


def _timed(embeds: Embeds, texts: Sequence[str]) -> Spread:
    seconds = []
    for text in texts:
        start = perf_counter()
        embeds.embed([text])
        seconds.append(perf_counter() - start)
    return spread(seconds[_WARM_UP:])


def _vectors(embeds: Embeds, corpus: Corpus) -> CorpusVectors:
    english = [_embedded(embeds, [one.english for one in split]) for split in (corpus.train, corpus.test)]
    if not corpus.bilingual:
        return CorpusVectors(*english)
    chinese = [_embedded(embeds, [one.chinese for one in split]) for split in (corpus.train, corpus.test)]
    return CorpusVectors(*english, *chinese)


def _embedded(embeds: Embeds, texts: Sequence[str]) -> Vectors:
    """The vectors of some texts, each different one embedded once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    vectors: Vectors = embeds.embed(list(places))[[places[text] for text in texts]]
    return vectors


def _size(model: Model) -> int:
    if model.entry is not None:
        return sum(file.bytes for file in model.entry.files if file.path.endswith((".onnx", ".json")))
    return sum(file.stat().st_size for file in model.folder.rglob("*") if file.suffix in (".onnx", ".json"))


def _cold_start(model: Model) -> float | None:
    name = str(model.folder) if model.entry is None else model.name
    command = [sys.executable, "-c", _COLD_START, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else None


def _report(contenders: Sequence[Contender], corpora: Sequence[Corpus], note: str) -> Report:
    ours, *others = contenders
    behind = [
        f"{other.name} does better: {corpus} {name}"
        for other in others
        for corpus, figures in other.figures.items()
        for name in beaten(ours.figures[corpus], figures)
    ]
    too_large = ours.size is not None and ours.size > LARGEST
    columns = ("", *(one.name for one in contenders))
    numbers = frozenset(columns[1:])
    grids = [
        Grid(
            corpus.name,
            columns,
            tuple(
                (name, *(f"{one.figures[corpus.name][name]:.3f}" for one in contenders))
                for name in ours.figures[corpus.name]
            ),
            numbers,
        )
        for corpus in corpora
    ]
    grids.append(Grid("Size and time, one thread", columns, _costs(contenders), numbers))
    lines = [
        *(
            f"{corpus.name}: {len(corpus.test)} test and {len(corpus.train)} training utterances, "
            f"{len(corpus.unseen)} intents held out."
            for corpus in corpora
        ),
        "1-NN: the nearest training sentence has the same intent. unseen: asked of held-out intents only.",
        "hard: AUC, held-out intents, same intent with few common words against other intents of its domain; "
        "rand: against all others.",
        *behind,
        *([f"The model has more than {LARGEST / 1e6:.0f} MB."] if too_large else []),
        *([note] if note else []),
    ]
    values = {
        "contenders": [_as_json(one) for one in contenders],
        "held_out": {corpus.name: sorted(corpus.unseen) for corpus in corpora},
        "utterances": {c.name: {"train": len(c.train), "test": len(c.test)} for c in corpora},
        "behind": behind,
        "note": note,
    }
    return Report(values, grids, lines, not behind and not too_large, simulated="")


def _costs(contenders: Sequence[Contender]) -> tuple[tuple[str, ...], ...]:
    def row(name: str, of: Callable[[Contender], str]) -> tuple[str, ...]:
        return (name, *map(of, contenders))

    return (
        row("MB", lambda one: "-" if one.size is None else f"{one.size / 1e6:.1f}"),
        row("cold start, ms", lambda one: "-" if one.cold is None else f"{1000 * one.cold:.0f}"),
        row("a sentence, median ms", lambda one: f"{one.each.median:.2f}"),
        row("a sentence, p95 ms", lambda one: f"{one.each.p95:.2f}"),
    )


def _as_json(one: Contender) -> dict[str, Any]:
    return {
        "name": one.name,
        "bytes": one.size,
        "cold_start_ms": None if one.cold is None else round(1000 * one.cold),
        "each_ms": {"median": round(one.each.median, 2), "p95": round(one.each.p95, 2)},
        "figures": {
            corpus: {name: round(value, 4) for name, value in figures.items()}
            for corpus, figures in one.figures.items()
        },
    }
