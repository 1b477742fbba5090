"""What a person does to the phone with their hands and feet: touches, buttons, walking about, the charger."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.simulator.android.hardware import AccessPoint, Wakefulness
from assistant.simulator.android.services import Services
from assistant.simulator.ui import scene
from assistant.simulator.ui.windows import WindowManager

TAP_SECONDS = 0.07
_POWER = 26
_MOVES = 8
_NEIGHBOURS = (AccessPoint("Neighbour", "a0:36:bc:11:20:7e", -79, 2437),)


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere the phone can be: a position, the access point there, the Bluetooth device around."""

    latitude: float
    longitude: float
    access_point: AccessPoint | None = None
    device: str = ""


PLACES = {
    "residence": Place(31.30946, 121.50828, AccessPoint("Home-5G", "16:d8:64:f4:d5:19", -48)),
    "office": Place(31.23037, 121.47370, AccessPoint("Example-Corp", "3c:84:6a:90:01:b2", -55)),
    "school": Place(31.02557, 121.43388, AccessPoint("eduroam", "70:3a:0e:52:c8:41", -61)),
    "dining place": Place(
        31.23110, 121.47522, AccessPoint("Noodle-House-Guest", "d4:5d:64:0a:77:10", -63, 2437)
    ),
    "shopping mall": Place(31.21879, 121.44592, AccessPoint("Plaza-Free", "88:dc:96:31:5e:02", -67, 2462)),
    "medical institution": Place(
        31.21153, 121.46812, AccessPoint("Hospital-Guest", "5c:e2:8c:13:6b:90", -66)
    ),
    "transportation": Place(31.25012, 121.49033, device="My Car"),
    "urban street": Place(31.23811, 121.48205),
}
"""By the scenario they stand for."""


class Person:
    """The user. What they do appears in `getevent` where a real phone would show it, and has its effect."""

    def __init__(self, services: Services, windows: WindowManager) -> None:
        self._services = services
        self._windows = windows

    def tap(self, x: float, y: float) -> None:
        """Touch the screen shortly, at a pixel of the current rotation."""
        self._trace([(x, y)], TAP_SECONDS)
        self._windows.tap(x, y)

    def press(self, names: Sequence[str]) -> bool:
        """Touch what is called by one of these names in the window in front; returns whether it is there."""
        shown = scene.active(self._windows.windows()).placed.walk()
        for placed in shown:
            if placed.seen.area and (placed.node.text or placed.node.description) in names:
                self.tap(*placed.seen.centre)
                return True
        return False

    def end_apps(self) -> None:
        """End all apps that are open."""
        self._windows.desk.end_apps()
        self._windows.desk.settle()

    def hold(self, x: float, y: float, milliseconds: int) -> None:
        """Touch the screen for some time."""
        self._trace([(x, y)], milliseconds / 1000)
        self._windows.hold(x, y, milliseconds)

    def swipe(self, x1: float, y1: float, x2: float, y2: float, milliseconds: int) -> None:
        """Draw a finger across the screen."""
        steps = [step / _MOVES for step in range(_MOVES + 1)]
        self._trace([(x1 + (x2 - x1) * at, y1 + (y2 - y1) * at) for at in steps], milliseconds / 1000)
        self._windows.swipe(x1, y1, x2, y2, milliseconds)

    def press_power(self) -> None:
        """Press the power button: the screen goes off, or on to the lock screen."""
        self._services.touches.button(self._services.clock.uptime(), "KEY_POWER")
        self._windows.key(_POWER)

    def screen(self, *, on: bool) -> None:
        """Press the power button if the screen is not so already."""
        if self._services.power.awake != on:
            self.press_power()

    def lock(self, *, secure: bool | None = None) -> None:
        """Leave the phone on its lock screen, with a PIN or without; unsaid, as it is set up."""
        if secure is not None:
            self._services.keyguard.secure = secure
        self.screen(on=False)
        self.screen(on=True)

    def unlock(self) -> None:
        """Wake the phone and get past the lock screen, by PIN or finger."""
        self._services.power.wakefulness = Wakefulness.AWAKE
        self._services.keyguard.showing = False
        self._windows.changed()

    def rotate(self, quarters: int) -> None:
        """Turn the phone: 0 upright, 1 its top to the left, 2 upside down, 3 its top to the right."""
        self._services.set_setting("user_rotation", str(quarters % 4))
        self._windows.changed()

    def call(self, name: str) -> None:
        """Somebody rings."""
        for event in ("FILTERING_INITIATED", "FILTERING_COMPLETED", "SET_RINGING"):
            self._services.note("Telecom", f"Event: Call TC@1: {event}, null: CSW.hCCC@AAA")
        self._services.cell.call_state = 1
        self._services.notify("com.example.dialer", name, self._windows.desk.say("Incoming call", "来电"))
        self._windows.changed()

    def hang_up(self) -> None:
        """Nobody rings any more."""
        self._services.note("Telecom", "Event: Call TC@1: SET_DISCONNECTED, null: CSW.sDc@AAB")
        self._services.cell.call_state = 0
        calls = [
            notification
            for notification in self._services.notifications.posted
            if notification.package == "com.example.dialer"
        ]
        for call in calls:
            self._services.notifications.cancel(call.key)
        self._windows.changed()

    def go(self, place: Place) -> None:
        """Walk or drive somewhere: position, cell, Wi-Fi and Bluetooth follow."""
        services = self._services
        services.location.latitude, services.location.longitude = place.latitude, place.longitude
        services.location.fixed_at = services.clock.uptime()
        services.cell.cell_id = zlib.crc32(f"{place.latitude:.3f},{place.longitude:.3f}".encode()) & 0xFFFFFFF
        services.wifi.connected = place.access_point
        services.wifi.visible = [*([place.access_point] if place.access_point else []), *_NEIGHBOURS]
        services.bluetooth.connected = place.device
        self._windows.changed()

    def _trace(self, points: list[tuple[float, float]], seconds: float) -> None:
        """What the panel reports of a touch; a panel that is off reports nothing."""
        services = self._services
        if not services.power.awake:
            return
        start = services.clock.uptime()
        pause = seconds / len(points)
        services.touches.down(start, *points[0])
        for number, point in enumerate(points[1:], 1):
            services.touches.move(start + number * pause, *point)
        services.touches.up(start + seconds)
