from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest

from assistant.proactive.forecast import find_expected_occasions
from assistant.proactive.habit_table import Calendar, HabitOccasions, HabitTable, Occasion
from assistant.proactive.offers import DayTiming
from tests.proactive.lives import BERLIN, MONDAY, daily, habits


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, 30, hour, minute, tzinfo=BERLIN)


def table(*times: datetime) -> HabitTable:
    return HabitTable([HabitOccasions("tea", tuple(Occasion(one) for one in times))], Calendar())


@pytest.mark.parametrize(
    ("now", "is_time"),
    [(at(6, 30), False), (at(7, 44), False), (at(7, 46), True), (at(8, 59), True), (at(9, 2), False)],
)
def test_a_routine_is_offered_shortly_before_its_time_and_for_a_while_after(
    now: datetime, is_time: bool
) -> None:
    known = habits(daily("tea", time(8)))
    assert DayTiming(known.table).is_near("tea", now) is is_time


def test_it_may_have_its_time_across_midnight() -> None:
    lamp = habits(daily("lamp", time(0, 5)))
    assert DayTiming(lamp.table).is_near("lamp", at(23, 55))
    assert not DayTiming(lamp.table).is_near("lamp", at(22, 55))


def test_what_has_no_usual_time_has_its_time_always() -> None:
    start = datetime.combine(MONDAY, time(1), BERLIN)
    anytime = table(*(start + timedelta(days=day, hours=day * 5 % 23) for day in range(4)))
    assert DayTiming(anytime).is_near("tea", at(17))


def test_a_routine_that_moved_has_only_its_new_time_after_a_week() -> None:
    after = daily("tea", time(10), 7, start=MONDAY + timedelta(days=28))
    moved = DayTiming(table(*(one.time for one in (*daily("tea", time(8)).members, *after.members))))
    day = datetime(2026, 4, 6, tzinfo=BERLIN)
    assert moved.is_near("tea", day.replace(hour=9, minute=55))
    assert not moved.is_near("tea", day.replace(hour=7, minute=55))


def test_the_weekend_has_times_of_its_own() -> None:
    week = [one.time for one in daily("tea", time(7)).members if one.time.weekday() < 5]
    late = [one.time for one in daily("tea", time(10)).members if one.time.weekday() >= 5]
    timing = DayTiming(table(*week, *late))
    saturday = datetime(2026, 4, 4, tzinfo=BERLIN)
    assert timing.is_near("tea", saturday.replace(hour=9, minute=50))
    assert not timing.is_near("tea", saturday.replace(hour=6, minute=50))


def test_what_was_accepted_early_counts_for_the_time_that_it_was_early_for() -> None:
    known = daily("tea", time(8))
    early = [one.time - timedelta(minutes=15) for one in known.members[-14:]]
    times = [*(one.time for one in known.members[:-14]), *early]
    prompted = {one.toordinal(): 7 * 60 + 45.0 for one in early}
    now = at(7, 35)
    assert DayTiming(table(*times)).is_near("tea", now)
    assert not DayTiming(table(*times), {"tea": prompted}).is_near("tea", now)


def test_an_occasion_opens_before_its_usual_time() -> None:
    (first, *_) = find_expected_occasions(habits(daily("tea", time(8, 4))), at(7), 0.47)
    assert (first.time, first.opens) == (at(8, 4), at(7, 49))
