"""A purchase on the simulated market takes three pages, and is one deed: whole turns through real adb."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from assistant.events import ActionKind, Approval, ApprovalRequested, TurnFinished, TurnState, Verdict
from assistant.memory.store import Store
from assistant.model.types import StepRequest
from assistant.records import (
    Action,
    Click,
    Finished,
    Observation,
    OpenApp,
    Outcome,
    PressBack,
    Wait,
)
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.phone import SimulatedPhone
from assistant.simulator.ui import scene
from tests.turn_fixture import Choose, StagedTurn, staged_turn
from tests.worlds import LIMIT

PAY = ActionKind.PAY
LAMP = "Desk lamp"


def tap(seen: Observation, *ids: str, text: str = "") -> Click | None:
    """A tap on the first element with one of these ids, and with this text in it."""
    for name in ids:
        for element in seen.elements:
            inner = [e.text for e in seen.elements if e.parent == element.index or e.index == element.index]
            has_text = not text or any(text in words for words in _texts_in(seen, element.index, inner))
            if element.resource_id.endswith(f"/{name}") and has_text:
                return Click(point=seen.point(*element.bounds.centre))
    return None


def _texts_in(seen: Observation, index: int, texts: list[str]) -> list[str]:
    children = [e for e in seen.elements if e.parent == index]
    return texts + [text for child in children for text in _texts_in(seen, child.index, [child.text])]


def is_home(seen: Observation) -> bool:
    return "launcher" in seen.app.package


def buy(request: StepRequest) -> Action:
    """Buys the lamp, and says so on the receipt."""
    seen = request.observation
    if is_home(seen):
        return OpenApp(name="Market")
    if any("successful" in e.text for e in seen.elements):
        return Finished(answer="The lamp is ordered.")
    step = tap(seen, "iv_close", "pay", "submit", "buy_now") or tap(seen, "goods_item", text=LAMP)
    return step or PressBack()


def bought(turn: StagedTurn) -> list[float]:
    return [payment["amount"] for payment in turn.app("paybox")["transactions"]]


def a_turn(
    port: int, folder: Path, choose: Choose, **options: Any
) -> AbstractAsyncContextManager[StagedTurn]:
    return staged_turn(port, folder, choose, instruction="buy the charging lamp", **options)


async def test_one_allowance_buys_one_thing_over_three_pages(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with a_turn(adb_server.port, tmp_path, buy, attended=False, approved=[PAY]) as turn:
        finished = await turn.next(TurnFinished)
        assert (finished.outcome, bought(turn)) == (Outcome.SUCCESS, [79.0])
        assert [(deed.app, deed.amount) for deed in finished.deeds] == [("PayBox", "¥79")]
        assert [step.led_on for step in turn.turn.checkpoint.steps if step.deed] == [True, True, False]


async def test_other_steps_between_two_pages_of_a_purchase_use_up_no_yes(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    def to_the_office(request: StepRequest) -> Action:
        seen = request.observation
        at_home = tap(seen, "submit") is not None and not any(e.text == "Office" for e in seen.elements)
        office = next((e for e in seen.elements if e.text == "Office"), None)
        if office is not None and tap(seen, "submit") is None:
            return Click(point=seen.point(*office.bounds.centre))
        return (tap(seen, "address") if at_home else None) or buy(request)

    async with a_turn(adb_server.port, tmp_path, to_the_office, attended=False, approved=[PAY]) as turn:
        finished = await turn.next(TurnFinished)
        assert (finished.outcome, bought(turn)) == (Outcome.SUCCESS, [79.0])
        assert turn.app("shop")["orders"][0]["address"] == "Office"


async def test_each_page_of_a_purchase_is_asked_about_and_none_as_done_already(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    asked: list[ApprovalRequested] = []
    async with a_turn(adb_server.port, tmp_path, buy) as turn:
        for _ in range(3):
            asked.append(await turn.next(ApprovalRequested, lambda event: event not in asked))
            assert bought(turn) == []
            asked[-1].decision.set_result(Approval(Verdict.ONCE))
        assert (await turn.next(TurnFinished)).outcome is Outcome.SUCCESS
        deeds = [event.deed for event in asked if event.deed is not None]
        assert [(deed.app, deed.text, deed.amount) for deed in deeds] == [
            ("Market", "Buy now", "¥79"),
            ("Market", "Submit order", "¥79"),
            ("PayBox", "Pay now", "¥79"),
        ]
        assert {event.warning for event in asked} == {""}
        assert bought(turn) == [79.0]


async def test_the_receipt_of_a_purchase_is_closed_though_a_wish_was_left_out(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    closed: list[bool] = []

    def close(request: StepRequest) -> Action:
        if closed:
            return Finished(answer="The lamp is ordered.")
        receipt = any("successful" in e.text for e in request.observation.elements)
        if not receipt or (done := tap(request.observation, "done")) is None:
            return buy(request)
        closed.append(True)
        return done

    async with a_turn(adb_server.port, tmp_path, close, attended=False, approved=[PAY]) as turn:
        turn.turn.say("2 of them")
        finished = await turn.next(TurnFinished)
        errors = [step.error for step in turn.turn.checkpoint.steps if step.error]
        assert (finished.outcome, errors, bought(turn)) == (Outcome.UNCONFIRMED, [], [79.0])


async def test_a_model_that_buys_again_is_stopped(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    def again(request: StepRequest) -> Action:
        return tap(request.observation, "done", "button2") or buy(request)

    async with a_turn(adb_server.port, tmp_path, again, attended=False, approved=[PAY]) as turn:
        finished = await turn.next(TurnFinished)
        assert bought(turn) == [79.0]
        assert finished.outcome is Outcome.FAILED
        assert "done already" in finished.answer


async def test_the_same_button_is_not_pressed_twice_unasked_though_it_only_led_on(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    def back(request: StepRequest) -> Action:
        at_checkout = tap(request.observation, "submit") is not None
        return PressBack() if at_checkout else buy(request)

    async with a_turn(adb_server.port, tmp_path, back, attended=False, approved=[PAY]) as turn:
        finished = await turn.next(TurnFinished)
        assert (finished.outcome, bought(turn), finished.deeds) == (Outcome.FAILED, [], ())
        assert "begun already" in finished.answer


async def test_an_order_that_was_only_begun_is_no_success(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    def liar(request: StepRequest) -> Action:
        at_checkout = tap(request.observation, "submit") is not None
        return Finished(answer="The lamp is ordered.") if at_checkout else buy(request)

    async with a_turn(adb_server.port, tmp_path, liar, attended=False, approved=[PAY]) as turn:
        finished = await turn.next(TurnFinished)
        assert (finished.outcome, bought(turn), finished.deeds) == (Outcome.UNCONFIRMED, [], ())


async def test_a_purchase_that_was_begun_is_no_deed_of_a_turn_that_is_continued(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with a_turn(adb_server.port, tmp_path, buy) as turn:
        first = await turn.next(ApprovalRequested)
        first.decision.set_result(Approval(Verdict.ONCE))
        second = await turn.next(ApprovalRequested, lambda event: event is not first)
        left = Store(tmp_path).turns.newest_open("me")
        assert left is not None
        assert [step.led_on for step in left.steps if step.deed] == [True]
        assert (left.deeds, [deed.text for deed in left.stages_begun]) == ((), ["Buy now"])
        second.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)


def leave_at_checkout(phone: SimulatedPhone) -> None:
    """Leave the checkout of a lamp open on the phone, as an earlier turn may have."""
    phone.windows.start("com.example.shop")
    for _page in range(6):
        shown = [p for p in scene.active(phone.windows.windows()).placed.walk() if p.seen.area]
        if any(placed.node.id == "submit" for placed in shown):
            return
        onward = [p for p in shown if p.node.id in ("iv_close", "buy_now") or LAMP in p.node.text]
        phone.windows.tap(*onward[-1].seen.centre)
    raise AssertionError("no checkout")


async def test_a_payment_page_that_was_open_before_is_asked_about_with_a_warning(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    def pay(request: StepRequest) -> Action:
        return tap(request.observation, "pay", "submit") or Wait()

    async with staged_turn(adb_server.port, tmp_path, pay, instruction="two coffees", approved=[PAY]) as turn:
        turn.model.may_answer.clear()
        await asyncio.wait_for(turn.model.thinking.wait(), LIMIT)
        await turn.think_on()
        leave_at_checkout(turn.phone)
        turn.model.may_answer.set()
        asked = await turn.next(ApprovalRequested)
        assert asked.warning.startswith("No step of this command led to this page")
        asked.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)
        turn.turn.cancel()
        assert "was left open" in (await turn.next(TurnFinished)).answer
        assert bought(turn) == []


@pytest.mark.parametrize("pauses", [False, True])
async def test_a_payment_page_under_the_question_is_told_where_the_turn_is_cancelled(
    adb_server: PrivateAdbServer, tmp_path: Path, pauses: bool
) -> None:
    async with a_turn(adb_server.port, tmp_path, buy) as turn:
        asked = await turn.next(ApprovalRequested)
        assert asked.deed is not None
        if pauses:
            turn.turn.pause()
            await turn.state(TurnState.PAUSED)
        turn.turn.cancel()
        finished = await turn.next(TurnFinished)
        assert finished.outcome is Outcome.CANCELLED
        assert f"that would pay {asked.deed.amount} was left open." in finished.answer
        assert bought(turn) == []
