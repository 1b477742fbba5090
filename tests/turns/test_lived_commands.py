"""Vague commands from typing to the phone's state, understood from three lived weeks."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from assistant.conversation.routing import route
from assistant.demo.memory import live_in
from assistant.events import (
    ActionKind,
    Cause,
    ElementExplored,
    ElementRecalled,
    InstructionCompleted,
    TurnFinished,
)
from assistant.records import Outcome
from assistant.settings.schema import Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.host import Locale
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.phone import PhoneOptions
from assistant.simulator.world import WorldOptions
from tests.worlds import DENSITY, SIZE, START, World, running_world

LivedInWorld = Callable[[str], AbstractAsyncContextManager[World]]


@pytest.fixture(scope="module")
def lived_store(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A memory of three weeks, lived once for each language."""

    @cache
    def live(locale: str) -> Path:
        folder = tmp_path_factory.mktemp("lived")
        live_in(Settings(store=folder), WorldOptions(locale=locale), lambda: START)
        return folder

    return live


@pytest.fixture
def lived_in_world(
    adb_server: PrivateAdbServer, tmp_path: Path, lived_store: Callable[[str], Path]
) -> LivedInWorld:
    """A phone and an engine whose user has three weeks behind them, and lets everything be done."""

    @asynccontextmanager
    async def open_world(locale: str) -> AsyncIterator[World]:
        store = Path(shutil.copytree(lived_store(locale), tmp_path / "store"))
        options = PhoneOptions(start=START, size=SIZE, density=DENSITY, locale=cast(Locale, locale))
        approved = frozenset(ActionKind)
        async with running_world(
            adb_server.port, store, options=options, attended=False, approved=approved, now=lambda: START
        ) as running:
            yield running

    return open_world


async def test_the_usual_lunch_is_ordered(lived_in_world: LivedInWorld) -> None:
    async with lived_in_world("en") as world:
        finished = await world.carry_out("order my usual lunch")
        assert finished.outcome is Outcome.SUCCESS
        (recalled,) = world.all(ElementRecalled)
        assert len(recalled.evidence) >= 10
        (order,) = world.app("eats")["orders"]
        assert (order["shop"], order["address"]) == ("Old Street Noodles", "Office")
        (item,) = order["items"]
        assert item["name"] == "Beef noodles"
        assert "No coriander" in item["options"]


async def test_whom_nothing_was_told_of_is_looked_up(lived_in_world: LivedInWorld) -> None:
    async with lived_in_world("en") as world:
        assert (await world.carry_out("call my landlord")).outcome is Outcome.SUCCESS
        (read,) = world.all(ElementExplored)
        assert (read.app, read.value) == ("Contacts", "Landlord He")
        assert world.app("dialer")["calls"][0]["name"] == "Landlord He"


async def test_mom_is_called_and_the_old_place_is_gone_to(lived_in_world: LivedInWorld) -> None:
    async with lived_in_world("zh") as world:
        assert (await world.carry_out("给妈妈打电话")).outcome is Outcome.SUCCESS
        newest = world.app("dialer")["calls"][0]
        assert (newest["name"], newest["kind"]) == ("Mom", "out")
        before = len(world.seen)
        world.engine.run("去老地方")
        await world.next(InstructionCompleted, lambda event: "湖畔茶楼" in event.instruction, before)
        assert (await world.next(TurnFinished, after=before)).outcome is Outcome.SUCCESS
        assert world.app("maps")["navigation"]["to"] == "Lakeside Teahouse"


async def _carry_out_next(world: World, said: str) -> TurnFinished:
    before = len(world.seen)
    world.engine.run(said)
    finished = await world.next(TurnFinished, after=before)
    await world.engine.wait_until_idle()
    return finished


def _sent_to(world: World, name: str) -> list[str]:
    return [message["text"] for message in world.app("chat")["messages"][name] if message["from"] == "me"]


@pytest.mark.parametrize(
    ("locale", "first", "then", "order", "text"),
    [
        (
            "en",
            "text Dad that I'll be late",
            "and also tell mom",
            "text Susan Lin that I'll be late",
            "I'll be late",
        ),
        ("zh", "给我妈发消息说我晚点到", "也跟我爸说一声", "给我爸发消息说我晚点到", "我晚点到"),
    ],
)
async def test_a_line_that_goes_on_from_the_turn_before_tells_somebody_else_the_same(
    lived_in_world: LivedInWorld, locale: str, first: str, then: str, order: str, text: str
) -> None:
    async with lived_in_world(locale) as world:
        assert (await _carry_out_next(world, first)).outcome is Outcome.SUCCESS
        assert (await _carry_out_next(world, then)).outcome is Outcome.SUCCESS
        assert world.all(InstructionCompleted)[-1].instruction == order
        assert world.all(ElementRecalled)[-1].source == "turn"
        assert _sent_to(world, "Dad")[-1] == _sent_to(world, "Mom")[-1] == text


async def test_a_line_that_goes_on_and_is_read_badly_sends_nothing(lived_in_world: LivedInWorld) -> None:
    async with lived_in_world("zh") as world:
        assert (await _carry_out_next(world, "给我爸发消息说我晚点到")).outcome is Outcome.SUCCESS
        await world.change_model(Fault(kind=FaultKind.WRONG))
        sent = world.app("chat")
        assert (await _carry_out_next(world, "也跟我妈说一声")).outcome is not Outcome.SUCCESS
        assert world.app("chat") == sent


async def test_a_fact_in_any_wording_is_read_kept_and_undone(lived_in_world: LivedInWorld) -> None:
    async with lived_in_world("en") as world:
        told = await world.carry_out("my sister anna lives in leeds")
        assert (told.cause, told.steps) == (Cause.ANSWERED, 0)
        assert "Leeds" in told.answer
        asked = await world.engine.reply(route("where does my sister live"))
        assert "Leeds" in asked.text
        assert world.engine.conversation is not None
        world.engine.conversation.offer = "remember that I am off dairy"
        thanked = await _carry_out_next(world, "thx, ur the best, that was quick of you")
        assert thanked.cause is Cause.ANSWERED
        assert world.engine.conversation.offer == "", (
            "a yes to come takes nothing that was offered before the turn"
        )
        await world.engine.reply(route("undo"))
        assert "Leeds" not in (await world.engine.reply(route("where does my sister live"))).text


async def test_a_line_that_is_read_badly_changes_nothing(lived_in_world: LivedInWorld) -> None:
    async with lived_in_world("en") as world:
        before = (await world.engine.reply(route("what do you know about my sister"))).text
        messages, orders = world.app("chat")["messages"], world.app("eats")["orders"]
        for line in ("my sister anna lives in leeds", "thx, that was quick of u"):
            await world.change_model(Fault(kind=FaultKind.WRONG))
            finished = await _carry_out_next(world, line)
            assert finished.outcome is not Outcome.SUCCESS, finished.answer
            assert finished.steps == 0
        assert (world.app("chat")["messages"], world.app("eats")["orders"]) == (messages, orders)
        assert (await world.engine.reply(route("what do you know about my sister"))).text == before
