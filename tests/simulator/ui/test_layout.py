from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.records import Bounds
from assistant.simulator.ui.layout import Layout, Placed, capped, shared
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Align, Arrange, Node, ScrollPosition, Style, TextField

SCREEN = Screen(1080, 2400, 2.625)
ONE = Screen(400, 800, 1.0)


def place(node: Node, screen: Screen = ONE) -> Placed:
    return Layout(screen).place(node, screen.whole)


def box(*, width: float | None = None, height: float | None = None, weight: float = 0.0) -> Node:
    return Node(width=width, height=height, weight=weight)


leaves = st.builds(
    Node,
    widget=st.sampled_from(["android.widget.TextView", "android.widget.Button", "android.widget.Switch"]),
    text=st.sampled_from(
        ["", "OK", "Two words", "中文的一行文字", "a much longer line that has to be wrapped " * 3]
    ),
    width=st.none() | st.floats(0, 600),
    height=st.none() | st.floats(0, 300),
    weight=st.sampled_from([0.0, 0.0, 1.0, 2.5]),
    padding=st.sampled_from([0.0, 4.0, 12.0]),
    style=st.builds(Style, icon=st.sampled_from(["", "search"]), picture=st.sampled_from(["", "map"])),
)


def containers(children: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(
        Node,
        children=st.lists(children, max_size=5),
        arrange=st.sampled_from(Arrange),
        align=st.sampled_from(Align),
        columns=st.integers(1, 5),
        height=st.none() | st.floats(0, 900),
        weight=st.sampled_from([0.0, 1.0]),
        padding=st.sampled_from([0.0, 10.0]),
        gap=st.sampled_from([0.0, 6.0]),
        scroll=st.none() | st.builds(ScrollPosition, offset=st.floats(0, 5000)),
        sideways=st.booleans(),
    )


trees = st.recursive(leaves, containers, max_leaves=20)


def inside(inner: Bounds, outer: Bounds) -> bool:
    return (
        outer.left <= inner.left
        and outer.top <= inner.top
        and inner.right <= outer.right
        and inner.bottom <= outer.bottom
    )


@given(trees)
def test_nothing_is_seen_outside_its_parent(tree: Node) -> None:
    for placed in place(tree, SCREEN).walk():
        for child in placed.children:
            assert not child.seen.area or inside(child.seen, placed.seen)
            assert child.node.bounds == child.seen


@given(trees)
def test_children_of_rows_and_columns_do_not_overlap(tree: Node) -> None:
    for placed in place(tree, SCREEN).walk():
        boxes = [child.box for child in placed.children]
        for before, after in pairwise(boxes):
            if placed.node.arrange is Arrange.COLUMN:
                assert before.bottom <= after.top
            if placed.node.arrange is Arrange.ROW:
                assert before.right <= after.left


@given(trees)
def test_scrolling_stays_within_its_limits(tree: Node) -> None:
    for placed in place(tree, SCREEN).walk():
        scroll = placed.node.scroll
        assert scroll is None or 0 <= scroll.offset <= scroll.limit


@given(st.lists(st.integers(0, 500), min_size=1), st.integers(0, 2000))
def test_capped_lengths_fit(lengths: list[int], total: int) -> None:
    result = capped(lengths, total)
    assert sum(result) <= max(total, 0)
    assert all(short <= long for short, long in zip(result, lengths, strict=True))
    if sum(lengths) <= total:
        assert result == lengths


@given(st.integers(0, 3000), st.lists(st.floats(0.1, 9), min_size=1, max_size=8))
def test_shares_add_up(total: int, weights: list[float]) -> None:
    assert sum(shared(total, weights)) == total


def test_a_columns_children_fill_its_width_and_follow_each_other() -> None:
    placed = place(Node(padding=10, gap=5, children=[box(height=50), box(height=70, width=100)]))
    assert placed.children[0].box == Bounds(10, 10, 390, 60)
    assert placed.children[1].box == Bounds(10, 65, 110, 135)


def test_weight_shares_what_is_left() -> None:
    placed = place(Node(children=[box(height=100), box(weight=1), box(weight=3)]))
    assert [child.box.height for child in placed.children] == [100, 175, 525]


def test_a_row_gives_weighted_children_the_rest_and_centres_across() -> None:
    row = Node(
        arrange=Arrange.ROW,
        align=Align.CENTER,
        height=60,
        children=[box(width=40, height=20), box(weight=1, height=60)],
    )
    icon, rest = place(Node(children=[row])).children[0].children
    assert icon.box == Bounds(0, 20, 40, 40)
    assert rest.box == Bounds(40, 0, 400, 60)


def test_long_text_in_a_row_gives_way_to_what_follows_it() -> None:
    row = Node(arrange=Arrange.ROW, children=[Node(text="long " * 60), box(width=48, height=48)])
    words, icon = place(Node(children=[row])).children[0].children
    assert icon.box.width == 48
    assert words.box.right == icon.box.left


def test_text_wraps_to_the_most_lines_allowed() -> None:
    node = Node(
        text="one two three four five six seven eight nine ten eleven twelve",
        width=120,
        style=Style(max_lines=3),
    )
    words = place(Node(children=[node])).children[0]
    assert len(words.lines) == 3
    assert words.lines[-1].endswith("...")


def test_a_list_scrolls_and_clips() -> None:
    scroll = ScrollPosition(offset=120)
    rows = [box(height=100) for _ in range(20)]
    listing = Node(weight=1, scroll=scroll, children=rows)
    placed = place(Node(children=[box(height=200), listing])).children[1]
    assert placed.box == Bounds(0, 200, 400, 800)
    assert scroll.limit == 1400
    assert placed.children[0].seen.area == 0
    assert placed.children[1].seen == Bounds(0, 200, 400, 280)


def test_a_list_without_weight_shrinks_before_what_follows_it() -> None:
    listing = Node(scroll=ScrollPosition(), children=[box(height=100) for _ in range(20)])
    placed = place(Node(children=[listing, box(height=60)]))
    assert placed.children[0].box.height == 740
    assert placed.children[1].box == Bounds(0, 740, 400, 800)


def test_a_grid_has_equal_cells() -> None:
    grid = Node(arrange=Arrange.GRID, columns=3, gap=10, children=[box(height=h) for h in (40, 60, 50, 30)])
    cells = [child.box for child in place(Node(children=[grid])).children[0].children]
    assert cells[:3] == [Bounds(0, 0, 126, 60), Bounds(136, 0, 262, 60), Bounds(272, 0, 398, 60)]
    assert cells[3] == Bounds(0, 70, 126, 100)


def test_a_stack_lets_pages_fill_and_small_things_sit_where_it_says() -> None:
    page = Node(children=[box(height=10)])
    stack = Node(arrange=Arrange.STACK, align=Align.END, weight=1, children=[page, box(width=56, height=56)])
    filled, button = place(Node(children=[stack])).children[0].children
    assert filled.box == Bounds(0, 0, 400, 800)
    assert button.box == Bounds(344, 744, 400, 800)


def test_sideways_lists_keep_their_childrens_widths() -> None:
    scroll = ScrollPosition()
    chips = Node(
        arrange=Arrange.ROW,
        scroll=scroll,
        sideways=True,
        gap=10,
        height=40,
        children=[box(width=150, height=40) for _ in range(4)],
    )
    placed = place(Node(children=[chips])).children[0]
    assert [child.box.width for child in placed.children] == [150] * 4
    assert scroll.limit == 230


def test_sizes_follow_the_density() -> None:
    node = Node(children=[Node(field=TextField(), height=48)])
    assert place(node, SCREEN).children[0].box.height == 126
