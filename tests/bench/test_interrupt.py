from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench.harness import PhaseStart
from assistant.bench.interrupt import Moment, Phase, Span, draw_moments, step_spans
from assistant.events import Cause

PHASE_STARTS = [
    PhaseStart(0, Cause.COMMAND, 0.0),
    PhaseStart(0, Cause.OBSERVING, 0.5),
    PhaseStart(1, Cause.OBSERVING, 0.5),
    PhaseStart(1, Cause.THINKING, 2.5),
    PhaseStart(1, Cause.ACTING, 3.0),
    PhaseStart(1, None, 3.25),
    PhaseStart(2, Cause.OBSERVING, 3.25),
    PhaseStart(2, Cause.THINKING, 5.25),
    PhaseStart(2, None, 5.75),
    PhaseStart(2, Cause.DONE, 5.75),
]
SPANS = [
    Span(1, Phase.BETWEEN, 0.0, 2.75),
    Span(1, Phase.LOOKING, 2.0, 2.75),
    Span(1, Phase.THINKING, 0.5, 0.75),
    Span(1, Phase.ACTING, 0.25, 0.25),
    Span(2, Phase.BETWEEN, 0.0, 2.5),
    Span(2, Phase.LOOKING, 2.0, 2.5),
    Span(2, Phase.THINKING, 0.5, 0.5),
]


def test_the_phases_of_steps_are_read_from_what_a_turn_did() -> None:
    assert step_spans(PHASE_STARTS) == SPANS


@given(count=st.integers(0, 60), seed=st.integers(0, 3), turn=st.integers(0, 9))
def test_each_phase_gets_its_share_and_moments_lie_within(count: int, seed: int, turn: int) -> None:
    moments = draw_moments(SPANS, count, seed, turn)
    assert len(moments) == count
    assert moments == draw_moments(SPANS, count, seed, turn)
    shares = Counter(moment.phase for moment in moments)
    assert max(shares.values(), default=0) - min((shares[phase] for phase in Phase), default=0) <= 1
    assert [moment.step for moment in moments] == sorted(moment.step for moment in moments)
    for moment in moments:
        span = next(span for span in SPANS if (span.step, span.phase) == (moment.step, moment.phase))
        assert 0 <= moment.offset <= span.seconds
        assert moment.left == pytest.approx(span.left - moment.offset)


def test_a_phase_that_takes_longer_in_one_step_is_met_there_more_often() -> None:
    long_and_short = [Span(1, Phase.ACTING, 3.0, 3.0), Span(2, Phase.ACTING, 1.0, 1.0)]
    moments = draw_moments(long_and_short, 40, 0, 0)
    assert Counter(moment.step for moment in moments) == {1: 30, 2: 10}


def test_a_turn_that_never_acts_is_met_elsewhere() -> None:
    moments = draw_moments([Span(1, Phase.THINKING, 1.0, 1.0)], 2, 0, 0)
    assert [type(moment) for moment in moments] == [Moment, Moment]
    assert {moment.phase for moment in moments} == {Phase.THINKING}
