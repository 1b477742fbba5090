"""The whole way from base weights and corpora to a trained encoder and its tokenizer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from tools.embedding.alignment import translated_rows
from tools.embedding.base import LONGEST, Base
from tools.embedding.chinese import chinese_words, write_tokenizer
from tools.embedding.contrast import Utterances, Wishes
from tools.embedding.corpora import Corpora, glossary
from tools.embedding.encoder import Encoder, load_encoder
from tools.embedding.scenes import read_wishes
from tools.embedding.translation import Tell, train_rows
from tools.embedding.tuning import Translated, Tuning, tune

TOKENIZER = "tokenizer.json"
_ENGLISH_ROWS = "embeddings.word_embeddings.weight"

Tokenize = Callable[[Sequence[str]], list[list[int]]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a model is trained with.

    Attributes:
        seed: of every draw.
        epochs: of the first stage.
        tuning: settings of the second stage.
        short: multiply in bfloat16 while training.
        threads: of the second stage; another number rounds differently. The first stage uses one.
    """

    seed: int = 0
    epochs: float = 2.0
    tuning: Tuning = field(default_factory=Tuning)
    short: bool = True
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Built:
    """A trained model. `before` is the state after the first stage: MiniLM with Chinese."""

    encoder: Encoder
    tokenize: Tokenize
    before: dict[str, torch.Tensor]


def build(base: Base, corpora: Corpora, work: Path, recipe: Recipe, tell: Tell) -> Built:
    """Train a model; the tokenizer is written into `work`.

    The base model's vectors and the first stage are kept in `work` and taken from there by a later run with
    the same sentences and recipe.
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    work.mkdir(parents=True, exist_ok=True)
    words = chinese_words((pair.chinese for pair in corpora.pairs), (pair.chinese for pair in glossary()))
    first = write_tokenizer(base.tokenizer, words, work / TOKENIZER)
    tokenize = tokenizer(work / TOKENIZER)
    pairs = corpora.pairs
    english, chinese = tokenize([one.english for one in pairs]), tokenize([one.chinese for one in pairs])
    tell(f"{len(corpora.train)} utterances, {len(pairs)} translated sentences, {len(words)} Chinese words")
    rows = translated_rows(
        [[one - first for one in sentence if one >= first] for sentence in chinese],
        [sentence[1:-1] for sentence in english],
        len(words),
        load_file(base.weights)[_ENGLISH_ROWS],
    )
    encoder = load_encoder(base.weights, rows)
    wanted = [one.english for one in pairs] + [one.english for one in corpora.train]
    teacher = torch.from_numpy(_base_vectors(encoder, tokenize, wanted, work, tell))
    encoder.short = recipe.short
    kept = work / f"rows-{_mark(recipe.seed, recipe.epochs, recipe.short, rows.tobytes(), wanted)}.npy"
    if kept.exists():
        encoder.chinese.weight.data = torch.from_numpy(np.load(kept))
    else:
        train_rows(encoder, chinese, teacher[: len(pairs)], epochs=recipe.epochs, seed=recipe.seed, tell=tell)
        np.save(kept, encoder.chinese.weight.detach().numpy())
    torch.set_num_threads(recipe.threads)
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    judged = corpora.test + corpora.validation
    wishes = Wishes(read_wishes(text for one in judged for text in (one.english, one.chinese)))
    tune(
        encoder,
        Utterances(corpora.train, teacher[len(pairs) :].numpy()),
        wishes,
        Translated(english, chinese, teacher[: len(pairs)], sum(bool(one.chinese) for one in corpora.train)),
        teacher[len(pairs) :],
        tokenize,
        recipe.tuning,
        seed=recipe.seed,
        tell=tell,
    )
    encoder.short = False
    return Built(encoder, tokenize, before)


def tokenizer(path: Path) -> Tokenize:
    """Texts to token identifiers, cut to what the model takes."""
    model = Tokenizer.from_file(str(path))
    model.enable_truncation(LONGEST)
    return lambda texts: [one.ids for one in model.encode_batch(list(texts))]


def _base_vectors(
    encoder: Encoder, tokenize: Tokenize, texts: Sequence[str], work: Path, tell: Tell
) -> NDArray[np.float32]:
    """The untrained encoder's vectors of English texts, in order."""
    unique = sorted(set(texts))
    kept = work / f"base-{_mark(unique)}.npy"
    if not kept.exists():
        tell(f"base vectors of {len(unique)} sentences")
        np.save(kept, encoder.vectors(tokenize(unique)).numpy())
    found: NDArray[np.float32] = np.load(kept)
    at = {text: place for place, text in enumerate(unique)}
    return found[[at[text] for text in texts]]


def _mark(*parts: object) -> str:
    return hashlib.sha256(b"\0".join(repr(part).encode() for part in parts)).hexdigest()[:16]
