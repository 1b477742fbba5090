"""MiniLM in torch, with a second table of word vectors for Chinese."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from tools.embedding.base import WIDTH

LAYERS = 6
HEADS = 12
INNER = 1536
_EPSILON = 1e-12
# Sentences of like length share a batch of about so many tokens, so that little is spent on padding.
_TOKENS = 640


class Layer(nn.Module):
    """One transformer layer of BERT (post-norm)."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.output_norm = nn.LayerNorm(WIDTH, _EPSILON)
        self.inner = nn.Linear(WIDTH, INNER)
        self.outer = nn.Linear(INNER, WIDTH)
        self.outer_norm = nn.LayerNorm(WIDTH, _EPSILON)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """Hidden states of shape (sentences, tokens, width); the bias hides padding from attention."""
        sentences, tokens, _ = hidden.shape
        shape = (sentences, tokens, HEADS, WIDTH // HEADS)
        query, key, value = (
            part(hidden).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        hidden = self.output_norm(self.output(mixed.transpose(1, 2).reshape(hidden.shape)) + hidden)
        return self.outer_norm(self.outer(functional.gelu(self.inner(hidden))) + hidden)


class Encoder(nn.Module):
    """Token identifiers to unit vectors.

    Args:
        chinese: vectors of the Chinese words, shape (words, width); identifiers follow the English ones.
        vocabulary: how many English tokens there are.

    Attributes:
        short: the layers multiply in bfloat16, which is twice as fast on processors that know it.
    """

    def __init__(self, chinese: NDArray[np.float32], vocabulary: int) -> None:
        super().__init__()
        self.short = False
        self.english = nn.Embedding(vocabulary, WIDTH)
        self.chinese = nn.Embedding.from_pretrained(torch.from_numpy(chinese.copy()), freeze=False)
        self.positions = nn.Embedding(512, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, _EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Identifiers and mask of shape (sentences, tokens) to unit rows (sentences, width)."""
        first = self.english.num_embeddings
        foreign = tokens >= first
        words = self.english(tokens.masked_fill(foreign, 0))
        words = torch.where(foreign[..., None], self.chinese((tokens - first).clamp(min=0)), words)
        hidden = self.norm(words + self.positions.weight[: tokens.shape[1]])
        bias = ((mask - 1.0) * 1e9)[:, None, None, :]
        with torch.autocast("cpu", torch.bfloat16, enabled=self.short):
            for layer in self.layers:
                hidden = layer(hidden, bias)
        weights = mask[..., None]
        mean = (hidden.float() * weights).sum(dim=1) / weights.sum(dim=1)
        return functional.normalize(mean, dim=1)

    def sentences(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """Unit rows of many sentences, in order, computed in groups of like length."""
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place]))
        rows = torch.cat(
            [self(*padded([tokens[place] for place in group])) for group in _groups(order, tokens)]
        )
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return rows[back]

    def vectors(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """As `sentences`, without gradients."""
        with torch.no_grad():
            return self.sentences(tokens)


def load_encoder(weights: Path, chinese: NDArray[np.float32]) -> Encoder:
    """The base model's weights with Chinese rows beside them. Token type 0 is folded into the positions."""
    stored = load_file(weights)
    encoder = Encoder(chinese, len(stored["embeddings.word_embeddings.weight"]))
    state = {
        "english.weight": stored["embeddings.word_embeddings.weight"],
        "chinese.weight": torch.from_numpy(chinese.copy()),
        "positions.weight": stored["embeddings.position_embeddings.weight"]
        + stored["embeddings.token_type_embeddings.weight"][0],
    }
    names = {"norm": "embeddings.LayerNorm"}
    for number in range(LAYERS):
        names |= _layer_names(number)
    for ours, theirs in names.items():
        for kind in ("weight", "bias"):
            state[f"{ours}.{kind}"] = stored[f"{theirs}.{kind}"]
    encoder.load_state_dict(state)
    return encoder


def _layer_names(number: int) -> dict[str, str]:
    ours, theirs = f"layers.{number}.", f"encoder.layer.{number}."
    return {
        f"{ours}query": f"{theirs}attention.self.query",
        f"{ours}key": f"{theirs}attention.self.key",
        f"{ours}value": f"{theirs}attention.self.value",
        f"{ours}output": f"{theirs}attention.output.dense",
        f"{ours}output_norm": f"{theirs}attention.output.LayerNorm",
        f"{ours}inner": f"{theirs}intermediate.dense",
        f"{ours}outer": f"{theirs}output.dense",
        f"{ours}outer_norm": f"{theirs}output.LayerNorm",
    }


def padded(tokens: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Identifiers and mask of some sentences, padded with zeros to the longest."""
    longest = max(len(sentence) for sentence in tokens)
    identifiers = torch.zeros(len(tokens), longest, dtype=torch.long)
    mask = torch.zeros(len(tokens), longest)
    for place, sentence in enumerate(tokens):
        identifiers[place, : len(sentence)] = torch.tensor(sentence, dtype=torch.long)
        mask[place, : len(sentence)] = 1.0
    return identifiers, mask


def _groups(order: Sequence[int], tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Cut sentences, sorted by length, into groups of at most so many padded tokens."""
    group: list[int] = []
    for place in order:
        if group and (len(group) + 1) * len(tokens[place]) > _TOKENS:
            yield group
            group = []
        group.append(place)
    if group:
        yield group
