"""Looks that are begun early, pictures that are taken while the model replies, and when neither counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, cycle, repeat

import pytest

from assistant.phone.errors import ActionRefused
from assistant.phone.screen import REST, Observer, PictureWatch, Screenshot, picture_look, settled_look
from assistant.phone.status import WindowFacts
from assistant.phone.touches import Touch
from assistant.phone.ui_tree import RestlessPages, UiTree
from assistant.records import Bounds, Element, ForegroundApp, TypeText
from tests.phone.conftest import Scripted
from tests.phone.scripted import png, until
from tests.phone.test_screen import Film

WHITE, GREY = png(), png(colour="grey")
AT_REST, AT_ONCE = UiTree((), rested=True), UiTree(())


@dataclass
class Clock:
    """A clock that a test sets. Stands for the module `time`."""

    seconds: float = 0.0

    def monotonic(self) -> float:
        return self.seconds


def set_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Give an observer a clock, and the looks that it begins."""
    clock = Clock()
    monkeypatch.setattr("assistant.phone.screen.time", clock)
    for look in (settled_look, picture_look):
        monkeypatch.setattr(f"assistant.phone.screen.{look.__name__}", partial(look, now=clock.monotonic))
    return clock


class Reader(Film):
    """Trees that were read at rest, or not. `at` says what happens when the picture of a number is begun.

    Pictures wait for `open`, trees for `reads`. `shots` pictures were begun, `given` were given.
    """

    def __init__(self, pictures: Iterable[bytes], tree: UiTree | None = AT_REST) -> None:
        super().__init__(pictures)
        self.result = tree
        self.shots = self.given = 0
        self.at: dict[int, Callable[[], None]] = {}
        self.open, self.reads = asyncio.Event(), asyncio.Event()
        self.open.set()
        self.reads.set()

    async def screenshot(self) -> Screenshot:
        self.shots += 1
        self.at.get(self.shots, lambda: None)()
        await self.open.wait()
        shot = await super().screenshot()
        self.given += 1
        return shot

    async def tree(self) -> UiTree | None:
        self.trees += 1
        await self.reads.wait()
        return self.result

    def read_at(self, shot: int, then: Callable[[], None] = lambda: None) -> None:
        """Let the tree arrive when the picture of that number is begun."""

        def read() -> None:
            self.reads.set()
            then()

        self.reads.clear()
        self.at[shot] = read


def observer(source: Reader) -> Observer:
    async def facts() -> WindowFacts:
        return WindowFacts(app=ForegroundApp(package="com.example.shop"), size=(1080, 2400))

    async def label(package: str, user: int) -> str:
        return "Shop"

    return Observer(source, Touch.__new__(Touch), facts, label, 3.0)


async def test_a_picture_from_the_second_of_rest_is_not_followed_by_another() -> None:
    source = Reader(repeat(WHITE))
    source.read_at(3, then=source.open.clear)
    seen = await settled_look(source, 3.0)
    assert (seen.settled, seen.tree) == (True, AT_REST)
    assert (source.shots, source.given) == (3, 2)


async def test_a_tree_that_was_not_read_at_rest_is_followed_by_a_picture() -> None:
    source = Reader(repeat(WHITE), AT_ONCE)
    source.read_at(3)
    assert (await settled_look(source, 3.0)).settled
    assert source.given == 3


async def test_an_older_picture_is_followed_by_another() -> None:
    source, clock = Reader(repeat(WHITE)), Clock()

    def wait() -> None:
        clock.seconds = REST + 0.1

    source.read_at(3, then=wait)
    assert (await settled_look(source, 3.0, clock.monotonic)).settled
    assert source.given == 3


async def test_a_tree_read_ahead_counts_if_it_was_read_at_rest() -> None:
    for tree, trees in ((AT_REST, 0), (AT_ONCE, 1)):
        source = Reader(repeat(WHITE))
        ahead: asyncio.Future[UiTree | None] = asyncio.get_running_loop().create_future()
        ahead.set_result(tree)
        assert (await settled_look(source, 3.0, ahead=ahead)).settled
        assert source.trees == trees


async def test_the_next_tree_is_begun_with_the_action() -> None:
    source = Reader(chain(repeat(WHITE, 2), repeat(GREY)))
    observing = observer(source)
    seen = await observing.observe()
    with observing.reading_ahead(seen):
        await asyncio.sleep(0)
        assert source.trees == 2
    assert (await observing.observe()).screenshot == GREY
    assert source.trees == 2


async def test_no_tree_is_begun_where_the_phone_does_not_wait_for_rest() -> None:
    source = Reader(repeat(WHITE), AT_ONCE)
    observing = observer(source)
    seen = await observing.observe()
    with observing.reading_ahead(seen):
        await asyncio.sleep(0)
        assert source.trees == 1


async def test_a_screen_on_which_an_action_shows_no_effect_is_read_again() -> None:
    source = Reader(repeat(WHITE))
    observing = observer(source)
    seen = await observing.observe()
    with observing.reading_ahead(seen):
        await asyncio.sleep(0)
    await observing.observe()
    assert source.trees == 3


async def test_a_tree_begun_before_an_action_is_not_read_on_after_a_hold() -> None:
    source = Reader(chain(repeat(WHITE, 2), repeat(GREY)))
    observing = observer(source)
    seen = await observing.observe()
    with observing.reading_ahead(seen):
        await asyncio.sleep(0)
        observing.stop_reading()
    assert (await observing.observe()).screenshot == GREY
    assert source.trees == 3


@pytest.mark.parametrize(("acting", "waiting"), [(REST + 0.1, 0.0), (0.3, 60.0)])
async def test_a_tree_that_may_be_of_the_screen_before_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, acting: float, waiting: float
) -> None:
    clock = set_clock(monkeypatch)
    source = Reader(chain(repeat(WHITE, 2), repeat(GREY)))
    observing = observer(source)
    seen = await observing.observe()
    with observing.reading_ahead(seen):
        await asyncio.sleep(0)
        clock.seconds += acting
    clock.seconds += waiting
    await observing.observe()
    assert source.trees == 3


async def test_the_look_that_checks_what_was_typed_is_the_next_observation() -> None:
    source = Reader(repeat(WHITE))
    observing = observer(source)
    assert await observing.look_after_typing() is AT_REST
    await observing.observe()
    assert source.trees == 1
    await observing.observe()
    assert source.trees == 2


async def test_the_look_that_checks_what_was_typed_does_not_outlast_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = set_clock(monkeypatch)
    source = Reader(repeat(WHITE))
    observing = observer(source)
    await observing.look_after_typing()
    clock.seconds += 60.0
    await observing.observe()
    assert source.trees == 2


async def test_a_look_a_moment_ago_needs_no_new_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_clock(monkeypatch)
    source = Reader(repeat(WHITE))

    def take_long() -> None:
        clock.seconds += 0.6

    source.at[2] = take_long
    source.read_at(3)
    observing = observer(source)
    seen = await observing.observe()
    assert observing.is_fresh(seen)
    clock.seconds += 1.0
    assert not observing.is_fresh(seen)


async def test_a_tree_read_at_once_needs_no_new_picture_while_its_last_one_is_young(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = set_clock(monkeypatch)

    def take_long() -> None:
        clock.seconds += 0.2

    for second, is_still in ((WHITE, True), (GREY, False)):
        source = Reader(chain([WHITE], repeat(second)), AT_ONCE)
        source.at = dict.fromkeys(range(1, 100), take_long)
        source.read_at(2, then=take_long)
        observing = observer(source)
        seen = await observing.observe()
        assert observing.is_fresh(seen) or not is_still
        clock.seconds += 0.15
        assert not observing.is_fresh(seen), "the picture is older than an action after a new one would be"
        observing.note_unmoved(seen, clock.seconds - 0.2)
        assert observing.is_fresh(seen), "it was just seen unmoved"


@pytest.mark.parametrize(("pictures", "is_still"), [((WHITE, WHITE), True), ((WHITE, GREY), False)])
async def test_a_page_without_a_tree_is_fresh_where_its_pictures_agree(
    monkeypatch: pytest.MonkeyPatch, pictures: tuple[bytes, ...], is_still: bool
) -> None:
    clock = set_clock(monkeypatch)
    source = Reader(chain(repeat(WHITE, 3), cycle(pictures)), None)

    def wait() -> None:
        clock.seconds += 7.0

    def take_long() -> None:
        clock.seconds += 0.6

    source.read_at(3, then=wait)
    observing = observer(source)
    await observing.observe()
    source.at = dict.fromkeys(range(source.shots, 1000), take_long)
    seen = await observing.observe()
    assert source.trees == 1, "it is seen by its picture"
    assert observing.is_fresh(seen) is is_still
    clock.seconds += 1.0
    assert not observing.is_fresh(seen)


async def test_a_watched_picture_is_taken_while_it_is_young() -> None:
    source, clock = Reader(chain([WHITE], repeat(GREY))), Clock()
    watch = PictureWatch(source, clock.monotonic)
    source.open.clear()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting = asyncio.create_task(watch.picture())
    await asyncio.sleep(0)
    assert not waiting.done(), "the picture under way is awaited"
    watch.finish()
    clock.seconds = 0.6
    source.open.set()
    assert await waiting == Screenshot(WHITE)
    clock.seconds = 0.8
    assert await watch.picture() == Screenshot(WHITE)
    clock.seconds = 1.0
    assert await watch.picture() is None
    await watch.close()
    assert source.shots == 1


async def test_a_watch_ends_by_itself() -> None:
    source = Reader(repeat(WHITE))
    watch = PictureWatch(source)
    await watch._watching
    assert source.shots == 10


@pytest.mark.parametrize(("seconds", "trees"), [(7.0, 1), (2.0, 2)])
async def test_a_page_whose_tree_was_awaited_in_vain_is_not_asked_for_it_again(
    monkeypatch: pytest.MonkeyPatch, seconds: float, trees: int
) -> None:
    clock = set_clock(monkeypatch)
    source = Reader(repeat(WHITE), None)

    def wait() -> None:
        clock.seconds += seconds

    source.read_at(3, then=wait)
    observing = observer(source)
    await observing.observe()
    await observing.observe()
    assert source.trees == trees


async def test_a_tree_that_takes_too_long_is_handed_on_while_it_is_read() -> None:
    source, clock = Reader(repeat(WHITE)), Clock()
    source.reads.clear()
    source.at = {5: lambda: setattr(clock, "seconds", 4.0)}
    seen = await settled_look(source, 1.0, clock.monotonic, patience=4.0)
    assert (seen.tree, seen.settled, source.trees) == (None, True, 1)
    assert seen.late is not None
    source.reads.set()
    assert await seen.late == AT_REST


async def test_a_tree_that_may_take_its_time_is_awaited() -> None:
    source, clock = Reader(repeat(WHITE)), Clock()
    source.read_at(5, then=lambda: setattr(clock, "seconds", 6.0))
    assert (await settled_look(source, 1.0, clock.monotonic)).tree == AT_REST


def test_a_tree_is_awaited_as_long_as_looks_take_on_this_phone() -> None:
    pages = RestlessPages()
    patience = [pages.patience]
    for seconds in (1.0, 3.0, 9.0):
        pages.note_rest(seconds)
        patience.append(pages.patience)
    assert patience == [5.0, 3.5, pytest.approx(5.1), 7.0]


@dataclass
class Pages:
    """An observer of an app whose pages give no tree until one is set, on a clock of its own."""

    source: Reader
    clock: Clock
    observing: Observer
    activity: str = "Feed"

    @classmethod
    def open(cls, monkeypatch: pytest.MonkeyPatch, pictures: Iterable[bytes]) -> Pages:
        clock, source = set_clock(monkeypatch), Reader(pictures, None)
        monkeypatch.setattr("assistant.phone.screen._APART", 0.0)

        async def facts() -> WindowFacts:
            return WindowFacts(app=ForegroundApp("com.example.shop", pages.activity), size=(1080, 2400))

        async def label(package: str, user: int) -> str:
            return "Shop"

        pages = cls(source, clock, Observer(source, Touch.__new__(Touch), facts, label, 3.0))
        return pages

    async def wait_in_vain(self) -> None:
        def wait() -> None:
            self.clock.seconds += 7.0

        self.source.read_at(self.source.shots + 3, then=wait)
        await self.observing.observe()


async def test_other_pages_of_a_busy_app_are_seen_by_their_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages.open(monkeypatch, repeat(WHITE))
    await pages.wait_in_vain()
    pages.activity = "Article"
    pages.source.reads.clear()
    seen = await pages.observing.observe()
    assert (seen.elements, seen.settled) == ((), True)
    assert await pages.observing.complete(seen) is seen, "its tree is still being read"
    await pages.observing.drop_ahead()
    pages.clock.seconds += 61.0
    pages.source.reads.set()
    await pages.observing.observe()
    assert pages.source.trees == 3, "it is waited for again after a minute"


async def test_a_tree_that_was_awaited_in_vain_is_not_said_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages.open(monkeypatch, repeat(WHITE))
    seen = await pages.observing.observe()
    assert pages.observing.may_get_tree(seen), "it came to nothing at once, as a page that loads does"
    await pages.wait_in_vain()
    assert not pages.observing.may_get_tree(seen)
    elsewhere = replace(seen, app=ForegroundApp("com.example.chat", "List"))
    assert pages.observing.may_get_tree(elsewhere)
    pages.clock.seconds += 61.0
    assert pages.observing.may_get_tree(seen)


OLD, NEW = (
    UiTree((Element(0, -1, "v", Bounds(0, 0, 9, 9), text),), rested=True) for text in ("Cart 1", "Pay")
)
LATER = replace(OLD, elements=(replace(OLD.elements[0], text="Cart 2"),))


async def test_the_tree_of_the_screen_before_is_not_taken_with_the_picture_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, trees = Reader(chain(repeat(WHITE, 2), repeat(GREY))), iter((OLD, LATER, NEW))

    async def tree() -> UiTree | None:
        return next(trees)

    monkeypatch.setattr(source, "tree", tree)
    observing = observer(source)
    await observing.observe()
    seen = await observing.observe()
    assert (seen.screenshot, seen.elements) == (GREY, NEW.elements)


async def test_where_only_the_picture_changes_it_is_read_again_once() -> None:
    source = Reader(chain(repeat(WHITE, 2), repeat(GREY)), OLD)
    observing = observer(source)
    await observing.observe()
    assert (await observing.observe()).elements == OLD.elements
    assert source.trees == 3
    source._pictures = repeat(WHITE)
    await observing.observe()
    assert source.trees == 4


NODE = Element(0, -1, "android.widget.Button", Bounds(0, 0, 9, 9), "Pay", package="com.example.shop")
SHOWN = UiTree((NODE,), rested=True)


@pytest.mark.parametrize(
    ("tree", "after", "elements"),
    [
        (SHOWN, WHITE, (NODE,)),
        (SHOWN, GREY, ()),
        (UiTree((NODE,)), WHITE, ()),
        (UiTree((replace(NODE, package="com.example.other"),), rested=True), WHITE, ()),
    ],
)
async def test_a_tree_that_comes_beside_counts_if_it_is_of_the_same_screen(
    monkeypatch: pytest.MonkeyPatch, tree: UiTree, after: bytes, elements: tuple[Element, ...]
) -> None:
    pages = Pages.open(monkeypatch, chain(repeat(WHITE, 5), repeat(after)))
    await pages.wait_in_vain()
    pages.activity, pages.source.result = "Article", tree
    seen = await pages.observing.observe()
    await until(lambda: pages.source.trees == 2)
    await asyncio.sleep(0)
    assert (await pages.observing.complete(seen)).elements == elements


@pytest.mark.parametrize(("tree", "elements"), [(SHOWN, (NODE,)), (UiTree((NODE,)), ())])
async def test_a_page_that_loads_for_long_is_seen_by_its_picture_until_its_tree_comes(
    monkeypatch: pytest.MonkeyPatch, tree: UiTree, elements: tuple[Element, ...]
) -> None:
    pages = Pages.open(monkeypatch, repeat(WHITE))
    source = pages.source
    source.result = tree
    source.reads.clear()
    source.at = {5: lambda: setattr(pages.clock, "seconds", 5.0)}
    seen = await pages.observing.observe()
    assert (seen.elements, source.trees) == ((), 1)
    completing = asyncio.create_task(pages.observing.complete(seen))
    await asyncio.sleep(0)
    source.reads.set()
    assert (await completing).elements == elements


async def test_a_tree_is_not_waited_for_longer_than_a_dump_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages.open(monkeypatch, repeat(WHITE))
    pages.source.reads.clear()
    pages.source.at = {5: lambda: setattr(pages.clock, "seconds", 5.0)}
    seen = await pages.observing.observe()
    pages.clock.seconds = 7.0
    assert (await pages.observing.complete(seen)).elements == ()
    await pages.observing.drop_beside()


async def test_a_late_tree_ends_before_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages.open(monkeypatch, repeat(WHITE))
    pages.source.reads.clear()
    pages.source.at = {5: lambda: setattr(pages.clock, "seconds", 5.0)}
    await pages.observing.observe()
    beside = pages.observing._beside
    assert beside is not None
    await pages.observing.observe()
    assert beside.reading.cancelled()


async def test_a_busy_app_that_has_come_to_rest_is_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages.open(monkeypatch, repeat(WHITE))
    await pages.wait_in_vain()
    pages.activity, pages.source.result = "Article", SHOWN
    await pages.observing.observe()
    await until(lambda: pages.source.trees == 2)
    pages.activity = "Feed"
    assert (await pages.observing.observe()).elements == (NODE,)


async def test_a_tree_read_ahead_ends_before_a_moving_page_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages.open(monkeypatch, repeat(WHITE))
    pages.source.result = AT_REST
    seen = await pages.observing.observe()
    page = ("com.example.shop", pages.activity)
    pages.observing._restless.learn(page, 0.0, has_tree=True, settled=False, given_up=True)
    running: list[int] = []
    most = 0

    async def tree() -> UiTree | None:
        nonlocal most
        is_ahead = most == 0
        running.append(1)
        most = max(most, len(running))
        try:
            await (asyncio.Event().wait() if is_ahead else asyncio.sleep(0))
        finally:
            running.pop()
        return AT_REST

    monkeypatch.setattr(pages.source, "tree", tree)
    with pages.observing.reading_ahead(seen):
        await asyncio.sleep(0)
    assert running == [1]
    assert (await pages.observing.observe()).settled
    assert (running, most) == ([], 1)


def test_a_page_is_awaited_ever_more_rarely() -> None:
    pages, page, now, waited = RestlessPages(), ("com.example.shop", "Feed"), 0.0, []
    for _ in range(6):
        pages.learn(page, now, has_tree=False, settled=True, given_up=True)
        kind = pages.find(page, now)
        assert kind is not None
        waited.append(kind.until - now)
        now = kind.until
        assert pages.find(page, now) is None
    assert waited == [60, 120, 240, 480, 600, 600]


async def test_nothing_is_read_after_a_hold_while_typing(scripted: Scripted) -> None:
    phone = scripted.phone()
    seen = await phone.observe()
    scripted.script.wait_on("input text")
    typing = asyncio.create_task(phone.perform(TypeText(text="tea"), seen))
    await until(lambda: "input text tea" in scripted.script.lines)
    sent = list(scripted.script.lines)
    phone.stop_actions()
    scripted.script.gate.set()
    with pytest.raises(ActionRefused):
        await typing
    assert scripted.script.lines == sent
