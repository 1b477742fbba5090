from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from assistant.bench import him
from assistant.bench.hashing import HashingEmbedder
from assistant.bench.him_methods import Groups, Method, ablations, asked_all, dbstream, river_is_there
from assistant.bench.him_quality import Scored, quality_lines, quality_values
from assistant.memory.him.aggregation import Rules
from assistant.memory.him.prototype import Kind
from assistant.memory.him.reading import Reader, Reading
from assistant.records import Record
from assistant.simulator.life.people import LifeOptions

EMBEDDER = HashingEmbedder(128)
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def cases() -> list[him.Case]:
    return him.read_lives(LifeOptions(seed=31, weeks=3, people=2), EMBEDDER)


def truth_method(case: him.Case) -> Method:
    """What a method that knows the truth would do: the upper bound of every figure."""

    def groups(readings: Sequence[Reading]) -> Groups:
        first = {case.truth[one.record_id]: one.record_id for one in reversed(readings) if one.path}
        wanted = iter([command.cluster for command in case.commands])
        homes = {one.record_id: case.truth[one.record_id] for one in readings}
        return Groups(homes, lambda _asked, _top: [first[next(wanted)]])

    return Method("truth", groups)


def test_knowing_the_truth_scores_full(cases: list[him.Case]) -> None:
    case = next(one for one in cases if one.commands)

    found, _ = him.measure([case], truth_method(case))

    assert found.clusters.v_measure == pytest.approx(1.0)
    assert found.clusters.f1 == pytest.approx(1.0)
    assert found.first == found.among == 1.0
    assert found.rates.type > 0.7


def test_history_ends_at_the_split(cases: list[him.Case]) -> None:
    for case in cases:
        assert 0 < len(case.history) < len(case.readings)
        assert max(one.time for one in case.history) < case.life.split
        assert min(one.at for one in case.commands) >= case.life.split


def test_the_report_has_all_methods_beside_each_other() -> None:
    told: list[str] = []

    report = him.run(LifeOptions(seed=31, weeks=3, people=2), EMBEDDER, told.append)
    values = json.loads(report.as_json())

    names = [one["method"] for one in values["methods"]]
    assert names[:4] == ["HIM", "HIM without dense", "HIM without sparse", "HIM without actions"]
    assert {"recent records", "nearest records"} <= set(names)
    assert ("DBSTREAM on embeddings" in names) == river_is_there()
    assert report.good == (not values["behind"])
    assert values["model"] == EMBEDDER.model_id
    assert len(told) == len(names) + 1
    alone = next(one for one in values["methods"] if one["method"] == "recent records")
    assert alone["homogeneity"] == 1.0
    assert alone["pairwise_recall"] == 0.0


def test_ablations_leave_one_part_out() -> None:
    rules = Rules()
    readings = list(
        Reader(EMBEDDER).read(
            Record(id=str(n), user_id="1", time=NOW + timedelta(minutes=n), instruction="Call Dad")
            for n in range(3)
        )
    )
    for method in ablations(rules):
        assert len(set(method.groups(readings).homes.values())) == 1, method.name


@pytest.mark.skipif(not river_is_there(), reason="river is not installed (extra bench)")
def test_dbstream_groups_what_is_near() -> None:
    texts = ["Order beef noodles on Eats"] * 3 + ["给妈妈打电话"] * 3
    records = [
        Record(id=str(n), user_id="1", time=NOW + timedelta(days=n), instruction=text)
        for n, text in enumerate(texts)
    ]
    groups = dbstream(list(Reader(EMBEDDER).read(records)))

    assert groups.homes["0"] == groups.homes["2"] != groups.homes["3"]
    asked = asked_all(EMBEDDER, [("给妈妈打个电话", NOW, "unknown")])
    assert groups.answer(asked[0], 1)[0] in ("3", "4", "5")


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
