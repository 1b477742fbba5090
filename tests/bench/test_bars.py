"""Bars for a terminal."""

from __future__ import annotations

import pytest

from assistant.bench.bars import stacked


def test_the_largest_row_is_full_and_parts_have_their_share() -> None:
    legend, first, second = stacked({"1–10": [1, 2, 1], "11–20": [2, 0, 0]}, ("a", "b", "c"), width=8)
    assert legend == "█ a  ▓ b  ▒ c"
    assert first == " 1–10  ██▓▓▓▓▒▒  1  2  1"
    assert second == "11–20  ████      2  0  0"


def test_nothing_is_drawn_of_nothing() -> None:
    assert stacked({"": [0]}, ("a",), width=3)[1] == "       0"
    assert stacked({}, ("a",)) == ["█ a"]


def test_more_parts_than_names_are_refused() -> None:
    with pytest.raises(ValueError, match="as there are names"):
        stacked({"x": [1, 2]}, ("a",))
    with pytest.raises(ValueError, match="4 parts at most"):
        stacked({}, tuple("abcde"))
