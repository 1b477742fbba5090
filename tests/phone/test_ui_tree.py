"""The UI tree: real dumps, odd ones, hostile ones."""

from __future__ import annotations

import io
import time
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from assistant.phone.ui_tree import ShownPage, TreeFreshness, UiTree, UnreadableTree, parse_tree, screen_size
from assistant.records import Bounds, Element
from tests.tables import each

HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
REAL = (
    HEAD
    + '<hierarchy rotation="1"><node index="0" text="" resource-id="" class="android.widget.FrameLayout" '
    'package="com.photon.startup.app" content-desc="" checkable="false" checked="false" clickable="false" '
    'enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" '
    'password="false" selected="false" bounds="[0,0][1080,2194]"><node NAF="true" index="0" text="A &amp; B" '
    'resource-id="com.photon:id/go" class="android.widget.EditText" package="com.photon.startup.app" '
    'content-desc="Go" checkable="true" checked="true" clickable="true" enabled="false" focusable="true" '
    'focused="true" scrollable="true" long-clickable="true" password="true" selected="true" '
    'bounds="[-5,10][540,110]" drawing-order="1" hint="Search in mail" /></node>'
    '<node text="last" bounds="[0,0][1,1]"/></hierarchy>'
)


def parse(text: str) -> list[tuple[int, str]]:
    return [(e.parent, e.text) for e in parse_tree(text.encode()).elements]


def test_a_real_dump_with_its_closing_words() -> None:
    tree = parse_tree((REAL + "UI hierchary dumped to: /dev/tty\n").encode())
    frame, field, last = tree.elements
    assert tree.rotation == 1
    assert (frame.index, frame.parent, frame.bounds) == (0, -1, Bounds(0, 0, 1080, 2194))
    assert (field.index, field.parent, field.text, field.hint) == (1, 0, "A & B", "Search in mail")
    assert field.bounds == Bounds(-5, 10, 540, 110)
    assert field.description == "Go"
    assert field.resource_id == "com.photon:id/go"
    assert field.editable
    assert field.checkable
    assert field.checked
    assert field.clickable
    assert not field.enabled
    assert field.focused
    assert field.scrollable
    assert field.long_clickable
    assert field.password
    assert field.selected
    assert last.parent == -1


def test_words_before_the_tree() -> None:
    assert parse("UI hierchary dumped to: /data/x.xml\n" + REAL)[1] == (0, "A & B")


def test_single_quotes_and_unknown_attributes() -> None:
    assert parse("<hierarchy rotation='0'><node text='x' odd='1' bounds='broken'/></hierarchy>") == [
        (-1, "x")
    ]


def test_an_empty_hierarchy_is_a_tree() -> None:
    assert parse('<hierarchy rotation="0" />') == []


def test_windows_of_android_16_lie_on_each_other_top_last() -> None:
    text = (
        '<displays><display id="0"><window index="0" layer="2"><hierarchy rotation="0"><node text="top"/>'
        '</hierarchy></window><window index="1" layer="1"><hierarchy rotation="0"><node text="under">'
        '<node text="child"/></node></hierarchy></window></display><display id="7"><window><hierarchy>'
        '<node text="cast"/></hierarchy></window></display></displays>'
    )
    assert parse(text) == [(-1, "under"), (0, "child"), (-1, "top")]


def test_an_emoji_written_as_two_references() -> None:
    assert parse('<hierarchy><node text="&#55357;&#56842; &#128512;"/></hierarchy>') == [
        (-1, "\U0001f60a \U0001f600")
    ]


def test_forbidden_characters_do_not_lose_the_tree() -> None:
    assert parse('<hierarchy><node text="a\x01b&#0;c&#xD83D;&#99999999;"/></hierarchy>') == [
        (-1, "a\ufffdb\ufffdc\ufffd\ufffd")
    ]


@each(
    "text",
    [
        "",
        "ERROR: could not get idle state.",
        "<hierarchy><node>",
        "<hierarchy><node text='a'",
        "<?xml version='1.0'?><other/>",
        '<!DOCTYPE h [<!ENTITY a "b">]><hierarchy><node text="&a;"/></hierarchy>',
        "<hierarchy><node text='&a;'/></hierarchy>",
        '<?xml version="1.0"?><!DOCTYPE h SYSTEM "file:///etc/passwd"><hierarchy/>',
    ],
)
def test_what_is_no_tree(text: str) -> None:
    with pytest.raises(UnreadableTree):
        parse_tree(text.encode())


def test_spaces_cost_no_more_than_their_number() -> None:
    spaces = " " * 200_000
    odd = f'<node text="{spaces}" bounds="[0,0][1,1]" odd="1"/>'
    began = time.process_time()
    assert len(parse(f'<hierarchy><node text="a" bounds="[0,0][1,1]"/>{odd}{spaces}</hierarchy>')) == 2
    assert time.process_time() - began < 5


def test_depth_costs_nothing() -> None:
    deep = "<hierarchy>" + "<node text='x'>" * 20_000 + "</node>" * 20_000 + "</hierarchy>"
    elements = parse_tree(deep.encode()).elements
    assert len(elements) == 20_000
    assert elements[-1].parent == 19_998


XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")
)


@given(st.lists(XML_TEXT, max_size=5))
def test_texts_come_out_as_they_went_in(texts: list[str]) -> None:
    nodes = "".join(f"<node text={quoteattr(text)} />" for text in texts)
    assert [text for _, text in parse(f"{HEAD}<hierarchy>{nodes}</hierarchy>\n")] == texts


ATTRIBUTES = (
    *(
        "index",
        "text",
        "resource-id",
        "class",
        "package",
        "content-desc",
        "checkable",
        "checked",
        "clickable",
    ),
    *("enabled", "focusable", "focused", "scrollable", "long-clickable", "password", "selected", "bounds"),
)
VALUES = st.one_of(XML_TEXT, st.sampled_from(("true", "false", "a&b", "x\ny", "]]>", "&#10;")))
CORNERS = st.integers(-2000, 3000)


@st.composite
def uniform_nodes(draw: st.DrawFn, depth: int = 3) -> str:
    """A node as `uiautomator` writes it, with others inside."""
    left, top, right, bottom = (draw(CORNERS) for _ in range(4))
    values = {name: quoteattr(draw(VALUES)) for name in (*ATTRIBUTES[:-1], "hint")}
    values["bounds"] = f'"[{left},{top}][{right},{bottom}]"'
    naf = draw(st.sampled_from(("", ' NAF="true"')))
    names = (*ATTRIBUTES, "hint") if draw(st.booleans()) else ATTRIBUTES
    head = f"<node{naf}" + "".join(f" {name}={values[name]}" for name in names)
    inner = draw(st.lists(uniform_nodes(depth - 1), max_size=2)) if depth else []
    return f"{head}>{''.join(inner)}</node>" if inner else f"{head} />"


@given(st.lists(uniform_nodes(), max_size=2))
def test_the_fast_reader_reads_what_any_other_reads(nodes: list[str]) -> None:
    head, tail = f'{HEAD}<hierarchy rotation="1">', "".join(nodes) + "</hierarchy>"
    comment = "<!-- only a parser of any XML reads this -->"
    assert parse_tree((head + tail).encode()) == parse_tree((head + comment + tail).encode())


@given(st.binary(max_size=200))
def test_no_bytes_break_it(noise: bytes) -> None:
    for printed in (noise, b"<hierarchy>" + noise + b"</hierarchy>", REAL.encode()[: len(noise) * 4] + noise):
        try:
            parse_tree(printed)
        except UnreadableTree:
            continue


@given(st.text("<>/&;#'\"=hierarchynode xd0159[],\x00\ud800", max_size=80))
def test_no_near_xml_breaks_it(noise: str) -> None:
    try:
        parse_tree(f"<hierarchy>{noise}</hierarchy>".encode("utf-8", "surrogatepass"))
    except UnreadableTree:
        return


def test_what_lies_outside_of_a_window_of_a_known_size_does_not_enlarge_the_screen() -> None:
    below = '<node bounds="[0,2500][540,2680]"/>'
    tree = parse_tree(
        f'<hierarchy rotation="0"><node bounds="[0,0][1080,2400]">{below}</node></hierarchy>'.encode()
    )
    assert screen_size(tree) == (1080, 2400)


FIELD, BUTTON, TITLE = Bounds(40, 1800, 900, 1900), Bounds(200, 2000, 880, 2120), Bounds(40, 300, 400, 360)
KEYS = Bounds(0, 1500, 1080, 2300)


def picture(*dark: Bounds) -> bytes:
    """A white page of 1080 x 2400 with dark places."""
    image, out = Image.new("RGB", (1080, 2400), "white"), io.BytesIO()
    for place in dark:
        ImageDraw.Draw(image).rectangle((place.left, place.top, place.right - 1, place.bottom - 1), "black")
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def page(picture: bytes, *, title: str = "Cart 1", typed: str = "", keyboard: bool = False) -> ShownPage:
    """A page with a title, and a field and a button in the lower half."""
    elements = (
        Element(0, -1, "android.widget.TextView", TITLE, title),
        Element(1, -1, "android.widget.EditText", FIELD, typed, clickable=True),
        Element(2, -1, "android.widget.Button", BUTTON, "Save", clickable=True),
    )
    return ShownPage(picture, UiTree(elements), (1080, 2400), keyboard_shown=keyboard)


def is_old(*pages: ShownPage) -> bool:
    """Whether the tree of the last page may be of an earlier one, after the others were believed."""
    freshness = TreeFreshness()
    for earlier in pages[:-1]:
        freshness.note(earlier)
    return freshness.may_be_old(pages[-1])


def test_a_tree_like_the_one_before_is_old_where_the_picture_is_another() -> None:
    assert not is_old(page(picture(BUTTON)), page(picture(BUTTON)))
    assert is_old(page(picture(BUTTON)), page(picture(FIELD)))
    assert is_old(page(picture(BUTTON)), page(b""))
    assert not is_old(page(picture(BUTTON)), page(picture(FIELD), typed="another text"))


def test_other_digits_account_for_their_own_place_in_the_picture() -> None:
    before, after = picture(BUTTON), picture(BUTTON, TITLE)
    assert not is_old(page(before), page(after, title="Cart 2"))
    assert is_old(page(before), page(after)), "the tree tells nothing of it"
    assert is_old(page(before), page(picture(BUTTON, TITLE, FIELD), title="Cart 2")), "more has changed"


def test_a_keyboard_that_is_put_away_uncovers_what_was_there() -> None:
    before = page(picture(BUTTON))
    covered = page(picture(KEYS), typed="Mum", keyboard=True)
    assert not is_old(before, covered, page(picture(BUTTON, FIELD), typed="Mum")), "the field shows its text"
    assert is_old(before, covered, page(picture(BUTTON, TITLE), typed="Mum")), "the title is another"
    sheet = Bounds(0, 1600, 1080, 2300)
    assert is_old(before, covered, page(picture(sheet), typed="Mum")), "something took the keyboard's place"
    assert is_old(covered, page(picture(BUTTON), typed="Mum")), "nobody saw what is under it"
    still_up = page(picture(BUTTON), typed="Mum", keyboard=True)
    assert is_old(before, covered, still_up), "the phone says that it is up"


def test_a_page_made_smaller_for_a_keyboard_must_grow_again() -> None:
    def smaller(picture: bytes, *, keyboard: bool) -> ShownPage:
        title = Element(0, -1, "android.widget.TextView", TITLE, "Cart 1")
        return ShownPage(picture, UiTree((title,)), (1080, 2400), keyboard_shown=keyboard)

    assert is_old(
        page(picture(BUTTON)), smaller(picture(KEYS), keyboard=True), smaller(picture(BUTTON), keyboard=False)
    )


def test_a_tree_that_was_found_to_stay_is_not_doubted_again() -> None:
    freshness, film = TreeFreshness(), page(picture(FIELD))
    freshness.note(page(picture(BUTTON)))
    assert freshness.may_be_old(film)
    assert film.tree is not None
    freshness.accept(film.tree)
    assert not freshness.may_be_old(film)
