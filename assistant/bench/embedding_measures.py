"""How well vectors part what sentences want. Figures are in 0..1, more is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assistant.bench.corpora import Corpus
from assistant.embedding.embedder import Vectors

LOW_OVERLAP = 0.2
"""Sentences with a larger Jaccard overlap of words (of character pairs in Chinese) do not count as alike."""
_ROWS_AT_ONCE = 1000

Labels = NDArray[np.str_]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CorpusVectors:
    """The vectors of a corpus, in its order; those of Chinese are None where it has none."""

    train: Vectors
    test: Vectors
    chinese_train: Vectors | None = None
    chinese_test: Vectors | None = None


def measure(corpus: Corpus, vectors: CorpusVectors) -> dict[str, float]:
    """All figures of one corpus.

    - `1-NN`: how often the nearest training sentence has a test sentence's intent. Test sentences that are
      training sentences too are not asked.
    - `unseen 1-NN`: the same, asked of the held-out intents only.
    - `hard`: AUC of two sentences of one held-out intent with low overlap against two of different intents of
      the same domain. `rand`: against two of any different intents.
    - `zh→en`: asked in Chinese, found in English.
    - `exact zh→en`: how often the nearest English test sentence is the translation.
    """
    figures = _in_one_language(corpus, "en", vectors.train, vectors.test)
    if vectors.chinese_train is None or vectors.chinese_test is None:
        return figures
    figures |= _in_one_language(corpus, "zh", vectors.chinese_train, vectors.chinese_test)
    labels, intents = _intents(corpus)
    unseen = np.isin(intents, list(corpus.unseen))
    right = labels[nearest(vectors.chinese_test, vectors.train)] == intents
    figures["1-NN zh→en"] = _share(right)
    figures["unseen 1-NN zh→en"] = _share(right[unseen])
    english = np.array([utterance.english for utterance in corpus.test])
    figures["exact zh→en"] = _share(english[nearest(vectors.chinese_test, vectors.test)] == english)
    return figures


def _in_one_language(corpus: Corpus, language: str, train: Vectors, test: Vectors) -> dict[str, float]:
    labels, intents = _intents(corpus)
    in_english = language == "en"
    trained, texts = (
        [utterance.english if in_english else utterance.chinese for utterance in split]
        for split in (corpus.train, corpus.test)
    )
    fresh = ~np.isin(texts, trained)
    unseen = np.isin(intents, list(corpus.unseen))
    right = labels[nearest(test, train)] == intents
    domains = np.array([utterance.domain for utterance in corpus.test])
    parts = [_words(text) if in_english else _character_pairs(text) for text in texts]
    hard, rand = parted(test, parts, intents, domains, np.flatnonzero(unseen))
    return {
        f"1-NN {language}": _share(right[fresh]),
        f"unseen 1-NN {language}": _share(right[fresh & unseen]),
        f"hard {language}": hard,
        f"rand {language}": rand,
    }


def nearest(asked: Vectors, among: Vectors) -> Places:
    """The row of `among` that is nearest to each row of `asked`."""
    rows = [
        (asked[start : start + _ROWS_AT_ONCE] @ among.T).argmax(axis=1)
        for start in range(0, len(asked), _ROWS_AT_ONCE)
    ]
    return np.concatenate(rows) if rows else np.empty(0, np.intp)


def parted(
    vectors: Vectors, parts: Sequence[frozenset[str]], intents: Labels, domains: Labels, asked: Places
) -> tuple[float, float]:
    """AUC of paraphrases with few common parts against other intents of the domain, and against all others.

    Args:
        vectors: of the sentences.
        parts: words or character pairs of each sentence.
        intents: of each sentence.
        domains: of each sentence.
        asked: the sentences that are compared with the others.
    """
    same: list[Vectors] = []
    close: list[Vectors] = []
    other: list[Vectors] = []
    for place in asked.tolist():
        scores = vectors @ vectors[place]
        alike = intents == intents[place]
        in_domain = ~alike & (domains == domains[place])
        paraphrases = [
            other
            for other in np.flatnonzero(alike).tolist()
            if other != place and _overlap(parts[other], parts[place]) <= LOW_OVERLAP
        ]
        if paraphrases and in_domain.any():
            same.append(scores[paraphrases])
            close.append(scores[in_domain])
            other.append(scores[~alike])
    if not same:
        return float("nan"), float("nan")
    better = np.concatenate(same)
    return auc(better, np.concatenate(close)), auc(better, np.concatenate(other))


def auc(better: NDArray[np.float32], worse: NDArray[np.float32]) -> float:
    """The chance that one of the better is above one of the worse; a tie counts half."""
    ordered = np.sort(worse)
    below = np.searchsorted(ordered, better, "left") + np.searchsorted(ordered, better, "right")
    return float(below.mean() / (2.0 * len(ordered)))


def beaten(ours: Mapping[str, float], theirs: Mapping[str, float]) -> list[str]:
    """The figures in which others do better than we do."""
    return [name for name, value in theirs.items() if value > ours.get(name, 0.0)]


def _intents(corpus: Corpus) -> tuple[Labels, Labels]:
    train, test = (
        np.array([utterance.intent for utterance in split]) for split in (corpus.train, corpus.test)
    )
    return train, test


def _share(right: NDArray[np.bool_]) -> float:
    return float(right.mean()) if len(right) else float("nan")


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(1, len(left | right))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


def _character_pairs(text: str) -> frozenset[str]:
    signs = [sign for sign in text if sign.isalnum()]
    return frozenset(first + second for first, second in pairwise(signs))
