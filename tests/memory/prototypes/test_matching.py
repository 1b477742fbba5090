"""Which prototype a whole command means: by the matcher, and by what is usual then and there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.embedding.models import Matches
from assistant.memory.prototypes.clustering import Cluster, ClusteringRules, IncrementalClustering
from assistant.memory.prototypes.preferences import find_confidences
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from tests.memory.prototypes.lived import MONDAY, Hashing, readings, record

LUNCH, LIGHTS = "Order lamb dumplings", "Dim the bedroom lamp"
NOW = MONDAY + timedelta(days=14)
HALF_LIFE = 30.0


@pytest.fixture(scope="module")
def clusters() -> list[Cluster]:
    """Lunches on ten days at the hour of `NOW`, and a lamp that is dimmed nine hours later, elsewhere."""
    lunches = (record(f"l{day}", LUNCH, day=day, item="dumplings") for day in range(10))
    lamps = (
        record(f"d{day}", LIGHTS, day=day, minutes=540, app="Home", item="lamp", scenario="residence")
        for day in range(10)
    )
    stream = IncrementalClustering(Hashing.dimensions, ClusteringRules())
    stream.add(readings(*lunches, *lamps))
    assert len(stream.clusters) == 2
    return sorted(stream.clusters.values(), key=lambda cluster: cluster.centre.text)


def confidences(
    clusters: Sequence[Cluster], lights: float, lunch: float, none: float = 3.0, hours: float = 0
) -> list[float]:
    """The confidences of the lamp and the lunch."""
    now = NOW + timedelta(hours=hours)
    return find_confidences(clusters, Matches((lights, lunch), none), now, "office", HALF_LIFE)


def test_what_fits_better_is_likelier(clusters: list[Cluster]) -> None:
    lights, lunch = confidences(clusters, lights=0.1, lunch=0.8)
    assert lunch > 0.8 > 0.1 > lights
    assert confidences(clusters, lights=0.9, lunch=0.1)[0] > 0.5


def test_the_hour_decides_between_what_fits_alike(clusters: list[Cluster]) -> None:
    lights, lunch = confidences(clusters, lights=0.4, lunch=0.4)
    assert lunch > lights
    assert confidences(clusters, lights=0.4, lunch=0.4, hours=9)[0] > lights


def test_none_takes_what_nothing_fits(clusters: list[Cluster]) -> None:
    assert sum(confidences(clusters, lights=-0.1, lunch=-0.1, none=8.0)) < 0.2
    assert sum(confidences(clusters, lights=0.5, lunch=0.5, none=8.0)) < sum(
        confidences(clusters, lights=0.5, lunch=0.5, none=-2.0)
    )


class _Taste:
    """A matcher for which one instruction fits everything."""

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        return Matches(tuple(float(LIGHTS in instructions) for instructions in habits), 2.0)


def test_the_memory_ranks_whole_commands_by_its_matcher(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", now=lambda: NOW)
    store.records.add([record(f"l{day}", LUNCH, day=day, item="dumplings") for day in range(10)])
    store.records.add([record(f"d{day}", LIGHTS, day=day, app="Home", item="lamp") for day in range(10)])
    memory = HierarchicalMemory(store, Hashing(), threshold=0.0, matcher=_Taste())
    habits = memory.habits("something for the eyes", "1", NOW, "office")
    assert habits[0].prototype.instruction == LIGHTS
    assert memory.likeness([LIGHTS], [LIGHTS]) == 1.0
    store.close()


class _Same:
    """A matcher for which only the same words fit."""

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        return Matches(tuple(float(command in texts) for texts in habits), 2.0)


def test_what_was_said_for_a_habit_before_fits_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", now=lambda: NOW)
    lamps = [record(f"d{day}", LIGHTS, day=day, app="Home", item="lamp") for day in range(10)]
    store.records.add([record(f"l{day}", LUNCH, day=day, item="dumplings") for day in range(10)])
    store.records.add([lamp.model_copy(update={"said": "something for the eyes"}) for lamp in lamps])
    memory = HierarchicalMemory(store, Hashing(), threshold=0.0, matcher=_Same())
    assert memory.habits("something for the eyes", "1", NOW, "office")[0].prototype.instruction == LIGHTS
    assert memory.habits("something to eat", "1", NOW, "office")[0].prototype.instruction == LUNCH
    store.close()
