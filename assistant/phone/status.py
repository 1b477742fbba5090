"""Whether the phone can be used now, waiting until it can, the facts about its front window, its speed.

`WindowFacts` holds what is in neither the screenshot nor the UI tree: the app in front, keyboard, lock,
rotation. Commands side by side read them. `Readiness` derives the phone's state from them. Sources of the
printed lines: AOSP dumpsys; for the differences between versions see appium-adb's app-commands.ts and
lockmgmt.ts, and python-androidtv's constants. `CaptureWays` keeps what was measured.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from assistant.events import PhoneState
from assistant.files import JsonFile
from assistant.i18n import _, later
from assistant.phone.adb import AdbDevice, AdbServer, Shell
from assistant.phone.errors import (
    ActionRefused,
    PhoneError,
    PhoneStatus,
    absent_error,
    error_for_state,
    listed_failure,
    state_sentence,
)
from assistant.phone.touches import KEY_NOTHING, KEY_WAKE_UP, Touch
from assistant.records import Bounds, ForegroundApp

OWN_DISPLAY = "0"
"""The display that the user looks at."""

_FIRST_SDK_WITH_DISPLAYS = 29
_KEEP = "Display: mDisplayId|mCurrentFocus|mFocusedApp|mCurrentRotation|[ ]cur=|[*] Task[{]|^ +bounds="
_POLICY = "mShowingLockscreen|mDreamingLockscreen|mIsShowing|mInputRestricted|isKeyguardShowing"
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+(?: u\d+)? ([^}]*)\}?")
_FOCUS_USER = re.compile(r"mCurrentFocus=Window\{\S+ u(\d+) \S+/")
_COMPONENT = re.compile(r"(?:^|[ {])([A-Za-z][\w.]*)/([\w.$]+)")
_DISPLAY = re.compile(r"Display: mDisplayId=(\d+)")
_TASK = re.compile(r"\* Task\{(?=.*\bvisible=true\b).*\bmode=(?:multi-window|split-screen|freeform|pinned)")
_TASK_BOUNDS = re.compile(r"\s+bounds=\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]")
_NOT_RESPONDING = re.compile(r"Application (?:Not Responding|Error): (\S+)")
_SYSTEM_WINDOWS = {
    "StatusBar": "System bar",
    "NotificationShade": "Notification shade",
    "Keyguard": "Lock screen",
    "KeyguardScrim": "Lock screen",
    "RecentsPanel": "Recent apps",
    "VolumeDialogImpl": "Volume",
}
_SYSTEM_UI = "com.android.systemui"


@dataclass(frozen=True, slots=True)
class WindowFacts:
    """The window in front, and whether it can be used. None: the phone did not tell.

    `user` is the Android user whose app is in front: another one in a work profile or a twin app. `windows`
    are where windows lie that share the screen: in split screen, floating, or as a picture in picture.
    """

    app: ForegroundApp = field(default_factory=ForegroundApp)
    user: int = 0
    keyboard_shown: bool = False
    awake: bool | None = None
    locked: bool = False
    rotation: int | None = None
    size: tuple[int, int] | None = None
    windows: tuple[Bounds, ...] | None = None


def facts_commands(sdk: int) -> tuple[str, ...]:
    """The shell commands that print the facts on a phone with this API level; 0 if it is unknown.

    Each asks one service, which takes 0.05 to 0.4 s on a phone: they are run side by side.
    """
    what = "windows" if 0 < sdk < _FIRST_SDK_WITH_DISPLAYS else "displays"
    return (
        f"dumpsys window {what} | grep -E '{_KEEP}'",
        f"echo '== policy'; dumpsys window policy | grep -E '{_POLICY}'",
        "echo '== power'; dumpsys power | grep mWakefulness=",
        "echo '== keyboard'; dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'",
    )


def parse_facts(printed: str) -> WindowFacts:
    """Read what the facts commands printed, in their order."""
    windows, _, rest = printed.partition("== policy")
    policy, _, rest = rest.partition("== power")
    power, _, keyboard = rest.partition("== keyboard")
    display = _first_display(windows)
    wakefulness = re.search(r"mWakefulness=(\w+)", power)
    rotation = re.search(r"mCurrentRotation=(?:ROTATION_)?(\d+)", display)
    size = re.search(r" cur=(\d+)x(\d+)", display)
    user = _FOCUS_USER.search(display)
    return WindowFacts(
        app=parse_foreground(display),
        user=int(user[1]) if user else 0,
        keyboard_shown=keyboard_shown(keyboard),
        awake=wakefulness[1] == "Awake" if wakefulness else None,
        locked=is_locked(policy),
        rotation=_quarter_turns(int(rotation[1])) if rotation else None,
        size=(int(size[1]), int(size[2])) if size else None,
        windows=parse_windows(display),
    )


def parse_windows(lines: str) -> tuple[Bounds, ...] | None:
    """Where the visible tasks lie that do not fill the screen, by `dumpsys window displays` of Android 11 on.

    None where it lists no tasks. A task's line is followed by that of its bounds; tasks may hold others.
    """
    if "* Task{" not in lines:
        return None
    windows: dict[Bounds, None] = {}
    is_shared = False
    for line in lines.splitlines():
        if "* Task{" in line:
            is_shared = _TASK.search(line) is not None
        elif is_shared and (match := _TASK_BOUNDS.match(line)):
            windows[Bounds(*map(int, match.groups()))] = None
            is_shared = False
    return tuple(windows)


def parse_foreground(windows: str) -> ForegroundApp:
    """The focused window from lines of `dumpsys window`; empty when nothing has focus.

    A popup of an app carries its own title; then the app that has focus owns it.
    """
    focus = ""
    for match in _FOCUS.finditer(windows):
        focus = match[1].strip()
        break
    if trouble := _NOT_RESPONDING.search(focus):
        return ForegroundApp(package=trouble[1], label=f"{trouble[1]} does not respond")
    if focus in _SYSTEM_WINDOWS:
        return ForegroundApp(package=_SYSTEM_UI, label=_SYSTEM_WINDOWS[focus])
    if component := _COMPONENT.search(focus):
        return _app(component)
    for line in windows.splitlines():
        if "mFocusedApp=" in line and (component := _COMPONENT.search(line)):
            return _app(component)
    return ForegroundApp(package=_SYSTEM_UI, label=focus) if focus else ForegroundApp()


def is_locked(policy: str) -> bool:
    """Whether a keyguard is up, from lines of `dumpsys window policy` of any version."""
    if re.search(r"m(?:Showing|Dreaming)Lockscreen=true", policy):
        return True
    if "mIsShowing=" in policy:
        return "mIsShowing=true" in policy and "mInputRestricted=false" not in policy
    return "isKeyguardShowing=true" in policy


def keyboard_shown(lines: str) -> bool:
    """Whether the input method's window is up, from lines of `dumpsys input_method`.

    Where the view's own state is printed it must agree: `mInputShown` may stay for a hidden keyboard.
    """
    if "mInputShown=true" not in lines:
        return False
    return "mIsInputViewShown=false" not in lines


def _app(component: re.Match[str]) -> ForegroundApp:
    package, activity = component[1], component[2]
    if activity.startswith("."):
        activity = package + activity
    return ForegroundApp(package=package, activity=activity)


def _first_display(windows: str) -> str:
    """The lines of display 0: virtual displays are printed first."""
    lines = _display_lines(windows, OWN_DISPLAY)
    return windows if lines is None else lines + _DISPLAY.split(windows)[0]


def _display_lines(windows: str, display: str) -> str | None:
    """The lines of one display; None where it is not printed."""
    pieces = _DISPLAY.split(windows)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True)).get(display)


@dataclass(frozen=True, slots=True)
class DisplayInfo:
    """A display as `cmd display get-displays` prints it: its number, size in pixels, and whether it is on.

    `always_unlocked`: the lock of the phone does not cover it.
    """

    number: str
    size: tuple[int, int]
    is_on: bool
    always_unlocked: bool


_SHOWN_DISPLAYS = "cmd display get-displays"
_SHOWN_DISPLAY = re.compile(r"^Display id (\d+): (.*)$", re.MULTILINE)
_REAL_SIZE = re.compile(r"\breal (\d+) x (\d+)\b")


def parse_displays(printed: str) -> dict[str, DisplayInfo]:
    """The displays that `cmd display get-displays` prints, by number (Android 11 and later)."""
    displays = {}
    for number, words in _SHOWN_DISPLAY.findall(printed):
        if (size := _REAL_SIZE.search(words)) is not None:
            displays[number] = DisplayInfo(
                number,
                (int(size[1]), int(size[2])),
                is_on=re.search(r"\bstate ON\b", words) is not None,
                always_unlocked="FLAG_ALWAYS_UNLOCKED" in words,
            )
    return displays


async def read_displays(shell: Shell) -> dict[str, DisplayInfo]:
    """The phone's displays by number; empty where it does not tell them.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    return parse_displays((await shell.run(_SHOWN_DISPLAYS)).text)


async def read_front(shell: Shell, display: str) -> ForegroundApp:
    """The window in front on one display; empty where nothing is.

    Raises:
        PhoneError: the phone cannot be reached.
        ActionRefused: the shell is stopped.
    """
    printed = (await shell.run(f"dumpsys window displays | grep -E '{_KEEP}'")).text
    return parse_foreground(_display_lines(printed, display) or "")


_TOP_DISPLAY = re.compile(r"mTopFocusedDisplayId=(\d+)")


async def read_top_display(shell: Shell) -> str:
    """The number of the display that has the focus of all, on which the keyboard types; empty if not told.

    Raises:
        PhoneError: the phone cannot be reached.
        ActionRefused: the shell is stopped.
    """
    printed = (await shell.run("dumpsys window windows | grep mTopFocusedDisplayId")).text
    displays = set(_TOP_DISPLAY.findall(printed))
    return displays.pop() if len(displays) == 1 else ""


DISPLAY_LISTS = "display_lists.json"
DUMP_DISPLAYS, DUMP_TRIES = "uiautomator dump --windows /dev/tty", 3
_DISPLAY_PART = re.compile(r"<display id=\"(\d+)\">(.*?)</display>", re.DOTALL)
_WINDOW_PART = re.compile(
    r"(?P<window><window\b[^<>]*>)|(?P<tree><hierarchy\b(?:[^<>]*/>|.*?</hierarchy>))", re.DOTALL
)


def find_display_tree(printed: bytes, display: str) -> bytes | None:
    """The hierarchy of the window in front on one display, in what `uiautomator dump --windows` printed.

    None where the display has no window, or none with a hierarchy. In front is the window with the focus,
    else the highest of an app; windows are listed from the highest down.
    """
    text = printed.decode("utf-8", "replace")
    part = next((words for number, words in _DISPLAY_PART.findall(text) if number == display), "")
    window, trees = "", []
    for match in _WINDOW_PART.finditer(part):
        window = match["window"] or window
        if match["tree"]:
            trees.append((window, match["tree"]))
    focused = [tree for window, tree in trees if ' focused="true"' in window]
    of_apps = [tree for window, tree in trees if 'type="TYPE_APPLICATION"' in window]
    return next((tree.encode() for tree in (*focused, *of_apps)), None)


class DisplayLists:
    """Which phones were seen to list the elements of other displays: a property of their system's build.

    A phone is known by its own number. It is asked again once its system was updated, and where it does not
    tell both.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._note = JsonFile(path)
        self._phone = self._build = ""

    async def read_phone(self, shell: Shell) -> None:
        """Read which phone and build is meant. Raises `PhoneError` if it cannot be reached."""
        identity, build = await asyncio.gather(shell.identity(), shell.run("getprop ro.build.fingerprint"))
        self._phone, self._build = identity, build.text.strip()

    async def has_displays(self, shell: Shell) -> bool:
        """Whether the phone lists what is on its displays, as it did before or does now.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        is_told = bool(self._phone and self._build)
        if is_told and self._note.load().get(self._phone) == self._build:
            return True
        for _try in range(DUMP_TRIES):
            printed = (await shell.run(DUMP_DISPLAYS)).stdout
            if find_display_tree(printed, OWN_DISPLAY) is not None:
                if is_told:
                    self._save(self._build)
                return True
            if b"<hierarchy" in printed:
                break
        return False

    def drop(self) -> None:
        """Have the phone asked again the next time."""
        self._save("")

    def _save(self, build: str) -> None:
        # What cannot be noted is asked once more.
        with suppress(OSError):
            rest = {self._phone: build} if build else {}
            self._note.change(lambda kept: {n: v for n, v in kept.items() if n != self._phone} | rest)


def parse_display_facts(printed: str, display: str) -> WindowFacts | None:
    """The facts of one display beside the phone's own; None where it is gone.

    The lock and the dark of the phone's own screen do not count on one that is always unlocked. Whether
    the keyboard is up is not known: what the phone tells is about the one keyboard for all displays.
    """
    windows, _, rest = printed.partition("== shown")
    shown, _, policy = rest.partition("== policy")
    lines, info = _display_lines(windows, display), parse_displays(shown).get(display)
    if lines is None or info is None:
        return None
    rotation = re.search(r"mCurrentRotation=(?:ROTATION_)?(\d+)", lines)
    user = _FOCUS_USER.search(lines)
    return WindowFacts(
        app=parse_foreground(lines),
        user=int(user[1]) if user else 0,
        awake=info.is_on,
        locked=is_locked(policy) and not info.always_unlocked,
        rotation=_quarter_turns(int(rotation[1])) if rotation else None,
        size=info.size,
    )


def _quarter_turns(rotation: int) -> int:
    return (rotation // 90 if rotation >= 4 else rotation) % 4


DISPLAY_GONE = later("The display is gone.")
_DISPLAY_COMMANDS = (
    f"dumpsys window displays | grep -E '{_KEEP}'",
    f"echo '== shown'; {_SHOWN_DISPLAYS}",
    f"echo '== policy'; dumpsys window policy | grep -E '{_POLICY}'",
)
_LEVEL = "getprop ro.build.version.sdk"
_IDENTITY = "getprop ro.build.version.release; getprop ro.product.model"
_CARD_COUNTRY = "getprop gsm.sim.operator.iso-country"
_LOCALE = "getprop persist.sys.locale; getprop ro.product.locale"
_STATE = "dumpsys battery | grep level; wm size"
_SIZE = re.compile(r"(?:Physical|Override) size: (\d+)x(\d+)")
_ADDRESS = re.compile(r"[\w.\-\[\]:]+:\d{1,5}")
_TICK = 0.25
_SILENCED = later(
    "A screen reader or the like is on; it falls silent for moments in which the screen is read."
)


class Readiness:
    """Checks one phone. `forbids_input`: the phone refused an input for lack of permission."""

    def __init__(self, adb: AdbServer, shell: Shell, display: str = "") -> None:
        self.forbids_input = False
        self._adb = adb
        self._shell = shell
        self._display = display
        self._touch = Touch(shell)
        self._level = 0

    async def require_listed(self) -> None:
        """Make sure that the server can reach the phone; without a serial, take the only phone there is.

        Raises:
            PhoneError: it cannot, or there are several.
        """
        devices = await self._adb.devices()
        if not self._shell.serial:
            self._shell.serial = _only(devices)
        states = {device.serial: device.state for device in devices}
        if error := listed_failure(states.get(self._shell.serial, ""), self._shell.serial):
            raise error

    async def status(self) -> PhoneStatus:
        """The phone's state and what to do about it. Never raises."""
        try:
            await self.require_listed()
            return await self._usable_status()
        except PhoneError as error:
            return PhoneStatus(error.state, error.sentence, self._shell.serial)

    async def wait_ready(self, limit: float) -> PhoneStatus:
        """Wait until the phone is ready, or the limit in seconds has passed.

        One on the network is connected again, a dark screen is switched on once. Where another phone answers
        in its place, only one that announces itself by a name is waited for: it may come at another address.
        """
        loop, link = asyncio.get_running_loop(), self._shell.link
        end = loop.time() + limit
        status = PhoneStatus(PhoneState.FROZEN, state_sentence(PhoneState.FROZEN), self._shell.serial)
        mended: set[PhoneState] = set()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(end):
                    status = await self.status()
                    if await self._mend(status.state, mended):
                        status = await self.status()
            is_replaced = bool(link.stranger) and not link.service
            if status.state is PhoneState.READY or is_replaced or loop.time() >= end:
                return status
            await asyncio.sleep(min(_TICK, max(0.0, end - loop.time())))

    async def screen_seconds(self) -> float | None:
        """The screen timeout in seconds; None if the phone does not tell it.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        printed = (await self._shell.run("settings get system screen_off_timeout")).text.strip()
        return int(printed) / 1000 if printed.isdecimal() else None

    async def language(self) -> str:
        """The ISO code of the phone's language, such as `de`; empty if the phone does not tell it.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        printed = (await self._shell.run(_LOCALE)).text.split()
        return printed[0].split("-")[0].lower() if printed else ""

    async def region(self) -> str:
        """The country of the phone by its code of ISO 3166: that of its SIM card, else that of its language.

        Empty if it does not tell it, or has cards of several.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        printed = (await self._shell.run(f"{_CARD_COUNTRY}; echo ==; {_LOCALE}")).text
        cards, _, language = printed.partition("==")
        countries = set(re.findall(r"\b[a-z]{2}\b", cards.casefold()))
        if not countries:
            countries = set(re.findall(r"[-_]([a-z]{2})\b", language.casefold().partition("\n\n")[0])[:1])
        return countries.pop() if len(countries) == 1 else ""

    async def identity(self) -> str:
        """A number that the phone keeps until it is reset; empty if it does not tell it.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        return await self._shell.identity()

    async def facts(self, shell: Shell | None = None) -> WindowFacts:
        """What is in front, and whether the screen is on and unlocked.

        Args:
            shell: reads it instead of the shell for looking, as that of an action, which may be stopped.

        Raises:
            PhoneError: the phone cannot be reached, or the display is gone.
            ActionRefused: the shell is stopped.
        """
        run = (shell or self._shell).run
        if self._display not in ("", OWN_DISPLAY):
            printed = await asyncio.gather(*map(run, _DISPLAY_COMMANDS))
            facts = parse_display_facts("\n".join(output.text for output in printed), self._display)
            if facts is None:
                raise error_for_state(PhoneState.ABSENT, _(DISPLAY_GONE))
            return facts
        if not self._level:
            self._level = _number((await run(_LEVEL)).text)
        printed = await asyncio.gather(*map(run, facts_commands(self._level)))
        return parse_facts("\n".join(output.text for output in printed))

    async def _mend(self, state: PhoneState, mended: set[PhoneState]) -> bool:
        """Fix a state that needs no user, each state once; returns whether anything was done."""
        with suppress(PhoneError, ActionRefused):
            if state is PhoneState.ABSENT and _ADDRESS.fullmatch(self._shell.serial):
                await self._adb.connect(self._shell.link.address)
                return True
            if state is PhoneState.SCREEN_OFF and state not in mended:
                mended.add(state)
                await self._touch.key(KEY_WAKE_UP)
                return True
        return False

    async def _usable_status(self) -> PhoneStatus:
        identity, state, facts, silenced = await asyncio.gather(
            self._shell.run(_IDENTITY),
            self._shell.run(_STATE),
            self.facts(),
            accessibility_in_use(self._shell),
        )
        release, model = (*identity.text.splitlines(), "", "")[:2]
        battery = re.search(r"level: (\d+)", state.text)
        sizes = _SIZE.findall(state.text)
        judged = await self._judge(facts)
        return PhoneStatus(
            state=judged,
            sentence=f"{state_sentence(judged)} {_(_SILENCED)}" if silenced else state_sentence(judged),
            serial=self._shell.serial,
            model=model.strip(),
            android=release.strip(),
            battery=int(battery[1]) if battery else None,
            screen=facts.size or ((int(sizes[-1][0]), int(sizes[-1][1])) if sizes else None),
        )

    async def _judge(self, facts: WindowFacts) -> PhoneState:
        if facts.awake is False:
            return PhoneState.SCREEN_OFF
        if facts.locked:
            return PhoneState.LOCKED
        self.forbids_input = self.forbids_input and not await self.accepts_input()
        return PhoneState.NO_INPUT_PERMISSION if self.forbids_input else PhoneState.READY

    async def accepts_input(self) -> bool:
        """Whether the phone lets adb tap and type, tried with a key without effect.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        try:
            await self._touch.key(KEY_NOTHING)
        except PhoneError as error:
            if error.state is PhoneState.NO_INPUT_PERMISSION:
                return False
            raise
        except ActionRefused:
            return True
        return True


_QUERY_PANELS = "cmd display get-displays; dumpsys display | grep DisplayViewport"
_LOGICAL = re.compile(r"Display id 0:.*\bstate ON\b.*uniqueId \"local:(\d+)\"")
_VIEWPORT = re.compile(r"isActive=true, displayId=0, uniqueId='local:(\d+)'")


async def find_lit_panel(shell: Shell) -> str:
    """The physical id of the display panel that is lit; empty if the phone does not tell it.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    return parse_lit_panel((await shell.run(_QUERY_PANELS)).text)


def parse_lit_panel(printed: str) -> str:
    """The physical id of the panel behind display 0, the one in use; empty if it is not printed.

    `cmd display get-displays` says it since Android 11, `dumpsys display` before.
    """
    match = _LOGICAL.search(printed) or _VIEWPORT.search(printed)
    return match[1] if match else ""


async def accessibility_in_use(shell: Shell) -> bool:
    """Whether a screen reader or another accessibility service is on; reading a tree silences it meanwhile.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    printed = (await shell.run("settings get secure enabled_accessibility_services")).text.strip()
    return printed not in ("", "null")


def _only(devices: tuple[AdbDevice, ...]) -> str:
    if not devices:
        raise absent_error("")
    if len(devices) > 1:
        serials = ", ".join(device.serial for device in devices)
        raise error_for_state(
            PhoneState.ABSENT,
            _("Several phones are connected: {serials}. Name one as serial.").format(serials=serials),
        )
    return devices[0].serial


def _number(printed: str) -> int:
    digits = re.match(r"\s*(\d+)", printed)
    return int(digits[1]) if digits else 0


_log = logging.getLogger(__name__)

CAPTURE_WAYS = "pictures.json"
_MEASURED = 2
# A picture that comes in so many seconds as PNG leaves nothing to gain; phones take 0.45 to 2 s.
_QUICK = 0.15
_MEASURED_ANEW = 7 * 24 * 3600.0
"""Seconds after which a way is measured again: the phone may hang on another cable, or in another network."""


class CaptureWays:
    """Whether each phone takes pictures quicker as PNG or as packed pixels.

    The first pictures are taken in the one way and then in the other, and the least time of each counts,
    until the last byte is here: unpacking is this computer's work, and takes long where that is busy. Only
    pictures that are taken alone are measured. What was found is kept in a file, for a week. Other agents do
    the same (MaaXYZ/MaaFramework, `Screencap/`: Encode and RawWithGzip).
    """

    def __init__(
        self,
        path: Path | None = None,
        now: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._note = JsonFile(path)
        self._now = now
        self._wall_clock = wall_clock
        # The way, and when it was chosen in seconds since 1970.
        self._chosen: dict[str, tuple[bool, float]] = {}
        self._seconds: dict[tuple[str, bool], list[float]] = {}
        self._under_way = self._begun = 0

    def packs(self, serial: str) -> bool:
        """Whether the next picture of a phone is to be taken as packed pixels."""
        packed, at = self._chosen.get(serial) or self._noted(serial)
        if abs(self._wall_clock() - at) < _MEASURED_ANEW:
            self._chosen[serial] = packed, at
            return packed
        if self._chosen.pop(serial, None) is not None:
            self._seconds.clear()
        return len(self._of(serial, packed=False)) >= _MEASURED

    def _noted(self, serial: str) -> tuple[bool, float]:
        """The way in the file and when it was chosen; in 1970 where none is there."""
        noted = self._note.load().get(serial)
        packed, at = (noted.get("packed"), noted.get("at")) if isinstance(noted, dict) else (None, None)
        return (packed, at) if isinstance(packed, bool) and isinstance(at, (int, float)) else (False, 0.0)

    @contextmanager
    def measure(self, serial: str, *, packed: bool) -> Iterator[Callable[[], None]]:
        """Measure the picture that is taken in the `with` block; one that fails tells nothing.

        The block calls what it is given when the last byte of the picture has come.
        """
        self._under_way += 1
        self._begun += 1
        number, is_alone, began = self._begun, self._under_way == 1, self._now()
        arrivals: list[float] = []
        try:
            yield lambda: arrivals.append(self._now())
        finally:
            self._under_way -= 1
        if arrivals and serial not in self._chosen and is_alone and number == self._begun:
            self._of(serial, packed=packed).append(arrivals[-1] - began)
            self._choose(serial)

    def give_up_packing(self, serial: str) -> None:
        """Take no packed pictures of a phone any more: it does not give them."""
        self._save(serial, packed=False)

    def _of(self, serial: str, *, packed: bool) -> list[float]:
        return self._seconds.setdefault((serial, packed), [])

    def _choose(self, serial: str) -> None:
        as_png, packed = self._of(serial, packed=False), self._of(serial, packed=True)
        if min(as_png, default=_QUICK) < _QUICK:
            self._chosen[serial] = False, self._wall_clock()
        elif min(len(as_png), len(packed)) >= _MEASURED:
            self._save(serial, packed=min(packed) < min(as_png))

    def _save(self, serial: str, *, packed: bool) -> None:
        at = self._wall_clock()
        self._chosen[serial] = packed, at
        seconds = {
            name: round(min(values), 3)
            for name, values in (
                ("png_seconds", self._of(serial, packed=False)),
                ("packed_seconds", self._of(serial, packed=True)),
            )
            if values
        }
        try:
            self._note.change(lambda ways: ways | {serial: {"packed": packed, "at": round(at), **seconds}})
        except OSError as error:
            # It is only measured once more.
            _log.warning("the quicker way to take a picture is not noted: %s", error)
