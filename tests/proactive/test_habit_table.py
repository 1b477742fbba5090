"""The habits of a user by hour, weekday and kind of day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

import numpy as np
import pytest

from assistant.proactive.habit_table import (
    KINDS,
    Calendar,
    HabitOccasions,
    HabitTable,
    Occasion,
    UnknownCountry,
    daily_rate,
    day_kind,
    day_kinds,
)
from tests.proactive.lives import BERLIN
from tests.tables import each

MONDAY, TUESDAY, WEDNESDAY, SATURDAY, HOLIDAY = 0, 1, 2, 5, 7


def rate(kind: int, weeks: float, came: dict[int, float]) -> float:
    """The rate on a kind of day of a habit that came up on some days of so many weeks without holidays."""
    lived = np.array([[weeks] * 7 + [0.0]])
    times = np.array([[came.get(one, 0.0) for one in range(KINDS)]])
    return float(daily_rate(kind, times, lived)[0][0])


def on(days: Iterable[int], times: float) -> dict[int, float]:
    return dict.fromkeys(days, times)


def test_few_weeks_tell_two_days_of_its_own() -> None:
    own = on((TUESDAY, 3), 3.0)
    assert rate(TUESDAY, 4, own) > 0.5
    assert rate(WEDNESDAY, 4, own) < 0.1


def test_an_accident_of_one_weekday_is_no_day_of_its_own() -> None:
    """What comes up on one day of six, whichever, came up on more Tuesdays by chance."""
    by_chance = on(range(7), 1.0) | {TUESDAY: 3.0}
    assert rate(TUESDAY, 8, by_chance) < 0.33


def test_a_weekday_that_was_missed_is_still_a_working_day() -> None:
    missed = on(range(5), 3.0) | {WEDNESDAY: 1.0}
    assert rate(WEDNESDAY, 4, missed) > 0.4
    assert rate(SATURDAY, 4, missed) < 0.1


def test_a_habit_of_working_days_rests_on_a_holiday_that_nobody_has_seen_yet() -> None:
    assert rate(HOLIDAY, 6, on(range(5), 5.0)) < 0.25
    assert rate(HOLIDAY, 6, on(range(7), 5.0)) > 0.6


@each("weeks", [0.0, 0.5, 60.0])
def test_a_rate_is_a_probability_whatever_is_known(weeks: float) -> None:
    for came in ({}, on(range(7), weeks), on((MONDAY,), 100.0)):
        assert 0 < rate(MONDAY, weeks, came) < 1


def test_a_holiday_on_a_working_day_is_a_kind_of_its_own() -> None:
    calendar = Calendar("DE")
    days = [datetime(2026, 4, day, 12, tzinfo=BERLIN) for day in (3, 4, 7)]
    table = HabitTable([HabitOccasions("tea", tuple(map(Occasion, days)))], calendar)
    assert list(day_kinds(table)) == [7, 5, 6, 7, 1]
    assert day_kind(4, free=calendar.is_free(date(2026, 4, 3))) == HOLIDAY


def test_without_a_country_weekends_are_free() -> None:
    calendar = Calendar()
    assert [calendar.is_free(date(2026, 3, day)) for day in range(9, 16)] == [False] * 5 + [True] * 2


def test_holidays_of_a_country_are_free() -> None:
    assert Calendar("DE").is_free(date(2026, 5, 1))
    assert not Calendar().is_free(date(2026, 5, 1))


def test_a_saturday_that_makes_up_for_a_holiday_is_a_working_day() -> None:
    assert not Calendar("CN").is_free(date(2025, 2, 8))
    assert Calendar("US").is_free(date(2025, 2, 8))


def test_an_unknown_country_is_told_in_words() -> None:
    with pytest.raises(UnknownCountry, match="No holidays are known for “Atlantis”"):
        Calendar("Atlantis")
