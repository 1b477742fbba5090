"""Taps on what the keyboard covers: it is put away first, and the tap is done on the same element."""

from __future__ import annotations

from dataclasses import replace

from assistant.agent.action_selection import find_covered
from assistant.records import Bounds, Click, Element, ForegroundApp, Observation, Point
from tests.tables import each

CHAT = ForegroundApp("com.chat", ".Main", "Chat")


def page(*names: str, keyboard: bool = True) -> Observation:
    """A page with buttons in one row at its foot, and a title."""
    title = Element(0, -1, "android.widget.TextView", Bounds(0, 0, 1000, 100), text="Mom")
    buttons = (
        Element(
            at,
            -1,
            "android.widget.ImageButton",
            Bounds(200 * at, 1800, 200 * at + 180, 1900),
            resource_id=f"com.chat:id/{name}",
            clickable=True,
        )
        for at, name in enumerate(names, 1)
    )
    return Observation(1000, 2000, b"", (title, *buttons), CHAT, keyboard_shown=keyboard)


def tap(content: str, x: float = 0.29, y: float = 0.925) -> Click:
    return Click(point=Point(x, y), content=content)


@each(
    ("content", "is_covered"),
    [
        ("send button", True),
        ("Send", True),
        ("key Done", False),
        ("Done button", False),
        ("s", False),
        ("", False),
    ],
)
def test_a_tap_is_covered_where_the_model_names_the_element(content: str, *, is_covered: bool) -> None:
    assert (find_covered(tap(content), page("send_button", "voice"), "") is not None) is is_covered


def test_without_a_keyboard_or_above_it_nothing_is_covered() -> None:
    assert find_covered(tap("Send"), page("send_button", keyboard=False), "") is None
    assert find_covered(tap("Mom", 0.5, 0.02), page("send_button"), "") is None


def test_the_tap_is_done_on_the_same_element_once_the_keyboard_is_away() -> None:
    covered = find_covered(tap("Send"), page("send_button"), "Send it to Mom")
    assert covered is not None
    assert covered.warning == "Send it to Mom"
    moved = covered.find_in(page("voice", "send_button", keyboard=False))
    assert moved is not None
    assert moved.point == Point(0.49, 0.925)
    assert covered.find_in(page("send_button")) is None
    assert covered.find_in(page("voice", keyboard=False)) is None
    assert covered.find_in(page("send_button", "send_button", keyboard=False)) is None
    dialog = Element(9, -1, "android.widget.FrameLayout", Bounds(0, 0, 1000, 2000), clickable=True)
    small = replace(dialog, bounds=Bounds(280, 1840, 300, 1860))
    away = page("send_button", keyboard=False)
    assert covered.find_in(replace(away, elements=(*away.elements, small))) is None
