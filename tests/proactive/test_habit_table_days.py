from __future__ import annotations

from datetime import date

import pytest

from assistant.proactive.habit_table import Calendar, UnknownCountry


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
