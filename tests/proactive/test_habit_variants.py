from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from assistant.memory.prototypes.model import Prototype
from assistant.proactive.forecast import (
    DAY_SO_FAR,
    Feedback,
    Habits,
    RoutineFeedback,
    estimate_chances,
    opening_times,
    select_habits,
)
from assistant.proactive.habit_table import Calendar, HabitTable, group_variants, is_same_wish
from assistant.records import Action, Click, Point, State, Target, TypeText

from .lives import BERLIN, habits, prototype

MONDAY = date(2026, 3, 2)


def taps(*elements: tuple[str, str], typed: str = "") -> tuple[Action, ...]:
    clicks = [
        Click(point=Point(0.5, 0.5), target=Target(resource_id=element, text=text))
        for element, text in elements
    ]
    return (*clicks, TypeText(text=typed)) if typed else tuple(clicks)


def routine(
    name: str, days: list[int], actions: tuple[Action, ...], *, at: time = time(18), says: str = ""
) -> Prototype:
    times = [datetime.combine(MONDAY + timedelta(days=day), at, BERLIN) for day in days]
    made = prototype(name, times)
    return replace(made, actions=actions, package="org.chat", instruction=says or f"Tell {name}")


def message(name: str, days: list[int], to: str, text: str, *, at: time = time(18)) -> Prototype:
    return routine(name, days, taps(("open", ""), ("row", to), ("send", "Send"), typed=text), at=at)


def ids(*prototypes: Prototype) -> set[frozenset[str]]:
    return {frozenset({habit.id, *habit.variants}) for habit in group_variants(prototypes)}


LEFT = message("left", [0, 2, 4, 7, 10], "Li Na", "I just left work")
ON_MY_WAY = message("way", [1, 3, 8, 9, 11], "Li Na", "on my way back")


def test_the_same_message_in_other_words_is_one_habit_with_all_occasions_under_the_newest_in_use() -> None:
    (habit,) = group_variants([LEFT, ON_MY_WAY])
    assert (habit.id, habit.variants) == ("way", frozenset({"left"}))
    assert len(habit.occasions) == 10
    assert is_same_wish(LEFT, ON_MY_WAY)


def test_messages_to_two_people_in_turn_stay_apart() -> None:
    to_mother = message("mother", [1, 3, 8, 9, 11], "Mother", "on my way back")
    assert ids(LEFT, to_mother) == {frozenset({"left"}), frozenset({"mother"})}


def test_what_takes_the_place_of_something_that_ended_keeps_its_days_and_hour() -> None:
    since = message("mother", [14, 16, 18, 21], "Mother", "I just left work")
    (habit,) = group_variants([LEFT, since])
    assert (habit.id, habit.variants) == ("mother", frozenset({"left"}))
    assert not is_same_wish(LEFT, since)


def test_a_no_to_what_was_done_before_silences_its_other_wordings_but_not_what_took_its_place() -> None:
    since = message("mother", [14, 16, 18, 21], "Mother", "I just left work")
    for other, is_quiet in ((ON_MY_WAY, True), (since, False)):
        known = habits(LEFT, other)
        refused = RoutineFeedback({"left": Feedback(rejected=3.0)}, frozenset({"left"}))
        joined = refused.join(known.wordings)
        assert (other.id in joined.quiet) is is_quiet
        assert (joined.feedback.get(other.id, Feedback()).factor < 1) is is_quiet


def test_what_begins_long_after_the_end_or_at_another_hour_takes_no_place() -> None:
    later = message("mother", [60, 62, 64], "Mother", "I just left work")
    morning = message("mother", [14, 16, 18], "Mother", "I just left work", at=time(8))
    for other in (later, morning):
        assert ids(LEFT, other) == {frozenset({"left"}), frozenset({"mother"})}


def test_what_is_done_on_the_same_days_does_not_stand_in() -> None:
    both = message("way", [0, 2, 4, 8, 10], "Li Na", "on my way back")
    assert ids(LEFT, both) == {frozenset({"left"}), frozenset({"way"})}


def test_opposites_and_other_figures_stay_apart() -> None:
    switch = taps(("wifi", "Wi-Fi"))
    on = routine("on", [0, 2, 4, 7], switch, says="Turn on Wi-Fi")
    off = routine("off", [1, 3, 5, 8], switch, says="Turn off Wi-Fi")
    assert ids(on, off) == {frozenset({"on"}), frozenset({"off"})}
    early = routine("early", [0, 2, 4, 7], taps(("alarm", "Alarm"), typed="6:30"))
    late = routine("late", [1, 3, 5, 8], taps(("alarm", "Alarm"), typed="8:00"))
    assert ids(early, late) == {frozenset({"early"}), frozenset({"late"})}


def test_what_the_user_set_up_stands_for_itself() -> None:
    assert len(group_variants([replace(LEFT, alone=True), ON_MY_WAY])) == 2
    assert len(group_variants([LEFT, replace(ON_MY_WAY, place="office")])) == 2
    assert len(group_variants([replace(LEFT, package="org.other"), ON_MY_WAY])) == 2


def test_wordings_with_too_few_records_each_are_one_routine_together() -> None:
    seven, up, other = (
        routine(name, days, ()) for name, days in (("7", [0, 1]), ("up", [2]), ("other", [3]))
    )
    kept, found_habits = select_habits([seven, up, other], [("up", "7")], 3)
    assert set(kept) == {"7", "up"}
    assert [(habit.id, habit.variants, len(habit.occasions)) for habit in found_habits] == [
        ("up", frozenset({"7"}), 3)
    ]
    assert select_habits([seven, other], [("other", "7")], 4) == ({}, [])


def test_a_no_to_a_routine_is_one_to_its_other_wordings() -> None:
    first, second = routine("7", [0, 1], ()), routine("up", [2, 3], ())
    kept, found_habits = select_habits([first, second], [("up", "7")], 3)
    known = Habits(kept, HabitTable(found_habits, Calendar()))
    assert RoutineFeedback({}, frozenset({"7"})).join(known.wordings).quiet == frozenset({"7", "up"})


def test_what_is_alike_by_words_and_hours_alone_is_surer_the_more_often_it_came() -> None:
    def chances(days: int, *, in_words: bool) -> tuple[float, float]:
        prototypes = [routine("7", list(range(0, days, 2)), ()), routine("up", list(range(1, days, 2)), ())]
        single = [routine("7", list(range(days)), ())]
        grouped = group_variants(prototypes, [("7", "up")]) if in_words else group_variants(single)
        table = HabitTable(grouped, Calendar())
        now = datetime.combine(MONDAY + timedelta(days=days), time(17, 50), BERLIN)
        state = State(time=now, scenario="unknown")
        opened = max(chance for *_, chance in opening_times(table, now.date()))
        return float(estimate_chances(table, state, recent=DAY_SO_FAR).chance.max()), opened

    shares = []
    for days in (3, 12, 40):
        by_words, by_deeds = chances(days, in_words=True), chances(days, in_words=False)
        shares.append([words / deeds for words, deeds in zip(by_words, by_deeds, strict=True)])
    assert shares[0][0] < 0.6 < shares[1][0] < 0.93 < shares[2][0] < 1
    # What has not come by ten to six is less likely to be a habit than when it might first be offered.
    assert all(0 <= opened - at_once < 0.05 for at_once, opened in shares)
