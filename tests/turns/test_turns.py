"""Whole turns through the real adb server and real HTTP; only the phone and the model are simulated."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assistant.agent.context import StepTimes
from assistant.agent.turn_control import TurnControl
from assistant.events import (
    ActionChosen,
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    CommandCorrected,
    Event,
    ModelRetrying,
    PhoneStateChanged,
    ReplyMalformed,
    ScreenObserved,
    StateChanged,
    StepFinished,
    StepRetold,
    TurnFinished,
    TurnStarted,
    TurnState,
    UsageUpdated,
    UserSaid,
    Verdict,
)
from assistant.model.types import Decision, StepRequest
from assistant.records import (
    Action,
    ClearText,
    Click,
    Element,
    Failed,
    Finished,
    OpenApp,
    Outcome,
    Point,
    Source,
    TypeText,
    Usage,
)
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.command import Context
from assistant.simulator.android.commands import RUNNING
from assistant.simulator.android.profiles import ResidentFault
from assistant.simulator.android.uiautomator2 import Uiautomator2Server
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.turn_runner import EngineBusy
from tests.turn_fixture import script, staged_turn
from tests.worlds import World, running_world

MESSAGE = "send a message to Mom: I will be late"
DARK = "turn on dark mode"
"""Three steps: the app, the page, the switch."""


@pytest_asyncio.fixture
async def world(adb_server: PrivateAdbServer, tmp_path: Path) -> AsyncIterator[World]:
    async with running_world(adb_server.port, tmp_path / "store") as running:
        yield running


@pytest_asyncio.fixture
async def headless(adb_server: PrivateAdbServer, tmp_path: Path) -> AsyncIterator[World]:
    async with running_world(adb_server.port, tmp_path / "store", attended=False) as running:
        yield running


def sent(world: World, name: str = "Mom") -> list[str]:
    return [one["text"] for one in world.app("chat")["messages"][name] if one["from"] == "me"]


def is_dark(world: World) -> bool:
    return bool(world.phone.state()["apps"]["com.android.settings"]["values"].get("dark_mode") == "1")


async def acting(world: World, step: int) -> None:
    """Wait until a step is over."""
    await world.next(StepFinished, lambda event: event.step >= step)


class TestApproval:
    async def test_a_message_is_sent_after_a_yes(self, world: World) -> None:
        world.engine.run(MESSAGE)
        asked = await world.next(ApprovalRequested)
        assert asked.kind is ActionKind.SEND
        assert "I will be late" not in sent(world)
        asked.decision.set_result(Approval(Verdict.ONCE))
        finished = await world.finished()
        assert finished.outcome is Outcome.SUCCESS
        assert sent(world)[-1] == "I will be late"
        assert finished.usage.prompt_tokens > 0
        assert world.engine.state is None

    async def test_after_a_no_nothing_is_sent_and_the_turn_is_paused(self, world: World) -> None:
        world.engine.run(MESSAGE)
        asked = await world.next(ApprovalRequested)
        asked.decision.set_result(Approval(Verdict.NO))
        paused = await world.state(TurnState.PAUSED)
        assert paused.sentence.startswith("Not done: tap “")
        world.engine.cancel()
        assert (await world.finished()).outcome is Outcome.CANCELLED
        assert "I will be late" not in sent(world)

    @pytest.mark.parametrize("verdict", [Verdict.NO, Verdict.INSTEAD])
    async def test_a_no_to_a_permission_leaves_no_dialog_behind(self, world: World, verdict: Verdict) -> None:
        world.engine.run("call Susan Lin")
        asked = await world.next(ApprovalRequested)
        assert asked.kind is ActionKind.GRANT
        asked.decision.set_result(Approval(verdict, "dial the number yourself"))
        denied = await world.next(StepFinished, lambda event: event.step > asked.step)
        assert (denied.source, denied.error) == (Source.USER, "")
        assert world.phone.windows.desk.asking() is None
        if verdict is Verdict.NO:
            paused = await world.state(TurnState.PAUSED)
            assert "Its dialog is answered with no: tap “Don't allow”." in paused.sentence
        world.engine.cancel()
        assert (await world.finished()).outcome is Outcome.CANCELLED

    async def test_what_is_only_not_allowed_taps_no_dialog(self, world: World) -> None:
        world.engine.run("call Susan Lin")
        asked = await world.next(ApprovalRequested)
        asked.decision.set_result(Approval(Verdict.NO, answers_dialog=False))
        await world.state(TurnState.PAUSED)
        assert world.phone.windows.desk.asking() is not None
        world.engine.cancel()
        await world.finished()

    async def test_something_else_instead(self, world: World) -> None:
        world.engine.run(MESSAGE)
        asked = await world.next(ApprovalRequested)
        asked.decision.set_result(Approval(Verdict.INSTEAD, "message Dad instead"))
        again = await world.next(ApprovalRequested, lambda event: event is not asked)
        again.decision.set_result(Approval(Verdict.ONCE))
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert sent(world, "Dad")[-1] == "I will be late"
        assert "I will be late" not in sent(world)
        whole = world.engine.past_turns().whole(world.all(TurnStarted)[0].turn_id)
        assert whole is not None
        (remark,) = whole.checkpoint.remarks
        assert (remark.text, remark.after) == ("message Dad instead", asked.step)

    async def test_a_command_that_corrects_itself_goes_to_the_one_who_is_meant(self, world: World) -> None:
        world.engine.run("text Mom happy bday no wait text Dad")
        asked = await world.next(ApprovalRequested)
        assert asked.deed is not None
        assert (asked.deed.recipient, asked.deed.text) == ("Dad", "happy bday")
        assert [event.command for event in world.all(CommandCorrected)] == ["text Dad happy bday"]
        world.engine.cancel()
        await world.finished()

    async def test_words_said_when_it_is_over_change_nothing(self, world: World) -> None:
        world.engine.run(DARK)
        await world.state(TurnState.FINISHED)
        world.engine.say("late words")
        await world.finished()
        await world.engine.wait_until_idle()
        assert not world.all(UserSaid)
        assert world.engine.interrupted_turn() is None

    async def test_nobody_there_to_ask(self, headless: World) -> None:
        finished = await headless.carry_out(MESSAGE)
        assert finished.outcome is Outcome.FAILED
        assert "--yes send" in finished.answer
        assert "I will be late" not in sent(headless)

    async def test_allowed_beforehand(self, adb_server: PrivateAdbServer, tmp_path: Path) -> None:
        approved = frozenset({ActionKind.SEND})
        async with running_world(adb_server.port, tmp_path, attended=False, approved=approved) as world:
            assert (await world.carry_out(MESSAGE)).outcome is Outcome.SUCCESS
            assert not world.all(ApprovalRequested)
            assert sent(world)[-1] == "I will be late"


class TestInterruption:
    async def test_pause_and_resume(self, world: World) -> None:
        world.engine.run(DARK)
        await acting(world, 2)
        world.engine.pause()
        assert world.engine.state is TurnState.PAUSING
        await world.state(TurnState.PAUSED)
        begun = time.monotonic()
        steps = len(world.all(StepFinished))
        async with ScriptedModelClient(world.model.address.base_url) as model:
            requests = (await model.status()).requests
            assert {(await model.status()).requests for _ in range(20)} == {requests}
        assert world.phone.traffic.since(begun) == []
        assert not is_dark(world)
        world.engine.resume()
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert is_dark(world)
        assert len(world.all(StepFinished)) > steps

    async def test_what_changed_meanwhile_is_noticed(self, world: World) -> None:
        world.engine.run(DARK)
        await acting(world, 2)
        world.engine.pause()
        await world.state(TurnState.PAUSED)
        world.phone.windows.key(3)
        world.engine.resume()
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert is_dark(world)

    async def test_pausing_drops_the_models_reply(self, world: World) -> None:
        await world.change_model(pace=5.0)
        world.engine.run(DARK)
        async with ScriptedModelClient(world.model.address.base_url) as model:
            while not (await model.status()).open:
                pass
            world.engine.pause()
            await world.state(TurnState.PAUSED)
            while (status := await model.status()).open:
                pass
        assert (status.abandoned, status.answered) == (1, 0), "the reply was waited for"
        assert not world.all(ActionChosen)
        told = world.all(UsageUpdated)[-1]
        assert told.usage.requests == 1
        assert told.usage.estimated_tokens == told.tokens_today > 0, "it was paid for all the same"
        await world.change_model(pace=0.0)
        world.engine.resume()
        assert (await world.finished()).outcome is Outcome.SUCCESS

    async def test_cancel_while_running(self, world: World) -> None:
        world.engine.run(DARK)
        await acting(world, 2)
        world.engine.cancel()
        finished = await world.finished()
        assert finished.outcome is Outcome.CANCELLED
        assert not is_dark(world)
        assert [record.outcome for record in world.engine.records()] == [Outcome.CANCELLED]

    async def test_cancel_while_paused(self, world: World) -> None:
        world.engine.run(DARK)
        await acting(world, 1)
        world.engine.pause()
        await world.state(TurnState.PAUSED)
        world.engine.cancel()
        assert (await world.finished()).outcome is Outcome.CANCELLED

    async def test_pausing_takes_a_question_away_and_asks_again(self, world: World) -> None:
        world.engine.run(MESSAGE)
        asked = await world.next(ApprovalRequested)
        world.engine.pause()
        await world.state(TurnState.PAUSED)
        assert asked.decision.cancelled()
        world.engine.resume()
        again = await world.next(ApprovalRequested, lambda event: event is not asked)
        again.decision.set_result(Approval(Verdict.ONCE))
        assert (await world.finished()).outcome is Outcome.SUCCESS

    async def test_words_in_mid_turn_change_the_course(self, world: World) -> None:
        world.engine.run(MESSAGE)
        await acting(world, 1)
        world.engine.say("message Dad instead")
        asked = await world.next(ApprovalRequested)
        asked.decision.set_result(Approval(Verdict.ONCE))
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert sent(world, "Dad")[-1] == "I will be late"
        assert "I will be late" not in sent(world)

    async def test_one_turn_at_a_time(self, world: World) -> None:
        world.engine.run(DARK)
        with pytest.raises(EngineBusy, match="Pause or cancel"):
            world.engine.run(MESSAGE)
        world.engine.cancel()
        assert (await world.finished()).outcome is Outcome.CANCELLED


class TestPhoneTrouble:
    async def test_a_phone_that_comes_back_continues_the_turn(self, world: World) -> None:
        world.engine.run(DARK)
        await acting(world, 2)
        world.phone.daemon.faults.drop()
        waiting = await world.state(TurnState.WAITING)
        assert waiting.cause is Cause.PHONE
        world.phone.daemon.faults.restore()
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert is_dark(world)

    async def test_a_locked_phone_waits_for_the_user(self, world: World) -> None:
        world.engine.run(DARK)
        await acting(world, 2)
        world.phone.person.lock(secure=True)
        waiting = await world.state(TurnState.WAITING)
        assert waiting.sentence == "Phone is locked. Unlock it to go on."
        world.phone.person.unlock()
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert is_dark(world)

    async def test_a_frozen_phone(self, adb_server: PrivateAdbServer, tmp_path: Path) -> None:
        async with running_world(adb_server.port, tmp_path, phone={"command_deadline": 2.0}) as world:
            world.engine.run(DARK)
            await acting(world, 2)
            world.phone.daemon.faults.freeze()
            waiting = await world.state(TurnState.WAITING)
            assert "does not answer" in waiting.sentence
            world.phone.daemon.faults.restore()
            assert (await world.finished()).outcome is Outcome.SUCCESS
            assert is_dark(world)

    async def test_nobody_waits_forever(self, adb_server: PrivateAdbServer, tmp_path: Path) -> None:
        async with running_world(
            adb_server.port, tmp_path, attended=False, phone={"return_wait": 0.3}
        ) as world:
            world.engine.run(DARK)
            await acting(world, 2)
            world.phone.daemon.faults.drop()
            finished = await world.finished()
        assert finished.outcome is Outcome.FAILED
        assert "connected" in finished.answer or "connection" in finished.answer

    async def test_a_person_can_go_on_later(self, adb_server: PrivateAdbServer, tmp_path: Path) -> None:
        async with running_world(adb_server.port, tmp_path, phone={"return_wait": 0.3}) as world:
            world.engine.run(DARK)
            await acting(world, 2)
            world.phone.person.lock(secure=True)
            paused = await world.state(TurnState.PAUSED)
            assert paused.sentence == "Phone is locked. Unlock it to go on. Then press F5."
            world.phone.person.unlock()
            world.engine.resume()
            assert (await world.finished()).outcome is Outcome.SUCCESS


@dataclass
class MortalHelper:
    """uiautomator2's server on the simulated phone, whose process dies at the nth call of a method.

    `after`: when it has done what was asked, without a word of it.
    """

    method: str
    nth: int
    after: bool
    dead: asyncio.Event = field(default_factory=asyncio.Event)

    def take_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Be the server of every phone that is started."""
        call, process = Uiautomator2Server._call, RUNNING["app_process"]

        async def dying_call(server: Uiautomator2Server, body: bytes) -> dict[str, Any]:
            self.nth -= json.loads(body)["method"] == self.method
            if self.nth or self.dead.is_set():
                return await call(server, body)
            if self.after:
                await call(server, body)
            self.dead.set()
            raise ConnectionResetError

        async def mortal_process(context: Context) -> int:
            serving = asyncio.ensure_future(process(context))
            dying = asyncio.create_task(self.dead.wait())
            try:
                await asyncio.wait({serving, dying}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                serving.cancel()
                dying.cancel()
                await asyncio.gather(serving, dying, return_exceptions=True)
            return 137

        monkeypatch.setattr(Uiautomator2Server, "_call", dying_call)
        monkeypatch.setitem(RUNNING, "app_process", mortal_process)


async def run_with_helper(world: World, hear: Callable[[Event], None] = lambda _: None) -> list[str]:
    """Let the message be sent until the turn ends or stands still; the warnings that were asked with.

    Who is asked says yes once, and no to whatever comes after it. The server has ended with the turn.
    """
    verdicts, warnings = iter((Verdict.ONCE, Verdict.NO)), []

    def answer(event: Event) -> None:
        hear(event)
        if isinstance(event, ApprovalRequested):
            warnings.append(event.warning)
            event.decision.set_result(Approval(next(verdicts)))

    world.hear = answer
    world.engine.run(MESSAGE)
    await world.next(
        Event,
        lambda event: (
            isinstance(event, TurnFinished)
            or (isinstance(event, StateChanged) and event.state is TurnState.PAUSED)
        ),
    )
    if not world.all(TurnFinished):
        world.engine.cancel()
    await world.finished()
    assert not world.phone.services.automation
    assert not world.phone.services.sockets
    return warnings


def said_of_helper(world: World) -> list[str]:
    """What the turn said of the resident helper."""
    return [event.sentence for event in world.all(PhoneStateChanged) if "helper" in event.sentence]


class TestResidentHelper:
    @pytest.mark.parametrize(
        ("method", "nth", "after"),
        [
            ("dumpWindowHierarchy", 3, False),
            ("click", 1, False),
            ("click", 2, True),
        ],
    )
    async def test_killed_in_mid_turn_the_turn_goes_on_and_says_so_once(
        self,
        adb_server: PrivateAdbServer,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        method: str,
        nth: int,
        after: bool,
    ) -> None:
        helper = MortalHelper(method, nth, after)
        helper.take_over(monkeypatch)
        async with running_world(adb_server.port, tmp_path, phone={"resident_helper": True}) as world:
            assert await run_with_helper(world) == [""]
            assert helper.dead.is_set()
            assert world.all(TurnFinished)[0].outcome is Outcome.SUCCESS
            assert sent(world).count("I will be late") == 1
            assert len(said_of_helper(world)) == 1
            asked = [entry.service for entry in world.phone.traffic.since()]
            assert any("uiautomator dump" in service for service in asked)

    @pytest.mark.parametrize("after", [False, True])
    async def test_killed_at_the_deed_it_is_asked_about_anew_with_a_warning(
        self, adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
    ) -> None:
        helper = MortalHelper("click", 3, after)
        helper.take_over(monkeypatch)
        async with running_world(adb_server.port, tmp_path, phone={"resident_helper": True}) as world:
            _first, warning = await run_with_helper(world)
            assert "may have been done already" in warning
            assert sent(world).count("I will be late") == after

    # The phone layer's tests have all faults: here are one at the start and one in mid-turn.
    @pytest.mark.parametrize("fault", [ResidentFault.TAKEN, ResidentFault.EMPTY])
    async def test_refused_or_empty_the_turn_goes_on_and_says_so_once(
        self,
        adb_server: PrivateAdbServer,
        tmp_path: Path,
        fault: ResidentFault,
    ) -> None:
        async with running_world(adb_server.port, tmp_path, phone={"resident_helper": True}) as world:
            if fault is ResidentFault.TAKEN:
                world.phone.services.quirks.resident = fault

            def go_wrong(event: Event) -> None:
                if isinstance(event, StepFinished):
                    world.phone.services.quirks.resident = fault

            assert await run_with_helper(world, go_wrong) == [""]
            assert world.all(TurnFinished)[0].outcome is Outcome.SUCCESS
            assert sent(world).count("I will be late") == 1
            assert len(said_of_helper(world)) == 1


class TestModelTrouble:
    @pytest.mark.parametrize(
        "fault",
        [
            Fault(kind=FaultKind.ERROR, status=500, skip=1, times=2),
            Fault(kind=FaultKind.RATE_LIMIT, seconds=0.0, skip=1, times=2),
            Fault(kind=FaultKind.CUT, skip=1, times=2),
            Fault(kind=FaultKind.STALL, seconds=30.0, skip=1, times=1),
        ],
        ids=lambda fault: fault.kind,
    )
    async def test_a_failing_endpoint_is_asked_again(self, world: World, fault: Fault) -> None:
        await world.change_model(fault)
        finished = await world.carry_out(DARK)
        assert finished.outcome is Outcome.SUCCESS
        assert is_dark(world)
        assert len(world.all(ModelRetrying)) == fault.times
        causes = [event.cause for event in world.all(StateChanged)]
        assert causes[causes.index(Cause.MODEL) + 1] is Cause.THINKING

    async def test_a_malformed_reply_is_asked_again(self, world: World) -> None:
        await world.change_model(Fault(kind=FaultKind.MALFORMED, skip=1, times=2))
        assert (await world.carry_out(DARK)).outcome is Outcome.SUCCESS
        assert [event.attempt for event in world.all(ReplyMalformed)] == [1, 2]

    async def test_endless_babble_is_a_failure_never_a_success(self, world: World) -> None:
        await world.change_model(Fault(kind=FaultKind.MALFORMED, skip=2, times=None))
        finished = await world.carry_out(DARK)
        assert finished.outcome is Outcome.FAILED
        assert "no usable action" in finished.answer
        assert not is_dark(world)

    async def test_an_endpoint_that_stays_away_pauses_the_turn(self, world: World) -> None:
        await world.change_model(Fault(kind=FaultKind.ERROR, skip=2, times=5))
        world.engine.run(DARK)
        paused = await world.state(TurnState.PAUSED)
        assert paused.cause is Cause.MODEL
        assert "F5" in paused.sentence
        world.engine.resume()
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert is_dark(world)

    async def test_a_model_that_babbles_hostile_text_does_no_harm(self, world: World) -> None:
        await world.change_model(Fault(kind=FaultKind.HOSTILE, times=None))
        assert (await world.carry_out(DARK)).outcome is Outcome.SUCCESS


class TestMemory:
    async def test_a_finished_turn_is_a_record_with_targets_and_observations(self, world: World) -> None:
        await world.carry_out(DARK)
        (record,) = world.engine.records()
        assert record.outcome is Outcome.SUCCESS
        assert record.said == DARK
        assert record.package == "com.android.settings"
        assert record.actions[0].type == "open_app"
        taps = [action for action in record.actions if action.type == "click"]
        assert taps
        assert all(action.target and action.target.bounds for action in taps)
        assert [action.target.around for action in taps if action.target] == ["", "Dark mode"]
        shots = list((world.settings.store / "screenshots").iterdir())
        assert len(shots) == len({event.step for event in world.all(ScreenObserved)})

    async def test_a_turn_left_behind_is_offered_and_continued(
        self, adb_server: PrivateAdbServer, tmp_path: Path
    ) -> None:
        async with running_world(adb_server.port, tmp_path) as world:
            world.engine.run(DARK)
            await acting(world, 2)
            turn_id = world.all(TurnStarted)[0].turn_id
            same_phone = replace(world.phone.options, port=world.phone.daemon.port)
        async with running_world(adb_server.port, tmp_path, options=same_phone) as world:
            left = world.engine.interrupted_turn()
            assert left is not None
            assert (left.turn_id, left.said) == (turn_id, DARK)
            assert left.steps >= 2
            world.engine.continue_turn(left.turn_id)
            finished = await world.finished()
            assert finished.outcome is Outcome.SUCCESS
            assert finished.turn_id == turn_id
            assert [event.step for event in world.all(StepRetold)] == list(range(1, left.steps + 1))
            assert is_dark(world)
            assert world.engine.interrupted_turn() is None


async def test_what_is_missing_is_said(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with running_world(adb_server.port, tmp_path, phone={"serial": "nowhere"}) as world:
        assert "nowhere is not connected" in world.engine.problem()


async def test_waiting_for_the_user_is_not_the_steps_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent_by_user = [0.0]

    def clock() -> float:
        return time.perf_counter() + spent_by_user[0]

    monkeypatch.setattr("assistant.agent.turn.StepTimes", partial(StepTimes, clock=clock))
    monkeypatch.setattr("assistant.agent.turn.TurnControl", partial(TurnControl, clock=clock))
    world.engine.run(MESSAGE)
    asked = await world.next(ApprovalRequested)
    spent_by_user[0] = 1000.0
    asked.decision.set_result(Approval(Verdict.ONCE))
    assert (await world.finished()).waited >= 1000.0
    (step,) = [event for event in world.all(StepFinished) if event.step == asked.step]
    assert step.seconds == pytest.approx(step.model_seconds + step.phone_seconds + step.own_seconds)
    assert step.seconds < 500.0


@pytest.mark.parametrize(
    ("thought", "answer"),
    [
        ("", "The model gives up and does not say why."),
        (
            "The list ends. \nIt is sold out.",
            "The model gives up. Its last thought: The list ends. It is sold out.",
        ),
    ],
)
async def test_who_gives_up_without_a_reason_is_told_by_the_last_thought(
    adb_server: PrivateAdbServer, tmp_path: Path, thought: str, answer: str
) -> None:
    steps = script(Decision(Failed(), thought, Usage()))
    async with staged_turn(adb_server.port, tmp_path, steps, attended=False) as turn:
        finished = await turn.next(TurnFinished)
    assert (finished.outcome, finished.answer) == (Outcome.FAILED, answer)


def _set_alarm(request: StepRequest) -> Action:
    """Open the clock, begin an alarm, and save it as it stands."""
    for name in ("save", "fab"):
        for element in request.observation.elements:
            if element.resource_id.endswith(f"/{name}"):
                x, y = element.bounds.centre
                observation = request.observation
                return Click(point=Point(x / observation.width, y / observation.height))
    return OpenApp(name="Clock")


async def test_a_page_without_what_the_user_said_is_saved_only_if_they_let_it(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, _set_alarm, instruction="set an alarm") as staged:
        await staged.next(StepFinished, lambda event: event.step == 1)
        staged.turn.say("make it eleven")
        paused = await staged.state(TurnState.PAUSED)
        assert "“Save” is not pressed" in paused.sentence
        assert "make it eleven" in paused.sentence
        assert "was not pressed" in staged.model.heard
        refused = [event.step for event in staged.all(StepFinished) if event.error]
        assert len(refused) == 2
        staged.turn.resume()
        pressed = await staged.next(StepFinished, lambda event: event.step == refused[-1] + 1)
        assert not pressed.error


async def test_a_page_is_saved_without_one_of_several_wishes_where_the_model_insists(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    said = "make it eleven and remind me on thursday to delete it"
    async with staged_turn(adb_server.port, tmp_path, _set_alarm, instruction="set an alarm") as staged:
        await staged.next(StepFinished, lambda event: event.step == 1)
        staged.turn.say(said)
        await staged.next(StepFinished, lambda event: event.error != "")
        pressed = await staged.next(StepFinished)
        assert not pressed.error


def _set_hour(request: StepRequest) -> Action | Decision:
    """Open the clock, begin an alarm, put another hour into its field, and save it under the keyboard."""
    seen = request.observation

    def tap(element: Element) -> Click:
        x, y = element.bounds.centre
        return Click(point=Point(x / seen.width, y / seen.height), content=seen.label_of(element))

    by_id = {element.resource_id.rpartition("/")[2]: element for element in seen.elements}
    fields = [element for element in seen.elements if element.editable]
    if fields and not any(element.focused for element in fields):
        return tap(fields[0])
    if fields and fields[0].text != "05":
        return Decision(ClearText(), "", Usage(requests=1), following=(TypeText(text="05"),))
    if "save" in by_id:
        return tap(by_id["save"])
    if any("05:" in element.text for element in seen.elements):
        return Finished(answer="The alarm is set.")
    return tap(by_id["fab"]) if "fab" in by_id else OpenApp(name="Clock")


async def test_the_keyboard_is_put_away_before_a_tap_on_what_it_covers(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, _set_hour, instruction="set an alarm for 5") as staged:
        await staged.state(TurnState.FINISHED)
        chosen = [event.action for event in staged.all(ActionChosen)]
        names = [action.type for action in chosen]
        place = names.index("press_back")
        tapped = chosen[place + 1]
        assert isinstance(tapped, Click)
        assert tapped.content == "Save"
        assert names.count("press_back") == 1
        assert [event for event in staged.all(StepFinished) if event.error] == []
        asked = [request for request in staged.model.requests if request.observation.keyboard_shown]
        assert len(staged.model.requests) < len(names)
        assert asked


async def test_while_the_use_of_a_line_is_asked_no_action_begins(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, _set_alarm) as staged:
        staged.model.may_answer.clear()
        await staged.model.thinking.wait()
        staged.turn.hold(True)
        staged.model.may_answer.set()
        await staged.next(StateChanged, lambda event: event.cause is Cause.HELD)
        assert staged.all(ActionChosen) == []
        staged.turn.say("the other tab")
        staged.turn.hold(False)
        await staged.next(ActionChosen)
        assert "the other tab" in staged.model.heard
