from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench.success_rates import NOTHING, mean_rates, success_rates
from assistant.records import Action, Click, Finished, OpenApp, Point, PressBack, TypeText, Wait


def tap(label: str, x: float) -> Click:
    return Click(point=Point(x, 0.5), content=label)


GOLDEN: list[Action] = [
    OpenApp(name="Eats"),
    tap("Search", 0.1),
    TypeText(text="beef noodles"),
    tap("Old Street", 0.5),
    tap("Pay", 0.9),
]


def test_the_golden_trajectory_itself_is_right_everywhere() -> None:
    rates = success_rates(GOLDEN, [*GOLDEN, Finished()])

    assert set(rates.values()) == {1.0}


def test_needless_steps_cost_nothing_and_missing_ones_are_wrong() -> None:
    detour = [*GOLDEN[:2], PressBack(), Wait(), *GOLDEN[2:]]
    short = GOLDEN[:-1]

    assert success_rates(GOLDEN, detour)["ssr"] == 1.0
    assert success_rates(GOLDEN, short)["ssr"] == pytest.approx(0.8)


def test_another_argument_keeps_the_type_and_loses_the_step() -> None:
    other = [*GOLDEN[:2], TypeText(text="milk tea"), *GOLDEN[3:]]

    rates = success_rates(GOLDEN, other)

    assert rates["type"] == 1.0
    assert rates["ssr"] == pytest.approx(0.8)


def test_early_errors_weigh_more() -> None:
    early = [GOLDEN[0], tap("Orders", 0.7), *GOLDEN[2:]]
    late = [*GOLDEN[:-1], tap("Cancel", 0.2)]

    assert success_rates(GOLDEN, early)["ssr"] == success_rates(GOLDEN, late)["ssr"]
    assert success_rates(GOLDEN, early)["csr"] < success_rates(GOLDEN, late)["csr"]


def test_doing_nothing_is_the_floor_and_no_golden_step_an_error() -> None:
    assert success_rates(GOLDEN, []) == NOTHING
    assert mean_rates([]) == NOTHING
    with pytest.raises(ValueError, match="at least one step"):
        success_rates([Wait()], GOLDEN)


@given(st.lists(st.sampled_from([*GOLDEN, PressBack()]), max_size=8))
def test_rates_are_shares_and_ordered(done: list[Action]) -> None:
    rates = success_rates(GOLDEN, done)

    assert 0 <= rates["ssr"] <= rates["type"] <= 1
    assert 0 <= rates["csr"] <= 1
