"""A stand-in for the window manager: remembers what it was told."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from PIL.Image import Image, new

from assistant.records import Bounds
from assistant.simulator.android.services import Services
from assistant.simulator.surface import FocusedWindow, NotIdle, UnknownComponent, UnknownDisplay

TREE = b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"></hierarchy>"
WINDOWS = b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><displays></displays>"


class Screen:
    def __init__(self, services: Services) -> None:
        self.services = services
        self.calls: list[tuple[object, ...]] = []
        self.front = FocusedWindow("com.example.chat", ".MainActivity")
        self.system_window: FocusedWindow | None = None
        self.field: str | None = None
        self.idle_at = 0.0
        self.black = False

    def on(self, display: int) -> AbstractContextManager[None]:
        if display:
            raise UnknownDisplay(display)
        return nullcontext()

    def tap(self, x: float, y: float) -> None:
        self.calls.append(("tap", x, y))

    def hold(self, x: float, y: float, milliseconds: int) -> None:
        self.calls.append(("hold", x, y, milliseconds))

    def swipe(self, x1: float, y1: float, x2: float, y2: float, milliseconds: int) -> None:
        self.calls.append(("swipe", x1, y1, x2, y2, milliseconds))

    def key(self, code: int, *, long: bool = False) -> None:
        self.calls.append(("key", code, "long") if long else ("key", code))

    def type_text(self, text: str, *, by_keys: bool = False) -> bool:
        if self.field is None:
            return False
        self.field += text
        return True

    def clear_text(self) -> bool:
        if self.field is None:
            return False
        self.field = ""
        return True

    def start(self, package: str, activity: str = "", address: str = "") -> bool:
        known = self.services.packages.installed.get(package)
        if known is None or activity not in ("", known.activity):
            raise UnknownComponent(package)
        before, self.front = self.front, FocusedWindow(package, known.activity)
        return before != self.front

    def stop(self, package: str) -> None:
        self.calls.append(("stop", package))

    def clear(self, package: str) -> None:
        self.calls.append(("clear", package))

    def focused(self) -> FocusedWindow:
        return self.system_window or self.front

    def resumed(self) -> FocusedWindow:
        return self.front

    def halves(self) -> dict[str, Bounds]:
        return {}

    def keyboard_shown(self) -> bool:
        return self.field is not None

    def field_focused(self) -> bool:
        return self.field is not None

    def secure(self) -> bool:
        return self.black

    def render(self) -> Image:
        return new("RGBA", (12, 20), "black" if self.black else "white")

    def contacts(self) -> list[tuple[str, str]]:
        return [("Ann Lee", "+1 555 0100"), ("王芳", "13800000000")]

    def expand(self, panel: str) -> None:
        self.calls.append(("expand", panel))

    def dump(self, *, every: bool = False, resting: bool = True) -> bytes:
        if resting and self.services.clock.uptime() < self.idle_at:
            raise NotIdle
        return WINDOWS if every else TREE
