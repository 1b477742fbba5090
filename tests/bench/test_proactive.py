from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from assistant.bench.proactive import Answer, best_least, heartbeat, identify
from assistant.bench.proactive_methods import history_of, ours, phi
from assistant.proactive.forecast import Habits
from assistant.proactive.likelihood import USUAL, RecentHabits
from assistant.proactive.suggestions import threshold
from assistant.records import State
from tests.bench.changing_routines import days_until_left, days_until_moved, days_until_stopped
from tests.proactive.lives import BERLIN, daily

COST = 0.47


def tea_at(hour: int) -> datetime:
    return datetime(2026, 3, 30, hour, tzinfo=BERLIN)


def answered(score: float, *, positive: bool) -> Answer:
    return Answer(score, positive, right=positive, guessed=True)


def test_identification_is_weighted_to_the_balance_of_the_paper() -> None:
    given = [answered(0.9, positive=True)] * 43 + [answered(0.9, positive=False)] * 5
    given += [answered(0.1, positive=False)] * 5
    figures = identify(given, 0.5)
    assert (figures["recall"], figures["false_alarms"]) == (1.0, 0.5)
    assert figures["precision"] == pytest.approx(43 / (43 + 10))


def test_the_best_score_in_hindsight_parts_moments_from_quiet() -> None:
    given = [answered(0.6, positive=True), answered(0.4, positive=False)]
    assert 0.4 < best_least(given) <= 0.6


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


def test_one_state_is_judged_as_the_command_judges_it() -> None:
    """The benchmark's own judgement is that behind `assistant suggest`."""
    history = history_of([daily("tea", tea_at(8).time()), daily("news", tea_at(20).time())])
    for hour in (8, 14, 20):
        state = State(time=tea_at(hour) + timedelta(days=1))
        judged = ours(USUAL)(history, state, RecentHabits())
        habits = Habits(history.prototypes, history.table)
        offers = habits.judge(state, COST, USUAL, history.feedback, RecentHabits())
        assert [(offered.routine, offered.score) for offered in offers[:1]] == (
            [(judged.routine, round(judged.score, 4))] if judged.score >= threshold(COST) else []
        )


def test_a_look_is_timed() -> None:
    assert heartbeat(ours(USUAL), seed=0, prototypes=20) > 0
