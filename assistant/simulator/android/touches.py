"""Raw events of the touch panel and the buttons, as `getevent` reads them: never those of `input`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from assistant.simulator.android.hardware import Display

PANEL = "/dev/input/event2"
BUTTONS = "/dev/input/event0"
UNITS_PER_PIXEL = 10


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One kernel input event. `time` is the uptime in seconds; names are the kernel's."""

    time: float
    device: str
    kind: str
    code: str
    value: int


def panel_position(display: Display, x: float, y: float) -> tuple[int, int]:
    """The panel's own portrait units for a pixel of the current rotation."""
    width, height = display.size
    across, down = x / width, y / height
    match display.rotation:
        case 1:
            across, down = 1 - down, across
        case 2:
            across, down = 1 - across, 1 - down
        case 3:
            across, down = down, 1 - across
    maximum_x, maximum_y = panel_limits(display)
    return round(min(1.0, max(0.0, across)) * maximum_x), round(min(1.0, max(0.0, down)) * maximum_y)


def panel_limits(display: Display) -> tuple[int, int]:
    """The largest position on each axis, in the panel's units."""
    return display.physical[0] * UNITS_PER_PIXEL - 1, display.physical[1] * UNITS_PER_PIXEL - 1


@dataclass(slots=True, eq=False)
class Touches:
    """Passes raw events on to every reader of `getevent`."""

    display: Display
    readers: list[asyncio.Queue[RawEvent]] = field(default_factory=list)
    contact: int = 0

    @contextmanager
    def subscribe(self) -> Iterator[asyncio.Queue[RawEvent]]:
        """A queue that gets each event from now on."""
        queue: asyncio.Queue[RawEvent] = asyncio.Queue()
        self.readers.append(queue)
        try:
            yield queue
        finally:
            self.readers.remove(queue)

    def emit(self, *events: RawEvent) -> None:
        """Hand events to all readers."""
        for queue in self.readers:
            for event in events:
                queue.put_nowait(event)

    def _panel(self, time: float, *values: tuple[str, str, int]) -> None:
        self.emit(*(RawEvent(time, PANEL, kind, code, value) for kind, code, value in values))

    def down(self, time: float, x: float, y: float) -> None:
        """A finger touches the screen at a pixel of the current rotation."""
        self.contact += 1
        across, along = panel_position(self.display, x, y)
        self._panel(
            time,
            ("EV_ABS", "ABS_MT_TRACKING_ID", 0x8000 + self.contact % 0x8000),
            ("EV_KEY", "BTN_TOUCH", 1),
            ("EV_ABS", "ABS_MT_TOUCH_MAJOR", 0x0B),
            ("EV_ABS", "ABS_MT_PRESSURE", 0x1D),
            ("EV_ABS", "ABS_MT_POSITION_X", across),
            ("EV_ABS", "ABS_MT_POSITION_Y", along),
            ("EV_SYN", "SYN_REPORT", 0),
        )

    def move(self, time: float, x: float, y: float) -> None:
        """The finger moves."""
        across, along = panel_position(self.display, x, y)
        self._panel(
            time,
            ("EV_ABS", "ABS_MT_POSITION_X", across),
            ("EV_ABS", "ABS_MT_POSITION_Y", along),
            ("EV_SYN", "SYN_REPORT", 0),
        )

    def up(self, time: float) -> None:
        """The finger leaves the screen."""
        self._panel(
            time,
            ("EV_ABS", "ABS_MT_TRACKING_ID", -1),
            ("EV_KEY", "BTN_TOUCH", 0),
            ("EV_SYN", "SYN_REPORT", 0),
        )

    def button(self, time: float, name: str) -> None:
        """A side button is pressed and let go: `KEY_POWER`, `KEY_VOLUMEUP`, `KEY_VOLUMEDOWN`."""
        for value in (1, 0):
            self.emit(
                RawEvent(time, BUTTONS, "EV_KEY", name, value),
                RawEvent(time, BUTTONS, "EV_SYN", "SYN_REPORT", 0),
            )
