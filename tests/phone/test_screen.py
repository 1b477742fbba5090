"""Settling, retries of the dump, and forbidden screens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from itertools import chain, repeat

import pytest

from assistant.events import PhoneState
from assistant.phone.errors import PhoneError
from assistant.phone.screen import (
    ScreenCapture,
    Screenshot,
    compose_observation,
    settled_look,
)
from assistant.phone.screen_sources import AdbScreenSource
from assistant.phone.status import WindowFacts
from assistant.phone.ui_tree import Page, UiTree
from assistant.records import Bounds, Element, ForegroundApp
from tests.phone.conftest import Scripted
from tests.phone.scripted import TREE, Answer, png

from .test_screenshots import drawn

WHITE, GREY, BLACK = png(), png(colour="grey"), png(colour="black")
NOT_IDLE = Answer(err="ERROR: could not get idle state.\n")
NULL_ROOT = Answer(err="ERROR: null root node returned by UiTestAutomationBridge.\n")


class Film:
    """A screen source that shows one picture after another."""

    def __init__(self, pictures: Iterable[bytes]) -> None:
        self._pictures: Iterator[bytes] = iter(pictures)
        self.trees = 0

    async def screenshot(self) -> Screenshot:
        await asyncio.sleep(0)
        return Screenshot(next(self._pictures))

    async def tree(self) -> UiTree | None:
        self.trees += 1
        return UiTree(())

    async def distrust(self, *, is_old: bool) -> bool:
        return False

    async def second_opinion(self, page: Page) -> UiTree | None:
        return None


async def test_a_still_screen_takes_one_tree() -> None:
    film = Film(repeat(WHITE))
    look = await settled_look(film, 3.0)
    assert look.settled
    assert look.shot.png == WHITE
    assert film.trees == 1


async def test_a_moving_screen_is_seen_when_it_rests() -> None:
    film = Film(chain([WHITE, GREY, WHITE, GREY, BLACK], repeat(WHITE)))
    look = await settled_look(film, 3.0)
    assert look.settled
    assert look.shot.png == WHITE


async def test_a_screen_that_never_rests_is_taken_as_it_is() -> None:
    times = iter(range(100))
    film = Film(chain.from_iterable(repeat((WHITE, GREY))))
    look = await settled_look(film, 3.0, lambda: float(next(times)))
    assert not look.settled


async def test_the_dump_is_read(scripted: Scripted) -> None:
    tree = await AdbScreenSource(scripted.shell()).tree()
    assert tree is not None
    assert tree.elements[1].text == "Search"


async def test_a_screen_that_never_rests_is_asked_once(scripted: Scripted) -> None:
    scripted.script.on("uiautomator dump", NOT_IDLE)
    assert await AdbScreenSource(scripted.shell()).tree() is None
    assert len(scripted.script.lines) == 1


async def test_a_page_that_never_rests_is_remembered_until_it_moves(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dumps() -> int:
        return sum("uiautomator" in line for line in scripted.script.lines)

    scripted.script.on("uiautomator dump", NOT_IDLE)
    phone = scripted.phone()
    for _ in range(4):
        seen = await phone.observe()
        assert seen.elements == ()
        assert (seen.width, seen.height) == (1080, 2400)
    assert dumps() == 2, "one that is still loading is asked again"
    scripted.script.on("uiautomator dump", TREE)
    monkeypatch.setattr("assistant.phone.screen.time.monotonic", lambda: 10.0**9)
    assert (await phone.observe()).elements, "it is asked again after a while"


@pytest.mark.parametrize("trouble", [NULL_ROOT, Answer(), Answer(err="java.lang.NullPointerException\n")])
async def test_other_troubles_pass(scripted: Scripted, trouble: Answer) -> None:
    answers = iter([trouble, trouble])

    async def dump(line: str, write: object) -> int:
        scripted.script.rules.pop()
        following = next(answers, None)
        if following is not None:
            scripted.script.on("uiautomator dump", following)
        return 0

    scripted.script.on("uiautomator dump", dump)
    assert await AdbScreenSource(scripted.shell()).tree() is None or len(scripted.script.lines) == 3


async def test_a_phone_without_a_terminal_writes_a_file(scripted: Scripted) -> None:
    scripted.script.on("uiautomator dump /dev/tty", "UI hierchary dumped to: /dev/tty\n")
    scripted.script.on("cat /data/local/tmp", "UI hierchary dumped to: /data/local/tmp/x.xml\n" + TREE)
    source = AdbScreenSource(scripted.shell())
    for _ in range(2):
        assert await source.tree() is not None
    assert sum("/dev/tty" in line for line in scripted.script.lines) == 1
    assert scripted.script.lines[-1].startswith("rm -f /data/local/tmp/assistant-")


@pytest.mark.parametrize("said", ["Status: -1", "Failed to take screenshot"])
async def test_a_refused_screenshot_leaves_the_tree(scripted: Scripted, said: str) -> None:
    scripted.script.on("screencap", Answer(err=said, code=1))
    seen = await scripted.phone().observe()
    assert seen.secure
    assert seen.screenshot == b""
    assert (seen.width, seen.height) == (1080, 2400)
    assert seen.elements


async def test_a_black_page_with_text_is_secure(scripted: Scripted) -> None:
    scripted.script.on("screencap", drawn(((0, 0, 1080, 80), "white"), background="black"))
    assert (await scripted.phone().observe()).secure


async def test_a_dark_page_is_not(scripted: Scripted) -> None:
    scripted.script.on("screencap", drawn(((40, 220, 200, 280), "#404040"), background="black"))
    assert not (await scripted.phone().observe()).secure


def look(picture: bytes, *elements: Element) -> ScreenCapture:
    return ScreenCapture(Screenshot(picture), UiTree(elements, 1) if elements else None, settled=True)


def test_touches_count_in_the_displays_pixels() -> None:
    seen = compose_observation(look(png(1440, 3120)), WindowFacts(size=(1080, 2340)), ForegroundApp())
    assert (seen.width, seen.height) == (1080, 2340)


def test_a_size_from_before_the_phone_was_turned_is_not_used() -> None:
    element = Element(0, -1, "x", Bounds(0, 0, 2400, 1080))
    seen = compose_observation(
        look(png(2400, 1080), element), WindowFacts(size=(1080, 2400)), ForegroundApp()
    )
    assert (seen.width, seen.height, seen.rotation) == (2400, 1080, 1)


def test_nothing_to_see_is_an_error() -> None:
    with pytest.raises(PhoneError) as caught:
        compose_observation(look(b""), WindowFacts(), ForegroundApp())
    assert caught.value.state is PhoneState.FROZEN


class SlowTree(Film):
    """The tree arrives after the fifth picture."""

    def __init__(self, pictures: Iterable[bytes]) -> None:
        super().__init__(pictures)
        self.shots = 0
        self.enough = asyncio.Event()

    async def screenshot(self) -> Screenshot:
        self.shots += 1
        if self.shots == 5:
            self.enough.set()
        return await super().screenshot()

    async def tree(self) -> UiTree | None:
        await self.enough.wait()
        return await super().tree()


async def test_a_screen_that_came_to_rest_while_the_tree_was_read_is_read_once() -> None:
    film = SlowTree(chain([WHITE, GREY, BLACK], repeat(WHITE)))
    found = await settled_look(film, 3.0)
    assert (found.settled, found.shot.png, film.trees) == (True, WHITE, 1)


async def test_a_tree_that_takes_longer_than_the_cap_is_awaited() -> None:
    film = SlowTree(repeat(WHITE))
    asyncio.get_running_loop().call_later(0.01, film.enough.set)
    found = await settled_look(film, 0.0)
    assert found.settled
    assert found.tree is not None
