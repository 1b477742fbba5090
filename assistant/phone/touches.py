"""What a person does on the phone with their own hand, read from `getevent -lt`.

What is injected over adb never reaches the kernel's input devices, so every touch here is the user's. Source
of the lines: AOSP toolbox, getevent.c; the protocol of touch panels is the kernel's multi-touch protocol B,
and `BTN_TOUCH` for panels without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

WATCH = "getevent -lt"
DESCRIBE = "getevent -lp"

_LINE = re.compile(
    r"^(?:\[\s*(?P<time>\d+\.\d+)\]\s*)?(?:(?P<device>/dev/\S+):\s*)?"
    r"(?P<kind>EV_\w+|[0-9a-f]{4})\s+(?P<code>\w+)\s+(?P<value>\w+)"
)
_DEVICE = re.compile(r"^add device \d+: (\S+)")
_LIMIT = re.compile(r"ABS_MT_POSITION_([XY])\s*:\s*value -?\d+, min (-?\d+), max (-?\d+)")
_NAMES = {
    "0035": "ABS_MT_POSITION_X",
    "0036": "ABS_MT_POSITION_Y",
    "0039": "ABS_MT_TRACKING_ID",
    "014a": "BTN_TOUCH",
    "0074": "KEY_POWER",
    "0066": "KEY_HOME",
    "009e": "KEY_BACK",
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
    """What one device told so far."""

    touching: bool = False
    x: int = 0
    y: int = 0
    start: tuple[int, int] | None = None
    since: float = 0.0


@dataclass(slots=True)
class TouchReader:
    """Turns the lines of `getevent` into touches. Feed it line by line."""

    _fingers: dict[str, _Finger] = field(default_factory=dict)

    def feed(self, line: str) -> Iterator[FingerDown | Gesture | Button]:
        """What a line completes: nothing, a touch, a lift, or a button pressed."""
        match = _LINE.match(line)
        if match is None:
            return
        code, value = _NAMES.get(match["code"], match["code"]), match["value"].lower()
        time = float(match["time"] or 0.0)
        finger = self._fingers.setdefault(match["device"] or "", _Finger())
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
            case "KEY_POWER" | "KEY_HOME" | "KEY_BACK" | "KEY_APPSELECT" if match["value"] in _DOWN:
                yield Button(code)


def parse_panel(printed: str) -> Panel:
    """The touch panel that `getevent -lp` describes: the first device with positions."""
    limits: dict[str, tuple[int, int]] = {}
    for line in printed.splitlines():
        if _DEVICE.match(line) and len(limits) == 2:
            break
        if _DEVICE.match(line):
            limits.clear()
        if match := _LIMIT.search(line):
            limits[match[1]] = (int(match[2]), int(match[3]))
    if len(limits) < 2:
        return Panel()
    return Panel(*limits["X"], *limits["Y"])


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
