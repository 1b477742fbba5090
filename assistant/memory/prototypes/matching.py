"""Which prototype a whole command means, by a trained matcher and by what is usual at this time and place.

The score of a prototype is a weighted sum of how well its instructions fit the command, how often and how
lately it was done, and how likely it is at this hour, on this weekday and in this scenario. The confidences
are the softmax of the scores of all prototypes and of "none of them", so that two equally good answers get
half each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from math import exp, log

from assistant.embedding.heads import Matches
from assistant.memory.prototypes.clustering import Cluster
from assistant.memory.prototypes.model import faded, hour_of, share

_DAY = 86400.0
_SPREAD = 0.75
"""Standard deviation, in hours, of a habit around the times at which it was done."""
_ANY_HOUR = 0.08
_PEAK = 1 / (_SPREAD * 2.507)
"""The height of a normal density of this deviation."""
_EVEN_HOUR = 1 / 24
_WEEK = 7


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

    Fitted as a conditional logit to 1,400 commands of eight people on whom the matcher was not trained, and
    370 commands of others, which mean none of their habits. With each person judged by the weights of the
    other seven, .66 of the vague commands had the meant prototype first. `none_judged` is the weight of what
    the matcher itself says of "none".
    """

    features: tuple[float, ...] = (12.65, 0.34, -0.2, 0.46, 0.56, 0.6)
    none: float = 0.0
    none_judged: float = 1.27


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
    near = sum(exp(-0.5 * (distance / _SPREAD) ** 2) for distance in away) / len(hours)
    return (0.9 * near + 0.1 * _ANY_HOUR) * _PEAK / _EVEN_HOUR
