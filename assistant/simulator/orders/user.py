"""What the person who holds the phone does."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assistant.simulator.android.hardware import AccessPoint
from assistant.simulator.orders.base import ControlledPhone, Milliseconds, Order, Pixels, Refused
from assistant.simulator.person import PLACES, Place


class Tap(Order):
    """The user touches the screen."""

    route = "tap"
    x: Pixels
    y: Pixels

    def perform(self, phone: ControlledPhone) -> None:
        """Touch at a pixel of the current rotation."""
        phone.person.tap(self.x, self.y)


class Press(Order):
    """The user touches what is called by one of these names, on a page that forbids screenshots too."""

    route = "press"
    names: Annotated[tuple[str, ...], Field(min_length=1)]

    def perform(self, phone: ControlledPhone) -> None:
        """Touch the middle of the first one that is shown."""
        if not phone.person.press(self.names):
            raise Refused(f"Nothing on the screen is called {' or '.join(self.names)}.")


class Hold(Order):
    """The user touches the screen for some time."""

    route = "hold"
    x: Pixels
    y: Pixels
    milliseconds: Milliseconds = 800

    def perform(self, phone: ControlledPhone) -> None:
        """Hold at a pixel of the current rotation."""
        phone.person.hold(self.x, self.y, self.milliseconds)


class Swipe(Order):
    """The user draws a finger across the screen."""

    route = "swipe"
    x1: Pixels
    y1: Pixels
    x2: Pixels
    y2: Pixels
    milliseconds: Milliseconds = 300

    def perform(self, phone: ControlledPhone) -> None:
        """Move from the first point to the second."""
        phone.person.swipe(self.x1, self.y1, self.x2, self.y2, self.milliseconds)


class Lock(Order):
    """The user locks the phone; `secure` sets a PIN or removes it."""

    route = "lock"
    secure: bool | None = None

    def perform(self, phone: ControlledPhone) -> None:
        """Show the lock screen."""
        phone.person.lock(secure=self.secure)


class Unlock(Order):
    """The user unlocks the phone."""

    route = "unlock"

    def perform(self, phone: ControlledPhone) -> None:
        """Leave the lock screen."""
        phone.person.unlock()


class EndApps(Order):
    """The user ends all apps that are open, as the button below the recent ones does."""

    route = "end-apps"

    def perform(self, phone: ControlledPhone) -> None:
        """Show the launcher; the pages of all apps go, their data stays."""
        phone.person.end_apps()


class Split(Order):
    """The user puts two apps beside each other, in split screen."""

    route = "split"
    upper: str
    lower: str

    def perform(self, phone: ControlledPhone) -> None:
        """Show both, the upper one with the focus."""
        try:
            phone.windows.split(self.upper, self.lower)
        except KeyError as error:
            raise Refused(f"There is no app {error.args[0]!r}.") from error


class Screen(Order):
    """The user switches the screen on or off with the power button."""

    route = "screen"
    on: bool

    def perform(self, phone: ControlledPhone) -> None:
        """Press power if needed."""
        phone.person.screen(on=self.on)


class Rotate(Order):
    """The user turns the phone by quarters: 0 is upright."""

    route = "rotate"
    quarters: Annotated[int, Field(ge=0, le=3)]

    def perform(self, phone: ControlledPhone) -> None:
        """Turn."""
        phone.person.rotate(self.quarters)


class Call(Order):
    """Somebody calls; without a name, nobody any more."""

    route = "call"
    name: str = ""

    def perform(self, phone: ControlledPhone) -> None:
        """Ring or stop ringing."""
        if self.name:
            phone.person.call(self.name)
        else:
            phone.person.hang_up()


class Move(Order):
    """The phone goes to a known place, or to a position with the access point there."""

    route = "move"
    place: str = ""
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    ssid: str = ""
    bssid: str = "02:00:5e:10:20:30"
    device: str = ""

    def perform(self, phone: ControlledPhone) -> None:
        """Go there."""
        if self.place:
            if self.place not in PLACES:
                raise Refused(f"There is no place {self.place!r}. Known are: {', '.join(PLACES)}.")
            phone.person.go(PLACES[self.place])
        elif self.latitude is None or self.longitude is None:
            raise Refused("Name a place, or give latitude and longitude.")
        else:
            access_point = AccessPoint(self.ssid, self.bssid) if self.ssid else None
            phone.person.go(Place(self.latitude, self.longitude, access_point, self.device))
