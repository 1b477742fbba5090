from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assistant.records import (
    ACTION,
    Action,
    AskUser,
    Bounds,
    Click,
    Direction,
    Failed,
    Finished,
    OpenApp,
    Point,
    PressBack,
    Record,
    Scroll,
    Swipe,
    TakeOver,
    Target,
    TypeText,
    describe,
    record_id,
)

fractions = st.floats(0, 1)
points = st.builds(Point, fractions, fractions)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
targets = st.none() | st.builds(Target, text=words, resource_id=words)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, point=points, content=words, target=targets),
    st.builds(TypeText, text=words),
    st.builds(Scroll, point=points, direction=st.sampled_from(Direction)),
    st.builds(Swipe, start=points, end=points),
    st.builds(OpenApp, name=words),
    st.builds(Finished, answer=words),
    st.builds(Failed, reason=words),
    st.builds(AskUser, question=words),
    st.just(PressBack()),
)


@given(actions)
def test_an_action_survives_the_exchange_format(action: Action) -> None:
    assert ACTION.validate_json(ACTION.dump_json(action, exclude_none=True)) == action


@given(st.lists(actions, max_size=4), words)
def test_a_record_survives_the_exchange_format(done: list[Action], said: str) -> None:
    record = Record(
        id="r",
        user_id="1",
        time=datetime(2026, 3, 9, tzinfo=UTC),
        instruction="x",
        said=said,
        actions=tuple(done),
    )
    assert Record.model_validate_json(record.model_dump_json(exclude_none=True)) == record


def test_the_line_of_the_design_is_read() -> None:
    record = Record.model_validate_json(
        '{"id": "u55-20250309_133115", "user_id": "55", "time": "2025-03-09T13:31:15+08:00",'
        '"scenario": "residence", "app": "Eats", "package": "com.example.eats",'
        '"said": "order my usual lunch",'
        '"instruction": "Order beef noodles without coriander on Eats",'
        '"outcome": "success", "source": "executed",'
        '"actions": [{"type": "click", "point": [0.31, 0.52], "content": "Search"},'
        '{"type": "type", "text": "beef noodles"}]}'
    )
    assert record.actions == (Click(point=Point(0.31, 0.52), content="Search"), TypeText(text="beef noodles"))


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "click", "point": [1.2, 0.5]}',
        '{"type": "click"}',
        '{"type": "fly"}',
        '{"type": "scroll", "direction": "sideways"}',
        "{}",
    ],
)
def test_what_is_no_action_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        ACTION.validate_json(line)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Click(point=Point(0.5, 0.5), content="Search"), "tap “Search”"),
        (Click(point=Point(0.5, 0.5), content="x", target=Target(text="Pay")), "tap “Pay”"),
        (Click(point=Point(0.5, 0.25)), "tap at 0.50, 0.25"),
        (Click(point=Point(0, 0), target=Target(resource_id="a:id/send_button")), "tap “send”"),
        (TypeText(text="noodles"), "type “noodles”"),
        (Scroll(direction=Direction.DOWN), "scroll down"),
        (OpenApp(name="Eats"), "open Eats"),
        (PressBack(), "press back"),
        (Finished(), "finish"),
        (TakeOver(reason="log in"), "hand over: log in"),
    ],
)
def test_actions_in_words(action: Action, words: str) -> None:
    assert describe(action) == words


def test_ids_part_turns_of_one_second() -> None:
    first = datetime(2026, 3, 9, 12, 5, 1, 17, tzinfo=UTC)
    assert record_id("55", first) == "u55-20260309_120501_000017"
    assert record_id("55", first) != record_id("55", first.replace(microsecond=18))


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50))
def test_area_is_never_negative(left: int, top: int, right: int, bottom: int) -> None:
    bounds = Bounds(left, top, right, bottom)
    assert bounds.area >= 0
    x, y = bounds.centre
    assert bounds.area == 0 or bounds.contains(x, y)
