from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.living_on import LivingOn, Turning

MONDAY = datetime(2026, 11, 23, 7, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
WEEK = timedelta(days=7)


def test_a_life_is_the_same_however_it_is_cut() -> None:
    life = LivingOn("me")
    whole = life.between(MONDAY, MONDAY + WEEK)
    middle = MONDAY + timedelta(days=2, hours=5, minutes=17)
    assert life.between(MONDAY, middle) + life.between(middle, MONDAY + WEEK) == whole
    assert whole == sorted(whole, key=lambda one: one.time)
    assert {one.source for one in whole} == {"simulated"}
    assert LivingOn("me", seed=1).between(MONDAY, MONDAY + WEEK) != whole


def test_habits_are_given_up_and_moved_from_a_day_on() -> None:
    turning = Turning((MONDAY + WEEK).date(), frozenset({"coffee"}), {"lunch": time(13, 30)})
    life = LivingOn("me", turning=turning)

    def times(name: str, begin: datetime) -> list[time]:
        done = life.between(begin, begin + WEEK)
        return [one.time.time() for one in done if life.name_of(one.instruction) == name]

    assert times("coffee", MONDAY)
    assert not times("coffee", MONDAY + WEEK)
    assert max(times("lunch", MONDAY)) < time(12, 30)
    assert min(times("lunch", MONDAY + WEEK)) > time(13)


def test_the_person_is_where_their_habits_are() -> None:
    life = LivingOn("me")
    where = [life.where(MONDAY.replace(hour=hour, minute=10)) for hour in (6, 12, 18, 23)]
    assert where == ["residence", "office", "transportation", "residence"]


def test_the_demos_clock_runs_on_and_is_moved_ahead_only() -> None:
    seconds = [5.0]
    clock = DemoClock(MONDAY, lambda: seconds[0])
    seconds[0] += 60
    assert clock() == MONDAY + timedelta(minutes=1)
    clock.move_to(MONDAY + WEEK)
    seconds[0] += 1
    assert clock() == MONDAY + WEEK + timedelta(seconds=1)
    clock.move_to(MONDAY)
    assert clock() == MONDAY + WEEK + timedelta(seconds=1)
