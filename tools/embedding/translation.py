"""The first stage: Chinese word vectors learn to say what MiniLM says of the English translation."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from tools.embedding.encoder import Encoder

Tell = Callable[[str], None]

_BATCH = 96
_RATE = 1.5e-3
_TEMPERATURE = 0.05
_COSINE = 4.0
_TOLD = 50


def train_rows(
    encoder: Encoder,
    chinese: Sequence[Sequence[int]],
    teacher: Tensor,
    *,
    epochs: float,
    seed: int,
    tell: Tell,
) -> None:
    """Train the Chinese rows alone; the transformer and the English rows stay as they are.

    The loss is the cosine distance to the teacher's vector of the translation, plus choosing the right
    translation among those of the batch (InfoNCE).

    Args:
        encoder: changed in place.
        chinese: token identifiers of the Chinese sentences.
        teacher: the base model's vectors of their translations, in order.
        epochs: how often the sentences are gone through.
        seed: of their order.
        tell: told how it goes.
    """
    encoder.requires_grad_(False)
    encoder.chinese.requires_grad_(True)
    optimizer = torch.optim.Adam(encoder.chinese.parameters(), lr=_RATE)
    steps = max(1, int(len(chinese) * epochs) // _BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.02, 1.0 - step / steps))
    order = shuffled(len(chinese), steps * _BATCH, random.Random(seed))
    for step in range(steps):
        batch = order[step * _BATCH : (step + 1) * _BATCH]
        goal = teacher[batch]
        found = encoder.sentences([chinese[place] for place in batch])
        cosine = (found * goal).sum(dim=1)
        chosen = functional.cross_entropy(found @ goal.T / _TEMPERATURE, same_rows(goal))
        loss = _COSINE * (1.0 - cosine).mean() + chosen
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % _TOLD == 0 or step == steps - 1:
            tell(f"rows {step + 1}/{steps}: cosine {cosine.mean().item():.3f}, choice {chosen.item():.3f}")


def same_rows(goal: Tensor) -> Tensor:
    """The right choice for each row as chances: a translation that occurs twice in a batch is right twice."""
    same = (goal @ goal.T > 0.999).float()
    return same / same.sum(dim=1, keepdim=True)


def shuffled(count: int, wanted: int, chance: random.Random) -> list[int]:
    """As many places as wanted, epoch after epoch in a new order."""
    order: list[int] = []
    while len(order) < wanted:
        order += chance.sample(range(count), count)
    return order[:wanted]
