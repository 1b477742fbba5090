from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from assistant.tui.widgets.suggestion import SuggestionText, format_suggestion
from tests.tables import each

LONG = "nothing begins without a yes, f6 opens the answers"
NOODLES = "Order beef noodles, no coriander, from Old Street Noodles to the office?"


def told(offer: str, *, chinese: bool = False) -> SuggestionText:
    if chinese:
        return SuggestionText(
            "根据记忆建议，11:52：", "建议：", offer, ("你不同意就不会开始", "等你同意"), "f6 回答"
        )
    return SuggestionText(
        "Suggested from memory, 11:52:", "Suggested:", offer, (LONG, "f6 opens it"), "f6 answers"
    )


def lines(words: SuggestionText, width: int, most: int = 3) -> list[str]:
    return [one.plain for one in format_suggestion(words, width, most)]


@given(
    st.lists(st.sampled_from(["noodles", "牛肉面", "🍜", "a", "unbreakable" * 9, "é"]), max_size=40),
    st.integers(24, 200),
    st.integers(1, 3),
    st.booleans(),
)
def test_no_offer_takes_more_room_than_there_is(
    parts: list[str], width: int, most: int, chinese: bool
) -> None:
    found = lines(told(" ".join(parts) + "?", chinese=chinese), width, most)
    assert 1 <= len(found) <= most
    assert all(cell_len(one) <= width for one in found)
    assert found[0].startswith(" ◷ ")


@each(("width", "count"), [(60, 3), (80, 2), (110, 2), (160, 1)])
def test_the_whole_offer_stands_on_as_few_lines_as_hold_it(width: int, count: int) -> None:
    found = lines(told(NOODLES), width)
    assert len(found) == count
    assert f"Suggested from memory, 11:52: {NOODLES}" in " ".join(" ".join(found).split())


def test_the_most_telling_keys_that_fit_stand_beside_the_offer_else_below() -> None:
    assert lines(told("Play?"), 100)[0].endswith(f"Play?{' ' * 11}{LONG}")
    assert lines(told("Play?"), 60)[0].endswith("f6 opens it")
    assert lines(told("Play the podcast Evening?"), 60) == [
        " ◷ Suggested from memory, 11:52: Play the podcast Evening?",
        f"   {LONG}",
    ]


def test_on_one_line_the_offer_gives_way_and_the_key_stays() -> None:
    (line,) = lines(told(NOODLES), 60, most=1)
    assert line == " ◷ Suggested: Order beef noodles, no coriander…  f6 answers"
    (wide,) = lines(told("在老街面馆点一份不要香菜的牛肉面，送到公司？", chinese=True), 40, most=1)
    assert wide == " ◷ 建议：在老街面馆点一份不要…  f6 回答"
    assert cell_len(wide) == 39
