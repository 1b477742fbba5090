from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from assistant.bench.paper_methods import nearest, recent
from assistant.memory.prototypes.clustering import Cluster, ClusteringRules, IncrementalClustering
from assistant.memory.prototypes.preferences import PreferenceWeights, RankedPreference, query, rank
from assistant.memory.prototypes.terms import plain_command

from .lived import CANCEL, COFFEE, MONDAY, ORDER, Hashing, readings, record

NOW = MONDAY + timedelta(days=12)


@pytest.fixture(scope="module")
def clusters() -> list[Cluster]:
    stream = IncrementalClustering(Hashing.dimensions, ClusteringRules())
    stream.add(
        readings(
            *(record(f"n{day}", day=day) for day in range(10)),
            *(
                record(
                    f"c{day}",
                    COFFEE,
                    day=day,
                    minutes=-240,
                    app="Beans",
                    item="flat white",
                    scenario="residence",
                )
                for day in range(6)
            ),
            record("x", CANCEL, day=2, minutes=20),
        )
    )
    return list(stream.clusters.values())


def ranked(
    command: str, clusters: list[Cluster], hour: int = 12, scenario: str = "office"
) -> list[RankedPreference]:
    core = plain_command(command)
    vector = Hashing().embed([core])[0] if core else None
    return rank(query(command, vector, NOW.replace(hour=hour), scenario), clusters, PreferenceWeights(), 30.0)


def test_confidences_are_shares_that_leave_some_to_none(clusters: list[Cluster]) -> None:
    preferences = ranked("order noodles", clusters)
    assert preferences[0].cluster.centre.text == ORDER
    assert sum(preference.confidence for preference in preferences) < 1.0
    assert preferences == sorted(preferences, key=lambda preference: -preference.confidence)


def test_verbs_decide_between_opposites(clusters: list[Cluster]) -> None:
    assert ranked("cancel the noodles", clusters)[0].cluster.centre.text == CANCEL
    assert CANCEL not in [preference.cluster.centre.text for preference in ranked("order noodles", clusters)]


def test_time_and_place_decide_where_words_do_not(clusters: list[Cluster]) -> None:
    assert ranked("order the usual", clusters)[0].cluster.centre.text == ORDER
    assert ranked("order the usual", clusters, 8, "residence")[0].cluster.centre.text == COFFEE


def test_what_began_lately_is_meant_rather_than_what_it_replaced() -> None:
    stream = IncrementalClustering(Hashing.dimensions, ClusteringRules())
    old = [record(f"o{day}", day=day - 30) for day in range(30)]
    new = [record(f"n{day}", COFFEE, day=day, item="flat white", app="Beans") for day in range(4)]
    stream.add(readings(*old, *new))
    asked = query("the usual", None, MONDAY + timedelta(days=4))
    for scales, expected in ((PreferenceWeights(), COFFEE), (PreferenceWeights(fresh=0.0), ORDER)):
        preferences = rank(asked, list(stream.clusters.values()), scales, 30.0)
        assert preferences[0].cluster.centre.text == expected


def test_weekends_are_told_from_working_days() -> None:
    stream = IncrementalClustering(Hashing.dimensions, ClusteringRules())
    weeks = [7 * week for week in range(-4, 1)]
    lived = [record(f"w{day + week}", day=day + week) for week in weeks for day in (0, 2)]
    lived += [
        record(f"e{day + week}", COFFEE, day=day + week, app="Beans", item="flat white")
        for week in weeks
        for day in (5, 6)
    ]
    stream.add(readings(*lived))
    for day, expected in ((6, COFFEE), (7, ORDER)):
        asked = query("the usual", None, MONDAY + timedelta(days=day))
        preferences = rank(asked, list(stream.clusters.values()), PreferenceWeights(), 30.0)
        assert preferences[0].cluster.centre.text == expected


def test_a_command_about_something_else_leaves_most_to_none(clusters: list[Cluster]) -> None:
    preferences = ranked("rename the holiday album", clusters, 3, "outdoors")
    assert sum(preference.confidence for preference in preferences) < 0.5


def test_no_prototype_means_no_answer() -> None:
    assert ranked("order noodles", []) == []


def test_a_command_that_only_points_at_habit_is_empty() -> None:
    assert plain_command("the usual, please") == ""
    assert plain_command("order the usual") != ""


def test_baselines_tell_each_instruction_once() -> None:
    lived = readings(record("a"), record("b", COFFEE, day=1), record("c", day=2), record("d", CANCEL, day=3))
    assert [reading.record_id for reading in recent(lived, 2)] == ["d", "c"]
    vector = Hashing().embed([COFFEE])[0]
    assert nearest(lived, vector, 2)[0].record_id == "b"
    assert len(nearest(lived, vector, 9)) == 3
    assert nearest([], np.zeros(256, np.float32), 3) == []
