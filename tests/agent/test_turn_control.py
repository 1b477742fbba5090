"""The state machine of a turn, and what a pause or cancel does to the operation under way."""

from __future__ import annotations

import asyncio

import pytest

from assistant.agent.turn_control import (
    TRANSITIONS,
    ForbiddenTransition,
    Interrupted,
    Signal,
    TurnControl,
    next_state,
)
from assistant.events import Cause, TurnState
from tests.tables import each

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
    (TurnState.RUNNING, Signal.UNCONFIRM): TurnState.UNCONFIRMED,
    (TurnState.WAITING, Signal.ANSWERED): TurnState.RUNNING,
    (TurnState.WAITING, Signal.PAUSE): TurnState.PAUSING,
    (TurnState.WAITING, Signal.FAIL): TurnState.FAILED,
    (TurnState.WAITING, Signal.CANCEL): TurnState.CANCELLED,
    (TurnState.PAUSING, Signal.STILL): TurnState.PAUSED,
    (TurnState.PAUSING, Signal.PAUSE): TurnState.PAUSING,
    (TurnState.PAUSING, Signal.FAIL): TurnState.FAILED,
    (TurnState.PAUSING, Signal.CANCEL): TurnState.CANCELLED,
    (TurnState.PAUSED, Signal.RESUME): TurnState.RUNNING,
    (TurnState.PAUSED, Signal.FAIL): TurnState.FAILED,
    (TurnState.PAUSED, Signal.CANCEL): TurnState.CANCELLED,
}


@each("state", TurnState)
@each("signal", Signal)
def test_each_transition(state: TurnState, signal: Signal) -> None:
    if (state, signal) in EXPECTED:
        assert next_state(state, signal) is EXPECTED[state, signal]
    else:
        with pytest.raises(ForbiddenTransition, match=signal):
            next_state(state, signal)


def test_only_the_ends_are_final() -> None:
    assert {state for state in TurnState if not TRANSITIONS[state]} == {s for s in TurnState if s.final}


@pytest.fixture
def control() -> TurnControl:
    control = TurnControl(lambda *_: None)
    control.apply_signal(Signal.RESOLVED, Cause.OBSERVING)
    return control


class Work:
    """Work that takes until it is let go, and tells whether it began."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self) -> str:
        self.begun.set()
        await self.may_end.wait()
        return "done"


@pytest.mark.parametrize("stoppable", [False, True])
async def test_nothing_begins_while_the_turn_is_pausing(control: TurnControl, stoppable: bool) -> None:
    work = Work()
    work.may_end.set()
    control.begin_pause(Cause.USER_PAUSED, "")
    assert control.state is TurnState.PAUSING
    with pytest.raises(Interrupted):
        await control.run_cancellable(work(), stop=(lambda: None) if stoppable else None)
    assert not work.begun.is_set()


async def test_nothing_begins_once_the_turn_is_cancelled(control: TurnControl) -> None:
    work = Work()
    work.may_end.set()
    control.cancel()
    with pytest.raises(Interrupted):
        await control.run_cancellable(work())
    assert not work.begun.is_set()


async def test_a_pause_drops_the_work_under_way(control: TurnControl) -> None:
    work = Work()
    doing = asyncio.create_task(control.run_cancellable(work()))
    await work.begun.wait()
    control.pause()
    with pytest.raises(Interrupted):
        await doing


async def test_an_action_in_flight_is_told_to_stop_and_completes(control: TurnControl) -> None:
    work = Work()
    doing = asyncio.create_task(control.run_cancellable(work(), stop=work.may_end.set))
    await work.begun.wait()
    control.pause()
    assert await doing == "done"


async def test_resuming_while_the_turn_is_still_pausing_counts(control: TurnControl) -> None:
    control.begin_pause(Cause.USER_PAUSED, "")
    control.resume()
    await asyncio.wait_for(control.wait_until_resumed(), 5)
    assert control.state is TurnState.RUNNING


@pytest.mark.parametrize("is_still", [False, True])
async def test_a_pause_takes_a_resume_back_that_has_not_come_into_effect(
    control: TurnControl, is_still: bool
) -> None:
    control.pause()
    waiting = asyncio.create_task(control.wait_until_resumed())
    if is_still:
        await asyncio.sleep(0)
    control.resume()
    control.pause()
    for _ in range(6):
        await asyncio.sleep(0)
    assert not waiting.done()
    control.resume()
    await asyncio.wait_for(waiting, 5)
    assert control.state is TurnState.RUNNING


async def test_work_that_ended_at_the_moment_of_a_pause_is_dropped(control: TurnControl) -> None:
    work: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    doing = asyncio.create_task(control.run_cancellable(work))
    await asyncio.sleep(0)
    work.set_result("done")
    control.pause()
    with pytest.raises(Interrupted):
        await doing
    assert control.state is TurnState.PAUSING


def test_a_page_that_needs_the_user_may_come_while_the_turn_is_pausing(control: TurnControl) -> None:
    control.pause()
    control.resume()
    control.begin_pause(Cause.HANDED_OVER, "Enter your password on the phone.")
    assert (control.state, control.cause) == (TurnState.PAUSING, Cause.HANDED_OVER)


def test_a_turn_that_is_over_is_neither_paused_nor_cancelled(control: TurnControl) -> None:
    control.apply_signal(Signal.FINISH, Cause.DONE)
    control.pause()
    control.cancel()
    assert (control.state, control.cancelling) == (TurnState.FINISHED, False)


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ([(Signal.PAUSE, Cause.USER_PAUSED), (Signal.STILL, Cause.USER_PAUSED)], Signal.RESUME),
        ([(Signal.USER_NEEDED, Cause.QUESTION)], Signal.ANSWERED),
    ],
)
def test_a_pause_and_a_question_take_the_users_time(begins: list[tuple[Signal, Cause]], ends: Signal) -> None:
    now = [0.0]
    control = TurnControl(lambda *_: None, lambda: now[0])
    control.apply_signal(Signal.RESOLVED, Cause.OBSERVING)
    now[0] = 3.0
    for signal, cause in begins:
        control.apply_signal(signal, cause)
    now[0] = 13.0
    control.apply_signal(ends, Cause.OBSERVING)
    now[0] = 20.0
    assert control.waited_seconds == 10.0


async def test_the_end_of_the_program_is_not_lost_in_an_interrupt() -> None:
    control = TurnControl(lambda *_: None)
    waiting = asyncio.create_task(control.run_cancellable(asyncio.Event().wait()))
    await asyncio.sleep(0)
    control.interrupt()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_held_turn_waits_until_it_is_released_and_tells_so(control: TurnControl) -> None:
    assert not await control.wait_until_released()
    control.hold(True)
    waiting = asyncio.ensure_future(control.wait_until_released())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert control.cause is Cause.HELD
    control.hold(False)
    assert await waiting


async def test_a_held_turn_can_be_cancelled(control: TurnControl) -> None:
    control.hold(True)
    waiting = asyncio.ensure_future(control.wait_until_released())
    await asyncio.sleep(0)
    control.cancel()
    with pytest.raises(Interrupted):
        await waiting
