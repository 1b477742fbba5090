"""Touches: reading those of the user's hand, and injecting those of the program.

`TouchReader` parses the user's from `getevent -lt`. What is injected over adb never reaches the kernel's
input devices, so every touch read there is the user's. Source of the lines: AOSP toolbox, getevent.c; the
protocol of touch panels is the kernel's multi-touch protocol B, and `BTN_TOUCH` for panels without it; the
numbers are those of linux/input-event-codes.h. Not every key is a person's: a touch panel sends KEY_POWER or
KEY_WAKEUP when a dark screen is tapped twice, a fingerprint reader KEY_HOME or KEY_BACK by itself
(MiCode/Xiaomi_Kernel_OpenSource#1044, sonyxperiadev/kernel#741, phhusson/treble_experimentations#1839).

`KeyboardTyping` tells from the screens between touches on the phone's own keyboard what was typed with it.

`Touch` injects touches and keys with the phone's `input` command, and checks every answer.

`windows_under` tells which windows a touch may reach where several apps share the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assistant.events import PhoneState
from assistant.i18n import _, later
from assistant.phone.adb import Output, Shell
from assistant.phone.errors import ActionRefused, Refusal, error_for_state
from assistant.records import (
    Action,
    Bounds,
    Click,
    Direction,
    Element,
    ForegroundApp,
    LongClick,
    Observation,
    Point,
    Scroll,
    Swipe,
    once_per_screen,
)

WATCH = "getevent -lt"
DESCRIBE = "getevent -lp"

_LINE = re.compile(
    r"^(?:\[\s*(?P<time>\d+\.\d+)\]\s*)?(?:(?P<device>/dev/\S+):\s*)?"
    r"(?P<kind>EV_\w+|[0-9a-f]{4})\s+(?P<code>\w+)\s+(?P<value>\w+)"
)
_DEVICE = re.compile(r"^add device \d+: (\S+)")
_DEVICE_NAME = re.compile(r"^\s+name:\s+\"(.*)\"")
_FINGERPRINT = re.compile(r"finger|fpc|uinput|goodix_fp|silead|headset|jack|hall", re.IGNORECASE)
_LIMIT = re.compile(r"ABS_MT_POSITION_([XY])\s*:\s*value -?\d+, min (-?\d+), max (-?\d+)")
_KINDS = {"0000": "EV_SYN", "0001": "EV_KEY", "0003": "EV_ABS"}
_NAMES = {
    ("EV_SYN", "0000"): "SYN_REPORT",
    ("EV_ABS", "0035"): "ABS_MT_POSITION_X",
    ("EV_ABS", "0036"): "ABS_MT_POSITION_Y",
    ("EV_ABS", "0039"): "ABS_MT_TRACKING_ID",
    ("EV_KEY", "014a"): "BTN_TOUCH",
    ("EV_KEY", "0074"): "KEY_POWER",
    ("EV_KEY", "0066"): "KEY_HOME",
    ("EV_KEY", "009e"): "KEY_BACK",
    ("EV_KEY", "0244"): "KEY_APPSELECT",
}
_LIFTED = "ffffffff"
_DOWN = ("DOWN", "00000001")
_UP = ("UP", "00000000")


class Button(StrEnum):
    """Buttons that mean something to a turn."""

    POWER = "KEY_POWER"
    HOME = "KEY_HOME"
    BACK = "KEY_BACK"
    RECENTS = "KEY_APPSELECT"


@dataclass(frozen=True, slots=True)
class FingerDown:
    """A finger touches the screen."""


@dataclass(frozen=True, slots=True)
class Gesture:
    """A finger was lifted: where it began and ended in the panel's units, and how many seconds it stayed."""

    start: tuple[int, int]
    end: tuple[int, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class Panel:
    """The touch panel's range of values on both axes, upright."""

    left: int = 0
    right: int = 0
    top: int = 0
    bottom: int = 0

    def fraction(self, place: tuple[int, int], rotation: int) -> tuple[float, float] | None:
        """A place as fractions of the screen in its rotation (quarter turns); None without a known range."""
        if self.right <= self.left or self.bottom <= self.top:
            return None
        across = min(1.0, max(0.0, (place[0] - self.left) / (self.right - self.left)))
        down = min(1.0, max(0.0, (place[1] - self.top) / (self.bottom - self.top)))
        match rotation % 4:
            case 1:
                return down, 1 - across
            case 2:
                return 1 - across, 1 - down
            case 3:
                return 1 - down, across
            case _:
                return across, down


@dataclass(slots=True)
class _Finger:
    """What one device sent so far. `panel`: it sent contacts, so it is a touch panel."""

    panel: bool = False
    name: str = ""
    touching: bool = False
    x: int = 0
    y: int = 0
    start: tuple[int, int] | None = None
    since: float = 0.0


@dataclass(slots=True)
class TouchReader:
    """Turns the lines of `getevent` into touches. Feed it line by line.

    `touched` is the device that was touched last; empty before that, or if the phone does not tell it.
    """

    touched: str = ""
    _fingers: dict[str, _Finger] = field(default_factory=dict)
    _described: str = ""

    def feed(self, line: str) -> Iterator[FingerDown | Gesture | Button]:
        """Process a line; yields the touch, gesture or button press that it completes, if any."""
        match = _LINE.match(line)
        if match is None:
            self._note_name(line)
            return
        kind = _KINDS.get(match["kind"], match["kind"])
        code, value = _NAMES.get((kind, match["code"]), match["code"]), match["value"].lower()
        time = float(match["time"] or 0.0)
        finger = self._fingers.setdefault(match["device"] or "", _Finger())
        if code in ("ABS_MT_TRACKING_ID", "BTN_TOUCH"):
            finger.panel, self.touched = True, match["device"] or ""
        match code:
            case "ABS_MT_POSITION_X":
                finger.x = _number(value)
            case "ABS_MT_POSITION_Y":
                finger.y = _number(value)
            case "ABS_MT_TRACKING_ID":
                yield from _touched(finger, time) if value != _LIFTED else _lifted(finger, time)
            case "BTN_TOUCH" if match["value"] in _DOWN:
                yield from _touched(finger, time)
            case "BTN_TOUCH" if match["value"] in _UP:
                yield from _lifted(finger, time)
            case "SYN_REPORT" if finger.touching and finger.start is None:
                finger.start = (finger.x, finger.y)
            case "KEY_POWER" if finger.panel and match["device"]:
                return
            case "KEY_POWER" | "KEY_HOME" | "KEY_BACK" | "KEY_APPSELECT" if match["value"] in _DOWN:
                if not _FINGERPRINT.search(finger.name):
                    yield Button(code)

    def note_panels(self, devices: Iterable[str]) -> None:
        """Register touch panels before they are touched."""
        for device in devices:
            self._fingers.setdefault(device, _Finger()).panel = True

    def _note_name(self, line: str) -> None:
        """Note the name that `getevent` prints for a device before its first event."""
        if device := _DEVICE.match(line):
            self._described = device[1]
        elif (name := _DEVICE_NAME.match(line)) and self._described:
            self._fingers.setdefault(self._described, _Finger()).name = name[1]


def parse_panels(printed: str) -> dict[str, Panel]:
    """The touch panels that `getevent -lp` describes, by device; a foldable phone has one for each screen.

    Only what lies on a screen counts (INPUT_PROP_DIRECT), where a phone prints properties at all: a touchpad
    has positions too.
    """
    panels: dict[str, Panel] = {}
    direct = set()
    for part in re.split(r"(?m)^(?=add device )", printed):
        device = _DEVICE.match(part)
        limits = {match[1]: (int(match[2]), int(match[3])) for match in _LIMIT.finditer(part)}
        if device is not None and len(limits) == 2:
            panels[device[1]] = Panel(*limits["X"], *limits["Y"])
            if "INPUT_PROP_DIRECT" in part:
                direct.add(device[1])
    return {device: panel for device, panel in panels.items() if device in direct or not direct}


def _touched(finger: _Finger, time: float) -> Iterator[FingerDown]:
    if not finger.touching:
        finger.touching, finger.start, finger.since = True, None, time
        yield FingerDown()


def _lifted(finger: _Finger, time: float) -> Iterator[Gesture]:
    if finger.touching:
        finger.touching = False
        end = (finger.x, finger.y)
        yield Gesture(finger.start or end, end, max(0.0, time - finger.since))


def _number(value: str) -> int:
    try:
        number = int(value, 16)
    except ValueError:
        return 0
    return number - (1 << 32) if number >= 1 << 31 else number


LONG_PRESS_MILLISECONDS = 500
MOVE_MILLISECONDS = 300
KEY_HOME, KEY_BACK, KEY_TAB, KEY_ENTER, KEY_DELETE = 3, 4, 61, 66, 67
KEY_NOTHING = 0
"""KEYCODE_UNKNOWN, which no app reacts to: it shows whether input over adb is allowed."""
KEY_MOVE_END, KEY_RECENTS, KEY_WAKE_UP = 123, 187, 224
Pixel = tuple[int, int]

# A finger stays this share of the element away from its edges: gestures of the system start there.
_EDGE = 0.1
_SMALLEST_SHARE = 0.25


class Touch:
    """A finger and the keys.

    Args:
        shell: performs the commands.
        display: the display to touch; empty leaves it to the phone. With several displays a key without one
            goes to the display that was touched last, which may be another.
    """

    def __init__(self, shell: Shell, display: str = "") -> None:
        self._shell = shell
        self.display = display

    async def tap(self, x: int, y: int) -> None:
        """A short touch at a pixel."""
        await self._input(f"tap {x} {y}")

    async def paste(self, text: str) -> bool:
        """Insert a text at the cursor without a keyboard; false where that is not possible.

        Call `give_back_clipboard` once the text has arrived: an app may read the clipboard late.
        """
        return False

    async def give_back_clipboard(self) -> None:
        """Put back what the user had copied; nothing is done where it was not replaced."""

    @property
    def sets_text(self) -> bool:
        """Whether `set_text` may be possible."""
        return False

    async def set_text(self, field: Element, text: str) -> bool:
        """Replace what stands in the focused field, without a keyboard; false where that is not possible."""
        return False

    async def has_focus(self, field: Element) -> bool:
        """Whether a field is known to have the focus; only the resident helper tells."""
        return False

    async def long_press(self, x: int, y: int) -> None:
        """A touch that stays for half a second."""
        await self._input(f"swipe {x} {y} {x} {y} {LONG_PRESS_MILLISECONDS}")

    async def swipe(self, start: Pixel, end: Pixel) -> None:
        """Move a finger from one pixel to another."""
        await self._input(f"swipe {start[0]} {start[1]} {end[0]} {end[1]} {MOVE_MILLISECONDS}")

    async def key(self, code: int) -> None:
        """Press and release a key, by Android's key code."""
        await self._input(f"keyevent {code}")

    async def keys(self, codes: Sequence[int]) -> None:
        """Press and release several keys in one command."""
        await self._input(f"keyevent {' '.join(map(str, codes))}")

    async def text(self, words: str) -> None:
        """Type characters with keys. `words` is an argument of `input text`, quoted for the shell."""
        await self._input(f"text {words}")

    async def _input(self, command: str) -> None:
        named = f"-d {self.display} " if self.display else ""
        check_input(await self._shell.perform(f"input {named}{command}"))


def check_input(output: Output) -> None:
    """Make sure that an `input` command did what it should: it is silent then.

    Raises:
        PhoneError: the phone forbids input over adb.
        ActionRefused: anything else went wrong.
    """
    printed = output.everything.strip()
    if "INJECT_EVENTS" in printed:
        raise error_for_state(PhoneState.NO_INPUT_PERMISSION)
    if output.code != 0 or printed:
        why = find_error_line(printed) or f"exit code {output.code}"
        raise ActionRefused(Refusal.INPUT.format(reason=why))


def find_error_line(printed: str) -> str:
    """The most informative line of an Android error text, without the stack trace below it."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    telling = [line for line in lines if "Exception:" in line or line.startswith("Error")]
    return (telling or lines or [""])[0][:200]


def scroll_path(
    seen: Observation, point: Point, direction: Direction
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Start and end, in pixels, of a swipe that brings the content in a direction into view.

    The finger moves against the direction by half the size of the list under the point, as near to the point
    as possible.
    """
    area = _scrolled_area(seen, point, direction)
    x, y = seen.pixels(point)
    if direction in (Direction.UP, Direction.DOWN):
        x = min(max(x, area.left), area.right - 1)
        first, last = _travel(area.top, area.bottom, y)
        ends = ((x, last), (x, first))
    else:
        y = min(max(y, area.top), area.bottom - 1)
        first, last = _travel(area.left, area.right, x)
        ends = ((last, y), (first, y))
    return ends if direction in (Direction.DOWN, Direction.RIGHT) else (ends[1], ends[0])


_ASIDE, _LOWEST_PAGE, _WIDE = 0.2, 0.25, 0.8
_PAGED = ("ViewPager", "ViewPager2", "HorizontalScrollView", "SeekBar", "Gallery")


def row_moved(seen: Observation, start: Point, end: Point) -> Element | None:
    """The row of a list that a finger moves aside, by which apps delete, archive or answer what it says."""
    (x, y), (to_x, to_y) = seen.pixels(start), seen.pixels(end)
    edge = 0.5 * _EDGE_OF_SCREEN * seen.width
    if abs(to_x - x) < max(_ASIDE * seen.width, 2 * abs(to_y - y)) or not edge < x < seen.width - edge:
        return None
    under = [e for e in seen.elements if e.bounds.contains(x, y)]
    lists = [e for e in under if e.scrollable or e.class_name.endswith(("ListView", "RecyclerView"))]
    if not lists or any(e.class_name.endswith(_PAGED) for e in under):
        return None
    inner = min(lists, key=lambda e: (e.bounds.area, -e.index))
    if inner.bounds.width < _WIDE * seen.width:
        return None
    rows = [e for e in under if e.parent == inner.index and e.bounds.width >= _WIDE * inner.bounds.width]
    return next((row for row in rows if row.bounds.height <= _LOWEST_PAGE * seen.height), None)


def dropped_on(seen: Observation, start: Point, end: Point) -> Element | None:
    """What a thing that a finger takes along is dropped on; None where it takes none, or scrolls."""
    ends = [seen.pixels(start), seen.pixels(end)]
    moved, target = seen.element_at(start), seen.element_at(end)
    if moved is None or moved is target or not (moved.clickable or moved.long_clickable):
        return None
    scrolls = any(e.scrollable and all(e.bounds.contains(*place) for place in ends) for e in seen.elements)
    return None if scrolls or moved.bounds.area > _LOWEST_PAGE * seen.width * seen.height else target


def _travel(low: int, high: int, middle: int) -> tuple[int, int]:
    length = high - low
    half = length // 4
    margin = round(length * _EDGE)
    centre = min(max(middle, low + margin + half), high - 1 - margin - half)
    return centre - half, centre + half


def _scrolled_area(seen: Observation, point: Point, direction: Direction) -> Bounds:
    """The smallest list under the point that is long enough in the direction, else the screen."""
    screen = Bounds(0, 0, seen.width, seen.height)
    vertical = direction in (Direction.UP, Direction.DOWN)
    x, y = seen.pixels(point)
    under = [_clipped(e.bounds, screen) for e in seen.elements if e.scrollable and e.bounds.contains(x, y)]
    whole = screen.height if vertical else screen.width
    fitting = [area for area in under if (area.height if vertical else area.width) >= whole * _SMALLEST_SHARE]
    return min(fitting or under, key=lambda area: area.area, default=screen)


def _clipped(bounds: Bounds, screen: Bounds) -> Bounds:
    return Bounds(
        max(bounds.left, screen.left),
        max(bounds.top, screen.top),
        min(bounds.right, screen.right),
        min(bounds.bottom, screen.bottom),
    )


@dataclass(slots=True)
class KeyboardTyping:
    """What the user types into a field with the phone's own keyboard, by the screens between.

    Attributes:
        field: the field as it was.
        screen: the screen before the first key.
        text: what the field showed last; None if it was not seen since.
        shown: the last screen on which it was seen.
        submitted: the last key led to another page.
    """

    field: Element
    screen: Observation
    shown: Observation
    text: str | None = None
    submitted: bool = False

    def note_key(self, after: Observation | None) -> None:
        """Take note of the screen after a key."""
        if after is None:
            return
        field = find_field(self.field, after)
        self.submitted = not after.keyboard_shown and _words_besides(
            self.shown, self.field
        ) != _words_besides(after, self.field)
        if field is not None and not self.submitted:
            self.text, self.shown = field.text, after

    def final_text(self, after: Observation | None) -> str:
        """What was typed, by the screen after it; empty if that is not known, or nothing changed."""
        field = find_field(self.field, after) if after is not None and not self.submitted else None
        field = field or (find_field(self.field, after) if after is not None and self.text is None else None)
        text = field.text if field is not None else self.text or ""
        return text if text != self.field.text else ""


def find_field(field: Element, screen: Observation) -> Element | None:
    """A field of an earlier screen on another one; None where it is not there."""
    return next(
        (
            other
            for other in screen.elements
            if other.editable
            and field.password == other.password
            and field.resource_id == other.resource_id
            and field.bounds.left == other.bounds.left
        ),
        None,
    )


def _words_besides(screen: Observation, field: Element) -> list[tuple[str, str]]:
    """What a screen says besides a field."""
    return [
        (element.text, element.description)
        for element in screen.elements
        if not (element.editable and element.resource_id == field.resource_id)
    ]


SYSTEM_INTERFACE = ("com.android.systemui", "com.android.keyguard")
_KEYBOARDS = ("inputmethod", "keyboard", ".ime", "honeyboard", "swiftkey", "com.baidu.input", "gboard")
_APART, _WINDOW_SHARE = 0.1, 0.12
"""How much of the smaller of two windows side by side may be covered, and how much of the screen each has."""
_SAME_PLACE, _EDGE_OF_SCREEN, _DOCKED = 0.8, 0.05, 0.75
_OTHER_WINDOW = later("another window")
_UNKNOWN_ACTIVITY = "?"


def is_keyboard_package(package: str) -> bool:
    """Whether a package is an input method, by its name."""
    return any(name in package.lower() for name in _KEYBOARDS)


def packages_of_system(observation: Observation) -> frozenset[str]:
    """The packages of the system's bars and of the keyboard, while an app is in front."""
    in_front = observation.app.package
    others = {e.package for e in observation.elements} - {"", in_front}
    of_system = () if in_front in SYSTEM_INTERFACE else SYSTEM_INTERFACE
    return frozenset(name for name in others if name in of_system or is_keyboard_package(name))


@dataclass(slots=True)
class _AppWindow:
    """A window of an app on the screen, with the roots of its elements; without any it is hidden."""

    package: str
    bounds: Bounds
    roots: set[int]


def windows_under(observation: Observation, action: Action) -> tuple[Observation, ...]:
    """The windows that an action may reach, each as a screen of its own, the smallest first.

    Where one app has the screen, that is the observation itself. Two share it in split screen, or one floats
    over the other. A touch reaches the smallest window under it, or through one that takes no touches what
    lies below, down to the one with the focus. One without elements is a window of which the tree tells
    nothing, as a dump has only the window with the focus. Keys go to that window. A notification that the
    system shows over an app is a window too.
    """
    windows = _known_windows(observation)
    if not windows.shared and not windows.of_system:
        return (observation,)
    match action:
        case Click(point=point) | LongClick(point=point) | Swipe(start=point):
            points = [observation.pixels(point)]
        case Scroll(point=point, direction=direction):
            points = [scroll_path(observation, point, direction)[0], observation.pixels(point)]
        case _:
            in_front = [each for each in windows.shared if each.package == observation.app.package]
            return tuple(_screen_of(windows, each) for each in in_front if each.roots) or (observation,)
    reached: dict[int, _AppWindow] = {}
    for x, y in points:
        reached |= {id(each): each for each in _reached_at(windows, x, y)}
    screens = [_screen_of(windows, each) for each in reached.values()]
    return (*screens, *(() if windows.shared and screens else (observation,)))


def window_of(observation: Observation, action: Action, package: str | None = None) -> Observation:
    """The window that an action reaches first, or that of an app where it may reach several."""
    windows = windows_under(observation, action)
    return next((window for window in windows if package in (None, window.app.package)), windows[0])


@dataclass(slots=True)
class _Windows:
    """The windows that share a screen, hidden ones too, and those of the system over them.

    No window shares it where one app has it all. `beyond` stands for what lies beside all that are known;
    `screens` are those that were made screens of their own.
    """

    observation: Observation
    shared: list[_AppWindow]
    of_system: list[_AppWindow]
    beyond: _AppWindow
    screens: dict[int, Observation] = field(default_factory=dict)


@once_per_screen
def _known_windows(observation: Observation) -> _Windows:
    """The windows of a screen; the latest are kept."""
    beyond = _AppWindow("", Bounds(0, 0, observation.width, observation.height), set())
    return _Windows(observation, *_find_windows(observation), beyond)


def _find_windows(observation: Observation) -> tuple[list[_AppWindow], list[_AppWindow]]:
    if observation.screen is not None:
        return [], []
    windows = _windows_of_tree(observation)
    hidden = [
        _AppWindow("", bounds, set())
        for bounds in observation.windows or ()
        if not any(_is_at(window.bounds, bounds) for window in windows)
    ]
    if observation.windows is None and len(windows) == 1:
        hidden = [_AppWindow("", rest, set()) for rest in _rest_beside(observation, windows[0].bounds)]
    shared = [*windows, *hidden]
    of_system = [
        _AppWindow(root.package, root.bounds, {root.index})
        for root in _roots(observation)
        if root.package in SYSTEM_INTERFACE and root.package != observation.app.package
    ]
    return shared if windows and (len(shared) > 1 or observation.windows) else [], of_system


def is_shared(observation: Observation) -> bool:
    """Whether windows of several apps share the screen."""
    return bool(_known_windows(observation).shared)


def _windows_of_tree(observation: Observation) -> list[_AppWindow]:
    """The windows of apps in the tree: what overlaps and is of one app, as a dialog and its page, is one."""
    of_system = packages_of_system(observation)
    roots = [root for root in _roots(observation) if root.package not in of_system]
    least = _WINDOW_SHARE * observation.width * observation.height
    windows: list[_AppWindow] = []
    for root in roots:
        alike = (window for window in windows if window.package == root.package or not root.package)
        same = next((w for w in alike if not _lie_apart(w.bounds, root.bounds, least)), None)
        if same is None:
            windows.append(_AppWindow(root.package, root.bounds, {root.index}))
        else:
            left, top, right, bottom = zip(same.bounds, root.bounds, strict=True)
            same.bounds = Bounds(min(left), min(top), max(right), max(bottom))
            same.roots.add(root.index)
    return windows


def _roots(observation: Observation) -> list[Element]:
    """The roots of the windows in the tree; what holds nothing is none where there are several."""
    roots = [e for e in observation.elements if e.parent < 0 and e.bounds.area]
    if len(roots) < 2:
        return roots
    holders = {e.parent for e in observation.elements}
    return [root for root in roots if root.index in holders]


def _reached_at(windows: _Windows, x: int, y: int) -> list[_AppWindow]:
    """The windows that a touch at a pixel may reach."""
    observation = windows.observation
    over = [window for window in windows.of_system if window.bounds.contains(x, y)]
    roots = (e for e in observation.elements if e.parent < 0 and e.bounds.contains(x, y))
    if over or not windows.shared or any(is_keyboard_package(root.package) for root in roots):
        return over
    under = sorted((w for w in windows.shared if w.bounds.contains(x, y)), key=lambda w: w.bounds.area)
    for place, window in enumerate(under):
        if window.package == observation.app.package and window.roots:
            return under[: place + 1]
    if not under and observation.windows is not None:
        return [windows.beyond]
    return under


def _screen_of(windows: _Windows, window: _AppWindow) -> Observation:
    """A window as a screen of its own."""
    if id(window) not in windows.screens:
        windows.screens[id(window)] = _cut_out(windows.observation, window)
    return windows.screens[id(window)]


def _cut_out(observation: Observation, window: _AppWindow) -> Observation:
    left, top, right, bottom = window.bounds
    numbers: dict[int, int] = {}
    elements: list[Element] = []
    for e in observation.elements:
        if e.index in window.roots or e.parent in numbers:
            parent = numbers.get(e.parent, -1)
            numbers[e.index] = len(elements)
            elements.append(
                replace(e, index=len(elements), parent=parent, bounds=_moved(e.bounds, left, top))
            )
    lines = (e for e in observation.picture_texts if window.bounds.contains(*e.bounds.centre))
    read = tuple(
        replace(e, index=len(elements) + at, parent=-1, bounds=_moved(e.bounds, left, top))
        for at, e in enumerate(lines)
    )
    activity = "" if window.package in SYSTEM_INTERFACE else _UNKNOWN_ACTIVITY
    app = ForegroundApp(window.package, activity, "" if window.package else _(_OTHER_WINDOW))
    in_front = bool(window.roots) and window.package == observation.app.package
    width, height = observation.width, observation.height
    return replace(
        observation,
        width=max(1, right - left),
        height=max(1, bottom - top),
        screenshot=b"",
        elements=tuple(elements),
        app=observation.app if in_front else app,
        keyboard_shown=observation.keyboard_shown and bottom > (1 - _EDGE_OF_SCREEN) * height,
        picture_texts=read,
        windows=None,
        screen=Bounds(-left, -top, width - left, height - top),
    )


def _moved(bounds: Bounds, left: int, top: int) -> Bounds:
    return Bounds(bounds.left - left, bounds.top - top, bounds.right - left, bounds.bottom - top)


def _lie_apart(first: Bounds, second: Bounds, least: float) -> bool:
    """Whether two windows are each large, and hardly overlap."""
    small = min(first.area, second.area)
    return small >= least and _overlap(first, second) <= _APART * small


def _overlap(first: Bounds, second: Bounds) -> int:
    return _clipped(first, second).area


def _is_at(window: Bounds, reported_bounds: Bounds) -> bool:
    """Whether a window of the tree is the one that the system says is at a place."""
    shared = _overlap(window, reported_bounds)
    return shared >= _SAME_PLACE * reported_bounds.area and shared >= _SAME_PLACE * window.area


def _rest_beside(observation: Observation, window: Bounds) -> list[Bounds]:
    """What of the screen lies beside a window that has one side of it from edge to edge, as in split screen.

    Dialogs lie amid the screen, and pages have all of it.
    """
    width, height = observation.width, observation.height
    near, far = _EDGE_OF_SCREEN, 1 - _EDGE_OF_SCREEN
    is_wide = window.left <= near * width and window.right >= far * width
    is_high = window.top <= near * height and window.bottom >= far * height
    upright = Bounds(0, 0, width, window.top), Bounds(0, window.bottom, width, height)
    across = Bounds(0, 0, window.left, height), Bounds(window.right, 0, width, height)
    strips = [each for each in (upright if is_wide else across) if each.area > near * width * height]
    is_pane = _WINDOW_SHARE <= window.area / max(1, width * height) <= _DOCKED
    return strips if is_pane and is_wide != is_high and len(strips) == 1 else []
