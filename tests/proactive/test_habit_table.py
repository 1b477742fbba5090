"""The habits of a user by hour, weekday and kind of day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta

import numpy as np
import pytest

from assistant.proactive.habit_table import (
    KINDS,
    Calendar,
    HabitOccasions,
    HabitTable,
    Occasion,
    UnknownCountry,
    circular_distance,
    daily_rate,
    day_kind,
    day_kinds,
    find_onset,
    timed_probability,
)
from tests.proactive.lives import BERLIN

START = datetime(2026, 2, 2, tzinfo=BERLIN)


def table(*hours: float) -> HabitTable:
    """A habit done once a day, at these hours."""
    times = (START + timedelta(days=day, hours=hour) for day, hour in enumerate(hours))
    return HabitTable([HabitOccasions("tea", tuple(map(Occasion, times)))], Calendar())


def began(known: HabitTable, hour: float, today: int) -> tuple[int, float]:
    """Since which of its days the habit most likely is as it is at an hour, and how sure that is."""
    near = (circular_distance(known.minute - 60 * hour) < 60).astype(float)
    found = find_onset(known, near, np.array([0]), known.days.first + today)
    best = int(found.chance[0].argmax())
    return int(found.first[0, best]) - known.days.first, float(found.chance[0, best])


def test_a_habit_that_moved_is_so_since_it_moved() -> None:
    moved = table(*[8.0] * 20, *[12.0] * 7)
    assert began(moved, 12, 27)[0] == 20
    assert began(moved, 8, 27)[0] == 20


def test_a_steady_habit_has_been_so_from_the_first_day() -> None:
    day, sure = began(table(*[8.0] * 30), 8, 30)
    assert (day, sure > 0.9) == (0, True)


def test_what_happens_later_is_not_looked_at() -> None:
    moved = table(*[8.0] * 20, *[12.0] * 7)
    assert began(moved, 8, 20)[0] == 0


def sure(near: float, lived: float, often: float = 1.0) -> float:
    return float(timed_probability(np.array([near]), np.array([lived]), np.array([often]))[0])


def test_what_keeps_to_an_hour_is_told_from_what_does_not() -> None:
    assert sure(10, 11) > 0.95
    assert sure(5, 20) < 0.05


def test_what_is_done_often_a_day_must_keep_to_the_hour_the_more() -> None:
    assert sure(10, 14, often=4) < sure(10, 14, often=1)
    assert sure(14, 14, often=2) > 0.9


MONDAY, TUESDAY, WEDNESDAY, SATURDAY, HOLIDAY = 0, 1, 2, 5, 7


def rate(kind: int, weeks: float, came: dict[int, float]) -> float:
    """The rate on a kind of day of a habit that came up on some days of so many weeks without holidays."""
    lived = np.array([[weeks] * 7 + [0.0]])
    times = np.array([[came.get(one, 0.0) for one in range(KINDS)]])
    return float(daily_rate(kind, times, lived)[0])


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


@pytest.mark.parametrize("weeks", [0.0, 0.5, 60.0])
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
