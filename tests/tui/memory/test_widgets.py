from __future__ import annotations

from assistant.memory_view.items import EvidenceRecord, Item, ItemDetails
from assistant.tui.memory.widgets import format_details, format_histogram, format_item_row
from tests.tui.hostile_texts import HOSTILE
from tests.tui.remembered import LATER


def test_rows_fit_whatever_they_hold() -> None:
    for text in HOSTILE.values():
        item = Item("1", text, frozenset(), context=text, count=3, weight=0.5, pinned=True)
        for width in (12, 40, 90):
            assert format_item_row(item, width).cell_length <= width


def test_words_of_a_record_keep_their_indentation_and_stand_before_the_facts() -> None:
    long = "Order beef noodles without coriander from the shop around the corner"
    seen = tuple(EvidenceRecord(f"r{at}", LATER, "office", long, "Eats") for at in range(5))
    told = format_details(
        Item("1", "Order noodles", frozenset()), ItemDetails((("sure", "84%"),), seen), 40
    ).plain
    lines = told.splitlines()
    assert lines[1] == "because of 5 records:"
    assert [one.startswith(("  Mon", "    ")) for one in lines[2:-1]] == [True] * (len(lines) - 3)
    assert lines[-1].startswith("sure")


def test_a_bar_for_each_hour_and_a_dot_for_none() -> None:
    assert format_histogram([0, 1, 4, 8]) == "·▁▄█"
    assert format_histogram([0, 0]) == "··"
    assert format_histogram([]) == ""
