"""Guards at work in whole turns through the real adb server: secrets, loops, hand-overs, limits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from assistant.cli.help import event_json
from assistant.events import (
    ActionChosen,
    ActionKind,
    Cause,
    ScreenObserved,
    StepFinished,
    TurnFinished,
    TurnState,
)
from assistant.model.types import Decision
from assistant.records import (
    Action,
    Click,
    Finished,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressEnter,
    TypeText,
    Usage,
)
from assistant.settings.schema import AppLock, TurnSettings
from assistant.simulator.adb_server import PrivateAdbServer
from tests.turn_fixture import on_id, on_text, script, staged_turn

VALUE = "correct-horse-battery"
NOTHING = Click(point=Point(0.5, 0.04))


class Kept:
    def get(self, name: str) -> str | None:
        return VALUE if name == "wifi" else None

    def names(self) -> Mapping[str, object]:
        return {"wifi": None}


def everything_below(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def test_a_secret_reaches_the_phone_and_nothing_else(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    steps = script(
        OpenApp(name="Settings"),
        on_text("Wi-Fi"),
        on_text("Linden-16"),
        on_id("password"),
        TypeText(text="{{secret:wifi}}"),
        Finished(answer="ok"),
        Finished(),
    )
    async with staged_turn(
        adb_server.port, tmp_path, steps, attended=False, approved=[ActionKind.PASSWORD], secrets=Kept()
    ) as one:
        await one.next(TurnFinished)
        typed = one.phone.windows.desk.focus.field
        assert typed is not None
        assert typed.value == VALUE
        assert "secrets under these names: wifi" in one.model.heard
        told = repr([event_json(event) for event in one.seen]) + repr(one.seen) + repr(one.model.requests)
        assert VALUE not in told
        shown = one.all(ScreenObserved)[-1].observation
        assert VALUE not in repr(shown.elements)
    assert VALUE.encode() not in everything_below(tmp_path)


async def test_a_tap_that_does_nothing_is_told_and_stopped(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    steps = script(OpenApp(name="Clock"), NOTHING, NOTHING, NOTHING, Finished(answer="ok"), Finished())
    async with staged_turn(adb_server.port, tmp_path, steps) as one:
        paused = await one.state(TurnState.PAUSED)
        assert paused.cause is Cause.LOOP
        assert "3 times on the same screen" in paused.sentence
        assert "did nothing" in "\n".join(one.model.requests[2].notes)
        assert "same action on the same screen" in "\n".join(one.model.requests[3].notes)
        tried = [event for event in one.all(ActionChosen) if event.action.type == "click"]
        done = [event for event in one.all(StepFinished) if event.action.type == "click" and not event.error]
        assert (len(tried), len(done)) == (3, 2)
        one.turn.resume()
        assert (await one.next(TurnFinished)).outcome is Outcome.SUCCESS


async def test_what_is_refused_again_and_again_is_stopped_with_the_reason(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    steps = script(*[TypeText(text="tea")] * 3, Finished())
    async with staged_turn(adb_server.port, tmp_path, steps) as one:
        paused = await one.state(TurnState.PAUSED)
        assert paused.cause is Cause.LOOP
        refused = next(event.error for event in one.all(StepFinished) if event.error)
        assert refused in paused.sentence


@pytest.mark.parametrize("implied", [True, False])
async def test_an_enter_that_the_model_did_not_ask_for_sends_nothing(
    adb_server: PrivateAdbServer, tmp_path: Path, implied: bool
) -> None:
    typed = Decision(TypeText(text="hello"), "", Usage(), following=(PressEnter(),), implied_enter=implied)
    steps = script(OpenApp(name="Chat"), on_text("Mom"), on_id("message_input"), typed, Finished(answer="ok"))
    async with staged_turn(adb_server.port, tmp_path, steps, attended=False) as one:
        finished = await one.next(TurnFinished)
        heard = [note for request in one.model.requests for note in request.notes]
        assert any("Enter was not pressed" in note for note in heard) is implied
        assert ("press enter" in finished.answer) is not implied


async def test_going_in_circles_ends_a_turn_that_nobody_attends(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    there_and_back: list[Action] = [OpenApp(name="Clock"), *[OpenApp(name="Chat"), OpenApp(name="Clock")] * 5]
    async with staged_turn(adb_server.port, tmp_path, script(*there_and_back), attended=False) as one:
        finished = await one.next(TurnFinished)
        assert finished.outcome is Outcome.FAILED
        assert "going in circles" in finished.answer
        assert finished.steps <= 8


async def test_a_password_page_is_handed_over_once(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(
        OpenApp(name="Settings"), on_text("Wi-Fi"), on_text("Linden-16"), Finished(answer="ok"), Finished()
    )
    async with staged_turn(adb_server.port, tmp_path, steps) as one:
        paused = await one.state(TurnState.PAUSED)
        assert paused.cause is Cause.HANDED_OVER
        assert paused.sentence == "This page asks for a password. Do it on the phone, then press F5."
        one.turn.resume()
        assert (await one.next(TurnFinished)).outcome is Outcome.SUCCESS


@pytest.mark.parametrize("prints_error", [True, False])
async def test_a_page_of_which_nothing_can_be_seen_is_handed_over_until_it_has_gone(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prints_error: bool
) -> None:
    steps = script(OpenApp(name="PayBox"), Finished(answer="ok"), Finished(answer="ok"))
    async with staged_turn(adb_server.port, tmp_path, steps) as one:
        paybox = next(app for app in one.phone.windows.apps() if app.package == "com.example.paybox")
        monkeypatch.setattr(type(paybox), "secure_pages", frozenset({paybox.first_page().name}))
        quirks = one.phone.services.quirks
        quirks.never_idle, quirks.secure_error = True, prints_error
        for nth in (1, 2):
            paused = await one.state(TurnState.PAUSED, nth)
            assert paused.cause is Cause.HANDED_OVER
            assert paused.sentence.startswith(
                "Neither the picture nor the elements of this page can be read."
            )
            assert len(one.model.requests) == 1, "there is nothing to ask the model about"
            if nth == 2:
                quirks.never_idle = False
            one.turn.resume()
        assert (await one.next(TurnFinished)).outcome is Outcome.SUCCESS
        assert one.model.requests[1].observation.elements


async def test_the_fence_keeps_a_turn_in_its_app(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(OpenApp(name="Clock"), OpenApp(name="Chat"), Finished(answer="ok"), Finished())
    fence = TurnSettings(app_lock=AppLock.TASK)
    async with staged_turn(adb_server.port, tmp_path, steps, limits=fence) as one:
        await one.next(TurnFinished)
        assert "This task stays in Clock; Chat is not opened." in repr(one.model.requests[2].history)
        assert not [seen for seen in one.all(ScreenObserved) if seen.app.package.endswith("chat")]


async def test_a_budget_ends_a_turn_in_words(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    def back_and_forth(seen: Observation) -> Action:
        return OpenApp(name="Chat" if seen.app.package.endswith("clock") else "Clock")

    steps = script(*[back_and_forth] * 9)
    async with staged_turn(adb_server.port, tmp_path, steps, limits=TurnSettings(max_tokens=20)) as one:
        finished = await one.next(TurnFinished)
        assert finished.outcome is Outcome.FAILED
        assert finished.answer == "Stopped after 20 tokens; the settings allow 20."


async def test_the_seconds_of_a_turn_bound_the_models_reply_too(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    limits = TurnSettings(max_seconds=0.5)
    async with staged_turn(adb_server.port, tmp_path, script(Finished(answer="ok")), limits=limits) as one:
        one.model.may_answer.clear()
        finished = await one.next(TurnFinished)
        assert finished.outcome is Outcome.FAILED
        assert "seconds of work; the settings allow" in finished.answer


async def test_a_look_into_an_app_does_nothing_sensitive_even_if_that_is_allowed(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    steps = script(
        OpenApp(name="Chat"),
        on_text("Mom"),
        on_id("message_input"),
        TypeText(text="I will be late"),
        on_id("send_button"),
        Finished(answer="Sent."),
        Finished(answer="Sent."),
    )
    async with staged_turn(
        adb_server.port, tmp_path, steps, attended=False, approved=list(ActionKind), read_only=True
    ) as one:
        await one.next(TurnFinished)
        refused = [event.error for event in one.all(StepFinished) if event.error]
        assert refused == ["a look into an app changes nothing there"]
        messages = one.app("chat")["messages"]["Mom"]
        assert not [message for message in messages if message["text"] == "I will be late"]
        assert one.store.turns.newest_open("me") is None
        assert one.store.records.get("t") is None
