"""The turn's state machine (DESIGN section 7): which signal leads from which state to which.

A turn resolves its command, then runs; it waits when it needs the user or the phone, is paused by way
of pausing (an action in flight completes), and ends finished, failed or cancelled.
"""

from __future__ import annotations

from enum import StrEnum

from assistant.events import TurnState


class Signal(StrEnum):
    """What can happen to a turn."""

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
    """The signal means nothing in this state: a fault of the program, never of the user."""


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


def follow(state: TurnState, signal: Signal) -> TurnState:
    """The state after a signal.

    Raises:
        ForbiddenTransition: when the signal means nothing in this state.
    """
    try:
        return TRANSITIONS[state][signal]
    except KeyError:
        raise ForbiddenTransition(f"a turn that is {state} cannot take “{signal}”") from None
