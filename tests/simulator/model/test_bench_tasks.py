from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from assistant.bench.tasks import BenchTask, Expectation, beyond, check, deeds, refuse_doubles
from tests.tables import each

STATE: dict[str, Any] = {
    "apps": {
        "com.a": {
            "messages": {"Mom": [{"from": "me", "text": "Hi there"}]},
            "alarms": [{"time": "07:30", "days": ["Mon", "Tue"], "enabled": True}],
            "names": ["x", "y"],
        }
    }
}


def unmet(answer: str = "", **expected: Any) -> list[str]:
    task = BenchTask(id="t", instruction="i", archetype="a", expect=(Expectation(**expected),))
    return check(task, STATE, answer)


@each(
    "expected",
    [
        {"path": "apps/com.a/messages/Mom/-1/text", "value": "Hi there"},
        {"path": "apps/com.a/messages/Mom/-1", "contains": {"from": "me"}},
        {"path": "apps/com.a/messages/Mom/0/text", "contains": "hi"},
        {"path": "apps/com.a/alarms", "contains": {"time": "07:30", "days": ["Mon"]}},
        {"path": "apps/com.a/alarms/time=07:30/enabled", "value": True},
        {"path": "apps/com.a/names", "contains": ["y", "x"]},
        {"path": "apps/com.a/names", "contains": "y"},
        {"path": "apps/com.a/names", "count": 2},
        {"path": "apps/com.a/messages/Dad", "absent": True},
    ],
)
def test_what_holds_is_met(expected: dict[str, Any]) -> None:
    assert unmet(**expected) == []


@each(
    "expected",
    [
        {"path": "apps/com.a/messages/Mom/-1/text", "value": "Hi"},
        {"path": "apps/com.a/messages/Mom/5", "contains": {"from": "me"}},
        {"path": "apps/com.a/alarms", "contains": {"time": "07:30", "enabled": False}},
        {"path": "apps/com.a/alarms/time=08:00", "value": {}},
        {"path": "apps/com.a/names", "contains": "z"},
        {"path": "apps/com.a/names", "count": 1},
        {"path": "apps/com.a/names", "absent": True},
        {"path": "apps/com.b/names", "count": 0},
        {"path": "apps/com.a/names/x/y", "value": 1},
    ],
)
def test_what_does_not_hold_is_named(expected: dict[str, Any]) -> None:
    problems = unmet(**expected)
    assert len(problems) == 1
    assert expected["path"] in problems[0]


def test_the_answer_is_a_pattern() -> None:
    task = BenchTask(id="t", instruction="i", archetype="a", answer=r"G\d+")
    assert check(task, {}, "Take g12") == []
    assert check(task, {}, "Done.") == ["the answer 'Done.' does not match 'G\\\\d+'"]


def test_a_task_that_cannot_be_scored_is_refused() -> None:
    with pytest.raises(ValidationError, match="exactly one"):
        Expectation(path="a", value=1, count=2)
    with pytest.raises(ValidationError, match="needs an expectation"):
        BenchTask(id="t", instruction="i", archetype="a")
    with pytest.raises(ValueError, match="same id: a"):
        refuse_doubles([BenchTask(id="a", instruction="i", archetype="c", answer="x")] * 2)


ORDER = {"items": [{"name": "Beef noodles"}], "shop": "Old Street"}
EATS: dict[str, Any] = {
    "apps": {"com.example.eats": {"orders": []}, "com.example.notes": {"notes": [{"text": "a"}]}}
}


def after(orders: list[Any], notes: list[Any]) -> dict[str, Any]:
    return {"apps": {"com.example.eats": {"orders": orders}, "com.example.notes": {"notes": notes}}}


@each(
    ("orders", "notes", "unwanted"),
    [
        ([ORDER], [{"text": "a"}], 0),
        ([ORDER, ORDER], [{"text": "a"}], 1),
        ([ORDER], [], 1),
        ([ORDER], [{"text": "b"}], 0),
        ([ORDER], [{"text": "a"}, {"text": "a"}], 1),
    ],
)
def test_what_a_task_does_not_want_is_told(orders: list[Any], notes: list[Any], unwanted: int) -> None:
    expect = (Expectation(path="apps/com.example.eats/orders/0/items/0/name", value="Beef noodles"),)
    task = BenchTask(id="t", instruction="i", archetype="a", expect=expect)
    assert len(beyond(task, EATS, after(orders, notes))) == unwanted


def test_a_deletion_that_the_task_wants_is_none_beyond_it() -> None:
    expect = (Expectation(path="apps/com.example.notes/notes/text=a", absent=True),)
    task = BenchTask(id="t", instruction="i", archetype="a", expect=expect)
    assert beyond(task, EATS, after([], [])) == []
    assert [deed.kind for deed in deeds(EATS, after([ORDER], []))] == ["pay", "delete"]
