from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from assistant.model.types import one_line, quoted, without_control_characters


def test_control_characters_and_direction_marks_go() -> None:
    assert without_control_characters("a\x1b[31mred\x07\u202e\ud800\r\nb\tc") == "a[31mred\nb\tc"


@given(text=st.text(), limit=st.integers(1, 30))
def test_one_line_is_one_line_of_at_most_the_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)

    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@given(text=st.text())
def test_quoted_text_reads_back_as_the_line(text: str) -> None:
    assert json.loads(quoted(text)) == one_line(text)
    assert "</" not in quoted(text)
