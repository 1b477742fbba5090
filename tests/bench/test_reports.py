from __future__ import annotations

import io
import json
from datetime import UTC, datetime

from rich.console import Console

from assistant.bench import interruptions, step_times, task_runs
from assistant.bench.interruptions import InterruptedTurn, Interruption
from assistant.bench.moments import Phase
from assistant.bench.paint import KeyTimes
from assistant.bench.report import Grid, Report
from assistant.bench.scoring import Run
from assistant.bench.step_times import StepTimes
from assistant.bench.success_rates import success_rates
from assistant.bench.task_runs import Scored, TaskOptions
from assistant.events import StepFinished
from assistant.records import OpenApp, Outcome, PressBack, PressEnter, Source, TypeText
from assistant.simulator.model.faults import FaultKind
from assistant.simulator.world import SIMULATED


def printed(report: Report) -> str:
    out = io.StringIO()
    report.print(Console(file=out, width=140, markup=False))
    return out.getvalue()


def test_text_from_outside_is_no_markup() -> None:
    report = Report({}, [Grid("[b]t[/]", ("[i]c",), (("[/x] [red]a",),))], ["[bold]line"], good=True)

    text = printed(report)

    assert text.startswith(SIMULATED)
    for words in ("[b]t[/]", "[i]c", "[/x] [red]a", "[bold]line"):
        assert words in text


def test_a_task_table_counts_lies_apart() -> None:
    lied = Run(
        "a", Outcome.SUCCESS, Outcome.SUCCESS, 2, 1.0, "Done.", ("no alarm",), (FaultKind.FALSE_SUCCESS,)
    )
    fine = Run("b", Outcome.SUCCESS, Outcome.SUCCESS, 4, 2.0)

    report = task_runs.report([Scored(lied, False), Scored(fine, True)], TaskOptions(faults=True))
    values = json.loads(report.as_json())

    assert not report.good
    assert values["simulated"] == SIMULATED
    assert values["total"]["false_success"] == values["total"]["false_success_where_model_lied"] == 1
    assert values["baseline"] == {"what": "doing nothing", "as_expected": 1}
    assert "no alarm" in printed(report)


def test_faults_are_told_beside_the_undisturbed_trajectory() -> None:
    run = Run("a", Outcome.SUCCESS, Outcome.SUCCESS, 3, 1.0)
    golden = (OpenApp(name="Eats"), PressBack(), TypeText(text="noodles"), PressEnter())
    half = success_rates(golden, golden[:2])

    report = task_runs.report([Scored(run, False, golden[:2], half)], TaskOptions(faults=True))

    assert json.loads(report.as_json())["rates"] == half.as_json()
    assert "SSR 50.0 %" in printed(report)
    assert "SSR" not in printed(task_runs.report([Scored(run, False)], TaskOptions()))


def interruption(last_request: float) -> Interruption:
    return Interruption("a", Phase.ACTING, last_request, last_request, 0.01, 0.8)


def test_interruptions_must_be_quick_and_end_well() -> None:
    quick = InterruptedTurn("a", (interruption(0.0), interruption(0.1)), "")
    slow = InterruptedTurn("a", (interruption(0.4),), "")
    lost = InterruptedTurn("a", (interruption(0.0),), "it hangs in step 3")

    assert interruptions.report([quick], [0.1], 0, 0.2).good
    assert not interruptions.report([slow], [], 0, 0.2).good
    assert not interruptions.report([quick], [0.3], 0, 0.2).good
    report = interruptions.report([quick, lost], [], 0, 0.2)
    assert not report.good
    assert "it hangs in step 3" in printed(report)
    values = json.loads(report.as_json())
    assert values["baseline"]["median_ms"] == 800
    assert values["by_phase"]["while acting"]["count"] == 3
    assert "No pause came between two steps." in printed(report)


def step(own: float) -> StepFinished:
    return StepFinished(
        time=datetime(2026, 3, 9, tzinfo=UTC),
        step=1,
        action=PressBack(),
        source=Source.MODEL,
        seconds=own + 0.3,
        model_seconds=0.1,
        phone_seconds=0.2,
        own_seconds=own,
    )


def test_steps_are_held_against_their_budget() -> None:
    baseline = (0.5, 0.5)
    quick = step_times.report(StepTimes((step(0.03), step(0.03)), baseline), None)
    slow = step_times.report(StepTimes((step(0.2),), baseline), None)
    keys = KeyTimes(500, (0.2,), (0.15,), (0.1,), 0.004, 0.002, 101_500_000, 100_000_000)
    slow_keys = step_times.report(StepTimes((step(0.03),), baseline), keys)

    assert quick.good
    assert json.loads(quick.as_json())["baseline"]["ratio_median"] < 0.5
    assert not slow.good
    assert not slow_keys.good
    values = json.loads(slow_keys.as_json())
    assert values["key_to_paint"]["baseline"]["ratio_p95"] == 2.0
    assert values["memory"]["bytes_per_step"] == 4000
    assert "4.0 kB more for each step" in printed(slow_keys)
