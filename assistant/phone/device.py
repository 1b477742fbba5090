"""One connected Android phone: its state, its screen, and actions on it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import assert_never

from assistant.events import PhoneState
from assistant.phone.adb import AdbServer, BusyClock, PhoneLink, Shell, end_work
from assistant.phone.apps import LABELS, AppLabels, Apps, AppStart, Launcher
from assistant.phone.errors import ActionRefused, PhoneError, PhoneStatus, Refusal
from assistant.phone.keyboard import PhoneKeyboard, SavedKeyboards
from assistant.phone.pictures import (
    NOT_INSTALLED,
    PictureReader,
    only_restless_differs,
    shared_reader,
    unmoved,
)
from assistant.phone.screen import Glimpse, Observer, OnPicture, PictureWatch, ScreenSource, ignore_screenshot
from assistant.phone.screen_sources import (
    AdbScreenSource,
    ElementFinds,
    HelperScreenSource,
    HelperTouch,
    is_named_alike,
    make_helper,
)
from assistant.phone.status import CAPTURE_WAYS, CaptureWays, Readiness, accessibility_in_use
from assistant.phone.touches import KEY_BACK, KEY_ENTER, KEY_HOME, KEY_RECENTS, Touch, scroll_path
from assistant.phone.ui_tree import RestlessPages, UiTree, tells_little
from assistant.records import (
    Action,
    AskUser,
    Bounds,
    ClearText,
    Click,
    Element,
    Failed,
    Finished,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
    Wait,
)
from assistant.settings.schema import PhoneSettings

_KEYS = {"press_back": KEY_BACK, "press_home": KEY_HOME}
_KEYS |= {"press_recent": KEY_RECENTS, "press_enter": KEY_ENTER}
# Seconds within which an action ends by itself after its last command, and within which what was seen holds.
_MOMENT, _JUST_SEEN, _POLL_INTERVAL = 0.05, 0.5, 0.25

# Pictures for whether a screen without a tree stands still, and seconds between them: a cursor, which changes
# every half second, changes within them.
_STILL_PICTURES, _STILL_INTERVAL = 3, 0.4


class Phone:
    """One phone over an adb server. An empty serial takes the only phone there is."""

    def __init__(
        self,
        adb: AdbServer,
        serial: str,
        settings: PhoneSettings,
        notes: Path | None = None,
        source: ScreenSource | None = None,
        reader: PictureReader | None = None,
        display: str = "",
        restless: RestlessPages | None = None,
    ) -> None:
        """Build a phone; nothing is sent to it yet.

        Args:
            adb: the server that knows the phone.
            serial: its serial or host:port.
            settings: deadlines.
            notes: the folder with what is known of the phone, such as labels of apps; None for no memory.
            source: replaces plain adb as the way to read the screen.
            reader: replaces the program's own text recognition.
            display: the display that is meant by touches, keys and apps; empty leaves it to the phone.
            restless: the pages whose tree is not waited for.
        """
        self._clock = BusyClock()
        self._reading_shell = Shell(adb, serial, settings.command_deadline, self._clock)
        self._acting_shell = Shell(adb, serial, settings.command_deadline, self._clock)
        self._settle_cap = settings.settle_cap
        self._readiness = Readiness(adb, self._reading_shell, display)
        shells = self._reading_shell, self._acting_shell
        self._helper = make_helper(*shells, settings) if settings.resident_helper and not source else None
        self._finds = ElementFinds(self._helper) if self._helper else None
        self._awaited: AwaitedElement | None = None
        self._pages: tuple[Observation | None, Observation | None] = None, None  # The two latest.
        self._ways = CaptureWays(notes and notes / CAPTURE_WAYS)
        self._glance = source or self._source_on(self._acting_shell)
        touch = Touch(self._acting_shell, display)
        self._touch = HelperTouch(self._helper, self._acting_shell) if self._helper else touch
        self._keyboard = PhoneKeyboard(
            self._acting_shell, self._touch, self._glance, SavedKeyboards(notes and notes / "keyboard.json")
        )
        self._apps = Apps(
            self._acting_shell,
            Launcher(self._touch, self._glance, settings.settle_cap),
            AppLabels(notes and notes / LABELS),
            partial(self._readiness.facts, self._acting_shell),
            settings.settle_cap,
            display,
        )
        self._look = source or self._source_on(self._reading_shell)
        self._observer = Observer(
            self._look,
            Touch(self._reading_shell, display),
            self._readiness.facts,
            self._apps.label_of,
            settings.settle_cap,
            restless,
        )
        self._reader = reader or (shared_reader() if settings.read_pictures else None)
        self._silences = settings.resident_helper and settings.helper_beside_services
        self._screen_reader: bool | None = None
        self.told_sparing = False
        """Whether the user was told that trees are spared for a screen reader."""
        self._reading_seconds = 0.0
        self._left_at = -math.inf
        self._focused: tuple[Observation | None, float] = None, -math.inf
        self._doing: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._preview: asyncio.Task[Observation] | None = None
        self._watch: PictureWatch | None = None
        self._restoring = asyncio.Lock()
        self._is_restored = False
        self._told_stranger = ""
        # Why the helper was lost by the end of the last look; the loss of the phone is no reason to spare it.
        self._standing_loss = ""
        self.identity = ""
        """What the phone itself goes by, at any address, as last read; empty where it is not known."""

    def _source_on(self, shell: Shell) -> ScreenSource:
        plain = AdbScreenSource(shell, self._ways)
        return HelperScreenSource(self._helper, plain) if self._helper else plain

    @property
    def wants_helper(self) -> bool:
        """Whether the user agreed to the resident helper."""
        return self._helper is not None

    @property
    def helper_loss(self) -> str:
        """Why the resident helper is no longer used in this turn, in English; empty while it is used."""
        return self._helper.lost if self._helper else ""

    @property
    def serial(self) -> str:
        """The phone's serial; empty until the only phone was found."""
        return self._reading_shell.serial

    @property
    def link(self) -> PhoneLink:
        """Where the phone is reached now, and whether it was shown to be the same one."""
        return self._reading_shell.link

    @property
    def app_names(self) -> tuple[str, ...]:
        """The labels of the phone's apps, as far as they are known."""
        return self._apps.names()

    async def learn_apps(self) -> None:
        """Learn the labels of the apps, where none is known and the phone tells them."""
        await self._apps.learn_labels()

    @property
    def phone_seconds(self) -> float:
        """Seconds spent in phone commands so far; overlapping commands count once."""
        return self._clock.seconds

    @property
    def reading_seconds(self) -> float:
        """Seconds spent reading text from pictures so far."""
        return self._reading_seconds

    @property
    def reading_problem(self) -> str | None:
        """Why text is not read from pictures, in English; empty if it is read, None if switched off."""
        if self._reader is None:
            return None
        return self._reader.problem if self._reader.available else NOT_INSTALLED

    @property
    def reading_pause(self) -> str:
        """Why no text is read from pictures for a while, in English; empty while it is, or never is."""
        return self._reader.problem if self._reader is not None and self._reader.paused else ""

    @property
    def spares_trees(self) -> bool:
        """Whether screens are read from pictures where that will do: a tree silences a screen reader."""
        return bool(self._screen_reader and self._reader and self._reader.available)

    @property
    def hears_screen_reader(self) -> bool:
        """Whether the last look saw a screen reader on that is to be heard."""
        return bool(self._screen_reader)

    async def status(self) -> PhoneStatus:
        """The phone's state and what to do about it. Never raises."""
        return await self._readiness.status()

    async def accepts_input(self) -> bool:
        """Whether the phone lets adb tap and type.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        await self._find()
        return await self._readiness.accepts_input()

    async def unicode_problem(self) -> str:
        """Why not every script can be typed, and what to do; empty if all can. Changes nothing on the phone.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        await self._find()
        return await self._keyboard.problem()

    async def screen_seconds(self) -> float | None:
        """The screen timeout in seconds; None if the phone does not tell it.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        await self._find()
        return await self._readiness.screen_seconds()

    async def language(self) -> str:
        """The ISO code of the phone's language; empty if the phone does not tell it.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        await self._find()
        return await self._readiness.language()

    async def region(self) -> str:
        """The code of the country that the phone is from; empty if the phone does not tell it.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        await self._find()
        return await self._readiness.region()

    async def wait_ready(self, limit: float) -> PhoneStatus:
        """Wait until the phone is ready, or the limit in seconds has passed.

        One on the network is connected again, a dark screen is switched on once. Where another phone answers
        in its place, as cheap phones do and emulators that are started anew, it counts as absent until the
        next call: the user was told then, and goes on with it.
        """
        link = self.link
        if link.identities and self._told_stranger:
            link.identities |= {self._told_stranger}
        status = await self._readiness.wait_ready(limit)
        self._told_stranger = link.stranger
        if status.state is PhoneState.READY and self._helper is not None and not self._standing_loss:
            self._helper.lost = ""
        return status

    async def note_identity(self) -> None:
        """Note which phone this is, else the one that was read last.

        Until `forget_identity` no other phone that answers is looked at or acted on.
        """
        link, self._told_stranger = self.link, ""
        link.identities = frozenset({self.identity} - {""})
        with suppress(PhoneError):
            self.identity = await self._readiness.identity()
            link.identities = frozenset({self.identity} - {""})

    def forget_identity(self) -> None:
        """Let any phone answer under this serial again, as between turns."""
        self.link.identities, self.link.stranger = None, ""

    async def read_identity(self) -> None:
        """Read which phone this is, whatever was noted; where it cannot be reached, what was read stays."""
        with suppress(PhoneError):
            self.identity = await self._readiness.identity()

    async def wait_for_user(self, limit: float) -> PhoneStatus:
        """Wait until the user has unlocked the phone, or the limit in seconds has passed.

        Unlike `wait_ready` this does not wake the screen, because the user switched it off.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + limit
        while True:
            status = await self.status()
            if status.state is PhoneState.READY or loop.time() >= end:
                return status
            await asyncio.sleep(min(_POLL_INTERVAL, max(0.0, end - loop.time())))

    async def observe(
        self,
        glimpse: Glimpse = ignore_screenshot,
        on_picture: OnPicture | None = None,
        *,
        needs_tree: bool = False,
        by_picture: bool = False,
    ) -> Observation:
        """The screen once it has settled.

        Args:
            glimpse: called with screenshots before the screen has settled; the settled one is often equal.
            on_picture: see `Observer.observe`.
            needs_tree: whether its picture will not do, although a screen reader is on.
            by_picture: whether another app is opened next, so that one picture will do; the helper begins.

        Raises:
            PhoneError: the phone cannot be used.
        """
        if self._preview is not None:
            self._preview.cancel()
        await self.end_watch(drop=True)
        await self._find()
        if by_picture:
            return await self._observe_left(glimpse)
        await self._note_screen_reader()
        seen = None
        if self.spares_trees and not needs_tree and not self.reading_pause:
            seen = await self._completed(await self._observer.observe(glimpse, picture_cap=self._settle_cap))
            if not seen.elements and tells_little(seen.with_picture_texts):
                seen = None
        seen = seen or await self._completed(await self._observe_drawn(glimpse, on_picture))
        self._standing_loss = self.helper_loss
        self._pages = self._pages[1], seen
        return seen

    async def _observe_left(self, glimpse: Glimpse) -> Observation:
        """The screen before another app is opened; beside it, the helper begins where it may."""
        asking = asyncio.ensure_future(self._note_screen_reader())
        if self._helper is not None:
            self._helper.begin(asking)
        seen, _is_on = await asyncio.gather(self._observer.observe(glimpse, picture_cap=0.0), asking)
        self._left_at = time.monotonic()
        return seen

    async def _note_screen_reader(self) -> bool:
        """Whether a screen reader is on that is to be heard, asked once a turn."""
        if self._screen_reader is None:
            # It falls silent beside the helper anyway, where the user insists on that.
            self._screen_reader = not self._silences and await accessibility_in_use(self._reading_shell)
        return self._screen_reader

    async def _observe_drawn(self, glimpse: Glimpse, on_picture: OnPicture | None) -> Observation:
        """The screen; one that shows nothing, as an app does at first, is read again for `settle_cap`."""
        end = time.monotonic() + self._settle_cap
        seen = await self._observer.observe(glimpse, on_picture)
        while seen.shows_nothing:
            seen = await self._observer.complete(seen)
            if not seen.shows_nothing or time.monotonic() >= end:
                break
            seen = await self._observer.observe(glimpse)
        return seen

    async def complete(self, seen: Observation) -> Observation:
        """A screen seen by its picture alone, with its UI tree if that has come. Raises as `observe` does."""
        return await self._observer.complete(seen)

    async def read_tree(self, seen: Observation) -> Observation:
        """A screen whose tree was spared, with it; as it is where none comes or it moved. Raises so, too."""
        if seen.elements or not self.spares_trees or not self.may_get_tree(seen):
            return seen
        tree = await self._look.tree()
        if tree is None or all(element.package != seen.app.package for element in tree.elements):
            return seen
        whole = replace(seen, elements=tree.elements, picture_texts=())
        return seen if tells_little(whole) or await self.moved_since(seen) else whole

    def may_get_tree(self, seen: Observation) -> bool:
        """Whether a page without a UI tree may get one soon."""
        return self._observer.may_get_tree(seen)

    async def _completed(self, seen: Observation) -> Observation:
        """The screen, with text read from its picture if its UI tree does not describe it."""
        if self._reader is None or not tells_little(seen):
            return seen
        began = time.perf_counter()
        try:
            return await asyncio.to_thread(self._reader.complete, seen)
        finally:
            self._reading_seconds += time.perf_counter() - began

    async def preview(self) -> Observation | None:
        """The screen as it is, without waking the phone, to show before the first turn.

        None if it cannot be read, or if `observe` is called in the meantime, which cancels the preview.
        """
        if self._preview is not None or not self.serial:
            return None
        looking = self._preview = asyncio.create_task(self._look_without_waking())
        try:
            await asyncio.wait([looking])
            return None if looking.cancelled() or looking.exception() is not None else looking.result()
        finally:
            looking.cancel()
            self._preview = None

    async def _look_without_waking(self) -> Observation:
        cap = self._settle_cap if await self._note_screen_reader() else None
        return await self._observer.observe(wake=False, picture_cap=cap)

    async def see_focus(self, seen: Observation, point: Point) -> Observation | None:
        """A page whose field has got the focus, without a look at it; see `PhoneKeyboard.see_focus`."""
        focused = await self._keyboard.see_focus(seen, point)
        self._focused = focused, time.monotonic()
        return focused

    async def moved_since(
        self, seen: Observation, touched: Element | None = None, place: Bounds | None = None
    ) -> bool:
        """Whether the screen has changed since an observation, by one new screenshot; at a place at all.

        Where the resident helper finds at its place what a harmless touch would hit, none is taken.
        One that was taken while the model replied counts as new, and none is needed right after a look at a
        screen at rest. A page that forbids screenshots cannot be compared, and counts as changed.

        Raises:
            PhoneError: the phone cannot be used.
        """
        focused, at = self._focused
        if self._observer.is_fresh(seen) or (seen is focused and time.monotonic() - at <= _JUST_SEEN):
            return False
        await self._find()
        if touched is not None and await self._stands(seen, touched):
            return False
        watched = await self._watch.picture() if self._watch is not None else None
        began = time.monotonic()
        shot = watched if watched is not None else await self._look.screenshot()
        if not shot.png or not seen.screenshot or seen.secure:
            return True
        has_moved = not await asyncio.to_thread(unmoved, seen.screenshot, shot.png, place, seen.width)
        if watched is None and not has_moved:
            self._observer.note_unmoved(seen, began)
        return has_moved

    async def _stands(self, seen: Observation, touched: Element) -> bool:
        """Whether what a touch would hit is where it was, by a find; false where a find would not tell.

        It would not of a page that moves or forbids its picture, beside other windows, nor where a keyboard
        may be coming up: that may lie over it.
        """
        may_be_covered = seen.windows or (seen.focused_field() is not None and not seen.keyboard_shown)
        if self._finds is None or not seen.settled or seen.secure or may_be_covered:
            return False
        before = self._pages[0].elements if self._pages[0] is not None else ()
        return await self._finds.stands(touched, before, seen.elements)

    async def stands_still(self, seen: Observation) -> bool:
        """Whether the screen shows what an observation does, by several new pictures or one that is the same.

        What moves by itself, as a cursor does, may differ; see `only_restless_differs`. A page that forbids
        screenshots cannot be compared, and does not stand still. Every picture is begun after the call, other
        than for `moved_since`: one from before the user's yes may show the page as it was at the question.

        Raises:
            PhoneError: the phone cannot be used.
        """
        # One that is under way would only slow down the phone.
        await self.end_watch(drop=True)
        await self._find()
        pictures: list[bytes] = []
        for number in range(_STILL_PICTURES):
            if number:
                await asyncio.sleep(_STILL_INTERVAL)
            shot = await self._look.screenshot()
            if not shot.png or not seen.screenshot or seen.secure:
                return False
            pictures.append(shot.png)
            if not number and await asyncio.to_thread(only_restless_differs, seen.screenshot, pictures):
                return True
        return await asyncio.to_thread(only_restless_differs, seen.screenshot, pictures)

    @asynccontextmanager
    async def awaiting(self, element: Element | None) -> AsyncIterator[None]:
        """Let looks in the block end when finds agree with a tree about an element; see `ElementFinds`."""
        finds, before, self._awaited = self._finds, self._pages[1], None
        if finds is None or element is None or before is None or not before.elements:
            yield
            return
        awaited = self._awaited = AwaitedElement(finds, element, before)
        self._observer.agrees = awaited.agrees
        try:
            yield
        finally:
            self._observer.agrees = None
            await awaited.end()

    @property
    def led_by_find(self) -> bool:
        """Whether the last look ended so: its picture may be of a page that was still coming."""
        return self._awaited is not None and self._awaited.has_come

    async def comes(self, element: Element) -> bool:
        """Whether an element that a page lacks is there soon, by finds."""
        return self._finds is not None and await self._finds.comes(element)

    def watch(self) -> None:
        """Take pictures until `end_watch`, so that `moved_since` need not wait for one; again is harmless."""
        if self.serial and self._watch is None:
            self._watch = PictureWatch(self._look)

    async def end_watch(self, *, drop: bool = False) -> None:
        """Begin no further picture of a `watch`; drop the one under way too if it is not needed."""
        if self._watch is not None and drop:
            watch, self._watch = self._watch, None
            await watch.close()
        elif self._watch is not None:
            self._watch.finish()

    async def perform(self, action: Action, seen: Observation) -> None:
        """Perform one action, chosen on the observation `seen`.

        If the caller is cancelled, a command that was already sent is completed (see `settled_down`), and no
        further command is sent.

        Raises:
            PhoneError: the phone cannot be used.
            ActionRefused: the action could not be performed.
            ValueError: the action is not one for a phone.
        """
        await self._find()
        await self._observer.drop_beside()
        self._observer.acted = time.monotonic()
        await self.end_watch(drop=True)
        doing = self._doing = asyncio.create_task(self._perform(action, seen))
        try:
            await doing
        except PhoneError as error:
            if error.state is PhoneState.NO_INPUT_PERMISSION:
                self._readiness.forbids_input = True
            raise
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is None or own.cancelling():
                raise
            raise ActionRefused(Refusal.STOPPED) from None
        finally:
            self._doing = None

    def stop_actions(self) -> None:
        """Stop a running `perform` after the command in flight, and refuse actions until `allow_actions`.

        The running `perform` succeeds if that command was its last; else it raises `ActionRefused`.
        """
        self._acting_shell.stopped = True
        self._observer.stop_reading()
        if self._doing is not None:
            self._stopping = asyncio.create_task(self._stop(self._doing))

    def allow_actions(self) -> None:
        """Allow actions again after `stop_actions`."""
        self._acting_shell.stopped = False

    async def settled_down(self) -> None:
        """Wait until no command of a cancelled `perform` is in flight."""
        await self._acting_shell.settled_down()

    async def release(self, *, keeps_helper: bool = False) -> None:
        """Restore the user's keyboard and end the resident helper, unless it is kept. May be called again.

        If the phone cannot be reached, its keyboard is restored at the next call or program start.
        """
        await self.settled_down()
        await self.end_watch(drop=True)
        await self._observer.drop_ahead()
        self._screen_reader = None
        if self._helper is not None and not keeps_helper:
            self._finds = ElementFinds(self._helper)
            await self._helper.stop()
            self._helper.lost = ""
        stopped, self._acting_shell.stopped = self._acting_shell.stopped, False
        try:
            with suppress(PhoneError):
                if self._keyboard.may_be_replaced:
                    await self._keyboard.restore()
        finally:
            self._acting_shell.stopped = stopped

    async def restore_after_crash(self) -> None:
        """Restore the user's keyboard, once, if an earlier run left another one in its place.

        Raises:
            PhoneError: the phone cannot be reached; it is tried again at the next call.
        """
        async with self._restoring:
            if self._is_restored:
                return
            await self._find()
            await self._keyboard.restore()
            self._is_restored = True

    def lines(self, command: str) -> AsyncGenerator[str]:
        """The lines of a command that runs until the generator is closed, such as `getevent -lt`."""
        return self._reading_shell.stream(command)

    async def _perform(self, action: Action, seen: Observation) -> None:
        match action:
            case Click(point=point):
                with self._reading_ahead(seen):
                    await self._touch.tap(*seen.pixels(point))
            case LongClick(point=point):
                await self._touch.long_press(*seen.pixels(point))
            case Scroll(point=point, direction=direction):
                with self._reading_ahead(seen):
                    await self._touch.swipe(*scroll_path(seen, point, direction))
            case Swipe(start=start, end=end):
                with self._reading_ahead(seen):
                    await self._touch.swipe(seen.pixels(start), seen.pixels(end))
            case TypeText(text=text, closes_keyboard=closes):
                await self._keyboard.type(text, seen, self._look_after_typing, closes=closes)
            case ClearText():
                await self._keyboard.clear(seen)
            case PressBack() | PressHome() | PressRecent() | PressEnter():
                with self._reading_ahead(seen):
                    await self._touch.key(_KEYS[action.type])
            case OpenApp(name=name, anew=anew, at=at):
                before = seen.app.package if time.monotonic() - self._left_at <= _JUST_SEEN else ""
                await self._apps.open(name, AppStart(anew, at, before))
            case Wait():
                await self._wait_for_change(seen)
            case Finished() | Failed() | AskUser() | TakeOver():
                raise ValueError(f"{action.type} is no action for a phone")
            case _:
                assert_never(action)

    def _reading_ahead(self, seen: Observation) -> AbstractContextManager[None]:
        is_idle = self._acting_shell.stopped or self._screen_reader
        return nullcontext() if is_idle else self._observer.reading_ahead(seen)

    async def _look_after_typing(self) -> UiTree | None:
        if self._acting_shell.stopped:
            raise ActionRefused(Refusal.STOPPED)
        return await self._observer.look_after_typing()

    async def _wait_for_change(self, seen: Observation) -> None:
        end = time.monotonic() + self._settle_cap
        while time.monotonic() < end:
            shot = await self._glance.screenshot()
            if not await asyncio.to_thread(unmoved, seen.screenshot, shot.png):
                return

    async def _find(self) -> None:
        if not self._reading_shell.serial:
            await self._readiness.require_listed()
        self._acting_shell.serial = self._reading_shell.serial

    async def _stop(self, doing: asyncio.Task[None]) -> None:
        """Cancel an action that has only reads left, once its last changing command has been completed."""
        await self._acting_shell.settled_down()
        await asyncio.wait({doing}, timeout=_MOMENT)
        doing.cancel()


class AwaitedElement:
    """An element that looks wait for; `has_come` once finds agreed with a tree about it."""

    def __init__(self, finds: ElementFinds, element: Element, before: Observation) -> None:
        self.has_come = False
        self._finds = finds
        self._element = element
        self._before = before.elements
        self._first = asyncio.create_task(finds.poll(element))

    async def agrees(self, tree: UiTree | None) -> bool:
        """Whether a tree has it once, at the place where a find had it before and one has it now."""
        elements = tree.elements if tree is not None else ()
        alike = [other for other in elements if is_named_alike(other, self._element)]
        is_there = len(alike) == 1 and self._first.done() and self._first.result() == alike[0].bounds
        self.has_come = is_there and await self._finds.stands(alike[0], self._before, elements)
        return self.has_come

    async def end(self) -> None:
        """Look for it no further."""
        await end_work(self._first)
