"""At which minutes a routine may be offered: by its own spread, its days, and after what it follows."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from random import Random

from assistant.proactive.forecast import DAY_SO_FAR, RecentHabits, estimate_chances, find_expected_occasions
from assistant.proactive.habit_table import Calendar, HabitOccasions, HabitTable, Occasion
from assistant.records import State
from tests.proactive.lives import BERLIN, daily, habits
from tests.tables import each

LEAST = 0.32
FIRST = datetime(2026, 1, 5, tzinfo=BERLIN)


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, 30, hour, minute, tzinfo=BERLIN)


def occasions(name: str, *times: datetime) -> HabitOccasions:
    return HabitOccasions(name, tuple(Occasion(each) for each in times))


def around(minute: float, spread: float, days: int = 56, seed: int = 1) -> list[datetime]:
    """Once a day about a time, before the first of March."""
    random = Random(seed)
    return [FIRST + timedelta(days=day, minutes=minute + random.gauss(0, spread)) for day in range(days)]


def offered(table: HabitTable, day: date, recent: RecentHabits = DAY_SO_FAR, place: int = 0) -> list[int]:
    """The minutes of a day at which a habit may be offered, by tens."""
    midnight = datetime.combine(day, time(), BERLIN)
    return [
        minute
        for minute in range(0, 1440, 10)
        if estimate_chances(table, State(time=midnight + timedelta(minutes=minute)), recent=recent).chance[
            place
        ]
        >= LEAST
    ]


def test_a_regular_routine_is_offered_shortly_before_and_a_scattered_one_earlier() -> None:
    day = date(2026, 3, 2)
    regular = offered(HabitTable([occasions("tea", *around(600, 4))], Calendar()), day)
    scattered = offered(HabitTable([occasions("tea", *around(600, 40))], Calendar()), day)
    assert 570 <= regular[0] < 600
    assert regular[-1] <= 620
    assert 550 <= scattered[0] <= 590
    assert scattered[-1] > regular[-1]


def test_it_is_never_offered_again_for_an_occasion_that_is_over() -> None:
    table = HabitTable([occasions("tea", *around(600, 10))], Calendar())
    day = date(2026, 3, 2)
    done = RecentHabits((("tea", datetime.combine(day, time(9, 40), BERLIN)),), day_known=True)
    assert offered(table, day)
    assert all(minute < 580 for minute in offered(table, day, done))


def test_what_follows_another_waits_for_it() -> None:
    lead = around(600, 25)
    follow = [each + timedelta(minutes=8 + number % 3) for number, each in enumerate(lead)]
    table = HabitTable([occasions("alarm", *lead), occasions("weather", *follow)], Calendar())
    day = date(2026, 3, 2)
    assert not offered(table, day, place=1)
    done = RecentHabits((("alarm", datetime.combine(day, time(10, 45), BERLIN)),), day_known=True)
    minutes = offered(table, day, done, place=1)
    assert (minutes[0], minutes[-1] <= 670) == (650, True)


def test_what_is_done_many_times_a_day_has_no_hour() -> None:
    random = Random(3)
    times = [
        FIRST + timedelta(days=day, minutes=random.uniform(480, 1300)) for day in range(56) for _ in range(9)
    ]
    table = HabitTable([occasions("chat", *sorted(times))], Calendar())
    assert not offered(table, date(2026, 3, 2))


@each(
    ("days", "on", "off"),
    [
        ([date(2025, 9, 26), date(2025, 10, 31), date(2025, 11, 28), date(2025, 12, 26), date(2026, 1, 30)],
         date(2026, 2, 27), date(2026, 2, 20)),
        ([date(2025, month, 15) for month in range(7, 13)] + [date(2026, 1, 15)],
         date(2026, 2, 15), date(2026, 2, 12)),
        ([date(2025, 11, 3) + timedelta(days=14 * number) for number in range(7)],
         date(2026, 2, 9), date(2026, 2, 16)),
    ],
)  # fmt: skip
def test_days_of_the_month_and_every_other_week(days: list[date], on: date, off: date) -> None:
    steady = [datetime(2025, 7, 1, 20, tzinfo=BERLIN) + timedelta(days=day) for day in range(240)]
    rent = [datetime.combine(day, time(9), BERLIN) for day in days]
    table = HabitTable([occasions("rent", *rent), occasions("news", *steady)], Calendar())
    assert offered(table, on)
    assert not offered(table, off)


def test_a_routine_that_moved_has_only_its_new_time_after_a_week() -> None:
    moved = around(480, 5, 28) + [each + timedelta(days=28) for each in around(600, 5, 8)]
    minutes = offered(HabitTable([occasions("tea", *moved)], Calendar()), (FIRST + timedelta(days=36)).date())
    assert minutes
    assert min(minutes) > 560


def test_the_weekend_has_times_of_its_own() -> None:
    times = [each if each.weekday() < 5 else each + timedelta(hours=3) for each in around(420, 5)]
    table = HabitTable([occasions("tea", *times)], Calendar())
    assert max(offered(table, date(2026, 3, 2))) < 480
    assert min(offered(table, date(2026, 3, 7))) > 560


def test_what_was_accepted_early_does_not_pull_the_time_forward() -> None:
    natural = around(600, 5)
    early = [natural[0] + timedelta(days=56 + day, minutes=-20) for day in range(10)]
    table = HabitTable([occasions("tea", *natural, *early)], Calendar())
    prompted = frozenset(("tea", each.toordinal(), each.hour * 60.0 + each.minute) for each in early)
    state = State(time=FIRST + timedelta(days=66, minutes=600))
    drifted = estimate_chances(table, state, recent=DAY_SO_FAR)
    kept = estimate_chances(table, state, recent=DAY_SO_FAR, prompted=prompted)
    assert kept.occasion[0] > drifted.occasion[0]


def test_an_occasion_opens_before_its_usual_time() -> None:
    (first, *_) = find_expected_occasions(habits(daily("tea", time(8, 4))), at(7), 0.47)
    assert first.time == at(8, 4)
    assert timedelta(minutes=5) <= first.time - first.opens <= timedelta(minutes=30)
