from __future__ import annotations

from assistant.understand.resolution import read_again
from tests.tables import each


@each(
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


@each(
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


@each(
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
