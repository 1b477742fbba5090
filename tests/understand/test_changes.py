from __future__ import annotations

import pytest

from assistant.understand.habit_ways import apply_change, read_again, split_change


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


@pytest.mark.parametrize(
    "command",
    [
        "once more, send Ana 20 euros",
        "Once again, please call Mum",
        "again, and then call Mum",
        "once more, can you text Ben that I am late",
        "again, add a note that the plumber comes",
        "once more, add milk to the shopping list",
        "one more time, what's the weather",
        "once again, I want to order pizza",
        "again, open the door",
        "another one, take a photo",
        "再来一份，给妈妈打电话",
        "再来一份,给小王转20块",
        "再来一份，然后告诉妈妈我晚点到",
        "再来一次，帮我查天气",
        "再来一份，call Mum",
        "再来一份，帮妈妈买一束花",
        "再来一份，去机场",
    ],
)
def test_a_command_behind_again_is_no_change_of_the_last_one(command: str) -> None:
    assert read_again(command) is None


@pytest.mark.parametrize(
    "command",
    [
        "do it again tomorrow at 8",
        "run it again in the evening",
        "do it again at 8:30",
        "do it again in 10 minutes",
        "again, on Friday",
        "do it again at half past eight",
        "once more, every morning",
        "do it again, for two, at noon",
        "再来一份，明天早上八点",
        "再来一份，过十分钟",
        "再来一次，下午3点",
    ],
)
def test_a_time_behind_again_is_nothing_to_be_done_now(command: str) -> None:
    assert read_again(command) is None


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("again", ""),
        ("do it again but for two", "but for two"),
        ("do it again for two", "for two"),
        ("once more, no egg", "no egg"),
        ("again, to my home", "to my home"),
        ("the same again, make it spicy", "make it spicy"),
        ("once more, send it to Ben", "send it to Ben"),
        ("again, add extra cheese", "add extra cheese"),
        ("again, please get two portions", "please get two portions"),
        ("do it again, leave out the onions", "leave out the onions"),
        ("same again with a breakfast tea", "with a breakfast tea"),
        ("order the same again for tomorrow", "for tomorrow"),
        ("do it again but at 8", "but at 8"),
        ("do it again this time with tea", "this time with tea"),
        ("once more, light ice", "light ice"),
        ("再来一份", ""),
        ("再来两份", "两份"),
        ("再来一份，少冰", "少冰"),
        ("再来一份，给爸爸", "给爸爸"),
        ("再来一份，送到公司", "送到公司"),
        ("再来一份，加一份米饭", "加一份米饭"),
        ("再来一份，打包", "打包"),
        ("再来一杯，去冰", "去冰"),
        ("再来一份，不过要热的", "不过要热的"),
        ("再来一份，两个人的", "两个人的"),
    ],
)
def test_what_changes_behind_again(command: str, change: str) -> None:
    assert read_again(command) == change
