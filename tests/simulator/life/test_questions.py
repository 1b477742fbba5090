from __future__ import annotations

from collections import Counter

import pytest

from assistant.memory.prototypes.model import RecordKind
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import commands, states


@pytest.fixture(scope="module")
def some() -> list[Life]:
    return list(lives(LifeOptions(seed=21, people=6)))


def test_commands_ask_for_what_is_wanted_now_and_has_evidence(some: list[Life]) -> None:
    asked = [(life, one) for life in some for one in commands(life)]

    assert len(asked) > 40
    for life, one in asked:
        before = {record.id for record in life.history}
        evidence = [truth for truth in life.truths if truth.cluster == one.cluster]
        assert one.at >= life.split
        assert sum(truth.record_id in before for truth in evidence) >= 3
        current = [phase.want.id for habit in life.person.habits if (phase := habit.phase(one.at.date()))]
        assert one.cluster in current


def test_commands_use_words_that_no_record_holds(some: list[Life]) -> None:
    for life in some:
        said = {record.said.lower() for record in life.records}
        for one in commands(life):
            assert one.said.lower() not in said
            assert one.cluster not in one.said


def test_states_before_routines_carry_what_is_then_done(some: list[Life]) -> None:
    for life in some:
        instructions = {one.instruction for one in life.own if one.time >= life.split}
        for state in states(life):
            assert state.at.date() >= life.split.date()
            if state.instruction is not None:
                assert state.instruction in instructions
                assert state.why == "routine"


def test_quiet_states_keep_clear_of_routines(some: list[Life]) -> None:
    kinds: Counter[str] = Counter()
    for life in some:
        quiet = [one for one in states(life) if one.instruction is None]
        kinds.update(one.why for one in quiet)
        for one in quiet:
            minute = one.at.hour * 60 + one.at.minute
            for habit in life.person.habits:
                due = habit.due(one.at.date())
                assert due is None or abs(due - minute) >= 119
    assert min(kinds[why] for why in ("no routine", "other weekday", "stopped")) > 10


def test_people_without_routines_have_quiet_states_only() -> None:
    life = next(iter(lives(LifeOptions(seed=2, routines=False))))

    asked = states(life)
    assert len(asked) == 100
    assert all(one.instruction is None for one in asked)
    assert {one.kind for one in commands(life)} == {RecordKind.PREFERENCE}
