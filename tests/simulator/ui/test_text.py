from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.simulator.ui.text import ELLIPSIS, line_width, words, wrap

texts = st.text(alphabet="abcdefgh  ,.-中文字符测试，。\n", max_size=120)


@given(texts, st.integers(60, 600))
def test_no_line_is_wider_than_the_room(text: str, width: int) -> None:
    for line in wrap(text, 30, width, 50):
        assert line_width(line, 30) <= width or len(line) == 1


@given(texts)
def test_words_join_to_the_text(text: str) -> None:
    assert "".join(words(text)) == text


@given(texts)
def test_wrapping_loses_nothing_but_spaces(text: str) -> None:
    joined = "".join(wrap(text, 30, 200, 500))
    assert joined.replace(" ", "") == text.replace("\n", "").replace(" ", "")


def test_latin_breaks_at_spaces_and_chinese_anywhere_but_before_punctuation() -> None:
    assert words("one two") == ["one ", "two"]
    assert words("你好，世界") == ["你", "好，", "世", "界"]


def test_what_does_not_fit_ends_with_dots() -> None:
    lines = wrap("one two three four five six seven", 30, 160, 2)
    assert len(lines) == 2
    assert lines[-1].endswith(ELLIPSIS)
