"""Understanding a command with looks into apps, in whole turns through the real adb server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.agent.context import AppLookup, AskAboutCommand, ResolvedCommand, RunLookup
from assistant.events import (
    ActionChosen,
    ApprovalRequested,
    ErrandStepped,
    InstructionResolved,
    QuestionAsked,
    ScreenObserved,
    TurnFinished,
    TurnState,
)
from assistant.phone.device import Phone
from assistant.records import Finished, OpenApp, Outcome
from assistant.simulator.adb_server import PrivateAdbServer
from tests.turn_fixture import on_id, on_text, script, staged_turn

LOOK = AppLookup("In Contacts, find out who “my friend” is.", "Contacts", 6, 60.0)


async def looking(command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
    return ResolvedCommand(f"{command}: {await look_up(LOOK) or 'nobody'}")


async def asking(command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
    return ResolvedCommand(f"{command}: {await ask_user('Who is “my friend”?', ['Lily', 'Zhou'])}")


async def test_a_look_into_an_app_completes_the_command(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(
        OpenApp(name="Contacts"),
        Finished(answer="Lily | Contacts"),
        Finished(answer="done"),
        Finished(answer="done"),
    )
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=looking) as one:
        finished = await one.next(TurnFinished)
        assert finished.outcome is Outcome.UNCONFIRMED, "the look did nothing of the command"
        assert [event.app for event in one.all(ErrandStepped)] == ["Contacts"]
        assert one.all(ScreenObserved)[0].app.package == "com.android.launcher3"
        assert one.all(InstructionResolved)[0].instruction == "open it: Lily | Contacts"
        assert [event.step for event in one.all(ActionChosen)] == [1, 1]
        records = list(one.store.records.of("me"))
        assert [record.instruction for record in records] == ["open it: Lily | Contacts"]
        assert records[0].actions == ()
        assert records[0].usage is not None
        assert one.store.turns.newest_open("me") is None


async def test_a_value_that_stood_on_no_screen_is_not_believed(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    steps = script(
        OpenApp(name="Contacts"),
        Finished(answer="Marguerite | Contacts"),
        Finished(answer="Marguerite | Contacts"),
        Finished(answer="done"),
        Finished(answer="done"),
    )
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=looking) as one:
        await one.next(TurnFinished)
        assert one.all(InstructionResolved)[0].instruction == "open it: nobody"


async def test_a_look_changes_nothing_on_the_phone(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(
        OpenApp(name="Clock"),
        on_text("06:45"),
        on_id("delete"),
        Finished(answer="none"),
        Finished(answer="done"),
        Finished(),
    )
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=looking) as one:
        before = one.app("clock")["alarms"]
        await one.next(TurnFinished)
        assert one.app("clock")["alarms"] == before
        assert any(event.error for event in one.all(ErrandStepped))
        assert not one.all(ApprovalRequested)


async def test_a_pause_stops_a_look_and_the_turn_goes_on_after_it(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    steps = script(
        OpenApp(name="Contacts"),
        Finished(answer="Lily"),
        Finished(answer="done"),
        Finished(answer="done"),
        Finished(),
    )
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=looking) as one:
        await one.state(TurnState.RUNNING)
        one.turn.pause()
        await one.state(TurnState.PAUSED)
        assert one.turn.state is TurnState.PAUSED
        one.turn.resume()
        await one.next(TurnFinished)
        assert one.all(InstructionResolved)[0].instruction.startswith("open it: ")


async def test_cancelling_a_look_ends_the_turn(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(*[OpenApp(name="Contacts")] * 6)
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=looking) as one:
        await one.next(ErrandStepped)
        one.turn.cancel()
        finished = await one.next(TurnFinished)
        assert finished.outcome is Outcome.CANCELLED
        assert not one.all(InstructionResolved)


async def test_a_cancel_counts_while_a_look_that_has_ended_tidies_up(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, releasing, may_release = Phone.release, asyncio.Event(), asyncio.Event()

    async def release_slowly(phone: Phone, *, keeps_helper: bool = False) -> None:
        releasing.set()
        await may_release.wait()
        await release(phone, keeps_helper=keeps_helper)

    monkeypatch.setattr(Phone, "release", release_slowly)
    steps = script(OpenApp(name="Contacts"), *[Finished(answer="Lily")] * 4)
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=looking) as one:
        await releasing.wait()
        one.turn.cancel()
        may_release.set()
        finished = await one.next(TurnFinished)
        assert finished.outcome is Outcome.CANCELLED


async def test_the_user_is_asked_what_is_meant(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(Finished(answer="done"), Finished(answer="done"))
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=asking) as one:
        asked = await one.next(QuestionAsked)
        assert asked.choices == ("Lily", "Zhou")
        assert one.turn.state is TurnState.WAITING
        asked.answer.set_result("Lily")
        await one.next(TurnFinished)
        assert one.all(InstructionResolved)[0].instruction == "open it: Lily"


async def test_nobody_is_asked_where_nobody_is(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    steps = script(Finished(answer="done"), Finished(answer="done"))
    async with staged_turn(adb_server.port, tmp_path, steps, command_resolver=asking, attended=False) as one:
        await one.next(TurnFinished)
        assert not one.all(QuestionAsked)
        assert one.all(InstructionResolved)[0].instruction == "open it: "
