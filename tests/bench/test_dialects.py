from __future__ import annotations

import pytest

from assistant.bench.task_runs import Run, TaskOptions, report_dialects, run_dialects
from assistant.bench.tasks import load_tasks
from assistant.model.dialects.registry import UnknownDialect
from assistant.records import Outcome

DIALECTS = {"any": "tool_calls", "kimi": "kimi"}


def run(outcome: Outcome) -> Run:
    return Run(
        "a", Outcome.SUCCESS, outcome, 3, 1.0, unmet=() if outcome is Outcome.SUCCESS else ("missing",)
    )


def test_same_outcomes_are_good() -> None:
    report = report_dialects({"any": [run(Outcome.SUCCESS)], "kimi": [run(Outcome.SUCCESS)]}, DIALECTS)
    assert report.good
    assert report.values["families"]["kimi"]["otherwise"] == 0


def test_another_outcome_is_counted() -> None:
    report = report_dialects({"any": [run(Outcome.SUCCESS)], "kimi": [run(Outcome.FAILED)]}, DIALECTS)
    assert not report.good
    assert report.values["families"]["kimi"]["otherwise"] == 1


async def test_an_unknown_dialect_is_refused_before_anything_runs() -> None:
    numbered = list(enumerate(load_tasks()))[:1]
    with pytest.raises(UnknownDialect):
        await run_dialects(numbered, ["klingon"], TaskOptions())


def test_a_model_that_reads_pictures_is_given_the_time_for_it() -> None:
    told, reads = TaskOptions(model="qwen3-vl"), TaskOptions(model="qwen3-vl", reads=True)
    assert told.model_settings == {"name": "qwen3-vl", "dialect": ""}
    assert reads.model_settings["stall_timeout"] >= 30
