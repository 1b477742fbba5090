"""Small views that the system's own windows are made of."""

from __future__ import annotations

from collections.abc import Callable

from assistant.simulator.ui.nodes import Align, Arrange, Node, Style

Tap = Callable[[], None]

TEXT = "android.widget.TextView"
FRAME = "android.widget.FrameLayout"
LINEAR = "android.widget.LinearLayout"
BUTTON = "android.widget.Button"
IMAGE = "android.widget.ImageView"
LIST = "androidx.recyclerview.widget.RecyclerView"


def label(
    words: str,
    *,
    name: str = "",
    size: int = 15,
    bold: bool = False,
    color: str = "",
    align: Align = Align.START,
    lines: int = 1,
    weight: float = 0,
) -> Node:
    """Words."""
    style = Style(size=size, bold=bold, color=color, align=align, max_lines=lines)
    return Node(widget=TEXT, id=name, text=words, style=style, weight=weight)


def space(height: float | None = None, *, weight: float = 0, width: float | None = None) -> Node:
    """Room."""
    return Node(widget="android.view.View", height=height, width=width, weight=weight)


def app_icon(icon: tuple[str, str], words: str, on_tap: Tap | None, *, name: str, size: int = 30) -> Node:
    """An app's icon on its disc, its name below."""
    style = Style(
        icon=icon[0],
        icon_size=size,
        badge=icon[1],
        above=True,
        size=12,
        color="#ffffff",
        align=Align.CENTER,
        max_lines=1,
    )
    return Node(widget=TEXT, id=name, text=words, description=words, style=style, on_tap=on_tap)


def row(
    *children: Node, gap: float = 0, padding: float = 0, height: float | None = None, name: str = ""
) -> Node:
    """Views side by side."""
    return Node(
        widget=LINEAR,
        id=name,
        children=list(children),
        arrange=Arrange.ROW,
        align=Align.CENTER,
        gap=gap,
        padding=padding,
        height=height,
    )
