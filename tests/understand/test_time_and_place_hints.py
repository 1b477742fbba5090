"""What words tell of when, where and which deed, and what they rule out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assistant.understand.slots import (
    find_verb_kinds,
    occurs_at,
    resolve_time,
)
from tests.tables import each
from tests.understand.memories import NOW, preference

EVENING = datetime(2026, 3, 9, 21, 0, tzinfo=UTC)


@each(
    ("wish", "hour"),
    [
        ("order my usual lunch", 12),
        ("点平时的早饭", 8),
        ("play the music I fall asleep to", 22),
        ("order the usual", 21),
    ],
)
def test_a_part_of_the_day_is_meant_by_its_word(wish: str, hour: int) -> None:
    assert resolve_time(wish, EVENING).hour == hour


def test_what_hardly_ever_comes_near_an_hour_is_not_meant_by_it() -> None:
    noon = preference("Order noodles").prototype
    assert occurs_at(noon, 12.25)
    assert not occurs_at(noon, 18.75)


@pytest.mark.parametrize("instruction", ["Order dinner early", "Set an alarm for 6:45"])
def test_what_names_its_own_time_is_meant_at_any_hour(instruction: str) -> None:
    assert occurs_at(preference(instruction).prototype, 18.75)


def test_near_its_hour_the_moment_stays() -> None:
    assert resolve_time("order lunch", NOW) == NOW


@each(
    ("wish", "deed"),
    [
        ("order the usual", {"get"}),
        ("放我睡觉听的歌", {"play"}),
        ("点平时那家", {"get"}),
        ("Navigate to Cloud Tower", {"go"}),
        ("call mom", {"call"}),
        ("call a taxi", {"go"}),
        ("as usual", set()),
    ],
)
def test_the_deed_of_a_wish(wish: str, deed: set[str]) -> None:
    assert find_verb_kinds(wish) == deed
