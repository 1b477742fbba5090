"""The state machine of a turn.

A turn resolves its command, then runs. It waits when it needs the user or the phone, goes through `PAUSING`
to `PAUSED` (an action in progress completes), and ends finished, failed or cancelled.
"""

from __future__ import annotations

from enum import StrEnum

from assistant.events import TurnState


class Signal(StrEnum):
    """An event that changes the state of a turn."""

    RESOLVED = "resolved"
    USER_NEEDED = "user_needed"
    ANSWERED = "answered"
    PAUSE = "pause"
    STILL = "still"
    RESUME = "resume"
    FINISH = "finish"
    FAIL = "fail"
    CANCEL = "cancel"


class ForbiddenTransition(Exception):
    """The signal is not allowed in this state: a bug, never a mistake of the user."""


_ENDINGS = {Signal.FAIL: TurnState.FAILED, Signal.CANCEL: TurnState.CANCELLED}

TRANSITIONS: dict[TurnState, dict[Signal, TurnState]] = {
    TurnState.RESOLVING: {
        Signal.RESOLVED: TurnState.RUNNING,
        Signal.USER_NEEDED: TurnState.WAITING,
        Signal.PAUSE: TurnState.PAUSING,
        **_ENDINGS,
    },
    TurnState.RUNNING: {
        Signal.USER_NEEDED: TurnState.WAITING,
        Signal.PAUSE: TurnState.PAUSING,
        Signal.FINISH: TurnState.FINISHED,
        **_ENDINGS,
    },
    TurnState.WAITING: {
        Signal.ANSWERED: TurnState.RUNNING,
        Signal.PAUSE: TurnState.PAUSING,
        **_ENDINGS,
    },
    TurnState.PAUSING: {
        Signal.STILL: TurnState.PAUSED,
        **_ENDINGS,
    },
    TurnState.PAUSED: {
        Signal.RESUME: TurnState.RUNNING,
        **_ENDINGS,
    },
    TurnState.FINISHED: {},
    TurnState.FAILED: {},
    TurnState.CANCELLED: {},
}


def next_state(state: TurnState, signal: Signal) -> TurnState:
    """The state after a signal.

    Raises:
        ForbiddenTransition: the signal is not allowed in this state.
    """
    try:
        return TRANSITIONS[state][signal]
    except KeyError:
        raise ForbiddenTransition(f"a turn that is {state} cannot take “{signal}”") from None
