"""The later version of the apps' pages has what the earlier one had, elsewhere and with more."""

from __future__ import annotations

from assistant.simulator.apps import widgets
from assistant.simulator.apps.redesign import redesigned
from assistant.simulator.ui.nodes import Node, ScrollPosition


def nothing() -> None:
    pass


def test_a_row_comes_buttons_change_places_and_one_its_name() -> None:
    rows = [widgets.list_row(title, on_tap=nothing, name="goods_item") for title in ("Lamp", "Clock")]
    bar = widgets.bottom_bar(widgets.button("Buy now", nothing), widgets.button("Keep", nothing))
    before = widgets.screen(widgets.listing(rows, ScrollPosition()), bar)
    after = redesigned(before, "What is new", nothing)
    listing, bottom = (node for node in nodes(after) if node.id in ("recycler_view", "bottom_bar"))
    assert [row.id for row in listing.children] == ["goods_item"] * 3
    assert listing.children[1:] == rows
    assert [button.text for button in bottom.children] == ["Keep", "Buy it now"]
    assert [button.text for button in bar.children] == ["Buy now", "Keep"], "the earlier page stays"


def nodes(node: Node) -> list[Node]:
    return [node, *(below for child in node.children for below in nodes(child))]
