from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from assistant.presentation.text import LabelValueRow, safe, unlabelled_row, wrap_rows


def lines(name: str, text: str, width: int) -> list[str]:
    return [line.plain.rstrip() for line in wrap_rows([LabelValueRow(Content(name), Content(text))], width)]


def test_further_lines_stand_below_the_first_word() -> None:
    assert lines("App      ", "Eats (com.example.eats/.Checkout)", 40) == [
        "App      Eats",
        "         (com.example.eats/.Checkout)",
    ]
    assert lines("Text  ", "one\n\ntwo", 40) == ["Text  one", "", "      two"]


def test_a_row_without_a_name_begins_at_the_border() -> None:
    assert [line.plain for line in wrap_rows([unlabelled_row(Content("Pays ¥29."))], 40)] == ["Pays ¥29."]
    assert [line.plain for line in wrap_rows([unlabelled_row(Content(""))], 40)] == [""]


@given(st.text(max_size=12), st.text(max_size=200), st.integers(min_value=40, max_value=120))
def test_lines_fit_their_width_and_lose_no_character(name: str, text: str, width: int) -> None:
    name, text = "".join(safe(name).split()), safe(text)
    laid = lines(name, text, width)
    assert all(cell_len(line) <= width for line in laid)
    assert "".join("".join(laid).split()) == "".join(f"{name}{text}".split())
