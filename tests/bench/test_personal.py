"""The personalised commands of the benchmark, the person who gives them, and how their outcome is told."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import cast, get_args

import pytest
from rich.console import Console

from assistant.bench.personal import report
from assistant.bench.personal_runs import Arm, Attempt, Lookup, Observed, carry_out_all
from assistant.bench.personal_tasks import Level, Locale, PersonalTask, owners, personal_tasks, some_of
from assistant.bench.tasks import check
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.orders import Own
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.understand.words import detect_language
from tests.worlds import keep_worlds_in_this_process

TASKS = {task.id: task for task in personal_tasks()}


def attempt(name: str, arm: Arm, observed: Observed, *, done: bool, number: int = 1) -> Attempt:
    return Attempt(TASKS[name], arm, number, observed, () if done else ("it is not there",), 1.0)


def test_there_are_as_many_commands_as_in_perinstruct_of_each_kind() -> None:
    tasks = personal_tasks()
    assert len(tasks) == 75
    assert all(count >= 24 for count in Counter(task.level for task in tasks).values())
    assert all(detect_language(task.instruction) == task.locale for task in tasks)
    assert all(len(task.elements) > 1 for task in tasks if task.level is not Level.SIMPLE)


@pytest.mark.parametrize("locale", get_args(Locale))
def test_no_command_is_done_before_it_is_given(locale: Locale) -> None:
    phone = SimulatedPhone(PhoneOptions(size=(540, 1200), density=210, locale=locale))
    for holding in owners()[locale].has:
        Own(package=holding.package, has=holding.has).perform(phone)
    state = phone.state()
    assert [task.id for task in TASKS.values() if task.locale == locale and not check(task, state, "")] == []


def test_a_command_without_its_elements_is_refused() -> None:
    with pytest.raises(ValueError, match="my boss does not stand in the command"):
        PersonalTask.model_validate(
            {"id": "x", "level": "simple", "instruction": "call mom", "elements": ["my boss"], "answer": "x"}
        )


def test_the_person_answers_what_is_asked_of_their_own_words() -> None:
    person = owners()["en"]
    assert person.answer("Who is “my best friend”?") == "Wang Lei"
    assert person.answer("What is meant by “usual place”?") == "Lakeside Teahouse"
    assert person.answer("Which colour?") == ""
    elements = ("my sister", "my landlord")
    choices = ("call Landlord He", "call Landlord He, then call Lin Yue")
    assert person.answer("Which is meant by “call them both”?", choices, elements) == choices[1]
    assert person.answer("Which is meant by “call them both”?", choices[:1], elements) == ""
    assert owners()["zh"].answer("“我老家”指哪里？") == "南京"


def test_some_commands_are_spread_over_all() -> None:
    tasks = personal_tasks()
    assert [tasks.index(task) for task in some_of(tasks, 3)] == [0, 25, 50]
    assert some_of(tasks, 100) == tasks


def test_the_tables_and_the_figure_tell_what_was_seen() -> None:
    words = ("my landlord", "my sister")
    found = {"my landlord": ("exploration", True), "my sister": ("user", True)}
    wrong = {"my landlord": ("preference", False), "my sister": ("profile", True)}
    looks = [Lookup("my landlord", "Maps", None), Lookup("my landlord", "Contacts", True)]
    runs = [
        attempt("two-calls", Arm.AS_SAID, Observed(), done=False),
        attempt("two-calls", Arm.BOTH, Observed(perceived=words, sources=found, questions=1), done=True),
        attempt("two-calls", Arm.BOTH, Observed(words[:1], wrong, looks), done=False, number=11),
    ]
    told = report(runs, seed=0, seconds=9.0, processor=12.0)
    sums = json.loads(told.as_json())["arms"]["both"]
    assert (sums["done"], sums["questions"], sums["perceived"], sums["meanings_right"]) == (1, 1, 1, 1)
    assert (sums["looks"], sums["looks_right"]) == (2, 1)
    assert (sums["resolved"]["asked"], sums["resolved"]["wrong"], sums["resolved"]["as_said"]) == (
        0.5,
        0.5,
        0,
    )
    assert sums["origins"]["per_command"] == {"1–10": [0, 1, 1], "11–11": [2, 0, 0]}
    assert told.good
    shown = Console(file=io.StringIO(), width=160)
    told.print(shown)
    text = cast(io.StringIO, shown.file).getvalue()
    assert "origins per command 11–11" in text


def test_understanding_that_helps_nothing_is_not_good() -> None:
    same = [attempt("two-calls", arm, Observed(), done=True) for arm in (Arm.AS_SAID, Arm.BOTH)]
    assert not report(same, seed=0, seconds=1.0, processor=1.0).good


async def test_who_is_meant_is_looked_up_and_called_where_the_words_alone_lead_nowhere(
    adb_server: PrivateAdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_worlds_in_this_process(monkeypatch, adb_server)
    (called,) = await carry_out_all([TASKS["call-sister"]], [Arm.BOTH], 0)
    assert called.done
    assert called.observed.sources == {"my sister": ("exploration", True)}
    assert called.observed.lookups == [Lookup("my sister", "Contacts", True)]
    assert called.observed.questions == 0
