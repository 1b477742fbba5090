"""What a pause and a cancel do to the work under way, and to work that is about to begin."""

from __future__ import annotations

import asyncio

import pytest

from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.events import Cause, TurnState


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
