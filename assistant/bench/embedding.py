"""`bench embedding`: the sentence embedder beside plain MiniLM and hashed n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assistant.bench.corpora import Corpus, Utterance, read_clinc, read_massive
from assistant.bench.embedding_measures import CorpusVectors, beaten, measure
from assistant.bench.hashing import HashedNgrams
from assistant.bench.report import Report, progress, rounded, time_each
from assistant.embedding.embedder import Embedder, EmbeddingError, Vectors
from assistant.embedding.models import InstalledModel, ModelRegistry

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
LARGEST = 40_000_000
"""The most bytes that the bundled model and its tokenizer may have."""
_TIMED = 300
_WARM_UP = 20


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


def run(options: EmbeddingOptions) -> Report:
    """Measure the embedder and its baselines.

    Raises:
        DataMissing: a corpus cannot be read.
        EmbeddingError: the embedder in use cannot be loaded.
    """
    library = ModelRegistry()
    corpora = [_sampled(corpus, options) for corpus in (read_massive(options.data), read_clinc(options.data))]
    ours = library.find(options.model)
    contenders = [_measure(ours.name, ours.load(), ours, corpora)]
    note = ""
    try:
        minilm = _minilm(library, options.minilm)
        contenders.append(_measure("MiniLM", minilm.load(), minilm, corpora))
    except EmbeddingError as error:
        note = f"Plain MiniLM is not compared: {error}"
    contenders.append(_measure("hashed n-grams", HashedNgrams(), None, corpora))
    return report(contenders, corpora, note)


def _minilm(library: ModelRegistry, name: str) -> InstalledModel:
    try:
        return library.find(name or MINILM)
    except EmbeddingError as error:
        if name:
            raise
        raise EmbeddingError(
            f"install it with `assistant models install {MINILM}`, "
            "or write it with `python -m tools.minilm FOLDER` and give --minilm FOLDER."
        ) from error


def _sampled(corpus: Corpus, options: EmbeddingOptions) -> Corpus:
    def draw(split: tuple[Utterance, ...]) -> tuple[Utterance, ...]:
        if not options.sample or options.sample >= len(split):
            return split
        places = np.random.default_rng(options.seed).choice(len(split), options.sample, replace=False)
        return tuple(split[place] for place in sorted(places.tolist()))

    return replace(corpus, train=draw(corpus.train), test=draw(corpus.test))


def _measure(
    name: str, embeds: Embedder, model: InstalledModel | None, corpora: Sequence[Corpus]
) -> dict[str, Any]:
    """The figures of one embedder by corpus and measure.

    `bytes` are those of its files, None for one without. `each_ms` is one text at a time, on one thread.
    """
    texts = [utterance.english for corpus in corpora for utterance in corpus.test][: _TIMED + _WARM_UP]
    seconds = np.array(time_each(lambda text: embeds.embed([text]), texts)[_WARM_UP:] or [0.0])
    figures = {}
    for corpus in corpora:
        progress(f"{name}: {corpus.name}")
        figures[corpus.name] = rounded(measure(corpus, _corpus_vectors(embeds, corpus)))
    median, p95 = 1000 * np.percentile(seconds, (50, 95))
    return {
        "name": name,
        "bytes": _size(model) if model else None,
        "each_ms": {"median": round(float(median), 2), "p95": round(float(p95), 2)},
        "figures": figures,
    }


def _corpus_vectors(embeds: Embedder, corpus: Corpus) -> CorpusVectors:
    splits = (corpus.train, corpus.test)
    english = [_embed(embeds, [utterance.english for utterance in split]) for split in splits]
    if not corpus.bilingual:
        return CorpusVectors(*english)
    chinese = [_embed(embeds, [utterance.chinese for utterance in split]) for split in splits]
    return CorpusVectors(*english, *chinese)


def _embed(embeds: Embedder, texts: Sequence[str]) -> Vectors:
    """The vectors of some texts, each different one embedded once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    vectors: Vectors = embeds.embed(list(places))[[places[text] for text in texts]]
    return vectors


def _size(model: InstalledModel) -> int:
    if model.entry is not None:
        return sum(file.bytes for file in model.entry.files if file.path.endswith((".onnx", ".json")))
    return sum(file.stat().st_size for file in model.folder.rglob("*") if file.suffix in (".onnx", ".json"))


def report(contenders: Sequence[dict[str, Any]], corpora: Sequence[Corpus], note: str) -> Report:
    """All figures of ours, the first, beside those of the others."""
    ours, *others = contenders
    behind = [
        f"{other['name']} does better: {corpus} {name}"
        for other in others
        for corpus, figures in other["figures"].items()
        for name in beaten(ours["figures"][corpus], figures)
    ]
    too_large = ours["bytes"] is not None and ours["bytes"] > LARGEST
    sizes = {corpus.name: {"train": len(corpus.train), "test": len(corpus.test)} for corpus in corpora}
    values = {
        "contenders": contenders,
        "held_out": {corpus.name: sorted(corpus.unseen) for corpus in corpora},
        "utterances": sizes,
        "behind": behind,
        "note": note,
    }
    return Report(values, not behind and not too_large, simulated="")
