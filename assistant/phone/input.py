"""Touches and keys through the phone's `input` command, with every answer checked."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.events import PhoneState
from assistant.phone.adb import Output, Shell
from assistant.phone.errors import ActionRefused, Refusal, failure
from assistant.records import Bounds, Direction, Observation, Point

HOLD_MILLISECONDS = 500
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
    """A finger and the keys."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    async def tap(self, x: int, y: int) -> None:
        """A short touch at a pixel."""
        await self._input(f"tap {x} {y}")

    async def hold(self, x: int, y: int) -> None:
        """A touch that stays for half a second."""
        await self._input(f"swipe {x} {y} {x} {y} {HOLD_MILLISECONDS}")

    async def swipe(self, start: Pixel, end: Pixel) -> None:
        """Move a finger from one pixel to another."""
        await self._input(f"swipe {start[0]} {start[1]} {end[0]} {end[1]} {MOVE_MILLISECONDS}")

    async def key(self, code: int) -> None:
        """Press and release a key, by Android's key code."""
        await self._input(f"keyevent {code}")

    async def keys(self, codes: Sequence[int]) -> None:
        """Press and release several keys in one command."""
        await self._input(f"keyevent {' '.join(map(str, codes))}")

    async def _input(self, command: str) -> None:
        check_input(await self._shell.perform(f"input {command}"))


def check_input(output: Output) -> None:
    """Make sure that an `input` command did what it should: it is silent then.

    Raises:
        PhoneError: the phone forbids input over adb.
        ActionRefused: anything else went wrong.
    """
    printed = output.everything.strip()
    if "INJECT_EVENTS" in printed:
        raise failure(PhoneState.NO_INPUT_PERMISSION)
    if output.code != 0 or printed:
        why = reason(printed) or f"exit code {output.code}"
        raise ActionRefused(Refusal.INPUT.format(reason=why))


def reason(printed: str) -> str:
    """The line of an Android error text that says most, without the stack below it."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    telling = [line for line in lines if "Exception:" in line or line.startswith("Error")]
    return (telling or lines or [""])[0][:200]


def scroll_path(
    seen: Observation, point: Point, direction: Direction
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a finger goes so that the content in a direction comes into view.

    It moves half the size of the list under the point, against the direction, as near the point as fits.
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
