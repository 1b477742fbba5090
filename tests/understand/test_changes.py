from __future__ import annotations

import pytest

from assistant.understand.habit_ways import apply_change, split_change


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("the usual but 15 minutes", ("the usual", "15 minutes")),
        ("my usual lunch without the egg", ("my usual lunch", "without the egg")),
        ("老样子，少冰", ("老样子", "少冰")),
        ("买上回那种 这次要六包", ("买上回那种", "要六包")),
        (
            "pay the florist but make it 300 this week, she brought more",
            ("pay the florist", "300 this week"),
        ),
        ("same as yesterday but for two", ("same as yesterday", "for two")),
        ("order my usual lunch", None),
        ("but make it 300", None),
    ],
)
def test_a_change_is_parted_from_what_it_changes(command: str, parts: tuple[str, str] | None) -> None:
    assert split_change(command) == parts


@pytest.mark.parametrize(
    ("change", "instruction", "changed"),
    [
        ("15 minutes", "Set a timer for 10 minutes", "Set a timer for 15 minutes"),
        ("300 this week", "Pay rupees 250 to Lakshmi", "Pay rupees 300 to Lakshmi"),
        ("60 euro", "Revolut 20 euro to Nolan for 2 coffees", "Revolut 60 euro to Nolan for 2 coffees"),
        ("要六包", "淘宝买豆腐猫砂四包", "淘宝买豆腐猫砂6包"),
        (
            "without the egg",
            "Order a bento with egg and rice",
            "Order a bento with egg and rice, without the egg",
        ),
        ("less sugar", "Order a coffee with extra sugar", "Order a coffee with less sugar"),
        ("extra shot", "Order a flat white", "Order a flat white, extra shot"),
        ("少冰", "点一杯正常冰奶茶", "点一杯少冰奶茶"),
        ("少冰", "点一杯奶茶", "点一杯奶茶，少冰"),
        ("再加个可颂", "点一杯拿铁", "点一杯拿铁，再加个可颂"),
        ("add one packet of rava", "Order milk and curd", "Order milk and curd, add one packet of rava"),
        ("for two", "Book a table for four people", "Book a table for 2 people"),
    ],
)
def test_one_stated_part_is_changed(change: str, instruction: str, changed: str) -> None:
    assert apply_change(change, instruction) == changed


@pytest.mark.parametrize(
    ("change", "instruction"),
    [
        ("15 minutes", "Set the heating to 19 degrees"),
        ("15", "Order 2 rolls and 3 coffees"),
        ("15 minutes", "Timer 10 minutes, then 5 minutes"),
        ("10 minutes more", "Set a timer for 10 minutes"),
        ("15 minutes earlier", "Set a timer for 10 minutes"),
        ("without the egg", "Order beef noodles"),
        ("without egg", "Order a bento without egg"),
        ("7:30", "Set an alarm for 6:10"),
        ("for two", "Order beef noodles"),
        ("not that one", "Order beef noodles"),
        ("300 and no flowers", "Pay 250 to Lakshmi"),
        ("at the other shop", "Order beef noodles"),
        ("plus more noodles", "Order beef noodles"),
        ("换成牛肉", "点一份猪肉面"),
        ("多放十分钟", "计时十分钟"),
    ],
)
def test_what_code_cannot_show_is_left_to_the_user(change: str, instruction: str) -> None:
    assert apply_change(change, instruction) is None
