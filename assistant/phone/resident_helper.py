"""The resident helper: uiautomator2's server, which looks and taps faster than plain adb.

`uiautomator dump` starts a Java machine and waits for a second of rest; the resident server does neither, so
a tree comes in a fifth of the time, and also from a screen that never rests. It costs trust: while it runs,
every program on the phone and in its network may use it, and it has the rights of adb. So it runs only where
the user has agreed, on a random port, and ends with the turn, or with the connection.

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
import random
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h11

from assistant.events import PhoneState
from assistant.i18n import later
from assistant.phone.adb import Connection, ConnectionEnded, NotAdb, ServiceRefused, Shell
from assistant.phone.errors import ActionRefused, PhoneError, Refusal, error_for_state
from assistant.phone.pictures import NotAPicture, picture_size
from assistant.phone.screen import Screenshot, ScreenSource
from assistant.phone.status import accessibility_in_use
from assistant.phone.touches import LONG_PRESS_MILLISECONDS, MOVE_MILLISECONDS, Pixel, Touch
from assistant.phone.ui_tree import Page, RestlessPages, UiTree, UnreadableTree, parse_tree
from assistant.settings.schema import PhoneSettings

JAR_ON_PHONE = "/data/local/tmp/u2.jar"
_SERVER_CLASS = "com.wetest.uia2.Main"
_PORTS, _PORTS_TRIED = (20_000, 60_000), 3
# Measured elsewhere: a server answers 0.8 to 3 s after its start, a tree takes 0.1 to 1 s (outliers 6 s).
_START_LIMIT = 6.0
_STOP_LIMIT = 2.0
_PING_LIMIT = 1.0
_PING_PAUSE = 0.05
_LOOK_LIMIT = 4.0
_INPUT_LIMIT = 6.0
_DEEPEST = 50
_QUALITY = 80
_SWIPE_STEP_MILLISECONDS = 5
_LONGEST_ANSWER = 32 << 20
_DEAD = ("UiAutomation not connected", "DeadObjectException", "DeadSystemRuntimeException")

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


class HelperLost(Exception):
    """The helper cannot be used; the message says why, in English. `sent`: the request may have arrived."""

    def __init__(self, reason: str, *, sent: bool = False) -> None:
        super().__init__(reason)
        self.sent = sent


def find_jar() -> Path | None:
    """The server's jar in the Python package uiautomator2; None where the package is not installed."""
    spec = find_spec("uiautomator2")
    if spec is None or not spec.submodule_search_locations:
        return None
    jar = Path(spec.submodule_search_locations[0]) / "assets" / "u2.jar"
    return jar if jar.is_file() else None


class ResidentHelper:
    """uiautomator2's server on one phone: started, asked and ended.

    `lost` is empty, or says why it is not used any more; `forget_loss` allows another start.
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
        self._starting = asyncio.Lock()

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._serving is not None and not self._serving.done()

    def forget_loss(self) -> None:
        """Let the next turn try again."""
        self.lost = ""

    async def start(self) -> None:
        """Start the server unless it runs: the jar is copied once, then it must answer.

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
            if not self._beside_services and await accessibility_in_use(self._reading_shell):
                raise await self._give_up(SCREEN_READER)
            await self._copy(jar)
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
        serving, self._serving = self._serving, None
        if serving is not None:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            await self._wait_gone()

    async def distrust(self, reason: str) -> None:
        """Use it no more until `forget_loss`, and end it."""
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
        except ServiceRefused:
            raise await self._give_up(NO_ANSWER) from None
        except (ConnectionEnded, NotAdb, TimeoutError, h11.RemoteProtocolError, ValueError) as error:
            raise await self._give_up(NO_ANSWER, sent=True) from error
        if not isinstance(answer, dict):
            raise await self._give_up(NO_ANSWER, sent=performs)
        problem = answer.get("error")
        if not isinstance(problem, dict):
            return answer.get("result")
        words = f"{problem.get('message', '')} {problem.get('data', '')}"
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
        request = b"".join(
            client.send(event) or b""
            for event in (
                h11.Request(method=verb, target=path, headers=headers),
                h11.Data(data=body),
                h11.EndOfMessage(),
            )
        )
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
            except (ConnectionEnded, NotAdb, TimeoutError, h11.RemoteProtocolError, ValueError):
                continue
        raise await self._give_up(PORTS_TAKEN)

    async def _wait_answer(self) -> None:
        while True:
            if self._serving is not None and self._serving.done():
                printed = self._serving.result()
                is_taken = "already registered" in printed
                raise await self._give_up(TAKEN if is_taken else CRASHED.format(reason=printed[:120] or "-"))
            with suppress(
                ServiceRefused, ConnectionEnded, NotAdb, TimeoutError, h11.RemoteProtocolError, ValueError
            ):
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


class HelperScreenSource:
    """Looks through the helper, and through plain adb once the helper is lost."""

    def __init__(self, helper: ResidentHelper, plain: ScreenSource) -> None:
        self._helper = helper
        self._plain = plain
        self._unreadable = RestlessPages()

    async def screenshot(self) -> Screenshot:
        """The screen as it is now, a JPEG picture from the helper and a PNG picture from plain adb."""
        with suppress(HelperLost):
            encoded = await self._helper.call("takeScreenshot", 1, _QUALITY)
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

    async def _did(self, method: str, *parameters: object) -> bool:
        """Whether the helper did it; false where it is lost and nothing was sent.

        Raises:
            ActionRefused: the answer is missing, so it may have been done.
        """
        if not self._helper.running:
            return False
        try:
            await self._helper.call(method, *parameters, performs=True)
        except HelperLost as lost:
            if lost.sent:
                raise ActionRefused(Refusal.NO_ANSWER.format(reason=str(lost))) from lost
            return False
        return True
