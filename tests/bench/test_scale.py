from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from assistant.bench import scale
from assistant.bench.hashing import HASHING


def test_a_long_life_is_one_users_and_goes_on(tmp_path: Path) -> None:
    life = list(islice(scale.long_life(3), 700))

    assert {record.user_id for record in life} == {"1"}
    assert len({record.id for record in life}) == len(life)
    assert [record.time for record in life] == sorted(one.time for one in life)
    assert (life[-1].time - life[0].time).days > 60


def test_a_size_is_measured_on_the_real_path(tmp_path: Path) -> None:
    (task,) = scale.write_tasks(tmp_path, [120], seed=3, model=HASHING)

    figures = scale.measure(task)

    assert figures["records"] == 120
    assert 5 < figures["prototypes"] < 120
    assert figures["one_more_day_s"] > 0
    assert figures["total_s"] >= figures["aggregate_s"] > 0
    assert figures["disk_mb"] > 0
    day = task.day.read_text("utf-8").splitlines()
    assert 0 < len(day) < 40
    assert json.loads(day[0])["id"] == "r0000121"


def test_budgets_are_judged() -> None:
    fine = {"records": 1000, "total_s": 4.0, "one_more_day_s": 0.2, "memory_mb": 20.0}
    slow = {"records": 20_000, "total_s": 80.0, "one_more_day_s": 1.5, "memory_mb": 400.0}
    greedy = {**slow, "total_s": 3.0, "one_more_day_s": 0.5, "memory_mb": 2000.0}

    assert scale.report([fine], 0, "").good
    judged = json.loads(scale.report([fine, slow], 0, "").as_json())
    assert not judged["good"]
    assert len(judged["missed"]) == 2
    assert scale.report([fine, greedy], 0, "").values["missed"] == ["memory grows faster than records"]
