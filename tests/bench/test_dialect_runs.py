from __future__ import annotations

import pytest

from assistant.bench.dialect_runs import report, run_dialects
from assistant.bench.scoring import Run
from assistant.bench.task_runs import Scored, TaskOptions
from assistant.bench.tasks import load_tasks
from assistant.model.dialects import UnknownDialect
from assistant.records import Outcome


def scored(outcome: Outcome) -> Scored:
    run = Run(
        task_id="a",
        expected=Outcome.SUCCESS,
        outcome=outcome,
        steps=3,
        seconds=1.0,
        answer="",
        unmet=() if outcome is Outcome.SUCCESS else ("missing",),
        met=(),
    )
    return Scored(run, idle_holds=False)


def test_same_outcomes_are_good() -> None:
    found = report({"tool_calls": [scored(Outcome.SUCCESS)], "kimi": [scored(Outcome.SUCCESS)]})
    assert found.good
    assert found.lines == ["All dialects lead to the same outcomes."]


def test_another_outcome_is_counted() -> None:
    found = report({"tool_calls": [scored(Outcome.SUCCESS)], "kimi": [scored(Outcome.FAILED)]})
    assert not found.good
    assert found.values["dialects"]["kimi"]["otherwise"] == 1


async def test_an_unknown_dialect_is_refused_before_anything_runs() -> None:
    numbered = list(enumerate(load_tasks()))[:1]
    with pytest.raises(UnknownDialect):
        await run_dialects(numbered, ["klingon"], TaskOptions())
