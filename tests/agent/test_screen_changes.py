from __future__ import annotations

from assistant.agent.stop_checks import describe_changes
from assistant.records import Bounds, Element, ForegroundApp, Observation


def screen(*labels: str, package: str = "com.example.eats", rotation: int = 0) -> Observation:
    elements = tuple(
        Element(number, -1, "android.widget.TextView", Bounds(0, number, 9, number + 1), text=label)
        for number, label in enumerate(labels)
    )
    return Observation(
        width=10, height=20, screenshot=b"", elements=elements, app=ForegroundApp(package), rotation=rotation
    )


def test_nothing_changed() -> None:
    assert describe_changes(screen("a", "b"), screen("a", "b")) == []


def test_labels_that_came_and_went() -> None:
    assert describe_changes(screen("a", "b"), screen("b", "c")) == [
        "New on the screen: “c”.",
        "No longer on the screen: “a”.",
    ]


def test_another_app_and_a_turned_screen() -> None:
    changes = describe_changes(screen("a"), screen("a", package="com.example.chat", rotation=1))
    assert changes == [
        "The app in front was com.example.eats, now it is com.example.chat.",
        "The screen was turned.",
    ]


def test_many_labels_are_counted() -> None:
    (sentence,) = describe_changes(screen(), screen(*"abcdefgh"))
    assert sentence == "New on the screen: “a”, “b”, “c”, “d”, “e” and 3 more."
