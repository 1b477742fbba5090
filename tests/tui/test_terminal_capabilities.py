"""What terminals say of themselves, and how pictures are drawn there."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.cli.setup import format_finding
from assistant.settings.schema import Picture
from assistant.tui.terminal_probe import (
    ImageSize,
    ImageTerminal,
    TerminalAnswers,
    choose_terminal,
    parse_answers,
)
from tests.tables import each

XTERM = b"\x1bP>|XTerm(379)\x1b\\\x1b[?63;1;4;6;22c\x1b[6;15;8t\x1b[?1;0;256S\x1b[?2;0;1000;990S\x1b[?63;4c"


def test_answers_are_understood_among_what_was_typed() -> None:
    answers = parse_answers(b"order" + XTERM[:20] + b"\x1b[6n" + XTERM + b" tea\r")
    assert answers == TerminalAnswers("XTerm(379)", True, ImageSize(8, 15), 256, ImageSize(1000, 990))


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
    assert isinstance(parse_answers(b"".join(parts)), TerminalAnswers)


@each(
    ("setting", "answers", "environment", "multiplexer", "way"),
    [
        (Picture.AUTO, TerminalAnswers("kitty(0.41.1)", False), {}, "", Picture.KITTY),
        (Picture.AUTO, TerminalAnswers("ghostty 1.1.0", False), {}, "", Picture.KITTY),
        (Picture.AUTO, TerminalAnswers("kitty(0.26.5)", False), {}, "", Picture.BLOCKS),
        (Picture.AUTO, TerminalAnswers("XTerm(379)", True), {}, "", Picture.SIXEL),
        (Picture.AUTO, TerminalAnswers("Konsole 23.08", True), {}, "", Picture.BLOCKS),
        (Picture.AUTO, TerminalAnswers("", True), {}, "", Picture.SIXEL),
        (Picture.AUTO, TerminalAnswers("", False), {}, "", Picture.BLOCKS),
        (Picture.AUTO, TerminalAnswers(), {}, "", Picture.BLOCKS),
        (
            Picture.AUTO,
            TerminalAnswers("tmux 3.4", True),
            {"TMUX": "/tmp/t"},
            "256,sixel,title",
            Picture.SIXEL,
        ),
        (Picture.AUTO, TerminalAnswers("tmux 3.4", True), {"TMUX": "/tmp/t"}, "256,title", Picture.BLOCKS),
        (Picture.AUTO, TerminalAnswers("tmux 3.4", True), {}, "", Picture.BLOCKS),
        (Picture.AUTO, TerminalAnswers("XTerm(379)", True), {"STY": "1.pts"}, "", Picture.BLOCKS),
        (Picture.AUTO, TerminalAnswers("kitty(0.41.1)"), {"TMUX": "/tmp/t"}, "", Picture.BLOCKS),
        (Picture.AUTO, TerminalAnswers("XTerm(379)", True), {"NO_COLOR": "1"}, "", Picture.OFF),
        (Picture.SIXEL, TerminalAnswers("XTerm(379)", True), {"TERM": "dumb"}, "", Picture.OFF),
        (Picture.KITTY, TerminalAnswers(), {"TERM": "linux"}, "", Picture.BLOCKS),
        (
            Picture.SIXEL,
            TerminalAnswers(),
            {"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"},
            "",
            Picture.BLOCKS,
        ),
        (Picture.KITTY, TerminalAnswers("WezTerm 2024", True), {}, "", Picture.KITTY),
        (Picture.SIXEL, TerminalAnswers("Konsole 23.08", True), {}, "", Picture.SIXEL),
        (Picture.KITTY, TerminalAnswers("tmux 3.4", True), {"TMUX": "/tmp/t"}, "sixel", Picture.BLOCKS),
        (Picture.BLOCKS, TerminalAnswers("kitty(0.41.1)"), {}, "", Picture.BLOCKS),
        (Picture.OFF, TerminalAnswers("kitty(0.41.1)"), {}, "", Picture.BLOCKS),
    ],
)
def test_the_way_follows_from_the_wish_and_the_terminal(
    setting: Picture, answers: TerminalAnswers, environment: dict[str, str], multiplexer: str, way: Picture
) -> None:
    assert choose_terminal(setting, answers, environment, multiplexer).way is way


def test_a_small_window_limits_no_picture_of_a_later_larger_one() -> None:
    assert choose_terminal(
        Picture.AUTO, TerminalAnswers(largest=ImageSize(480, 312)), {}
    ).largest == ImageSize(1000, 1000)
    assert choose_terminal(
        Picture.AUTO, TerminalAnswers(largest=ImageSize(4096, 2000)), {}
    ).largest == ImageSize(4096, 2000)


def test_pictures_are_smaller_over_ssh() -> None:
    near, far = (
        choose_terminal(Picture.AUTO, TerminalAnswers(), there).limit
        for there in ({}, {"SSH_CONNECTION": "a 1 b 2"})
    )
    assert far < near


@each(
    ("setting", "terminal", "words"),
    [
        (
            Picture.AUTO,
            ImageTerminal(Picture.KITTY, name="kitty(0.41.1)"),
            "as Kitty graphics, in kitty(0.41.1)",
        ),
        (Picture.SIXEL, ImageTerminal(Picture.SIXEL, name="X\x1b[2J"), "as Sixel, in X"),
        (Picture.AUTO, ImageTerminal(), "in half blocks"),
        (Picture.AUTO, ImageTerminal(Picture.OFF), "the terminal shows no colours"),
        (Picture.OFF, ImageTerminal(), "off by the setting interface.picture"),
    ],
)
def test_the_doctor_says_how_pictures_are_drawn(
    setting: Picture, terminal: ImageTerminal, words: str
) -> None:
    line = format_finding(setting, terminal).line()
    assert words in line
    assert line.isprintable()
