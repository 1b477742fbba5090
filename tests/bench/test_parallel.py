"""`bench parallel`: its commands are plans of the paper's six shapes, and its bound is what a plan allows."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from assistant.agent.plans.planner import split_command
from assistant.bench.parallel import (
    APPS,
    FAULTS,
    KINDS,
    CommandRun,
    FaultTally,
    critical_path,
    has_ended,
    make_command,
)
from assistant.bench.parallel_displays import count_wrong
from assistant.records import Outcome
from tests.tables import each
from tests.worlds import LIMIT

SHAPES = {
    "search + social": [(), ("a",)],
    "single-shop + social": [(), ("a",)],
    "multi-shop + social": [(), (), ("a", "b")],
    "multi-video + social": [(), (), ("a", "b")],
    "search + shop": [(), ("a",)],
    "search + shop + social": [(), ("a",), ("b",)],
}


@each("kind", KINDS)
def test_each_kind_is_a_plan_of_its_shape(kind: str) -> None:
    for number in range(9):
        plan = split_command(make_command(kind, 0, number).said, APPS)
        assert plan is not None
        assert [task.slots for task in plan.tasks] == SHAPES[kind]


def test_the_bound_comes_from_what_the_sub_tasks_took_and_when_they_needed_a_value() -> None:
    plan = split_command(make_command("multi-shop + social", 0, 0).said, APPS)
    assert plan is not None
    run = CommandRun(
        began={"a": 0.0, "b": 0.0, "c": 1.0}, needed={"c": 6.0}, ended={"a": 8.0, "b": 9.0, "c": 12.0}
    )
    assert run.durations() == {"a": 8.0, "b": 9.0, "c": 11.0}
    assert run.needed_at(plan) == {"c": 5.0}
    assert critical_path(plan, {"a": 8.0, "b": 9.0, "c": 7.0}, run.needed_at(plan)) == 11.0


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_the_critical_path_lies_between_the_longest_sub_task_and_all_of_them(
    kind: str, data: st.DataObject
) -> None:
    plan = split_command(make_command(kind, 0, 0).said, APPS)
    assert plan is not None
    seconds = {task.id: data.draw(st.floats(0.1, 50)) for task in plan.tasks}
    needed_at = {task.id: data.draw(st.floats(0, 60)) for task in plan.tasks}
    coarse, fine = critical_path(plan, seconds), critical_path(plan, seconds, needed_at)
    assert max(seconds.values()) - 1e-6 <= fine <= coarse + 1e-6
    assert coarse <= sum(seconds.values()) + 1e-6


def test_a_run_that_never_ends_counts_as_hung() -> None:
    tally = FaultTally()
    tally.count(Outcome.SUCCESS, 3.0)
    tally.count(None, 2.0)
    assert (tally.runs, tally.hung, tally.outcomes) == (2, 1, {"success": 1, "hung": 1})
    assert tally.longest == 3
    assert "unplugged" in FAULTS


async def test_a_slow_run_that_tells_something_does_not_hang() -> None:
    loop = asyncio.get_running_loop()
    run = CommandRun(heard=loop.time())
    go = asyncio.Event()

    async def turn() -> Outcome:
        await go.wait()
        return Outcome.SUCCESS

    running = asyncio.create_task(turn())
    assert not await has_ended(running, run, silence=0.01)
    run.heard = loop.time() + LIMIT
    assert not await has_ended(running, run, silence=0.01, longest=0.02)
    go.set()
    assert await has_ended(running, run, silence=0.01)


def test_an_input_on_a_wrong_display_is_counted() -> None:
    run = CommandRun(
        places=[
            ("a", "Maps", "phone · display 2"),
            ("b", "Notes", "phone · display 3"),
            ("c", "Chat", "phone"),
        ]
    )
    right = [(2, True, "com.example.maps"), (3, True, "com.example.notes"), (0, False, "com.example.chat")]
    wrong = [(2, True, "com.example.notes"), (3, False, "com.example.notes"), (4, True, "com.example.maps")]
    assert count_wrong({"inputs": right}, run) == 0
    assert count_wrong({"inputs": right + wrong}, run) == 3
