"""Which prototypes a (vague) command means, and how sure that is (PersonalAlign 5.2).

Each prototype gets a score: a weighted sum of what the command shares with it and of how likely it is now.
The confidences are the shares of all prototypes and of "none of them" (a conditional logit), so that two
equally good answers have half each and a command without any good answer leaves most to "none".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from assistant.memory.prototypes.clustering import Cluster, faded
from assistant.memory.prototypes.model import hour_density, hour_of, share
from assistant.memory.prototypes.terms import (
    VERBS,
    Signature,
    signature,
    signatures_oppose,
    without_opening,
    without_vague,
    word_set,
)

_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class PreferenceQuery:
    """A command and its state. `vector` is that of its words without vague ones, None without words.

    It is `vague` where such words were taken from it.
    """

    words: frozenset[str]
    verbs: Signature
    vector: NDArray[np.float32] | None
    time: datetime
    scenario: str
    vague: bool = False


@dataclass(frozen=True, slots=True)
class PreferenceFeatures:
    """What speaks for a prototype: the command's likeness, then how likely it is at this time and place.

    Attributes:
        cosine: the largest cosine with the centre and the sample, 0..1.
        centre: the cosine with the centre, 0..1.
        cover: the share of the command's words that the prototype has, rare words counting more, 0..1; verbs
            with an opposite do not count, so that "order" alone covers nothing.
        weight: the logarithm of the faded evidence.
        fresh: the logarithm of the share of all its evidence that has not faded: what began lately is meant
            rather than what it took the place of.
        hour: the logarithm of how dense its records lie around this time of day.
        scenario: the logarithm of the share of its records in this scenario, over an even share.
        silence: the logarithm of how often it should have come since it came last, at its usual pace: what
            has stopped, or was replaced, is overdue.
        weekday: the logarithm of the share of its records on working days, or on weekends, as today is one,
            over an even share.
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
    """What each feature counts, and the score of "none of them".

    Found on lives of seeds 100 to 105: the logit in which their commands mean what they mean, and each of
    them once more, without its answer among the prototypes, means none. `none_unsaid` is that score for a
    command that says nothing but that something is meant ("the usual").
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
    """A prototype as an answer, and the share of all answers that it has, 0..1."""

    cluster: Cluster
    confidence: float
    features: PreferenceFeatures


def plain_command(command: str) -> str:
    """What is left of a command to match by: nothing where it only points at habit."""
    core = without_vague(without_opening(command))
    return core if word_set(core) else ""


def query(
    command: str, vector: NDArray[np.float32] | None, time: datetime, scenario: str = "unknown"
) -> PreferenceQuery:
    """A command ready to be matched. `vector` is that of `plain_command(command)`, None where it is empty."""
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
    """All prototypes that the command may mean, surest first.

    Those with opposite verbs are left out, and those that are as vague as the command: they are what the user
    said before, not what was meant, and would take the share of what they stand for.
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
    """Whether all that is sampled of a prototype is vague, too, and names nothing else than the command."""
    texts = [sampled.reading.text for sampled in cluster.sample] or [cluster.centre.text]
    return query.vague and all(_plain_words(text) <= query.words and _is_vague(text) for text in texts)


def _is_vague(text: str) -> bool:
    return _plain_words(text) != word_set(text)


@lru_cache(maxsize=65536)
def _plain_words(text: str) -> frozenset[str]:
    return word_set(without_vague(text))


def features_of(
    asked: PreferenceQuery, cluster: Cluster, rarity: Mapping[str, float], half_life_days: float
) -> PreferenceFeatures:
    """What speaks for a prototype."""
    readings = [sampled.reading for sampled in cluster.sample] or [cluster.centre]
    cosine = centre = 0.0
    if asked.vector is not None:
        centre = max(0.0, float(cluster.centre.vector @ asked.vector))
        cosine = max(centre, float(np.max(np.stack([reading.vector for reading in readings]) @ asked.vector)))
    words = frozenset().union(*(reading.words for reading in readings), word_set(cluster.centre.app))
    weight = faded(cluster.weight, cluster.last, asked.time, half_life_days)
    hours = hour_density([hour_of(reading.time) for reading in readings], hour_of(asked.time))
    even = share((), asked.scenario)
    pace = cluster.count / (1.0 + _days(cluster.first, cluster.last))
    return PreferenceFeatures(
        cosine=cosine,
        centre=centre,
        cover=_cover(asked.words, words, rarity),
        weight=log(weight + 0.05),
        fresh=log((weight + 0.05) / max(1, cluster.count)),
        hour=log(hours),
        scenario=log(share((reading.scenario for reading in readings), asked.scenario) / even),
        silence=log(1.0 + pace * _days(cluster.last, asked.time)),
        weekday=log(_weekday_share([reading.time for reading in readings], asked.time)),
    )


def _weekday_share(times: Sequence[datetime], now: datetime) -> float:
    """How much more often than evenly some times lie on such days as now, of working days and weekends."""
    weekend = now.weekday() >= _SATURDAY
    alike = sum((time.weekday() >= _SATURDAY) == weekend for time in times)
    even = 2 / 7 if weekend else 5 / 7
    return (alike + even) / (len(times) + 1.0) / even


def _days(since: datetime, until: datetime) -> float:
    return max(0.0, (until - since).total_seconds() / 86400)


def word_rarity(clusters: Iterable[Cluster]) -> dict[str, float]:
    """How rare words are among prototypes: the logarithm of all over those that have the word."""
    words_of_clusters = [
        frozenset().union(*(sampled.reading.words for sampled in cluster.sample)) for cluster in clusters
    ]
    counts = Counter(word for words in words_of_clusters for word in words)
    return {word: log(1.0 + len(words_of_clusters) / count) for word, count in counts.items()}


def _cover(query_words: frozenset[str], cluster_words: frozenset[str], rarity: Mapping[str, float]) -> float:
    """The share of the asked words that are there, by rarity; words that no prototype has do not count."""
    known_words = [word for word in query_words - VERBS if word in rarity or word in cluster_words]
    total = sum(rarity.get(word, 1.0) for word in known_words)
    return (
        sum(rarity.get(word, 1.0) for word in known_words if word in cluster_words) / total if total else 0.0
    )
