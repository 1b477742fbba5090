"""The parts of the walks that need no terminal."""

from __future__ import annotations

import sys
from datetime import datetime

import pytest

from assistant import i18n
from assistant.i18n import Language
from tests.tables import each
from tools.walks import __main__ as command
from tools.walks.__main__ import plans
from tools.walks.journeys import JOURNEYS
from tools.walks.paper import drawn, paper, pressed, short, steady
from tools.walks.terminal import Size, size_of, tmux_key
from tools.walks.walk import Stage, flat, pattern

SIZE = Size(40, 4)


def stage(*lines: str, done: tuple[str, ...] = ()) -> Stage:
    return Stage("The end", done, 12.5, 3, lines, "\n".join(lines))


@each(
    ("key", "name"),
    [("ctrl+y", "C-y"), ("f8", "F8"), ("enter", "Enter"), ("escape", "Escape"), ("e", "e"), ("1", "1")],
)
def test_keys_have_the_names_of_tmux(key: str, name: str) -> None:
    assert tmux_key(key) == name


def test_a_size_reads_back() -> None:
    assert str(size_of("80x24")) == "80x24"
    with pytest.raises(ValueError, match="invalid literal"):
        size_of("wide")


def test_words_are_found_across_the_ends_of_lines_and_frames() -> None:
    screen = flat(["│ Type what the phone   │▄", "│ should do, then press │", "│ enter.                │"])
    assert pattern("Type what the phone should do, then press enter.").search(screen)
    assert not pattern("Type what the phone should say").search(screen)


def test_chinese_is_found_where_a_line_ends_between_two_characters() -> None:
    assert pattern("输入要手机做的事").search(flat(["│ 输入要手 │", "│ 机做的事 │"]))


def test_fields_of_a_message_may_hold_anything_but_not_too_much() -> None:
    assert pattern("Pays {amount}, to {receiver}").search("Pays ¥29, to Old Street Noodles")
    assert not pattern("Pays {amount}, to").search("Pays " + "x" * 300 + ", to")


def test_what_is_another_each_time_is_blanked_in_its_place() -> None:
    assert (
        steady("  12 ✓ tap “Check out”     model      1.9 s") == "  12 ✓ tap “Check out”     model        · s"
    )
    assert steady(" Simulated phone · Sat 21 Nov 18:34") == " Simulated phone · ··:··"
    assert steady("│▀▀▀▀▀▀│") == "│······│"
    assert steady("     ✓ Finished   17 steps, 2 min 47 s, 72k tok").endswith("17 steps, · min · s, · tok")
    assert steady("3 steps, 12.1 s, 9.3k tok │") == steady("3 steps, 9.1 s, 12.3k tok │")
    assert steady("in /tmp/walk-tt1uwiii/.config") == steady("in /tmp/walk-zespugcu/.config")


def test_times_of_a_command_stay() -> None:
    assert "11:5" not in steady("◷ 11:51 Order beef noodles?")
    assert steady("set an alarm for 7:30") == "set an alarm for 7:30"


def test_like_lines_are_told_once() -> None:
    assert list(short(["a", "", "", "", "b", "b", "", ""])) == ["a", "", "⋮", "b", "b"]


def test_a_key_pressed_again_is_told_once() -> None:
    assert pressed(("escape", "escape", "“go”", "enter")) == ["after: escape × 2 · “go” · enter"]
    assert pressed(()) == []


def test_a_walk_on_paper_is_the_same_on_another_day() -> None:
    shown = stage("begun on Tue 10 Mar 09:05, 1.9 s", done=("f2",))
    early = paper("A walk", SIZE, [shown], datetime(2026, 3, 10))
    shown = stage("begun on Sat 21 Nov 21:55, 2.4 s", done=("f2",))
    late = paper("A walk", SIZE, [shown], datetime(2026, 11, 21))
    assert early == late
    assert "1. The end\n   after: f2\n" in early


def test_a_screen_is_drawn_with_its_colours_and_as_large_as_it_is() -> None:
    picture = drawn("\x1b[38;2;255;0;0mred\x1b[0m plain\nsecond", SIZE, "A title")
    assert "#ff0000" in picture
    assert "second" in picture
    assert "A&#160;title" in picture or "A title" in picture


def test_all_walks_are_taken_in_both_sizes_and_the_first_in_both_languages() -> None:
    files = [plan.file for plan in plans(["first", "day"], ["80x24", "160x50"], None)]
    assert files == [
        "first-80x24",
        "first-80x24-zh",
        "first-160x50",
        "first-160x50-zh",
        "day-80x24",
        "day-160x50",
    ]


def test_words_of_the_walks_are_words_of_the_program() -> None:
    """A message that is renamed would make a walk wait in vain in Chinese."""
    from tools.walks import journeys

    i18n.use(Language.CHINESE)
    try:
        named = [value for name, value in vars(journeys).items() if name.isupper() and isinstance(value, str)]
        assert named
        assert [words for words in named if i18n._(words) == words] == []
    finally:
        i18n.use(Language.ENGLISH)
    assert "picture" in JOURNEYS


def test_all_walks_are_taken_by_that_name_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    monkeypatch.setattr(command, "walk_and_keep", lambda plan, texts, pictures: taken.append(plan.file))
    for names in (["all"], []):
        monkeypatch.setattr(sys, "argv", ["walks", *names, "--size", "80x24"])
        assert command.main() == 0
        assert taken == ["first-80x24", "first-80x24-zh", "own-80x24", "day-80x24", "interrupt-80x24"]
        taken.clear()
    monkeypatch.setattr(sys, "argv", ["walks", "picture"])
    with pytest.raises(SystemExit):
        command.main()
