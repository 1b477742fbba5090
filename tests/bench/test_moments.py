from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench.follower import Mark
from assistant.bench.moments import Moment, Phase, Span, moments, spans
from assistant.events import Cause

MARKS = [
    Mark(0, Cause.COMMAND, 0.0),
    Mark(0, Cause.OBSERVING, 0.5),
    Mark(1, Cause.OBSERVING, 0.5),
    Mark(1, Cause.THINKING, 2.5),
    Mark(1, Cause.ACTING, 3.0),
    Mark(1, None, 3.25),
    Mark(2, Cause.OBSERVING, 3.25),
    Mark(2, Cause.THINKING, 5.25),
    Mark(2, None, 5.75),
    Mark(2, Cause.DONE, 5.75),
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
    assert spans(MARKS) == SPANS


@given(count=st.integers(0, 60), seed=st.integers(0, 3), turn=st.integers(0, 9))
def test_each_phase_gets_its_share_and_moments_lie_within(count: int, seed: int, turn: int) -> None:
    found = moments(SPANS, count, seed, turn)
    assert len(found) == count
    assert found == moments(SPANS, count, seed, turn)
    shares = Counter(one.phase for one in found)
    assert max(shares.values(), default=0) - min((shares[phase] for phase in Phase), default=0) <= 1
    assert [one.step for one in found] == sorted(one.step for one in found)
    for one in found:
        span = next(span for span in SPANS if (span.step, span.phase) == (one.step, one.phase))
        assert 0 <= one.offset <= span.seconds
        assert one.left == pytest.approx(span.left - one.offset)


def test_a_phase_that_takes_longer_in_one_step_is_met_there_more_often() -> None:
    long_and_short = [Span(1, Phase.ACTING, 3.0, 3.0), Span(2, Phase.ACTING, 1.0, 1.0)]
    found = moments(long_and_short, 40, 0, 0)
    assert Counter(one.step for one in found) == {1: 30, 2: 10}


def test_a_turn_that_never_acts_is_met_elsewhere() -> None:
    found = moments([Span(1, Phase.THINKING, 1.0, 1.0)], 2, 0, 0)
    assert [type(one) for one in found] == [Moment, Moment]
    assert {one.phase for one in found} == {Phase.THINKING}
