"""Where a finger goes, and what `input` answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.events import PhoneState
from assistant.phone.adb import Output
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.touches import check_input, scroll_path
from assistant.records import Bounds, Direction, Element, Observation, Point
from tests.tables import each


def seen(*scrollable: Bounds) -> Observation:
    elements = [
        Element(n, -1, "android.widget.ListView", bounds, scrollable=True)
        for n, bounds in enumerate(scrollable)
    ]
    return Observation(1000, 2000, b"", tuple(elements))


def test_down_moves_the_finger_up_by_half_the_list() -> None:
    (x1, y1), (x2, y2) = scroll_path(seen(Bounds(0, 500, 1000, 1500)), Point(0.5, 0.5), Direction.DOWN)
    assert x1 == x2 == 500
    assert y1 - y2 == 500
    assert (y1 + y2) // 2 == 1000


@each(
    ("direction", "dx", "dy"),
    [(Direction.UP, 0, 1), (Direction.DOWN, 0, -1), (Direction.LEFT, 1, 0), (Direction.RIGHT, -1, 0)],
)
def test_the_finger_moves_against_the_content(direction: Direction, dx: int, dy: int) -> None:
    (x1, y1), (x2, y2) = scroll_path(seen(), Point(0.5, 0.5), direction)
    assert ((x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)) == (dx, dy)


def test_a_row_of_cards_in_a_list_scrolls_the_list_when_going_down() -> None:
    page, row = Bounds(0, 200, 1000, 1900), Bounds(0, 900, 1000, 1100)
    (_, y1), (_, y2) = scroll_path(seen(page, row), Point(0.5, 0.5), Direction.DOWN)
    assert y1 - y2 > 700
    (x1, y3), (x2, _) = scroll_path(seen(page, row), Point(0.5, 0.5), Direction.RIGHT)
    assert x1 - x2 == 500
    assert row.top <= y3 < row.bottom


@given(
    st.integers(0, 900),
    st.integers(0, 1900),
    st.integers(1, 3000),
    st.integers(1, 3000),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from(list(Direction)),
)
def test_the_finger_stays_on_the_screen(
    left: int, top: int, width: int, height: int, x: float, y: float, direction: Direction
) -> None:
    area = Bounds(left, top, left + width, top + height)
    for px, py in scroll_path(seen(area), Point(x, y), direction):
        assert 0 <= px < 1000
        assert 0 <= py < 2000


@pytest.mark.parametrize(
    "words",
    [
        "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission",
        "java.lang.SecurityException: Injecting input events requires the caller (or the source of the "
        "instrumentation, if any) to have the INJECT_EVENTS permission.",
    ],
)
def test_missing_permission_is_a_state_of_the_phone(words: str) -> None:
    for output in (Output(0, words.encode(), b""), Output(255, b"", words.encode())):
        with pytest.raises(PhoneError) as caught:
            check_input(output)
        assert caught.value.state is PhoneState.NO_INPUT_PERMISSION
        assert "USB debugging (Security settings)" in caught.value.sentence


@each(
    ("output", "words"),
    [
        (
            Output(
                255,
                b"",
                b"\nException occurred while executing 'text':\njava.lang.NullPointerException: x\n\tat a",
            ),
            "x",
        ),
        (Output(0, b"Killed\n", b""), "Killed"),
        (Output(137, b"", b""), "137"),
        (Output(255, b"", b"Error: Unknown command: tapp\nUsage: input"), "tapp"),
    ],
)
def test_other_troubles_refuse_the_action(output: Output, words: str) -> None:
    with pytest.raises(ActionRefused, match=words):
        check_input(output)


def test_silence_is_success() -> None:
    check_input(Output(0, b"", b""))
