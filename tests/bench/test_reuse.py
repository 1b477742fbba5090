from __future__ import annotations

import json
from pathlib import Path

from assistant.bench.reuse import (
    StepKey,
    Task,
    TaskRun,
    _figures,
    after_mismatch,
    make_tasks,
    paper_rates,
    run_templates,
)
from assistant.records import Outcome


def run(category: str, *steps: str, replayed: int = 0, requests: int = 0) -> TaskRun:
    done = [StepKey(key, place < replayed) for place, key in enumerate(steps)]
    task = Task(category, "", values=("rice", "tea"))
    return TaskRun(task, Outcome.SUCCESS, requests or len(steps) - replayed, steps=done)


PLAIN = [run("a", "open", "type rice", "buy"), run("a", "open", "type tea", "buy"), run("b", "open")]


def test_ours_is_counted_beside_the_run_without_memory() -> None:
    ours = [
        PLAIN[0],
        run("a", "open", "type tea", "buy", replayed=2, requests=1),
        run("b", "shut", replayed=1),
    ]
    figures = _figures(PLAIN, ours)
    assert figures["replayed"] == round(3 / 7, 4)
    assert figures["wrong replays"] == 1


def test_a_sensitive_step_is_none_of_those_that_memory_may_do_alone() -> None:
    done = [StepKey("open", replayed=True), StepKey("pay", sensitive=True)]
    ours = TaskRun(PLAIN[2].task, Outcome.SUCCESS, steps=done)
    figures = _figures([PLAIN[2]], [ours])
    assert figures["replayed"] == 0.5
    assert figures["replayed of those allowed"] == 1.0
    assert figures["unasked"] == 1


def test_the_rules_of_the_paper_are_applied_to_the_run_without_memory() -> None:
    rates = paper_rates(PLAIN)
    assert rates["ActTree"]["of all steps"] == round(1 / 7, 4)
    assert rates["ActChain, sub-tasks by hand"]["of all steps"] == round(2 / 7, 4)
    assert rates["ActChain, sub-tasks by a model"]["of all steps"] == round(1 / 7, 4)


def test_after_a_mismatch_only_what_follows_counts() -> None:
    steps = [StepKey("a", replayed=True), StepKey("b"), StepKey("c", replayed=True), StepKey("d")]
    assert [step.key for step in after_mismatch(TaskRun(PLAIN[0].task, steps=steps))] == ["c", "d"]
    assert after_mismatch(TaskRun(PLAIN[0].task, steps=steps[:1])) == []


def test_every_tenth_order_meets_a_phone_that_differs() -> None:
    tasks = make_tasks(40, seed=0)
    assert sum(task.changed for task in tasks) == 4
    assert len({task.category for task in tasks}) == 8
    assert tasks == make_tasks(40, seed=0)


def test_slots_are_scored_by_their_values(tmp_path: Path) -> None:
    lines = [{"template": "Play {song} in Music.", "slots": ["song"]}, {"template": "Go home.", "slots": []}]
    (tmp_path / "app-tasks.jsonl").write_text("\n".join(map(json.dumps, lines)))
    report = run_templates(tmp_path, seed=0)
    assert report.good
    assert report.values["templates"] == 1
