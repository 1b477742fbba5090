"""The vague commands of the benchmark, and how their outcome is told."""

from __future__ import annotations

import json

from assistant.bench.personal import Known, Tried, personal_tasks, report
from assistant.understand.perceive import perceive


def test_every_command_is_vague_and_in_its_language() -> None:
    tasks = personal_tasks()
    assert {task.locale for task in tasks} == {"en", "zh"}
    for task in tasks:
        perceived = perceive(task.instruction)
        assert perceived.personalized, task.id
        assert perceived.language == task.locale


def test_the_sums_are_those_of_the_rows() -> None:
    first, second = personal_tasks()[:2]
    done, undone = (), ("it is not there",)
    tried = [
        Tried(first, {Known.NOTHING: undone, Known.APPS: undone, Known.WEEKS: done}),
        Tried(second, {Known.NOTHING: done, Known.APPS: done, Known.WEEKS: done}),
    ]
    told = report(tried, seed=0)
    values = json.loads(told.as_json())
    assert values["done"] == {"nothing": 1, "apps": 1, "weeks": 2}
    assert values["tasks"][0]["unmet"] == {"nothing": list(undone), "apps": list(undone), "weeks": []}
    assert told.good


def test_memory_that_helps_nothing_is_not_good() -> None:
    (task, *_) = personal_tasks()
    assert not report([Tried(task, dict.fromkeys(Known, ()))], seed=0).good
