from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import numpy as np
import pytest

from assistant.memory.prototypes.clustering import (
    Cluster,
    ClusteringConstraints,
    ClusteringRules,
    IncrementalClustering,
    SharedDays,
    group_wordings,
    link_by_average,
    rank,
)
from assistant.memory.prototypes.model import Member, Prototype, faded
from assistant.memory.prototypes.similarity import ConsistencyWeights, RecordFeatures
from assistant.records import Record

from .lived import COFFEE, MONDAY, ORDER, Hashing, readings, record, trail


def placed(
    rules: ClusteringRules, records: Iterable[Record], wishes: ClusteringConstraints | None = None
) -> set[frozenset[str]]:
    """Which records share prototypes."""
    stream = IncrementalClustering(Hashing.dimensions, rules, wishes or ClusteringConstraints())
    changes = stream.add(readings(*records))
    groups: dict[str, set[str]] = {}
    for placement in changes.placed:
        groups.setdefault(changes.home(placement.prototype_id), set()).add(placement.record_id)
    assert set(groups) == set(stream.clusters)
    return {frozenset(group) for group in groups.values()}


def test_opposites_stay_apart_unless_the_check_is_left_out() -> None:
    records = [record("a", "Turn on the lamp", actions=()), record("b", "Turn off the lamp", actions=())]
    assert placed(ClusteringRules(), records) == {frozenset("a"), frozenset("b")}
    blind = ClusteringRules(theta=0.4, weights=ConsistencyWeights(verbs=False))
    assert placed(blind, records) == {frozenset("ab")}


def test_the_same_done_with_other_things_stays_apart() -> None:
    records = [
        record("a", "Order beef noodles on Eats", item="beef noodles"),
        record("b", "Order chicken curry on Eats", item="chicken curry", day=1),
        record("c", "Beef noodles from Eats, please", item="beef noodles", day=2),
    ]
    assert placed(ClusteringRules(), records) == {frozenset("ac"), frozenset("b")}


def test_the_remarks_of_a_log_do_not_part_what_was_done() -> None:
    remarks = (
        ", then went back to sleep",
        ", then put the kettle on",
        " before the stand-up",
        " - late again",
        "",
    )
    diary = [
        record(
            str(number), f"{'Turned off' if number % 2 else 'turned off'} the 07:30 alarm{remark}", actions=()
        )
        for number, remark in enumerate(remarks)
    ]
    other = record("x", "turned off the porch lights, then went back to sleep", actions=())
    assert placed(ClusteringRules(), [*diary, other]) == {frozenset("01234"), frozenset("x")}


def test_prototypes_that_became_consistent_are_merged() -> None:
    # A record between two that do not reach each other.
    far = "Bring me some beef noodles"
    records = [
        record("a", ORDER, actions=()),
        record("b", far, actions=(), day=1),
        record("c", "Order beef noodles without coriander", actions=(), day=2),
    ]
    loose = ClusteringRules(theta=0.4, weights=ConsistencyWeights(arguments=0.0))
    assert placed(loose, records) == {frozenset("abc")}
    assert placed(replace(loose, theta=0.7), records) != {frozenset("abc")}


def test_what_is_left_out_is_in_no_prototype() -> None:
    records = [record("a"), record("b", day=1)]
    assert placed(ClusteringRules(), records, ClusteringConstraints(left_out=frozenset("a"))) == {
        frozenset("b")
    }


def test_wishes_part_what_is_the_same_and_join_what_is_not() -> None:
    records = [record("a"), record("b", day=1), record("c", COFFEE, day=2, app="Beans", item="flat white")]
    assert placed(ClusteringRules(), records, ClusteringConstraints(apart=(("a", "b"),))) == {
        frozenset("a"),
        frozenset("b"),
        frozenset("c"),
    }
    assert placed(ClusteringRules(), records, ClusteringConstraints(together=(("a", "c"),))) == {
        frozenset("abc")
    }


def test_the_centre_is_the_medoid_and_was_carried_out() -> None:
    stream = IncrementalClustering(Hashing.dimensions, ClusteringRules(theta=0.3))
    odd = trail("Eats", "beef noodles")[:2]
    stream.add(
        readings(
            record("a", actions=odd), record("b", day=1), record("c", day=2), record("d", day=3, actions=())
        )
    )
    (cluster,) = stream.clusters.values()
    assert cluster.centre.record_id == "c"
    assert cluster.founder == "a"
    fits = {sampled.record.record_id: sampled.fit for sampled in cluster.sample}
    assert fits["c"] == 1.0
    assert fits["a"] < fits["b"]


def test_the_centre_is_what_is_done_since_and_not_what_was_done_once() -> None:
    wing, burger = "Order chicken wings from Big Bite", "Order a cheese burger from Big Bite"
    wings = [record(f"w{day}", wing, item="wings", day=day) for day in range(8)]
    burgers = [record(f"b{day}", burger, item="burger", day=8 + day) for day in range(5)]
    stream = IncrementalClustering(Hashing.dimensions, ClusteringRules(theta=0.2))
    centres = []
    for each in (*wings, *burgers):
        stream.add(readings(each))
        (cluster,) = stream.clusters.values()
        centres.append(cluster.centre.text)
    assert centres[8] == wing
    assert centres[-1] == burger


def sampled(order: list[RecordFeatures], size: int) -> set[str]:
    cluster = Cluster("p", order[0].record_id, order[0], order[0].time, order[0].time)
    for features in order:
        cluster.join(features, 1.0, 30.0, size)
    return {sampled.record.record_id for sampled in cluster.sample}


def test_the_sample_is_bounded_recent_and_does_not_depend_on_the_order() -> None:
    lived = readings(*(record(f"r{day}", day=day) for day in range(300)))
    chosen = sampled(lived, 12)
    mixed = lived[:]
    random.Random(1).shuffle(mixed)
    assert sampled(mixed, 12) == chosen
    assert len(chosen) == 12
    assert min(int(name[1:]) for name in chosen) > 100


def test_evidence_halves_in_its_half_life_whatever_the_order() -> None:
    lived = readings(*(record(f"r{day}", day=day) for day in (0, 10, 20)))
    weights = []
    for order in (lived, lived[::-1]):
        cluster = Cluster("p", "r0", order[0], order[0].time, order[0].time)
        for features in order:
            cluster.join(features, 1.0, 10.0, 12)
        weights.append(cluster.weight)
        assert (cluster.first, cluster.last) == (lived[0].time, lived[2].time)
    assert weights[0] == pytest.approx(weights[1]) == pytest.approx(1.75)
    assert faded(1.75, lived[2].time, lived[2].time + timedelta(days=10), 10.0) == pytest.approx(0.875)


def test_ranks_rise_with_time() -> None:
    assert rank("a", MONDAY + timedelta(days=400), 30.0) > rank("b", MONDAY, 30.0)


def test_prototypes_grow_with_what_is_done_and_not_with_records() -> None:
    stream = IncrementalClustering(Hashing.dimensions, ClusteringRules())
    many = [
        record(f"n{number}", day=number // 6, minutes=number)
        if number % 2
        else record(f"n{number}", COFFEE, day=number // 6, app="Beans", item="flat white")
        for number in range(160)
    ]
    stream.add(readings(*many))
    assert len(stream.clusters) == 2
    assert all(len(cluster.sample) <= ClusteringRules().sample for cluster in stream.clusters.values())


def test_released_prototypes_are_fetched_again() -> None:
    kept: dict[str, Cluster] = {}
    stream = IncrementalClustering(
        Hashing.dimensions, ClusteringRules(), load=lambda ids: [kept[name] for name in ids]
    )
    stream.add(readings(record("a"), record("c", COFFEE, app="Beans", item="flat white")))
    kept.update(stream.clusters)
    stream.release(0)
    assert not stream.clusters
    stream.add(readings(record("b", day=1)))
    assert kept["p-a"].count == 2


def wording(says: str, hour: int, *days: int) -> Prototype:
    """What was said so on some days at an hour, with nothing known of what was done."""
    times = [MONDAY + timedelta(days=day, hours=hour - MONDAY.hour) for day in days]
    members = tuple(Member(f"{says} {day}", at, "unknown", 1.0) for day, at in zip(days, times, strict=True))
    return Prototype(says, "me", members[0].record_id, says, (), "", "", members, float(len(days)))


def grouped(alike: float, *wordings: Prototype) -> list[tuple[str, ...]]:
    """The groups of wordings of which each two have the same cosine."""
    cosines = np.full((len(wordings), len(wordings)), alike) + (1 - alike) * np.eye(len(wordings))
    return group_wordings(wordings, np.linalg.cholesky(cosines).astype(np.float32))


@pytest.mark.parametrize(
    ("alike", "hour", "are_one"), [(0.35, 7, True), (0.35, 15, False), (0.6, 15, True), (0.15, 7, False)]
)
def test_wordings_that_are_a_little_alike_are_one_habit_only_at_the_same_hour(
    alike: float, hour: int, are_one: bool
) -> None:
    groups = grouped(alike, wording("wake me at seven", 7, 0, 2, 5), wording("alarm please", hour, 1, 3))
    assert len(groups) == are_one


def test_opposite_wordings_are_never_one_habit() -> None:
    assert not grouped(0.9, wording("turn on the lamp", 7, 0, 2), wording("turn off the lamp", 7, 1, 3))


def test_of_a_habit_in_several_wordings_the_newest_is_offered_where_all_are_as_alike() -> None:
    older, newer = wording("alarm for seven", 7, 0, 1, 2), wording("wake me at seven", 7, 10, 11, 12)
    assert grouped(0.5, older, newer) == grouped(0.5, newer, older) == [(newer.id, older.id)]


def test_a_chain_of_neighbours_joins_no_strangers() -> None:
    alike = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.6], [0.0, 0.6, 1.0]])
    days = partial(SharedDays, [wording(name, 7, day) for day, name in enumerate("abc")])
    assert link_by_average(alike, [1, 1, 1], 0.5, days()) == [[0, 1], [2]]
    assert link_by_average(alike, [1, 9, 1], 0.5, days()) == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("alike", "later", "minutes", "are_one"),
    [
        (0.22, 1, 0, True),
        (0.5, 0, 60, False),
        (0.5, 0, 10, True),
    ],
    ids=["in turns", "on the same days", "again at once"],
)
def test_wordings_that_take_turns_are_one_habit_and_those_of_the_same_days_are_two(
    alike: float, later: int, minutes: int, are_one: bool
) -> None:
    first = wording("wake me at seven", 7, *range(0, 12, 2))
    second = wording("alarm please", 7, *range(later, 12 + later, 2))
    moved = [replace(each, time=each.time + timedelta(minutes=minutes)) for each in second.members]
    assert len(grouped(alike, first, replace(second, members=tuple(moved)))) == are_one
