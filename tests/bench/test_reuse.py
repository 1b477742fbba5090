from __future__ import annotations

import json
from pathlib import Path

from assistant.bench.reuse import Task, TaskRun, _figures, make_tasks, run_templates
from assistant.records import Outcome


def run(category: str, *steps: str, replayed: int = 0) -> TaskRun:
    done = [(key, place < replayed) for place, key in enumerate(steps)]
    return TaskRun(Task(category, "", changed=False), Outcome.SUCCESS, len(steps) - replayed, done)


def test_ours_is_counted_beside_the_rules_of_the_paper() -> None:
    plain = [
        run("a", "open", "search", "rice", "buy"),
        run("a", "open", "search", "tea", "buy"),
        run("b", "open"),
    ]
    ours = [plain[0], run("a", "open", "search", "tea", "buy", replayed=3), run("b", "shut", replayed=1)]
    figures = _figures(plain, ours)
    assert figures["ActTree"] == round(2 / 9, 4)
    assert figures["ActChain"] == round(3 / 9, 4)
    assert figures["replayed"] == round(4 / 9, 4)
    assert figures["wrong replays"] == 1


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
