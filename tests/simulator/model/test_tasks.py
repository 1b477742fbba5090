"""Every bench task on the simulated phone, by the scripted model, in one process."""

from __future__ import annotations

from typing import Literal

import pytest

from assistant.bench.tasks import BenchTask, check, load_tasks
from assistant.simulator.apps.catalogue import INSTALLED
from assistant.simulator.model.faults import Fault, FaultKind
from tests.simulator.model.drive import Drive
from tests.tables import each

TASKS = load_tasks()
BY_ID = {task.id: task for task in TASKS}


@each("task", TASKS)
def test_each_task_ends_as_it_should(task: BenchTask) -> None:
    run = Drive(task.locale).run(task.instruction)
    unmet = check(task, run.state, run.answer)
    assert (run.outcome, unmet) == (task.outcome, []), "\n".join(run.steps)
    assert run.approvals == set(task.approvals)


@each("name", ["chat-send-zh", "clock-weekdays", "eats-no-coriander", "rail-book-zh"])
def test_the_same_in_fingertips_strings(name: str) -> None:
    task = BY_ID[name]
    run = Drive(task.locale, "fingertip").run(task.instruction)
    assert (run.outcome, check(task, run.state, run.answer)) == (task.outcome, [])


@each("name", ["chat-send-zh", "clock-tomorrow-zh", "eats-no-coriander-zh", "rail-book-zh"])
def test_chinese_commands_work_on_an_english_phone(name: str) -> None:
    task = BY_ID[name]
    run = Drive("en").run(task.instruction)
    assert (run.outcome, check(task, run.state, run.answer)) == (task.outcome, [])


CLUMSY_TASKS = (
    "chat-similar-names",
    "clock-weekdays",
    "eats-many-wishes",
    "mail-send",
    "rail-book-zh",
    "paybox-transfer-zh",
)


def test_a_clumsy_model_mostly_recovers_and_claims_no_more_than_it_did() -> None:
    clumsy = Fault(kind=FaultKind.WRONG, times=None, fraction=0.2)
    runs = [
        (BY_ID[name], Drive(BY_ID[name].locale, seed=seed, faults=(clumsy,)).run(BY_ID[name].instruction))
        for name in CLUMSY_TASKS
        for seed in range(2)
    ]
    claimed = [(task, run) for task, run in runs if run.outcome == "success"]
    assert [task.id for task, run in claimed if check(task, run.state, run.answer)] == []
    assert len(claimed) >= len(runs) / 2


def test_doing_nothing_meets_no_task() -> None:
    for locale in ("en", "zh"):
        state = Drive(locale).state()
        for task in TASKS:
            if task.locale == locale and task.outcome == "success":
                assert check(task, state, ""), task.id


def test_the_tasks_cover_languages_archetypes_and_failures() -> None:
    assert len(TASKS) == 40
    assert sum(task.locale == "zh" for task in TASKS) >= 14
    assert sum(task.outcome == "failed" for task in TASKS) >= 3
    assert len({task.archetype for task in TASKS}) >= 15
    assert len(INSTALLED) >= 18


@each(
    "address", ["the office", "my office (Cloud Tower, 88 Harbour Avenue)", "Cloud Tower, 88 Harbour Avenue"]
)
def test_an_address_is_found_by_its_label_or_in_what_its_row_shows(address: str) -> None:
    run = Drive("en").run(f"order Beef noodles to {address}")
    assert run.outcome == "success", "\n".join(run.steps)
    assert run.state["apps"]["com.example.eats"]["orders"][-1]["address"] == "Office"


def test_a_ride_goes_where_an_address_was_chosen() -> None:
    run = Drive("en").run("get a taxi to Cloud Tower, 88 Harbour Avenue")
    assert run.outcome == "success", "\n".join(run.steps)
    assert run.state["apps"]["com.example.taxi"]["rides"][-1]["to"] == "Office"


@pytest.mark.parametrize(
    ("locale", "unknown", "known"),
    [
        ("en", "order a kumquat pie", "order beef noodles without coriander"),
        ("zh", "点一杯拿鉄，少糖", "点牛肉面，不要香菜"),
    ],
)
def test_an_order_is_found_although_the_one_before_was_not(
    locale: Literal["en", "zh"], unknown: str, known: str
) -> None:
    drive = Drive(locale)
    assert drive.run(unknown).outcome == "failed"
    assert drive.run(known).outcome == "success"
