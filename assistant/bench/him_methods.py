"""Ways to group a person's records and to answer a vague command from groups: HIM, ablations, baselines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embeds import Embeds
from assistant.memory.him.aggregation import Rules, Stream
from assistant.memory.him.baselines import nearest, recent
from assistant.memory.him.clusters import Cluster
from assistant.memory.him.consistency import Weights, consistency
from assistant.memory.him.preferences import Scales, plain_command, query, rank
from assistant.memory.him.prototype import Member, Prototype
from assistant.memory.him.reading import Reading

DBSTREAM_RADIUS = 0.7
"""The radius of DBSTREAM's micro-clusters among unit vectors: the best of a sweep on seeds 100 to 103."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A vague command with its vector: that of all its words, and that of those which are not vague."""

    said: str
    at: datetime
    scenario: str
    whole: NDArray[np.float32]
    plain: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Groups:
    """What a method made of some records: `homes` names the group of each, `answer` gives record ids.

    The ids that `answer` returns stand for what the command may mean, surest first.
    """

    homes: Mapping[str, str]
    answer: Callable[[Asked, int], list[str]]
    prototypes: Sequence[Prototype] = field(default=())


@dataclass(frozen=True, slots=True)
class Method:
    """A way to group records. `groups` gets them oldest first."""

    name: str
    groups: Callable[[Sequence[Reading]], Groups]


def ablations(rules: Rules) -> list[Method]:
    """HIM as it is, the rows of the paper's Table 7, and the paper's own measure."""
    weights = rules.weights
    measures = {
        "HIM": weights,
        "HIM without dense": replace(weights, cosine=0.0),
        "HIM without sparse": replace(weights, words=0.0),
        "HIM without actions": replace(weights, actions=0.0),
        "HIM without verb check": replace(weights, verbs=False),
        "paper: equal weights, no verb check": Weights(1.0, 1.0, 1.0, verbs=False),
    }
    return [him(name, replace(rules, weights=measure)) for name, measure in measures.items()]


def him(name: str, rules: Rules) -> Method:
    """Streaming aggregation by these rules, and preferences ranked over its prototypes."""

    def groups(readings: Sequence[Reading]) -> Groups:
        stream = Stream(len(readings[0].vector), rules)
        changes = stream.add(readings)
        homes = {one.record_id: changes.home(one.prototype_id) for one in changes.placed}
        known = list(stream.clusters.values())

        def answer(asked: Asked, top: int) -> list[str]:
            vector = asked.plain if plain_command(asked.said) else None
            question = query(asked.said, vector, asked.at, asked.scenario)
            ranked = rank(question, known, Scales(), rules.half_life_days)
            return [one.cluster.centre.record_id for one in ranked[:top]]

        return Groups(homes, answer, _prototypes(readings, homes, stream.clusters, rules.weights))

    return Method(name, groups)


def baselines() -> list[Method]:
    """Recent and nearest records, which group nothing, and embedding-only streaming clustering."""
    found = [
        Method("recent records", lambda readings: _records(readings, by_time=True)),
        Method("nearest records", lambda readings: _records(readings, by_time=False)),
    ]
    if river_is_there():
        found.append(Method("DBSTREAM on embeddings", dbstream))
    return found


def river_is_there() -> bool:
    """Whether the library with DBSTREAM is installed (the extra `bench`)."""
    return find_spec("river") is not None


def dbstream(readings: Sequence[Reading], radius: float = DBSTREAM_RADIUS) -> Groups:
    """River's DBSTREAM over the vectors alone; a command means the group whose mean is nearest."""
    model = import_module("river.cluster").DBSTREAM(
        clustering_threshold=radius, fading_factor=0.001, cleanup_interval=500, minimum_weight=1.0
    )
    points = [dict(enumerate(map(float, one.vector))) for one in readings]
    for point in points:
        model.learn_one(point)
    homes = {
        one.record_id: str(model.predict_one(point)) for one, point in zip(readings, points, strict=True)
    }
    members: dict[str, list[Reading]] = defaultdict(list)
    for one in readings:
        members[homes[one.record_id]].append(one)
    middles = {name: np.mean([one.vector for one in group], axis=0) for name, group in members.items()}
    middles = {name: middle / np.linalg.norm(middle) for name, middle in middles.items()}

    def answer(asked: Asked, top: int) -> list[str]:
        nearest_first = sorted(members, key=lambda name: -float(middles[name] @ asked.whole))
        return [
            max(members[name], key=lambda one: float(one.vector @ middles[name])).record_id
            for name in nearest_first[:top]
        ]

    return Groups(homes, answer)


def asked_all(embeds: Embeds, said: Sequence[tuple[str, datetime, str]]) -> list[Asked]:
    """Commands `(words, time, scenario)` with their vectors."""
    if not said:
        return []
    whole = embeds.embed([words for words, _, _ in said])
    plain = embeds.embed([plain_command(words) or words for words, _, _ in said])
    return [Asked(*one, whole[row], plain[row]) for row, one in enumerate(said)]


def _records(readings: Sequence[Reading], *, by_time: bool) -> Groups:
    def answer(asked: Asked, top: int) -> list[str]:
        found = recent(readings, top) if by_time else nearest(readings, asked.whole, top)
        return [one.record_id for one in found]

    return Groups({one.record_id: one.record_id for one in readings}, answer)


def _prototypes(
    readings: Sequence[Reading], homes: Mapping[str, str], clusters: Mapping[str, Cluster], weights: Weights
) -> list[Prototype]:
    members: dict[str, list[Member]] = defaultdict(list)
    for one in readings:
        centre = clusters[homes[one.record_id]].centre
        fit = consistency(one, centre, weights)
        members[homes[one.record_id]].append(Member(one.record_id, one.time, one.scenario, fit))
    return [
        Prototype(
            id=name,
            user_id=cluster.centre.user_id,
            centre_id=cluster.centre.record_id,
            instruction=cluster.centre.text,
            actions=(),
            app=cluster.centre.app,
            package="",
            members=tuple(members[name]),
            weight=cluster.weight,
        )
        for name, cluster in clusters.items()
    ]
