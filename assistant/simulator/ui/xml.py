"""Windows as uiautomator's XML: one line, attributes in the order of AccessibilityNodeInfoDumper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from assistant.simulator.ui.layout import Placed
from assistant.simulator.ui.metrics import kind, shown_text
from assistant.simulator.ui.nodes import Node
from assistant.simulator.ui.window import Window

HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_END_OF_PAGE = "</node></hierarchy>"
NEVER_NAF = ("GridView", "GridLayout", "ListView", "TableLayout")
HINT_LEVEL = 33
"""The API level from which drawing order and hint are printed."""

_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"})


def escaped(text: str) -> str:
    """Text as an attribute's value; what XML forbids becomes a full stop, as on the phone."""
    return _INVALID.sub(".", text).translate(_ESCAPES)


def clickable(node: Node) -> bool:
    """Whether Android would call a node clickable; a disabled button still is."""
    return node.on_tap is not None or node.field is not None or kind(node) in ("Button", "ImageButton")


def resource_id(node: Node, package: str) -> str:
    """The full name of a node's id: its own package's unless it names one."""
    return node.id if not node.id or ":" in node.id else f"{package}:id/{node.id}"


def not_accessible(placed: Placed) -> bool:
    """Uiautomator's NAF mark: clickable, enabled, and no text or description on it or in it."""
    node = placed.node
    if not clickable(node) or not node.enabled or node.widget.endswith(NEVER_NAF):
        return False
    return not any(
        placed_node.node.description or shown_text(placed_node.node) for placed_node in placed.walk()
    )


def dump(
    window: Window, rotation: int, focused: object = None, level: int = 31, extra_nodes: int = 0
) -> bytes:
    """The whole document of one window.

    `focused` is the text field with input focus. `extra_nodes` are added to the page in the status bar's
    place, as rows of a long list, five nodes each.
    """
    out = StringIO()
    out.write(HEADER)
    _write_hierarchy(out, window, rotation, focused, level)
    document = out.getvalue()
    if extra_nodes:
        rows = "".join(_row(number, window.package, level) for number in range(extra_nodes // 5))
        document = document.removesuffix(_END_OF_PAGE) + rows + _END_OF_PAGE
    return document.encode()


def _row(number: int, package: str, level: int) -> str:
    """A row of a list: a view with a picture and three texts in it.

    One in fifty takes touches: a model is told at most of so many elements, and the page has its own.
    """
    top, left = number % 40, 4 * (number // 40 % 200)
    bounds = f"[{left},{top}][{left + 4},{top + 1}]"
    last = ' drawing-order="1" hint=""' if level >= HINT_LEVEL else ""

    def node(view: str, text: str, clickable: str) -> str:
        return (
            f'<node index="0" text="{text}" resource-id="{package}:id/row" class="android.{view}" '
            f'package="{package}" content-desc="" checkable="false" checked="false" clickable="{clickable}" '
            f'enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" '
            f'password="false" selected="false" bounds="{bounds}"{last}'
        )

    inner = (
        node("widget.ImageView", "", "false"),
        node("widget.TextView", f"Line {number} of the list", "false"),
        node("widget.TextView", f"{number} pieces", "false"),
        node("widget.TextView", "More", "false"),
    )
    takes_touches = "true" if number % 50 == 0 else "false"
    return (
        node("view.ViewGroup", "", takes_touches) + ">" + "".join(f"{each} />" for each in inner) + "</node>"
    )


@dataclass(frozen=True, slots=True)
class ShownDisplay:
    """A display with its windows from the lowest up, and the field that has its focus. `empty`: no nodes."""

    number: int
    windows: list[Window]
    rotation: int = 0
    field: object = None
    empty: bool = False


def dump_all(displays: Sequence[ShownDisplay], active: Window, level: int = 36) -> bytes:
    """All windows of all displays that have any (`--windows`), written from the highest down."""
    out = StringIO()
    out.write(f"{HEADER}<displays>")
    for shown in displays:
        if shown.windows:
            out.write(f'<display id="{shown.number}">')
            _write_windows(out, shown, active, level)
            out.write("</display>")
    out.write("</displays>")
    return out.getvalue().encode()


def _write_windows(out: StringIO, shown: ShownDisplay, active: Window, level: int) -> None:
    for index, (layer, window) in enumerate(reversed(list(enumerate(shown.windows)))):
        left, top, right, bottom = window.content
        attributes = {
            "index": str(index),
            "title": escaped(window.title),
            "bounds": f"[{left},{top}][{right},{bottom}]",
            "active": _flag(window is active),
            "focused": _flag(window is active),
            "accessibility-focused": "false",
            "id": str(layer + 1),
            "layer": str(layer),
            "type": _window_type(window),
        }
        out.write("<window " + " ".join(f'{name}="{value}"' for name, value in attributes.items()) + ">")
        if not shown.empty:
            _write_hierarchy(out, window, shown.rotation, shown.field, level)
        out.write("</window>")


def _window_type(window: Window) -> str:
    if window.activity:
        return "TYPE_APPLICATION"
    return "TYPE_INPUT_METHOD" if window.title == "InputMethod" else "TYPE_SYSTEM"


def _write_hierarchy(out: StringIO, window: Window, rotation: int, focused: object, level: int) -> None:
    out.write(f'<hierarchy rotation="{rotation}">')
    _write(out, window.placed, 0, window.package, focused, level)
    out.write("</hierarchy>")


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _write(out: StringIO, placed: Placed, index: int, package: str, focused: object, level: int) -> None:
    node, seen = placed.node, placed.seen
    checkable = node.checked is not None
    focusable = clickable(node) or node.on_hold is not None
    attributes: list[tuple[str, str]] = [("NAF", "true")] if not_accessible(placed) else []
    attributes += [
        ("index", str(index)),
        ("text", escaped(shown_text(node))),
        ("resource-id", escaped(resource_id(node, package))),
        ("class", escaped(node.widget)),
        ("package", package),
        ("content-desc", escaped(node.description)),
        ("checkable", _flag(checkable)),
        ("checked", _flag(bool(node.checked))),
        ("clickable", _flag(clickable(node))),
        ("enabled", _flag(node.enabled)),
        ("focusable", _flag(focusable)),
        ("focused", _flag(node.field is not None and node.field is focused)),
        ("scrollable", _flag(node.scroll is not None and node.scroll.limit > 0)),
        ("long-clickable", _flag(node.on_hold is not None or node.field is not None)),
        ("password", _flag(node.field is not None and node.field.password)),
        ("selected", _flag(node.selected)),
        ("bounds", f"[{seen.left},{seen.top}][{seen.right},{seen.bottom}]"),
    ]
    if level >= HINT_LEVEL:
        hint = node.field.hint if node.field else ""
        attributes += [("drawing-order", str(index + 1)), ("hint", escaped(hint))]
    out.write("<node " + " ".join(f'{name}="{value}"' for name, value in attributes))
    children = [(place, child) for place, child in enumerate(placed.children) if child.seen.area]
    if not children:
        out.write(" />")
        return
    out.write(">")
    for place, child in children:
        _write(out, child, place, package, focused, level)
    out.write("</node>")
