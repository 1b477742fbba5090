"""How alike records are, by their actions and their context."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.memory.prototypes.similarity import (
    ActionStep,
    ConsistencyWeights,
    consistency,
    distance,
    only_looks,
    path_of,
    path_similarity,
    step_of,
    wants_answer,
    warp,
)
from assistant.records import (
    Action,
    Bounds,
    Click,
    Direction,
    Finished,
    LongClick,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    Scroll,
    Swipe,
    Target,
    TypeText,
    Wait,
)
from tests.tables import each

from .lived import CANCEL, COFFEE, ORDER, readings, record, trail

BUTTON = Target(resource_id="app:id/search", text="Search", bounds=Bounds(0, 0, 9, 9))


@each(
    ("left", "right", "same"),
    [
        (Click(point=Point(0.5, 0.5)), Click(point=Point(0.6, 0.59)), True),
        (Click(point=Point(0.5, 0.5)), Click(point=Point(0.6, 0.61)), False),
        (Click(point=Point(0.1, 0.1), target=BUTTON), Click(point=Point(0.9, 0.9), target=BUTTON), True),
        (Click(point=Point(0.5, 0.5)), LongClick(point=Point(0.5, 0.5)), False),
        (Scroll(direction=Direction.UP), Scroll(direction=Direction.UP, point=Point(0.1, 0.1)), True),
        (Scroll(direction=Direction.UP), Scroll(direction=Direction.DOWN), False),
        (TypeText(text="beef noodles"), TypeText(text="Beef  noodle"), True),
        (TypeText(text="beef noodles"), TypeText(text="umbrella"), False),
        (TypeText(text="牛肉面"), TypeText(text="牛肉面"), True),
        (
            Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
            Swipe(start=Point(0.4, 0.7), end=Point(0.4, 0.3)),
            True,
        ),
        (PressBack(), PressBack(), True),
    ],
)
def test_the_step_success_rule(left: Action, right: Action, same: bool) -> None:
    assert (distance(step_of(left), step_of(right)) == 0.0) is same
    assert (distance(step_of(right), step_of(left)) == 0.0) is same


def test_waiting_and_finishing_are_no_steps_of_a_path() -> None:
    path = path_of([OpenApp(name="Eats"), Wait(), TypeText(text="noodles"), Finished(answer="done")])
    assert [step.type for step in path] == ["open_app", "type"]


def test_the_same_type_with_other_arguments_lies_between() -> None:
    near = distance(step_of(TypeText(text="beef noodles")), step_of(TypeText(text="pork noodles")))
    far = distance(step_of(TypeText(text="beef noodles")), step_of(TypeText(text="umbrella")))
    assert 0 < near < far <= 1


def test_a_repeated_step_costs_nothing_and_lengthens_the_path() -> None:
    # Three pairs: the first of one with the first two of the other.
    assert warp([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]) == (0.0, 3)


def test_a_path_is_as_similar_as_its_alignment_is_cheap() -> None:
    left = (ActionStep("open_app", text="eats"), ActionStep("type", text="beef"), ActionStep("press_enter"))
    right = (ActionStep("open_app", text="eats"), ActionStep("press_back"), ActionStep("press_enter"))
    assert path_similarity(left, left) == 1.0
    assert path_similarity(left, right) == pytest.approx(2 / 3)
    assert path_similarity(left, ()) == 0.0


STEPS = st.lists(
    st.builds(
        ActionStep,
        type=st.sampled_from(["click", "type", "scroll", "press_back"]),
        x=st.floats(0, 1),
        y=st.floats(0, 1),
        text=st.sampled_from(["", "up", "beef", "牛肉"]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40)
@given(STEPS, STEPS)
def test_similarity_is_bounded_and_symmetric(left: list[ActionStep], right: list[ActionStep]) -> None:
    value = path_similarity(left, right)
    assert 0.0 <= value <= 1.0
    assert path_similarity(left, left) == 1.0
    cost, _ = warp([[distance(step, other) for other in right] for step in left])
    mirrored, _ = warp([[distance(step, other) for other in left] for step in right])
    assert cost == pytest.approx(mirrored)


def _slowly(costs: list[list[float]], row: int, column: int) -> float:
    before = [
        _slowly(costs, at, beside)
        for at, beside in ((row - 1, column), (row, column - 1), (row - 1, column - 1))
        if at >= 0 and beside >= 0
    ]
    return costs[row][column] + min(before, default=0.0)


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_warping_finds_the_least_cost(rows: int, columns: int, data: st.DataObject) -> None:
    line = st.lists(st.floats(0, 1), min_size=columns, max_size=columns)
    costs = data.draw(st.lists(line, min_size=rows, max_size=rows))
    cost, length = warp(costs)
    assert cost == pytest.approx(_slowly(costs, rows - 1, columns - 1))
    assert max(rows, columns) <= length <= rows + columns - 1


def test_the_same_again_is_wholly_consistent() -> None:
    left, right = readings(record("a"), record("b", day=1))
    assert consistency(left, right, ConsistencyWeights()) == pytest.approx(1.0)


def test_opposite_verbs_never_agree() -> None:
    left, right = readings(record("a", ORDER), record("b", CANCEL))
    assert consistency(left, right, ConsistencyWeights()) == 0.0
    assert consistency(left, right, ConsistencyWeights(verbs=False)) > 0.4


def test_without_actions_the_words_decide() -> None:
    left, right = readings(record("a"), record("b", actions=()))
    assert consistency(left, right, ConsistencyWeights(actions=9)) == pytest.approx(1.0)
    assert consistency(left, right, ConsistencyWeights()) == pytest.approx(1.0)


def test_what_was_broken_off_has_no_path() -> None:
    left, right = readings(
        record("a"), record("b", outcome=Outcome.CANCELLED, actions=trail("Eats", "x")[:2])
    )
    assert right.path == ()
    assert consistency(left, right, ConsistencyWeights()) == pytest.approx(1.0)


@each(
    "weights",
    [
        ConsistencyWeights(cosine=0),
        ConsistencyWeights(words=0),
        ConsistencyWeights(actions=0),
        ConsistencyWeights(cosine=0, words=0),
    ],
)
def test_a_part_can_be_left_out(weights: ConsistencyWeights) -> None:
    left, right = readings(record("a"), record("b", COFFEE, app="Beans", item="flat white"))
    none = ConsistencyWeights(0, 0, 0, 0)
    kept = [
        (consistency(left, right, replace(none, cosine=1)), weights.cosine),
        (consistency(left, right, replace(none, words=1)), weights.words),
        (consistency(left, right, replace(none, actions=1)), weights.actions),
    ]
    mean = sum(value * weight for value, weight in kept) / sum(weight for _, weight in kept)
    assert consistency(left, right, weights) == pytest.approx(mean)


def test_what_cannot_reach_the_floor_is_not_aligned() -> None:
    left, right = readings(record("a"), record("b", COFFEE, app="Beans", item="flat white"))
    assert consistency(left, right, ConsistencyWeights(), floor=0.9) == 0.0


@each(
    ("order", "asks", "only_looks_on"),
    [
        ("whats left in my bank after all that coffee", True, True),
        ("ok, how long will it take to the harbour", True, True),
        ("will it rain on the way", True, True),
        ("which alarms are on now", True, True),
        ("太贵了 那坐地铁要多久", True, True),
        ("现在看看明天下不下雨", True, True),
        ("我刚给小王发了啥", True, True),
        ("他回我没", True, True),
        ("show my last order", False, True),
        # What somebody else is asked or told is no question of the user's, nor is a wish that is put as one.
        ("ask Ann whether she comes, and when", False, False),
        ("text Ann: when do you come?", False, False),
        ("发个短信给小王 问他下周三有没有空", False, False),
        ("给小王发消息：几点到", False, False),
        ("能不能帮我关灯", False, False),
        ("when I leave, turn the lights off", False, False),
        ("order a rice bowl", False, False),
        ("我还没", False, False),
    ],
)
def test_what_wants_an_answer_and_changes_nothing_is_told_by_its_words(
    order: str, asks: bool, only_looks_on: bool
) -> None:
    assert (wants_answer(order), only_looks(order)) == (asks, only_looks_on)
