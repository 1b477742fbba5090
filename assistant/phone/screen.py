"""Observes the phone's screen: screenshot and UI tree, read side by side until the screen has settled.

`settled_look` reads both from a `ScreenSource`, `Observer` adds the facts about the window and wakes a dark
screen. The functions on pictures tell what a screenshot alone shows: its size, whether the screen moved, and
whether parts of it are black because the page forbids screenshots.
"""

from __future__ import annotations

import asyncio
import io
import os
import struct
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from assistant.events import PhoneState
from assistant.i18n import _
from assistant.phone.adb import Output, Shell, end_work
from assistant.phone.errors import error_for_state, refuses_screenshot
from assistant.phone.status import WindowFacts, find_lit_panel
from assistant.phone.touches import KEY_WAKE_UP, Touch
from assistant.phone.ui_tree import UiTree, UnreadableTree, parse_tree
from assistant.records import Bounds, Element, ForegroundApp, Observation

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRAILER = b"IEND\xaeB`\x82"
PICTURE_FORMATS = ("PNG", "JPEG")
"""What a screenshot may be: `screencap` makes PNG, the resident helper JPEG."""

_SHRINK = 8
_LARGEST_SIDE = 16_384
# A cell differs when its mean grey does; a blinking cursor changes fewer cells than a typed letter.
_GREY_STEP = 12
_CHANGED_CELLS = 12
# Status bars, with a camera cut-out, take up to this share of the longer side.
_STATUS_BAR = 0.055
_BLACK = 6
# A page that forbids screenshots is black but for the bars and the keyboard.
_BLACK_SHARE = 0.4
# A black page compresses far below one byte for so many pixels; bigger pictures are not worth decoding.
_PIXELS_PER_BYTE_WHEN_BLACK = 16

Grey = npt.NDArray[np.uint8]


class NotAPicture(Exception):
    """The bytes are not a complete PNG or JPEG."""


def find_png(printed: bytes) -> bytes:
    """The PNG in what `screencap -p` printed; some phones print a warning before it.

    Raises:
        NotAPicture: there is no PNG, or it is cut off.
    """
    start = printed.find(_SIGNATURE)
    if start < 0:
        raise NotAPicture("no PNG")
    end = printed.rfind(_TRAILER)
    if end < start:
        raise NotAPicture("the PNG is cut off")
    png = printed[start : end + len(_TRAILER)]
    picture_size(png)
    return png


def picture_size(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG or JPEG picture from its header.

    Raises:
        NotAPicture: the header is broken.
    """
    try:
        with Image.open(io.BytesIO(picture), formats=PICTURE_FORMATS) as image:
            width, height = image.size
    except (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError) as error:
        raise NotAPicture("no header") from error
    if not (0 < width <= _LARGEST_SIDE and 0 < height <= _LARGEST_SIDE):
        raise NotAPicture(f"impossible size {width} x {height}")
    return width, height


def decode_grey(picture: bytes) -> Grey:
    """The picture in grey, of shape (height, width). Slow for big pictures: not for the event loop.

    Raises:
        NotAPicture: it cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(picture), formats=PICTURE_FORMATS) as image:
            return np.asarray(image.convert("L"))
    except (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError) as error:
        raise NotAPicture(str(error)) from error


def shrink(grey: Grey) -> Grey:
    """The picture reduced to the means of cells of 8 x 8 pixels."""
    return np.asarray(Image.fromarray(grey).reduce(_SHRINK))


def same_screen(before: Grey, after: Grey) -> bool:
    """Whether two shrunk pictures show the same, apart from the status bar and a blinking cursor."""
    if before.shape != after.shape:
        return False
    top = round(max(before.shape) * _STATUS_BAR)
    difference = np.abs(before[top:].astype(np.int16) - after[top:].astype(np.int16))
    return int((difference > _GREY_STEP).sum()) <= _CHANGED_CELLS


def unmoved(before: bytes, after: bytes) -> bool:
    """Whether two screenshots show the same screen. An undecodable one counts as moved."""
    if before == after:
        return True
    try:
        return same_screen(_shrunk(before), _shrunk(after))
    except NotAPicture:
        return False


@lru_cache(maxsize=4)
def _shrunk(picture: bytes) -> Grey:
    # A picture is compared with the one before and the one after it; decoding takes most of the time.
    return shrink(decode_grey(picture))


def blackened(png: bytes, regions: Sequence[Bounds], scale: float = 1.0) -> bool:
    """Whether at least two thirds of the regions are wholly black, as in a window that forbids screenshots.

    Args:
        png: the screenshot.
        regions: where something visible should be, in device pixels.
        scale: pixels of the screenshot per device pixel.
    """
    if not regions:
        return False
    try:
        grey = decode_grey(png)
    except NotAPicture:
        return False
    parts = [
        grey[
            max(0, round(region.top * scale)) : max(0, round(region.bottom * scale)),
            max(0, round(region.left * scale)) : max(0, round(region.right * scale)),
        ]
        for region in regions
    ]
    black = sum(1 for part in parts if part.size and int(part.max()) <= _BLACK)
    return black * 3 >= len(parts) * 2


REST = 1.0
"""Seconds without an accessibility event that uiautomator waits for before it reads a tree, counted from the
start of its process at the earliest (AOSP DumpCommand.java: `waitForIdle(1000, 10000)`). A dump that takes
less did not wait."""

_TRIES = 3
_NOT_IDLE = "could not get idle state"
_TO_TERMINAL = "uiautomator dump /dev/tty"
# Published dumps of resting screens take 1.6 to 3.1 s; those of restless ones fail after 10 to 12.6 s.
_DUMP_PATIENCE = 7.0
# How long a page is taken for one that never rests, and how long it is waited for then; seconds.
_RESTLESS_FOR = 20.0
_RESTLESS_CAP = 0.4
_SEVERAL_PANELS = b"Multiple displays were found"


def is_black(png: bytes) -> bool:
    """Whether a picture is wholly black, like a closed panel's. Slow for pictures that are not plain."""
    try:
        width, height = picture_size(png)
        is_plain = len(png) * _PIXELS_PER_BYTE_WHEN_BLACK <= width * height
        return is_plain and int(decode_grey(png).max()) <= _BLACK
    except NotAPicture:
        return False


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

    async def distrust(self) -> bool:
        """Switch to another way of reading, since the result does not fit the phone. False: there is none."""


@dataclass(frozen=True, slots=True)
class ScreenCapture:
    """The screen's picture and tree, and whether it had stopped moving.

    `picture_seconds` is how long the phone took for the picture.
    """

    shot: Screenshot
    tree: UiTree | None
    settled: bool
    picture_seconds: float = 0.0

    @property
    def rested(self) -> bool:
        """Whether the tree was read at rest, and the picture shows the same screen."""
        return self.settled and self.tree is not None and self.tree.rested


class AdbScreenSource:
    """`screencap` and `uiautomator dump`: slow on real phones, but every phone has them."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._file = f"/data/local/tmp/assistant-{os.getpid()}.xml"
        self._terminal_works = True
        self._panel = ""

    async def screenshot(self) -> Screenshot:
        """The screen as it is now, of the lit panel if there are two; tried again if that fails."""
        png = b""
        for _attempt in range(2):
            named = f" -d {self._panel}" if self._panel else ""
            output = await self._shell.run(f"screencap -p{named}")
            try:
                png = find_png(output.stdout)
            except NotAPicture:
                if refuses_screenshot(output.everything[:500]):
                    return Screenshot(forbidden=True)
                self._panel = ""
                continue
            several = named or _SEVERAL_PANELS in output.stdout[:2000]
            if not several or (named and not await asyncio.to_thread(is_black, png)):
                break
            before, self._panel = self._panel, await find_lit_panel(self._shell)
            if self._panel in ("", before):
                break
        return Screenshot(png)

    async def tree(self) -> UiTree | None:
        """The UI tree of the active window.

        On a screen that never rests, uiautomator waits for ten seconds and then fails, also with
        `--compressed`. So a dump is given up after `_DUMP_PATIENCE` seconds and not repeated.
        """
        try:
            async with asyncio.timeout(_DUMP_PATIENCE):
                return await self._read_tree()
        except TimeoutError:
            return None

    async def distrust(self) -> bool:
        """Returns false: there is no other way."""
        return False

    async def _read_tree(self) -> UiTree | None:
        tries = 0
        while tries < _TRIES:
            tries += 1
            began = time.monotonic()
            output = await self._dump()
            try:
                tree = parse_tree(output.stdout)
                return replace(tree, rested=time.monotonic() - began >= REST)
            except UnreadableTree:
                if _NOT_IDLE in output.everything:
                    return None
                if self._terminal_works and "dumped to: /dev/tty" in output.everything:
                    self._terminal_works = False
                    tries -= 1
        return None

    async def _dump(self) -> Output:
        if self._terminal_works:
            return await self._shell.run(_TO_TERMINAL)
        file = self._file
        return await self._shell.run(f"rm -f {file}; uiautomator dump {file}; cat {file}; rm -f {file}")


async def settled_look(
    source: ScreenSource,
    cap: float,
    now: Callable[[], float] = time.monotonic,
    glimpse: Glimpse = ignore_screenshot,
    *,
    wants_tree: bool = True,
    on_still: Callable[[Screenshot], Awaitable[None]] | None = None,
    ahead: asyncio.Future[UiTree | None] | None = None,
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
        wants_tree: whether to read the tree too.
        on_still: called with each screenshot that equals the one before it, while the tree is being read.
        ahead: a tree begun right before the last action; it counts if it was read at rest, so after that.
    """
    end = now() + cap
    latest: Screenshot | None = None
    began = seconds = 0.0
    taking: asyncio.Future[Screenshot] | None = None
    while True:
        reading = ahead or asyncio.ensure_future(source.tree() if wants_tree else _no_tree())
        is_enough = False
        try:
            before, began, latest = latest, now(), await source.screenshot()
            glimpse(latest.png)
            while before is None or (not reading.done() and now() < end):
                begun, taking = now(), asyncio.ensure_future(source.screenshot())
                if before is not None and await _same(before, latest):
                    if on_still is not None and not reading.done():
                        await on_still(latest)
                    work: set[asyncio.Future[Any]] = {taking, reading}
                    await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
                    if is_enough := _was_read_at_rest(reading) and began >= now() - REST:
                        break
                before, began, latest = latest, begun, await taking
                seconds = now() - begun
                glimpse(latest.png)
            if not reading.done():
                await reading
                before, latest = latest, await source.screenshot()
            tree = await reading
        finally:
            await end_work(reading, taking)
        settled = is_enough or await _same(before, latest)
        is_old = reading is ahead and tree is not None and not tree.rested
        ahead = None
        if not is_old and (settled or now() >= end):
            return ScreenCapture(latest, tree, settled, seconds)


def _was_read_at_rest(reading: asyncio.Future[UiTree | None]) -> bool:
    tree = reading.result() if reading.done() and reading.exception() is None else None
    return tree is not None and tree.rested


async def _no_tree() -> None:
    return None


async def _same(before: Screenshot, after: Screenshot) -> bool:
    if before.png == after.png:
        return before.forbidden == after.forbidden
    return bool(before.png and after.png) and await _is_unmoved(before.png, after.png)


async def _is_unmoved(before: bytes, after: bytes) -> bool:
    return await asyncio.to_thread(unmoved, before, after)


@dataclass(frozen=True, slots=True)
class RestlessPage:
    """A page that did not come to rest.

    It is treated so `until` a time in monotonic seconds. `has_tree`: its tree could be read. `moved`: its
    picture changed, not only something that the phone counts as movement.
    """

    until: float
    has_tree: bool
    moved: bool


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


class Observer:
    """Makes observations of one phone."""

    def __init__(
        self,
        source: ScreenSource,
        touch: Touch,
        read_facts: Callable[[], Awaitable[WindowFacts]],
        label_of: Callable[[str, int], Awaitable[str]],
        cap: float,
    ) -> None:
        """Build an observer.

        Args:
            source: reads pictures and trees.
            touch: wakes the phone if its screen is off.
            read_facts: reads the facts about the window.
            label_of: returns the label of a package of an Android user, empty if unknown.
            cap: maximum seconds to wait for a moving screen.
        """
        self._source = source
        self._touch = touch
        self._read_facts = read_facts
        self._label_of = label_of
        self._cap = cap
        self._restless: dict[tuple[str, str], RestlessPage] = {}
        self._suspect: tuple[str, str] | None = None
        self._latest: tuple[ScreenCapture, float] | None = None
        self._ahead: _TreeAhead | None = None
        self._action_seconds = 0.0
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
        if rests and not self._restless and self._ahead is None and self._action_seconds <= _QUICK_ACTION:
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

    async def look_after_typing(self) -> UiTree | None:
        """The tree of a look that the next observation takes if it follows at once."""
        self._looking = asyncio.ensure_future(self._read(ignore_screenshot))
        look, facts = await self._looking
        self._kept = look, facts, time.monotonic()
        return look.tree if look else None

    def stop_reading(self) -> None:
        """End a `look_after_typing` and a tree that is read ahead at once; nothing more of them is sent."""
        ahead, self._ahead = self._ahead, None
        for work in (self._looking, ahead.reading if ahead else None):
            if work is not None:
                work.cancel()

    def is_fresh(self, seen: Observation) -> bool:
        """Whether a screen was read at rest a moment ago, so that a new picture would tell nothing newer.

        An action that waits for a picture comes about as long after its capture as the phone takes for it.
        """
        if self._latest is None or seen.secure or not seen.screenshot:
            return False
        look, read = self._latest
        is_same = look.shot.png == seen.screenshot and look.rested
        return is_same and time.monotonic() - read <= _FRESH * look.picture_seconds

    async def observe(
        self, glimpse: Glimpse = ignore_screenshot, on_picture: OnPicture | None = None, *, wake: bool = True
    ) -> Observation:
        """The settled screen.

        Args:
            glimpse: called with early screenshots.
            on_picture: called at most once, with the screen without its elements, when its picture has come
                to rest before the tree is read. It may still change. Not for a page that may forbid
                screenshots.
            wake: whether to switch on a screen that is off, once.

        Raises:
            PhoneError: the phone is lost, locked, or its screen stays off.
        """
        kept, self._kept = self._kept, None
        ahead, self._ahead = self._ahead, None
        now = time.monotonic()
        if ahead is not None and (now - ahead.acted > _AT_ONCE or ahead.acted - ahead.began > REST):
            await end_work(ahead.reading)
            ahead = None
        if kept is not None and now - kept[2] <= _AT_ONCE:
            look, facts = kept[:2]
        else:
            look, facts = await self._read(glimpse, on_picture, ahead.reading if ahead else None)
        if ahead and look and look.rested and await _is_unmoved(ahead.before, look.shot.png):
            # Perhaps the app has not reacted yet: a tree that is begun now is read a second later.
            look, facts = await self._read(glimpse)
        if wake and facts.awake is False:
            await self._touch.key(KEY_WAKE_UP)
            look, facts = await self._read(glimpse)
        if look is None:
            raise error_for_state(PhoneState.SCREEN_OFF if facts.awake is False else PhoneState.LOCKED)
        if _stale(look, facts):
            facts = await self._read_facts()
            if facts.locked:
                raise error_for_state(PhoneState.LOCKED)
            if _stale(look, facts) and await self._source.distrust():
                self._latest, look = None, await settled_look(self._source, self._cap, glimpse=glimpse)
        return await asyncio.to_thread(compose_observation, look, facts, await self._labelled(facts))

    async def _read(
        self,
        glimpse: Glimpse,
        on_picture: OnPicture | None = None,
        ahead: asyncio.Future[UiTree | None] | None = None,
    ) -> tuple[ScreenCapture | None, WindowFacts]:
        """The screen and the facts, read side by side; no screen if it is dark or locked.

        While a restless page is remembered, the facts are read first: they say whether that page is shown.
        """
        now = time.monotonic()
        self._restless = {page: kind for page, kind in self._restless.items() if kind.until > now}
        if self._restless:
            facts = await self._read_facts()
            restless = self._restless.get(_page_of(facts))
            if restless is not None and facts.awake is not False and not facts.locked:
                quick = await settled_look(
                    self._source, _RESTLESS_CAP, glimpse=glimpse, wants_tree=restless.has_tree
                )
                if quick.settled is not restless.moved:
                    return quick, facts
                del self._restless[_page_of(facts)]
        reading = asyncio.ensure_future(self._read_facts())
        is_called = False

        async def tell(shot: Screenshot) -> None:
            nonlocal is_called
            facts = reading.result() if reading.done() and not reading.exception() else None
            if facts is None or is_called or on_picture is None or facts.locked or facts.awake is False:
                return
            is_called = True
            if shot.forbidden or await asyncio.to_thread(_may_be_forbidden, shot.png):
                return
            await on_picture(compose_picture(shot, facts, await self._labelled(facts)))

        on_still = tell if on_picture else None
        looking = asyncio.create_task(
            settled_look(self._source, self._cap, glimpse=glimpse, on_still=on_still, ahead=ahead)
        )
        try:
            facts = await reading
            usable = facts.awake is not False and not facts.locked
            look = await looking if usable else None
        finally:
            looking.cancel()
            reading.cancel()
            await asyncio.gather(looking, reading, return_exceptions=True)
        self._latest = None if look is None else (look, time.monotonic())
        if look is not None:
            self._learn_restless(look, _page_of(facts), time.monotonic() - now)
        return look, facts

    def _learn_restless(self, look: ScreenCapture, page: tuple[str, str], seconds: float) -> None:
        """Remember a page without rest as long as a dump is awaited, or twice in a row: else it may load."""
        restless = not look.settled or look.tree is None
        given_up = look.tree is None and seconds >= _DUMP_PATIENCE - REST
        if restless and (given_up or page == self._suspect):
            self._restless[page] = RestlessPage(
                time.monotonic() + _RESTLESS_FOR, has_tree=look.tree is not None, moved=not look.settled
            )
        self._suspect = page if restless else None

    async def _labelled(self, facts: WindowFacts) -> ForegroundApp:
        app = facts.app
        if app.label or not app.package:
            return app
        return replace(app, label=await self._label_of(app.package, facts.user))


def compose_observation(look: ScreenCapture, facts: WindowFacts, app: ForegroundApp) -> Observation:
    """Combine picture, tree and facts. Slow: decodes the picture if it may be one that the page forbids.

    Raises:
        PhoneError: the phone gave neither a picture nor a tree.
    """
    elements = look.tree.elements if look.tree else ()
    png = look.shot.png
    if not png and not elements:
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
        secure=look.shot.forbidden or is_secure(png, elements, width, height),
        settled=look.settled,
    )


def _may_be_forbidden(png: bytes) -> bool:
    """Whether so much of a picture is black that its page may forbid screenshots, or is very dark. Slow."""
    try:
        width, height = picture_size(png)
        is_plain = len(png) * _PIXELS_PER_BYTE_WHEN_BLACK <= width * height
        return is_plain and float((decode_grey(png) <= _BLACK).mean()) >= _BLACK_SHARE
    except NotAPicture:
        return True


def compose_picture(shot: Screenshot, facts: WindowFacts, app: ForegroundApp) -> Observation:
    """The observation of a picture whose UI tree has not been read."""
    width, height = _size(shot.png, facts, ())
    return Observation(
        width=width,
        height=height,
        screenshot=shot.png,
        elements=(),
        app=app,
        rotation=facts.rotation or 0,
        keyboard_shown=facts.keyboard_shown,
    )


def is_secure(png: bytes, elements: tuple[Element, ...], width: int, height: int) -> bool:
    """Whether the page forbids screenshots: the picture is black where the tree has text.

    A dark page shows its text, and is not black there. Without text in the tree, the result is false.
    """
    if not png or len(png) * _PIXELS_PER_BYTE_WHEN_BLACK > width * height:
        return False
    top = round(max(width, height) * _STATUS_BAR)
    screen = Bounds(0, top, width, height)
    texts = [e.bounds for e in elements if e.text.strip() and _inside(e.bounds, screen)]
    labelled = [e.bounds for e in elements if e.clickable and e.description and _inside(e.bounds, screen)]
    return blackened(png, texts or labelled, picture_size(png)[0] / width)


def _inside(bounds: Bounds, screen: Bounds) -> bool:
    x, y = bounds.centre
    return bounds.area > 0 and screen.contains(x, y)


def _size(png: bytes, facts: WindowFacts, elements: tuple[Element, ...]) -> tuple[int, int]:
    """The size that touch coordinates refer to: that of the display, which may differ from the picture's."""
    if not png:
        return facts.size or (max(e.bounds.right for e in elements), max(e.bounds.bottom for e in elements))
    pictured = picture_size(png)
    if facts.size and (facts.size[0] > facts.size[1]) == (pictured[0] > pictured[1]):
        return facts.size
    return pictured


def _page_of(facts: WindowFacts) -> tuple[str, str]:
    return facts.app.package, facts.app.activity


def _stale(look: ScreenCapture, facts: WindowFacts) -> bool:
    """Whether another app came to the front after the facts were read."""
    if look.tree is None or not look.tree.elements or not facts.app.activity:
        return False
    return all(element.package != facts.app.package for element in look.tree.elements)
