"""However a line is cut, each piece shows its own part of the picture."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from textual.strip import Strip

from assistant.tui.terminal_images import ImageRow, ImageStrip

CONSOLE = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True)
LINE = Strip([Segment("ab"), Segment("▀" * 5), Segment("yz")])


def letters(start: int, end: int) -> str:
    return "PICTU"[start:end]


@settings(max_examples=30)
@given(st.lists(st.integers(1, 9), unique=True).map(sorted))
def test_pieces_together_show_the_line(cuts: list[int]) -> None:
    strip = ImageStrip(LINE, ImageRow(2, 7, instead=letters))
    pieces = strip.divide([*(cut for cut in cuts if cut < 9), 9])
    assert "".join(piece.render(CONSOLE) for piece in pieces) == "abPICTUyz"
    assert Strip.join(pieces).text == "ab▀▀▀▀▀yz"


@settings(max_examples=30)
@given(st.integers(-2, 11), st.integers(-2, 11), st.integers(0, 9))
def test_a_piece_of_a_piece_shows_its_part(start: int, end: int, more: int) -> None:
    strip = ImageStrip(LINE, ImageRow(2, 7, instead=letters))
    shown = "abPICTUyz"[max(0, start) : max(0, end)]
    piece = strip.crop(start, end)
    assert piece.render(CONSOLE) == shown
    assert piece.crop(more).render(CONSOLE) == shown[more:]


def test_only_what_holds_some_of_the_picture_is_told_of() -> None:
    written: list[str] = []
    strip = ImageStrip(LINE, ImageRow(2, 7, written=lambda: written.append("")))
    assert strip.crop(0, 2).render(CONSOLE) == "ab"
    assert not written
    assert strip.crop(0, 3).render(CONSOLE) == "ab▀"
    assert len(written) == 1
    # What is drawn from cells alone, as a picture of the screen is, does not count.
    assert Strip.join([strip]).render(CONSOLE) == strip.text
    assert len(written) == 1
