"""A later version of the apps' own pages: a row more, buttons moved or renamed, a page more in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assistant.simulator.apps import widgets
from assistant.simulator.ui.nodes import Node

_RENAMED = {
    "Buy now": "Buy it now",
    "立即购买": "马上购买",
    "Search trains": "Find trains",
    "查询车票": "查找车票",
}
"""What buttons were called, and are."""


def redesigned(page: Node, tip: str, no: Callable[[], None]) -> Node:
    """A page as the later version has it.

    Each list begins with a row that was not there, of the kind of the row behind it. The buttons at the
    bottom stand in the other order, and some are called otherwise.

    Args:
        page: the page of the earlier version.
        tip: what the new row says.
        no: what a tap on it does.
    """
    children = [redesigned(child, tip, no) for child in page.children]
    if page.id == "bottom_bar":
        children = children[::-1]
    following = next((child for child in children if child.on_tap is not None), None)
    if page.id == "recycler_view" and following is not None:
        children = [widgets.list_row(tip, on_tap=no, name=following.id or "item"), *children]
    return replace(page, text=_RENAMED.get(page.text, page.text), children=children)


def tour(title: str, text: str, skip: Node) -> Node:
    """The page that comes once before another one, and says what is new; one button leaves it."""
    return widgets.screen(
        widgets.picture(title, height=240),
        widgets.column(widgets.text(title, name="tour_title", size=22, bold=True), padding=12),
        widgets.paragraph(text, name="tour_text"),
        widgets.bottom_bar(skip),
    )
