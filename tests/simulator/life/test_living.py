from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date
from statistics import mean

import pytest

from assistant.memory.prototypes.model import RecordKind
from assistant.records import OpenApp, TypeText
from assistant.simulator.life.intents import lexicon
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions

EASY = LifeOptions(seed=9, people=8)
HARD = LifeOptions(seed=7, people=6, hard=True, weeks=4)


@pytest.fixture(scope="module")
def easy() -> list[Life]:
    return list(lives(EASY))


@pytest.fixture(scope="module")
def hard() -> list[Life]:
    return list(lives(HARD))


def test_the_same_seed_gives_the_same_lives(easy: list[Life]) -> None:
    again = next(iter(lives(EASY)))
    other = next(iter(lives(LifeOptions(seed=10, people=8))))

    assert again == easy[0]
    assert other.records != easy[0].records


def test_records_are_in_order_with_ids_of_their_own_and_zones(easy: list[Life]) -> None:
    for life in easy:
        times = [one.time for one in life.records]
        assert times == sorted(times)
        assert len({one.id for one in life.records}) == len(life.records)
        assert all(one.time.utcoffset() is not None for one in life.records)


def test_every_own_record_has_a_truth_and_nobody_elses(easy: list[Life]) -> None:
    assert any(len(life.own) < len(life.records) for life in easy), "nobody shares a phone"
    for life in easy:
        assert {one.record_id for one in life.truths} == {one.id for one in life.own}


def test_both_languages_speak_their_own(easy: list[Life]) -> None:
    for life in easy:
        ascii_only = mean(one.instruction.isascii() for one in life.own)
        assert ascii_only > 0.6 if life.person.locale == "en" else ascii_only < 0.05


def test_a_cluster_has_one_kind_and_several_wordings(easy: list[Life]) -> None:
    several = []
    for life in easy:
        kinds: dict[str, set[RecordKind]] = defaultdict(set)
        texts: dict[str, list[str]] = defaultdict(list)
        words = {one.id: one.instruction for one in life.own}
        for truth in life.truths:
            kinds[truth.cluster].add(truth.kind)
            texts[truth.cluster].append(words[truth.record_id])
        assert all(len(found) == 1 for found in kinds.values())
        several += [len(set(found)) > 1 for found in texts.values() if len(found) > 8]
    assert mean(several) > 0.9


def test_one_offs_are_rare_but_for_bursts_of_one_day(easy: list[Life]) -> None:
    for life in easy:
        days: dict[str, set[date]] = defaultdict(set)
        when = {one.id: one.time.date() for one in life.own}
        for truth in life.truths:
            if truth.kind is RecordKind.MOMENT and "cancel" not in truth.cluster:
                days[truth.cluster].add(when[truth.record_id])
        assert max(map(len, days.values())) <= 4
        assert mean(map(len, days.values())) < 2


def test_people_have_routines_and_preferences_some_of_which_change(easy: list[Life]) -> None:
    habits = [habit for life in easy for habit in life.person.habits]
    kinds = Counter(habit.kind for habit in habits)

    assert kinds[RecordKind.ROUTINE] >= 3 * len(easy) * 0.8
    assert kinds[RecordKind.PREFERENCE] >= 3 * len(easy)
    assert any(len({phase.want.id for phase in habit.phases}) > 1 for habit in habits)
    assert any(phase.drift for habit in habits for phase in habit.phases)
    assert any(habit.phases[-1].last < life.person.last for life in easy for habit in life.person.habits)
    assert any(habit.after for habit in habits)


def test_routines_keep_to_their_days_and_hours(easy: list[Life]) -> None:
    for life in easy:
        times = {one.id: one.time for one in life.own}
        habits = {habit.id: habit for habit in life.person.habits}
        for truth in life.truths:
            if truth.kind is RecordKind.ROUTINE and not habits[truth.habit].after:
                at = times[truth.record_id]
                due = habits[truth.habit].due(at.date())
                assert due is not None
                assert abs(due - at.hour * 60 - at.minute) < 100


def test_without_routines_nothing_is_a_routine() -> None:
    for life in lives(LifeOptions(seed=3, people=3, routines=False)):
        assert RecordKind.ROUTINE not in {truth.kind for truth in life.truths}
        assert RecordKind.PREFERENCE in {truth.kind for truth in life.truths}


def test_hard_lives_hide_the_scenario_and_have_a_week_away(hard: list[Life]) -> None:
    share = mean(one.scenario == "unknown" for life in hard for one in life.own)

    assert 0.35 < share < 0.45
    for life in hard:
        assert life.person.away is not None
        away = [one for one in life.own if life.person.is_away(one.time.date())]
        truths = {one.record_id: one.kind for one in life.truths}
        assert {truths[one.id] for one in away} <= {RecordKind.MOMENT}


def test_actions_are_done_in_the_app_that_the_record_names(easy: list[Life]) -> None:
    done = [one for life in easy for one in life.own if one.actions]

    assert mean(bool(one.actions) for life in easy for one in life.own) > 0.9
    for record in done:
        assert isinstance(record.actions[0], OpenApp)
        assert record.actions[0].name == record.app
        targets = [action.target for action in record.actions if action.target]
        assert all(one.resource_id.startswith(record.package) for one in targets)
    typed = [action.text for one in done for action in one.actions if isinstance(action, TypeText)]
    assert len(set(typed)) > 100


def test_there_are_intents_for_all_apps_in_both_languages() -> None:
    found = lexicon()

    assert len(found.intents) >= 60
    assert len(found.apps) >= 20
    for intent in found.intents:
        assert intent.way in found.ways
        for names in (*intent.slots.values(), *intent.free.values()):
            assert len(found.values[names]) >= 2
        for phrases in (intent.en, intent.zh):
            assert len(phrases.say) >= 3
            if RecordKind.ROUTINE in intent.kinds:
                assert phrases.vague, intent.id


def test_too_short_a_life_is_refused() -> None:
    with pytest.raises(ValueError, match="two weeks"):
        LifeOptions(weeks=1)
