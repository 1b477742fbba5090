"""The scripted tasks in every dialect: the same outcomes are due however a model writes its actions.

The baseline is tool calls, the dialect for models that were not trained on phones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from assistant.bench.report import Grid, Report
from assistant.bench.scoring import Mark, faultless, tally
from assistant.bench.task_runs import Scored, TaskOptions, run_tasks
from assistant.bench.tasks import BenchTask
from assistant.model import dialects

BASELINE = "tool_calls"


async def run_dialects(
    numbered: Sequence[tuple[int, BenchTask]],
    names: Sequence[str],
    options: TaskOptions,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, list[Scored]]:
    """Run the tasks in the dialects of these names, all of them for none, the baseline first.

    Raises:
        UnknownDialect: there is no dialect of a name.
        WorldFailed: the simulated world does not start.
    """
    wanted = [dialects.get(name).name for name in names] or [one.name for one in dialects.available()]
    order = dict.fromkeys([BASELINE, *wanted])
    scored: dict[str, list[Scored]] = {}
    for name in order:
        tell(f"dialect {name}")
        scored[name] = await run_tasks(numbered, replace(options, dialect=name), tell)
    return scored


def report(scored: Mapping[str, Sequence[Scored]]) -> Report:
    """A line a dialect, and how many tasks end otherwise than in the baseline."""
    usual = {one.run.task_id: one.run.mark for one in scored[BASELINE]}
    rows, values = [], {}
    for name, results in scored.items():
        runs = [one.run for one in results]
        counts = tally(runs)
        other = sum(run.mark is not usual[run.task_id] for run in runs)
        steps = sum(run.steps for run in runs)
        values[name] = {
            **{mark.name.lower(): count for mark, count in counts.items()},
            "steps": steps,
            "otherwise": other,
        }
        rows.append((name, *(str(counts[mark]) for mark in Mark), str(steps), str(other)))
    columns = ("dialect", *(str(mark) for mark in Mark), "steps", "otherwise than tool_calls")
    grid = Grid("Scripted tasks in every dialect", columns, tuple(rows), frozenset(columns[1:]))
    good = all(faultless([one.run for one in results]) for results in scored.values())
    same = all(value["otherwise"] == 0 for value in values.values())
    line = "All dialects lead to the same outcomes." if same else "Some dialects lead to other outcomes."
    return Report(
        {"benchmark": "dialects", "baseline": BASELINE, "dialects": values}, [grid], [line], good and same
    )
