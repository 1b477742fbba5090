"""Displays beside the phone's own: which there are, which has the focus of all, and what was done on each.

Source: AOSP `DisplayManagerService` (a number is never used twice), `OverlayDisplayAdapter` (the setting
`overlay_display_devices`), and the flags that scrcpy's `NewDisplayCapture` asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from assistant.simulator.android.hardware import Display

MOST_OVERLAYS = 4
_FIRST_NUMBER = 2
_FIRST_SURFACE = 11529215049243506835
_OVERLAY = re.compile(r"(\d{3,4})x(\d{3,4})/(\d{2,3})(?:,[,_a-z]+)?")


@dataclass(frozen=True, slots=True)
class VirtualDisplay:
    """A display without a panel.

    `surface` is the number under which its picture is taken. `own_focus`: its touches leave the focus of all
    where it is. `destroys`: what runs there ends with it, else it comes to the phone's own screen.
    """

    number: int
    name: str
    surface: str
    display: Display
    kind: str = "VIRTUAL"
    always_unlocked: bool = False
    own_focus: bool = False
    destroys: bool = False


@dataclass(slots=True, eq=False)
class Displays:
    """All displays beside display 0. `top` is the one that has the focus of all.

    `inputs` are what programs injected: on which display, whether it was named, and the app in front there.
    `where` tells on which display an app's task is.
    """

    shown: dict[int, VirtualDisplay] = field(default_factory=dict)
    top: int = 0
    inputs: list[tuple[int, bool, str]] = field(default_factory=list)
    on_removed: Callable[[VirtualDisplay], None] = lambda _display: None
    where: Callable[[str], int] = lambda _package: 0
    _made: int = 0

    def add(self, name: str, size: tuple[int, int], density: int, **flags: Any) -> VirtualDisplay:
        """A new display, with nothing on it."""
        number = _FIRST_NUMBER + self._made
        surface = str(_FIRST_SURFACE + self._made)
        self._made += 1
        display = Display(physical=size, physical_density=density, panel_id=surface)
        self.shown[number] = made = VirtualDisplay(number, name, surface, display, **flags)
        return made

    def remove(self, number: int) -> None:
        """A display is gone; again is harmless."""
        gone = self.shown.pop(number, None)
        if gone is not None:
            self.top = 0 if self.top == number else self.top
            self.on_removed(gone)

    def clear(self) -> None:
        """All are gone with what ran there."""
        self.shown.clear()
        self.inputs.clear()
        self.top = 0

    def set_overlays(self, value: str) -> None:
        """What the setting says: all overlay displays go, and those that it lists come."""
        for display in [display for display in self.shown.values() if display.kind == "OVERLAY"]:
            self.remove(display.number)
        for place, spec in enumerate(value.split(";")[:MOST_OVERLAYS]):
            if (match := _OVERLAY.fullmatch(spec)) is not None:
                size = int(match[1]), int(match[2])
                self.add(f"Overlay #{place + 1}", size, int(match[3]), kind="OVERLAY")

    def touched(self, number: int) -> None:
        """Something was touched or started on a display: it has the focus of all, unless it has its own."""
        if number == 0 or not self.shown[number].own_focus:
            self.top = number

    def note(self, named: bool, package: str, number: int | None = None) -> None:
        """A program injects something: on a display that it named, or on the one that has the focus."""
        if self.shown:
            self.inputs.append((self.top if number is None else number, named, package))

    def state(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "shown": {str(number): display.name for number, display in self.shown.items()},
            "inputs": [list(injected) for injected in self.inputs],
        }
