"""What changes in an order that is to be done again."""

from __future__ import annotations

import pytest

from assistant.understand.resolution import read_again, say_again
from tests.tables import each

LARGE = "Order a large oat latte with less ice to the office on Eats"


def test_the_same_as_last_time_is_the_last_order() -> None:
    assert read_again("order the same as last time") == ""


@pytest.mark.parametrize(
    ("instruction", "command", "meant"),
    [
        (
            LARGE,
            "order the same as last time but without onions and two of them",
            "Order 2 large oat lattes with less ice, without onions, to the office on Eats",
        ),
        (
            "点老街面馆的牛肉面，送到公司",
            "再来一份，不要香菜，要两份",
            "点两份老街面馆的牛肉面，不要香菜，送到公司",
        ),
    ],
)
def test_what_is_left_out_ends_before_how_many(instruction: str, command: str, meant: str) -> None:
    change = read_again(command)

    assert change is not None
    assert say_again(change, instruction) == meant


@each("command", ["ok try again", "try that again", "one more time please", "再试一次", "再来一遍", "retry"])
def test_another_try_is_of_the_last_command(command: str) -> None:
    assert read_again(command) == ""


@each("command", ["try the new cafe", "try calling dad again", "再试试那家面馆", "试一下手电筒"])
def test_what_is_to_be_tried_by_its_name_is_a_command(command: str) -> None:
    assert read_again(command) is None
