from __future__ import annotations

import pytest

from assistant.simulator.model.tasks.wishes import read_order
from assistant.simulator.model.times import clock_time, day_offset, days, number
from assistant.simulator.model.words import closeness, names
from tests.tables import each


@each(
    ("text", "time"),
    [
        ("set an alarm for 7:30", (7, 30)),
        ("wake me at 7", (7, 0)),
        ("at 7.15 pm", (19, 15)),
        ("12 am", (0, 0)),
        ("half past seven", (7, 30)),
        ("quarter to 8 in the evening", (19, 45)),
        ("明天早上七点半", (7, 30)),
        ("下午三点一刻", (15, 15)),
        ("晚上8点05分", (20, 5)),
        ("关掉6:45的闹钟", (6, 45)),
        ("十二点", (12, 0)),
        ("order 2 teas", None),
        ("no time here", None),
    ],
)
def test_times_of_day(text: str, time: tuple[int, int] | None) -> None:
    assert clock_time(text) == time


def test_days() -> None:
    assert days("on weekdays") == days("工作日") == (0, 1, 2, 3, 4)
    assert days("every day") == days("每天") == (0, 1, 2, 3, 4, 5, 6)
    assert days("on Monday and Friday") == days("周一和周五") == (0, 4)
    assert days("星期天") == (6,)
    assert (day_offset("tomorrow"), day_offset("后天"), day_offset("once")) == (1, 2, None)


def test_numbers() -> None:
    assert [number(one) for one in ("7", "十", "十五", "二十", "三十五", "两")] == [7, 10, 15, 20, 35, 2]
    with pytest.raises(ValueError, match="no number"):
        number("x")


def test_closeness_prefers_the_same_words() -> None:
    assert closeness("Zhang Min", "Zhang Min") == 5
    assert closeness("mother", "妈妈") == 4
    assert closeness("Mom", "Mom · see you · 08:15") == 3
    assert closeness("Corner", "Corner Coffee") == 2
    assert closeness("coffee", "Corner Coffee") == 1
    assert closeness("Zhang Min", "Zhang Ming") == 0
    assert closeness("", "anything") == 0
    assert "妈妈" in names("mom")


@each(
    ("order", "read"),
    [
        ("beef noodles without coriander", {"what": "beef noodles", "wishes": "No coriander", "count": "1"}),
        (
            "two large teas, less sugar, no ice from Leaf to the office",
            {
                "what": "teas",
                "wishes": "Large|less sugar|no ice",
                "count": "2",
                "shop": "Leaf",
                "address": "office",
            },
        ),
        ("一份牛肉面不要香菜", {"what": "牛肉面", "wishes": "不要香菜", "count": "1"}),
        (
            "从老街面馆点两碗大份牛肉面，不要葱，送到公司",
            {"what": "牛肉面", "wishes": "大份|不要葱", "count": "2", "shop": "老街面馆", "address": "公司"},
        ),
    ],
)
def test_orders_are_taken_apart(order: str, read: dict[str, str]) -> None:
    slots = read_order({"order": order}, order)
    assert {key: slots.get(key, "") for key in read} == read


def test_what_is_left_out_ends_before_how_many() -> None:
    order = "an oat latte with less ice but without onions and two of them"

    slots = read_order({"order": order}, order)

    assert (slots["count"], slots["wishes"]) == ("2", "less ice|No onions")
