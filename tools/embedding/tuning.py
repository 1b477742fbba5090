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

# Sentences nearer than this to another say the same, and are no wrong translation of it.
_THE_SAME = 0.985
# Those of a batch are drawn from so many times as many of the nearest.
_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class Tuning:
    """Settings of the second stage, chosen on trained intents that were left out to judge by.

    Attributes:
        steps: how many batches.
        triples: in a batch.
        wishes: the share of them from the scenes.
        pairs: translated sentences in a batch.
        alike: how many of them are one sentence and others near it, so that the right translation is hard to
            choose.
        spoken: the share of those first sentences that come from the corpora of requests.
        rate, rows_rate: of learning, for the transformer and for the Chinese rows.
        temperature, translation_temperature: of the two choices.
        margin: by which a positive should be nearer than a negative.
        margin_weight, keep_triples, keep_pairs, translate: the weights of the parts of the loss.
    """

    steps: int = 400
    triples: int = 40
    wishes: float = 0.1
    pairs: int = 32
    alike: int = 4
    spoken: float = 0.6
    rate: float = 8e-5
    rows_rate: float = 2e-4
    temperature: float = 0.06
    translation_temperature: float = 0.05
    margin: float = 0.15
    margin_weight: float = 0.5
    keep_triples: float = 1.0
    keep_pairs: float = 2.0
    translate: float = 1.0


@dataclass(frozen=True, slots=True)
class Translated:
    """Translated sentences as token identifiers, with the base model's vectors of the English ones.

    The first `spoken` of them are utterances.
    """

    english: Sequence[Tokens]
    chinese: Sequence[Tokens]
    teacher: Tensor
    spoken: int

    def draw(self, tuning: Tuning, chance: random.Random) -> list[int]:
        """The places of a batch's pairs: some sentences, each followed by a few that are nearest to it."""
        chosen: list[int] = []
        while len(chosen) < tuning.pairs:
            among = self.spoken if chance.random() < tuning.spoken else len(self.english)
            first = chance.randrange(among)
            nearness = self.teacher @ self.teacher[first]
            nearness[nearness > _THE_SAME] = -1.0
            near = nearness.topk(_NEIGHBOURS * (tuning.alike - 1)).indices.tolist()
            chosen += [first, *chance.sample(near, tuning.alike - 1)]
        return chosen[: tuning.pairs]


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

    The loss is InfoNCE over the batch with all sentences of the anchor's group as positives and others of its
    kin left out, a soft margin between each anchor's positive and its negative, the cosine distance to the
    base model's vectors, and InfoNCE between translations among sentences that resemble each other.

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
        chosen = translated.draw(tuning, chance)
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
    """Each anchor chooses every sentence of its group among the others of its corpus that are not of its kin.

    This is the supervised contrastive loss of Khosla et al. 2020, with one positive at a time in the sum.
    """
    own = torch.arange(anchors)
    wrong = _table(lambda one, other: one.kin != other.kin, sentences, anchors)
    right = _table(lambda one, other: one.group == other.group, sentences, anchors)
    right[own, own] = False
    scores = found[:anchors] @ found.T / temperature
    against = scores.masked_fill(~wrong, -1e4).logsumexp(dim=1, keepdim=True)
    missed = torch.logaddexp(scores, against) - scores
    return ((missed * right).sum(dim=1) / right.sum(dim=1)).mean()


def _table(
    holds: Callable[[Sentence, Sentence], bool], sentences: Sequence[Sentence], anchors: int
) -> Tensor:
    """Of which sentences of its corpus something holds for each anchor."""
    return torch.tensor(
        [
            [other.corpus == one.corpus and holds(one, other) for other in sentences]
            for one in sentences[:anchors]
        ]
    )


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
