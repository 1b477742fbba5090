from __future__ import annotations

import pytest

from assistant.agent.turn_control import TRANSITIONS, ForbiddenTransition, Signal, next_state
from assistant.events import TurnState

EXPECTED = {
    (TurnState.RESOLVING, Signal.RESOLVED): TurnState.RUNNING,
    (TurnState.RESOLVING, Signal.USER_NEEDED): TurnState.WAITING,
    (TurnState.RESOLVING, Signal.PAUSE): TurnState.PAUSING,
    (TurnState.RESOLVING, Signal.FAIL): TurnState.FAILED,
    (TurnState.RESOLVING, Signal.CANCEL): TurnState.CANCELLED,
    (TurnState.RUNNING, Signal.USER_NEEDED): TurnState.WAITING,
    (TurnState.RUNNING, Signal.PAUSE): TurnState.PAUSING,
    (TurnState.RUNNING, Signal.FINISH): TurnState.FINISHED,
    (TurnState.RUNNING, Signal.FAIL): TurnState.FAILED,
    (TurnState.RUNNING, Signal.CANCEL): TurnState.CANCELLED,
    (TurnState.WAITING, Signal.ANSWERED): TurnState.RUNNING,
    (TurnState.WAITING, Signal.PAUSE): TurnState.PAUSING,
    (TurnState.WAITING, Signal.FAIL): TurnState.FAILED,
    (TurnState.WAITING, Signal.CANCEL): TurnState.CANCELLED,
    (TurnState.PAUSING, Signal.STILL): TurnState.PAUSED,
    (TurnState.PAUSING, Signal.FAIL): TurnState.FAILED,
    (TurnState.PAUSING, Signal.CANCEL): TurnState.CANCELLED,
    (TurnState.PAUSED, Signal.RESUME): TurnState.RUNNING,
    (TurnState.PAUSED, Signal.FAIL): TurnState.FAILED,
    (TurnState.PAUSED, Signal.CANCEL): TurnState.CANCELLED,
}


@pytest.mark.parametrize("state", TurnState)
@pytest.mark.parametrize("signal", Signal)
def test_each_transition(state: TurnState, signal: Signal) -> None:
    if (state, signal) in EXPECTED:
        assert next_state(state, signal) is EXPECTED[state, signal]
    else:
        with pytest.raises(ForbiddenTransition, match=signal):
            next_state(state, signal)


def test_only_the_ends_are_final() -> None:
    assert {state for state in TurnState if not TRANSITIONS[state]} == {s for s in TurnState if s.final}
