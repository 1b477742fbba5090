"""Entries of lists, choices, and what stands in a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assistant.simulator.apps.widgets.views import (
    BLUE,
    BUTTON,
    CHECK,
    FAINT,
    LINE,
    RADIO,
    SIDEWAYS,
    SWITCH,
    WHITE,
    Tap,
    column,
    icon_button,
    picture,
    row,
    text,
)
from assistant.simulator.ui.nodes import Align, Arrange, Node, ScrollPosition, Style


def list_row(
    title: str,
    subtitle: str = "",
    *,
    on_tap: Tap | None = None,
    on_hold: Tap | None = None,
    trailing: str = "",
    leading: Node | None = None,
    action: Node | None = None,
    name: str = "item",
) -> Node:
    """One entry of a list: up to two lines of text, something before and something after them."""
    lines = [text(title, name="title", size=16)]
    if subtitle:
        lines.append(text(subtitle, name="subtitle", size=13, color=FAINT))
    parts = [leading] if leading else []
    parts.append(column(*lines, gap=2, weight=1))
    if trailing:
        parts.append(text(trailing, name="trailing", size=14, color=FAINT, lines=1))
    if action:
        parts.append(action)
    node = row(*parts, name=name, gap=12, padding=12, on_tap=on_tap)
    node.on_hold = on_hold
    return node


def card(*children: Node, name: str = "card", on_tap: Tap | None = None) -> Node:
    """A framed group."""
    node = column(*children, name=name, gap=6, padding=12, on_tap=on_tap)
    node.style = Style(border=LINE, radius=10)
    return node


def tile(
    words: str, seed: str, on_tap: Tap, *, subtitle: str = "", height: float = 64, name: str = "tile"
) -> Node:
    """A cell of a grid: an illustration with a caption."""
    parts = [picture(seed, height=height)]
    if words:
        parts.append(text(words, name="caption", size=13, align=Align.CENTER))
    if subtitle:
        parts.append(text(subtitle, name="subtitle", size=12, color=FAINT, align=Align.CENTER, lines=1))
    return column(*parts, name=name, gap=4, padding=4, on_tap=on_tap)


def chip(words: str, on_tap: Tap, *, selected: bool = False, name: str = "chip", color: str = BLUE) -> Node:
    """A small choice."""
    style = Style(
        background=color if selected else "",
        color=WHITE if selected else "",
        border=color if selected else LINE,
        radius=16,
        size=14,
        align=Align.CENTER,
        max_lines=1,
    )
    return Node(widget=BUTTON, id=name, text=words, height=40, style=style, on_tap=on_tap, selected=selected)


def chips(children: Iterable[Node], scroll: ScrollPosition, *, name: str = "chips") -> Node:
    """Choices side by side that scroll sideways."""
    return Node(
        widget=SIDEWAYS,
        id=name,
        children=list(children),
        arrange=Arrange.ROW,
        scroll=scroll,
        sideways=True,
        gap=8,
        padding=8,
        height=56,
    )


def switch_row(title: str, on: bool, toggle: Tap, *, subtitle: str = "", on_tap: Tap | None = None) -> Node:
    """A line with a switch at its end. A tap on the line toggles too, unless it leads elsewhere."""
    handle = Node(widget=SWITCH, id="switch_widget", width=52, height=32, checked=on, on_tap=toggle)
    return list_row(title, subtitle, action=handle, on_tap=on_tap or toggle)


def check_row(
    title: str, checked: bool, on_tap: Tap, *, subtitle: str = "", trailing: str = "", single: bool = False
) -> Node:
    """A line with a check box, or a radio button where only one may be chosen."""
    box = Node(widget=RADIO if single else CHECK, id="check", width=32, height=32, checked=checked)
    return list_row(title, subtitle, leading=box, trailing=trailing, on_tap=on_tap)


def stepper(quantity: int, change: Callable[[int], None], *, color: str = BLUE) -> Node:
    """Minus, a number, plus."""
    return row(
        icon_button("minus", lambda: change(-1), name="decrease", size=40, color=color),
        text(str(quantity), name="quantity", bold=True, lines=1),
        icon_button("plus", lambda: change(1), name="increase", size=40, color=color),
        name="stepper",
        gap=4,
    )


def detail_line(left: str, right: str, *, bold: bool = False, name: str = "line") -> Node:
    """A name and its value at the two ends of a line."""
    return row(
        text(left, name="name", weight=1, bold=bold),
        text(right, name="value", bold=bold, align=Align.END, lines=1),
        name=name,
        padding=12,
    )
