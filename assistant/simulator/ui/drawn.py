"""What the picture of the screen shows, for a model that looks at the picture alone.

The scripted model is no eye. Where a request brings a picture and no list of elements, it is told what
was drawn: the words, the icons by their names, boxes and marks, and the row that words lie in. That is more
than a picture gives: what may be tapped is told, too. The assistant never sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.simulator.ui.layout import Placed
from assistant.simulator.ui.metrics import kind, shown_text
from assistant.simulator.ui.nodes import TextField
from assistant.simulator.ui.window import Window
from assistant.simulator.ui.xml import clickable

_KINDS = {
    "EditText": "field",
    "Button": "button",
    "ImageButton": "button",
    "CheckBox": "checkbox",
    "RadioButton": "radio",
    "Switch": "switch",
    "SeekBar": "slider",
    "ProgressBar": "progress",
    "TextView": "text",
    "ImageView": "image",
}


def drawn(window: Window, focused: TextField | None) -> list[dict[str, Any]]:
    """The marks of the window in front: kind, words, hint, flags, and the box in pixels of what is seen."""
    marks: list[dict[str, Any]] = []
    _collect(window.placed, focused, marks)
    return marks


def _collect(
    placed: Placed, focused: TextField | None, marks: list[dict[str, Any]], *, inside: bool = False
) -> None:
    """Add a node and what it contains; words inside a row that is called by them are not told again."""
    node = placed.node
    if not placed.seen.area:
        return
    flags = list(_flags(placed, focused))
    acts = bool(flags) and flags != ["selected"]
    words = "" if node.field and node.field.password else shown_text(node) or node.description
    named = acts and not words and node.field is None and "scrollable" not in flags
    if named:
        words = " · ".join(_words(placed)) or _icon_name(placed)
    if acts or (words and not inside):
        box = placed.seen
        hint = node.description if node.field else ""
        marks.append(
            {
                "kind": _kind(placed, acts),
                "words": words,
                "hint": hint,
                "flags": flags,
                "box": [box.left, box.top, box.right, box.bottom],
            }
        )
    for child in placed.children:
        _collect(child, focused, marks, inside=inside or named)


def _words(placed: Placed) -> Iterator[str]:
    """The words inside a row that cannot be tapped by themselves, in order."""
    for child in placed.children:
        if child.seen.area:
            if words := child.node.text or child.node.description:
                yield words
            yield from _words(child)


def _icon_name(placed: Placed) -> str:
    """What an icon without words shows, by the name that it has in the app."""
    return placed.node.id.rpartition("/")[2].replace("_", " ")


def _kind(placed: Placed, acts: bool) -> str:
    if "scrollable" in _flags(placed, None) and not clickable(placed.node):
        return "list"
    name = _KINDS.get(kind(placed.node), "")
    if name in ("", "text", "image") and clickable(placed.node):
        return "button" if name else "item"
    return name or "item"


def _flags(placed: Placed, focused: TextField | None) -> Iterator[str]:
    node = placed.node
    flags = {
        "clickable": clickable(node),
        "long_clickable": node.on_hold is not None or node.field is not None,
        "editable": node.field is not None,
        "scrollable": node.scroll is not None and node.scroll.limit > 0,
        "checked": node.checked is True,
        "unchecked": node.checked is False,
        "selected": node.selected,
        "focused": node.field is not None and node.field is focused,
        "password": node.field is not None and node.field.password,
    }
    if any(flags.values()) and not node.enabled:
        flags["disabled"] = True
    return (name for name, holds in flags.items() if holds)
