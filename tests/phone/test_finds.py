"""Finds of one element through the resident helper, through the real adb server, and what they may end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import repeat
from typing import Any

import pytest
from uiautomator2._selector import Selector

from assistant.phone.device import Phone
from assistant.phone.errors import HelperLost
from assistant.phone.screen import settled_look
from assistant.phone.screen_sources import ElementFinds, ResidentHelper
from assistant.phone.ui_tree import UiTree
from assistant.records import Bounds, Element, Observation, OpenApp, PressBack
from assistant.simulator.android.profiles import ResidentFault
from assistant.simulator.android.uiautomator2 import Uiautomator2Server
from assistant.simulator.apps.host import Dialog
from assistant.skills.skill_step import find_witness
from tests.phone.conftest import Simulate, Simulated
from tests.phone.scripted import png
from tests.phone.test_fast_looks import Reader
from tests.phone.test_resident_helper import HELPED, tap

WHITE, GREY, BLUE = png(), png(colour="grey"), png(colour="blue")
LONG = HELPED.model_copy(update={"settle_cap": 3.0})


class Calls:
    """What the helper is asked; it stands in front of the real calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        call = ResidentHelper.call

        async def counted(helper: ResidentHelper, method: str, *values: object, **how: Any) -> Any:
            self.asked.append(method)
            return await call(helper, method, *values, **how)

        monkeypatch.setattr(ResidentHelper, "call", counted)

    def count(self, method: str) -> int:
        return self.asked.count(method)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


@asynccontextmanager
async def in_chat(simulate: Simulate) -> AsyncIterator[tuple[Simulated, Phone, Observation]]:
    """The list of chats, behind the home screen that was looked at before."""
    async with simulate() as simulated:
        phone = simulated.again(LONG)
        await phone.perform(OpenApp(name="Chat"), await phone.observe())
        yield simulated, phone, await phone.observe()
        await phone.release()


def witness(seen: Observation, text: str) -> Element:
    found = find_witness(seen, tap(seen, text).point)
    assert found is not None
    return found


def finds_of(phone: Phone) -> ElementFinds:
    helper = phone._helper
    assert helper is not None
    return ElementFinds(helper)


def slide(simulated: Simulated, seconds: float) -> None:
    """Let new pages slide in for so long, and trees take longer than finds, as they do on a phone."""
    delays = simulated.sim.services.delays
    delays.factor, delays.seconds = 1.0, {"u2 dump": 0.4}
    simulated.sim.services.quirks.slides = seconds


def show_dialog(simulated: Simulated, title: str) -> None:
    desk = simulated.sim.windows.desk
    with desk.running("com.example.chat"):
        desk.show(Dialog(title, buttons=[("Subscribe", lambda: None)]))


def shift_rows(simulated: Simulated, monkeypatch: pytest.MonkeyPatch, by: int) -> None:
    """Let all that the server tells stand lower, as under a banner that came into the page."""
    dump = simulated.sim.windows.dump

    def moved(**how: Any) -> bytes:
        printed = dump(**how).decode()
        place = 'text="Dad"'
        head, _, tail = printed.partition(place)
        before, _, after = tail.partition('bounds="[')
        left, _, rest = after.partition(",")
        top, _, rest = rest.partition("][")
        right, _, rest = rest.partition(",")
        bottom, _, rest = rest.partition("]")
        bounds = f'bounds="[{left},{int(top) + by}][{right},{int(bottom) + by}]'
        return f"{head}{place}{before}{bounds}{rest}".encode()

    monkeypatch.setattr(simulated.sim.windows, "dump", moved)


async def test_an_element_is_found_where_the_tree_has_it(simulate: Simulate) -> None:
    async with in_chat(simulate) as (_simulated, phone, seen):
        for text in ("Dad", "Mom"):
            assert await finds_of(phone).find(witness(seen, text)) == witness(seen, text).bounds
        gone = replace(witness(seen, "Dad"), text="Nobody")
        assert await finds_of(phone).find(gone) is None
        assert not phone.helper_loss, "the answer that nothing is there is no fault"


async def test_what_is_beneath_a_dialog_is_not_there(simulate: Simulate, calls: Calls) -> None:
    async with in_chat(simulate) as (simulated, phone, seen):
        dad = witness(seen, "Dad")
        show_dialog(simulated, "Try Chat Plus")
        assert await finds_of(phone).find(dad) is None
        server = Uiautomator2Server(simulated.sim.services, simulated.sim.windows)
        selector = dict(Selector(text="Dad"))
        assert (await server._object_info(selector))["text"] == "Dad", "`objInfo` alone finds it there"
        assert await phone.moved_since(seen, dad)


async def test_a_harmless_touch_takes_no_picture(simulate: Simulate, calls: Calls) -> None:
    async with in_chat(simulate) as (_simulated, phone, seen):
        phone._observer.acted = time.monotonic()
        phone._observer._latest = None  # A look so old that a picture would be taken.
        calls.asked.clear()
        assert not await phone.moved_since(seen, witness(seen, "Dad"))
        assert sorted(set(calls.asked)) == ["exist", "objInfo"]
        assert not await phone.moved_since(seen)
        assert calls.count("takeScreenshot") == 1


async def test_what_moved_away_is_looked_at(
    simulate: Simulate, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_chat(simulate) as (simulated, phone, seen):
        phone._observer._latest = None
        dad = witness(seen, "Dad")
        shift_rows(simulated, monkeypatch, 60)
        place = await finds_of(phone).find(dad)
        assert place is not None
        assert place.top == dad.bounds.top + 60
        calls.asked.clear()
        await phone.moved_since(seen, dad)
        assert calls.count("takeScreenshot") == 1


async def test_finds_that_see_an_old_page_are_not_believed(simulate: Simulate, calls: Calls) -> None:
    async with simulate() as simulated:
        phone = simulated.again(LONG)
        seen = await phone.observe()
        simulated.sim.services.quirks.resident = ResidentFault.STALE_FINDS
        home = witness(seen, "Chat")
        assert await finds_of(phone).find(home) == home.bounds
        await phone.perform(OpenApp(name="Chat"), seen)
        seen = await phone.observe()
        phone._observer._latest = None
        dad = witness(seen, "Dad")
        calls.asked.clear()
        for _time in range(2):
            assert not await phone.moved_since(seen, dad)
        assert calls.count("takeScreenshot") == 2
        assert calls.count("exist") == 2, "one of what is sought and one of what is gone, once"
        await phone.release()


async def test_without_proof_that_finds_see_what_is_gone_a_picture_tells(
    simulate: Simulate, calls: Calls
) -> None:
    async with simulate() as simulated:
        phone = simulated.again(LONG)
        seen = await phone.observe()
        phone._observer._latest = None
        assert not await phone.moved_since(seen, witness(seen, "Chat"))
        assert calls.count("exist") == 0
        await phone.release()


async def test_a_find_that_hangs_is_given_up_and_the_helper_stays(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: object) -> None:
        await asyncio.sleep(60)

    async with in_chat(simulate) as (_simulated, phone, seen):
        monkeypatch.setattr("assistant.phone.screen_sources._FIND_LIMIT", 0.05)
        monkeypatch.setattr(Uiautomator2Server, "_wait", hang)
        assert await finds_of(phone).find(witness(seen, "Dad")) is None
        assert not phone.helper_loss


@pytest.mark.parametrize("reason", ["lost"])
async def test_a_helper_that_is_lost_finds_nothing(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    async def lose(*_: object, **__: object) -> None:
        raise HelperLost(reason)

    async with in_chat(simulate) as (_simulated, phone, seen):
        monkeypatch.setattr(ResidentHelper, "call", lose)
        assert await finds_of(phone).find(witness(seen, "Dad")) is None


async def test_a_page_that_slides_in_is_seen_when_finds_and_tree_agree(
    simulate: Simulate, calls: Calls
) -> None:
    async with in_chat(simulate) as (simulated, phone, seen):
        await phone.perform(tap(seen, "Dad"), seen)
        chat = await phone.observe()
        texts = [each.text for each in seen.elements]
        awaited = next(each for each in chat.elements if each.text and each.text not in texts)
        await phone.perform(PressBack(), chat)
        seen = await phone.observe()
        slide(simulated, 1.5)
        await phone.perform(tap(seen, "Dad"), seen)
        calls.asked.clear()
        began = time.monotonic()
        async with phone.awaiting(awaited):
            again = await phone.observe()
        assert phone.led_by_find
        assert calls.count("dumpWindowHierarchy") == 1
        assert awaited.text in [each.text for each in again.elements]
        assert time.monotonic() - began < 1.4, "its picture moves longer"
        assert not phone._observer.is_fresh(again), "its picture tells nothing of what comes"
        async with phone.awaiting(None):
            await phone.observe()
        assert not phone.led_by_find
        assert not phone.helper_loss, "a second look at it makes its tree no older"


async def test_finds_of_an_old_page_end_no_look(simulate: Simulate) -> None:
    async with in_chat(simulate) as (simulated, phone, seen):
        dad = witness(seen, "Dad")
        await phone.perform(tap(seen, "Dad"), seen)
        chat = await phone.observe()
        simulated.sim.services.quirks.resident = ResidentFault.STALE_FINDS
        assert await finds_of(phone).find(replace(dad, text="Nobody")) is None
        slide(simulated, 1.5)
        await phone.perform(PressBack(), chat)
        async with phone.awaiting(dad):
            again = await phone.observe()
        assert not phone.led_by_find
        assert witness(again, "Dad") == dad


async def test_a_page_that_comes_late_is_waited_for(simulate: Simulate) -> None:
    async with in_chat(simulate) as (simulated, phone, seen):
        dad = witness(seen, "Dad")
        show_dialog(simulated, "Loading")
        desk = simulated.sim.windows.desk
        asyncio.get_running_loop().call_later(0.3, lambda: desk.close_dialog(desk.dialogs[-1]))
        assert await phone.comes(dad)
        assert not await phone.comes(replace(dad, text="Nobody"))


async def look_of(
    pictures: Iterable[bytes], trees: Iterable[UiTree], agrees: Callable[[UiTree | None], Awaitable[bool]]
) -> tuple[bool, bool, int]:
    """Whether a look ended settled, whether by finds, and with how many trees."""

    class Trees(Reader):
        async def tree(self) -> UiTree | None:
            self.result = next(given)
            return await super().tree()

    given = iter(trees)
    source = Trees(pictures)
    look = await settled_look(source, 5.0, agrees=agrees)
    return look.settled, look.finds_agree, source.trees


async def agree(tree: UiTree | None) -> bool:
    return tree is not None


async def disagree(tree: UiTree | None) -> bool:
    return False


async def test_pictures_that_are_the_same_need_no_find() -> None:
    assert await look_of(repeat(WHITE), repeat(UiTree(())), agree) == (True, False, 1)


async def test_where_pictures_differ_finds_that_agree_end_the_look() -> None:
    pictures = iter([WHITE, GREY, BLUE, *repeat(WHITE, 100)])
    assert await look_of(pictures, repeat(UiTree(())), agree) == (True, True, 1)


async def test_where_finds_do_not_agree_pictures_have_to() -> None:
    pictures = iter([WHITE, GREY, BLUE, *repeat(WHITE, 100)])
    settled, found, trees = await look_of(pictures, repeat(UiTree(())), disagree)
    assert (settled, found) == (True, False)
    assert trees > 1


def test_a_row_is_told_by_its_first_words_and_what_stands_twice_by_nothing() -> None:
    def node(number: int, parent: int, top: int, text: str = "", *, clickable: bool = False) -> Element:
        bounds = Bounds(0, top, 100, top + 50)
        return Element(
            number, parent, "android.view.View", bounds, text, package="com.shop", clickable=clickable
        )

    def page(*titles: str) -> Observation:
        elements = [Element(0, -1, "android.view.View", Bounds(0, 0, 100, 300), package="com.shop")]
        for place, title in enumerate(titles):
            row = len(elements)
            elements.append(node(row, 0, 50 * place, clickable=True))
            elements.append(node(row + 1, row, 50 * place, title))
        return Observation(100, 300, b"", tuple(elements))

    rows = page("Rice", "Soup", "Rice")
    soup = find_witness(rows, rows.point(50, 75))
    assert soup is not None
    assert soup.text == "Soup"
    assert find_witness(rows, rows.point(50, 25)) is None
    secret = replace(rows.elements[4], password=True)
    hidden = replace(rows, elements=(*rows.elements[:4], secret, *rows.elements[5:]))
    assert find_witness(hidden, hidden.point(50, 75)) is None


def test_a_find_within_an_app_is_asked_as_the_client_of_the_server_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, object] = {}

    class Helper:
        running = True

        async def call(self, method: str, selector: dict[str, object]) -> None:
            asked[method] = selector

    row = Element(0, -1, "android.view.View", Bounds(0, 0, 9, 9), "Soup", package="com.shop")
    helper: Any = Helper()
    assert asyncio.run(ElementFinds(helper).find(row)) is None
    client = Selector(text="Soup", className="android.view.View", packageName="com.shop")
    assert asked["objInfo"] == dict(client)
    within = Selector(packageName="com.shop").child(
        text="Soup", className="android.view.View", packageName="com.shop"
    )
    assert asked["exist"] == {**within, "childOrSiblingSelector": [dict(client)]}
