"""What the shell commands may ask of the phone's screen side (windows, touch, keyboard)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Protocol

from PIL.Image import Image, frombytes

from assistant.records import Bounds


@dataclass(frozen=True, slots=True)
class FocusedWindow:
    """The window with focus. A system window has a `title` and no activity."""

    package: str
    activity: str
    title: str = ""

    @property
    def system(self) -> bool:
        """Whether it is no app's window: keyguard, notification shade."""
        return not self.activity


class NotIdle(Exception):
    """An animation or late content keeps the screen from becoming idle."""


class UnknownComponent(Exception):
    """No such package or activity."""


class UnknownDisplay(Exception):
    """No such display."""


class Surface(Protocol):
    """The interactive side of the simulated phone. Coordinates are pixels of the current rotation."""

    def on(self, display: int) -> AbstractContextManager[None]:
        """What is asked in the `with` block is about this display. Raises `UnknownDisplay`."""

    def tap(self, x: float, y: float) -> None:
        """A short touch."""

    def hold(self, x: float, y: float, milliseconds: int) -> None:
        """A touch that stays."""

    def swipe(self, x1: float, y1: float, x2: float, y2: float, milliseconds: int) -> None:
        """A touch that moves. Without movement and over 400 ms it is a hold."""

    def key(self, code: int, *, long: bool = False) -> None:
        """Press an Android key by its code: 3 home, 4 back, 26 power, 66 enter, 67 delete, 187 recents.

        A `long` press of power opens its menu; other keys do the same either way.
        """

    def type_text(self, text: str, *, by_keys: bool = False) -> bool:
        """Insert text into the focused field, through the keyboard if `by_keys`; false without focus."""

    def clear_text(self) -> bool:
        """Empty the focused field."""

    def start(self, package: str, activity: str = "", address: str = "") -> bool:
        """Bring an app to the front, at an address that it shows; false when it was already there.

        Raises `UnknownComponent`, also where nothing is at the address.
        """

    def stop(self, package: str) -> None:
        """End an app: its back stack goes, its data stays."""

    def clear(self, package: str) -> None:
        """End an app and make it forget everything: its data, permissions and notifications."""

    def focused(self) -> FocusedWindow:
        """The window with focus."""

    def resumed(self) -> FocusedWindow:
        """The app underneath any system window."""

    def halves(self) -> dict[str, Bounds]:
        """Where the apps lie that share the screen, by package; empty where one has it."""

    def keyboard_shown(self) -> bool:
        """Whether the input method's window is up."""

    def field_focused(self) -> bool:
        """Whether a text field has input focus."""

    def secure(self) -> bool:
        """Whether the focused window forbids screenshots."""

    def render(self) -> Image:
        """The screen as an RGBA picture; secure windows are black."""

    def dump(self, *, every: bool = False, resting: bool = True) -> bytes:
        """The active window, or every one, as uiautomator's XML.

        Raises `NotIdle` where the screen moves, unless it need not be `resting`.
        """

    def contacts(self) -> list[tuple[str, str]]:
        """Name and number of everybody in the address book."""

    def expand(self, panel: str) -> None:
        """Open `notifications` or `settings`, or `collapse`."""


def as_png(picture: Image) -> bytes:
    """The picture as a PNG. Slow for a picture other than the last one: not for the event loop."""
    return _encode(picture.mode, picture.size, picture.tobytes())


@lru_cache(maxsize=1)
def _encode(mode: str, size: tuple[int, int], pixels: bytes) -> bytes:
    """The PNG of some pixels. A screen that rests is asked for several times, so the last PNG is kept."""
    buffer = BytesIO()
    frombytes(mode, size, pixels).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()
