from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.proactive.forecast import (
    AT_ONCE,
    DAY_SO_FAR,
    NOTHING_DONE,
    USUAL,
    Feedback,
    HabitChances,
    LikelihoodWeights,
    RecentHabits,
    estimate_chances,
)
from assistant.proactive.habit_table import Calendar, HabitOccasions, HabitTable, Occasion
from assistant.records import State
from tests.tables import each

ZONE = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 2, 2, tzinfo=ZONE)
WORKDAYS = range(5)


def occasions(
    weeks: int, weekdays: Iterable[int], hour: float, scenario: str = "office", start: datetime = MONDAY
) -> tuple[Occasion, ...]:
    return tuple(
        Occasion(start + timedelta(days=7 * week + day, hours=hour, minutes=3 * ((week + day) % 4)), scenario)
        for week in range(weeks)
        for day in weekdays
    )


def at(weeks: int, weekday: int, hour: float, scenario: str = "office") -> State:
    return State(time=MONDAY + timedelta(days=7 * weeks + weekday, hours=hour), scenario=scenario)


def judged(
    *habits: HabitOccasions,
    state: State,
    weighing: LikelihoodWeights = USUAL,
    feedback: dict[str, Feedback] | None = None,
    recent: RecentHabits = NOTHING_DONE,
    until: date | None = None,
) -> HabitChances:
    return estimate_chances(HabitTable(habits, Calendar(), until), state, weighing, feedback, recent)


LUNCH = HabitOccasions("lunch", occasions(6, WORKDAYS, 12))


def test_a_routine_is_likely_at_its_time_on_its_days() -> None:
    assert judged(LUNCH, state=at(6, 1, 12.1)).chance[0] > 0.7


@each(
    "state",
    [at(6, 1, 8), at(6, 1, 17), at(6, 5, 12.1)],
)
def test_it_is_unlikely_at_other_times(state: State) -> None:
    assert judged(LUNCH, state=state).chance[0] < 0.3


def test_its_scenario_makes_it_likelier_than_another() -> None:
    other = HabitOccasions("film", occasions(6, WORKDAYS, 21, "residence"))
    here = judged(LUNCH, other, state=at(6, 1, 12.1)).chance[0]
    elsewhere = judged(LUNCH, other, state=at(6, 1, 12.1, "residence")).chance[0]
    unknown = judged(LUNCH, other, state=at(6, 1, 12.1, "unknown")).chance[0]
    assert elsewhere < unknown
    assert elsewhere < here


def test_a_weekly_routine_keeps_to_its_weekday() -> None:
    swim = HabitOccasions("swim", occasions(8, [2], 18))
    daily = HabitOccasions("news", occasions(8, range(7), 7))
    on_the_day = judged(swim, daily, state=at(8, 2, 18)).chance[0]
    next_day = judged(swim, daily, state=at(8, 3, 18)).chance[0]
    assert on_the_day > 0.4 > next_day


def test_two_days_of_evidence_are_not_enough() -> None:
    assert judged(HabitOccasions("new", occasions(1, [0, 1], 9)), state=at(0, 2, 9)).chance[0] == 0


def test_what_is_done_at_any_hour_is_no_routine() -> None:
    scattered = tuple(
        Occasion(MONDAY + timedelta(days=day, hours=7 + (day * 7) % 15), "office") for day in range(40)
    )
    assert judged(HabitOccasions("weather", scattered), state=at(6, 1, 12)).chance[0] < 0.3


def test_a_routine_that_stopped_dies_out() -> None:
    stopped = HabitOccasions("gym", occasions(6, WORKDAYS, 18))
    goes_on = HabitOccasions("lunch", occasions(9, WORKDAYS, 12))
    before = judged(stopped, goes_on, state=at(6, 0, 18)).chance[0]
    after = judged(stopped, goes_on, state=at(8, 4, 18)).chance[0]
    assert before > 0.6
    assert after < 0.1


def test_a_person_who_only_had_that_routine_is_not_asked_for_ever() -> None:
    alone = HabitOccasions("gym", occasions(6, WORKDAYS, 18))
    later = at(12, 0, 18)
    assert judged(alone, state=later, until=later.time.date()).chance[0] < 0.2


def test_a_week_away_is_no_reason_to_be_quiet() -> None:
    busy = [HabitOccasions(f"daily {hour}", occasions(6, range(7), hour)) for hour in (8, 10, 14, 16, 20)]
    back = at(7, 1, 12.1)
    assert judged(LUNCH, *busy, state=back, until=back.time.date()).chance[0] > 0.5


def test_what_was_done_an_hour_ago_is_not_offered_again() -> None:
    state = at(6, 1, 12.5)
    done = RecentHabits((("lunch", state.time - timedelta(minutes=20)),))
    assert judged(LUNCH, state=state, recent=done).chance[0] < 0.2


def test_what_usually_follows_is_likely_after_it() -> None:
    first = HabitOccasions(
        "train", tuple(Occasion(MONDAY + timedelta(days=day, hours=6 + day % 9)) for day in range(20))
    )
    then = HabitOccasions(
        "music", tuple(Occasion(one.time + timedelta(minutes=10)) for one in first.occasions)
    )
    state = at(4, 0, 17)
    just = RecentHabits((("train", state.time - timedelta(minutes=5)),))
    assert judged(first, then, state=state, recent=just).chance[1] > 0.6
    assert judged(first, then, state=state).chance[1] < 0.3


def test_what_follows_on_its_own_weekdays_or_has_ended_is_not_likely_on_others() -> None:
    rides = tuple(Occasion(MONDAY + timedelta(days=day, hours=6 + day % 9)) for day in range(42))
    first = HabitOccasions("train", rides)
    tuesdays = HabitOccasions(
        "music", tuple(Occasion(ride.time + timedelta(minutes=10)) for ride in rides[1::7])
    )
    ended = HabitOccasions("paper", tuple(Occasion(ride.time + timedelta(minutes=15)) for ride in rides[:21]))
    for weekday, likely in ((0, False), (1, True)):
        state = at(6, weekday, 17)
        just = RecentHabits((("train", state.time - timedelta(minutes=5)),), day_known=True)
        chance = judged(first, tuesdays, ended, state=state, recent=just, until=state.time.date()).chance
        assert bool(chance[1] > 0.4) is likely
        assert chance[2] < 0.2


def test_where_the_user_is_before_a_deed_says_nothing_while_the_day_is_followed() -> None:
    here, elsewhere = (at(6, 1, 11.8, scenario) for scenario in ("office", "gym"))
    lived = [judged(LUNCH, state=state, recent=DAY_SO_FAR).chance[0] for state in (here, elsewhere)]
    assert lived[0] == lived[1]


@pytest.mark.parametrize("recent", [NOTHING_DONE, DAY_SO_FAR])
def test_the_way_to_a_place_is_not_offered_at_that_place(recent: RecentHabits) -> None:
    way_home = HabitOccasions("way home", occasions(6, WORKDAYS, 18))
    music = HabitOccasions("music for a run", occasions(6, range(7), 7, "outdoors"))
    evening = HabitOccasions("call", occasions(6, range(7), 21, "residence"))
    lead = {
        scenario: judged(LUNCH, way_home, music, evening, state=at(6, 1, 17.95, scenario), recent=recent)
        for scenario in ("residence", "office", "unknown")
    }
    assert lead["residence"].chance[1] == 0
    assert min(lead["office"].chance[1], lead["unknown"].chance[1]) > 0.6
    # Who runs is at home both before and after it.
    before_run = judged(LUNCH, way_home, music, evening, state=at(6, 1, 6.95, "residence"), recent=recent)
    assert before_run.chance[2] > 0.4


def test_a_moment_that_is_asked_about_does_not_wait_for_the_best_minute() -> None:
    before = at(6, 1, 11.3)
    assert judged(LUNCH, state=before, recent=DAY_SO_FAR).chance[0] == 0
    assert judged(LUNCH, state=before, recent=DAY_SO_FAR, weighing=AT_ONCE).chance[0] > 0.6
    assert judged(LUNCH, state=at(6, 1, 9), recent=DAY_SO_FAR, weighing=AT_ONCE).chance[0] < 0.1


def test_rejections_make_it_less_likely_and_accepting_does_not_harm() -> None:
    state = at(6, 1, 12.1)
    usual = judged(LUNCH, state=state).chance[0]
    rejected = judged(LUNCH, state=state, feedback={"lunch": Feedback(rejected=6)}).chance[0]
    accepted = judged(LUNCH, state=state, feedback={"lunch": Feedback(accepted=5)}).chance[0]
    assert rejected < 0.32 < usual
    assert accepted == pytest.approx(usual)


def test_without_time_the_hour_makes_no_difference() -> None:
    blind = LikelihoodWeights(time=False)
    noon = judged(LUNCH, state=at(6, 1, 12), weighing=blind).chance[0]
    night = judged(LUNCH, state=at(6, 1, 23), weighing=blind).chance[0]
    assert noon == pytest.approx(night)


def test_no_habits_give_no_chances() -> None:
    assert len(judged(state=at(0, 0, 9)).chance) == 0


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.datetimes(datetime(2026, 1, 1), datetime(2026, 3, 1)),
                st.sampled_from(["office", "residence", "unknown"]),
            ),
            min_size=1,
            max_size=8,
        ),
        max_size=4,
    ),
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 4, 1)),
    st.sampled_from(["office", "gym", "unknown"]),
)
def test_a_chance_is_always_a_probability(
    lives: list[list[tuple[datetime, str]]], now: datetime, scenario: str
) -> None:
    habits = [
        HabitOccasions(str(place), tuple(Occasion(time.replace(tzinfo=ZONE), where) for time, where in life))
        for place, life in enumerate(lives)
    ]
    found = judged(*habits, state=State(time=now.replace(tzinfo=ZONE), scenario=scenario))
    assert all(0 <= one <= 1 for one in found.chance)
    assert all(0 <= one <= 1 for one in found.rank)


def lunches(days: Iterable[int], hour: float = 12) -> tuple[Occasion, ...]:
    """Occasions on some of the days of four weeks."""
    return tuple(
        Occasion(MONDAY + timedelta(days=day, hours=hour, minutes=day % 5 * 10), "office") for day in days
    )


def after(habit: str, *habits: HabitOccasions) -> HabitChances:
    """The chances at noon of a Monday, four weeks later, five minutes after a habit was done."""
    state = at(4, 0, 12.1)
    recent = RecentHabits(((habit, state.time - timedelta(minutes=5)),), day_known=True)
    return judged(*habits, state=state, recent=recent, weighing=AT_ONCE)


def test_what_is_done_instead_of_another_makes_that_one_done() -> None:
    workdays = [day for day in range(28) if day % 7 < 5]
    soup = [day for day in workdays if day % 3 == 1]
    bowl = HabitOccasions("bowl", lunches(day for day in workdays if day not in soup))
    other = HabitOccasions("soup", lunches(soup))
    assert judged(bowl, other, state=at(4, 0, 12.1), recent=DAY_SO_FAR, weighing=AT_ONCE).chance[0] > 0.3
    assert after("soup", bowl, other).chance.tolist() == [0, 0]
    assert after("bowl", bowl, other).chance.tolist() == [0, 0]


def test_what_shares_an_hour_by_chance_is_not_done_instead() -> None:
    workdays = [day for day in range(28) if day % 7 < 5]
    bowl = HabitOccasions("bowl", lunches(workdays))
    call = HabitOccasions("call", lunches(day for day in workdays if day % 3 == 1))
    assert after("call", bowl, call).chance[0] > 0.3
    evening = HabitOccasions("film", lunches((day for day in workdays if day % 3 == 2), hour=20))
    assert (
        after(
            "film", HabitOccasions("bowl", lunches(day for day in workdays if day % 3 != 2)), evening
        ).chance[0]
        > 0.3
    )
