"""Two programs on one memory, as two terminals are."""

from __future__ import annotations

import asyncio
import json
import platform
import re
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import typer
from sqlalchemy import update

from assistant.agent.turn_control import TurnCommandResolver
from assistant.cli.run import run_on_several
from assistant.engine import Engine
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    PlanMade,
    StepFinished,
    SubTaskChanged,
    TurnFinished,
    TurnStarted,
    TurnState,
    Verdict,
)
from assistant.memory.programs import LEASE_SECONDS
from assistant.memory.schema import leases
from assistant.memory.turns import TurnStore
from assistant.phone.adb import AdbServer
from assistant.phone.apps import LABELS, AppLabels
from assistant.records import Outcome
from assistant.safety.amounts import Allowance
from assistant.settings.schema import OtherDisplays
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.turn_runner import EngineBusy
from tests.memory.postgres import running_server
from tests.worlds import DENSITY, LIMIT, SIZE, START, World, running_world

COMMAND = "turn on dark mode"


async def test_each_has_its_phone_and_none_takes_the_others(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    adb = AdbServer("127.0.0.1", adb_server.port)
    other_phone = SimulatedPhone(PhoneOptions(start=START, size=SIZE, density=DENSITY))
    async with running_world(adb_server.port, tmp_path) as world, other_phone:
        await adb.connect(other_phone.serial)
        other = Engine(world.settings, now=lambda: datetime.now(START.tzinfo))
        try:
            await other.start()
            await other.wait_for_phone()
            assert (world.engine.has_other_program, other.has_other_program) == (False, True)
            world.engine.run(COMMAND)
            assert other.interrupted_turn() is None
            with pytest.raises(EngineBusy, match="Another program"):
                other.run(COMMAND)
            other.switch_phone(other_phone.serial)
            async with asyncio.timeout(60):
                events = other.events()
                while getattr(await anext(events), "serial", "") != other_phone.serial:
                    pass
                other.run(COMMAND)
                while not isinstance(ended := await anext(events), TurnFinished):
                    pass
            assert ended.outcome is Outcome.SUCCESS
            assert (await world.finished()).outcome is Outcome.SUCCESS
            assert len(world.engine.records()) == 2
        finally:
            await other.close()
            await adb.disconnect(other_phone.serial)


async def test_a_command_runs_on_several_phones_at_once(
    adb_server: PrivateAdbServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adb = AdbServer("127.0.0.1", adb_server.port)
    other_phone = SimulatedPhone(PhoneOptions(start=START, size=SIZE, density=DENSITY))
    async with running_world(adb_server.port, tmp_path) as world, other_phone:
        await adb.connect(other_phone.serial)
        try:
            outcome = await run_on_several(world.settings, COMMAND, (), "all", as_json=True)
            with pytest.raises(typer.TyperException, match="no-phone is not connected"):
                await run_on_several(world.settings, COMMAND, (), "no-phone", as_json=True)
        finally:
            await adb.disconnect(other_phone.serial)
        assert outcome is Outcome.SUCCESS
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        ended = {line["phone"]: line["outcome"] for line in lines if line["event"] == "turn_finished"}
        assert ended == dict.fromkeys((world.phone.serial, other_phone.serial), "success")
        assert len(world.engine.records()) == 2
        for phone in (world.phone, other_phone):
            assert phone.state()["apps"]["com.android.settings"]["values"]["dark_mode"] == "1"


async def test_a_command_over_two_apps_reads_on_another_phone_and_sends_from_the_one_in_use(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = threading.Event()
    past_plans, resolve = TurnStore.past_plans, TurnCommandResolver.resolve

    def note_look(turns: TurnStore, user_id: str) -> list[dict[str, Any]]:
        looked.set()
        return past_plans(turns, user_id)

    async def resolve_beside(resolver: TurnCommandResolver) -> None:
        assert await asyncio.to_thread(looked.wait, LIMIT), "earlier plans are looked for only afterwards"
        await resolve(resolver)

    monkeypatch.setattr(TurnStore, "past_plans", note_look)
    monkeypatch.setattr(TurnCommandResolver, "resolve", resolve_beside)
    adb = AdbServer("127.0.0.1", adb_server.port)
    other_phone = SimulatedPhone(PhoneOptions(start=START, size=SIZE, density=DENSITY))
    labels = {label: f"com.example.{label.lower()}/.Main" for label in ("Rail", "Chat")}
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(other_phone)
        await adb.connect(other_phone.serial)
        stack.push_async_callback(adb.disconnect, other_phone.serial)
        approved = frozenset([ActionKind.SEND])
        world = await stack.enter_async_context(
            running_world(adb_server.port, tmp_path, approved=approved, phone={"also": "all"})
        )
        AppLabels(tmp_path / LABELS).learn_all(world.phone.serial, labels)
        ended = await world.carry_out(
            "find a train from Beijing to Nanjing tomorrow morning on Rail and send it to Mom on Chat"
        )
        assert ended.outcome is Outcome.SUCCESS, ended.answer
        (made,) = world.all(PlanMade)
        assert [task.app for task in made.tasks] == ["Rail", "Chat"]
        newest = {
            phone: phone.state()["apps"]["com.example.chat"]["messages"]["Mom"][-1]["text"]
            for phone in (world.phone, other_phone)
        }
        assert re.search(r"G\d+", newest[world.phone])
        assert not re.search(r"G\d+", newest[other_phone])
        searched = [
            phone.state()["apps"]["com.example.rail"]["searches"] for phone in (world.phone, other_phone)
        ]
        assert [len(entries) for entries in searched] == [0, 1]
        world.seen.clear()
        assert (await world.carry_out("turn on dark mode")).outcome is Outcome.SUCCESS
        assert not world.all(PlanMade)


async def test_turns_run_side_by_side_in_one_engine_and_only_the_one_in_front_is_steered(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with two_phones(adb_server.port, tmp_path) as (world, other_phone):
        engine = world.engine
        engine.run("text Mom that I'll be late")
        asked = await world.next(ApprovalRequested)
        assert asked.turn_phone == engine.front_phone == world.phone.serial
        engine.switch_phone(other_phone.serial)
        assert engine.state is None
        engine.cancel()
        engine.run(COMMAND)
        ended = await world.finished()
        assert (ended.turn_phone, ended.outcome) == (other_phone.serial, Outcome.SUCCESS)
        assert not asked.decision.done()
        assert {event.turn_phone for event in world.all(StepFinished)} == {
            world.phone.serial,
            other_phone.serial,
        }
        requests = {entry.turn_id for entry in engine._store.sent.lines("me", 99) if entry.turn_id}
        assert requests == {started.turn_id for started in world.all(TurnStarted)}
        engine.switch_phone(world.phone.serial)
        assert engine.state is TurnState.WAITING
        asked.decision.set_result(Approval(Verdict.ONCE))
        sent = await world.next(TurnFinished, lambda event: event.turn_phone == world.phone.serial)
        assert sent.outcome is Outcome.SUCCESS, sent.answer
        assert dark_mode(other_phone)
        assert not dark_mode(world.phone)
        newest = [
            phone.state()["apps"]["com.example.chat"]["messages"]["Mom"][-1]["text"]
            for phone in (world.phone, other_phone)
        ]
        assert ["late" in text for text in newest] == [True, False]


async def test_killed_turns_on_two_phones_go_on_each_on_its_own(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with two_phones(adb_server.port, tmp_path) as (world, other_phone):
        world.engine.run("text Mom that I'll be late")
        await world.next(ApprovalRequested)
        world.engine.switch_phone(other_phone.serial)
        world.engine.run("text Dad that I'll be late")
        await world.next(ApprovalRequested, lambda event: event.turn_phone == other_phone.serial)
        await world.engine.close()
        again = Engine(
            world.settings,
            now=lambda: datetime.now(START.tzinfo),
            allowances=[Allowance(ActionKind.SEND)],
        )
        try:
            await again.start()
            await again.wait_for_phone()
            left = again.interrupted_turns()
            assert {turn.phone for turn in left} == {world.phone.serial, other_phone.serial}
            for turn in left:
                again.continue_turn(turn.turn_id)
                assert again.front_phone == turn.phone
            ends: list[TurnFinished] = []
            async with asyncio.timeout(60):
                events = again.events()
                while len(ends) < len(left):
                    event = await anext(events)
                    ends += [event] if isinstance(event, TurnFinished) else []
        finally:
            await again.close()
        assert [end.outcome for end in ends] == [Outcome.SUCCESS] * 2, ends
        for phone, name, other_name in ((world.phone, "Mom", "Dad"), (other_phone, "Dad", "Mom")):
            assert "late" in newest_message(phone, name)
            assert "late" not in newest_message(phone, other_name)


async def test_a_turn_on_another_machine_is_neither_offered_nor_doubled(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The serial of one phone says nothing on another machine.
    machines = map("machine-{}".format, count())
    monkeypatch.setattr(platform, "node", lambda: next(machines))
    with running_server() as server:
        async with running_world(adb_server.port, tmp_path / "here", database=server.url) as world:
            world.engine.run("text Mom that I'll be late")
            asked = await world.next(ApprovalRequested)
            there = Engine(
                world.settings.model_copy(update={"store": tmp_path / "there"}),
                now=lambda: datetime.now(START.tzinfo),
                allowances=[Allowance(ActionKind.SEND)],
            )
            try:
                await there.start()
                await there.wait_for_phone()
                assert there.has_other_program
                assert there.interrupted_turn() is None
                there.discard(asked_turn := world.all(TurnStarted)[0].turn_id)
                with pytest.raises(EngineBusy, match="Another program"):
                    there.run(COMMAND)
                with pytest.raises(EngineBusy, match="Another program"):
                    there.continue_turn(asked_turn)
                let_leases_expire(there)
                left = there.interrupted_turn()
                assert left is not None
                there.continue_turn(left.turn_id)
                async with asyncio.timeout(60):
                    events = there.events()
                    while not isinstance(ended := await anext(events), TurnFinished):
                        pass
                assert (ended.turn_id, ended.outcome) == (asked_turn, Outcome.SUCCESS), ended.answer
                asked.decision.set_result(Approval(Verdict.ONCE))
                lost = await world.finished()
                assert lost.outcome is Outcome.FAILED
                assert "Another machine has taken over" in lost.answer
                assert there.interrupted_turn() is None
            finally:
                await there.close()
            late = [
                message
                for message in world.phone.state()["apps"]["com.example.chat"]["messages"]["Mom"]
                if "late" in message["text"]
            ]
            assert len(late) == 1
            assert [record.outcome for record in world.engine.records()] == [Outcome.SUCCESS]


def let_leases_expire(engine: Engine) -> None:
    with engine._store.database.write() as connection:
        connection.execute(update(leases).values(expires=leases.c.expires - 2 * LEASE_SECONDS))


def newest_message(phone: SimulatedPhone, name: str) -> str:
    return str(phone.state()["apps"]["com.example.chat"]["messages"][name][-1]["text"])


def dark_mode(phone: SimulatedPhone) -> bool:
    values: dict[str, str] = phone.state()["apps"]["com.android.settings"]["values"]
    return values.get("dark_mode") == "1"


@asynccontextmanager
async def two_phones(adb_port: int, store: Path) -> AsyncIterator[tuple[World, SimulatedPhone]]:
    adb = AdbServer("127.0.0.1", adb_port)
    other_phone = SimulatedPhone(PhoneOptions(start=START, size=SIZE, density=DENSITY))
    async with running_world(adb_port, store) as world, other_phone:
        await adb.connect(other_phone.serial)
        try:
            async with asyncio.timeout(20), aclosing(adb.watch()) as listings:
                async for listed in listings:
                    if other_phone.serial in [phone.serial for phone in listed]:
                        break
            yield world, other_phone
        finally:
            await adb.disconnect(other_phone.serial)


async def test_with_displays_switched_on_a_command_reads_on_one_and_sends_from_the_own_screen(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    labels = {label: f"com.example.{label.lower()}/.Main" for label in ("Rail", "Chat")}
    approved = frozenset([ActionKind.SEND])
    options = PhoneOptions(start=START, size=SIZE, density=DENSITY, android=16)
    settings = {"displays": OtherDisplays.OVERLAY}
    async with running_world(
        adb_server.port, tmp_path, options=options, approved=approved, phone=settings
    ) as world:
        AppLabels(tmp_path / LABELS).learn_all(world.phone.serial, labels)
        ended = await world.carry_out(
            "find a train from Beijing to Nanjing tomorrow morning on Rail and send it to Mom on Chat"
        )
        assert ended.outcome is Outcome.SUCCESS, ended.answer
        (made,) = world.all(PlanMade)
        assert [task.app for task in made.tasks] == ["Rail", "Chat"]
        told = world.phone.state()["apps"]["com.example.chat"]["messages"]["Mom"][-1]["text"]
        assert re.search(r"G\d+", told)
        assert any("display 2" in event.phone for event in world.all(SubTaskChanged))
        assert world.phone.services.displays.shown == {}


async def test_with_several_phones_too_a_remark_begins_nothing(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    adb = AdbServer("127.0.0.1", adb_server.port)
    other_phone = SimulatedPhone(PhoneOptions(start=START, size=SIZE, density=DENSITY))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(other_phone)
        await adb.connect(other_phone.serial)
        stack.push_async_callback(adb.disconnect, other_phone.serial)
        world = await stack.enter_async_context(
            running_world(adb_server.port, tmp_path, attended=False, phone={"also": "all"})
        )
        ended = await world.carry_out("I forgot to call my mother yesterday")
        assert ended.outcome is Outcome.CANCELLED
        assert "Nothing was begun" in ended.answer
        assert not world.all(StepFinished)
