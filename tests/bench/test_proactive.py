from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from assistant.bench import proactive_replay
from assistant.bench.proactive import Asked, heartbeat, judge_states
from assistant.bench.proactive_methods import Judged, Method, history_of, ours, phi
from assistant.bench.proactive_replay import (
    Day,
    Done,
    Voice,
    calibration,
    replay,
    speak_as_oracle,
    speak_as_product,
    speak_from,
)
from assistant.memory.prototypes.model import RecordKind
from assistant.proactive.forecast import USUAL, RecentHabits, threshold
from assistant.proactive.habit_table import UNKNOWN
from assistant.records import Record, State
from assistant.settings.schema import ProactiveSettings
from assistant.simulator.chance import Chance
from assistant.simulator.life.habits import Habit, Phase
from assistant.simulator.life.intents import lexicon
from assistant.simulator.life.people import LifeOptions, Person, filled, invent
from tests.bench.changing_routines import days_until_left, days_until_moved, days_until_stopped
from tests.proactive.lives import BERLIN, daily

COST = 0.38
SETTINGS = ProactiveSettings()


def person() -> Person:
    return invent(LifeOptions(seed=100, routines=False), 0)


def tea_at(hour: int) -> datetime:
    return datetime(2026, 3, 30, hour, tzinfo=BERLIN)


def day(*done: datetime, due: bool = True) -> Day:
    """A day after four weeks of tea at eight, on which tea is had at these times."""
    history = history_of([daily("tea", tea_at(8).time())], until=tea_at(8).date())
    records = [
        Record(id=str(place), user_id="me", time=at, instruction="Make tea") for place, at in enumerate(done)
    ]
    had = tuple(Done(one, "tea", "tea", due) for one in records)
    return Day(tea_at(0).date(), person(), history, {"tea": "tea"}, had, tea_at(0))


def test_a_wanted_suggestion_meets_its_routine_and_is_made_once() -> None:
    found = replay([day(tea_at(8))], Voice("ours", speak_as_product(USUAL, SETTINGS)), SETTINGS, "one")
    assert (found.due, len(found.met), len(found.suggestions)) == (1, 1, 1)
    assert found.suggestions[0].ahead is not None
    assert 0 <= found.suggestions[0].ahead <= 30


def test_a_suggestion_that_nobody_wants_is_needless() -> None:
    found = replay([day()], Voice("ours", speak_as_product(USUAL, SETTINGS)), SETTINGS, "two")
    assert (found.due, found.met) == (0, ())
    assert [suggestion.ahead for suggestion in found.suggestions] == [None]


def test_who_never_wants_a_routine_is_offered_it_less_where_answers_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proactive_replay, "_UNWANTED", 1)
    days = []
    for number in range(6):
        midnight = tea_at(0) + timedelta(days=number)
        history = history_of([daily("tea", tea_at(8).time())], until=midnight.date())
        record = Record(
            id=str(number), user_id="me", time=midnight + timedelta(hours=8), instruction="Make tea"
        )
        had = (Done(record, "tea", "tea", True),)
        days.append(Day(midnight.date(), person(), history, {"tea": "tea"}, had, midnight))
    made = [
        len(
            replay(
                days,
                Voice("ours", speak_as_product(USUAL, SETTINGS), learns),
                SETTINGS,
                "four",
                particular=True,
            ).suggestions
        )
        for learns in (True, False)
    ]
    assert made[0] < made[1]


def test_the_rules_of_the_product_hold_for_every_way_of_judging() -> None:
    always = speak_from(lambda *_: Judged("tea", 1.0), 0.5)
    found = replay([day(tea_at(8))] * 6, Voice("always", always, learns=False), SETTINGS, "three")
    assert len(found.suggestions) <= 6
    silent = SETTINGS.model_copy(update={"a_day": 0})
    assert not replay([day(tea_at(8))], Voice("always", always), silent, "three").suggestions


def test_who_knows_every_habit_speaks_at_its_time_and_not_when_it_was_done() -> None:
    intent = lexicon().intents[0]
    phase = Phase(filled(intent, Chance(1)), tea_at(8).date(), tea_at(8).date(), 8 * 60.0)
    tea = Habit("tea", RecordKind.ROUTINE, intent, (phase,), spread=10.0, missed=0.1)
    drinker = replace(person(), habits=(tea,))

    def lived(*done: datetime) -> Day:
        known = day(*done)
        deeds = tuple(replace(deed, cluster=phase.want.id) for deed in known.done)
        return replace(known, person=drinker, clusters={"tea": phase.want.id}, done=deeds)

    for deeds, made in (((tea_at(8),), 1), ((), 1), ((tea_at(7),), 0)):
        days = [lived(*deeds)]
        oracle = Voice("oracle", speak_as_oracle(days, COST), learns=False)
        assert len(replay(days, oracle, SETTINGS, "five").suggestions) == made


def test_where_a_person_is_does_not_tell_whether_something_comes_up() -> None:
    there = [some.state(tea_at(8)).scenario for some in (day(), day(tea_at(8)))]
    assert there[0] == there[1]
    assert {day().state(tea_at(hour)).scenario for hour in range(24)} - {UNKNOWN}


def state_of(kind: str, hour: int, *, wanted: bool) -> Asked:
    there = day()
    state = State(time=tea_at(hour))
    clusters = frozenset({"tea"}) if wanted else frozenset()
    return Asked(kind, state, clusters, there.history, there.clusters, RecentHabits())


def test_states_are_told_apart_by_set_with_the_best_score_in_hindsight() -> None:
    states = [state_of("near", 8, wanted=True), state_of("near", 14, wanted=False)]
    silent = Method("silent", lambda history, state, recent: Judged("", 0.0), (0.0,))
    loud = Method("loud", lambda history, state, recent: Judged("tea", 1.0), (0.5, 2.0))
    assert judge_states(states, Method("ours", ours(USUAL), (threshold(COST),)))["near"]["f1"] == 1.0
    assert judge_states(states, silent)["near"]["right"] == 0.0
    figures = judge_states(states, loud)["near"]
    assert (figures["least"], figures["right"], figures["false_alarms"]) == (0.5, 1.0, 1.0)


def test_chances_that_are_what_they_say_have_no_error() -> None:
    honest = [(0.75, True)] * 3 + [(0.75, False)]
    boastful = [(0.75, False)] * 4
    assert calibration(honest)["error"] == pytest.approx(0.0)
    assert calibration(boastful)["error"] == pytest.approx(0.75)
    assert calibration([])["error"] == 0.0


def test_routines_that_stop_or_move_are_followed() -> None:
    least = threshold(COST)
    for number in range(2):
        stopped = days_until_stopped(ours(USUAL), least, number, seed=1)
        moved = days_until_moved(ours(USUAL), least, number, seed=1)
        assert stopped is not None
        assert moved is not None
        assert max(stopped, moved) <= 14
        assert days_until_left(ours(USUAL), least, number, seed=1) is not None


def test_exactly_the_same_state_is_slow_to_follow() -> None:
    """The paper's Φ has no recency: what was regular for weeks stays a routine."""
    assert days_until_stopped(phi, 0.0, 0, seed=1) is None


def test_a_look_is_timed() -> None:
    assert heartbeat(ours(USUAL), seed=0, prototypes=20) > 0
