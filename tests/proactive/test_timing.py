from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from random import Random

import numpy as np
import pytest

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


def test_what_is_new_is_believed_more_of_somebody_who_keeps_to_their_habits() -> None:
    def irregular(number: int) -> set[int]:
        return {day for day in range(7 * WEEKS) if Random(60 * number + day).random() < 0.7}

    new = habit("new", 18, {*range(49), 50, 52})
    others = range(12)
    keeps = fitted(new, *(habit(f"h{number}", 7 + number / 2, set()) for number in others))
    drops = fitted(new, *(habit(f"h{number}", 7 + number / 2, irregular(number)) for number in others))
    assert rate_of(drops, 0) < rate_of(keeps, 0) - 0.03


def test_what_only_looked_like_a_habit_is_given_up_sooner_when_it_stays_away() -> None:
    def share_left(missed: set[int]) -> float:
        sure = habit("tea", 8, missed)
        return rate_of(fitted(replace(sure, certainty=0.6)), 0) / rate_of(fitted(sure), 0)

    daily, stopped = share_left(set()), share_left({54, 55})
    assert daily == pytest.approx(0.6)
    assert stopped < daily / 2


def shifts(days: int) -> HabitOccasions:
    """Hours are logged on workdays, at seven in one week and at three in the next."""
    begin = datetime(2026, 3, 2, tzinfo=BERLIN)
    worked = (day for day in range(days) if day % 7 < 5)
    return HabitOccasions(
        "log hours",
        tuple(Occasion(begin + timedelta(days=day, hours=15 if day // 7 % 2 else 7)) for day in worked),
    )


def rates_after(days: int, *others: HabitOccasions) -> dict[int, float]:
    """The rate of each hour of the first habit, on the day after so many."""
    today = MONDAY + timedelta(days=days)
    timing = fit_timing(HabitTable((shifts(days), *others), Calendar(), today), today, 45.0, frozenset())
    own = np.flatnonzero(timing.owner == 0)
    return {round(float(timing.mean[row]) / 60): float(timing.rate[row]) for row in own}


@pytest.mark.parametrize(("weeks", "early"), [(5, 15), (6, 7)])
def test_within_a_week_of_shifts_only_the_times_of_that_shift_are_likely(weeks: int, early: int) -> None:
    rates = rates_after(7 * weeks + 2)
    on_shift, off_shift = rates[early], rates[22 - early]
    assert on_shift > 0.7
    assert off_shift < 0.15


def test_the_first_day_of_a_week_is_not_taken_for_the_shift_of_the_week_before() -> None:
    rates = rates_after(7 * 6)
    assert rates[15] < 0.6


def test_days_that_are_missed_by_chance_tell_nothing_of_the_next() -> None:
    random = Random(4)
    missed = {day for day in range(7 * WEEKS - 1) if random.random() < 0.3}
    after_one, after_none = (fitted(habit("tea", 8, missed | last)) for last in ({55}, set()))
    assert abs(rate_of(after_one, 0) - rate_of(after_none, 0)) < 0.1


def test_each_of_four_shifts_has_its_hour() -> None:
    begin = datetime(2026, 3, 2, tzinfo=BERLIN)
    hours = (5, 9, 14, 20)
    worked = (day for day in range(7 * WEEKS) if day % 7 < 5)
    rota = tuple(Occasion(begin + timedelta(days=day, hours=hours[day // 7 % 4])) for day in worked)
    timing = fitted(HabitOccasions("rota", rota))
    assert sorted(round(mean / 60) for mean in timing.mean) == list(hours)
    assert timing.spread.max() < 15


def test_what_goes_on_without_its_leader_is_no_longer_led() -> None:
    begin = datetime(2026, 3, 2, tzinfo=BERLIN)
    random = Random(7)
    minutes = [480 + random.gauss(0, 25) for _ in range(7 * WEEKS)]

    def done(name: str, days: range, later: float) -> HabitOccasions:
        return HabitOccasions(
            name, tuple(Occasion(begin + timedelta(days=day, minutes=minutes[day] + later)) for day in days)
        )

    news = done("news", range(7 * WEEKS), 10)
    led = fitted(done("tea", range(7 * WEEKS), 0), news)
    given_up = fitted(done("tea", range(7 * WEEKS - 3), 0), news)
    left = fitted(done("tea", range(7 * WEEKS - 9), 0), news)
    assert (led.leader[1], led.led[1]) == (0, 1.0)
    assert given_up.led[1] < 0.7
    assert left.leader[1] == -1
