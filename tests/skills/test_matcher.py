from __future__ import annotations

import json
import re

import pytest

from assistant.cli.account import match_lines
from assistant.records import PICTURE_TEXT, Bounds, Element, ForegroundApp, Point, Target
from assistant.skills.matcher import Certainty, RefusalReason, TargetRefused, find_again
from assistant.skills.screen_tree import ScreenTree, screen_key
from assistant.skills.step_action import find_named
from tests.growth import growth
from tests.skills.screens import dialog, listing, node, row, tree
from tests.tables import each

RICE, SOUP, TEA = (row(place, name) for place, name in enumerate(("Rice", "Soup", "Tea")))
MENU = listing(RICE, SOUP, TEA)
ON_SOUP, ADD_SOUP, CART = Point(0.3, 0.25), Point(0.85, 0.25), Point(0.9, 0.05)


@each(
    ("point", "now", "expected"),
    [
        (ON_SOUP, MENU, (300, 500)),
        (ON_SOUP, listing(row(0, "Eggs"), row(1, "Rice"), row(2, "Soup"), row(3, "Tea")), (300, 700)),
        (ADD_SOUP, listing(row(0, "Eggs"), row(1, "Rice"), row(2, "Soup"), row(3, "Tea")), (850, 700)),
        (ADD_SOUP, listing(row(0, "Soup"), row(1, "Rice"), row(2, "Tea")), (850, 300)),
        (ADD_SOUP, listing(RICE, row(1, "Soup", "¥ 12"), TEA), (850, 500)),
        (CART, listing(row(0, "Wine"), row(1, "Beer"), title="Menu"), (900, 100)),
    ],
)
def test_a_target_is_found_where_it_is_now(point: Point, now: str, expected: tuple[int, int]) -> None:
    found = find_again(tree(MENU), point, tree(now)).point
    assert (round(found.x * 1000), round(found.y * 2000)) == expected


@each(
    ("point", "now", "reason"),
    [
        (ADD_SOUP, listing(RICE, TEA), RefusalReason.ABSENT),
        (ADD_SOUP, listing(RICE, row(1, "Soup"), row(2, "Soup"), TEA), RefusalReason.AMBIGUOUS),
        (ADD_SOUP, listing(RICE, SOUP, TEA, over=dialog("Rate us?")), RefusalReason.COVERED),
        (ADD_SOUP, listing(row(0, "Wine"), row(1, "Beer"), row(2, "Gin")), RefusalReason.AMBIGUOUS),
        (ADD_SOUP, MENU.replace('enabled="true"', 'enabled="false"'), RefusalReason.DISABLED),
        (Point(0.99, 0.999), "<hierarchy/>", RefusalReason.ABSENT),
    ],
)
def test_what_is_not_clearly_the_target_is_refused(point: Point, now: str, reason: RefusalReason) -> None:
    with pytest.raises(TargetRefused) as refused:
        find_again(tree(MENU), point, tree(now))
    assert refused.value.reason is reason


def letter(*rows: str, name: str = "subject") -> str:
    """A page for writing: two fields without words, and what is suggested between them."""
    fields = (
        node("EditText", (0, 300, 1000, 400), name="to", tap=True),
        *rows,
        node("EditText", (0, 1400, 1000, 1500), name=name, tap=True),
        node("EditText", (0, 1600, 1000, 1900), name="body", tap=True),
    )
    return listing(*fields, title="New mail")


def test_a_field_of_its_own_id_is_the_target_whatever_rows_come_above_it() -> None:
    people = [row(2 + place, name, f"{name}@mail.example") for place, name in enumerate(("Zhang", "Qian"))]
    point = Point(0.5, 0.725)
    assert find_again(tree(letter()), point, tree(letter(*people))).certainty is Certainty.SAME_WORDS
    for other in (letter(*people, name="search"), listing(*people, title="Inbox")):
        with pytest.raises(TargetRefused):
            find_again(tree(letter()), point, tree(other))


def test_the_same_tree_in_another_app_is_no_target() -> None:
    bare = re.sub(r'resource-id="[^"]*"', 'resource-id=""', MENU)
    assert find_again(tree(bare), ADD_SOUP, tree(bare)).certainty is Certainty.EXACT
    with pytest.raises(TargetRefused) as refused:
        find_again(tree(bare), ADD_SOUP, tree(bare.replace("com.shop", "com.evil")))
    assert refused.value.reason is RefusalReason.OTHER_APP


def test_a_tap_below_the_entries_of_a_list_is_no_target() -> None:
    with pytest.raises(TargetRefused) as refused:
        find_again(tree(MENU), Point(0.5, 0.9), tree(MENU))
    assert refused.value.reason is RefusalReason.UNSEEN


def test_another_entry_at_the_place_of_the_target_is_refused() -> None:
    renamed = listing(RICE, row(1, "Broth", "big"), TEA)
    assert find_again(tree(MENU), ON_SOUP, tree(MENU)).certainty is Certainty.EXACT
    for menu, now in ((MENU, renamed), (listing(SOUP), listing(row(1, "Broth")))):
        with pytest.raises(TargetRefused) as refused:
            find_again(tree(menu), ON_SOUP, tree(now))
        assert refused.value.reason is RefusalReason.RENAMED


def shop(*products: str) -> ScreenTree:
    """Products as Flutter shows them: a view for each that says all of it, with a button to buy it."""

    def entry(place: int, product: str) -> str:
        top = 200 + 200 * place
        button = node("Button", (700, top + 40, 950, top + 160), text="Buy", tap=True)
        return node("View", (0, top, 1000, top + 200), button, text=product)

    rows = (entry(place, product) for place, product in enumerate(products))
    listed = node("View", (0, 200, 1000, 2000), *rows)
    return tree(f'<hierarchy rotation="0">{node("View", (0, 0, 1000, 2000), listed)}</hierarchy>')


BUY_TEA, PRODUCTS = Point(0.8, 0.25), ("Rice, 10 coins", "Tea, 10 coins", "Cake, 15 coins", "Cake, 15 coins")


@each(
    ("now", "y"),
    [
        (PRODUCTS, 0.25),
        (("Rice, 10 coins", "Tea, 12 coins", *PRODUCTS[2:]), 0.25),
        (PRODUCTS[1:], 0.15),
        (("Milk, 5 coins", *PRODUCTS), 0.35),
        (PRODUCTS[:3], 0.25),
        (PRODUCTS[:1] + PRODUCTS[2:], None),
        (("Rice, 10 coins", "Gin, 40 coins", *PRODUCTS[2:]), None),
        (("Rice, 10 coins", "Tea, 10 coins", "Tea, 10 coins"), None),
    ],
)
def test_of_like_buttons_only_that_of_the_same_entry_is_the_target(
    now: tuple[str, ...], y: float | None
) -> None:
    try:
        place = find_again(shop(*PRODUCTS), BUY_TEA, shop(*now)).point.y
    except TargetRefused:
        place = None
    assert place == (pytest.approx(y) if y is not None else None)


def test_a_button_that_says_little_belongs_to_the_words_of_its_page() -> None:
    def asks(question: str, text: str) -> ScreenTree:
        parts = (
            node("TextView", (0, 200, 1000, 300), text=question),
            node("TextView", (0, 300, 1000, 1000), text=text),
            node("Button", (0, 1800, 500, 2000), text="OK", name="button1", tap=True),
            node("Button", (500, 1800, 1000, 2000), text="Cancel", name="button2", tap=True),
        )
        return tree(f'<hierarchy rotation="0">{node("FrameLayout", (0, 0, 1000, 2000), *parts)}</hierarchy>')

    saved = asks("Save the file?", "It goes to your documents")
    assert find_again(saved, Point(0.25, 0.95), saved).certainty is Certainty.EXACT
    with pytest.raises(TargetRefused):
        find_again(saved, Point(0.25, 0.95), asks("Close account?", "All photos vanish for good"))


def test_another_text_in_the_same_place_is_told_from_the_target_itself() -> None:
    def bar(middle: str) -> ScreenTree:
        tabs = ("Home", middle, "Me")
        buttons = (
            node("Button", (300 * n, 1800, 300 * n + 300, 2000), text=tab, tap=True)
            for n, tab in enumerate(tabs)
        )
        return tree(listing(RICE, over=node("LinearLayout", (0, 1800, 1000, 2000), *buttons)))

    match = find_again(bar("Search"), Point(0.45, 0.95), bar("Discover"))
    assert match.certainty is Certainty.PLACE
    assert not match.is_repeated


def test_a_bar_that_lies_over_a_part_of_the_target_may_change_its_words() -> None:
    def covered(price: str, top: int = 520) -> ScreenTree:
        bar = node("TextView", (0, top, 1000, top + 80), text=price, name="total", tap=True)
        return tree(listing(RICE, SOUP, TEA, over=bar))

    top_of_soup = Point(0.3, 0.22)
    point = find_again(covered("¥ 10"), top_of_soup, covered("¥ 20")).point
    assert round(point.y * 2000) == 440
    with pytest.raises(TargetRefused):
        find_again(covered("¥ 10"), top_of_soup, covered("¥ 20", top=400))


def wide(text: str, place: tuple[int, int, int, int], *inside: str, tap: bool = False) -> str:
    return node("View", place, *inside, text=text, tap=tap)


@pytest.mark.parametrize(("reacts", "is_found"), [(False, True), (True, False)])
def test_a_target_below_what_stood_there_before_is_touched_only_if_that_lets_taps_through(
    reacts: bool, is_found: bool
) -> None:
    def screen(top: int) -> ScreenTree:
        back = wide("Back", (0, top, 200, top + 100), tap=True)
        pane = wide("", (0, 200, 1000, 2000), node("TextView", (0, 200, 900, 300), text="Page 3"), tap=reacts)
        return tree(listing(back, pane))

    if not is_found:
        with pytest.raises(TargetRefused):
            find_again(screen(50), Point(0.1, 0.05), screen(400))
        return
    match = find_again(screen(50), Point(0.1, 0.05), screen(400))
    assert match.element.text == "Back"
    assert 400 <= match.point.y * 2000 < 500


def test_a_button_over_the_target_is_not_hit_though_another_of_its_class_lay_there() -> None:
    def screen(*over: str) -> ScreenTree:
        field = node("EditText", (0, 400, 1000, 600))
        return tree(listing(field, *over, title="Notes"))

    hint = wide("", (0, 400, 1000, 600))
    adds = wide("Add page", (300, 400, 700, 600), tap=True)
    match = find_again(screen(hint), Point(0.5, 0.25), screen(hint, adds))
    assert not 0.3 <= match.point.x < 0.7


def test_a_wrapper_that_says_what_its_button_says_leaves_the_button_certain() -> None:
    def screen(*others: str) -> ScreenTree:
        said = '<node class="android.view.View" content-desc="Add picture" bounds="[0,1800][500,1900]"'
        button = f'{said} clickable="true" enabled="true">{said} enabled="true"/></node>'
        return tree(listing(*(row(place, name) for place, name in enumerate(others)), button))

    match = find_again(screen("Rice", "Soup"), Point(0.2, 0.925), screen("Wine", "Beer"))
    assert match.certainty is not Certainty.PLACE
    assert match.element.clickable


@each(
    ("text", "point"), [("Walk", 0.1), ("Walk 12 min", 0.1), ("Drive", 0.4), ("Wal", None), ("12 min", None)]
)
def test_a_written_word_names_a_button_that_says_a_measure_besides(text: str, point: float | None) -> None:
    chips = [
        node("Button", (300 * place, 300, 300 * place + 200, 400), text=label, name="chip", tap=True)
        for place, label in enumerate(("Walk 12 min", "Drive 4 min", "Ferry"))
    ]
    target = Target(resource_id="com.shop:id/chip", text=text)
    if point is None:
        with pytest.raises(TargetRefused):
            find_named(tree(listing(*chips)), target, text)
    else:
        assert find_named(tree(listing(*chips)), target, text).point.x == point


def test_ok_in_a_dialog_about_something_else_is_refused() -> None:
    recorded, now = (tree(listing(over=dialog(q))) for q in ("Discard the draft?", "Pay now with PayBox?"))
    on_ok = Point(0.7, 0.33)
    assert find_again(recorded, on_ok, recorded).element.text == "OK"
    with pytest.raises(TargetRefused) as refused:
        find_again(recorded, on_ok, now)
    assert refused.value.reason is RefusalReason.OTHER_SUBJECT


def test_a_button_that_does_the_opposite_is_refused() -> None:
    def page(word: str) -> str:
        return listing(over=node("Button", (0, 1800, 1000, 2000), text=word, name="switch", tap=True))

    with pytest.raises(TargetRefused) as refused:
        find_again(tree(page("Turn on Wi-Fi")), Point(0.5, 0.95), tree(page("Turn off Wi-Fi")))
    assert refused.value.reason is RefusalReason.OPPOSITE


def buttons(*words: str, top: int = 1700) -> ScreenTree:
    """A page with two buttons below, each with an id of its own."""
    parts = [
        node(
            "Button",
            (place * 500, top, place * 500 + 500, top + 200),
            text=word,
            name=f"button{place}",
            tap=True,
        )
        for place, word in enumerate(words)
    ]
    return tree(listing(RICE, SOUP, TEA, over="".join(parts)))


@each(
    ("before", "after"),
    [
        (("Yes", "No"), ("No", "Yes")),
        (("Add to cart", "Back"), ("Pay ¥30 now", "Back")),
        (("Send ¥50", "Back"), ("Send ¥5000", "Back")),
        (("Call Tom", "Back"), ("Call Ann", "Back")),
        (("Archive", "Back"), ("Delete forever", "Back")),
    ],
)
def test_a_button_of_the_same_id_for_another_deed_is_refused(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    on_first = Point(0.25, 0.9)
    assert find_again(buttons(*before), on_first, buttons(*before)).certainty is Certainty.EXACT
    with pytest.raises(TargetRefused):
        find_again(buttons(*before), on_first, buttons(*after))


def test_a_row_is_not_taken_for_the_one_at_its_old_place_while_its_name_stands_elsewhere() -> None:
    chats, now = (
        listing(row(0, "Ann"), row(1, "Tom")),
        listing(row(0, "Ann"), row(1, "Tom, Ann"), row(2, "Tom")),
    )
    try:
        found = find_again(tree(chats), ON_SOUP, tree(now)).point
    except TargetRefused:
        return
    assert round(found.y * 2000) == 700


def test_the_second_of_two_equal_rows_is_not_told_from_a_new_one() -> None:
    with pytest.raises(TargetRefused) as refused:
        find_again(tree(MENU), Point(0.3, 0.35), tree(listing(RICE, row(1, "Tea"), row(2, "Tea"))))
    assert refused.value.reason is RefusalReason.AMBIGUOUS


def test_a_target_out_of_sight_is_absent() -> None:
    with pytest.raises(TargetRefused) as refused:
        find_again(buttons("Save", "Back"), Point(0.25, 0.9), buttons("Save", "Back", top=2100))
    assert refused.value.reason is RefusalReason.ABSENT


def with_icon(*below: str) -> ScreenTree:
    """A page with an icon that has neither words nor an id, and what stands below it."""
    icon = node("ImageButton", (800, 0, 1000, 200), tap=True)
    bar = node("FrameLayout", (0, 0, 1000, 200), icon, name="bar")
    return tree(f"<hierarchy>{node('FrameLayout', (0, 0, 1000, 2000), bar, *below)}</hierarchy>")


def form(*words: str, count: int = 8) -> list[str]:
    """Fields, each with an id of its own, and words above each other."""
    fields = [node("EditText", (0, 400 + 50 * n, 1000, 450 + 50 * n), name=f"field{n}") for n in range(count)]
    texts = [
        node("TextView", (0, 1000 + 50 * n, 1000, 1050 + 50 * n), text=word, name=f"text{n}")
        for n, word in enumerate(words)
    ]
    return [*fields, *texts]


def test_a_field_that_says_what_another_said_is_not_taken_for_it() -> None:
    def form(**fields: str) -> ScreenTree:
        return tree(listing(*(row(n, name, text) for n, (name, text) in enumerate(fields.items()))))

    on_to, recorded = Point(0.3, 0.25), form(From="Rome", To="Turin")
    assert find_again(recorded, on_to, form(From="Turin", To="Rome")).point == on_to
    with pytest.raises(TargetRefused):
        find_again(recorded, on_to, form(From="Turin"))


@pytest.mark.parametrize(
    "now",
    [
        with_icon(*form("Soup", "¥ 10", "Tea", "¥ 10", count=12)),
        with_icon(RICE, *form("Sender", "Subject", count=2)),
    ],
    ids=["of another structure", "of other words"],
)
def test_an_icon_on_another_page_is_refused(now: ScreenTree) -> None:
    recorded = with_icon(SOUP, TEA)
    on_icon = Point(0.9, 0.05)
    assert find_again(recorded, on_icon, recorded).element.class_name.endswith("ImageButton")
    with pytest.raises(TargetRefused) as refused:
        find_again(recorded, on_icon, now)
    assert refused.value.reason is RefusalReason.OTHER_PAGE


def test_a_target_that_is_half_scrolled_away_is_tapped_where_it_shows() -> None:
    def scrolled(top: int) -> ScreenTree:
        soup = node("TextView", (0, top, 1000, top + 200), text="Soup", name="soup", tap=True)
        return tree(listing(RICE, soup))

    point = find_again(scrolled(600), Point(0.5, 0.39), scrolled(1900)).point
    assert 1900 <= point.y * 2000 < 2000


def test_the_key_of_a_screen_survives_its_content_but_not_another_page() -> None:
    app = ForegroundApp("com.shop", ".Menu")
    menu, wine = (screen_key(tree(xml), app) for xml in (MENU, listing(row(0, "Wine"), title="酒")))
    assert menu.digest == wine.digest
    assert menu.is_like(wine)
    other = screen_key(tree(listing(over=dialog("Rate us?"))), app)
    assert not menu.is_like(other)
    assert not menu.is_like(screen_key(tree(MENU), ForegroundApp("com.shop", ".Cart")))


def test_lines_are_answered_in_order_and_a_bad_one_says_why() -> None:
    lines = [
        json.dumps({"recorded": MENU, "point": ADD_SOUP, "now": MENU}),
        json.dumps({"recorded": MENU, "point": ADD_SOUP, "now": listing(RICE, TEA)}),
        json.dumps({"recorded": MENU, "point": [3, 0.5], "now": MENU}),
        json.dumps({"recorded": "nonsense", "point": ADD_SOUP, "now": MENU}),
    ]
    answers = list(match_lines(lines))
    assert answers[0] == {"point": [0.85, 0.25]}
    assert list(answers[1]) == ["refused"]
    assert ["error" in answer for answer in answers] == [False, False, True, True]


def test_deep_and_wide_trees_are_answered() -> None:
    nested = '<node class="V" text="on" bounds="[0,0][9,9]">' * 2000
    deep = f"<hierarchy>{nested}{'</node>' * 2000}</hierarchy>"
    wide = listing(*(row(0, f"{place}") for place in range(300)))
    other = listing(*(row(0, f"other {place}") for place in range(300)))
    lines = [
        json.dumps({"recorded": deep, "point": [0.5, 0.5], "now": deep}),
        json.dumps({"recorded": wide, "point": [0.3, 0.15], "now": other}),
    ]
    assert [list(answer) for answer in match_lines(lines)] == [["point"], ["refused"]]


@pytest.mark.parametrize("shape", ["deep", "wide"])
def test_no_step_is_quadratic_in_a_large_tree(shape: str) -> None:
    """Half of the rows say something else now. Word by word with all others this took minutes."""

    def items(other: str, count: int) -> ScreenTree:
        return ScreenTree(
            tuple(
                Element(
                    n,
                    n - 1 if shape == "deep" else min(n, 1) - 1,
                    "View",
                    Bounds(0, 0, 1000, 2000 - 1000 * n // count)
                    if shape == "deep"
                    else Bounds(0, n * 2000 // count, 1000, n * 2000 // count + 9),
                    f"Item {n}" if n % 2 else f"{other} {n}",
                    clickable=True,
                )
                for n in range(count)
            ),
            (1000, 2000),
        )

    def find(count: int) -> None:
        recorded, now = items("Item", count), items("Row", count)
        touched = recorded.touched(Point(0.5, 0.3))
        match = find_again(recorded, Point(0.5, 0.3), now)
        assert touched is not None
        assert match.element.index == touched.index

    assert growth(find, 400, 1_600) < 9


class TestScreensThatTellNothing:
    """One view that draws everything itself, with or without what was read from its picture."""

    @staticmethod
    def drawn(*words: str) -> ScreenTree:
        view = Element(0, -1, "android.view.SurfaceView", Bounds(0, 0, 1000, 2000), clickable=True)
        lines = tuple(
            Element(n, -1, PICTURE_TEXT, Bounds(100, 300 * n, 900, 300 * n + 80), text, clickable=True)
            for n, text in enumerate(words, start=1)
        )
        return ScreenTree((view, *lines), (1000, 2000))

    def test_a_place_without_words_is_never_tapped_again(self) -> None:
        for words in ((), ("Play", "Shop")):
            with pytest.raises(TargetRefused) as refused:
                find_again(self.drawn(*words), Point(0.5, 0.9), self.drawn(*words))
            assert refused.value.reason is RefusalReason.UNSEEN

    def test_words_are_found_where_they_are_now(self) -> None:
        match = find_again(self.drawn("Play", "Shop"), Point(0.5, 0.17), self.drawn("News", "Shop", "Play"))
        assert match.element.text == "Play"

    @each("now", [("Pray", "Shop"), ("Shop",), (), ("Play", "Play", "Shop")])
    def test_other_words_in_their_place_or_none_or_twice_are_not(self, now: tuple[str, ...]) -> None:
        with pytest.raises(TargetRefused):
            find_again(self.drawn("Play", "Shop"), Point(0.5, 0.17), self.drawn(*now))
