"""Judges models on test sentences, and prints a table.

The measures are those of `assistant bench embedding`, but for 1-NN: here the nearest is looked for among the
other test sentences, not among the training ones, which spares their vectors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.bench.embedding_measures import parted
from tools.embedding.base import LONGEST
from tools.embedding.build import Tokenize
from tools.embedding.corpora import Corpora, Utterance
from tools.embedding.encoder import Encoder

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
_TIMED = 300


def judged(embed: Embed, corpora: Corpora) -> dict[str, float]:
    """All figures of one model: on test sentences, or on validation ones while settings are chosen."""
    sentences = corpora.validation if corpora.kept_back else corpora.test
    unseen = corpora.kept_back or corpora.held_out
    found: dict[str, float] = {}
    for corpus in ("massive", "clinc"):
        chosen = [one for one in sentences if one.intent.startswith(f"{corpus}:")]
        english = [one.english for one in chosen]
        vectors = embed(english)
        words = [frozenset(text.lower().split()) for text in english]
        figures = _in_one_language(chosen, vectors, words, unseen)
        found |= {f"{corpus} en {name}": value for name, value in figures.items()}
        if not all(one.chinese for one in chosen):
            continue
        chinese = embed([one.chinese for one in chosen])
        pairs = [_pairs(one.chinese) for one in chosen]
        figures = _in_one_language(chosen, chinese, pairs, unseen)
        found |= {f"{corpus} zh {name}": value for name, value in figures.items()}
        texts = np.array(english)
        found[f"{corpus} zh→en exact"] = float((texts[(chinese @ vectors.T).argmax(axis=1)] == texts).mean())
    return found


def _in_one_language(
    chosen: Sequence[Utterance], vectors: Vectors, parts: Sequence[frozenset[str]], unseen: frozenset[str]
) -> dict[str, float]:
    intents = np.array([one.intent for one in chosen])
    domains = np.array([one.domain for one in chosen])
    asked = np.flatnonzero(np.isin(intents, list(unseen)))
    hard, rand = parted(vectors, parts, intents, domains, asked)
    scores = vectors @ vectors.T
    np.fill_diagonal(scores, -2.0)
    right = intents[scores.argmax(axis=1)] == intents
    return {
        "hard": hard,
        "rand": rand,
        "1-NN": float(right.mean()),
        "unseen 1-NN": float(right[asked].mean()),
    }


def _pairs(text: str) -> frozenset[str]:
    signs = [sign for sign in text if sign.isalnum()]
    return frozenset(first + second for first, second in pairwise(signs))


def table(columns: Mapping[str, Mapping[str, float]]) -> str:
    """Figures of several models side by side, as Markdown."""
    names = list(columns)
    lines = [f"| | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    lines += [
        f"| {row} | {' | '.join(f'{columns[name][row]:.3f}' for name in names)} |"
        for row in columns[names[0]]
    ]
    return "\n".join(lines)


def torch_embed(encoder: Encoder, tokenize: Tokenize) -> Embed:
    """Vectors in float32, by torch."""
    return lambda texts: np.asarray(encoder.vectors(tokenize(texts)).numpy(), np.float32)


def onnx_embed(folder: Path) -> Embed:
    """Vectors as the assistant makes them: by onnxruntime, one sentence at a time, on one core."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)

    def one(text: str) -> Vectors:
        identifiers = np.array([tokenizer.encode(text).ids], np.int64)
        inputs = {"input_ids": identifiers, "attention_mask": np.ones_like(identifiers)}
        return np.asarray(session.run(["embedding"], inputs)[0][0], np.float32)

    def embed(texts: Sequence[str]) -> Vectors:
        return np.stack([one(text) for text in texts])

    return embed


def latency(embed: Embed, texts: Sequence[str]) -> tuple[float, float]:
    """The median milliseconds for one sentence: by the clock, and of this thread's processor time.

    The first grows when other programs want the core.
    """
    wall, busy = [], []
    for text in texts[:_TIMED]:
        start, began = time.perf_counter(), time.thread_time()
        embed([text])
        busy.append(time.thread_time() - began)
        wall.append(time.perf_counter() - start)
    return float(np.median(wall)) * 1000.0, float(np.median(busy)) * 1000.0
