"""Bars at the edges of a page, and what fills a page that has nothing else to show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.simulator.apps.widgets.views import (
    BLUE,
    FAINT,
    FRAME,
    LINE,
    LINEAR,
    PROGRESS,
    Tap,
    column,
    pictogram,
    row,
    text,
)
from assistant.simulator.ui.nodes import Align, Node, Style


@dataclass(frozen=True, slots=True)
class Tab:
    """One entry of a tab bar."""

    words: str
    icon: str
    selected: bool
    on_tap: Tap


def tab_bar(tabs: Iterable[Tab], *, color: str = BLUE) -> Node:
    """The bar at the bottom that switches between an app's main pages."""
    cells = []
    for tab in tabs:
        ink = color if tab.selected else FAINT
        cell = column(
            pictogram(tab.icon, color=ink),
            text(tab.words, name="tab_label", size=12, color=ink, align=Align.CENTER, lines=1),
            name="tab",
            padding=6,
            weight=1,
            on_tap=tab.on_tap,
            align=Align.CENTER,
        )
        cell.widget = FRAME
        cell.selected = tab.selected
        cells.append(cell)
    return row(*cells, name="bottom_navigation", gap=0, height=60)


def bottom_bar(*children: Node) -> Node:
    """The bar at the bottom with the page's main button."""
    return row(*children, name="bottom_bar", gap=12, padding=10)


def app_bar(title: str, *, back: Node | None = None, actions: Iterable[Node] = ()) -> Node:
    """The bar at the top: an arrow, the page's title, icons."""
    parts = [back] if back else [Node(widget="android.view.View", width=4)]
    parts.append(text(title, name="toolbar_title", size=20, bold=True, weight=1, lines=1))
    return row(*parts, *actions, name="toolbar", gap=8, padding=4, height=56)


def search_entry(hint: str, on_tap: Tap) -> Node:
    """What looks like a search field and opens the search page."""
    node = row(
        pictogram("search"),
        text(hint, name="search_hint", color=FAINT, weight=1, lines=1),
        name="search_bar",
        padding=10,
        on_tap=on_tap,
    )
    node.style = Style(border=LINE, radius=20)
    return column(node, padding=8)


def spinner(words: str) -> Node:
    """A turning wheel: the screen is not idle while it shows."""
    wheel = Node(
        widget=PROGRESS,
        id="progress",
        height=48,
        moving=True,
        style=Style(icon="spinner", align=Align.CENTER),
    )
    return column(
        wheel, text(words, name="progress_text", color=FAINT, align=Align.CENTER), padding=48, weight=1
    )


def progress(share: float) -> Node:
    """A bar that fills while something is under way."""
    done = Node(widget=FRAME, weight=max(share, 0.01), height=6, style=Style(background=BLUE, radius=3))
    left = Node(widget=FRAME, weight=max(1 - share, 0.01), height=6, style=Style(background=LINE, radius=3))
    bar = row(done, left, name="progress_bar", gap=0, padding=4)
    bar.widget = PROGRESS
    bar.moving = share < 1
    return bar


def empty(words: str) -> Node:
    """What a page says when it has nothing to list."""
    return column(text(words, name="empty", color=FAINT, align=Align.CENTER), padding=48, weight=1)


def filler() -> Node:
    """Blank space that pushes what follows to the end of the page."""
    return Node(widget="android.view.View", weight=1)


def screen(*children: Node) -> Node:
    """A whole page."""
    return Node(widget=LINEAR, id="content", children=list(children))
