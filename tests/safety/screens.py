"""Small screens for the tests of the approval rules."""

from __future__ import annotations

from typing import Any

from assistant.records import Bounds, Click, Element, ForegroundApp, Observation

WIDTH, HEIGHT = 100, 200
APP = ForegroundApp("com.example.app", ".Main", "App")


def element(kind: str, top: int = 100, left: int = 0, **values: Any) -> Element:
    """One element, 20 high, at a place; `size` is (width, height). `name` is the entry name of its id."""
    width, height = values.pop("size", (WIDTH - left, 20))
    name = values.pop("name", "")
    return Element(
        index=values.pop("index", -1),
        parent=values.pop("parent", -1),
        class_name=f"android.widget.{kind}",
        bounds=Bounds(left, top, left + width, top + height),
        resource_id=f"com.example.app:id/{name}" if name else "",
        **values,
    )


def button(label: str = "", top: int = 100, **values: Any) -> Element:
    """A button."""
    return element("Button", top, text=label, clickable=True, **values)


def icon(top: int = 100, left: int = 80, **values: Any) -> Element:
    """An icon to press."""
    return element("ImageButton", top, left, clickable=True, **values)


def label(words: str, top: int = 0, **values: Any) -> Element:
    """A text."""
    return element("TextView", top, text=words, **values)


def field(top: int = 60, **values: Any) -> Element:
    """The field that has focus."""
    return element("EditText", top, clickable=True, **{"focused": True, **values})


def screen(*elements: Element, app: ForegroundApp = APP, dialog: bool = False, **values: Any) -> Observation:
    """A page of these elements, or a dialog smaller than the screen. Parents count from the first element."""
    root = element("FrameLayout", 30 if dialog else 0, size=(WIDTH - 10, 120) if dialog else (WIDTH, HEIGHT))
    placed = [root, *elements]
    numbered = tuple(
        Element(**{**_values(given), "index": number, "parent": _parent(given, number)})
        for number, given in enumerate(placed)
    )
    return Observation(width=WIDTH, height=HEIGHT, screenshot=b"", elements=numbered, app=app, **values)


def tap(observation: Observation, number: int, content: str = "") -> Click:
    """A tap on the middle of an element, counted from 1 as they were given."""
    return Click(point=observation.point(*observation.elements[number].bounds.centre), content=content)


def _values(given: Element) -> dict[str, Any]:
    return {name: getattr(given, name) for name in Element.__slots__}


def _parent(given: Element, number: int) -> int:
    if number == 0:
        return -1
    return given.parent if given.parent >= 0 else 0


def wide_button(words: str) -> Element:
    """The one wide button at the end of a page."""
    return button(words, 170, left=4, size=(92, 20))
