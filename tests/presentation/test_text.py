from __future__ import annotations

from assistant.i18n import counted
from assistant.presentation.text import (
    clip,
    format_duration,
    format_instruction,
    format_step,
    format_tokens,
    one_line,
    safe,
)
from assistant.records import Click, Point, Target
from tests.tables import each


@each(
    ("text", "shown"),
    [
        ("plain, ünïcode, 中文 👩‍👧", "plain, ünïcode, 中文 👩‍👧"),
        ("\x1b[1;31mred\x1b[m", "red"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("bell\x07 null\x00", "bell null"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("a\tb", "a    b"),
        ("\u202etxt.exe", "txt.exe"),
        ("\udc80", "\ufffd"),
    ],
)
def test_safe_removes_what_a_terminal_would_obey(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_one_line_joins_lines() -> None:
    assert one_line(" a\n\n b\tc ") == "a b c"


def test_clip_marks_the_cut() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert clip("abcd", 4) == "abcd"


def test_figures() -> None:
    assert [format_tokens(count) for count in (0, 999, 1234, 34_000)] == [
        "0 tok",
        "999 tok",
        "1.2k tok",
        "34k tok",
    ]
    assert [format_duration(time) for time in (0.3, 42.4, 125)] == ["0.3 s", "42 s", "2 min 5 s"]
    assert [counted(number, "step") for number in (1, 2)] == ["1 step", "2 steps"]


@each(
    ("target", "words"),
    [
        (Target(resource_id="app:id/fab"), "tap the large round button"),
        (Target(resource_id="app:id/btn_send"), "press send"),
        (Target(resource_id="app:id/abc_row"), "tap “abc row”"),
        (Target(resource_id="app:id/cart_icon"), "open the cart"),
        (Target(resource_id="app:id/decrease", around="Beef noodles"), "one less (Beef noodles)"),
        (Target(text="Later", around="Update available"), "dismiss “Update available”"),
        (Target(resource_id="app:id/iv_close", around="¥20 off"), "dismiss “¥20 off”"),
        (Target(text="Later"), "tap “Later”"),
        (Target(text="Search songs", class_name="android.widget.EditText"), "go to the field “Search songs”"),
        (Target(text="Home · Room 502, 16 Linden Road · ›"), "tap “Home”"),
        (Target(text="¥26 · Beef noodles"), "tap “Beef noodles”"),
        (Target(text="11"), "tap “11”"),
        (Target(text="Edit", around="Work days"), "tap “Edit” (Work days)"),
        (
            Target(text="11", class_name="android.widget.EditText", around="Hour"),
            "go to the field “Hour”",
        ),
        (None, "tap at 0.50, 0.25"),
    ],
)
def test_a_step_says_what_it_is_for_without_ids(target: Target | None, words: str) -> None:
    assert format_step(Click(point=Point(0.5, 0.25), target=target)) == words


@each(
    ("instruction", "shown"),
    [
        (
            "Order a latte on Eats, as asked: “my usual coffee but two”",
            "Order a latte on Eats, with your words",
        ),
        ("点一杯拿铁，原话是“来杯平时的，两份”", "点一杯拿铁, with your words"),
        ("Order a latte on Eats", "Order a latte on Eats"),
    ],
)
def test_the_users_own_words_behind_an_instruction_are_only_mentioned(instruction: str, shown: str) -> None:
    assert format_instruction(instruction) == shown
