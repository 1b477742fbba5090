from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.simulator.adbd.terminal import Terminal, on_screen

WORDS = st.text(st.characters(min_codepoint=32, exclude_characters="\x7f", exclude_categories=["Cs", "Cc"]))


@given(WORDS)
def test_a_line_is_echoed_and_comes_out_at_enter(words: str) -> None:
    terminal = Terminal()
    typed = terminal.type(words.encode())
    assert (typed.echo, typed.lines) == (words.encode(), b"")
    assert terminal.type(b"\r").lines == words.encode() + b"\n"


@given(WORDS, WORDS.filter(lambda words: "\\" not in words))
def test_erasing_takes_whole_characters(kept: str, erased: str) -> None:
    terminal = Terminal()
    typed = terminal.type((kept + erased).encode() + b"\x7f" * len(erased) + b"\n")
    assert typed.lines == kept.encode() + b"\n"


def test_erasing_an_empty_line_does_nothing() -> None:
    assert Terminal().type(b"\x7f\x08\x15").echo == b""


def test_kill_empties_the_line() -> None:
    assert Terminal().type(b"rm\x15ls\n").lines == b"ls\n"


def test_interrupt_forgets_the_line() -> None:
    terminal = Terminal()
    assert terminal.type(b"rm\x03").interrupted
    assert terminal.type(b"ls\n").lines == b"ls\n"


def test_end_of_input_counts_only_on_an_empty_line() -> None:
    terminal = Terminal()
    typed = terminal.type(b"abc\x04")
    assert (typed.lines, typed.ended) == (b"abc", False)
    assert terminal.type(b"\x04").ended


def test_output_gets_carriage_returns() -> None:
    assert on_screen(b"a\nb\n") == b"a\r\nb\r\n"
