from __future__ import annotations

import io
import json
from datetime import UTC, datetime

from rich.console import Console

from assistant.bench import interrupt, step, task_runs
from assistant.bench.interrupt import InterruptedTurn, Interruption, Phase
from assistant.bench.report import Report, ratio, spread
from assistant.bench.step import KeyTimes, StepTimes
from assistant.bench.task_runs import Run, TaskOptions
from assistant.events import StepFinished
from assistant.records import Outcome, PressBack, Source
from assistant.simulator import SIMULATED
from assistant.simulator.model.faults import FaultKind


def printed(report: Report) -> str:
    out = io.StringIO()
    report.print(Console(file=out, width=140, markup=False))
    return out.getvalue()


def test_text_from_outside_is_no_markup() -> None:
    text = printed(Report({"[b]t[/]": [{"[i]c": "[/x] [red]a"}], "why": "[bold]line"}, good=True))

    assert SIMULATED in text
    for words in ("[b]t[/]", "[i]c", "[/x] [red]a", "[bold]line"):
        assert words in text


def test_a_task_table_counts_lies_apart() -> None:
    lied = Run(
        "a", Outcome.SUCCESS, Outcome.SUCCESS, 2, 1.0, "Done.", ("no alarm",), (FaultKind.FALSE_SUCCESS,)
    )
    fine = Run("b", Outcome.SUCCESS, Outcome.SUCCESS, 4, 2.0, idle_holds=True)

    report = task_runs.report([lied, fine], TaskOptions(faults=True))
    values = json.loads(report.as_json())

    assert not report.good
    assert values["simulated"] == SIMULATED
    assert values["total"]["false_success"] == values["total"]["false_success_where_model_lied"] == 1
    assert values["baseline"] == {"what": "doing nothing", "as_expected": 1}
    assert "no alarm" in printed(report)


def interruption(last_request: float) -> Interruption:
    return Interruption(Phase.ACTING, last_request, 0.8)


def test_interruptions_must_be_quick_and_end_well() -> None:
    quick = InterruptedTurn("a", (interruption(0.0), interruption(0.1)), "")
    slow = InterruptedTurn("a", (interruption(0.4),), "")
    lost = InterruptedTurn("a", (interruption(0.0),), "it hangs in step 3")

    assert interrupt.report([quick], [0.1], 0, 0.2).good
    assert not interrupt.report([slow], [], 0, 0.2).good
    assert not interrupt.report([quick], [0.3], 0, 0.2).good
    report = interrupt.report([quick, lost], [], 0, 0.2)
    assert not report.good
    assert "it hangs in step 3" in printed(report)
    values = json.loads(report.as_json())
    assert values["baseline"]["median_ms"] == 800
    assert values["by_phase"]["while acting"]["count"] == 3


def finished(own: float) -> StepFinished:
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
    quick = step.report(StepTimes((finished(0.03), finished(0.03)), baseline), None)
    slow = step.report(StepTimes((finished(0.2),), baseline), None)
    keys = KeyTimes(500, (0.2,), (0.15,), (0.1,), 101_500_000, 100_000_000)
    slow_keys = step.report(StepTimes((finished(0.03),), baseline), keys)

    assert quick.good
    assert json.loads(quick.as_json())["baseline"]["ratio_median"] < 0.5
    assert not slow.good
    assert not slow_keys.good
    values = json.loads(slow_keys.as_json())
    assert values["key_to_paint"]["baseline"]["ratio_p95"] == 2.0
    assert values["memory"]["bytes_per_step"] == 4000
    assert "memory bytes per step: 4000" in printed(slow_keys)


def test_times_are_told_in_milliseconds() -> None:
    times = spread([0.003, 0.001, 0.002])

    assert times == {"count": 3, "median_ms": 2.0, "p95_ms": 2.9, "max_ms": 3.0}
    assert set(spread([]).values()) == {0}
    assert ratio(1.0, 4.0) == 0.25
    assert ratio(1.0, 0.0) is None


def test_rows_become_a_table_and_other_figures_lines() -> None:
    rows = {"ours": {"f1": 0.5, "time": spread([0.002]), "parts": {"a": 1}}, "theirs": {"f1": None}}
    text = printed(Report({"systems": rows, "seeds": [1, 2], "memory": {"megabytes": 7.25}}, good=True))

    assert "2.0, p95 2.0" in text
    assert "parts a" in text
    assert "seeds: 1, 2" in text
    assert "memory megabytes: 7.25" in text


def test_a_table_with_many_figures_lies_on_its_side() -> None:
    wide = printed(Report({"contenders": [{"name": "us", **{f"f{n}": n for n in range(9)}}]}, good=True))

    assert [line.split() for line in wide.splitlines()][-1] == ["f8", "8"]


def test_a_long_table_says_how_much_is_left_out() -> None:
    text = printed(Report({"tasks": [{"id": number} for number in range(60)]}, good=True))

    assert "10 more rows with --json" in text
