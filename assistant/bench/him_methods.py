"""Ways to group a person's records and to answer vague commands: HIM, its ablations, baselines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from assistant.bench.him_cases import Case
from assistant.memory.him.aggregation import Rules
from assistant.memory.him.baselines import nearest, recent
from assistant.memory.him.consistency import Weights
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.him.prototype import Prototype
from assistant.memory.him.reading import Reading
from assistant.memory.store import Store

TOP = 3
DBSTREAM_RADIUS = 0.8
"""The radius of DBSTREAM's micro-clusters among unit vectors: the best of a sweep on seeds 100 and 101."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method makes of a life.

    Attributes:
        homes: the name of the group of each record of the whole life.
        answers: for each command the records that stand for what it may mean, surest first, at most `TOP`,
            from the history alone.
        prototypes: of the whole life, where the method has some.
    """

    homes: Mapping[str, str]
    answers: Sequence[Sequence[str]]
    prototypes: Sequence[Prototype] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """A way to group records, by its name."""

    name: str
    run: Callable[[Case], Outcome]


def ablations(rules: Rules) -> list[Method]:
    """HIM as it is, the rows of the paper's Table 7, what we added left out, and the paper's own measure."""
    weights = rules.weights
    measures = {
        "HIM": weights,
        "HIM without dense": replace(weights, cosine=0.0),
        "HIM without sparse": replace(weights, words=0.0),
        "HIM without actions": replace(weights, actions=0.0),
        "HIM without arguments": replace(weights, arguments=0.0),
        "HIM without verb check": replace(weights, verbs=False),
        "paper: three equal parts": Weights(1.0, 1.0, 1.0, 0.0, verbs=False),
    }
    return [him(name, replace(rules, weights=measure)) for name, measure in measures.items()]


def him(name: str, rules: Rules) -> Method:
    """The memory as the program has it, in a store of its own, everybody's records of that phone in it."""

    def run(case: Case) -> Outcome:
        user, split = case.life.person.user_id, case.life.split
        with TemporaryDirectory(prefix="assistant-bench-") as folder:
            store = Store(Path(folder), now=lambda: case.life.records[-1].time)
            try:
                memory = HierarchicalMemory(store, case.embeds, rules, threshold=0.0)
                store.records.add(one for one in case.life.records if one.time < split)
                memory.aggregate(user_id=user)
                answers = [
                    [
                        found.prototype.centre_id
                        for found in memory.preferences(one.said, user, one.at, one.scenario, TOP)
                    ]
                    for one in case.commands
                ]
                store.records.add(one for one in case.life.records if one.time >= split)
                memory.aggregate(user_id=user)
                prototypes = memory.prototypes(user)
            finally:
                store.close()
        homes = {member.record_id: one.id for one in prototypes for member in one.members}
        return Outcome(homes, answers, prototypes)

    return Method(name, run)


def baselines() -> list[Method]:
    """Recent and nearest records, which group nothing, and embedding-only streaming clustering."""
    found = [Method("recent records", recent_records), Method("nearest records", nearest_records)]
    if river_is_there():
        found.append(Method("DBSTREAM on embeddings", dbstream))
    return found


def recent_records(case: Case) -> Outcome:
    """The newest records, whatever is asked."""
    newest = [one.record_id for one in recent(case.history, TOP)]
    return Outcome(_alone(case), [newest for _ in case.commands])


def nearest_records(case: Case) -> Outcome:
    """The records whose vectors are nearest to the command's."""
    return Outcome(
        _alone(case),
        [[one.record_id for one in nearest(case.history, vector, TOP)] for vector in case.asked],
    )


def river_is_there() -> bool:
    """Whether the library with DBSTREAM is installed (the extra `bench`)."""
    return find_spec("river") is not None


def dbstream(case: Case, radius: float = DBSTREAM_RADIUS) -> Outcome:
    """River's DBSTREAM over the vectors alone; a command means the group whose mean is nearest.

    A group is told by its record nearest to the mean.
    """
    homes = _dbstream_homes(case.history, radius)
    members: dict[str, list[Reading]] = defaultdict(list)
    for one in case.history:
        members[homes[one.record_id]].append(one)
    means = np.stack([_mean(group) for group in members.values()])
    centres = [_nearest_to(mean, group) for mean, group in zip(means, members.values(), strict=True)]
    answers = [[centres[place] for place in np.argsort(-(means @ vector))[:TOP]] for vector in case.asked]
    return Outcome(_dbstream_homes(case.readings, radius), answers)


def _dbstream_homes(readings: Sequence[Reading], radius: float) -> dict[str, str]:
    model = import_module("river.cluster").DBSTREAM(
        clustering_threshold=radius, fading_factor=0.001, cleanup_interval=500, minimum_weight=1.0
    )
    points = [dict(enumerate(map(float, one.vector))) for one in readings]
    for point in points:
        model.learn_one(point)
    return {one.record_id: str(model.predict_one(point)) for one, point in zip(readings, points, strict=True)}


def _mean(readings: Sequence[Reading]) -> NDArray[np.float32]:
    mean: NDArray[np.float32] = np.mean([one.vector for one in readings], axis=0, dtype=np.float32)
    return mean / np.float32(np.linalg.norm(mean))


def _nearest_to(mean: NDArray[np.float32], readings: Sequence[Reading]) -> str:
    return max(readings, key=lambda one: float(one.vector @ mean)).record_id


def _alone(case: Case) -> dict[str, str]:
    return {one.record_id: one.record_id for one in case.readings}
