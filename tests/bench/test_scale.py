from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

from assistant.bench import scale
from assistant.bench.hashing import HASHING


def test_a_long_life_is_one_users_and_goes_on(tmp_path: Path) -> None:
    life = list(islice(scale.long_life(3), 700))

    assert {one.user_id for one in life} == {"1"}
    assert len({one.id for one in life}) == len(life)
    assert [one.time for one in life] == sorted(one.time for one in life)
    assert (life[-1].time - life[0].time).days > 60


def test_a_size_is_measured_on_the_real_path(tmp_path: Path) -> None:
    (task,) = scale.write_tasks(tmp_path, [120], seed=3, model=HASHING)

    found = scale.measure(task)

    assert found.records == 120
    assert 5 < found.prototypes < 120
    assert min(found.importing, found.embedding, found.aggregating, found.day, found.all_pairs) > 0
    assert found.disk > 0
    day = task.day.read_text("utf-8").splitlines()
    assert 0 < len(day) < 40
    assert json.loads(day[0])["id"] == "r0000121"


def test_budgets_are_judged() -> None:
    fine = scale.Scale(1000, 50, 1.0, 2.0, 1.0, 3.0, 0.2, 20.0, 5.0, 30.0)
    slow = scale.Scale(20_000, 900, 10.0, 40.0, 30.0, 75.0, 1.5, 400.0, 90.0, 9000.0)
    greedy = replace(slow, importing=1.0, embedding=1.0, aggregating=1.0, day=0.5, memory=2000.0)

    assert scale.report([fine], 0, "").good
    judged = json.loads(scale.report([fine, slow], 0, "").as_json())
    assert not judged["good"]
    assert len(judged["missed"]) == 2
    assert scale.report([fine, greedy], 0, "").values["missed"] == ["memory grows faster than records"]
