"""Observes the phone's screen: screenshot and UI tree, read side by side until the screen has settled.

`settled_look` reads both from a `ScreenSource`, `picture_look` the screenshot alone where no tree comes.
`PictureWatch` takes pictures beside other work.
`Observer` adds the facts about the window, wakes a dark screen, and remembers the pages that never rest.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from assistant.events import PhoneState
from assistant.i18n import _
from assistant.phone.adb import end_work
from assistant.phone.errors import PhoneError, error_for_state
from assistant.phone.pictures import is_secure, may_be_forbidden, picture_size, unmoved
from assistant.phone.status import WindowFacts
from assistant.phone.touches import KEY_WAKE_UP, Touch
from assistant.phone.ui_tree import Page, RestlessPages, ShownPage, TreeFreshness, UiTree, is_alike
from assistant.records import Element, ForegroundApp, Observation

REST = 1.0
"""Seconds without an accessibility event that uiautomator waits for before it reads a tree, counted from the
start of its process at the earliest (AOSP DumpCommand.java: `waitForIdle(1000, 10000)`). A dump that takes
less did not wait."""

DUMP_PATIENCE = 7.0
"""Seconds after which `uiautomator dump` is given up. Published dumps of resting screens take 1.6 to 3.1 s;
those of restless ones fail after 10 to 12.6 s."""
# How long a page that never rests is waited for, in seconds, and how far apart two pictures of it are begun.
_RESTLESS_CAP, _APART = 0.4, 0.35


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A screenshot, PNG or JPEG; empty if none could be taken. `forbidden`: the page forbids screenshots."""

    png: bytes = field(default=b"", repr=False)
    forbidden: bool = False


Glimpse = Callable[[bytes], None]
"""Called with screenshots (PNG or JPEG, or empty) before the screen is known to have settled."""

OnPicture = Callable[[Observation], Awaitable[None]]
"""Called with a screen of which only picture, app and window are known, before its UI tree has been read."""


def ignore_screenshot(png: bytes) -> None:
    """A `Glimpse` that ignores the screenshot."""


class ScreenSource(Protocol):
    """One way to look at a phone's screen. Methods raise `PhoneError` when the phone is lost."""

    async def screenshot(self) -> Screenshot:
        """The screen as it is now."""

    async def tree(self) -> UiTree | None:
        """The UI tree of the active window; None if the phone gives none, as during an animation."""

    async def distrust(self, *, is_old: bool) -> bool:
        """Read in another way, as the tree `is_old` or of another app than is shown. False: there is none."""
        return False

    async def second_opinion(self, page: Page) -> UiTree | None:
        """The tree of a page read in another way; None if there is none, or it gives none."""
        return None


@dataclass(frozen=True, slots=True)
class ScreenCapture:
    """The screen's picture and tree, and whether it had stopped moving.

    `picture_seconds` is how long the phone took for the picture, begun at `pictured`. `late`: the tree, if it
    is still being read. `finds_agree`: finds agreed with the tree, whatever still moved in the pictures.
    """

    shot: Screenshot
    tree: UiTree | None
    settled: bool
    picture_seconds: float = 0.0
    pictured: float = -math.inf
    late: asyncio.Future[UiTree | None] | None = None
    finds_agree: bool = False

    @property
    def rested(self) -> bool:
        """Whether the tree was read at rest, and the picture shows the same screen."""
        return self.settled and self.tree is not None and self.tree.rested


async def settled_look(
    source: ScreenSource,
    cap: float,
    now: Callable[[], float] = time.monotonic,
    glimpse: Glimpse = ignore_screenshot,
    *,
    on_still: Callable[[Screenshot], Awaitable[None]] | None = None,
    ahead: asyncio.Future[UiTree | None] | None = None,
    patience: float = math.inf,
    agrees: Callable[[UiTree | None], Awaitable[bool]] | None = None,
) -> ScreenCapture:
    """Read screen and tree until two screenshots in a row are the same, the last one taken after the tree.

    Screenshots are taken while the tree is being read, so that it is read again only if the screen moved at
    the end. The last screenshot is returned. Beside a tree that was read at rest, a screenshot that was begun
    in that second of rest is as good as one after it.

    Args:
        source: reads screen and tree.
        cap: seconds after which a screen that still moves is taken as it is.
        now: a monotonic clock, in seconds.
        glimpse: called with each screenshot that is taken while something else is awaited.
        on_still: called with each screenshot that equals the one before it, while the tree is being read.
        ahead: a tree begun right before the last action; it counts if it was read at rest, so after that.
        patience: seconds after which a tree that is still being read is not waited for, but handed on.
        agrees: tells whether finds of what is awaited agree with a tree; then pictures may still differ.
    """
    end, give_up = now() + cap, now() + patience
    last_picture = max(end, give_up) if patience < math.inf else end
    latest: Screenshot | None = None
    began = seconds = 0.0
    taking: asyncio.Future[Screenshot] | None = None
    while True:
        reading = ahead or asyncio.ensure_future(source.tree())
        late: asyncio.Future[UiTree | None] | None = None
        is_enough = False
        try:
            before, began, latest = latest, now(), await source.screenshot()
            glimpse(latest.png)
            while before is None or (not reading.done() and now() < last_picture):
                begun, taking = now(), asyncio.ensure_future(source.screenshot())
                is_still = before is not None and await _same(before, latest)
                if is_still and on_still is not None and not reading.done():
                    await on_still(latest)
                is_asked = agrees is not None and before is not None and not is_still
                if is_still or is_asked:
                    work: set[asyncio.Future[Any]] = {taking, reading}
                    await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
                    is_enough = is_still and _was_read_at_rest(reading) and began >= now() - REST
                    if is_enough or (is_asked and reading.done()):
                        break
                before, began, latest = latest, begun, await taking
                seconds = now() - begun
                glimpse(latest.png)
            if not reading.done() and now() >= give_up:
                late = reading
            elif not reading.done():
                await reading
                before, began, latest = latest, now(), await source.screenshot()
                seconds = now() - began
            tree = None if late else await reading
        finally:
            await end_work(None if late else reading, taking)
        if late is not None:
            return ScreenCapture(latest, None, await _same(before or latest, latest), seconds, began, late)
        is_still = is_enough or await _same(before or latest, latest)
        is_found = not is_still and agrees is not None and await agrees(tree)
        is_old = reading is ahead and tree is not None and not tree.rested
        ahead = None
        if not is_old and (is_still or is_found or now() >= end):
            return ScreenCapture(latest, tree, is_still or is_found, seconds, began, finds_agree=is_found)


def _was_read_at_rest(reading: asyncio.Future[UiTree | None]) -> bool:
    tree = reading.result() if reading.done() and reading.exception() is None else None
    return tree is not None and tree.rested


async def picture_look(
    source: ScreenSource,
    first: asyncio.Future[Screenshot],
    begun: float,
    cap: float,
    now: Callable[[], float] = time.monotonic,
    glimpse: Glimpse = ignore_screenshot,
) -> ScreenCapture:
    """Read the picture alone, until two in a row are the same or `cap` seconds have passed; at 0 once.

    The second one is begun a moment after `first`, under way since `begun`: a phone takes both side by side.
    """
    if not cap:
        return ScreenCapture(await first, None, settled=False, pictured=begun)
    end, began = now() + cap, max(now(), begun + _APART)
    second = asyncio.ensure_future(_screenshot_after(source, began - now()))
    try:
        before = await first
        glimpse(before.png)
        latest = await second
    finally:
        await end_work(second)
    seconds = now() - began
    glimpse(latest.png)
    while not (settled := await _same(before, latest)) and now() < end:
        before, latest = latest, await source.screenshot()
        glimpse(latest.png)
    return ScreenCapture(latest, None, settled, seconds)


async def _screenshot_after(source: ScreenSource, seconds: float) -> Screenshot:
    await asyncio.sleep(seconds)
    return await source.screenshot()


async def _same(before: Screenshot, after: Screenshot) -> bool:
    if before.png == after.png:
        return before.forbidden == after.forbidden
    return bool(before.png and after.png) and await asyncio.to_thread(unmoved, before.png, after.png)


# A picture is young for so many times the seconds that the phone takes for one.
_MOST_WATCHED, _YOUNG = 10, 1.5


class PictureWatch:
    """Takes pictures while the model's reply arrives, so that one is at hand when its action is checked.

    There are `_MOST_WATCHED` at most: each costs the phone work, and some models think for minutes.
    """

    def __init__(self, source: ScreenSource, now: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._now = now
        self._ending = False
        self._taking: asyncio.Future[Screenshot] | None = None
        self._latest: tuple[Screenshot, float, float] | None = None
        self._watching = asyncio.create_task(self._watch())

    def finish(self) -> None:
        """Begin no further picture."""
        self._ending = True

    async def close(self) -> None:
        """Drop the picture under way too."""
        await end_work(self._watching, self._taking)

    async def picture(self) -> Screenshot | None:
        """The latest picture if it is young, else the one under way; None if there is neither."""
        if self._latest is not None:
            shot, began, seconds = self._latest
            if self._now() - began <= _YOUNG * seconds:
                return shot
        if self._taking is None or self._taking.done():
            return None
        with suppress(PhoneError):
            return await asyncio.shield(self._taking)
        return None

    async def _watch(self) -> None:
        with suppress(PhoneError):
            for _ in range(_MOST_WATCHED):
                if self._ending:
                    return
                began = self._now()
                self._taking = asyncio.ensure_future(self._source.screenshot())
                self._latest = await self._taking, began, self._now() - began


# A tap that waited for a new picture would come later after that picture than now after a look so old.
_FRESH = 0.5
# What was read ahead is for the look that follows at once, not for one after a pause.
_AT_ONCE = 0.5
# `input` takes 0.23 to 1 s; where it is slow, a tree read ahead may be from before it.
_QUICK_ACTION = 0.8


@dataclass(slots=True)
class _TreeAhead:
    """A tree whose reading began before an action, on the screen `before`; `acted` is when that ended."""

    reading: asyncio.Future[UiTree | None]
    began: float
    before: bytes
    acted: float = 0.0


@dataclass(frozen=True, slots=True)
class _TreeBeside:
    """A tree that is read beside other work, of the page that `shot` shows; waited for `until`."""

    reading: asyncio.Task[UiTree | None]
    shot: bytes
    facts: WindowFacts
    until: float = -math.inf


class Observer:
    """Makes observations of one phone. `agrees` is that of `settled_look` for the looks to come."""

    def __init__(
        self,
        source: ScreenSource,
        touch: Touch,
        read_facts: Callable[[], Awaitable[WindowFacts]],
        label_of: Callable[[str, int], Awaitable[str]],
        cap: float,
        restless: RestlessPages | None = None,
    ) -> None:
        """Build an observer.

        Args:
            source: reads pictures and trees.
            touch: wakes the phone if its screen is off.
            read_facts: reads the facts about the window.
            label_of: returns the label of a package of an Android user, empty if unknown.
            cap: maximum seconds to wait for a moving screen.
            restless: the pages whose tree is not waited for.
        """
        self._source = source
        self._touch = touch
        self._read_facts = read_facts
        self._label_of = label_of
        self._cap = cap
        self._freshness = TreeFreshness()
        self._restless = RestlessPages() if restless is None else restless
        self._beside: _TreeBeside | None = None
        self._latest: tuple[ScreenCapture, float] | None = None
        self._ahead: _TreeAhead | None = None
        self.agrees: Callable[[UiTree | None], Awaitable[bool]] | None = None
        self.acted = self._action_seconds = 0.0
        self._looking: asyncio.Future[tuple[ScreenCapture | None, WindowFacts]] | None = None
        self._kept: tuple[ScreenCapture | None, WindowFacts, float] | None = None

    @contextmanager
    def reading_ahead(self, seen: Observation) -> Iterator[None]:
        """Begin to read the next look's tree, perform an action in the `with` block.

        Where `uiautomator` waits for a second of rest, as the tree before shows, what it reads is the screen
        after the action: only its start and a part of that second pass during the action.
        """
        rests = self._latest is not None and self._latest[0].rested
        began = time.monotonic()
        if rests and self._ahead is None and self._action_seconds <= _QUICK_ACTION:
            reading = asyncio.ensure_future(self._source.tree())
            self._ahead = _TreeAhead(reading, began, seen.screenshot)
        try:
            yield
        finally:
            acted = time.monotonic()
            self._action_seconds = acted - began
            if self._ahead is not None:
                self._ahead.acted = acted

    async def drop_ahead(self) -> None:
        """End a reading that no look follows."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            await end_work(ahead.reading)
        await self.drop_beside()

    async def drop_beside(self) -> None:
        """End a tree that is read beside other work: an action makes another page of it."""
        beside, self._beside = self._beside, None
        if beside is not None:
            await end_work(beside.reading)

    async def complete(self, seen: Observation) -> Observation:
        """A screen that was seen by its picture alone, with its tree if that has come and nothing has moved.

        Raises:
            PhoneError: the phone is lost.
        """
        beside = self._beside
        if beside is None or beside.shot is not seen.screenshot:
            return seen
        await asyncio.wait({beside.reading}, timeout=max(0.0, beside.until - time.monotonic()))
        if not beside.reading.done():
            return seen
        tree = beside.reading.result()
        if tree is None or _stale(ScreenCapture(Screenshot(), tree, True), beside.facts):
            return seen
        shot = await self._source.screenshot()
        if not await _same(Screenshot(seen.screenshot, seen.secure and not seen.screenshot), shot):
            return seen
        return replace(seen, elements=tree.elements, picture_texts=())

    def may_get_tree(self, seen: Observation) -> bool:
        """Whether a page without a UI tree may get one soon; not where that was just awaited in vain."""
        return not self._restless.is_given_up(seen.app.package, time.monotonic())

    async def look_after_typing(self) -> UiTree | None:
        """The tree of a look that the next observation takes if it follows at once."""
        self._looking = asyncio.ensure_future(self._read(ignore_screenshot, patience=math.inf))
        look, facts = await self._looking
        self._kept = look, facts, time.monotonic()
        return look.tree if look else None

    def stop_reading(self) -> None:
        """End at once whatever is read for a look to come; nothing more of it is sent."""
        ahead, self._ahead = self._ahead, None
        beside, self._beside = self._beside, None
        readings = (ahead.reading if ahead else None, beside.reading if beside else None)
        for work in (self._looking, *readings):
            if work is not None:
                work.cancel()

    def is_fresh(self, seen: Observation) -> bool:
        """Whether a screen that stood still was seen a moment ago: a new picture would tell nothing newer.

        An action that waits for a picture comes as long after its capture as the phone takes for it.
        """
        if self._latest is None or seen.secure or not seen.screenshot:
            return False
        look, read = self._latest
        if look.shot.png != seen.screenshot or look.late is not None or not look.settled or look.finds_agree:
            return False
        since = read - look.picture_seconds if look.rested or look.tree is None else look.pictured
        return time.monotonic() - max(since, look.pictured) <= (1 + _FRESH) * look.picture_seconds

    def note_unmoved(self, seen: Observation, pictured: float) -> None:
        """Take note of a picture, begun at `pictured`, that shows what an observation does."""
        if self._latest is not None and self._latest[0].shot.png == seen.screenshot:
            look, seconds = self._latest[0], time.monotonic() - pictured
            self._latest = replace(look, pictured=pictured, picture_seconds=seconds), self._latest[1]

    async def observe(
        self,
        glimpse: Glimpse = ignore_screenshot,
        on_picture: OnPicture | None = None,
        *,
        wake: bool = True,
        picture_cap: float | None = None,
    ) -> Observation:
        """The settled screen.

        Args:
            glimpse: called with early screenshots.
            on_picture: called at most once, with the screen without its elements, when its picture rests
                before the tree is read. It may still change. Not for a page that may forbid screenshots.
            wake: whether to switch on a screen that is off, once.
            picture_cap: the picture alone will do for so many seconds, one picture at 0, where no keyboard is
                up and no page forbids it.

        Raises:
            PhoneError: the phone is lost, locked, or its screen stays off.
        """
        kept, self._kept = self._kept, None
        ahead, self._ahead = self._ahead, None
        is_same = self._latest is not None and self._latest[0].finds_agree and self._latest[1] > self.acted
        await self.drop_beside()
        now = time.monotonic()
        if ahead is not None and (now - ahead.acted > _AT_ONCE or ahead.acted - ahead.began > REST):
            await end_work(ahead.reading)
            ahead = None
        if kept is not None and now - kept[2] <= _AT_ONCE:
            await end_work(ahead.reading if ahead else None)
            look, facts = kept[:2]
        elif picture_cap is not None and (pictured := await self._read_picture(glimpse, picture_cap)):
            await end_work(ahead.reading if ahead else None)
            look, facts = pictured
        else:
            look, facts = await self._read(glimpse, on_picture, ahead.reading if ahead else None)
        if ahead and look and look.rested and await asyncio.to_thread(unmoved, ahead.before, look.shot.png):
            # Perhaps the app has not reacted yet: a tree that is begun now is read a second later.
            look, facts = await self._read(glimpse)
        if wake and facts.awake is False:
            await self.drop_beside()
            await self._touch.key(KEY_WAKE_UP)
            look, facts = await self._read(glimpse)
        may_be_old = partial(self._freshness.may_be_old, is_same=is_same)
        if look is not None and await asyncio.to_thread(may_be_old, _page_shown(look, facts)):
            look, facts = await self._read_again(look, facts, glimpse)
        if look is None:
            raise error_for_state(PhoneState.SCREEN_OFF if facts.awake is False else PhoneState.LOCKED)
        self._freshness.note(_page_shown(look, facts))
        if _stale(look, facts):
            facts = await self._read_facts()
            if facts.locked:
                raise error_for_state(PhoneState.LOCKED)
            if _stale(look, facts) and await self._source.distrust(is_old=False):
                self._latest, look = None, await settled_look(self._source, self._cap, glimpse=glimpse)
        seen = await asyncio.to_thread(compose_observation, look, facts, await self._labelled(facts))
        if seen.shows_nothing:  # Only its tree could tell what is there, so the next look waits for that.
            self._restless.forget(_page_of(facts))
        return seen

    async def _read_picture(self, glimpse: Glimpse, cap: float) -> tuple[ScreenCapture, WindowFacts] | None:
        """The screen by its picture alone; None where its tree has to be read.

        So it is where a text can be typed, which may be a password, and where a page may forbid its picture.
        """
        begun, first = time.monotonic(), asyncio.ensure_future(self._source.screenshot())
        try:
            facts = await self._read_facts()
            if facts.keyboard_shown or facts.locked or facts.awake is False:
                return None
            look = await picture_look(self._source, first, begun, cap, glimpse=glimpse)
        finally:
            await end_work(first)
        if look.shot.forbidden or await asyncio.to_thread(may_be_forbidden, look.shot.png):
            return None
        self._latest = look, time.monotonic()
        return look, facts

    async def _read_again(
        self, look: ScreenCapture, facts: WindowFacts, glimpse: Glimpse
    ) -> tuple[ScreenCapture | None, WindowFacts]:
        """The screen read again, whose tree may have been old; a helper that gives it again is checked."""
        again, facts = await self._read(glimpse)
        if again is None or again.tree is None or look.tree is None or not is_alike(again.tree, look.tree):
            return again, facts
        other = await self._source.second_opinion(_page_of(facts))
        if other is None or is_alike(other, look.tree):
            self._freshness.accept(look.tree)
            return again, facts
        await self._source.distrust(is_old=True)
        self._latest = None
        return await settled_look(self._source, self._cap, glimpse=glimpse), facts

    async def _read(
        self,
        glimpse: Glimpse,
        on_picture: OnPicture | None = None,
        ahead: asyncio.Future[UiTree | None] | None = None,
        patience: float | None = None,
    ) -> tuple[ScreenCapture | None, WindowFacts]:
        """The screen and the facts, read side by side; no screen if it is dark or locked.

        While a restless page is remembered, the facts are read first: they say whether that page is shown.
        A tree that takes longer than `patience` seconds is read on beside other work.
        """
        now, measured = time.monotonic(), ahead is None
        if self._restless and (restless := await self._read_restless(glimpse, ahead, now)) is not None:
            ahead = None
            if restless[0] is not None:
                self._latest = restless[0], time.monotonic()
                return restless
        reading = asyncio.ensure_future(self._read_facts())
        is_called = False

        async def tell(shot: Screenshot) -> None:
            nonlocal is_called
            facts = reading.result() if reading.done() and not reading.exception() else None
            if facts is None or is_called or on_picture is None or facts.locked or facts.awake is False:
                return
            is_called = True
            if shot.forbidden or await asyncio.to_thread(may_be_forbidden, shot.png):
                return
            await on_picture(compose_picture(shot, facts, await self._labelled(facts)))

        on_still = tell if on_picture else None
        looking = asyncio.create_task(
            settled_look(
                self._source,
                self._cap,
                glimpse=glimpse,
                on_still=on_still,
                ahead=ahead,
                patience=self._restless.patience if patience is None else patience,
                agrees=self.agrees,
            )
        )
        look: ScreenCapture | None = None
        try:
            facts = await reading
            usable = facts.awake is not False and not facts.locked
            look = await looking if usable else None
        finally:
            looking.cancel()
            reading.cancel()
            seen, _facts = await asyncio.gather(looking, reading, return_exceptions=True)
            if look is None and isinstance(seen, ScreenCapture):
                await end_work(seen.late)
        self._latest = None if look is None else (look, time.monotonic())
        if look is not None:
            self._note_look(look, facts, now, measured=measured)
        return look, facts

    def _note_look(self, look: ScreenCapture, facts: WindowFacts, began: float, *, measured: bool) -> None:
        """Learn whether the page comes to rest, and read on beside other work a tree that takes longer."""
        has_tree, now = look.tree is not None, time.monotonic()
        given_up = look.late is not None or (not has_tree and now - began >= DUMP_PATIENCE - REST)
        if look.rested and measured:
            self._restless.note_rest(now - began)
        self._restless.learn(_page_of(facts), now, has_tree=has_tree, settled=look.settled, given_up=given_up)
        if look.late is not None:
            beside = asyncio.create_task(self._read_beside(_page_of(facts), look.late))
            self._beside = _TreeBeside(beside, look.shot.png, facts, began + DUMP_PATIENCE)

    async def _read_restless(
        self, glimpse: Glimpse, ahead: asyncio.Future[UiTree | None] | None, now: float
    ) -> tuple[ScreenCapture | None, WindowFacts] | None:
        """The screen of a page that is known to be restless; None if another one is shown.

        There is no screen where the page has come to rest. `ahead` is ended unless another page is shown:
        the phone reads one tree at a time.
        """
        first = asyncio.ensure_future(self._source.screenshot())
        is_known = True
        try:
            facts = await self._read_facts()
            page = _page_of(facts)
            kind = self._restless.find(page, now)
            if kind is None or facts.awake is False or facts.locked:
                is_known = False
                return None
            await end_work(ahead)
            if kind.has_tree:
                await end_work(first)
                look = await settled_look(self._source, _RESTLESS_CAP, glimpse=glimpse)
                if look.settled is not kind.moved:
                    return look, facts
                self._restless.forget(page)
                return None, facts
            cap = _RESTLESS_CAP if kind.moved else self._cap
            look = await picture_look(self._source, first, now, cap, glimpse=glimpse)
            kind.moved = not look.settled
        finally:
            await end_work(first, ahead if is_known else None)
        if self._restless.may_try(page, now):
            self._beside = _TreeBeside(asyncio.create_task(self._read_beside(page)), look.shot.png, facts)
        return look, facts

    async def _read_beside(
        self, page: Page, reading: asyncio.Future[UiTree | None] | None = None
    ) -> UiTree | None:
        """The tree of a restless page, if it has come to rest; it is waited for again from then on."""
        with suppress(PhoneError):
            tree = await (reading or self._source.tree())
            if tree is not None and tree.rested:
                self._restless.forget(page)
                return tree
        return None

    async def _labelled(self, facts: WindowFacts) -> ForegroundApp:
        app = facts.app
        if app.label or not app.package:
            return app
        return replace(app, label=await self._label_of(app.package, facts.user))


def compose_observation(look: ScreenCapture, facts: WindowFacts, app: ForegroundApp) -> Observation:
    """Combine picture, tree and facts. Slow: decodes the picture if it may be one that the page forbids.

    Raises:
        PhoneError: the phone gave neither a picture nor a tree, though the page does not forbid its picture.
    """
    elements = look.tree.elements if look.tree else ()
    png = look.shot.png
    if not png and not elements and not (look.shot.forbidden and facts.size):
        raise error_for_state(
            PhoneState.FROZEN,
            _("The phone gives neither a screenshot nor a list of screen elements. Restart it."),
        )
    width, height = _size(png, facts, elements)
    rotation = facts.rotation if facts.rotation is not None else look.tree.rotation if look.tree else None
    return Observation(
        width=width,
        height=height,
        screenshot=png,
        elements=elements,
        app=app,
        rotation=rotation or 0,
        keyboard_shown=facts.keyboard_shown,
        secure=look.shot.forbidden
        or is_secure(png, elements, width, height, keyboard_shown=facts.keyboard_shown),
        settled=look.settled,
        windows=facts.windows,
    )


def compose_picture(shot: Screenshot, facts: WindowFacts, app: ForegroundApp) -> Observation:
    """The observation of a picture whose UI tree has not been read."""
    width, height = _size(shot.png, facts, ())
    shown = facts.rotation or 0, facts.keyboard_shown
    return Observation(width, height, shot.png, (), app, *shown, windows=facts.windows)


def _size(png: bytes, facts: WindowFacts, elements: tuple[Element, ...]) -> tuple[int, int]:
    """The size that touch coordinates refer to: that of the display, which may differ from the picture's."""
    if not png:
        return facts.size or (max(e.bounds.right for e in elements), max(e.bounds.bottom for e in elements))
    pictured = picture_size(png)
    if facts.size and (facts.size[0] > facts.size[1]) == (pictured[0] > pictured[1]):
        return facts.size
    return pictured


def _page_of(facts: WindowFacts) -> Page:
    return facts.app.package, facts.app.activity


def _page_shown(look: ScreenCapture, facts: WindowFacts) -> ShownPage:
    return ShownPage(look.shot.png, look.tree, facts.size, keyboard_shown=facts.keyboard_shown)


def _stale(look: ScreenCapture, facts: WindowFacts) -> bool:
    """Whether another app came to the front after the facts were read."""
    if look.tree is None or not look.tree.elements or not facts.app.activity:
        return False
    return all(element.package != facts.app.package for element in look.tree.elements)
