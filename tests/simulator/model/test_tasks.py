"""Every bench task on the simulated phone, by the scripted model, in one process."""

from __future__ import annotations

import pytest

from assistant.bench.tasks import BenchTask, check, load_tasks
from tests.simulator.model.drive import Drive

TASKS = load_tasks()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_each_task_ends_as_it_should(task: BenchTask) -> None:
    run = Drive(task.locale).run(task.instruction)
    assert (run.outcome, check(task, run.state, run.answer)) == (task.outcome, []), "\n".join(run.steps)
