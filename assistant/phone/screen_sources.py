"""How the screen is looked at and touched: by plain adb, and by a resident helper that is faster.

Over plain adb a picture comes as PNG or as raw pixels, packed with gzip (see `CaptureWays`).

The helper is uiautomator2's server. `uiautomator dump` starts a Java machine and waits for a second of rest;
the resident server does neither, so a tree comes in a fifth of the time, and also from a screen that never
rests. It costs trust: while it runs, every program on the phone and in its network may use it, and it has the
rights of adb. So it runs only where the user has agreed, on a random port, and ends with the turn, or with
the connection.

One element is found by its words in a tenth of the time of a tree (`ElementFinds`). A find tells that it is
where it was, and nothing of the page around it.

Whatever goes wrong with it raises `HelperLost`, and plain adb takes over in the same step. A request that may
have reached the phone is never sent again.
Sources: openatx/android-uiautomator-server-jar (`AutomatorHttpServer.java`, `AutomatorServiceImpl.java`) and
openatx/uiautomator2 (`core.py`) for the start, the port and the calls.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import json
import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h11

from assistant.events import PhoneState
from assistant.i18n import later
from assistant.phone.adb import Connection, ConnectionEnded, NotAdb, Output, ServiceRefused, Shell, end_work
from assistant.phone.errors import (
    ActionRefused,
    HelperLost,
    PhoneError,
    Refusal,
    error_for_state,
    refuses_screenshot,
)
from assistant.phone.pictures import NotAPicture, find_png, is_black, picture_size, unpack_picture
from assistant.phone.screen import DUMP_PATIENCE, REST, Screenshot, ScreenSource
from assistant.phone.status import CaptureWays, accessibility_in_use, find_lit_panel
from assistant.phone.touches import LONG_PRESS_MILLISECONDS, MOVE_MILLISECONDS, Pixel, Touch
from assistant.phone.ui_tree import Page, RestlessPages, UiTree, UnreadableTree, parse_tree
from assistant.records import Bounds, Element
from assistant.settings.schema import PhoneSettings

JAR_ON_PHONE = "/data/local/tmp/u2.jar"
_SERVER_CLASS = "com.wetest.uia2.Main"
_PORTS, _PORTS_TRIED = (20_000, 60_000), 3
# Measured elsewhere: a server answers 0.8 to 3 s after its start, a tree takes 0.1 to 1 s (outliers 6 s).
_START_LIMIT = 6.0
_STOP_LIMIT, _PING_LIMIT = 2.0, 1.0
_LOOK_LIMIT, _INPUT_LIMIT = 4.0, 6.0
_PING_PAUSE, _DEEPEST, _SWIPE_STEP_MILLISECONDS = 0.05, 50, 5
HELPER_JPEG_QUALITY = 80
_LONGEST_ANSWER = 32 << 20
_DEAD = ("UiAutomation not connected", "DeadObjectException", "DeadSystemRuntimeException")
_FINDS = ("exist", "objInfo")
"""Methods that look for one element. The server answers with an exception of Java's where it is not there."""
_FIND_LIMIT, _FIND_PAUSE, _COMES_WITHIN = 0.5, 0.1, 1.0
"""Seconds after which a find is given up, between two, and for which what a page lacks is awaited. One takes
7 to 32 ms (mobile-next/mobilecli#286)."""
_NO_HTTP = (ConnectionEnded, NotAdb, TimeoutError, h11.RemoteProtocolError, ValueError)

NOT_INSTALLED = later("the Python package uiautomator2 is not installed")
SCREEN_READER = later(
    "a screen reader or another accessibility service is on, and it would fall silent; "
    "phone.helper_beside_services allows it"
)
NO_ANSWER = later("it does not start or does not answer")
TAKEN = later("another program has the phone's one connection for automation")
PORTS_TAKEN = later("other programs on the phone listen at the ports that it would take")
EMPTY_TREE = later("it sees no elements")
OLD_TREE = later("its list of elements is of an earlier screen")
WRONG_APP = later("it shows another app than the phone")
CRASHED = later("it ended: {reason}")


def find_jar() -> Path | None:
    """The server's jar in the Python package uiautomator2; None where the package is not installed."""
    spec = find_spec("uiautomator2")
    folders = (spec.submodule_search_locations if spec is not None else None) or ()
    return next(filter(Path.is_file, (Path(folder) / "assets" / "u2.jar" for folder in folders)), None)


class ResidentHelper:
    """uiautomator2's server on one phone: started, asked and ended.

    `lost` is empty, or says why it is not used any more, until it is emptied.
    """

    def __init__(
        self,
        reading_shell: Shell,
        acting_shell: Shell,
        jar: Callable[[], Path | None] = find_jar,
        chance: random.Random | None = None,
        *,
        beside_services: bool = False,
    ) -> None:
        """Build a helper; nothing is sent yet.

        Args:
            reading_shell: for looking, and for the server's process.
            acting_shell: for requests that change something: none is sent while it is stopped.
            jar: where the server's jar lies on this computer.
            chance: chooses the port; the operating system's randomness by default.
            beside_services: start it although accessibility services fall silent.
        """
        self.lost = ""
        self._beside_services = beside_services
        self._reading_shell = reading_shell
        self._acting_shell = acting_shell
        self._jar = jar
        self._chance = chance or random.SystemRandom()
        self._port = 0
        self._serving: asyncio.Task[str] | None = None
        self._beginning: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._serving is not None and not self._serving.done()

    @property
    def is_beginning(self) -> bool:
        """Whether `begin` is under way."""
        return self._beginning is not None and not self._beginning.done()

    def begin(self, asked: asyncio.Future[bool]) -> None:
        """Start it beside other work; whoever needs it next waits for it, or hears why it does not start."""
        if not self.running and not self.is_beginning:
            self._beginning = asyncio.create_task(self.start(asyncio.shield(asked)))
            self._beginning.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def start(self, asked: Awaitable[bool] | None = None) -> None:
        """Start the server unless it runs: the jar is copied once, then it must answer.

        `asked` tells whether accessibility services are on, where that is asked already.

        Raises:
            HelperLost: it does not start, or must not.
            PhoneError: the phone is lost.
        """
        async with self._starting:
            if self.lost:
                raise HelperLost(self.lost)
            if self.running:
                return
            jar = self._jar()
            if jar is None:
                raise await self._give_up(NOT_INSTALLED)
            asked = asked or accessibility_in_use(self._reading_shell)
            is_on, _copied = await asyncio.gather(asked, self._copy(jar))
            if is_on and not self._beside_services:
                raise await self._give_up(SCREEN_READER)
            await self._choose_port()
            self._serving = asyncio.create_task(self._serve())
            try:
                # The pauses between two questions are time of the phone too.
                with self._reading_shell.clock:
                    async with asyncio.timeout(_START_LIMIT):
                        await self._wait_answer()
            except TimeoutError:
                raise await self._give_up(NO_ANSWER) from None

    async def stop(self) -> None:
        """End the server: its process ends with the connection that started it. Again is harmless."""
        if self._beginning is not None and self._beginning is not asyncio.current_task():
            await end_work(self._beginning)
        serving, self._serving = self._serving, None
        if serving is not None:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            await self._wait_gone()

    async def distrust(self, reason: str) -> None:
        """Use it no more in this turn, and end it."""
        self.lost = self.lost or reason
        await self.stop()

    async def call(self, method: str, *parameters: object, performs: bool = False) -> Any:
        """Call a method of the server, which is started where it does not run.

        Args:
            method: its name.
            parameters: what JSON can hold.
            performs: it changes something on the phone.

        Raises:
            HelperLost: it cannot be used any more, and was ended.
            PhoneError: the phone is lost or forbids input.
            ActionRefused: the phone refused this one input, or the shell is stopped.
        """
        await self.start()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)}).encode()
        limit = _INPUT_LIMIT if performs else _LOOK_LIMIT
        try:
            answer = json.loads(await self._request("POST", "/jsonrpc/0", body, limit, performs=performs))
        except (*_NO_HTTP, ServiceRefused) as error:
            # Perhaps the phone is gone, and another one is at its address.
            self._reading_shell.link.note_break()
            raise await self._give_up(NO_ANSWER, sent=not isinstance(error, ServiceRefused)) from error
        if not isinstance(answer, dict):
            raise await self._give_up(NO_ANSWER, sent=performs)
        problem = answer.get("error")
        if not isinstance(problem, dict):
            return answer.get("result")
        words = f"{problem.get('message', '')} {problem.get('data', '')}"
        if method in _FINDS and not any(mark in words for mark in _DEAD):
            return None
        raise await self._refusal(words, performs=performs)

    async def _refusal(self, words: str, *, performs: bool) -> Exception:
        if "INJECT_EVENTS" in words:
            return error_for_state(PhoneState.NO_INPUT_PERMISSION)
        if not performs or any(mark in words for mark in _DEAD):
            return await self._give_up(CRASHED.format(reason=words.strip()[:120]), sent=performs)
        return ActionRefused(Refusal.INPUT.format(reason=words.strip()[:200]))

    async def _give_up(self, reason: str, *, sent: bool = False) -> HelperLost:
        await self.distrust(reason)
        return HelperLost(reason, sent=sent)

    async def _request(
        self, verb: str, path: str, body: bytes, limit: float, *, performs: bool = False
    ) -> bytes:
        client = h11.Connection(h11.CLIENT)
        headers = [
            ("Host", "phone"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
        ]
        head = h11.Request(method=verb, target=path, headers=headers)
        events = head, h11.Data(data=body), h11.EndOfMessage()
        request = b"".join(client.send(event) or b"" for event in events)
        shell = self._acting_shell if performs else self._reading_shell
        return await shell.exchange(
            f"tcp:{self._port}",
            request,
            lambda connection: _read_body(connection, client),
            limit,
            performs=performs,
        )

    async def _choose_port(self) -> None:
        """Choose a port at which nobody answers: a stranger's server there would be taken for this one.

        Raises:
            HelperLost: somebody is at each that was tried.
        """
        for _attempt in range(_PORTS_TRIED):
            self._port = self._chance.randrange(*_PORTS)
            try:
                await self._request("GET", "/ping", b"", _PING_LIMIT)
            except ServiceRefused:
                return
            except _NO_HTTP:
                continue
        raise await self._give_up(PORTS_TAKEN)

    async def _wait_answer(self) -> None:
        while True:
            if self._serving is not None and self._serving.done():
                printed = self._serving.result()
                is_taken = "already registered" in printed
                raise await self._give_up(TAKEN if is_taken else CRASHED.format(reason=printed[:120] or "-"))
            with suppress(ServiceRefused, *_NO_HTTP):
                if await self._request("GET", "/ping", b"", _PING_LIMIT) == b"pong":
                    return
            await asyncio.sleep(_PING_PAUSE)

    async def _wait_gone(self) -> None:
        """Wait until the process has given the phone's one UiAutomation connection back, within reason."""
        with suppress(TimeoutError, PhoneError, ActionRefused):
            async with asyncio.timeout(_STOP_LIMIT):
                while True:
                    try:
                        await self._request("GET", "/ping", b"", _PING_LIMIT)
                    except ServiceRefused:
                        return
                    except (ConnectionEnded, NotAdb, h11.RemoteProtocolError):
                        pass
                    await asyncio.sleep(_PING_PAUSE)

    async def _serve(self) -> str:
        """Keep the server's process; the last telling line that it printed before it ended."""
        command = f"CLASSPATH={JAR_ON_PHONE} app_process / {_SERVER_CLASS} -p {self._port} 2>&1"
        last = ""
        try:
            async with aclosing(self._reading_shell.stream(command)) as lines:
                async for line in lines:
                    is_frame = line.lstrip().startswith("at ")
                    if ("Exception" in line or "Error" in line) and not is_frame:
                        last = line.strip()
        except PhoneError as error:
            return error.sentence
        return last

    async def _copy(self, jar: Path) -> None:
        content = await asyncio.to_thread(jar.read_bytes)
        digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if digest not in (await self._reading_shell.run(f"md5sum {JAR_ON_PHONE}")).text:
            await self._reading_shell.push(jar, JAR_ON_PHONE)


def make_helper(reading_shell: Shell, acting_shell: Shell, settings: PhoneSettings) -> ResidentHelper:
    """A helper as the settings want it."""
    return ResidentHelper(reading_shell, acting_shell, beside_services=settings.helper_beside_services)


async def _read_body(connection: Connection, client: h11.Connection) -> bytes:
    """The body of an HTTP answer; an answer with another status than 200 is empty."""
    body, usable = bytearray(), False
    while True:
        event = client.next_event()
        if event is h11.NEED_DATA:
            client.receive_data(await connection.read_some())
        elif isinstance(event, h11.Response):
            usable = event.status_code == 200
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > _LONGEST_ANSWER:
                raise ValueError("the helper's answer is too long")
        else:
            return bytes(body) if usable else b""


_TRIES = 3
_NOT_IDLE = "could not get idle state"
_TO_TERMINAL = "uiautomator dump /dev/tty"
_SEVERAL_PANELS = b"Multiple displays were found"


class _Forbidden(Exception):
    """The phone says that the page forbids screenshots."""


class AdbScreenSource(ScreenSource):
    """`screencap` and `uiautomator dump`: slow on real phones, but every phone has them."""

    def __init__(self, shell: Shell, ways: CaptureWays | None = None) -> None:
        self._shell = shell
        self._ways = CaptureWays() if ways is None else ways
        self._file = f"/data/local/tmp/assistant-{os.getpid()}.xml"
        self._terminal_works = True
        self._panel = ""

    async def screenshot(self) -> Screenshot:
        """The screen as it is now, of the lit panel if there are two; tried again if that fails."""
        picture, attempts, serial = b"", 2, self._shell.serial
        while attempts:
            attempts -= 1
            panel, packed = self._panel, self._ways.packs(serial)
            try:
                with self._ways.measure(serial, packed=packed) as has_come:
                    picture, words = await self.capture(panel, has_come, packed=packed)
            except _Forbidden:
                return Screenshot(forbidden=True)
            except NotAPicture:
                self._panel = ""
                if packed and not panel:
                    self._ways.give_up_packing(serial)
                    attempts += 1
                continue
            several = panel or _SEVERAL_PANELS in words
            if not several or (panel and not await asyncio.to_thread(is_black, picture)):
                break
            self._panel = await find_lit_panel(self._shell)
            if self._panel in ("", panel):
                break
        return Screenshot(picture)

    async def capture(self, panel: str, has_come: Callable[[], None], *, packed: bool) -> tuple[bytes, bytes]:
        """A picture taken in one way, and the words that the phone printed before it.

        `has_come` is called when its last byte is here, before it is unpacked.

        Raises:
            NotAPicture: the phone printed something else.
        """
        named = f" -d {panel}" if panel else ""
        output = await self._shell.run(f"screencap{named} | gzip -1" if packed else f"screencap -p{named}")
        has_come()
        try:
            if packed:
                return await asyncio.to_thread(unpack_picture, output.stdout)
            return find_png(output.stdout), output.stdout[:2000]
        except NotAPicture as error:
            if refuses_screenshot(output.everything[:500]):
                raise _Forbidden from error
            raise

    async def capture_seconds(self, *, packed: bool) -> float | None:
        """How long the phone takes for a picture in one way; None if it gives none."""
        began, arrivals = time.monotonic(), list[float]()
        try:
            await self.capture(self._panel, lambda: arrivals.append(time.monotonic()), packed=packed)
        except (NotAPicture, _Forbidden):
            return None
        return arrivals[-1] - began

    async def tree(self) -> UiTree | None:
        """The UI tree of the active window.

        On a screen that never rests, uiautomator waits for ten seconds and then fails, also with
        `--compressed`. So a dump is given up after `DUMP_PATIENCE` seconds and not repeated.
        """
        try:
            async with asyncio.timeout(DUMP_PATIENCE):
                return await self._read_tree()
        except TimeoutError:
            return None

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


class HelperScreenSource:
    """Looks through the helper, and through plain adb once the helper is lost."""

    def __init__(self, helper: ResidentHelper, plain: ScreenSource) -> None:
        self._helper = helper
        self._plain = plain
        self._unreadable = RestlessPages()

    async def screenshot(self) -> Screenshot:
        """The screen as it is now, a JPEG picture from the helper and a PNG picture from plain adb."""
        if self._helper.is_beginning:
            return await self._plain.screenshot()
        with suppress(HelperLost):
            encoded = await self._helper.call("takeScreenshot", 1, HELPER_JPEG_QUALITY)
            try:
                picture = base64.b64decode(encoded or "", validate=True)
                picture_size(picture)
            except (binascii.Error, ValueError, TypeError, NotAPicture):
                pass
            else:
                return Screenshot(picture)
        return await self._plain.screenshot()

    async def tree(self) -> UiTree | None:
        """The UI tree of the active window, without waiting for the screen to rest."""
        with suppress(HelperLost):
            printed = await self._helper.call("dumpWindowHierarchy", False, _DEEPEST, True)
            try:
                tree = parse_tree(str(printed or "").encode())
            except UnreadableTree:
                tree = None
            if tree is not None and tree.elements:
                return tree
            await self._helper.distrust(EMPTY_TREE)
        return await self._plain.tree()

    async def distrust(self, *, is_old: bool) -> bool:
        """Look through plain adb from here on; whether the helper was in use."""
        if self._helper.lost:
            return await self._plain.distrust(is_old=is_old)
        await self._helper.distrust(OLD_TREE if is_old else WRONG_APP)
        return True

    async def second_opinion(self, page: Page) -> UiTree | None:
        """The tree by plain adb. The helper excludes that, so it is ended for it, and starts again later.

        Not where it lately gave none, as on pages that never rest: that takes seven seconds.
        """
        if self._helper.lost or self._unreadable.find(page, time.monotonic()) is not None:
            return None
        await self._helper.stop()
        tree = await self._plain.tree()
        has_tree = tree is not None
        self._unreadable.learn(page, time.monotonic(), has_tree=has_tree, settled=True, given_up=not has_tree)
        return tree


class HelperTouch(Touch):
    """A finger and the keys through the helper, and through plain adb once the helper is lost."""

    def __init__(self, helper: ResidentHelper, shell: Shell) -> None:
        super().__init__(shell)
        self._helper = helper
        self._clipboard: str | None = None

    async def tap(self, x: int, y: int) -> None:
        """A short touch at a pixel."""
        if not await self._did("click", x, y):
            await super().tap(x, y)

    async def long_press(self, x: int, y: int) -> None:
        """A touch that stays for half a second."""
        if not await self._did("click", x, y, LONG_PRESS_MILLISECONDS):
            await super().long_press(x, y)

    async def swipe(self, start: Pixel, end: Pixel) -> None:
        """Move a finger from one pixel to another."""
        if not await self._did("swipe", *start, *end, MOVE_MILLISECONDS // _SWIPE_STEP_MILLISECONDS):
            await super().swipe(start, end)

    async def key(self, code: int) -> None:
        """Press and release a key, by Android's key code."""
        if not await self._did("pressKeyCode", code):
            await super().key(code)

    async def paste(self, text: str) -> bool:
        """Insert a text of any script at the cursor, by the clipboard; see `Touch.paste`."""
        if not self._helper.running:
            return False
        with suppress(HelperLost):
            if self._clipboard is None:
                self._clipboard = str(await self._helper.call("getClipboard") or "")
            return await self._did("setClipboard", None, text) and await self._did("pasteClipboard")
        return False

    async def give_back_clipboard(self) -> None:
        """Put back what the user had copied before `paste`."""
        copied, self._clipboard = self._clipboard, None
        if copied is not None:
            await self._did("setClipboard", None, copied)

    @property
    def sets_text(self) -> bool:
        """Whether `set_text` may be possible."""
        return self._helper.running

    async def set_text(self, field: Element, text: str) -> bool:
        """Replace what stands in the focused field, by an action of accessibility; see `Touch.set_text`."""
        return await self._did("setText", focused_selector(field), text, says_whether=True)

    async def has_focus(self, field: Element) -> bool:
        """Whether a field has the focus in the active window, where alone children are looked for."""
        within = _selector({"packageName": field.package}, focused_selector(field))
        with suppress(ActionRefused):
            return await self._did("exist", within, says_whether=True)
        return False

    async def _did(self, method: str, *parameters: object, says_whether: bool = False) -> bool:
        """Whether the helper did it; false where it is lost and nothing was sent.

        Where it `says_whether` it did it, its answer counts.

        Raises:
            ActionRefused: the answer is missing, so it may have been done.
        """
        if not self._helper.running:
            return False
        try:
            answer = await self._helper.call(method, *parameters, performs=True)
        except HelperLost as lost:
            if lost.sent:
                raise ActionRefused(Refusal.NO_ANSWER.format(reason=str(lost))) from lost
            return False
        return bool(answer) or not says_whether


# Which conditions of a selector count is told by bits (openatx/uiautomator2, `_selector.py`): the server
# ignores one whose bit is missing.
_SELECTOR_BITS = {"text": 0x1, "className": 0x10, "description": 0x40, "focused": 0x2_0000}
_SELECTOR_BITS |= {"packageName": 0x8_0000, "resourceId": 0x20_0000}


def _selector(conditions: dict[str, object], child: dict[str, object] | None = None) -> dict[str, object]:
    """The selector of what meets the conditions that are not empty, or of a child somewhere in it."""
    kept = {name: value for name, value in conditions.items() if value}
    bits = sum(_SELECTOR_BITS[name] for name in kept)
    chain = {"childOrSibling": ["child"] if child else [], "childOrSiblingSelector": [child] if child else []}
    return {"mask": bits, **chain, **kept}


def focused_selector(field: Element) -> dict[str, object]:
    """The selector by which the helper's server finds a field again while that has the focus."""
    return _selector({"focused": True, **_conditions(field), "text": "", "description": ""})


def is_named_alike(element: Element, other: Element) -> bool:
    """Whether a find would take two elements for the same: all but their places tells nothing apart."""
    return element.text == other.text and _conditions(element) == _conditions(other)


def _conditions(element: Element) -> dict[str, object]:
    return {
        "text": element.text,
        "className": element.class_name,
        "description": element.description,
        "packageName": element.package,
        "resourceId": element.resource_id,
    }


class ElementFinds:
    """Finds of one element through the helper, while that runs.

    By its source the server looks for `objInfo` in all windows, so beneath a dialog too, and reads what it
    found anew from the app (`UiObject2`, whose node is refreshed past the cache). For `exist` of something
    within another it looks in the active window alone (`QueryController.getRootNode`). Both are asked.
    """

    def __init__(self, helper: ResidentHelper) -> None:
        self._helper = helper
        self.are_proven = self._are_old = False

    async def stands(self, element: Element, before: Sequence[Element], now: Sequence[Element]) -> bool:
        """Whether an element of a page is where that has it, by a find.

        It is believed only once finds were seen to miss what is gone with the page `before`. Where they find
        that, they see an old page, and none is believed any more.
        """
        texts = {other.text for other in now}
        lost = (other for other in before if other.package and other.text and other.text not in texts)
        gone = next(lost, None)
        if self._are_old or (gone is None and not self.are_proven):
            return False
        place, *old = await asyncio.gather(*map(self.find, filter(None, (element, gone))))
        self._are_old = any(old)
        self.are_proven = self.are_proven or place is not None
        return not self._are_old and place == element.bounds

    async def comes(self, awaited: Element) -> bool:
        """Whether an element is there within `_COMES_WITHIN`, at the same place twice."""
        with suppress(TimeoutError):
            return await asyncio.wait_for(self.poll(awaited), _COMES_WITHIN) == await self.find(awaited)
        return False

    async def poll(self, element: Element) -> Bounds:
        """Where an element is, as soon as it is there."""
        while True:
            if (place := await self.find(element)) is not None:
                return place
            await asyncio.sleep(_FIND_PAUSE)

    async def find(self, element: Element) -> Bounds | None:
        """Where an element of the active window is now; None where it is not there, disabled, or not told.

        Raises:
            PhoneError: the phone is lost.
        """
        if not self._helper.running:
            return None
        whole, call = _selector(_conditions(element)), self._helper.call
        within = _selector({"packageName": element.package}, whole)
        with suppress(TimeoutError, HelperLost):
            async with asyncio.timeout(_FIND_LIMIT):
                is_active, info = await asyncio.gather(call("exist", within), call("objInfo", whole))
                return _bounds_told(info, element) if is_active is True else None
        return None


def _bounds_told(info: object, element: Element) -> Bounds | None:
    """The visible bounds in the server's answer, if that is about an element like one that was asked for."""
    if not isinstance(info, dict) or info.get("enabled") is not True:
        return None
    reported_texts = [
        info.get(name) or "" for name in ("text", "className", "contentDescription", "packageName")
    ]
    if reported_texts != [element.text, element.class_name, element.description, element.package]:
        return None
    try:
        return Bounds(*(int(info["visibleBounds"][edge]) for edge in ("left", "top", "right", "bottom")))
    except (KeyError, TypeError, ValueError):
        return None
