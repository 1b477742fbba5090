from __future__ import annotations

from assistant.simulator.ui.layout import Layout
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Align, Arrange, Node, ScrollPosition, Style
from assistant.simulator.ui.touch import Hit, drag, find, path_at
from assistant.simulator.ui.window import Window
from tests.simulator.ui.tiny import Phone, bounds

SCREEN = Screen(400, 800, 1.0)


def hit(root: Node, x: float, y: float) -> Hit:
    placed = Layout(SCREEN).place(root, SCREEN.whole)
    found = find([Window("com.example.notes", placed, SCREEN.whole)], x, y)
    assert found is not None
    return found


def handler(root: Node, x: float, y: float) -> Node | None:
    return hit(root, x, y).handler()


def nothing() -> None:
    pass


def test_the_innermost_node_that_reacts_gets_the_touch() -> None:
    button = Node(height=40, width=100, on_tap=nothing)
    row = Node(height=80, on_tap=nothing, children=[button])
    root = Node(children=[row])
    assert handler(root, 50, 20) is button
    assert handler(root, 50, 60) is row
    assert handler(root, 50, 400) is None


def test_a_covered_node_gets_nothing() -> None:
    below = Node(on_tap=nothing, children=[Node(text="below")])
    cover = Node(children=[Node(height=50)], style=Style(background="#ffffff"))
    root = Node(arrange=Arrange.STACK, children=[below, cover])
    assert handler(root, 200, 400) is None


def test_a_touch_falls_through_what_is_transparent() -> None:
    below = Node(on_tap=nothing, children=[Node(text="below")])
    floating = Node(width=56, height=56, on_tap=nothing)
    overlay = Node(align=Align.END, children=[floating])
    root = Node(arrange=Arrange.STACK, children=[below, overlay])
    assert handler(root, 20, 400) is below
    assert handler(root, 380, 780) is floating


def test_a_disabled_node_swallows_the_touch() -> None:
    button = Node(height=40, enabled=False, on_tap=nothing)
    root = Node(on_tap=nothing, children=[button])
    assert handler(root, 200, 20) is button


def test_what_is_scrolled_away_cannot_be_hit() -> None:
    rows = [Node(height=100, on_tap=nothing) for _ in range(10)]
    listing = Node(height=300, scroll=ScrollPosition(offset=250), children=rows)
    root = Node(children=[listing])
    assert handler(root, 200, 10) is rows[2]
    assert handler(root, 200, 350) is None


def test_an_inner_list_hands_what_is_left_of_a_drag_to_its_parent() -> None:
    inner = Node(height=200, scroll=ScrollPosition(), children=[Node(height=300)])
    outer = Node(scroll=ScrollPosition(), children=[inner, Node(height=2000)])
    touched = hit(outer, 200, 100)
    assert drag(touched, 0, -150)
    assert inner.scroll is not None
    assert outer.scroll is not None
    assert (inner.scroll.offset, outer.scroll.offset) == (100, 50)


def test_a_sideways_drag_moves_only_sideways_lists() -> None:
    chips = Node(
        arrange=Arrange.ROW,
        height=50,
        scroll=ScrollPosition(),
        sideways=True,
        children=[Node(width=300) for _ in range(3)],
    )
    outer = Node(scroll=ScrollPosition(), children=[chips, Node(height=2000)])
    drag(hit(outer, 200, 20), -120, 10)
    assert chips.scroll is not None
    assert outer.scroll is not None
    assert (chips.scroll.offset, outer.scroll.offset) == (120, 0)


def test_outside_there_is_no_path() -> None:
    placed = Layout(SCREEN).place(Node(), SCREEN.whole)
    assert path_at(placed, 400, 10) == ()


def test_a_list_follows_the_finger_one_to_one(notes: Phone) -> None:
    before = bounds(notes.find("Row 6")).top
    notes.manager.swipe(540, 1500, 540, 1300, 300)
    assert bounds(notes.find("Row 6")).top == before - 200


def test_a_long_touch_is_not_a_tap(notes: Phone) -> None:
    x, y = bounds(notes.find("Row 2")).centre
    notes.manager.hold(x, y, 800)
    notes.manager.swipe(x, y, x, y, 900)
    notes.manager.hold(x, y, 100)
    assert notes.app().state["taps"] == ["held 2", "held 2", "row 2"]


def test_a_long_touch_on_what_knows_only_taps_taps(notes: Phone) -> None:
    notes.manager.hold(*bounds(notes.find("Save")).centre, 900)
    assert notes.app().state["taps"] == ["save"]


def test_a_disabled_button_does_nothing(notes: Phone) -> None:
    notes.tap("Off")
    assert notes.app().state["taps"] == []
