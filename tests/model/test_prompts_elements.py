from __future__ import annotations

from assistant.model.prompts import LIMIT, listed
from assistant.records import Element, Observation
from tests.model.screens import element, screen


def labels(observation: Observation) -> list[str]:
    return [row.label for row in listed(observation)[0]]


def test_a_row_is_called_by_its_texts_which_are_not_listed_again() -> None:
    seen = screen(
        element(0, -1, "FrameLayout", (0, 0, 1080, 2400)),
        element(1, 0, "LinearLayout", (0, 0, 1080, 200), clickable=True, resource_id="a:id/row"),
        element(2, 1, "TextView", (0, 0, 500, 100), text="Alice"),
        element(3, 1, "TextView", (0, 100, 500, 200), text="See you"),
        element(4, 1, "ImageButton", (900, 0, 1080, 200), description="Call", clickable=True),
        element(5, 0, "TextView", (0, 300, 500, 400), text="Older"),
    )

    assert labels(seen) == ["Alice · See you · Call", "Call", "Older"]
    assert [row.kind for row in listed(seen)[0]] == ["item", "button", "text"]


def test_texts_inside_a_whole_tappable_page_are_listed() -> None:
    texts = [
        element(number, 0, "TextView", (0, number, 900, number + 1), text="word " * 10)
        for number in range(1, 9)
    ]
    seen = screen(element(0, -1, "FrameLayout", (0, 0, 1080, 2400), clickable=True), *texts)

    assert labels(seen) == ["", *["word " * 10] * 8]


def test_what_cannot_be_seen_or_used_is_left_out() -> None:
    seen = screen(
        element(0, -1, "FrameLayout", (0, 0, 1080, 2400)),
        element(1, 0, "View", (0, 0, 1080, 5), resource_id="a:id/divider"),
        element(2, 0, "Button", (0, 2400, 1080, 2600), text="Below", clickable=True),
        element(3, 0, "Button", (10, 10, 10, 10), text="Nothing", clickable=True),
        element(4, 0, "ImageView", (0, 0, 50, 50), resource_id="a:id/icon_more", clickable=True),
    )

    assert labels(seen) == ["icon more"]


def test_the_centre_is_that_of_the_visible_part() -> None:
    row = listed(screen(element(0, -1, "Button", (0, 2200, 1080, 2800), text="Pay", clickable=True)))[0][0]

    assert row.centre == (0.5, 2300 / 2400)


def test_fields_tell_text_hint_and_focus() -> None:
    seen = screen(
        element(
            0, -1, "EditText", (0, 0, 100, 100), text="noodles", hint="Search", clickable=True, focused=True
        ),
        element(1, -1, "EditText", (0, 100, 100, 200), hint="Search"),
    )

    rows = listed(seen)[0]

    assert [(row.kind, row.label, row.hint) for row in rows] == [
        ("field", "noodles", "Search"),
        ("field", "", "Search"),
    ]
    assert rows[0].flags == ("clickable", "editable", "focused")


def test_what_stands_in_a_password_field_is_not_told() -> None:
    row = listed(screen(element(0, -1, "EditText", (0, 0, 9, 9), text="hunter2", hint="PIN", password=True)))[
        0
    ][0]

    assert (row.label, row.hint) == ("", "PIN")
    assert "password" in row.flags


def test_states_are_told() -> None:
    seen = screen(
        element(0, -1, "Switch", (0, 0, 9, 9), text="Wi-Fi", checkable=True, checked=True),
        element(1, -1, "CheckBox", (0, 0, 9, 9), text="Egg", checkable=True, enabled=False),
        element(2, -1, "RecyclerView", (0, 0, 9, 9), scrollable=True),
    )

    assert [row.flags for row in listed(seen)[0]] == [
        ("checked",),
        ("unchecked", "disabled"),
        ("scrollable",),
    ]


def test_of_too_many_those_that_can_be_used_come_first() -> None:
    texts: list[Element] = [
        element(i, -1, "TextView", (0, i, 99, i + 1), text=f"text {i}") for i in range(LIMIT)
    ]
    buttons = [
        element(LIMIT + i, -1, "Button", (0, i, 99, i + 1), text=f"b{i}", clickable=True) for i in range(20)
    ]

    rows, left = listed(screen(*texts, *buttons))

    assert len(rows) == LIMIT
    assert left == 20
    assert [row.label for row in rows[-20:]] == [f"b{i}" for i in range(20)]
    assert [row.label for row in rows[:-20]] == [f"text {i}" for i in range(LIMIT - 20)]
