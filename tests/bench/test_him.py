from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest

from assistant.bench import him, him_methods
from assistant.bench.hashing import HashingEmbedder
from assistant.bench.him_cases import Case, read_lives
from assistant.bench.him_methods import Method, Outcome, ablations, baselines, dbstream, river_is_there
from assistant.bench.him_quality import Scored, quality_lines, quality_values
from assistant.memory.him.aggregation import Rules
from assistant.memory.him.prototype import Kind
from assistant.simulator.life.people import LifeOptions

EMBEDDER = HashingEmbedder(128)
OPTIONS = LifeOptions(seed=31, weeks=3, people=2)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return read_lives(OPTIONS, EMBEDDER)


def knowing_the_truth(case: Case) -> Outcome:
    """The upper bound of every figure."""
    first = {case.truth[one.record_id]: one.record_id for one in reversed(case.history) if one.path}
    homes = {one.record_id: case.truth[one.record_id] for one in case.readings}
    return Outcome(homes, [[first[one.cluster]] for one in case.commands])


def test_knowing_the_truth_scores_full(cases: list[Case]) -> None:
    found, _ = him.measure(cases, Method("truth", knowing_the_truth))

    assert found.clusters.v_measure == pytest.approx(1.0)
    assert found.clusters.f1 == pytest.approx(1.0)
    assert found.first == found.among == 1.0
    assert found.rates.type > 0.7


def test_history_ends_at_the_split(cases: list[Case]) -> None:
    for case in cases:
        assert 0 < len(case.history) < len(case.readings)
        assert max(one.time for one in case.history) < case.life.split
        assert min(one.at for one in case.commands) >= case.life.split


def test_the_memory_groups_and_answers_for_one_user(cases: list[Case]) -> None:
    for case in cases:
        outcome = him_methods.him("HIM", Rules()).run(case)

        assert outcome.homes.keys() == case.truth.keys()
        assert {one.user_id for one in outcome.prototypes} == {case.life.person.user_id}
        before = {one.record_id for one in case.history}
        assert all(record in before for answer in outcome.answers for record in answer)


def test_the_report_has_methods_beside_each_other() -> None:
    told: list[str] = []
    methods = [him_methods.him("HIM", Rules()), *baselines()]

    report = him.run(OPTIONS, EMBEDDER, told.append, methods)
    values = json.loads(report.as_json())

    names = [one["method"] for one in values["methods"]]
    assert names[:3] == ["HIM", "recent records", "nearest records"]
    assert ("DBSTREAM on embeddings" in names) == river_is_there()
    assert report.good == (not values["behind"])
    assert values["model"] == EMBEDDER.model_id
    assert len(told) == len(names) + 1
    alone = values["methods"][1]
    assert alone["homogeneity"] == 1.0
    assert alone["pairwise_recall"] == 0.0


def test_ablations_leave_one_part_out_each() -> None:
    names = [one.name for one in ablations(Rules())]

    assert names[0] == "HIM"
    assert {"HIM without dense", "HIM without sparse", "HIM without actions"} < set(names)
    assert len(set(names)) == len(names)


@pytest.mark.skipif(not river_is_there(), reason="river is not installed (extra bench)")
def test_dbstream_groups_what_is_near(cases: list[Case]) -> None:
    near, far = dbstream(cases[0], radius=0.3), dbstream(cases[0], radius=1.3)

    assert len(set(near.homes.values())) > 3 * len(set(far.homes.values()))
    same = defaultdict(set)
    for one in cases[0].readings:
        same[one.text].add(near.homes[one.record_id])
    assert all(len(homes) == 1 for homes in same.values())


def test_quality_is_drawn_with_its_modes() -> None:
    random = np.random.default_rng(0)
    scored = [
        Scored(kind, float(value), 0.5)
        for kind, middle in zip(Kind, (0.2, 0.5, 0.9), strict=True)
        for value in random.normal(middle, 0.03, 60)
    ]

    values = quality_values(scored)
    lines = quality_lines(scored)

    assert [round(mode["mean"], 1) for mode in values["modes"]] == [0.2, 0.5, 0.9]
    assert values["right"] > 0.95
    assert sum("─" in line for line in lines[1:-1]) == 2
    assert any("mm" in line for line in lines)
    assert any("RR" in line for line in lines)
