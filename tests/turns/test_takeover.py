"""The user takes the phone in hand while a turn runs; through the real adb server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio
from sqlalchemy import select

from assistant.agent.context import TurnContext
from assistant.agent.takeover import TakeoverController
from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.events import (
    ActionChosen,
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    StateChanged,
    StepFinished,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.memory.schema import observations
from assistant.phone.touches import WATCH
from assistant.records import Click, Finished, OpenApp, Outcome, PressHome, Source, TypeText, Wait
from assistant.settings.schema import Settings
from assistant.simulator.adb_server import PrivateAdbServer
from tests.agent.test_secret_entry import PASSWORD, StoredSecrets
from tests.phone.scripted import until
from tests.turn_fixture import StagedTurn, on_id, on_text, script, staged_turn
from tests.turns.test_deeds import paying, show, tap_without_words
from tests.worlds import START

CLOCK = OpenApp(name="Clock")


@pytest_asyncio.fixture
async def turn(adb_server: PrivateAdbServer, tmp_path: Path) -> AsyncIterator[StagedTurn]:
    """A turn that has opened the clock; its model thinks and thinks."""
    async with staged_turn(
        adb_server.port, tmp_path, script(CLOCK, Finished(answer="ok"), Finished())
    ) as one:
        await one.next(StepFinished)
        one.model.may_answer.clear()
        one.model.thinking.clear()
        await one.model.thinking.wait()
        await watched(one)
        yield one


async def watched(one: StagedTurn) -> None:
    """Wait until the touches of the phone are followed."""
    await until(lambda: bool(one.phone.services.touches.readers))


def centre(one: StagedTurn, text: str) -> tuple[int, int]:
    """Where the user sees a text now."""
    seen = one.model.requests[-1].observation
    hit = next(element for element in seen.elements if element.text == text)
    return hit.bounds.centre


async def test_a_touch_pauses_at_once_and_becomes_part_of_the_trace(turn: StagedTurn) -> None:
    turn.phone.person.tap(*centre(turn, "Timer"))
    pausing = await turn.state(TurnState.PAUSING)
    assert pausing.cause is Cause.TOUCHED
    assert "F5" in pausing.sentence
    await turn.state(TurnState.PAUSED)
    theirs = await turn.next(ActionChosen, lambda event: event.source is Source.USER)
    assert isinstance(theirs.action, Click)
    assert theirs.action.target is not None
    assert theirs.action.target.text == "Timer"
    turn.model.may_answer.set()
    turn.turn.resume()
    finished = await turn.next(TurnFinished)
    assert finished.outcome is Outcome.SUCCESS
    resumed = turn.model.requests[2]
    assert resumed.history[-1].source is Source.USER
    assert any("the user did this: tap “Timer”" in note for note in resumed.notes)
    assert any(note.startswith("New on the screen") or "another page" in note for note in resumed.notes)
    (record,) = turn.store.records.of("me")
    assert record.actions[-1] == theirs.action


async def test_a_secret_that_was_typed_is_hidden_in_what_the_user_does_too(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    secrets, word = StoredSecrets(bank="Stopwatch"), "Stopwatch"
    steps = script(CLOCK, Finished(answer="ok"), Finished())
    async with staged_turn(adb_server.port, tmp_path, steps, secrets=secrets) as one:
        await one.next(StepFinished)
        one.model.may_answer.clear()
        one.model.thinking.clear()
        await one.model.thinking.wait()
        await watched(one)
        places = [centre(one, text) for text in ("Timer", word)]
        one.turn._secrets.fill_secrets(TypeText(text="{{secret:bank}}"), PASSWORD)
        for place in places:
            await tap(one, place)
        one.model.may_answer.set()
        one.turn.resume()
        await one.next(TurnFinished)
        assert word not in repr(one.turn.checkpoint.steps[1:])
        with one.store.reader() as connection:
            rows = connection.execute(select(observations.c.elements).where(observations.c.step > 2)).all()
        assert rows
        assert word not in repr(rows)


async def tap(one: StagedTurn, place: tuple[int, int]) -> None:
    """The user taps there, and it is recorded."""
    before = sum(event.source is Source.USER for event in one.all(ActionChosen))
    one.phone.person.tap(*place)
    await one.state(TurnState.PAUSED)
    await until(lambda: sum(event.source is Source.USER for event in one.all(ActionChosen)) == before + 1)


async def test_our_own_touches_are_none_of_the_users(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(CLOCK, on_text("Timer"), on_text("Alarm"), PressHome(), Finished(answer="ok"), Finished())
    async with staged_turn(adb_server.port, tmp_path, steps) as one:
        assert (await one.next(TurnFinished)).outcome is Outcome.SUCCESS
        assert not [event for event in one.all(StateChanged) if event.state is TurnState.PAUSING]


class TouchedPhone:
    """A phone of which only the touches are read, one for each `touch`."""

    def __init__(self) -> None:
        self.touches = asyncio.Queue[None]()

    async def lines(self, command: str) -> AsyncGenerator[str]:
        """The lines of `getevent`; nothing comes of other commands."""
        while command == WATCH:
            await self.touches.get()
            yield "[ 1.0] EV_KEY BTN_TOUCH DOWN"
        await asyncio.Event().wait()


async def test_a_touch_takes_back_a_resume_that_waits_for_an_action_in_progress() -> None:
    phone, control = TouchedPhone(), TurnControl(lambda *_: None)
    control.apply_signal(Signal.RESOLVED, Cause.OBSERVING)
    nothing = cast(Any, None)
    context = TurnContext(cast(Any, phone), nothing, nothing, Settings(), lambda: START, lambda _event: None)
    takeover = TakeoverController(context, control, nothing, nothing)
    takeover.start()
    control.pause()
    control.resume()
    phone.touches.put_nowait(None)
    await until(phone.touches.empty)
    await asyncio.sleep(0)
    pause = asyncio.create_task(control.wait_until_resumed())
    await until(lambda: control.state is not TurnState.PAUSING)
    for _ in range(6):
        await asyncio.sleep(0)
    assert control.state is TurnState.PAUSED
    control.cancel()
    with pytest.raises(Interrupted):
        await pause
    await takeover.stop()


async def test_a_touch_during_a_question_takes_it_away(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(
        OpenApp(name="Chat"),
        on_text("Mom"),
        on_id("message_input"),
        TypeText(text="late"),
        on_id("send_button"),
        on_id("send_button"),
        Finished(answer="ok"),
        Finished(),
    )
    async with staged_turn(adb_server.port, tmp_path, steps) as one:
        asked = await one.next(ApprovalRequested)
        assert asked.sentence == "Sends to Mom."
        assert asked.text == "late"
        assert asked.crop.startswith(b"\x89PNG")
        await watched(one)
        one.phone.services.touches.down(one.phone.clock.uptime(), 10, 10)
        await one.state(TurnState.PAUSED)
        assert asked.decision.cancelled()
        one.phone.services.touches.up(one.phone.clock.uptime())
        one.turn.resume()
        again = await one.next(ApprovalRequested, lambda event: event is not asked)
        again.decision.set_result(Approval(Verdict.ALWAYS))
        assert (await one.next(TurnFinished)).outcome is Outcome.SUCCESS
        assert [approval.app for approval in one.store.approvals.list_approvals("me")] == ["Chat"]
        assert one.app("chat")["messages"]["Mom"][-1]["text"] == "late"


async def test_a_call_pauses(turn: StagedTurn) -> None:
    turn.phone.person.call("Mom")
    pausing = await turn.state(TurnState.PAUSING)
    assert pausing.cause is Cause.CALL
    await turn.state(TurnState.PAUSED)


async def test_switching_the_screen_off_stops_the_turn_and_leaves_it_dark(turn: StagedTurn) -> None:
    turn.phone.person.press_power()
    waiting = await turn.state(TurnState.WAITING)
    assert waiting.cause is Cause.PHONE
    assert not turn.phone.services.power.awake
    turn.phone.person.unlock()
    turn.model.may_answer.set()
    assert (await turn.next(TurnFinished)).outcome is Outcome.SUCCESS


async def test_a_lost_phone_is_noticed_while_the_model_thinks(turn: StagedTurn) -> None:
    turn.phone.daemon.faults.drop()
    waiting = await turn.state(TurnState.WAITING)
    assert waiting.cause is Cause.PHONE
    turn.phone.daemon.faults.restore()
    turn.model.may_answer.set()
    assert (await turn.next(TurnFinished)).outcome is Outcome.SUCCESS


async def test_nobody_there_ends_the_turn(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with staged_turn(adb_server.port, tmp_path, script(CLOCK, Wait()), attended=False) as one:
        await one.next(StepFinished)
        one.model.may_answer.clear()
        await watched(one)
        one.phone.services.touches.down(one.phone.clock.uptime(), 10, 10)
        finished = await one.next(TurnFinished)
        assert finished.outcome is Outcome.FAILED
        assert finished.answer == "Stopped. You touched the phone."


async def test_what_the_user_paid_by_hand_is_not_paid_again_unasked(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    page = paying("¥30")
    async with staged_turn(adb_server.port, tmp_path, tap_without_words, approved=[ActionKind.PAY]) as one:
        one.model.may_answer.clear()
        shop = show(one, page, page)
        await one.model.thinking.wait()
        await watched(one)
        seen = one.model.requests[-1].observation
        button = next(e for e in seen.elements if e.text == "Pay now")
        await tap(one, button.bounds.centre)
        assert shop.state["deeds"] == ["pay"]
        one.model.may_answer.set()
        one.turn.resume()
        asked = await one.next(ApprovalRequested)
        assert "may have been done already" in asked.warning
        assert shop.state["deeds"] == ["pay"]
