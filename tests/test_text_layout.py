from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from assistant.i18n import fitted, pad_left, padded, shortened, wrap
from tests.tables import each

TEXTS = st.text(alphabet=st.sampled_from("ab 点面，。🍜é"), max_size=30)


@settings(max_examples=40)
@given(TEXTS, st.integers(2, 20))
def test_a_column_is_as_wide_as_it_says(text: str, width: int) -> None:
    assert cell_len(fitted(text, width)) == width
    assert cell_len(shortened(text, width)) <= width
    assert cell_len(padded(text, width)) == cell_len(pad_left(text, width)) == max(width, cell_len(text))


@settings(max_examples=40)
@given(TEXTS, st.integers(6, 20))
def test_lines_hold_all_that_was_said(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())


@each(
    ("text", "lines"),
    [
        ("", []),
        ("one two three", ["one two", "three"]),
        ("点一份牛肉面", ["点一份牛", "肉面"]),
        ("点一份面，送来", ["点一份", "面，送来"]),
    ],
)
def test_lines_break_between_words_and_wide_characters(text: str, lines: list[str]) -> None:
    assert wrap(text, 8) == lines
