from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest

from assistant.proactive.days import Calendar
from assistant.proactive.habits import Habit, HabitTable, Occasion
from assistant.proactive.occasions import expected
from assistant.proactive.timing import is_its_time
from tests.proactive.lives import BERLIN, MONDAY, daily, habits


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, 30, hour, minute, tzinfo=BERLIN)


def table(*times: datetime) -> HabitTable:
    return HabitTable([Habit("tea", tuple(Occasion(one) for one in times))], Calendar())


@pytest.mark.parametrize(
    ("now", "is_time"),
    [(at(6, 30), False), (at(7, 44), False), (at(7, 46), True), (at(8, 59), True), (at(9, 2), False)],
)
def test_a_routine_is_offered_shortly_before_its_time_and_for_a_while_after(
    now: datetime, is_time: bool
) -> None:
    known = habits(daily("tea", time(8)))
    assert is_its_time(known.table, "tea", now) is is_time


def test_it_may_have_its_time_across_midnight() -> None:
    lamp = habits(daily("lamp", time(0, 5)))
    assert is_its_time(lamp.table, "lamp", at(23, 55))
    assert not is_its_time(lamp.table, "lamp", at(22, 55))


def test_what_has_no_usual_time_has_its_time_always() -> None:
    start = datetime.combine(MONDAY, time(1), BERLIN)
    anytime = table(*(start + timedelta(days=day, hours=day * 5 % 23) for day in range(4)))
    assert is_its_time(anytime, "tea", at(17))


def test_a_routine_that_moved_has_its_new_time_after_two_weeks() -> None:
    before = daily("tea", time(8), 28)
    start = MONDAY + timedelta(days=28)
    after = daily("tea", time(10), 14, start=start)
    moved = table(*(one.time for one in (*before.members, *after.members)))
    assert is_its_time(moved, "tea", at(9, 55))


def test_an_occasion_opens_before_its_usual_time() -> None:
    (first, *_) = expected(habits(daily("tea", time(8, 4))), at(7), 0.47)
    assert (first.time, first.opens) == (at(8, 4), at(7, 49))
