"""Other displays of one phone, made for a turn: each is looked at and touched beside the user's own screen.

`Displays` makes them with scrcpy's server, for as long as that runs, or with Android's simulated displays,
which lie over the user's screen. One UiAutomation connection and one keyboard serve all displays, so they are
locks. No real phone was tried: what Android does was read in AOSP and in the issues of scrcpy and Appium. So
a display is given up as soon as it shows anything else than the one app that was opened on it.

By the same server `stream_screen` shows the user's own screen as it changes.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import re
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assistant.events import PhoneState
from assistant.files import JsonFile
from assistant.i18n import _, later
from assistant.phone.adb import (
    AdbServer,
    Connection,
    ConnectionEnded,
    NotAdb,
    ServiceRefused,
    Shell,
    end_work,
)
from assistant.phone.apps import AppStart, same_label
from assistant.phone.device import Phone
from assistant.phone.errors import (
    ActionRefused,
    PhoneError,
    PhoneStatus,
    Refusal,
    error_for_state,
    refusal_words,
    refuses_screenshot,
)
from assistant.phone.keyboard import is_ascii
from assistant.phone.pictures import VIDEO_COMMAND, VIDEO_PACKAGE, NotAPicture, find_png, picture_size
from assistant.phone.screen import REST, Glimpse, OnPicture, Screenshot, ScreenSource, ignore_screenshot
from assistant.phone.screen_sources import AdbScreenSource
from assistant.phone.status import (
    DISPLAY_LISTS,
    DUMP_DISPLAYS,
    DUMP_TRIES,
    OWN_DISPLAY,
    DisplayLists,
    accessibility_in_use,
    find_display_tree,
    read_displays,
    read_top_display,
)
from assistant.phone.touches import KEY_MOVE_END, find_error_line
from assistant.phone.ui_tree import RestlessPages, UiTree, UnreadableTree, parse_tree
from assistant.records import Action, ClearText, Observation, OpenApp, PressHome, PressRecent, TypeText, Wait
from assistant.settings.schema import OtherDisplays, PhoneSettings

MAX_DISPLAYS = 2
"""Displays beside the phone's own screen: all share one UiAutomation connection, so a third gains little."""

_DUMP_PATIENCE = 7.0
_NO_PICTURE_PACE = 0.25
_FIRST_SDK, _FIRST_SDK_WITH_PICTURES, _FIRST_SDK_WITH_SECRETS_HIDDEN = 29, 34, 31
_SURFACE = re.compile(r"^Virtual Display (\d+)", re.MULTILINE)
_CLOSED = later("What was opened on the display is no longer there.")
_UNREAD = later("The phone does not list what is on the display.")
_LOCKED = later("The display is locked with the phone.")


@dataclass(frozen=True, slots=True)
class PhoneLocks:
    """What all displays of a phone share, for one operation each."""

    automation: asyncio.Lock = field(default_factory=asyncio.Lock)
    keyboard: asyncio.Lock = field(default_factory=asyncio.Lock)
    lists: DisplayLists = field(default_factory=DisplayLists)


class _WaitedFor(RestlessPages):
    """No page counts as restless: where displays share a connection, a tree may come late for another."""

    @property
    def patience(self) -> float:
        """As long as it takes."""
        return math.inf

    def learn(self, *_: object, **__: object) -> None:
        """Nothing is remembered."""


class DisplayScreenSource(ScreenSource):
    """Looks at one display of several, by plain adb.

    `uiautomator dump` without `--windows` reads the window in use, on whichever display that is. A picture
    of a virtual display is taken under a number that only SurfaceFlinger tells (Appium
    uiautomator2-server#746), and counts if it alone has the size of the display.
    """

    def __init__(self, shell: Shell, display: str, size: tuple[int, int], locks: PhoneLocks) -> None:
        self._shell = shell
        self._display = display
        self._size = size
        self._locks = locks
        self._own = AdbScreenSource(shell)
        self._surface: str | None = None

    async def screenshot(self) -> Screenshot:
        """The display as it is now; empty where the phone gives no picture of it."""
        if self._display == OWN_DISPLAY:
            return await self._own.screenshot()
        if self._surface is None:
            self._surface = await self._find_surface()
        if not self._surface:
            await asyncio.sleep(_NO_PICTURE_PACE)
            return Screenshot()
        return await self._picture(self._surface)

    async def tree(self) -> UiTree | None:
        """The UI tree of the window in front on the display; None where it is not listed."""
        async with self._locks.automation:
            for _try in range(DUMP_TRIES):
                began = time.monotonic()
                try:
                    async with asyncio.timeout(_DUMP_PATIENCE):
                        output = await self._shell.run(DUMP_DISPLAYS)
                except TimeoutError:
                    return None
                xml = find_display_tree(output.stdout, self._display)
                if xml is not None:
                    with suppress(UnreadableTree):
                        return replace(parse_tree(xml), rested=time.monotonic() - began >= REST)
        return None

    async def _picture(self, surface: str) -> Screenshot:
        output = await self._shell.run(f"screencap -p -d {surface}")
        try:
            png = find_png(output.stdout)
        except NotAPicture:
            return Screenshot(forbidden=refuses_screenshot(output.everything[:500]))
        return Screenshot(png) if picture_size(png) == self._size else Screenshot()

    async def _find_surface(self) -> str:
        """The number of the only virtual display whose picture has this one's size; empty for none."""
        level = (await self._shell.run("getprop ro.build.version.sdk")).text.strip()
        if not level.isdecimal() or int(level) < _FIRST_SDK_WITH_PICTURES:
            return ""
        printed = (await self._shell.run("dumpsys SurfaceFlinger --displays")).text
        surfaces = [surface for surface in _SURFACE.findall(printed) if (await self._picture(surface)).png]
        return surfaces[0] if len(surfaces) == 1 else ""


class DisplayPhone(Phone):
    """One display of a phone that has several: the user's own, number 0, or one that was made.

    On one that was made, one app is opened, and nothing else is accepted: the display is checked before each
    action, and given up for good in doubt; `lost` then says why. Home, the list of recent apps and letters
    that only a keyboard types are refused there.

    Args:
        adb: the server that knows the phone.
        serial: the phone.
        settings: deadlines.
        notes: see `Phone`.
        display: the number of the display.
        size: its size in pixels.
        locks: what all displays of the phone share.
    """

    def __init__(
        self,
        adb: AdbServer,
        serial: str,
        settings: PhoneSettings,
        notes: Path | None,
        display: str,
        size: tuple[int, int],
        locks: PhoneLocks,
    ) -> None:
        shell = Shell(adb, serial, settings.command_deadline)
        source = DisplayScreenSource(shell, display, size, locks)
        super().__init__(adb, serial, settings, notes, source, display=display, restless=_WaitedFor())
        self.display = display
        self.lost = ""
        self._locks = locks
        self._app = self._package = ""
        self._keyboard.may_be_replaced = self.is_own

    @property
    def is_own(self) -> bool:
        """Whether it is the screen that the user looks at."""
        return self.display == OWN_DISPLAY

    def assign(self, app: str) -> None:
        """Say which app is opened there at the next look; nothing else is."""
        self._app, self._package = app, ""

    async def status(self) -> PhoneStatus:
        """The display's state; one that is gone or given up is absent. Never raises."""
        if self.is_own:
            return await super().status()
        try:
            self._require()
            await self._readiness.facts()
        except PhoneError as error:
            return PhoneStatus(error.state, error.sentence, self.serial)
        return PhoneStatus(PhoneState.READY, "", self.serial)

    async def wait_ready(self, limit: float) -> PhoneStatus:
        """The state at once, since a display that is gone does not come back."""
        return await (super().wait_ready(limit) if self.is_own else self.status())

    async def observe(
        self,
        glimpse: Glimpse = ignore_screenshot,
        on_picture: OnPicture | None = None,
        *,
        needs_tree: bool = False,
        by_picture: bool = False,
    ) -> Observation:
        """What is on the display, once it has settled. Raises `PhoneError` also where that is given up."""
        if self.is_own:
            return await super().observe(glimpse, on_picture, needs_tree=needs_tree, by_picture=by_picture)
        self._require()
        try:
            if not self._package:
                await self._open_app()
            # Without a list of elements nothing is done here, so nothing is decided by the picture alone.
            seen = await super().observe(glimpse, needs_tree=True)
        except PhoneError as error:
            raise self._lose(error.sentence) from error
        except ActionRefused as error:
            raise self._lose(refusal_words(str(error))) from error
        if seen.app.package != self._package:
            raise self._lose(_(_CLOSED))
        if not seen.elements:
            self._locks.lists.drop()
            raise self._lose(_(_UNREAD))
        return seen

    async def perform(self, action: Action, seen: Observation) -> None:
        """Perform one action on this display and no other; see `Phone.perform`."""
        if self.is_own:
            if isinstance(action, TypeText) and not is_ascii(action.text):
                async with self._locks.keyboard:
                    await self._take_keyboard(seen)
                    await super().perform(action, seen)
            else:
                await super().perform(action, seen)
            return
        self._require()
        if refusal := self._find_refusal(action, seen):
            raise ActionRefused(refusal)
        if isinstance(action, Wait):
            await super().perform(action, seen)
            return
        # A touch may take the focus of all displays, on which the keyboard types meanwhile.
        async with self._locks.keyboard:
            await self._check(seen)
            await super().perform(action, seen)

    async def _take_keyboard(self, seen: Observation) -> None:
        """Touch the field on the own screen where another display was touched last: the keyboard follows.

        No display is touched meanwhile, since that needs the keyboard's lock. Where a keyboard is up, it may
        lie over the field, so nothing is touched.

        Raises:
            ActionRefused: the screen changed while the keyboard was in use elsewhere.
        """
        field = seen.focused_field()
        if field is None or await read_top_display(self._acting_shell) == OWN_DISPLAY:
            return
        if not (await self._readiness.facts()).keyboard_shown:
            if not await self.stands_still(seen):
                raise ActionRefused(Refusal.SCREEN_CHANGED)
            await self._touch.tap(*field.bounds.centre)
            await self._touch.key(KEY_MOVE_END)

    async def _check(self, seen: Observation) -> None:
        """Make sure that what was seen is still in front on this display.

        Raises:
            PhoneError: it is not, or the display cannot be used.
        """
        try:
            facts = await self._readiness.facts()
        except PhoneError as error:
            raise self._lose(error.sentence) from error
        if facts.locked or facts.awake is False:
            raise self._lose(_(_LOCKED))
        if facts.app.package != self._package or seen.app.package != self._package:
            raise self._lose(_(_CLOSED))

    def _find_refusal(self, action: Action, seen: Observation) -> str:
        """Why an action is not done on a display that was made; empty if it may be."""
        match action:
            case PressHome() | PressRecent():
                return Refusal.NOT_ON_DISPLAY
            case OpenApp(name=name, at=at):
                is_own = not at and same_label(name, [self._app]) is not None
                return "" if is_own else Refusal.NOT_ON_DISPLAY
            case TypeText(text=text) if not is_ascii(text):
                return Refusal.OTHER_DISPLAY
            case TypeText() | ClearText() if seen.focused_field() is None:
                return Refusal.NO_FIELD
        return ""

    async def _open_app(self) -> None:
        await self._find()
        async with self._locks.keyboard:
            await self._apps.open(self._app, AppStart(anew=True))
        self._package = (await self._readiness.facts()).app.package

    def _require(self) -> None:
        if self.lost:
            raise error_for_state(PhoneState.ABSENT, self.lost)

    def _lose(self, reason: str) -> PhoneError:
        self.lost = self.lost or reason
        return error_for_state(PhoneState.ABSENT, self.lost)


SCRCPY_ON_PHONE = "/data/local/tmp/assistant-scrcpy-server.jar"
STREAM_ON_PHONE = "/data/local/tmp/assistant-scrcpy-stream.jar"
"""A file of its own: one that a running server was started from is not written over."""
_SCRCPY_CLASS = "com.genymobile.scrcpy.Server"
_SCRCPY_FILES = (
    *("/usr/share/scrcpy/scrcpy-server", "/usr/local/share/scrcpy/scrcpy-server"),
    *("/opt/homebrew/share/scrcpy/scrcpy-server", "/snap/scrcpy/current/usr/share/scrcpy/scrcpy-server"),
)
_SCRCPY_VERSION = re.compile(r"server version \(([\w.\-]+)\) does not match")
_NEW_DISPLAY = re.compile(r"New display: \S+ \(id=(\d+)\)")
_SIZE_STEP = 16
"""Pixels by which displays differ in height, so that a picture's size tells whose it is."""
_OPEN_LIMIT, _POLL = 8.0, 0.1
_VIDEO_LIMIT = 86_400.0
_OVERLAYS = "overlay_display_devices"
_NOTE, _VERSIONS = "displays.json", "scrcpy.json"

NO_SUCH_ANDROID = later("Android {level} has no other displays for apps")
NOT_LISTED = later("this Android does not list the elements of other displays")
HELPER_IN_USE = later("the resident helper holds the one connection that screens are read through")
READER_IN_USE = later("a screen reader or another accessibility service is on")
NO_SCRCPY = later("the file scrcpy-server was not found; set phone.scrcpy_server")
OVERLAYS_IN_USE = later("simulated displays are already switched on in Developer options")
STREAM_OFF = later("the setting phone.stream is off, nothing else is missing")
NO_DECODER = later("the Python package av is missing: pip install 'assistant[stream]'")
SHOWS_SECRETS = later("before Android 12 it would show pages that forbid screenshots")
SENDS_NOTHING = later("the phone sends none ({reason})")
NOT_MADE = later("the phone makes none: {reason}")


def find_scrcpy_server(settings: PhoneSettings) -> Path | None:
    """The server's file: the one that is set, else where scrcpy is installed; None where there is none."""
    named = settings.scrcpy_server or os.environ.get("SCRCPY_SERVER_PATH", "")
    files = [Path(named).expanduser()] if named else [Path(file) for file in _SCRCPY_FILES]
    return next((file for file in files if file.is_file()), None)


async def find_display_problem(
    shell: Shell, settings: PhoneSettings, lists: DisplayLists | None = None
) -> str:
    """Why no other displays of a phone are used, for the user; empty if they can be. Changes nothing there.

    Without the `lists` that remember which phones list what is on displays, the phone is asked.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    if settings.resident_helper:
        return _(HELPER_IN_USE)
    if settings.displays is OtherDisplays.SCRCPY and find_scrcpy_server(settings) is None:
        return _(NO_SCRCPY)
    lists = lists or DisplayLists()
    level, in_use, _read = await asyncio.gather(
        shell.run("getprop ro.build.version.sdk"), accessibility_in_use(shell), lists.read_phone(shell)
    )
    if (sdk := level.text.strip()).isdecimal() and int(sdk) < _FIRST_SDK:
        release = (await shell.run("getprop ro.build.version.release")).text.strip()
        return _(NO_SUCH_ANDROID).format(level=release)
    if in_use:
        return _(READER_IN_USE)
    return "" if await lists.has_displays(shell) else _(NOT_LISTED)


class Displays:
    """Makes displays of one phone for a turn, and ends them.

    Args:
        adb: the server that knows the phone.
        serial: the phone.
        settings: what makes displays, and deadlines.
        notes: the folder that remembers simulated displays, which would outlast this program, which phones
            list what is on displays, and the version of scrcpy's server, which a file keeps.

    `problem` says for the user why there are none; empty if there are.
    """

    def __init__(self, adb: AdbServer, serial: str, settings: PhoneSettings, notes: Path | None) -> None:
        self.problem = ""
        self._adb = adb
        self._serial = serial
        self._settings = settings
        self._notes = notes
        self._versions = JsonFile(notes and notes / _VERSIONS)
        self._lists = DisplayLists(notes and notes / DISPLAY_LISTS)
        self._shell = Shell(adb, serial, settings.command_deadline)
        self._running: list[asyncio.Task[Any]] = []

    async def open(self, count: int = MAX_DISPLAYS) -> list[DisplayPhone]:
        """The phone's own screen, and behind it up to `count` displays; empty where there are none."""
        try:
            # Both take the phone more than a second, and neither needs the other.
            version = asyncio.ensure_future(self._copy_server())
            self._running.append(version)
            self.problem = await find_display_problem(self._shell, self._settings, self._lists)
            if self.problem:
                return []
            before, printed = await asyncio.gather(read_displays(self._shell), self._shell.run("wm density"))
            own = before[OWN_DISPLAY].size
            sizes = [(own[0], own[1] - _SIZE_STEP * place) for place in range(1, count + 1)]
            density = re.findall(r"density: (\d+)", printed.text)[-1]
            if self._settings.displays is OtherDisplays.OVERLAY:
                made = await self._make_overlays(sizes, density)
            else:
                starting = [self._start_one(await version, size, density) for size in sizes]
                made = await asyncio.gather(*starting)
            shown = await read_displays(self._shell)
        except (PhoneError, ActionRefused, LookupError, OSError, TimeoutError) as error:
            self.problem = _(NOT_MADE).format(reason=str(error) or type(error).__name__)
            await self.close()
            return []
        locks = PhoneLocks(lists=self._lists)
        new = sorted((number for number in made if number in shown and number not in before), key=int)
        if not new:
            self.problem = self.problem or _(NOT_MADE).format(reason="-")
            await self.close()
            return []
        shared = self._adb, self._serial, self._settings, self._notes
        return [DisplayPhone(*shared, number, shown[number].size, locks) for number in (OWN_DISPLAY, *new)]

    async def close(self) -> None:
        """End the displays; what was open there ends, or comes to the own screen. Again is harmless."""
        running, self._running = self._running, []
        await end_work(*running)
        with suppress(PhoneError, ActionRefused, OSError):
            await end_left_displays(self._shell, self._notes)

    async def _make_overlays(self, sizes: Sequence[tuple[int, int]], density: str) -> list[str]:
        """Make Android's simulated displays; returns their numbers."""
        await end_left_displays(self._shell, self._notes)
        value = (await self._shell.run(f"settings get global {_OVERLAYS}")).text.strip()
        if value not in ("", "null", "none"):
            self.problem = _(OVERLAYS_IN_USE)
            return []
        before = await read_displays(self._shell)
        overlays = ";".join(f"{width}x{height}/{density}" for width, height in sizes)
        _note_in(self._notes).change(lambda kept: kept | {self._serial: overlays})
        await self._shell.perform(f"settings put global {_OVERLAYS} '{overlays}'")
        async with asyncio.timeout(_OPEN_LIMIT):
            while True:
                shown = (await read_displays(self._shell)).values()
                new = [info.number for info in shown if info.number not in before and info.size in sizes]
                if len(new) >= len(sizes):
                    return new
                await asyncio.sleep(_POLL)

    async def _copy_server(self) -> str:
        """Copy scrcpy's server to the phone, where it is to be used; returns its version."""
        server = find_scrcpy_server(self._settings)
        if server is None or self._settings.displays is OtherDisplays.OVERLAY:
            return ""
        await self._shell.push(server, SCRCPY_ON_PHONE)
        content = sha256(await asyncio.to_thread(server.read_bytes)).hexdigest()
        if isinstance(noted := self._versions.load().get(content), str):
            return noted
        version = await _read_version(self._shell, SCRCPY_ON_PHONE)
        with suppress(OSError):  # Else it is asked once more.
            self._versions.change(lambda kept: kept | {content: version})
        return version

    async def _start_one(self, version: str, size: tuple[int, int], density: str) -> str:
        """Start the server, and receive its video: both last until `close`. Returns the display's number."""
        name = f"{random.SystemRandom().randrange(1 << 31):08x}"
        command = (
            f"CLASSPATH={SCRCPY_ON_PHONE} app_process / {_SCRCPY_CLASS} {version} scid={name} log_level=info "
            "audio=false control=false tunnel_forward=true cleanup=false max_fps=1 video_bit_rate=100000 "
            f"new_display={size[0]}x{size[1]}/{density} vd_system_decorations=false display_ime_policy=local "
            "2>&1"
        )
        number: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._running.append(asyncio.create_task(self._serve(command, number)))
        shell = Shell(self._adb, self._serial, self._settings.command_deadline)
        # Without a reader of its video the server makes no display.
        self._running.append(asyncio.create_task(_take_video(shell, name, _drain)))
        async with asyncio.timeout(_OPEN_LIMIT):
            return await number

    async def _serve(self, command: str, number: asyncio.Future[str]) -> None:
        """Keep the server's process, which ends with the stream."""
        shell = Shell(self._adb, self._serial, self._settings.command_deadline)
        last = ""
        try:
            async with aclosing(shell.stream(command)) as lines:
                async for line in lines:
                    last = line.strip() or last
                    if (match := _NEW_DISPLAY.search(line)) is not None and not number.done():
                        number.set_result(match[1])
        except PhoneError as error:
            last = error.sentence
        if not number.done():
            number.set_exception(ActionRefused(last[:200]))


async def _read_version(shell: Shell, jar: str) -> str:
    """The version of scrcpy's server, which it tells to whoever names another one."""
    output = await shell.run(f"CLASSPATH={jar} app_process / {_SCRCPY_CLASS} 0")
    match = _SCRCPY_VERSION.search(output.everything)
    if match is None:
        raise ActionRefused(find_error_line(output.everything) or "scrcpy")
    return match[1]


async def _take_video(
    shell: Shell, name: str, receive: Callable[[Connection], Coroutine[Any, Any, None]]
) -> None:
    """Receive the video of the server with this name, once it listens; returns where there is no more."""
    while True:
        try:
            await shell.exchange(f"localabstract:scrcpy_{name}", b"", receive, _VIDEO_LIMIT)
        except ServiceRefused:
            await asyncio.sleep(_POLL)
        except (ConnectionEnded, NotAdb, PhoneError, TimeoutError):
            return
        else:
            return


async def _drain(connection: Connection) -> None:
    while await connection.read_some():
        pass


class StreamEnded(Exception):
    """There are no pictures of the screen as it changes, or no more; the message says why, for the user."""


async def find_stream_problem(shell: Shell, settings: PhoneSettings) -> str:
    """Why a phone's screen is not shown as it changes, for the user; empty if it can be. Changes nothing.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    if find_spec(VIDEO_PACKAGE) is None:
        return _(NO_DECODER)
    if find_scrcpy_server(settings) is None:
        return _(NO_SCRCPY)
    level = (await shell.run("getprop ro.build.version.sdk")).text.strip()
    if not level.isdecimal() or int(level) < _FIRST_SDK_WITH_SECRETS_HIDDEN:
        return _(SHOWS_SECRETS)
    return "" if settings.stream else _(STREAM_OFF)


async def say_stream(settings: PhoneSettings, serial: str) -> str:
    """Whether the panel can show a phone's screen as it changes, in a line for a person."""
    shell = Shell(AdbServer(settings.adb_host, settings.adb_port), serial, settings.command_deadline)
    try:
        problem = await find_stream_problem(shell, settings)
    except PhoneError as error:
        problem = error.sentence
    if problem:
        return _("screen as it changes: not shown, {reason}").format(reason=problem)
    return _("screen as it changes: in the panel's picture during a turn (not yet tried on a real phone)")


async def _push_stream_server(shell: Shell, settings: PhoneSettings) -> str:
    """Put scrcpy's server on the phone; returns its version.

    Raises:
        StreamEnded: the phone or this machine cannot stream.
    """
    try:
        problem, server = await find_stream_problem(shell, settings), find_scrcpy_server(settings)
        if problem or server is None:
            raise StreamEnded(problem)
        await shell.push(server, STREAM_ON_PHONE)
        return await _read_version(shell, STREAM_ON_PHONE)
    except (PhoneError, ActionRefused, OSError) as error:
        raise StreamEnded(str(error)) from error


async def _start_decoder() -> asyncio.subprocess.Process:
    """The process that decodes a stream on its standard input. Raises `StreamEnded` if it cannot be run."""
    try:
        return await asyncio.create_subprocess_exec(*VIDEO_COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    except OSError as error:
        raise StreamEnded(str(error)) from error


async def stream_screen(serial: str, settings: PhoneSettings) -> AsyncGenerator[bytes]:
    """Pictures of a phone's own screen as it changes, as JPEG: the newest one only, a few in a second.

    Scrcpy's server runs on the phone until the generator is closed; its raw stream of H.264 is decoded in a
    process of its own, which may crash without harm.

    Raises:
        StreamEnded: there are none, or no more.
    """
    shell = Shell(AdbServer(settings.adb_host, settings.adb_port), serial, settings.command_deadline)
    version = await _push_stream_server(shell, settings)
    decoder = await _start_decoder()
    name = f"{random.SystemRandom().randrange(1 << 31):08x}"
    # Documented in scrcpy 2.0 to 4.0, doc/develop.md, “Standalone server”.
    command = (
        f"CLASSPATH={STREAM_ON_PHONE} app_process / {_SCRCPY_CLASS} {version} scid={name} log_level=warn "
        "tunnel_forward=true audio=false control=false cleanup=false raw_stream=true "
        "max_size=800 max_fps=5 video_bit_rate=1000000 2>&1"
    )
    last_words = ""

    async def serve() -> None:
        nonlocal last_words
        try:
            async with aclosing(shell.stream(command)) as lines:
                async for line in lines:
                    last_words = line.strip() or last_words
        except PhoneError as error:
            last_words = error.sentence

    async def decode(connection: Connection) -> None:
        while decoder.stdin is not None and (part := await connection.read_some()):
            decoder.stdin.write(part)
            await decoder.stdin.drain()

    serving, taking = asyncio.create_task(serve()), asyncio.create_task(_take_video(shell, name, decode))
    reading: asyncio.Task[bytes] | None = None
    limit: float | None = _OPEN_LIMIT
    try:
        while True:
            reading = asyncio.create_task(_read_frame(decoder.stdout))
            work = (reading, serving, taking)
            done, _rest = await asyncio.wait(work, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if reading not in done or reading.exception() is not None:
                raise StreamEnded(_(SENDS_NOTHING).format(reason=last_words[:120] or "-"))
            limit = None
            yield reading.result()
    finally:
        await end_work(reading, serving, taking)
        with suppress(ProcessLookupError):
            decoder.kill()
        await decoder.wait()


async def _read_frame(source: asyncio.StreamReader | None) -> bytes:
    if source is None:
        raise EOFError
    return await source.readexactly(int.from_bytes(await source.readexactly(4)))


def _note_in(notes: Path | None) -> JsonFile:
    return JsonFile(notes and notes / _NOTE)


async def end_left_displays(shell: Shell, notes: Path | None) -> None:
    """End simulated displays that this program, or a killed one before it, has switched on.

    Raises:
        PhoneError: the phone cannot be reached.
        OSError: it cannot be noted that they are off.
    """
    ours = _note_in(notes).load().get(shell.serial)
    if ours is None:
        return
    if (await shell.run(f"settings get global {_OVERLAYS}")).text.strip() == ours:
        await shell.perform(f"settings delete global {_OVERLAYS}")
    _note_in(notes).change(
        lambda kept: {serial: value for serial, value in kept.items() if serial != shell.serial}
    )
