"""What a step that says too little belongs to, from the elements around it."""

from __future__ import annotations

from rich.cells import cell_len

from assistant.agent.step import MAX_HEADING_CELLS, with_target
from assistant.i18n import _
from assistant.records import (
    Action,
    Bounds,
    Click,
    Element,
    Observation,
    Point,
    PressBack,
    Target,
    TypeText,
    describe,
    shown,
)
from tests.tables import each

TEXT, BUTTON, PICTURE, GROUP = (
    f"android.widget.{kind}" for kind in ("TextView", "Button", "ImageButton", "FrameLayout")
)


def group(index: int, parent: int, *bounds: int, clickable: bool = False) -> Element:
    return Element(index, parent, GROUP, Bounds(*bounds), clickable=clickable)


def text(index: int, parent: int, words: str, *bounds: int) -> Element:
    return Element(index, parent, TEXT, Bounds(*bounds), text=words)


def button(index: int, parent: int, words: str, *bounds: int) -> Element:
    return Element(index, parent, BUTTON, Bounds(*bounds), text=words, clickable=True)


def icon(index: int, parent: int, name: str, *bounds: int, said: str = "") -> Element:
    return Element(
        index, parent, PICTURE, Bounds(*bounds), resource_id=f"a:id/{name}", description=said, clickable=True
    )


def screen(*elements: Element) -> Observation:
    return Observation(width=100, height=200, screenshot=b"", elements=elements)


def step(observation: Observation, x: int, y: int) -> str:
    return shown(with_target(Click(point=Point(x / 100, y / 200)), observation), _)


UPDATE = screen(
    group(0, -1, 10, 60, 90, 140),
    text(1, 0, "Update to version 8?", 10, 62, 90, 72),
    text(2, 0, "Faster lists, smaller pictures.", 10, 74, 90, 100),
    group(3, 0, 10, 110, 90, 130),
    button(4, 3, "Later", 10, 110, 48, 130),
    button(5, 3, "Update", 52, 110, 90, 130),
)


def test_the_answer_to_a_dialog_names_its_question() -> None:
    assert step(UPDATE, 20, 120) == "tap “Later” (Update to version 8?)"


def test_what_says_enough_stands_alone() -> None:
    assert step(UPDATE, 70, 120) == "tap “Update”"
    assert step(UPDATE, 50, 68) == "tap “Update to version 8?”"


def test_a_picture_without_words_belongs_to_its_row() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 200),
        text(1, 0, "Your cart", 0, 0, 100, 20),
        group(2, 0, 0, 20, 100, 60),
        group(3, 2, 0, 20, 80, 60, clickable=True),
        text(4, 3, "Beef noodles", 0, 20, 80, 40),
        text(5, 3, "¥32", 0, 40, 80, 60),
        icon(6, 2, "iv_delete", 80, 20, 100, 60),
        group(7, 0, 0, 60, 100, 100),
        text(8, 7, "Egg", 0, 60, 80, 100),
        icon(9, 7, "iv_delete", 80, 60, 100, 100),
    )
    assert step(observation, 90, 30) == "tap “delete” (Beef noodles)"
    assert step(observation, 90, 80) == "tap “delete” (Egg)"


def test_in_a_flat_list_the_words_beside_count() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 200),
        text(1, 0, "Alarms", 0, 0, 100, 20),
        text(2, 0, "Work days", 0, 20, 80, 60),
        button(3, 0, "Edit", 80, 20, 100, 60),
        text(4, 0, "Weekend", 0, 60, 80, 100),
        button(5, 0, "Edit", 80, 60, 100, 100),
    )
    assert [step(observation, 90, y) for y in (40, 80)] == ["tap “Edit” (Work days)", "tap “Edit” (Weekend)"]


def test_a_cross_in_the_corner_closes_what_begins_below_it() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 200),
        text(1, 0, "Home", 0, 0, 60, 20),
        group(2, 0, 0, 100, 100, 160),
        icon(3, 2, "close", 90, 100, 100, 110),
        text(4, 2, "Half price until Sunday", 0, 112, 100, 130),
    )
    assert step(observation, 95, 105) == "tap “close” (Half price until Sunday)"


def test_other_icons_of_a_bar_are_not_its_title() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 200),
        group(1, 0, 0, 0, 100, 20),
        icon(2, 1, "up", 0, 0, 20, 20, said="Navigate up"),
        icon(3, 1, "find", 60, 0, 80, 20, said="Search in the album"),
        text(4, 0, "Summer", 0, 30, 100, 50),
    )
    assert step(observation, 10, 10) == "tap “Navigate up” (Summer)"


def test_on_a_whole_page_the_nearest_words_above_are_meant() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 200),
        text(1, 0, "Welcome", 0, 0, 100, 20),
        text(2, 0, "Get told when an order arrives", 0, 120, 100, 150),
        button(3, 0, "Not now", 0, 160, 100, 190),
    )
    assert step(observation, 50, 170) == "tap “Not now” (Get told when an order arrives)"


def test_the_name_of_a_setting_above_is_no_heading() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 200),
        text(1, 0, "New alarm", 0, 0, 100, 20),
        text(2, 0, "Ringtone", 0, 120, 40, 150),
        text(3, 0, "Morning birds", 60, 120, 100, 150),
        button(4, 0, "Save", 0, 160, 100, 190),
    )
    assert step(observation, 50, 170) == "tap “Save”"


def test_a_field_that_holds_a_value_is_named_by_the_label_to_its_left() -> None:
    hour, minute = (
        Element(
            index, 0, "android.widget.EditText", Bounds(left, 20, left + 30, 40), text=value, clickable=True
        )
        for index, left, value in ((2, 20, "11"), (4, 70, "00"))
    )
    beside = (text(1, 0, "Hour", 0, 20, 20, 40), hour, text(3, 0, "Minute", 50, 20, 70, 40), minute)
    observation = screen(group(0, -1, 0, 0, 100, 200), *beside)
    assert [step(observation, x, 30) for x in (35, 85)] == ["tap “11” (Hour)", "tap “00” (Minute)"]
    above = (text(1, 0, "New alarm", 0, 0, 100, 20), hour)
    assert step(screen(group(0, -1, 0, 0, 100, 200), *above), 35, 30) == "tap “11”"


def test_a_picture_that_tells_its_purpose_belongs_to_no_whole_page() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 200),
        text(1, 0, "Call the plumber", 0, 140, 100, 160),
        icon(2, 0, "compose", 70, 170, 90, 190),
        icon(3, 0, "close", 10, 170, 30, 190),
    )
    assert [step(observation, x, 180) for x in (80, 20)] == [
        "tap “compose”",
        "tap “close” (Call the plumber)",
    ]


def test_chinese_dialogs_are_named_too() -> None:
    observation = screen(
        group(0, -1, 10, 60, 90, 140),
        text(1, 0, "允许外卖访问位置信息？", 10, 62, 90, 72),
        button(2, 0, "仅在使用中允许", 10, 110, 48, 130),
        button(3, 0, "不允许", 52, 110, 90, 130),
    )
    assert step(observation, 20, 120) == "tap “仅在使用中允许” (允许外卖访问位置信息？)"
    assert step(observation, 70, 120) == "tap “不允许” (允许外卖访问位置信息？)"


def test_nothing_around_leaves_the_step_as_it_is() -> None:
    alone = screen(group(0, -1, 0, 0, 100, 200), button(1, 0, "Skip 5s", 80, 0, 100, 20))
    field = Element(1, 0, "android.widget.EditText", Bounds(0, 0, 80, 20), text="my words", password=True)
    beside = screen(group(0, -1, 0, 0, 100, 200), field, button(2, 0, "OK", 80, 0, 100, 20))
    assert step(alone, 90, 10) == "tap “Skip 5s”"
    assert step(beside, 90, 10) == "tap “OK”"


def test_long_words_around_are_cut_and_kept_on_one_line() -> None:
    observation = screen(
        group(0, -1, 0, 0, 100, 100),
        text(1, 0, "请\n注意" * 60, 0, 0, 100, 20),
        button(2, 0, "取消", 0, 40, 100, 60),
    )
    action = with_target(Click(point=Point(0.5, 0.25)), observation)
    assert action.target is not None
    assert cell_len(action.target.around) <= MAX_HEADING_CELLS
    assert action.target.around.endswith("…")
    assert "\n" not in action.target.around


@each("action", [PressBack(), TypeText(text="egg"), Click(point=Point(0, 0))])
def test_other_actions_are_shown_as_they_are_described(action: Action) -> None:
    assert shown(action, _) == describe(action)


def test_what_the_model_is_told_and_what_is_kept_without_it_stay_the_same() -> None:
    target = Target(text="Later", around="Update to version 8?")
    assert describe(Click(point=Point(0, 0), target=target)) == "tap “Later”"
    assert Target.model_validate({"text": "Later"}).around == ""
