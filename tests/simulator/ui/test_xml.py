from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from assistant.records import Bounds
from assistant.simulator.ui.layout import Layout
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Node, Style, TextField
from assistant.simulator.ui.window import Window
from assistant.simulator.ui.xml import dump
from tests.simulator.ui.tiny import NOTES, Phone, make_phone

NAMES = [
    "index",
    "text",
    "resource-id",
    "class",
    "package",
    "content-desc",
    "checkable",
    "checked",
    "clickable",
    "enabled",
    "focusable",
    "focused",
    "scrollable",
    "long-clickable",
    "password",
    "selected",
    "bounds",
]
SCREEN = Screen(400, 800, 1.0)


def dumped(root: Node, level: int = 31) -> str:
    placed = Layout(SCREEN).place(root, SCREEN.whole)
    return dump(Window("com.example.notes", placed, SCREEN.whole), 0, None, level).decode()


def first(root: Node, level: int = 31) -> ElementTree.Element:
    node = ElementTree.fromstring(dumped(root, level)).find("node")
    assert node is not None
    return node


def test_one_line_with_the_attributes_in_androids_order(notes: Phone) -> None:
    document = notes.manager.dump().decode()
    assert document.startswith(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node index=\"0\""
    )
    assert "\n" not in document
    for node in re.findall(r"<node ([^>]*)>", document):
        names = re.findall(r'([\w-]+)="', node)
        assert [name for name in names if name != "NAF"] == NAMES
        assert "NAF" not in names or names[0] == "NAF"


def test_android_16_adds_drawing_order_and_hint() -> None:
    node = first(Node(field=TextField(hint="Search in mail")), level=36)
    assert list(node.attrib)[-2:] == ["drawing-order", "hint"]
    assert node.get("hint") == "Search in mail"


@given(st.text())
def test_any_text_gives_well_formed_xml(text: str) -> None:
    node = first(Node(text=text, description=text, id=text))
    if text.isprintable():
        assert node.get("text") == text


def test_a_wordless_button_is_marked_naf(notes: Phone) -> None:
    assert notes.find("star").get("NAF") == "true"
    assert notes.find("save").get("NAF") is None


def test_a_row_with_words_inside_is_not_naf() -> None:
    assert first(Node(on_tap=print, children=[Node(text="words")])).get("NAF") is None


def test_bounds_are_clipped_and_what_is_out_of_sight_is_left_out(notes: Phone) -> None:
    nodes = notes.nodes()
    rows = [node for node in nodes if node.get("resource-id") == f"{NOTES}:id/row"]
    assert 5 < len(rows) < 40
    listing = notes.find("list")
    assert listing.get("scrollable") == "true"
    bottom = re.findall(r"\d+", listing.get("bounds", ""))[3]
    assert re.findall(r"\d+", rows[-1].get("bounds", ""))[3] == bottom
    assert "Row 39" not in notes.texts()


def test_an_empty_field_shows_its_hint_and_a_password_bullets() -> None:
    assert first(Node(field=TextField(hint="Name"))).get("text") == "Name"
    secret = first(Node(field=TextField("abc", password=True)))
    assert secret.get("text") == "•••"
    assert secret.get("password") == "true"


def test_marks_tell_their_state() -> None:
    node = first(
        Node(widget="android.widget.Switch", checked=True, selected=True, enabled=False, on_tap=print)
    )
    assert [node.get(name) for name in ("checkable", "checked", "selected", "enabled", "clickable")] == [
        "true",
        "true",
        "true",
        "false",
        "true",
    ]


def test_ids_get_the_windows_package_unless_they_name_one() -> None:
    assert first(Node(id="title")).get("resource-id") == "com.example.notes:id/title"
    assert first(Node(id="android:id/button1")).get("resource-id") == "android:id/button1"
    assert first(Node(style=Style())).get("resource-id") == ""


def test_the_app_window_has_androids_decor(notes: Phone) -> None:
    root, content, page = notes.nodes()[:3]
    assert root.get("bounds") == "[0,0][1080,2400]"
    assert content.get("resource-id") == "android:id/content"
    assert page.get("resource-id") == f"{NOTES}:id/content"
    assert Bounds(0, 79, 1080, 2274) == Bounds(*map(int, re.findall(r"\d+", page.get("bounds", ""))))


def test_rotation_is_in_the_header() -> None:
    phone = make_phone()
    phone.services.set_setting("user_rotation", "1")
    assert b'<hierarchy rotation="1">' in phone.manager.dump()


def test_every_window_is_listed_from_the_top(notes: Phone) -> None:
    notes.tap("title")
    root = ElementTree.fromstring(notes.manager.dump(every=True))
    windows = root.findall("display[@id='0']/window")
    assert [window.get("type") for window in windows] == [
        "TYPE_SYSTEM",
        "TYPE_INPUT_METHOD",
        "TYPE_APPLICATION",
    ]
    assert [window.get("layer") for window in windows] == ["2", "1", "0"]
    assert [window.get("focused") for window in windows] == ["false", "false", "true"]
    [active] = windows[-1].findall("hierarchy/node")
    assert ElementTree.tostring(active) == ElementTree.tostring(notes.nodes()[0])
