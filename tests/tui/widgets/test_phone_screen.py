"""The phone's screen as text: in its order and place, legible, with the next touch marked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.records import Bounds, Element, Observation, Point
from assistant.tui.widgets.phone_screen import format_screen

_WIDTH, _HEIGHT = 1080, 2400


def element(number: int, text: str, left: int, top: int, *, kind: str = "TextView", **more: Any) -> Element:
    bounds = Bounds(left, top, left + 300, top + 60)
    return Element(number, -1, f"android.widget.{kind}", bounds, text, **more)


def screen(*elements: Element) -> Observation:
    return Observation(_WIDTH, _HEIGHT, b"", elements)


CHECKOUT = screen(
    element(0, "Checkout", 60, 100),
    element(1, "Total", 60, 1200),
    element(2, "¥29", 700, 1204),
    element(3, "", 60, 1300, kind="EditText", hint="Note to the seller"),
    element(4, "Gift", 60, 1400, kind="CheckBox", checked=True),
    element(5, "Submit order", 700, 2300, kind="Button", clickable=True),
    element(6, "1234", 60, 1500, kind="EditText", password=True),
)


def plain(observation: Observation, columns: int = 40, rows: int = 30, *marks: Point) -> list[str]:
    return [line.plain for line in format_screen(observation, columns, rows, marks)]


def test_texts_stand_where_they_are_on_the_phone() -> None:
    lines = plain(CHECKOUT)
    words = [line for line in lines if line.strip()]
    assert words[0] == "  Checkout"
    assert words[1] == "  Total                   ¥29"
    assert words[2:] == ["  [Note to the seller_]", "  ☑ Gift", "  [••••_]", " " * 24 + "[ Submit order ]"]
    assert lines.index(words[1]) > lines.index(words[0]) + 5, "the space between them is kept"


def test_the_next_touch_is_marked_also_where_there_are_no_words() -> None:
    assert plain(CHECKOUT, 40, 30, Point(0.7, 0.97))[-1].strip() == "◎ [ Submit order ]"
    assert "◎" in "".join(plain(CHECKOUT, 40, 30, Point(0.5, 0.5)))


def test_lines_around_the_touch_are_kept_where_there_is_little_room() -> None:
    lines = plain(CHECKOUT, 40, 2, Point(0.7, 0.97))
    assert [line.strip() for line in lines] == ["[••••_]", "◎ [ Submit order ]"]


def test_a_screen_without_words_has_no_lines() -> None:
    assert plain(screen(element(0, "", 60, 100))) == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "牛肉面 ¥26", "x" * 90]), st.integers(0, 1070), st.integers(0, 2390)),
        max_size=30,
    ),
    st.integers(1, 60),
    st.integers(1, 50),
)
def test_no_line_is_wider_and_no_screen_higher_than_its_room(
    texts: list[tuple[str, int, int]], columns: int, rows: int
) -> None:
    observation = screen(*(element(number, *text) for number, text in enumerate(texts)))
    lines = format_screen(observation, columns, rows, [Point(0.5, 0.5)])
    assert len(lines) <= rows
    assert all(line.cell_length <= columns for line in lines)


@pytest.mark.parametrize("marks", [(), (Point(0.1, 0.5),)])
def test_hostile_words_are_only_words(marks: tuple[Point, ...]) -> None:
    lines = format_screen(screen(element(0, "[b]x\x1b[2J", 60, 1200)), 40, 30, marks)
    assert "[b]x" in "".join(line.plain for line in lines)
    assert "\x1b" not in "".join(line.plain for line in lines)
