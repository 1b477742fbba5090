"""A model that reads pictures alone is asked while the phone still lists its elements; through real adb."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PIL import Image, ImageOps

from assistant.agent.action_selection import ActionSelector
from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.context import TurnContext
from assistant.events import ActionChosen, Event, ScreenObserved, TurnFinished, TurnState, UsageUpdated
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.types import StepRequest
from assistant.phone.screen import Screenshot, ScreenSource
from assistant.phone.ui_tree import Page, UiTree
from assistant.records import Click, Finished, ForegroundApp, Observation, OpenApp, Point, Usage, Wait
from assistant.settings.schema import Settings, TurnSettings
from assistant.simulator.adb_server import PrivateAdbServer
from tests.phone.scripted import until
from tests.turn_fixture import FunctionModel, script, staged_turn
from tests.worlds import LIMIT, START


class HeldTree:
    """A phone whose trees come only while they are let through, and whose picture can be made another."""

    def __init__(self) -> None:
        self.may_come = asyncio.Event()
        self.pictures = 0
        self.inverted = False
        self._inner: ScreenSource | None = None

    def around(self, inner: ScreenSource) -> ScreenSource:
        """This phone, read through another source."""
        self._inner = inner
        return self

    async def screenshot(self) -> Screenshot:
        """The picture, or its negative."""
        assert self._inner is not None
        self.pictures += 1
        shot = await self._inner.screenshot()
        return Screenshot(_negative(shot.png)) if self.inverted else shot

    async def tree(self) -> UiTree | None:
        """The tree, once it may come."""
        assert self._inner is not None
        await self.may_come.wait()
        return await self._inner.tree()

    async def distrust(self, *, is_old: bool) -> bool:
        """There is no other way."""
        return False

    async def second_opinion(self, page: Page) -> UiTree | None:
        """There is no other way."""
        return None


def _negative(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as picture:
        data = io.BytesIO()
        ImageOps.invert(picture.convert("RGB")).save(data, "PNG")
    return data.getvalue()


async def test_the_reply_to_an_early_request_is_used(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    tree = HeldTree()
    steps = script(OpenApp(name="Clock"), Finished(answer="It is open."), Finished(answer="It is open."))
    async with staged_turn(
        adb_server.port,
        tmp_path,
        steps,
        reads_elements=False,
        watch=tree.around,
        instruction="open the clock",
    ) as one:
        await one.model.thinking.wait()
        assert not one.all(ScreenObserved), "asked before the screen has been read"
        assert one.model.requests[0].observation.elements == ()
        tree.may_come.set()
        await one.next(TurnFinished)
        assert len(one.model.requests) == len(one.all(ActionChosen))
        assert one.all(ScreenObserved)[0].observation.elements, "guards judge the whole screen"


async def test_a_reply_to_a_picture_that_changed_is_not_used(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    tree = HeldTree()
    steps = script(Click(point=Point(0.5, 0.5)), Wait(), Finished(answer="done"))
    async with staged_turn(adb_server.port, tmp_path, steps, reads_elements=False, watch=tree.around) as one:
        await one.model.thinking.wait()
        tree.inverted = True
        tree.may_come.set()
        chosen = await one.next(ActionChosen)
        assert isinstance(chosen.action, Wait), "the tap was decided on another picture"
        assert one.model.requests[1].observation.elements


async def test_what_the_user_says_meanwhile_is_asked_with(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    tree = HeldTree()
    steps = script(Wait(), Finished(answer="done"), Finished(answer="done"))
    async with staged_turn(adb_server.port, tmp_path, steps, reads_elements=False, watch=tree.around) as one:
        one.model.may_answer.clear()
        await one.model.thinking.wait()
        one.turn.say("the blue one")
        one.model.may_answer.set()
        tree.may_come.set()
        await one.next(ActionChosen)
        assert "the blue one" in "\n".join(one.model.requests[1].notes)
        assert "the blue one" not in "\n".join(one.model.requests[0].notes)


async def test_a_pause_ends_an_early_request(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    tree = HeldTree()
    async with staged_turn(
        adb_server.port, tmp_path, script(Wait()), reads_elements=False, watch=tree.around
    ) as one:
        one.model.may_answer.clear()
        await one.model.thinking.wait()
        one.turn.pause()
        await one.state(TurnState.PAUSED)
        await until(lambda: one.model.interrupted == 1)
        assert len(one.model.requests) == 1
        tree.may_come.set()


async def test_a_fault_in_an_early_request_ends_the_turn_instead_of_being_waited_for(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    tree = HeldTree()

    def fail(request: StepRequest) -> Wait:
        raise RuntimeError("a fault of the program")

    async with staged_turn(adb_server.port, tmp_path, fail, reads_elements=False, watch=tree.around) as one:
        await one.model.thinking.wait()
        tree.may_come.set()
        with pytest.raises(RuntimeError, match="a fault"):
            await asyncio.wait_for(asyncio.shield(one.running), LIMIT)


class EndedModel(FunctionModel):
    """A model whose requests, when they are ended, have used something."""

    def take_dropped_usage(self) -> Usage:
        """Seven estimated tokens for each."""
        ended, self.interrupted = self.interrupted, 0
        return Usage(prompt_tokens=7 * ended, estimated_tokens=7 * ended, requests=ended)


@pytest.mark.parametrize("is_answered", [True, False])
async def test_an_early_request_that_is_not_used_is_counted(tmp_path: Path, is_answered: bool) -> None:
    store, model = Store(tmp_path), EndedModel(script(Wait()), reads_elements=False)
    if not is_answered:
        model.may_answer.clear()
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=START, said="wait", instruction="wait")
    phone = cast(Any, SimpleNamespace(app_names=()))
    events: list[Event] = []
    context = TurnContext(phone, model, store, Settings(store=tmp_path), lambda: START, events.append)
    checkpointer = TurnCheckpointer(store, checkpoint, stored=False)
    selector = ActionSelector(context, checkpointer, lambda _cause: None)
    selector.ask_early(Observation(10, 10, b"", (), app=ForegroundApp("com.example.clock")))
    await model.thinking.wait()
    await asyncio.sleep(0)
    await selector.drop_early()
    usage = checkpointer.checkpoint.usage
    assert (usage.prompt_tokens, usage.estimated_tokens) == ((10, 0) if is_answered else (7, 7))
    assert usage.requests == 1
    assert isinstance(events[-1], UsageUpdated)
    (day,) = store.ledger.days("me", START.date())
    assert day.usage == usage
    await model.close()
    store.close()


async def test_a_turn_whose_early_requests_are_in_vain_sends_no_more(tmp_path: Path) -> None:
    store, model = Store(tmp_path), FunctionModel(script(*[Wait()] * 9), reads_elements=False)
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=START, said="wait", instruction="wait")
    phone = cast(Any, SimpleNamespace(app_names=()))
    context = TurnContext(phone, model, store, Settings(store=tmp_path), lambda: START, lambda _event: None)
    selector = ActionSelector(context, TurnCheckpointer(store, checkpoint, stored=False), lambda _cause: None)
    for _step in range(2):
        assert selector.can_ask_early
        selector.ask_early(Observation(10, 10, b"", (), app=ForegroundApp("com.example.clock")))
        await selector.drop_early()
    assert not selector.can_ask_early
    await model.close()
    store.close()


async def expect_whole_screens(port: int, folder: Path, *, ask_early: bool, reads_elements: bool) -> None:
    """Run a step whose tree is held back until two pictures were taken; the model gets the elements, too."""
    tree = HeldTree()
    limits = TurnSettings(ask_early=ask_early)
    async with staged_turn(
        port, folder, script(Wait()), reads_elements=reads_elements, watch=tree.around, limits=limits
    ) as one:
        await until(lambda: tree.pictures >= 3)
        assert not one.model.requests
        tree.may_come.set()
        await one.next(ActionChosen)
        assert one.model.requests[0].observation.elements


async def test_a_model_that_is_told_the_elements_waits_for_them(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    await expect_whole_screens(adb_server.port, tmp_path, ask_early=True, reads_elements=True)


async def test_early_requests_can_be_switched_off(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    await expect_whole_screens(adb_server.port, tmp_path, ask_early=False, reads_elements=False)


@pytest.mark.parametrize(
    ("command", "done", "is_missing"),
    [
        ("text mom hi in wechat", (), True),
        ("text mom hi in wechat", (StoredStep(number=1, action=Wait(), error="no such app"),), True),
        # From then on the user has answered, or the app is there.
        ("text mom hi in wechat", (StoredStep(number=1, action=Wait()),), False),
        ("text mom hi in chat", (), False),
    ],
)
async def test_the_model_is_told_before_the_first_step_that_an_app_is_not_there(
    tmp_path: Path, command: str, done: tuple[StoredStep, ...], is_missing: bool
) -> None:
    store, model = Store(tmp_path), FunctionModel(script(Wait()), reads_elements=False)
    checkpoint = Checkpoint(
        turn_id="t", user_id="me", started=START, said=command, instruction=command, steps=done
    )
    phone = cast(Any, SimpleNamespace(app_names=("Chat", "Maps")))
    context = TurnContext(phone, model, store, Settings(store=tmp_path), lambda: START, lambda _event: None)
    selector = ActionSelector(context, TurnCheckpointer(store, checkpoint, stored=False), lambda _cause: None)
    selector.ask_early(Observation(10, 10, b"", (), app=ForegroundApp("com.example.chat")))
    await model.thinking.wait()
    await selector.drop_early()
    sentence = 'No app called "wechat" is known on this phone; these are: Chat, Maps.'
    assert (sentence in model.heard) is is_missing
    await model.close()
    store.close()
