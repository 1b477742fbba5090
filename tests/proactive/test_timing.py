from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

from assistant.proactive.habit_table import Calendar, HabitOccasions, HabitTable, Occasion
from assistant.proactive.timing import HabitTiming, fit_timing

from .lives import BERLIN

MONDAY = date(2026, 3, 2)
WEEKS = 8
AWAY = range(21, 28)


def habit(name: str, hour: float, missed: set[int]) -> HabitOccasions:
    begin = datetime(2026, 3, 2, tzinfo=BERLIN)
    days = (day for day in range(7 * WEEKS) if day not in missed)
    return HabitOccasions(name, tuple(Occasion(begin + timedelta(days=day, hours=hour)) for day in days))


def fitted(*habits: HabitOccasions) -> HabitTiming:
    today = MONDAY + timedelta(days=7 * WEEKS)
    return fit_timing(HabitTable(habits, Calendar(), today), today, 45.0, frozenset())


def one_off(day: int) -> HabitOccasions:
    return HabitOccasions(
        f"once-{day}", (Occasion(datetime(2026, 3, 2, 12, tzinfo=BERLIN) + timedelta(days=day)),)
    )


def rate_of(timing: HabitTiming, place: int) -> float:
    return float(timing.rate[timing.owner == place].sum())


def test_a_journey_on_which_nothing_usual_was_done_costs_no_rate() -> None:
    journey = set(AWAY)
    timing = fitted(
        habit("tea", 8, journey),
        habit("news", 12.5, journey),
        habit("song", 21, journey),
        *map(one_off, AWAY),
    )
    scattered = fitted(
        habit("tea", 8, set(range(3, 56, 8))), habit("news", 12.5, set()), habit("song", 21, set())
    )
    assert rate_of(timing, 0) > rate_of(scattered, 0) + 0.03


def test_what_one_habit_misses_while_the_others_come_up_counts_as_missed() -> None:
    timing = fitted(habit("tea", 8, set(AWAY)), habit("news", 12.5, set()), habit("song", 21, set()))
    assert rate_of(timing, 0) < rate_of(timing, 1) - 0.03
    assert np.isfinite(timing.rate).all()
