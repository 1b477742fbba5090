"""First vectors for Chinese words: mixtures of the English words that they are translated by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 8
_MIXED = 12


def translated_rows(
    chinese: Sequence[Sequence[int]],
    english: Sequence[Sequence[int]],
    words: int,
    table: NDArray[np.float32],
) -> NDArray[np.float32]:
    """A vector for each Chinese word, by IBM Model 1 (Brown et al. 1993, section 4.1) over translations.

    The model is p(English token | Chinese word); the vector is the mixture of the likeliest English rows,
    scaled to their mean length. A word that no sentence holds gets the mean of all.

    Args:
        chinese: the words of each sentence, counted from 0.
        english: the token identifiers of its translation.
        words: how many Chinese words there are.
        table: the English rows, shape (tokens, dimensions).
    """
    # Word 0 is the empty word, which takes the English tokens that translate nothing.
    sentences = [[0, *(word + 1 for word in sentence)] for sentence in chinese]
    sources, targets, slots, start = [], [], [], 0
    for words_here, tokens in zip(sentences, english, strict=True):
        sources.append(np.repeat(words_here, len(tokens)))
        targets.append(np.tile(tokens, len(words_here)))
        slots.append(np.tile(np.arange(start, start + len(tokens)), len(words_here)))
        start += len(tokens)
    source, slot = np.concatenate(sources).astype(np.int64), np.concatenate(slots)
    target = np.concatenate(targets).astype(np.int64)
    cells, cell = np.unique(source * len(table) + target, return_inverse=True)
    of_source = cells // len(table)
    chance: NDArray[np.float64] = np.ones(len(cells))
    for _ in range(_ROUNDS):
        share = chance[cell]
        share /= np.bincount(slot, share)[slot]
        chance = np.bincount(cell, share).astype(np.float64)
        chance /= np.bincount(of_source, chance)[of_source]
    return _mixtures(of_source - 1, cells % len(table), chance, words, table)


def _mixtures(
    word: NDArray[np.int64],
    token: NDArray[np.int64],
    chance: NDArray[np.float64],
    words: int,
    table: NDArray[np.float32],
) -> NDArray[np.float32]:
    order = np.lexsort((-chance, word))
    word, token, chance = word[order], token[order], chance[order]
    rank = np.arange(len(word)) - np.searchsorted(word, word)
    keep = (rank < _MIXED) & (word >= 0)
    word, token, chance = word[keep], token[keep], chance[keep]
    total = np.maximum(np.bincount(word, chance, minlength=words), 1e-9)
    rows = np.zeros((words, table.shape[1]))
    np.add.at(rows, word, table[token] * chance[:, None])
    length = np.bincount(word, chance * np.linalg.norm(table[token], axis=1), minlength=words) / total
    norm = np.linalg.norm(rows, axis=1)
    seen = norm > 0
    rows[seen] *= (length[seen] / norm[seen])[:, None]
    rows[~seen] = rows[seen].mean(axis=0)
    return rows.astype(np.float32)
