"""Which prototype a vague command means, and with what confidence (PersonalAlign 5.2).

The score of a prototype is a weighted sum of features: what it shares with the command, and how likely it
is at this time and place. The confidences are the softmax of the scores of all prototypes and of "none of
them" (a conditional logit): two equally good answers get half each, and without a good answer most goes to
"none".

`rank` compares a command with vague words by its words and their vectors; `find_confidences` compares whole
commands by a trained matcher, which needs no word in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from functools import lru_cache
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.models import Matches
from assistant.memory.prototypes.clustering import Cluster
from assistant.memory.prototypes.model import faded, hour_density, hour_of, share
from assistant.memory.prototypes.terms import (
    VERBS,
    Signature,
    plain_command,
    signature,
    signatures_oppose,
    without_opening,
    without_vague,
    word_set,
)

_SATURDAY = 5
_DAY = 86400.0
_SPREAD = 0.75
"""Standard deviation, in hours, of a habit around the times at which it was done."""
_ANY_HOUR = 0.08
_PEAK = 1 / (_SPREAD * 2.507)
"""The height of a normal density of this deviation."""
_EVEN_HOUR = 1 / 24
_WEEK = 7


@dataclass(frozen=True, slots=True)
class PreferenceQuery:
    """A command with its time and scenario.

    `vector` is that of the command without vague words ("usual"); None if nothing else is left. `vague`: the
    command has such words.
    """

    words: frozenset[str]
    verbs: Signature
    vector: NDArray[np.float32] | None
    time: datetime
    scenario: str
    vague: bool = False


@dataclass(frozen=True, slots=True)
class PreferenceFeatures:
    """The features of a prototype for a command: its similarity, and its likelihood at this time and place.

    Attributes:
        cosine: the largest cosine of the command with the centre and the sample, 0..1.
        centre: the cosine with the centre, 0..1.
        cover: the share of the command's words that the prototype has, weighted by rarity, 0..1. Verbs with
            an opposite do not count, so that "order" alone covers nothing.
        weight: log of the faded evidence.
        fresh: log of the share of its evidence that has not faded, so that a new habit wins over the one that
            it replaced.
        hour: log of the density of its records around this time of day.
        scenario: log of the share of its records in this scenario, relative to an even share.
        silence: log of how many times overdue it is at its usual pace; high for what was given up or
            replaced.
        weekday: log of the share of its records on days like today (working day or weekend), relative to an
            even share.
    """

    cosine: float
    centre: float
    cover: float
    weight: float
    fresh: float
    hour: float
    scenario: float
    silence: float
    weekday: float


@dataclass(frozen=True, slots=True)
class PreferenceWeights:
    """The weight of each feature, and the score of "none of them".

    Fitted as a conditional logit to the commands of the simulated lives of seeds 100 to 105; each command
    occurs twice, once with its true prototype, and once without it, where "none" is the answer. `none_unsaid`
    is the score of "none" for a command that consists of vague words only ("the usual").
    """

    cosine: float = 10.5
    centre: float = 3.6
    cover: float = 1.0
    weight: float = 0.85
    fresh: float = 2.3
    hour: float = 0.86
    scenario: float = 0.16
    silence: float = -1.04
    weekday: float = 1.1
    none: float = 6.5
    none_unsaid: float = 0.0

    def score(self, features: PreferenceFeatures) -> float:
        """The weighted sum of the features."""
        pairs = (
            (getattr(self, feature.name), getattr(features, feature.name))
            for feature in fields(PreferenceFeatures)
        )
        return float(sum(scale * value for scale, value in pairs))


@dataclass(frozen=True, slots=True)
class RankedPreference:
    """A prototype that the command may mean, with its confidence, 0..1."""

    cluster: Cluster
    confidence: float
    features: PreferenceFeatures


def query(
    command: str, vector: NDArray[np.float32] | None, time: datetime, scenario: str = "unknown"
) -> PreferenceQuery:
    """The query for a command; `vector` is that of `plain_command(command)`, None if that is empty."""
    core = plain_command(command)
    words = word_set(core)
    vague = words != word_set(without_opening(command))
    return PreferenceQuery(words, signature(core), vector if core else None, time, scenario, vague)


def rank(
    query: PreferenceQuery,
    clusters: Sequence[Cluster],
    scales: PreferenceWeights,
    half_life_days: float,
    rarity: Mapping[str, float] | None = None,
) -> list[RankedPreference]:
    """All prototypes that the command may mean, highest confidence first.

    Prototypes with opposite verbs are left out. So are prototypes that only repeat the vague command: they
    are what the user said before, not what was meant, and would take confidence from what they stand for.
    """
    rare = word_rarity(clusters) if rarity is None else rarity
    candidates = [
        (cluster, features_of(query, cluster, rare, half_life_days))
        for cluster in clusters
        if not signatures_oppose(query.verbs, cluster.centre.verbs) and not _only_repeats(query, cluster)
    ]
    scores = [scales.score(features) for _, features in candidates]
    none = scales.none if query.words else scales.none_unsaid
    highest = max([*scores, none])
    shares = [exp(score - highest) for score in scores]
    total = sum(shares) + exp(none - highest)
    ranked = [
        RankedPreference(cluster, confidence / total, features)
        for (cluster, features), confidence in zip(candidates, shares, strict=True)
    ]
    return sorted(ranked, key=lambda preference: (-preference.confidence, preference.cluster.id))


def _only_repeats(query: PreferenceQuery, cluster: Cluster) -> bool:
    """Whether all sampled records of a prototype are vague too, with no other words than the command."""
    texts = [sampled.record.text for sampled in cluster.sample] or [cluster.centre.text]
    return query.vague and all(_plain_words(text) <= query.words and _is_vague(text) for text in texts)


def _is_vague(text: str) -> bool:
    return _plain_words(text) != word_set(text)


@lru_cache(maxsize=65536)
def _plain_words(text: str) -> frozenset[str]:
    return word_set(without_vague(text))


def features_of(
    query: PreferenceQuery, cluster: Cluster, rarity: Mapping[str, float], half_life_days: float
) -> PreferenceFeatures:
    """The features of a prototype for a query."""
    records = [sampled.record for sampled in cluster.sample] or [cluster.centre]
    cosine = centre = 0.0
    if query.vector is not None:
        centre = max(0.0, float(cluster.centre.vector @ query.vector))
        cosine = max(centre, float(np.max(np.stack([record.vector for record in records]) @ query.vector)))
    words = frozenset().union(*(record.words for record in records), word_set(cluster.centre.app))
    weight = faded(cluster.weight, cluster.last, query.time, half_life_days)
    hours = hour_density([hour_of(record.time) for record in records], hour_of(query.time))
    even = share((), query.scenario)
    pace = cluster.count / (1.0 + _days(cluster.first, cluster.last))
    return PreferenceFeatures(
        cosine=cosine,
        centre=centre,
        cover=_cover(query.words, words, rarity),
        weight=log(weight + 0.05),
        fresh=log((weight + 0.05) / max(1, cluster.count)),
        hour=log(hours),
        scenario=log(share((record.scenario for record in records), query.scenario) / even),
        silence=log(1.0 + pace * _days(cluster.last, query.time)),
        weekday=log(_weekday_share([record.time for record in records], query.time)),
    )


def _weekday_share(times: Sequence[datetime], now: datetime) -> float:
    """The share of times on days like today (working day or weekend), relative to an even share."""
    weekend = now.weekday() >= _SATURDAY
    alike = sum((time.weekday() >= _SATURDAY) == weekend for time in times)
    even = 2 / 7 if weekend else 5 / 7
    return (alike + even) / (len(times) + 1.0) / even


def word_rarity(clusters: Iterable[Cluster]) -> dict[str, float]:
    """The rarity of words among prototypes (IDF): log of all prototypes over those that have the word."""
    words_of_clusters = [
        frozenset().union(*(sampled.record.words for sampled in cluster.sample)) for cluster in clusters
    ]
    counts = Counter(word for words in words_of_clusters for word in words)
    return {word: log(1.0 + len(words_of_clusters) / count) for word, count in counts.items()}


def _cover(query_words: frozenset[str], cluster_words: frozenset[str], rarity: Mapping[str, float]) -> float:
    """The share of the query's words that a cluster has, by rarity; words of no prototype do not count."""
    known_words = [word for word in query_words - VERBS if word in rarity or word in cluster_words]
    total = sum(rarity.get(word, 1.0) for word in known_words)
    return (
        sum(rarity.get(word, 1.0) for word in known_words if word in cluster_words) / total if total else 0.0
    )


@dataclass(frozen=True, slots=True)
class MatchFeatures:
    """What speaks for a prototype as the meaning of a command, each but the first as a logarithm.

    Attributes:
        fit: how well its instructions fit the command, -1..1.
        weight: its faded evidence.
        silence: how many times overdue it is at its usual pace.
        hour: how dense its records are around this hour, relative to an even spread.
        weekday: the share of its records on this weekday, relative to an even spread.
        scenario: the share of its records in this scenario, relative to an even spread.
    """

    fit: float
    weight: float
    silence: float
    hour: float
    weekday: float
    scenario: float


@dataclass(frozen=True, slots=True)
class MatchWeights:
    """The weights of `MatchFeatures` in their order, and the score of "none of them".

    Fitted as a conditional logit, by `python -m tools.understanding --weights`, to the commands of people on
    whom the matcher was not trained (see `models/README.md`). `none_judged` is the weight of what the matcher
    itself says of "none".
    """

    features: tuple[float, ...] = (11.56, 0.12, -0.56, 0.43, 0.53, 0.62)
    none: float = -0.01
    none_judged: float = 1.08


def find_confidences(
    clusters: Sequence[Cluster],
    matches: Matches,
    now: datetime,
    scenario: str,
    half_life_days: float,
    weights: MatchWeights | None = None,
) -> list[float]:
    """The confidence of each prototype that a command means it, 0..1; what is missing to 1 is "none".

    Args:
        clusters: the prototypes.
        matches: how well they fit the command, in their order.
        now: the local time that the command is about.
        scenario: where it is said.
        half_life_days: how fast evidence fades.
        weights: by default the fitted ones.
    """
    weights = weights or MatchWeights()
    scores = [
        sum(
            weight * value
            for weight, value in zip(
                weights.features,
                astuple(match_features(cluster, fit, now, scenario, half_life_days)),
                strict=True,
            )
        )
        for cluster, fit in zip(clusters, matches.fits, strict=True)
    ]
    none = weights.none + weights.none_judged * matches.none
    highest = max([*scores, none])
    shares = [exp(score - highest) for score in scores]
    total = sum(shares) + exp(none - highest)
    return [value / total for value in shares]


def match_features(
    cluster: Cluster, fit: float, now: datetime, scenario: str, half_life_days: float
) -> MatchFeatures:
    """The features of a prototype."""
    records = [sampled.record for sampled in cluster.sample] or [cluster.centre]
    weight = faded(cluster.weight, cluster.last, now, half_life_days)
    pace = cluster.count / (1.0 + _days(cluster.first, cluster.last))
    same_day = sum(record.time.weekday() == now.weekday() for record in records)
    return MatchFeatures(
        fit=fit,
        weight=log(weight + 0.05),
        silence=log(1.0 + pace * _days(cluster.last, now)),
        hour=log(_hour_density([hour_of(record.time) for record in records], hour_of(now))),
        weekday=log((same_day + 1) / (len(records) + _WEEK) * _WEEK),
        scenario=log(share((record.scenario for record in records), scenario) / share((), scenario)),
    )


def _days(since: datetime, until: datetime) -> float:
    return max(0.0, (until - since).total_seconds() / _DAY)


def _hour_density(hours: Sequence[float], hour: float) -> float:
    """The density of times of day around an hour, relative to an even spread; a tenth is spread evenly."""
    away = (abs((done - hour + 12) % 24 - 12) for done in hours)
    density = sum(exp(-0.5 * (distance / _SPREAD) ** 2) for distance in away) / len(hours)
    return (0.9 * density + 0.1 * _ANY_HOUR) * _PEAK / _EVEN_HOUR
