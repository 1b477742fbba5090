"""What terminals say of themselves, and how pictures are drawn there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.settings.schema import Picture
from assistant.tui.pictures.box import Box
from assistant.tui.terminal_checks import format_finding
from assistant.tui.terminal_probe import Answers, PictureTerminal, choose_terminal, parse_answers

XTERM = b"\x1bP>|XTerm(379)\x1b\\\x1b[?63;1;4;6;22c\x1b[6;15;8t\x1b[?1;0;256S\x1b[?2;0;1000;990S\x1b[?63;4c"


def test_answers_are_understood_among_what_was_typed() -> None:
    answers = parse_answers(b"order" + XTERM[:20] + b"\x1b[6n" + XTERM + b" tea\r")
    assert answers == Answers("XTerm(379)", True, Box(8, 15), 256, Box(1000, 990))


def test_a_four_elsewhere_claims_no_sixel() -> None:
    # The first number is the kind of terminal.
    assert parse_answers(b"\x1b[?4;6c").sixel is False
    assert parse_answers(b"\x1b[?64;14;22c").sixel is False
    assert parse_answers(b"").sixel is None


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([b"\x1bP>|", b"\x1b\\", b"\x1b[", b"?", b";", b"4", b"c", b"t", b"S", b"6;"]))
)
def test_any_answer_is_understood_somehow(parts: list[bytes]) -> None:
    assert isinstance(parse_answers(b"".join(parts)), Answers)


@pytest.mark.parametrize(
    ("setting", "answers", "environment", "multiplexer", "way"),
    [
        (Picture.AUTO, Answers("kitty(0.41.1)", False), {}, "", Picture.KITTY),
        (Picture.AUTO, Answers("ghostty 1.1.0", False), {}, "", Picture.KITTY),
        (Picture.AUTO, Answers("kitty(0.26.5)", False), {}, "", Picture.BLOCKS),
        (Picture.AUTO, Answers("XTerm(379)", True), {}, "", Picture.SIXEL),
        (Picture.AUTO, Answers("Konsole 23.08", True), {}, "", Picture.BLOCKS),
        (Picture.AUTO, Answers("", True), {}, "", Picture.SIXEL),
        (Picture.AUTO, Answers("", False), {}, "", Picture.BLOCKS),
        (Picture.AUTO, Answers(), {}, "", Picture.BLOCKS),
        (Picture.AUTO, Answers("tmux 3.4", True), {"TMUX": "/tmp/t"}, "256,sixel,title", Picture.SIXEL),
        (Picture.AUTO, Answers("tmux 3.4", True), {"TMUX": "/tmp/t"}, "256,title", Picture.BLOCKS),
        (Picture.AUTO, Answers("tmux 3.4", True), {}, "", Picture.BLOCKS),
        (Picture.AUTO, Answers("XTerm(379)", True), {"STY": "1.pts"}, "", Picture.BLOCKS),
        (Picture.AUTO, Answers("kitty(0.41.1)"), {"TMUX": "/tmp/t"}, "", Picture.BLOCKS),
        (Picture.AUTO, Answers("XTerm(379)", True), {"NO_COLOR": "1"}, "", Picture.OFF),
        (Picture.SIXEL, Answers("XTerm(379)", True), {"TERM": "dumb"}, "", Picture.OFF),
        (Picture.KITTY, Answers(), {"TERM": "linux"}, "", Picture.BLOCKS),
        (
            Picture.SIXEL,
            Answers(),
            {"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"},
            "",
            Picture.BLOCKS,
        ),
        (Picture.KITTY, Answers("WezTerm 2024", True), {}, "", Picture.KITTY),
        (Picture.SIXEL, Answers("Konsole 23.08", True), {}, "", Picture.SIXEL),
        (Picture.KITTY, Answers("tmux 3.4", True), {"TMUX": "/tmp/t"}, "sixel", Picture.BLOCKS),
        (Picture.BLOCKS, Answers("kitty(0.41.1)"), {}, "", Picture.BLOCKS),
        (Picture.OFF, Answers("kitty(0.41.1)"), {}, "", Picture.BLOCKS),
    ],
)
def test_the_way_follows_from_the_wish_and_the_terminal(
    setting: Picture, answers: Answers, environment: dict[str, str], multiplexer: str, way: Picture
) -> None:
    assert choose_terminal(setting, answers, environment, multiplexer).way is way


def test_a_small_window_limits_no_picture_of_a_later_larger_one() -> None:
    assert choose_terminal(Picture.AUTO, Answers(largest=Box(480, 312)), {}).largest == Box(1000, 1000)
    assert choose_terminal(Picture.AUTO, Answers(largest=Box(4096, 2000)), {}).largest == Box(4096, 2000)


def test_pictures_are_smaller_over_ssh() -> None:
    near, far = (
        choose_terminal(Picture.AUTO, Answers(), there).limit for there in ({}, {"SSH_CONNECTION": "a 1 b 2"})
    )
    assert far < near


@pytest.mark.parametrize(
    ("setting", "terminal", "words"),
    [
        (
            Picture.AUTO,
            PictureTerminal(Picture.KITTY, name="kitty(0.41.1)"),
            "as Kitty graphics, in kitty(0.41.1)",
        ),
        (Picture.SIXEL, PictureTerminal(Picture.SIXEL, name="X\x1b[2J"), "as Sixel, in X"),
        (Picture.AUTO, PictureTerminal(), "in half blocks"),
        (Picture.AUTO, PictureTerminal(Picture.OFF), "the terminal shows no colours"),
        (Picture.OFF, PictureTerminal(), "off by the setting interface.picture"),
    ],
)
def test_the_doctor_says_how_pictures_are_drawn(
    setting: Picture, terminal: PictureTerminal, words: str
) -> None:
    line = format_finding(setting, terminal).line()
    assert words in line
    assert line.isprintable()
