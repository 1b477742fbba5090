from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.records import Bounds, Element, Observation, Point

ROW = Element(0, -1, "android.view.ViewGroup", Bounds(0, 0, 100, 40), clickable=True, resource_id="a:id/row")
NAME = Element(1, 0, "android.widget.TextView", Bounds(0, 0, 60, 20), text="Corner Noodle House")
PRICE = Element(2, 0, "android.widget.TextView", Bounds(60, 0, 100, 20), text="¥32")
FIELD = Element(3, -1, "android.widget.EditText", Bounds(0, 50, 100, 80), focused=True, hint="Search")
SCREEN = Observation(width=100, height=200, screenshot=b"", elements=(ROW, NAME, PRICE, FIELD))


def test_a_tap_on_words_hits_the_row_that_reacts() -> None:
    assert SCREEN.element_at(Point(0.3, 0.05)) == ROW


def test_a_row_is_called_by_what_it_contains() -> None:
    target = SCREEN.target_at(Point(0.3, 0.05))
    assert target is not None
    assert target.label == "Corner Noodle House · ¥32"
    assert target.resource_id == "a:id/row"


def test_nothing_is_under_an_empty_place() -> None:
    assert SCREEN.target_at(Point(0.5, 0.9)) is None


def test_the_focused_field() -> None:
    assert SCREEN.focused_field() == FIELD


def test_descendants_are_all_below() -> None:
    assert list(SCREEN.descendants(ROW)) == [NAME, PRICE]
    assert list(SCREEN.descendants(FIELD)) == []


@given(st.floats(0, 1), st.floats(0, 1))
def test_pixels_lie_on_the_screen_and_come_back_within_one(x: float, y: float) -> None:
    across, down = SCREEN.pixels(Point(x, y))
    assert 0 <= across < 100
    assert 0 <= down < 200
    back = SCREEN.point(across, down)
    assert abs(back.x - x) < 1.001 / 100
    assert abs(back.y - y) < 1.001 / 200
