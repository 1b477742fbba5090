from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from assistant.presentation.text import (
    LabelValueRow,
    StyledText,
    TextSpan,
    TextStyle,
    safe,
    styled,
    unlabelled_row,
)
from assistant.tui.turn_lines import as_content, wrap_rows
from tests.tables import each


def lines(name: str, text: str, width: int) -> list[str]:
    return [line.plain.rstrip() for line in wrap_rows([LabelValueRow(styled(name), styled(text))], width)]


def test_further_lines_stand_below_the_first_word() -> None:
    assert lines("App      ", "Eats (com.example.eats/.Checkout)", 40) == [
        "App      Eats",
        "         (com.example.eats/.Checkout)",
    ]
    assert lines("Text  ", "one\n\ntwo", 40) == ["Text  one", "", "      two"]


def test_a_row_without_a_name_begins_at_the_border() -> None:
    assert [line.plain for line in wrap_rows([unlabelled_row(styled("Pays ¥29."))], 40)] == ["Pays ¥29."]
    assert [line.plain for line in wrap_rows([unlabelled_row(styled(""))], 40)] == [""]


@given(st.text(max_size=12), st.text(max_size=200), st.integers(min_value=40, max_value=120))
def test_lines_fit_their_width_and_lose_no_character(name: str, text: str, width: int) -> None:
    name, text = "".join(safe(name).split()), safe(text)
    laid = lines(name, text, width)
    assert all(cell_len(line) <= width for line in laid)
    assert "".join("".join(laid).split()) == "".join(f"{name}{text}".split())


def test_spans_become_content_with_textual_styles() -> None:
    text = StyledText((TextSpan("“"), TextSpan("my lunch", TextStyle.STRONG), TextSpan("”, ")))
    content = as_content(text)
    assert content.plain == text.unstyled == "“my lunch”, "
    assert [(span.start, span.end, span.style) for span in content.spans] == [(1, 9, "bold")]


@each("style", TextStyle)
def test_every_style_can_be_shown(style: TextStyle) -> None:
    assert as_content(styled("words", style)).plain == "words"
