"""The second stage: sentences of one wish come together, of opposite wishes part, and the rest stays."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tools.embedding.contrast import Sentence, Utterances, Wishes
from tools.embedding.encoder import Encoder
from tools.embedding.translation import Tell, same_rows

Tokens = Sequence[int]


@dataclass(frozen=True, slots=True)
class Tuning:
    """Settings of the second stage, chosen on the validation intents."""

    steps: int = 400
    triples: int = 40
    wishes: float = 0.35
    pairs: int = 24
    rate: float = 1.2e-4
    rows_rate: float = 2e-4
    temperature: float = 0.06
    translation_temperature: float = 0.05
    margin: float = 0.15
    margin_weight: float = 0.5
    keep_triples: float = 1.0
    keep_pairs: float = 2.0
    translate: float = 0.5


@dataclass(frozen=True, slots=True)
class Translated:
    """Translated sentences as token identifiers, with the base model's vectors of the English ones."""

    english: Sequence[Tokens]
    chinese: Sequence[Tokens]
    teacher: Tensor


def tune(
    encoder: Encoder,
    utterances: Utterances,
    wishes: Wishes,
    translated: Translated,
    teacher: Tensor,
    tokenize: Callable[[Sequence[str]], list[list[int]]],
    tuning: Tuning,
    *,
    seed: int,
    tell: Tell,
) -> None:
    """Train everything but the English rows.

    The loss is InfoNCE over the batch with sentences of the anchor's kin left out, a soft margin between each
    anchor's positive and its negative, the cosine distance to the base model's vectors, and InfoNCE between
    translations.

    Args:
        encoder: changed in place.
        utterances: gives triples of the corpora.
        wishes: gives triples of the scenes.
        translated: sentences in both languages that hold the vectors where they are.
        teacher: the base model's vectors of the utterances' English.
        tokenize: texts to token identifiers.
        tuning: the settings.
        seed: of all draws.
        tell: told how it goes.
    """
    chance = random.Random(seed)
    encoder.requires_grad_(True)
    encoder.english.requires_grad_(False)
    optimizer = _optimizer(encoder, tuning)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        [group["lr"] for group in optimizer.param_groups],
        total_steps=tuning.steps,
        pct_start=0.08,
        anneal_strategy="linear",
        cycle_momentum=False,
    )
    from_wishes = round(tuning.triples * tuning.wishes)
    for step in range(tuning.steps):
        triples = utterances.draw(tuning.triples - from_wishes, chance) + wishes.draw(from_wishes, chance)
        chosen = [chance.randrange(len(translated.english)) for _ in range(tuning.pairs)]
        sentences = [getattr(one, part) for part in ("anchor", "positive", "negative") for one in triples]
        tokens = tokenize([one.text for one in sentences])
        tokens += [list(translated.english[place]) for place in chosen]
        tokens += [list(translated.chinese[place]) for place in chosen]
        found = encoder.sentences(tokens)
        apart, english, chinese = found.split([len(sentences), len(chosen), len(chosen)])
        parts = {
            "choice": _choice(apart, sentences, len(triples), tuning.temperature),
            "margin": tuning.margin_weight * _margin(apart, tuning.margin),
            "kept": tuning.keep_triples * _kept(apart, sentences, teacher),
            "pairs": tuning.keep_pairs
            * _near(torch.cat([english, chinese]), translated.teacher[chosen].repeat(2, 1)),
            "translated": tuning.translate * _translated(english, chinese, tuning.translation_temperature),
        }
        loss = torch.stack(list(parts.values())).sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 25 == 0 or step == tuning.steps - 1:
            values = ", ".join(f"{name} {value.item():.3f}" for name, value in parts.items())
            tell(f"tuning {step + 1}/{tuning.steps}: {values}")


def _optimizer(encoder: Encoder, tuning: Tuning) -> torch.optim.Optimizer:
    rows = list(encoder.chinese.parameters())
    rest = [one for part in (encoder.positions, encoder.norm, encoder.layers) for one in part.parameters()]
    return torch.optim.AdamW(
        [{"params": rest, "lr": tuning.rate}, {"params": rows, "lr": tuning.rows_rate, "weight_decay": 0.0}],
        weight_decay=0.01,
    )


def _choice(found: Tensor, sentences: Sequence[Sentence], anchors: int, temperature: float) -> Tensor:
    """InfoNCE: each anchor chooses its positive among the sentences of its corpus that are not of its kin."""
    allowed = torch.tensor(
        [
            [other.corpus == one.corpus and other.kin != one.kin for other in sentences]
            for one in sentences[:anchors]
        ]
    )
    own = torch.arange(anchors)
    allowed[own, own + anchors] = True
    scores = (found[:anchors] @ found.T / temperature).masked_fill(~allowed, -1e4)
    return functional.cross_entropy(scores, own + anchors)


def _margin(found: Tensor, margin: float) -> Tensor:
    """A soft hinge between the cosine to the negative and that to the positive."""
    anchor, positive, negative = found.chunk(3)
    short = (anchor * negative).sum(dim=1) - (anchor * positive).sum(dim=1) + margin
    return functional.softplus(short * 10.0).mean() / 10.0 * 3.0


def _kept(found: Tensor, sentences: Sequence[Sentence], teacher: Tensor) -> Tensor:
    """The distance to the base model's vectors, of the sentences that have one."""
    places = [place for place, one in enumerate(sentences) if one.teacher >= 0]
    return _near(found[places], teacher[[sentences[place].teacher for place in places]])


def _near(found: Tensor, goal: Tensor) -> Tensor:
    return 1.0 - (found * goal).sum(dim=1).mean()


def _translated(english: Tensor, chinese: Tensor, temperature: float) -> Tensor:
    scores = chinese @ english.T / temperature
    right = same_rows(english.detach())
    return (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)) / 2.0
